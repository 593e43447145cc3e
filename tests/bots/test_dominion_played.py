"""The shipped Dominion Swiss, played by bots over real sockets to its end and replayed."""

from pathlib import Path

import pytest

from bots.demo_plan import Definition, example
from tests.bots.demos import played


def test_the_example_says_its_field_and_that_players_may_come_late() -> None:
    found = Definition.read(str(example("dominion")))
    assert (found.id, found.game, found.players, found.joins_late) == ("dominion", "kingdom", 12, True)
    assert found.late(12, "s1") in (1, 2)
    assert found.late(2, "s1") == 0


@pytest.mark.process
def test_the_example_is_played_to_its_end(tmp_path: Path) -> None:
    report, _ = played(tmp_path, "--example", "dominion", "--seed", "s1", "--speed", "0")
    assert sorted(row["player"] for row in report["standings"]) == [f"p{n:04}" for n in range(1, 13)]
    assert [row["out_in"] for row in report["standings"]] == [None] * 3 + ["swiss"] * 9
