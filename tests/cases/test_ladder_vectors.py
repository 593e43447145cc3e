"""The acceptance vectors of the ladder that one pure rule can answer; those that need a course are in
`test_ladder_courses.py`.

Proves R-BL-02, R-BL-05, R-BL-06, R-BL-07, R-BL-08, R-BL-09, R-BL-10, R-BL-11, R-BL-12, R-BL-14.
Proves R-RA-01, R-RA-02, R-RA-03.
"""

import datetime

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
from coordinator.engine.ladder.deadlines import fires_at, pick_by
from coordinator.engine.ladder.negotiation import next_state
from tests.cases.vectors import vector

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


def test_av_013_the_weaker_of_the_seed_wins() -> None:
    """R-RA-02."""
    given, expected = vector("AV-013")
    assert rated(given) == expected


def test_av_014_the_stronger_of_the_seed_wins() -> None:
    """R-RA-02."""
    given, expected = vector("AV-014")
    assert rated(given) == expected


def test_av_015_equals() -> None:
    """R-RA-02."""
    given, expected = vector("AV-015")
    assert rated(given) == expected


def test_av_016_far_apart() -> None:
    """R-RA-02."""
    given, expected = vector("AV-016")
    assert rated(given) == expected


def test_av_017_both_are_new() -> None:
    """R-RA-03."""
    given, expected = vector("AV-017")
    assert rated(given) == expected


def test_av_018_a_provisional_team_beats_an_established_one() -> None:
    """R-RA-03."""
    given, expected = vector("AV-018")
    assert rated(given) == expected


def test_av_019_two_provisional_teams() -> None:
    """R-RA-03."""
    given, expected = vector("AV-019")
    assert rated(given) == expected


def test_av_020_an_established_team_beats_a_provisional_one() -> None:
    """R-RA-03."""
    given, expected = vector("AV-020")
    assert rated(given) == expected


def test_av_021_established_with_28_matches_behind_it() -> None:
    """R-RA-01."""
    given, expected = vector("AV-021")
    assert [rating.status(n, MODEL) for n in given["n_before"]] == expected["status"]


def test_av_022_the_windows_of_the_seed() -> None:
    """R-BL-02."""
    given, expected = vector("AV-022")
    assert [list(windows.targets(rank)) for rank in given["rank"]] == expected["targets"]


def test_av_023_the_windows_below_the_eighth_rank() -> None:
    """R-BL-02: the extension that fits every row of the seed."""
    given, expected = vector("AV-023")
    assert [list(windows.targets(rank)) for rank in given["rank"]] == expected["targets"]


def ranks_after(given: dict) -> tuple[list[str], str]:
    """The ranks after a match with these IMPs of challenger and defender, and its winner."""
    ranks, sides = given["ranks"], {"challenger": given["challenger"], "defender": given["defender"]}
    winner = outcome.winner_by_imps(*given["imps"])
    if winner == "challenger":
        ranks = list(outcome.after_win(ranks, given["challenger"], given["defender"]))
    return ranks, sides[winner]


def test_av_024_the_challenger_wins() -> None:
    """R-BL-05: the two ranks are swapped."""
    given, expected = vector("AV-024")
    assert ranks_after(given)[0] == expected["ranks"]


def test_av_025_equal_imps() -> None:
    """R-BL-05: the challenge has failed."""
    given, expected = vector("AV-025")
    assert ranks_after(given) == (expected["ranks"], expected["winner"])


def test_av_027_no_reply_within_three_days() -> None:
    """R-BL-08."""
    given, expected = vector("AV-027")
    fires = fires_at(at(given["issued"]) + 259_200_000)
    assert at(given["now"]) - 1000 < fires <= at(given["now"])
    assert next_state("issued", "reply_deadline_passed") == expected["state"]
    assert outcome.after_win(("d", "c"), "c", "d") == ("c", "d"), "swap"


def test_av_028_not_done_within_seven_days() -> None:
    """R-BL-08."""
    given, expected = vector("AV-028")
    assert fires_at(at(given["issued"]) + 604_800_000) <= at(given["now"])
    assert next_state(given["state"], "complete_deadline_passed") == expected["state"]


def test_av_029_the_challenger_cancels_in_time() -> None:
    """R-BL-06."""
    given, expected = vector("AV-029")
    assert next_state(given["state"], given["event"]) == expected["state"]


def test_av_030_the_challenger_cancels_too_late() -> None:
    """R-BL-06."""
    given, expected = vector("AV-030")
    assert next_state(given["state"], given["event"]) is None
    assert expected == {"error": "not_allowed"}


def test_av_031_nothing_is_picked() -> None:
    """R-BL-06."""
    given, expected = vector("AV-031")
    assert next_state(given["state"], given["event"]) == expected["state"]


def test_the_pick_is_due_at_the_earliest_time_offered() -> None:
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
    last = len(given["ranks"])
    assert list(outcome.to_rank(given["ranks"], given["false_report"], last)) == expected["ranks"]


def test_av_037_international_match_points() -> None:
    """R-BL-14."""
    given, expected = vector("AV-037")
    assert [imps.imps(difference) for difference in given["diff"]] == expected["imp"]


def deviation_of(given: dict) -> dict[str, object]:
    """What a repeated course that goes another way is worth to the other side."""
    count = given.get("previous_deviations", 0) + 1
    return {
        "deviation_index": deviation.first_deviation(given["log"], given["replay"]),
        "count": count,
        "options": list(deviation.options(count)),
    }


def test_av_040_the_first_other_course() -> None:
    """R-RC-02."""
    given, expected = vector("AV-040")
    assert deviation_of(given) == expected


def test_av_041_the_second_other_course() -> None:
    """R-RC-02."""
    given, expected = vector("AV-041")
    assert deviation_of(given) == expected
