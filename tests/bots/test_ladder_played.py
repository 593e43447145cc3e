"""The shipped ladder, played by bots over real sockets to its end and replayed."""

from pathlib import Path

import pytest

from bots.demo_plan import Definition, example
from bots.ladder import roster
from tests.bots.demos import played


def test_the_example_says_that_its_players_are_teams() -> None:
    found = Definition.read(str(example("ladder")))
    assert (found.id, found.game, found.players, found.ladder) == ("ladder", "bridge", 8, True)
    assert len(dict.fromkeys(roster("p0001"))) == 5


@pytest.mark.process
def test_the_example_is_played_to_its_end(tmp_path: Path) -> None:
    report, _ = played(tmp_path, "--example", "ladder", "--seed", "11", "--speed", "0")
    assert sorted(row["player"] for row in report["standings"]) == [f"p{n:04}" for n in range(1, 9)]
    assert [row["place"] for row in report["standings"]] == list(range(1, 9))
    assert report["hands"] > 0, "at least one match was played"
    assert all("match" in row["points"] for row in report["standings"])
