"""Carry-over: how much of a score goes into the next round or the next stage, to the exact point.

Nothing here touches a float. With s = max(0, score), every stage mode is either `s * scale` or `sqrt(s *
scale)` for one rational scale, and so is its capped form: dividing by best / cap replaces the scale by cap /
s_best or, under the root, by cap**2 / s_best. The coefficient cancels. A root is rounded without being
computed: n - 1/2 <= sqrt(x) means (2n - 1)**2 <= 4x, and as the left side is whole, the largest such n is
(isqrt(floor(4x)) + 1) // 2.

Implements R-CA-02, R-CA-03, R-CA-04.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Literal, TypeAlias

from coordinator.engine.numbers import Number

CarryMode: TypeAlias = Literal["none", "divide", "full", "sqrt", "sqrt_median"]


def rha(x: Number) -> int:
    """Round to the nearest int, halves away from zero."""
    nearest = (2 * abs(x.numerator) + x.denominator) // (2 * x.denominator)
    return nearest if x >= 0 else -nearest


def round_carry(score: Number, pct: Number) -> int:
    """R-CA-02: the score taken into the next round: `pct` percent of it, rounded, its sign kept.

    Raises ValueError for a negative percentage.
    """
    if pct < 0:
        raise ValueError(f"round_carry_pct: expected at least 0, got {pct}")
    return rha(Fraction(score) * pct / 100)


def stage_carry(
    scores: Sequence[Number],
    mode: CarryMode,
    *,
    divisor: Number = 1,
    coef: Number = 1,
    cap: int | None = None,
    base: Number | None = None,
) -> list[int]:
    """R-CA-03, R-CA-04: what each score is worth in the next stage, in the order given; never negative.

    mode: `"none"` 0; `"divide"` s / divisor; `"full"` s; `"sqrt"` sqrt(s) * coef; `"sqrt_median"` sqrt(s)
    scaled so that the median player (position n // 2 from the top, its score taken as 1 at least) carries
    `base`.
    cap: the most anybody may carry. If the best would carry more, all are scaled down in proportion. Values
    are rounded once, after the cap, halves away from zero.

    Raises ValueError for an unknown mode or a parameter that is missing or not positive.
    """
    if cap is not None and cap <= 0:
        raise ValueError(f"cap: expected above 0, got {cap}")
    if not scores:
        return []
    positive = [max(0, score) for score in scores]
    if mode in ("none", "divide", "full"):
        return _linear(positive, _linear_scale(mode, divisor), cap)
    return _root(positive, _root_scale(mode, positive, coef, base), cap)


def _linear_scale(mode: CarryMode, divisor: Number) -> Fraction:
    if mode == "none":
        return Fraction(0)
    if mode == "full":
        return Fraction(1)
    if divisor <= 0:
        raise ValueError(f"divisor: expected above 0, got {divisor}")
    return 1 / Fraction(divisor)


def _root_scale(mode: CarryMode, positive: Sequence[Number], coef: Number, base: Number | None) -> Fraction:
    if mode == "sqrt":
        if coef <= 0:
            raise ValueError(f"coef: expected above 0, got {coef}")
        return Fraction(coef) ** 2
    if mode == "sqrt_median":
        if base is None or base <= 0:
            raise ValueError(f"base: sqrt_median needs one above 0, got {base}")
        median = sorted(positive, reverse=True)[len(positive) // 2]
        return Fraction(base) ** 2 / max(1, median)
    raise ValueError(f"mode: expected none, divide, full, sqrt or sqrt_median, got {mode!r}")


def _linear(positive: Sequence[Number], scale: Fraction, cap: int | None) -> list[int]:
    best = max(positive)
    if cap is not None and best * scale > cap:
        scale = Fraction(cap) / best
    up, down = scale.as_integer_ratio()
    # Scores are not negative here, so rounding half away from zero is rounding half up.
    return [int((2 * score * up + down) // (2 * down)) for score in positive]


def _root(positive: Sequence[Number], scale: Fraction, cap: int | None) -> list[int]:
    best = max(positive)
    if cap is not None and best * scale > cap**2:
        scale = Fraction(cap**2) / best
    up, down = scale.as_integer_ratio()
    return [(isqrt(4 * score * up // down) + 1) // 2 for score in positive]
