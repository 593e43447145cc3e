"""Boards compared: the datum, the scales, the averages and who has no result.

Proves R-DU-02, R-DU-03, R-DU-04, R-DU-05.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine import duplicate

RESULTS = st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=60)


def test_the_ways_to_trim() -> None:
    """R-DU-02: a quarter by default, a tenth, the same number everywhere, nothing."""
    assert duplicate.trim_each_end(40, Fraction(1, 10)) == 4
    assert duplicate.trim_each_end(9, Fraction(1, 10)) == 0
    assert duplicate.trim_each_end(40, Fraction(0)) == 0
    assert [duplicate.trim_each_end(n, Fraction(1, 4), 1) for n in (1, 2, 3, 4, 40)] == [0, 0, 1, 1, 1]


def test_a_datum_may_be_rounded_to_ten() -> None:
    """R-DU-02: halves away from zero; without it the fraction stays exact."""
    assert duplicate.datum([15, 15], 0, 10) == 20
    assert duplicate.datum([-15, -15], 0, 10) == -20
    assert duplicate.datum([14, 14], 0, 10) == 10
    assert duplicate.datum([1, 2], 0) == Fraction(3, 2)


def test_nothing_left_to_average_is_our_mistake() -> None:
    for results, drop in (([], 0), ([1, 2], 1), ([1], -1)):
        with pytest.raises(ValueError, match="drop"):
            duplicate.datum(results, drop)


def test_a_fractional_difference_is_rounded_before_it_is_looked_up() -> None:
    """R-DU-03."""
    assert duplicate.points(Fraction(25, 2), "sp") == 13
    assert duplicate.points(Fraction(124, 10), "sp") == 12
    assert duplicate.points(Fraction(-25, 2), "sp") == -13
    assert duplicate.points(Fraction(39, 2), "imp") == 1
    assert duplicate.points(Fraction(-39, 2), "raw") == Fraction(-39, 2)


def test_the_bounds_of_the_imp_scale() -> None:
    """R-DU-03."""
    bounds = [0, 10, 20, 40, 50, 270, 310, 320, 490, 500, 3990, 4000, 99_999]
    assert [duplicate.points(bound, "imp") for bound in bounds] == [0, 0, 1, 1, 2, 7, 7, 8, 10, 11, 23, 24, 24]


def test_each_seat_is_a_direction_unless_pairs_are_named() -> None:
    """R-DU-01."""
    assert duplicate.lanes((), 3) == (0, 1, 2)
    assert duplicate.lanes(("NS", "EW", "NS", "EW"), 4) == (0, 1, 0, 1)


def test_averages_are_shown_with_two_decimals() -> None:
    """R-DU-04: and compared in full."""
    averages: list[int | Fraction] = [0, 4, Fraction(-1, 3), Fraction(-1, 1000), Fraction(1, 200), Fraction(49, 16), 12]
    assert [duplicate.shown(average) for average in averages] == [
        "0.00", "4.00", "-0.33", "0.00", "0.01", "3.06", "12.00",
    ]  # fmt: skip


def test_more_boards_then_registration() -> None:
    """R-DU-04: 12 over 3, 16 over 4 and 8 over 2 are all 4; a newcomer has 0."""
    assert duplicate.order([12, 16, 8, 0, 12], [3, 4, 2, 0, 3], [5, 4, 3, 2, 1]) == [1, 4, 0, 2, 3]


def test_those_without_a_result_stand_by_boards() -> None:
    """R-DU-05."""
    assert duplicate.result_order([90, 1, 50, -4], [2, 4, 3, 3], [1, 2, 3, 4], 4) == ([1], [2, 3, 0])


@given(RESULTS, st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 4)]))
def test_a_datum_lies_among_the_results_and_order_is_no_matter(results: list[int], share: Fraction) -> None:
    drop = duplicate.trim_each_end(len(results), share)
    datum = duplicate.datum(results, drop)
    kept = sorted(results)[drop : len(results) - drop]
    assert kept[0] <= datum <= kept[-1]
    assert duplicate.datum(results[::-1], drop) == datum
    assert duplicate.datum([-result for result in results], drop) == -datum


@given(st.fractions(-5000, 5000), st.fractions(-5000, 5000), st.sampled_from(["sp", "imp", "raw"]))
def test_scales_rise_and_are_odd(one: Fraction, other: Fraction, scale: duplicate.Scale) -> None:
    low, high = sorted((one, other))
    assert duplicate.points(low, scale) <= duplicate.points(high, scale)
    assert duplicate.points(-one, scale) == -duplicate.points(one, scale)


@given(st.lists(st.tuples(st.fractions(-500, 500, max_denominator=20), st.integers(0, 60)), min_size=2, max_size=20))
def test_means_on_one_denominator_keep_their_order(players: list[tuple[Fraction, int]]) -> None:
    sums = [total if boards else Fraction(0) for total, boards in players]
    boards = [count for _, count in players]
    scaled = duplicate.means(sums, boards)
    exactly = [duplicate.mean(total, count) for total, count in zip(sums, boards, strict=True)]
    rows = range(len(players))
    assert all((scaled[a] < scaled[b]) == (exactly[a] < exactly[b]) for a in rows for b in rows)
