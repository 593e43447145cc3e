"""Totals add up, placement points pay out whole pots, averages stay exact.

Proves R-SC-01, R-SC-02, R-SC-03, R-CA-01.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.ranking import table_places
from coordinator.engine.scoring import (
    TiedPlaces,
    award_points,
    bye_points,
    hand_scores,
    placement_points_default,
    total,
)


def test_worked_example_of_totals() -> None:
    """R-SC-01, R-RF-01."""
    assert total([[60, -30, -30], [-40, 80, -40]]) == [20, 50, -70]


def test_totals_need_a_hand_and_equal_rows() -> None:
    with pytest.raises(ValueError, match="at least one"):
        total([])
    with pytest.raises(ValueError, match="expected 3 scores in each"):
        total([[1, 2, 3], [1, 2]])


def test_worked_example_of_hand_scores() -> None:
    """R-SC-03: base 100, bid 2, one bomb, the landlord wins."""
    assert hand_scores(100, [8, -4, -4]) == [800, -400, -400]
    assert hand_scores(100, [0, 0, 0]) == [0, 0, 0]


def test_worked_examples_of_placement_points() -> None:
    """R-SC-02: mahjong, dou dizhu and two players."""
    assert placement_points_default(4) == (7, 5, 3, 1)
    assert placement_points_default(3) == (5, 3, 1)
    assert placement_points_default(2) == (3, 1)


def test_worked_examples_of_bye_points() -> None:
    """R-CA-01."""
    assert [bye_points(points) for points in ((7, 5, 3, 1), (5, 3, 1), (3, 1))] == [6, 4, 2]
    assert bye_points((6, 3, 1, 0)) == Fraction(9, 2)
    with pytest.raises(ValueError, match="at least two places"):
        bye_points((1,))


def test_worked_example_of_tied_places() -> None:
    """R-SC-02: totals 30, 30, -10, -50, the first with the better last hand."""
    totals = [30, 30, -10, -50]
    assert award_points([1, 2, 3, 4], totals, (7, 5, 3, 1)) == [7, 5, 3, 1]
    assert award_points([1, 2, 3, 4], totals, (7, 5, 3, 1), "share") == [6, 6, 3, 1]


def test_two_tied_firsts_of_another_scale_share_a_fraction() -> None:
    """R-SC-02: 6/3/1/0 pays two tied firsts 4.5 each."""
    assert award_points([2, 1, 3, 4], [9, 9, 2, 1], (6, 3, 1, 0), "share") == [
        Fraction(9, 2),
        Fraction(9, 2),
        1,
        0,
    ]


def test_shared_points_that_are_whole_are_ints() -> None:
    shared = award_points([1, 2, 3], [5, 5, 5], (5, 3, 1), "share")
    assert [(type(points), points) for points in shared] == [(int, 3)] * 3


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), st.sampled_from(["break", "share"]))
def test_points_pay_out_whole_and_in_order(totals: list[int], tied: TiedPlaces) -> None:
    """R-SC-02."""
    size = len(totals)
    points = placement_points_default(size)
    places = table_places(totals, [0] * size, range(size), ["last_hand", "registration"])
    awards = award_points(places, totals, points, tied)
    assert sum(awards) == sum(points)
    for one in range(size):
        for other in range(size):
            if totals[one] > totals[other]:
                assert awards[one] > awards[other]
            if totals[one] == totals[other] and tied == "share":
                assert awards[one] == awards[other]


def test_points_for_another_number_of_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="equal lengths, got 3, 3, 2"):
        award_points([1, 2, 3], [3, 2, 1], (3, 1))


def test_an_unknown_way_to_split_ties_is_refused() -> None:
    with pytest.raises(ValueError, match="tied_places: expected"):
        award_points([1, 2], [3, 2], (3, 1), "toss")  # type: ignore[arg-type]
