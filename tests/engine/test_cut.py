"""Cuts take whole players, never everybody, and half of an odd table is decided over all tables.

Proves R-KO-02, R-KO-03, R-KO-04, R-SW-02.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.cut import (
    CutMode,
    HalfRounding,
    PercentRound,
    advance_count,
    align_to_table,
    cut_count,
    half_even,
    half_odd,
    middle_advances,
    take_k,
)

percentages = st.one_of(st.integers(0, 100), st.fractions(0, 100, max_denominator=1000))


def test_worked_examples_of_a_cut() -> None:
    """R-SW-02."""
    assert cut_count(50, "fixed", 12) == 12
    assert cut_count(50, "percent", 30) == 15
    assert cut_count(50, "keep", 36) == 14
    assert cut_count(25, "percent", 30) == 7


def test_a_percentage_rounds_those_out_or_those_who_stay() -> None:
    """R-SW-02: of 25 players 7.5 would go."""
    assert cut_count(25, "percent", 30, "out_floor") == 7
    assert cut_count(25, "percent", 30, "keep_floor") == 8


def test_a_percentage_is_exact() -> None:
    """R-SW-02: 12.5 % of 8 is 1, and 33 1/3 % of 9 is 3, with nothing lost to a float."""
    assert cut_count(8, "percent", Fraction(25, 2)) == 1
    assert cut_count(9, "percent", Fraction(100, 3)) == 3
    assert cut_count(9, "percent", Fraction(100, 3), "keep_floor") == 3


def test_keeping_more_than_there_are_eliminates_nobody() -> None:
    """R-SW-02."""
    assert cut_count(10, "keep", 12) == 0


@pytest.mark.parametrize(("mode", "value"), [("fixed", 99), ("percent", 100), ("keep", 0)])
def test_one_player_always_stays(mode: CutMode, value: int) -> None:
    """R-SW-02."""
    assert cut_count(10, mode, value) == 9
    assert cut_count(1, mode, value) == 0
    assert cut_count(0, mode, value) == 0


@given(st.integers(0, 10**6), percentages)
def test_a_percentage_is_off_by_less_than_one_player(players: int, value: int | Fraction) -> None:
    """R-SW-02."""
    share = players * Fraction(value) / 100
    out = cut_count(players, "percent", value)
    kept_down = cut_count(players, "percent", value, "keep_floor")
    most = max(0, players - 1)
    assert out == min(most, out)
    assert out <= share < out + 1 or out == most
    assert kept_down - 1 < share <= kept_down or kept_down == most


@pytest.mark.parametrize(
    ("mode", "value", "message"),
    [
        ("fixed", -1, "at least 0"),
        ("fixed", Fraction(1, 2), "whole number"),
        ("keep", Fraction(1, 2), "whole number"),
        ("percent", 101, "up to 100"),
        ("best", 3, "mode: expected"),
    ],
)
def test_a_cut_that_means_nothing_is_refused(mode: CutMode, value: int | Fraction, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cut_count(10, mode, value)


def test_an_unknown_rounding_is_refused() -> None:
    rounding: PercentRound = "nearest"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="percent_round: expected"):
        cut_count(10, "percent", 5, rounding)


def test_take_one_two_or_three() -> None:
    """R-KO-02."""
    places = [3, 1, 4, 2]
    assert [take_k(places, k) for k in (1, 2, 3)] == [[1], [1, 3], [1, 3, 0]]


@pytest.mark.parametrize("k", [0, 4, 5])
def test_some_must_advance_and_some_must_not(k: int) -> None:
    """R-KO-02."""
    with pytest.raises(ValueError, match="take: expected 1 to 3"):
        take_k([1, 2, 3, 4], k)
    with pytest.raises(ValueError, match="take: expected 1 to 3"):
        advance_count(4, 5, k)


def test_half_of_an_even_table() -> None:
    """R-KO-03: also the winner of two."""
    assert half_even([3, 1, 4, 2]) == [1, 3]
    assert half_even([2, 1]) == [1]
    with pytest.raises(ValueError, match="even table"):
        half_even([1, 2, 3])


def test_half_of_an_odd_table() -> None:
    """R-KO-04: the middle place is (N + 1) / 2."""
    assert half_odd([2, 3, 1]) == ([2], 0)
    assert half_odd([5, 4, 3, 2, 1]) == ([4, 3], 2)
    with pytest.raises(ValueError, match="odd table"):
        half_odd([1, 2])
    with pytest.raises(ValueError, match="odd table"):
        half_odd([1])


def test_worked_examples_of_half_with_odd_tables() -> None:
    """R-KO-04: six, five and one table of three."""
    assert [advance_count(3, tables, "half") for tables in (6, 5, 1)] == [9, 7, 1]
    assert [advance_count(3, tables, "half", "ceil") for tables in (6, 5, 1)] == [9, 8, 2]


def test_worked_example_of_the_middles() -> None:
    """R-KO-04: 55, 40 and the first 25 of six."""
    assert middle_advances(["55", "40", "first 25", "second 25", "10", "-5"]) == ["55", "40", "first 25"]


def test_an_unknown_half_rounding_is_refused() -> None:
    rounding: HalfRounding = "even"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="half_rounding: expected"):
        middle_advances([1, 2, 3], rounding)


@given(st.integers(2, 9), st.integers(1, 30), st.sampled_from(["floor", "ceil"]))
def test_the_count_is_what_the_tables_send_on(size: int, tables: int, rounding: HalfRounding) -> None:
    """R-KO-03, R-KO-04."""
    places = range(1, size + 1)
    if size % 2 == 0:
        advancing = tables * len(half_even(places))
    else:
        above, _ = half_odd(places)
        advancing = tables * len(above) + len(middle_advances(range(tables), rounding))
    assert advance_count(size, tables, "half", rounding) == advancing


def test_worked_examples_of_fields() -> None:
    """R-KO-01, R-KO-02, R-KO-03: 27 take 1 of 3, 12 take 2 of 4, half of 16."""
    assert [advance_count(3, tables, 1) for tables in (9, 3, 1)] == [9, 3, 1]
    assert advance_count(4, 3, 2) == 6
    assert advance_count(4, 4, "half") == 8


def test_a_count_can_be_trimmed_to_full_tables() -> None:
    """R-KO-04."""
    assert [align_to_table(n, 3) for n in (1, 2, 3, 4, 9, 11)] == [1, 2, 3, 3, 9, 9]
