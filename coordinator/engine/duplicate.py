"""Duplicate comparison: what a board is worth when many tables have played the same cards, and who is best on average.

The luck of the deal cancels because a result is compared with the results of the same direction on the same board and
with nothing else (R-DU-01). Every datum and every average is an exact fraction; nothing is rounded but the difference
that is looked up in a scale and the two decimals that people are shown.

Implements R-DU-02, R-DU-03, R-DU-04, R-DU-05.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import floor, lcm
from typing import Literal, TypeAlias

from coordinator.engine import ranking
from coordinator.engine.carry import rha
from coordinator.engine.definition import IMP_SCALE
from coordinator.engine.numbers import Number, exact

Scale: TypeAlias = Literal["sp", "imp", "raw"]

STANDARD_POINTS = (13, 17, 22, 27, 33, 41, 50, 66, 85, 105, 145, 200)
"""R-DU-03: the least differences worth 13, 14, … 24 standard points; below the first, the difference itself counts."""

IMPS = IMP_SCALE
"""The least differences worth 1, 2, … 24 international match points."""


def trim_each_end(results: int, trim_fraction: Fraction, trim_fixed: int | None = None) -> int:
    """R-DU-02: how many of so many results are left out at each end.

    trim_fraction: the share, rounded down. trim_fixed: the same number on every board instead, as far as it leaves
    a result to average.
    """
    if trim_fixed is None:
        return floor(results * trim_fraction)
    return min(trim_fixed, max(0, (results - 1) // 2))


def datum(results: Sequence[int], drop: int, round_to: int = 0) -> Number:
    """R-DU-02: the mean of the results without the `drop` highest and the `drop` lowest.

    round_to: 10 rounds the datum to the nearest ten, halves away from zero; 0 leaves it exact.
    Raises ValueError if nothing is left to average.
    """
    kept = sorted(results)[drop : len(results) - drop]
    if not kept or drop < 0:
        raise ValueError(f"drop: expected to leave a result, got {drop} of {len(results)} at each end")
    mean = Fraction(sum(kept), len(kept))
    return exact(mean) if round_to == 0 else round_to * rha(mean / round_to)


def points(difference: Number, scale: Scale) -> Number:
    """R-DU-03: what a difference from the datum is worth; its sign is the sign of the points.

    A fractional difference is rounded to a whole number, halves away from zero, before it is looked up. Under
    ``"raw"`` the difference itself counts, exactly.
    """
    if scale == "raw":
        return exact(difference)
    whole = rha(difference)
    size = abs(whole)
    if scale == "imp":
        worth = bisect_right(IMPS, size)
    else:
        worth = size if size < STANDARD_POINTS[0] else STANDARD_POINTS[0] - 1 + bisect_right(STANDARD_POINTS, size)
    return worth if whole > 0 else -worth


def lanes(directions: Sequence[str], seats: int) -> tuple[int, ...]:
    """R-DU-01: the direction of each seat by number, counted from 0 in the order the seats name them.

    Without names every seat is a direction of its own.
    """
    if not directions:
        return tuple(range(seats))
    order = list(dict.fromkeys(directions))
    return tuple(order.index(name) for name in directions)


def means(sums: Sequence[Number], boards: Sequence[int]) -> list[int]:
    """R-DU-04: numbers that stand in the same order as the means, for `ranking.order`: all means on one denominator.

    sums: each player's points. boards: over how many boards; a player without any has the mean 0.
    """
    common = 1
    for over in dict.fromkeys(
        count * (value.denominator if isinstance(value, Fraction) else 1)
        for value, count in zip(sums, boards, strict=True)
    ):
        common = lcm(common, over or 1)
    factors = {count: common // count for count in dict.fromkeys(boards) if count}
    return [
        int(value * factors[count]) if count else 0  # whole: the denominator is a factor of the common one
        for value, count in zip(sums, boards, strict=True)
    ]


def mean(total: Number, boards: int) -> Number:
    """R-DU-04: the average over all boards played; 0 before the first."""
    return exact(Fraction(total, boards)) if boards else 0


def shown(average: Number) -> str:
    """R-DU-04: an average as people see it, with two decimals. Two players shown alike may still differ."""
    hundredths = rha(Fraction(average) * 100)
    sign = "-" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def order(sums: Sequence[Number], boards: Sequence[int], reg_seq: Sequence[int]) -> list[int]:
    """R-DU-04: row numbers by mean, then more boards, then registration."""
    return ranking.order([means(sums, boards), boards], reg_seq)


def result_order(
    sums: Sequence[Number], boards: Sequence[int], reg_seq: Sequence[int], required_boards: int
) -> tuple[list[int], list[int]]:
    """R-DU-05: the ranked row numbers, and those without a result because they played too few boards.

    These stand below all ranked ones, by boards and then by registration.
    """
    enough = [row for row, count in enumerate(boards) if count >= required_boards]
    short = [row for row, count in enumerate(boards) if count < required_boards]
    ranked = order([sums[row] for row in enough], [boards[row] for row in enough], [reg_seq[row] for row in enough])
    listed = ranking.order([[boards[row] for row in short]], [reg_seq[row] for row in short])
    return [enough[row] for row in ranked], [short[row] for row in listed]


def seating_order(sums: Sequence[Number], boards: Sequence[int], reg_seq: Sequence[int]) -> list[int]:
    """R-CS-01: row numbers by the grouping key: the current mean, newcomers at 0, then registration."""
    return ranking.order([means(sums, boards)], reg_seq)
