"""A shipped example played to its end by bots over real sockets, from its name on the command line to its replay."""

import pytest

from tests.bots.demos import played


@pytest.mark.process
def test_the_continuous_swiss_is_played_and_replayed(tmp_path):
    """R-CS-01: players come late and leave early, real bridge at every table, and the journal says the same again."""
    found, _ = played(tmp_path, "--example", "continuous_swiss", "--speed", "0", "--seed", "7")
    assert found["players"] == 20
    assert [row["place"] for row in found["standings"]] == list(range(1, 21))
    averages = [row["points"] for row in found["standings"]]
    without = averages.count("no result")
    assert averages[20 - without :] == ["no result"] * without
    ranked = [float(average) for average in averages[: 20 - without]]
    assert ranked == sorted(ranked, reverse=True)
    assert len(set(ranked)) > 5, "tables that play the same boards their own way"
    assert found["hands"] >= 30
