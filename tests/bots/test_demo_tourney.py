"""The daily cup, played over real sockets on a fast calendar: two evenings, their awards, and every journal again."""

from pathlib import Path

import pytest

from tests.bots.demos import played


@pytest.mark.process
def test_the_daily_cup_is_played_paid_and_replayed(tmp_path: Path) -> None:
    """R-HI-01, R-HI-02, R-HI-03: the demo ends with two finals, six awards each, and nothing else in the journals."""
    found, _ = played(tmp_path, "--example", "daily_cup", "--speed", "0", "--seed", "7", servers=1)
    assert found["players"] == 18
    assert len(found["starts"]) == len(set(found["starts"])) == 2
    assert found["match"] == f"{found['starts'][-1]}.final"
    assert [row["place"] for row in found["standings"]] == [1, 2, 3, 4, 5, 6]
    for start in found["starts"]:
        won = [(prize["place"], prize["items"]) for prize in found["awards"] if prize["match"] == f"{start}.final"]
        assert sorted(won, key=lambda prize: prize[0]) == [
            (1, {"coins": 100, "cups": 1}),
            (2, {"coins": 30}),
            (3, {"coins": 30}),
            (4, {"coins": 7}),
            (5, {"coins": 7}),
            (6, {"coins": 6}),
        ]
