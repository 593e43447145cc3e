"""Carry is exact to the point, also for roots, caps and numbers no float can hold.

Proves R-CA-02, R-CA-03, R-CA-04.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.carry import CarryMode, rha, round_carry, stage_carry

scores_of = st.lists(st.integers(-1000, 10**12), min_size=1, max_size=8)
positive = st.one_of(st.integers(1, 100), st.fractions(Fraction(1, 100), 100, max_denominator=100))
modes = st.sampled_from(["none", "divide", "full", "sqrt", "sqrt_median"])


@pytest.mark.parametrize(
    ("x", "rounded"),
    [
        (Fraction(5, 2), 3),
        (Fraction(-5, 2), -3),
        (Fraction(1, 2), 1),
        (Fraction(-1, 2), -1),
        (Fraction(249, 100), 2),
        (Fraction(-249, 100), -2),
        (0, 0),
        (-7, -7),
    ],
)
def test_halves_go_away_from_zero(x: Fraction | int, rounded: int) -> None:
    assert rha(x) == rounded


@given(st.fractions())
def test_rounding_is_to_the_nearest_and_symmetric(x: Fraction) -> None:
    assert abs(rha(x) - x) <= Fraction(1, 2)
    assert rha(-x) == -rha(x)


def test_worked_example_of_round_carry() -> None:
    """R-CA-02: 102.5 and -15.5."""
    assert [round_carry(score, 50) for score in (205, -31)] == [103, -16]
    assert [round_carry(score, 0) for score in (205, -31)] == [0, 0]
    assert [round_carry(score, 100) for score in (205, -31)] == [205, -31]
    with pytest.raises(ValueError, match="round_carry_pct: expected"):
        round_carry(1, -1)


def test_worked_examples_of_stage_carry() -> None:
    """R-CA-03."""
    scores = [900, 600, 300, -100]
    assert stage_carry(scores, "divide", divisor=10) == [90, 60, 30, 0]
    assert stage_carry(scores, "full") == [900, 600, 300, 0]
    assert stage_carry(scores, "none") == [0, 0, 0, 0]
    assert stage_carry([900, 625, 400, -100], "sqrt") == [30, 25, 20, 0]
    assert stage_carry([10000, 6400, 900, -5], "sqrt", coef=Fraction(1, 10)) == [10, 8, 3, 0]


def test_worked_examples_of_the_cap() -> None:
    """R-CA-04."""
    scores = [900, 600, 300, -100]
    assert stage_carry(scores, "divide", divisor=10, cap=60) == [60, 40, 20, 0]
    assert stage_carry(scores, "divide", divisor=10, cap=100) == [90, 60, 30, 0]
    assert stage_carry([5000, 3000, 1000], "full", cap=2000) == [2000, 1200, 400]


def test_the_order_of_players_is_kept() -> None:
    """R-CA-03: carry goes with the player, whoever stands first in the list."""
    assert stage_carry([-100, 300, 900, 600], "divide", divisor=10, cap=60) == [0, 20, 60, 40]


def test_the_cap_looks_at_values_before_rounding() -> None:
    """R-CA-04: 60.4 is over a cap of 60, so 30.52 becomes 30.32 and not 31."""
    assert stage_carry([6040, 3052], "divide", divisor=100, cap=60) == [60, 30]
    assert stage_carry([6000, 3052], "divide", divisor=100, cap=60) == [60, 31]


def test_rounding_comes_after_the_cap() -> None:
    """R-CA-04: 2.5 and 1.9 are scaled to 2 and 1.52; rounded to 3 and 2 before, they would be 2 and 1.33."""
    assert stage_carry([25, 19], "divide", divisor=10, cap=2) == [2, 2]


def test_a_capped_root_keeps_its_irrational_proportion() -> None:
    """R-CA-04: sqrt(2) : sqrt(1) scaled to 1000 is 1000 : 707.1."""
    assert stage_carry([2, 1], "sqrt", coef=10**6, cap=1000) == [1000, 707]


def test_nothing_to_scale() -> None:
    """R-CA-04: the best carries 0."""
    assert stage_carry([0, -5], "sqrt", cap=10) == [0, 0]
    assert stage_carry([0, -5], "full", cap=10) == [0, 0]
    assert stage_carry([], "sqrt_median", base=100) == []


@given(st.integers(0, 10**18))
def test_roots_next_to_a_half_round_exactly(n: int) -> None:
    """R-CA-03: (n + 1/2)**2 lies between n*n + n and the next int, closer than any float can tell."""
    assert stage_carry([n * n + n, n * n + n + 1], "sqrt") == [n, n + 1]


def test_a_root_that_is_exactly_a_half_goes_up() -> None:
    """R-CA-03: sqrt(25) * 0.5 is 2.5, sqrt(24) * 0.5 is 2.45."""
    assert stage_carry([25, 24], "sqrt", coef=Fraction(1, 2)) == [3, 2]


def test_the_median_player_carries_the_base() -> None:
    """R-CA-03: the median of n players is number n // 2 from the top, counted from 0."""
    assert stage_carry([400, 100, 25], "sqrt_median", base=100) == [200, 100, 50]
    assert stage_carry([1600, 400, 100, 25], "sqrt_median", base=100) == [400, 200, 100, 50]
    assert stage_carry([25, 400, 100], "sqrt_median", base=100, cap=50) == [13, 50, 25]


