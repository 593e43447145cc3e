"""The shipped ladder, played by bots over real sockets to its end and replayed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bots.demo_plan import Definition, example
from bots.ladder import roster

ROOT = Path(__file__).parents[2]


def test_the_example_says_that_its_players_are_teams() -> None:
    found = Definition.read(str(example("ladder")))
    assert (found.id, found.game, found.players, found.ladder) == ("ladder", "bridge", 8, True)
    assert len(dict.fromkeys(roster("p0001"))) == 5


@pytest.mark.process
def test_the_example_is_played_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    command = ["coordinator", "demo", "--example", "ladder", "--seed", "11", "--speed", "0", "--json", str(file)]
    done = subprocess.run(
        [sys.executable, "-m", *command, "--servers", "2", "--no-page"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(file.read_text())
    assert (report["replay"]["same_state"], report["replay"]["same_effects"]) == (True, True)
    assert sorted(row["player"] for row in report["standings"]) == [f"p{n:04}" for n in range(1, 9)]
    assert [row["place"] for row in report["standings"]] == list(range(1, 9))
    assert report["hands"] > 0, "at least one match was played"
    assert all("match" in row["points"] for row in report["standings"])
