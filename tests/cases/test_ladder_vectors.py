"""The acceptance vectors of the ladder that one pure rule can answer; those that need a course are in
`test_ladder_courses.py`."""

import datetime

import pytest

from coordinator.engine.definition import Rating
from coordinator.engine.ladder import (
    deviation,
    imps,
    lateness,
    lineup,
    outcome,
    rating,
    roster,
    slots,
    wall_time,
    windows,
)
from coordinator.engine.ladder.deadlines import passed, pick_by
from coordinator.engine.ladder.negotiation import next_state
from tests.cases.test_vectors import vector

SHANGHAI = (wall_time.Offset(0, 8 * wall_time.HOUR_MS),)
MODEL = Rating()


def at(text: str) -> int:
    """Unix milliseconds of a time in Shanghai."""
    zone = datetime.timezone(datetime.timedelta(hours=8))
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def rated(given: dict, matches: int | None = None) -> dict[str, int]:
    def standing(side: object) -> rating.Standing:
        if isinstance(side, dict):
            return rating.Standing(side["r"], side["n"])
        assert isinstance(side, int)
        return rating.Standing(side, 28 if matches is None else matches)

    a, b = standing(given["a"]), standing(given["b"])
    if given["winner"] == "a":
        won, lost = rating.after_match(a, b, MODEL)
        return {"a": won, "b": lost}
    won, lost = rating.after_match(b, a, MODEL)
    return {"a": lost, "b": won}


@pytest.mark.parametrize("name", [f"AV-{number:03}" for number in range(13, 21)])
def test_av_013_to_020_ratings(name: str) -> None:
    """R-RA-02 for the first four, R-RA-03 for the others."""
    given, expected = vector(name)
    assert rated(given) == expected


def test_av_021_established_with_28_matches_behind_it() -> None:
    """R-RA-01."""
    given, expected = vector("AV-021")
    assert [rating.status(n, MODEL) for n in given["n_before"]] == expected["status"]


@pytest.mark.parametrize("name", ["AV-022", "AV-023"])
def test_av_022_and_023_windows(name: str) -> None:
    """R-BL-02: the seed's table, and the extension that fits every row of it."""
    given, expected = vector(name)
    assert [list(windows.targets(rank)) for rank in given["rank"]] == expected["targets"]


@pytest.mark.parametrize("name", ["AV-024", "AV-025"])
def test_av_024_and_025_the_ranks_after_a_match(name: str) -> None:
    """R-BL-05: swapped when the challenger wins; equal IMPs are a failed challenge."""
    given, expected = vector(name)
    ranks, sides = given["ranks"], {"challenger": given["challenger"], "defender": given["defender"]}
    winner = outcome.winner_by_imps(*given["imps"])
    if winner == "challenger":
        ranks = list(outcome.after_win(ranks, given["challenger"], given["defender"]))
    assert ranks == expected["ranks"]
    assert sides[winner] == expected.get("winner", sides["challenger"])


def test_av_027_no_reply_within_three_days() -> None:
    """R-BL-08."""
    given, expected = vector("AV-027")
    assert passed(at(given["issued"]) + 259_200_000, at(given["now"]))
    assert not passed(at(given["issued"]) + 259_200_000, at(given["now"]) - 1000)
    assert next_state("issued", "reply_deadline_passed") == expected["state"]
    assert outcome.after_win(("d", "c"), "c", "d") == ("c", "d"), "swap"


def test_av_028_not_done_within_seven_days() -> None:
    """R-BL-08."""
    given, expected = vector("AV-028")
    assert passed(at(given["issued"]) + 604_800_000, at(given["now"]))
    assert next_state(given["state"], "complete_deadline_passed") == expected["state"]


@pytest.mark.parametrize("name", ["AV-029", "AV-030", "AV-031"])
def test_av_029_to_031_negotiation(name: str) -> None:
    """R-BL-06."""
    given, expected = vector(name)
    state = next_state(given["state"], given["event"])
    assert {"state": state} == expected or (state is None and expected == {"error": "not_allowed"})


def test_av_031_the_pick_is_due_at_the_earliest_time_offered() -> None:
    """R-BL-06: at most the limit of the challenge."""
    offered = [slots.Slot(300), slots.Slot(200), slots.Slot(250), slots.Slot(400)]
    assert (pick_by(offered, 1000), pick_by(offered, 150)) == (200, 150)


def test_av_032_the_hours_of_play() -> None:
    """R-BL-07."""
    given, expected = vector("AV-032")
    week = ("mon", "tue", "wed", "thu", "fri")
    hours = 18 * wall_time.HOUR_MS, 24 * wall_time.HOUR_MS
    found = [slots.allowed_hour(slots.Slot(at(slot)), SHANGHAI, week, *hours) for slot in given["slots"]]
    assert found == expected["allowed"]
    assert all(slots.allowed_hour(slots.Slot(at(slot), mutual=True), SHANGHAI, week, *hours) for slot in given["slots"])


def test_av_033_ready_and_checked_in() -> None:
    """R-BL-09."""
    given, expected = vector("AV-033")
    day, minute = "2024-03-06T", wall_time.MINUTE_MS
    agreed = at(day + given["agreed"])
    late = [lateness.is_late(agreed, at(day + ready), 15 * minute) for ready in given["ready"]]
    valid = [lateness.checkin_counts(agreed, at(day + t), 30 * minute, 30 * minute) for t in given["checkin"]]
    assert {"late": late, "checkin_valid": valid} == expected


def test_av_034_how_many_must_be_registered() -> None:
    """R-BL-10."""
    given, expected = vector("AV-034")
    found = [lineup.right_opens(given["fielded"], registered, 3, 1) for registered in given["registered"]]
    assert found == expected["right_opens"]


def test_av_035_roster_changes() -> None:
    """R-BL-11."""
    given, expected = vector("AV-035")
    made, accepted = 0, []
    for players in given["requests"]:
        names = [f"p{number}" for number in range(players)]
        accepted.append(roster.refused(made, names, names, 2) is None)
        made += accepted[-1]
    assert accepted == expected["accepted"]


def test_av_036_a_falsified_result() -> None:
    """R-BL-12."""
    given, expected = vector("AV-036")
    assert list(outcome.to_the_end(given["ranks"], given["false_report"])) == expected["ranks"]


def test_av_037_international_match_points() -> None:
    """R-BL-14."""
    given, expected = vector("AV-037")
    assert [imps.imps(difference) for difference in given["diff"]] == expected["imp"]


@pytest.mark.parametrize("name", ["AV-040", "AV-041"])
def test_av_040_and_041_another_course_than_before(name: str) -> None:
    """R-RC-02."""
    given, expected = vector(name)
    count = given.get("previous_deviations", 0) + 1
    found = {
        "deviation_index": deviation.first_deviation(given["log"], given["replay"]),
        "count": count,
        "options": list(deviation.options(count)),
    }
    assert found == expected


def test_av_118_what_the_top_phase_accepts() -> None:
    """R-BL-03: the same in play is in `test_ladder_courses.py`."""
    from coordinator.engine.ladder.weekly import may_challenge_first

    given, expected = vector("AV-118")
    top, accepted = given["top_phase"], []
    for rank, target in given["issue"]:
        accepted.append(not top or may_challenge_first(rank, target))
        top = top and not (accepted[-1] and target == 1)
    assert accepted == expected["accepted"]
