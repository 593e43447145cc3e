"""The base rises in closed form; the elimination line is exact.

Proves R-ME-02, R-ME-03.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.growth import (
    Compare,
    GrowthKind,
    base_at,
    elim_line,
    is_out,
    next_tick_ms,
    tick_at,
)


def test_worked_example_of_arithmetic_growth() -> None:
    """R-ME-03: base 100, add 50, add_step 10."""
    bases = [base_at("arith", 100, k, add=50, add_step=10) for k in range(7)]
    assert bases == [100, 150, 210, 280, 360, 450, 550]


def test_worked_example_of_geometric_growth() -> None:
    """R-ME-03: base 100, ratio 1.1, rounded down once and not at every tick."""
    bases = [base_at("geometric", 100, k, ratio=Fraction(11, 10)) for k in range(7)]
    assert bases == [100, 110, 121, 133, 146, 161, 177]


def test_growth_by_table_stays_at_the_last_value() -> None:
    """R-ME-03."""
    assert [base_at("table", 100, k, values=[100, 200, 500]) for k in range(5)] == [100, 200, 500, 500, 500]


def test_arithmetic_growth_adds_nothing_unasked() -> None:
    """R-ME-03."""
    assert base_at("arith", 100, 3) == 100
    assert base_at("arith", 100, 3, add=50) == 250


def test_no_growth() -> None:
    """R-ME-03."""
    assert [base_at("none", 100, k) for k in (0, 1, 99)] == [100, 100, 100]


@pytest.mark.parametrize("kind", ["none", "arith", "geometric", "table"])
def test_a_cap_holds_for_every_kind(kind: GrowthKind) -> None:
    """R-ME-03."""
    base = base_at(kind, 400, 9, add=50, ratio=2, values=[400], max_base=300)
    assert base == 300


@given(st.integers(1, 1000), st.integers(0, 100), st.integers(0, 20), st.integers(0, 60))
def test_closed_form_of_arithmetic_growth(base0: int, add: int, add_step: int, ticks: int) -> None:
    """R-ME-03: the same as adding tick by tick."""
    base = base0
    for k in range(ticks):
        base += add + k * add_step
    assert base_at("arith", base0, ticks, add=add, add_step=add_step) == base


@given(st.integers(1, 1000), st.fractions(1, 3, max_denominator=20), st.integers(0, 60))
def test_geometric_growth_is_the_floor_of_the_exact_value(base0: int, ratio: Fraction, tick: int) -> None:
    """R-ME-03."""
    base = base_at("geometric", base0, tick, ratio=ratio)
    assert base <= base0 * ratio**tick < base + 1


@pytest.mark.parametrize(
    ("kind", "tick", "message"),
    [
        ("arith", -1, "tick: expected"),
        ("geometric", 1, "ratio: "),
        ("table", 1, "values: "),
        ("cubic", 1, "kind: expected"),
    ],
)
def test_growth_without_its_parameter_is_refused(kind: GrowthKind, tick: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        base_at(kind, 100, tick)


def test_a_tick_falls_due_at_its_time() -> None:
    """R-ME-03: every 120 s."""
    assert [tick_at(ms, 120_000) for ms in (0, 119_900, 119_999, 120_000, 360_000)] == [0, 0, 0, 1, 3]
    assert [next_tick_ms(ms, 120_000) for ms in (0, 119_999, 120_000)] == [120_000, 120_000, 240_000]


@given(st.integers(0, 10**9), st.integers(1, 10**6))
def test_the_next_tick_is_the_first_moment_with_a_higher_number(elapsed: int, every: int) -> None:
    """R-ME-03."""
    due = next_tick_ms(elapsed, every)
    assert due > elapsed
    assert tick_at(due, every) == tick_at(elapsed, every) + 1
    assert tick_at(due - 1, every) == tick_at(elapsed, every)


@pytest.mark.parametrize(("elapsed", "every"), [(-1, 1000), (0, 0)])
def test_time_before_the_start_or_without_a_period_is_refused(elapsed: int, every: int) -> None:
    with pytest.raises(ValueError, match="elapsed_ms, every_ms: expected"):
        tick_at(elapsed, every)


def test_worked_examples_of_the_line() -> None:
    """R-ME-02: a quarter of 100, of 150, and the line at zero."""
    quarter = Fraction(1, 4)
    assert elim_line(100, quarter) == 25
    assert elim_line(150, quarter) == Fraction(75, 2)
    assert [is_out(score, elim_line(100, quarter)) for score in (30, 25, 24)] == [False, False, True]
    assert [is_out(score, elim_line(150, quarter)) for score in (38, 37)] == [False, True]
    assert [is_out(score, elim_line(150, absolute=0)) for score in (0, -1)] == [False, True]


def test_a_whole_line_is_an_int() -> None:
    assert type(elim_line(100, Fraction(1, 4))) is int


def test_the_line_itself_can_be_out() -> None:
    """R-ME-02."""
    assert [is_out(score, 25, "le") for score in (26, 25, 24)] == [False, True, True]


def test_exactly_one_kind_of_line() -> None:
    """R-ME-02."""
    with pytest.raises(ValueError, match="exactly one"):
        elim_line(100)
    with pytest.raises(ValueError, match="exactly one"):
        elim_line(100, Fraction(1, 4), 0)


def test_an_unknown_comparison_is_refused() -> None:
    compare: Compare = "eq"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="compare: expected"):
        is_out(1, 1, compare)
