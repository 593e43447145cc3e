"""The numbers that the rules of the bridge challenge ladder print themselves, reproduced one by one."""

from fractions import Fraction

from coordinator.engine.definition import Ladder, Rating
from coordinator.engine.ladder import lineup, outcome, rating, windows
from coordinator.engine.ladder.negotiation import next_state

DAY_MS = 24 * 3600 * 1000
MODEL = Rating()


def test_the_printed_table_of_ranks_that_may_be_challenged() -> None:
    """R-BL-02, section 6."""
    printed = {2: (1,), 3: (1, 2), 4: (2, 3), 5: (3, 4), 6: (3, 4, 5), 7: (4, 5, 6), 8: (5, 6, 7)}
    assert {rank: windows.targets(rank) for rank in printed} == printed
    assert [rank for rank in range(1, 9) if 1 in windows.targets(rank)] == [2, 3], "only they may challenge the first"


def test_the_worked_example_of_the_rating() -> None:
    """R-RA-02: A has 1500, B 1600; E of A is 0.36; A wins 20, or loses 12."""
    a, b = rating.Standing(1500, 28), rating.Standing(1600, 28)
    expected = rating.expectation(1500, 1600)
    assert abs(expected - Fraction(36, 100)) < Fraction(1, 200)
    assert abs(rating.expectation(1600, 1500) - Fraction(64, 100)) < Fraction(1, 200)
    assert rating.after_match(a, b, MODEL) == (1520, 1580)
    assert rating.after_match(b, a, MODEL) == (1612, 1488)


def test_nobody_wins_more_than_k() -> None:
    """R-RA-02: K is the limit of the equation."""
    assert rating.after_match(rating.Standing(100, 28), rating.Standing(4000, 28), MODEL) == (132, 3968)


def test_the_numbers_of_the_rules_are_the_defaults() -> None:
    """Sections 1 to 4, 7 and 8: four times, three days, seven days, 18:00 to 24:00, 30 and 15 minutes, 3 of 4, 2, 3."""
    ladder = Ladder()
    assert (ladder.slots, ladder.reply_ms, ladder.complete_ms) == (4, 3 * DAY_MS, 7 * DAY_MS)
    assert (ladder.days, ladder.hours.first, ladder.hours.last) == (
        ("mon", "tue", "wed", "thu", "fri"),
        "18:00",
        "24:00",
    )
    assert (ladder.checkin_before_ms, ladder.checkin_after_ms, ladder.late_ms) == (1_800_000, 1_800_000, 900_000)
    assert (ladder.min_registered, ladder.max_unregistered, ladder.roster_changes, ladder.drop_limit) == (3, 1, 2, 3)
    assert (ladder.rating.established_after, ladder.rating.k) == (28, 32)
    assert ladder.rating == Rating()


def test_equal_imps_are_a_failed_challenge() -> None:
    """Sections 4 and 8 (2)."""
    assert outcome.winner_by_imps(30, 30) == "defender"


def test_a_defender_that_says_nothing_has_given_up_and_one_that_offers_times_binds_the_challenger() -> None:
    """Section 2."""
    assert next_state("issued", "reply_deadline_passed") == "forfeit_defender"
    assert next_state("countered", "pick_deadline_passed") == "forfeit_challenger"
    assert next_state("countered", "challenger_cancel") is None


def test_three_of_a_team_of_four_are_its_own() -> None:
    """Section 1, section 8 (5)."""
    assert not lineup.right_opens(4, 3, 3, 1)
    assert lineup.right_opens(4, 2, 3, 1)


def test_a_false_report_costs_all_ranks() -> None:
    """Section 4."""
    assert outcome.to_rank(("A", "B", "C"), "A", 3) == ("B", "C", "A")