def test_a_median_below_one_counts_as_one() -> None:
    """R-CA-03."""
    assert stage_carry([4, 0, -9], "sqrt_median", base=100) == [200, 0, 0]


@given(scores_of, modes, positive, st.one_of(st.none(), st.integers(1, 10**6)))
def test_carry_keeps_the_order_and_the_cap(
    scores: list[int], mode: CarryMode, factor: int | Fraction, cap: int | None
) -> None:
    """R-CA-03, R-CA-04."""
    carried = stage_carry(scores, mode, divisor=factor, coef=factor, base=factor, cap=cap)
    assert len(carried) == len(scores)
    assert min(carried) >= 0
    by_score = [value for _, value in sorted(zip(scores, carried, strict=True))]
    assert by_score == sorted(by_score)
    if cap is not None:
        assert max(carried) <= cap
    for score, value in zip(scores, carried, strict=True):
        if score <= 0:
            assert value == 0


@given(scores_of, modes, positive, st.integers(1, 10**4))
def test_carry_is_the_rule_computed_with_sixty_digits(
    scores: list[int], mode: CarryMode, factor: int | Fraction, cap: int
) -> None:
    """R-CA-03, R-CA-04: the rule step by step, value, ratio, division, each to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        parameter = Decimal(factor.numerator) / Decimal(factor.denominator)
        s = [Decimal(max(0, score)) for score in scores]
        median = max(Decimal(1), sorted(s, reverse=True)[len(s) // 2])
        values = {
            "none": [Decimal(0) for _ in s],
            "divide": [x / parameter for x in s],
            "full": s,
            "sqrt": [x.sqrt() * parameter for x in s],
            "sqrt_median": [x.sqrt() * parameter / median.sqrt() for x in s],
        }[mode]
        if max(values) > cap:
            ratio = max(values) / cap
            values = [x / ratio for x in values]
        carried = stage_carry(scores, mode, divisor=factor, coef=factor, base=factor, cap=cap)
        for value, got in zip(values, carried, strict=True):
            assert abs(value - got) <= Decimal("0.5") + Decimal("1e-40")


@pytest.mark.parametrize(
    ("mode", "parameters", "message"),
    [
        ("divide", {"divisor": 0}, "divisor: expected"),
        ("sqrt", {"coef": 0}, "coef: expected"),
        ("sqrt_median", {}, "base: "),
        ("sqrt_median", {"base": 0}, "base: "),
        ("full", {"cap": 0}, "cap: expected"),
        ("cube", {}, "mode: expected"),
    ],
)
def test_carry_with_a_parameter_that_means_nothing_is_refused(
    mode: CarryMode, parameters: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        stage_carry([1, 2, 3], mode, **parameters)
