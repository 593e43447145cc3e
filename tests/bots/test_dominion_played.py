"""The shipped Dominion Swiss, played by bots over real sockets to its end and replayed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bots.demo_plan import Definition, example

ROOT = Path(__file__).parents[2]


def test_the_example_says_its_field_and_that_players_may_come_late() -> None:
    found = Definition.read(str(example("dominion")))
    assert (found.id, found.game, found.players, found.joins_late) == ("dominion", "kingdom", 12, True)
    assert found.late(12, "s1") in (1, 2)
    assert found.late(2, "s1") == 0


@pytest.mark.process
def test_the_example_is_played_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    command = ["coordinator", "demo", "--example", "dominion", "--seed", "s1", "--speed", "0", "--json", str(file)]
    done = subprocess.run(
        [sys.executable, "-m", *command, "--servers", "2", "--no-page"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(file.read_text())
    assert report["replay"]["same_state"]
    assert report["replay"]["same_effects"]
    assert sorted(row["player"] for row in report["standings"]) == [f"p{n:04}" for n in range(1, 13)]
    assert [row["out_in"] for row in report["standings"]] == [None] * 3 + ["swiss"] * 9
