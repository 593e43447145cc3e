"""How a demo's end is told to people and to programs."""

import io
import json

import attrs
import pytest
from rich.console import Console

from bots.errors import DemoFailed
from bots.report import DemoReport, Place, ReplayFinding


def report(n=23, **changes):
    places = [Place(i, f"p{i:04}", f"Ada [{i}]", 1000 - i, None if i < 3 else "melee") for i in range(1, n + 1)]
    whole = DemoReport("demo", "7", n, 1204, [20, 30], places, ReplayFinding(18_204, True, True), 38.25)
    return attrs.evolve(whole, **changes)


def told(whole):
    told = io.StringIO()
    whole.show(Console(file=told, width=80))
    return told.getvalue()


def test_people_see_twenty_places_and_how_many_more():
    text = told(report())
    assert "Ada [20]" in text
    assert "Ada [21]" not in text
    assert "… 3 more\n" in text
    assert "23 players, 1,204 hands in 38.2 seconds\n" in text
    assert text.endswith("replay: 18,204 events, same state, same effects\n")


def test_a_small_field_has_no_more():
    assert "more" not in told(report(n=20))


def test_averages_are_shown_where_a_match_has_them():
    ranked = attrs.evolve(report(n=2), standings=[Place(1, "p1", "Ada", -5, None, "3.06"), *report(n=2).standings[1:]])
    assert "average" not in told(report(n=2))
    assert "average" in told(ranked)
    assert "3.06" in told(ranked)


def test_a_ladder_has_ratings_and_no_averages():
    text = told(attrs.evolve(report(), standings=[Place(1, "p1", "Ada", 1754, None, "3 matches, provisional")]))
    assert "rating" in text
    assert "rests on" in text
    assert "average" not in text


@pytest.mark.parametrize(
    ("finding", "same", "sentence"),
    [
        (ReplayFinding(5, True, True), True, "replay: 5 events, same state, same effects"),
        (ReplayFinding(5, False, True), False, "replay: 5 events, ANOTHER STATE, same effects"),
        (ReplayFinding(5, True, False), False, "replay: 5 events, same state, OTHER EFFECTS"),
    ],
)
def test_replay_is_the_same_only_if_both_are(finding, same, sentence):
    assert finding.same is same
    assert finding.sentence == sentence


def test_programs_read_the_whole_of_it(tmp_path):
    report(n=3).write_json(tmp_path / "demo.json")
    found = json.loads((tmp_path / "demo.json").read_text())
    assert found["standings"][2] == {
        "place": 3,
        "player": "p0003",
        "name": "Ada [3]",
        "score": 997,
        "out_in": "melee",
        "points": None,
    }
    assert found["standings"][0]["out_in"] is None
    del found["standings"]
    assert found == {
        "match": "demo",
        "seed": "7",
        "players": 3,
        "hands": 1204,
        "base_scores": [20, 30],
        "replay": {"events": 18_204, "same_state": True, "same_effects": True},
        "seconds": 38.25,
        "starts": [],
        "awards": [],
    }


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(DemoFailed, match="No such file"):
        report().write_json(tmp_path / "nowhere" / "demo.json")
