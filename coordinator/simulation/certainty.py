"""R-RF-01: hands of a fixed-hands round that could no longer change who is cut.

A hand is beyond reach only where that is certain: if no results of it and of the hands after it, each at the most its
kind of hand brings, could move any player of the table across the line. Whatever is in doubt, an equal score for
instance, counts as a hand that matters.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction

import attrs

from coordinator.engine.numbers import Number
from coordinator.simulation.hands import Swing

Range = tuple[Number, Number]
"""The least and the most a player can still end with."""


@attrs.frozen
class TableOfBout:
    """A table of a bout that is over: what its players came with, and what every hand brought them and could have."""

    brought: tuple[int, ...]
    points: tuple[Number, ...]
    hands: tuple[tuple[int, ...], ...]
    swings: tuple[Swing, ...]


@attrs.frozen
class Line:
    """Where a bout cuts.

    by_table: whether ``keep`` of each table stay, or ``keep`` of the whole field.
    middles: how many of the players in between stay, where half of an odd table does: ``keep`` of each table stay for
        certain, and the next of every table are compared with one another (R-KO-04).
    placement: the points by place, where the field is ranked by them.
    alone: whether the places at a table look at its round alone.
    idle: what the players on a bye have.
    """

    by_table: bool
    keep: int
    middles: int | None = None
    placement: tuple[Number, ...] = ()
    alone: bool = False
    idle: tuple[Number, ...] = ()


def beyond_reach(tables: Sequence[TableOfBout], line: Line, hands: int) -> list[int]:
    """How many tables played each of their ``hands`` hands although it could no longer change who is cut."""
    settled = _settled_at_tables if line.by_table else _settled_in_field
    return [sum(settled(tables, line, before)) for before in range(hands)]


def _settled_at_tables(tables: Sequence[TableOfBout], line: Line, before: int) -> list[bool]:
    at_tables = [_apart(table, before, line) for table in tables]
    if line.middles is None:
        return [_all_sure(ranges, line.keep) for ranges in at_tables]
    middles = [_middle(table, before, ranges, line) for table, ranges in zip(tables, at_tables, strict=True)]
    lows, highs = sorted(low for (low, _), _ in middles), sorted(high for (_, high), _ in middles)
    return [known and _sure(middle, lows, highs, line.middles) for middle, known in middles]


def _settled_in_field(tables: Sequence[TableOfBout], line: Line, before: int) -> list[bool]:
    if line.placement:
        ranges = [_points(table, _apart(table, before, line), line.placement) for table in tables]
    else:
        ranges = [_totals(table, before, line) for table in tables]
    lows = sorted([*line.idle, *(low for each in ranges for low, _ in each)])
    highs = sorted([*line.idle, *(high for each in ranges for _, high in each)])
    return [all(_sure(each, lows, highs, line.keep) for each in table) for table in ranges]


def _totals(table: TableOfBout, before: int, line: Line) -> list[Range]:
    """The totals that the players of a table can still end with, ``before`` hands having been played."""
    gain = sum(swing.gain for swing in table.swings[before:])
    loss = sum(swing.loss for swing in table.swings[before:])
    return [(total - loss, total + gain) for total in _so_far(table, before, line)]


def _apart(table: TableOfBout, before: int, line: Line) -> list[Range]:
    """Ranges that overlap exactly where one player of the table can still catch up with another.

    What one wins another loses, so that two players part by less than the most of each.
    """
    half = Fraction(sum(swing.apart for swing in table.swings[before:]), 2)
    return [(total - half, total + half) for total in _so_far(table, before, line)]


def _so_far(table: TableOfBout, before: int, line: Line) -> list[int]:
    starts = (0,) * len(table.brought) if line.alone else table.brought
    return [start + sum(hand[seat] for hand in table.hands[:before]) for seat, start in enumerate(starts)]


def _points(table: TableOfBout, ranges: Sequence[Range], placement: Sequence[Number]) -> list[Range]:
    """R-SC-02: the points they can still end with, by the places they can still take."""
    found: list[Range] = []
    for seat, (low, high) in enumerate(ranges):
        others = [each for number, each in enumerate(ranges) if number != seat]
        best = sum(other[0] > high for other in others)
        worst = len(others) - sum(other[1] < low for other in others)
        found.append((table.points[seat] + placement[worst], table.points[seat] + placement[best]))
    return found


def _middle(table: TableOfBout, before: int, ranges: Sequence[Range], line: Line) -> tuple[Range, bool]:
    """R-KO-04: what the middle of a table can still have, and whether it is known who that is."""
    totals = _totals(table, before, line)
    for seat, (low, high) in enumerate(ranges):
        above = sum(other[0] > high for other in ranges)
        below = sum(other[1] < low for other in ranges)
        if above == line.keep and above + below == len(ranges) - 1:
            if line.placement:
                worth = table.points[seat] + line.placement[line.keep]
                return (worth, worth), True
            return totals[seat], True
    if line.placement:
        worths = [points + line.placement[line.keep] for points in table.points]
        return (min(worths), max(worths)), False
    return (min(low for low, _ in totals), max(high for _, high in totals)), False


def _all_sure(ranges: Sequence[Range], keep: int) -> bool:
    lows, highs = sorted(low for low, _ in ranges), sorted(high for _, high in ranges)
    return all(_sure(each, lows, highs, keep) for each in ranges)


def _sure(own: Range, lows: Sequence[Number], highs: Sequence[Number], keep: int) -> bool:
    """Whether a player surely stays or surely goes; the own range is among all of them."""
    low, high = own
    may_pass = len(highs) - bisect_left(highs, low) - 1
    surely_above = len(lows) - bisect_right(lows, high)
    return may_pass < keep or surely_above >= keep
