"""Rising base score and the elimination line that follows it.

The base is a function of the tick number, never of the previous base, so that a restart cannot drift. Times
are whole milliseconds since the start of the stage; an organiser's pause has to be taken out before.

Implements R-ME-02, R-ME-03.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from coordinator.engine.numbers import Number, exact

GrowthKind: TypeAlias = Literal["none", "arith", "geometric", "table"]
Compare: TypeAlias = Literal["lt", "le"]


def base_at(
    kind: GrowthKind,
    base0: int,
    tick: int,
    *,
    add: int = 0,
    add_step: int = 0,
    ratio: Number | None = None,
    values: Sequence[int] = (),
    max_base: int | None = None,
) -> int:
    """R-ME-03: the base score at tick number `tick`, counted from 0.

    `"arith"` adds `add` at the first tick and `add_step` more at every further one; `"geometric"` multiplies
    by `ratio` and rounds down once; `"table"` reads `values` and stays at the last. `max_base` caps all
    kinds.

    Raises ValueError for a negative tick, an unknown kind, or a kind without its parameter.
    """
    if tick < 0:
        raise ValueError(f"tick: expected at least 0, got {tick}")
    if kind == "none":
        base = base0
    elif kind == "arith":
        base = base0 + tick * add + add_step * (tick * (tick - 1) // 2)
    elif kind == "geometric":
        if ratio is None:
            raise ValueError("ratio: geometric growth needs one")
        base = base0 * ratio.numerator**tick // ratio.denominator**tick
    elif kind == "table":
        if not values:
            raise ValueError("values: growth by table needs at least one")
        base = values[min(tick, len(values) - 1)]
    else:
        raise ValueError(f"kind: expected 'none', 'arith', 'geometric' or 'table', got {kind!r}")
    return base if max_base is None else min(base, max_base)


def tick_at(elapsed_ms: int, every_ms: int) -> int:
    """R-ME-03: the number of the latest tick; the tick falls due exactly at its time.

    Raises ValueError for a negative time or a period below 1 ms.
    """
    if elapsed_ms < 0 or every_ms < 1:
        raise ValueError(f"elapsed_ms, every_ms: expected at least 0 and 1, got {elapsed_ms}, {every_ms}")
    return elapsed_ms // every_ms


def next_tick_ms(elapsed_ms: int, every_ms: int) -> int:
    """R-ME-03: when the next tick falls due, in milliseconds since the start of the stage."""
    return (tick_at(elapsed_ms, every_ms) + 1) * every_ms


def elim_line(base: int, ratio_of_base: Number | None = None, absolute: int | None = None) -> Number:
    """R-ME-02: the exact elimination score under the base a hand was played at.

    Raises ValueError unless exactly one of `ratio_of_base` and `absolute` is given.
    """
    if ratio_of_base is not None and absolute is None:
        return exact(base * Fraction(ratio_of_base))
    if absolute is not None and ratio_of_base is None:
        return absolute
    raise ValueError("elimination: expected exactly one of ratio_of_base and absolute")


def is_out(score: int, line: Number, compare: Compare = "lt") -> bool:
    """R-ME-02: whether a score is eliminated: below the line, with `"le"` also exactly on it.

    Raises ValueError for an unknown comparison.
    """
    if compare == "lt":
        return score < line
    if compare == "le":
        return score <= line
    raise ValueError(f"compare: expected 'lt' or 'le', got {compare!r}")
