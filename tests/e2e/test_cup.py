"""The demonstration cup from an empty journal to its last place, in real processes."""

import json

import pytest

from tests.e2e.processes import coordinator, processes_about

pytestmark = pytest.mark.process


def demo(tmp_path, *arguments: str):
    """Run the demo with its children's files below `tmp_path`, so that they can be told from everybody else's."""
    words = ["demo", "--speed", "0", "--servers", "1", "--no-page", *arguments]
    ended = coordinator(*words, cwd=tmp_path, TMPDIR=str(tmp_path))
    assert "Traceback" not in ended.stderr
    assert processes_about(str(tmp_path)) == [], "a child was left behind"
    return ended


def test_the_same_seed_plays_the_same_cup(tmp_path):
    reports = []
    for name in ("first", "second"):
        ended = demo(tmp_path, "--seed", "7", "--json", f"{name}.json")
        assert ended.returncode == 0, ended.stderr
        reports.append(json.loads((tmp_path / f"{name}.json").read_text()))
    first, second = reports
    assert first["standings"] == second["standings"]
    assert first["hands"] == second["hands"]
    assert [row["place"] for row in first["standings"]] == list(range(1, 91))
    assert len({row["player"] for row in first["standings"]}) == 90
    assert len(set(first["base_scores"])) > 3
    assert first["replay"]["same_state"]
    assert first["replay"]["same_effects"]


def test_twenty_seven_players_are_enough(tmp_path):
    ended = demo(tmp_path, "--seed", "3", "--players", "27", "--json", "out.json")
    assert ended.returncode == 0, ended.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    assert [row["place"] for row in report["standings"]] == list(range(1, 28))


@pytest.mark.parametrize("players", ["3", "4", "26"])
def test_too_few_players_are_refused_in_one_sentence(tmp_path, players):
    ended = demo(tmp_path, "--players", players)
    assert ended.returncode == 3
    [sentence] = ended.stderr.splitlines()
    assert sentence == (
        f"coordinator demo: the coordinator refused: full_count: 'cup' is not played by {players} players "
        "(expected at least 27) [field_too_small]"
    )
