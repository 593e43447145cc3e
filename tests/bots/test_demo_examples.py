"""The shipped examples are played to their end over real sockets and replayed to the same bytes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from bots.demo import demo
from tests.bots.demos import played

ROOT = Path(__file__).parents[2]


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "players"), [("island", 30), ("revival-melee", 60), ("half_knockout", 48), ("mixture", 60)]
)
def test_an_example_is_played_and_replayed(name: str, players: int, tmp_path: Path) -> None:
    found, _ = played(tmp_path, "--example", name, "--speed", "0", "--seed", "11")
    assert found["players"] == players
    places = [row["place"] for row in found["standings"]]
    assert places == list(range(1, len(places) + 1))
    assert len(places) == players or name == "island", "only an island has no place for those who left"


def test_an_example_that_does_not_exist_is_refused() -> None:
    result = CliRunner().invoke(demo, ["--example", "nowhere"])
    assert result.exit_code == 3
    shipped = ", ".join(sorted(file.stem for file in (ROOT / "coordinator" / "examples").glob("*.toml")))
    assert f"--example nowhere: the examples are {shipped}" in result.stderr
