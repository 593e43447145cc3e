"""Numbers that sum up many courses."""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean

Steps = Sequence[tuple[int, float]]
"""Times and the number that holds from each on."""

POINTS = 101
"""So many points a curve has."""


def add_step(steps: list[tuple[int, int]], t: int, number: int) -> None:
    """From this time on the number is another one, or the same."""
    if steps and steps[-1][0] == t:
        steps[-1] = (t, number)
    elif not steps or steps[-1][1] != number:
        steps.append((t, number))


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all does not exceed."""
    ordered = sorted(values)
    rank = max(1, -(-len(ordered) * Fraction(share).limit_denominator(1000) // 1))
    return ordered[int(rank) - 1]


def spread(values: Sequence[float], digits: int = 3) -> dict[str, float] | None:
    """Mean, median and both ends; None of nothing."""
    if not values:
        return None
    found = {
        "mean": fmean(values),
        "median": quantile(values, 0.5),
        "p5": quantile(values, 0.05),
        "p95": quantile(values, 0.95),
        "min": min(values),
        "max": max(values),
    }
    return {name: round(value, digits) for name, value in found.items()}


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None of nothing."""
    return None if not whole else round(part / whole, 4)


def kendall_tau(strength: Sequence[float]) -> float | None:
    """Kendall's tau of a ranking against strength, given the strengths from the first place to the last.

    1: exactly the order of strength; 0: as good as none; -1: upside down. Pairs of equal strength say nothing and are
    left out. None where no pair says anything.
    """
    lower: list[float] = []  # strengths of those ranked below, ascending
    agree = against = 0
    for own in reversed(strength):
        above = bisect_right(lower, own)
        first = above
        while first and lower[first - 1] == own:
            first -= 1
        agree += first
        against += len(lower) - above
        lower.insert(above, own)
    told = agree + against
    return None if not told else (agree - against) / told


def curve(courses: Sequence[Steps], end: int) -> dict[str, list[float]]:
    """Many courses of a number over time as one curve: the median and the middle nine tenths at even times."""
    times = [end * number // (POINTS - 1) for number in range(POINTS)]
    columns = [[_at(steps, t) for steps in courses] for t in times]
    return {
        "t_s": [t / 1000 for t in times],
        "median": [quantile(column, 0.5) for column in columns],
        "p5": [quantile(column, 0.05) for column in columns],
        "p95": [quantile(column, 0.95) for column in columns],
    }


def _at(steps: Steps, t: int) -> float:
    before = bisect_right(steps, t, key=lambda step: step[0])
    return steps[before - 1][1] if before else 0
