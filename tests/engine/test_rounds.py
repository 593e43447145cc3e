"""When a round ends, who wins a target round, and when a melee table is dissolved.

Proves R-AS-01, R-RF-01.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.rounds import Outcome, fixed_hands_over, seating_over, side_totals, target_over


def test_fixed_hands() -> None:
    """R-RF-01."""
    assert [fixed_hands_over(played, 2) for played in (0, 1, 2, 3)] == [False, False, True, True]


def test_worked_example_of_a_target_round() -> None:
    """R-RT-01: A = 100, B = 4."""
    before_last = [(40, 0), (40, 70), (70, 70)]
    assert [target_over(totals, hand, 100, 4) for hand, totals in enumerate(before_last, start=1)] == [None] * 3
    assert target_over((70, 105), 4, 100, 4) == Outcome(winner=1, by="target")
    assert target_over((70, 90), 4, 100, 4) == Outcome(winner=1, by="score")
    assert target_over((70, 70), 4, 100, 4) == Outcome(winner=None, by="tie_chain")


def test_the_target_itself_is_enough() -> None:
    """R-RT-01: reached means at least A."""
    assert target_over((99, 0), 1, 100, 4) is None
    assert target_over((100, 0), 1, 100, 4) == Outcome(winner=0, by="target")


def test_the_shortest_round_is_one_hand_to_one_point() -> None:
    """R-RT-01: A > 0 and B >= 1."""
    assert target_over((0, 1), 1, 1, 1) == Outcome(winner=1, by="target")
    assert target_over((0, -1), 1, 1, 1) == Outcome(winner=0, by="score")


def test_both_sides_reach_the_target_in_one_hand() -> None:
    """R-RT-01: the higher score wins, equal scores go to the tie chain."""
    assert target_over((105, 110), 2, 100, 4) == Outcome(winner=1, by="target")
    assert target_over((110, 110), 2, 100, 4) == Outcome(winner=None, by="tie_chain")


@given(st.integers(-50, 200), st.integers(-50, 200), st.integers(1, 6))
def test_the_outcome_does_not_depend_on_which_side_is_first(one: int, other: int, hands: int) -> None:
    """R-RT-01."""
    outcome, mirrored = target_over((one, other), hands, 100, 4), target_over((other, one), hands, 100, 4)
    if outcome is None:
        assert mirrored is None
        assert hands < 4
        assert max(one, other) < 100
    else:
        assert mirrored is not None
        assert mirrored.by == outcome.by
        swapped = {0: 1, 1: 0, None: None}
        assert mirrored.winner == swapped[outcome.winner]
        assert (outcome.winner is None) == (one == other)


@pytest.mark.parametrize(("totals", "target", "max_hands"), [((1, 2, 3), 9, 9), ((1, 2), 0, 9), ((1, 2), 9, 0)])
def test_a_target_round_that_cannot_be_is_refused(totals: tuple[int, ...], target: int, max_hands: int) -> None:
    with pytest.raises(ValueError, match=r"expected|two sides"):
        target_over(totals, 1, target, max_hands)


def test_partners_score_for_their_side() -> None:
    """R-RT-01: two against two, partners opposite each other."""
    assert side_totals([10, 1, 20, 2], [[0, 2], [1, 3]]) == [30, 3]
    assert side_totals([10, -10], [[0], [1]]) == [10, -10]


@pytest.mark.parametrize("sides", [[[0, 1], [1]], [[0]], [[0], [2]]])
def test_every_seat_is_on_one_side(sides: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="each of the 2 seats once"):
        side_totals([1, 2], sides)


def test_worked_example_of_auto_shift() -> None:
    """R-AS-01: three hands without elimination, or at once after one."""
    assert [seating_over(hand, 3, eliminated=False) for hand in (1, 2, 3)] == [False, False, True]
    assert seating_over(2, 3, eliminated=True)


def test_a_plain_melee_reseats_after_every_hand() -> None:
    """R-AS-01."""
    assert seating_over(1, 1, eliminated=False)


def test_without_a_limit_a_seating_lasts_until_an_elimination() -> None:
    """R-AS-01."""
    assert not seating_over(1000, None, eliminated=False)
    assert seating_over(1, None, eliminated=True)
