"""Strict orders: over a field, at a table, among the eliminated; and the tie chains that make them strict.

Implements R-KO-05, R-TB-01, R-TB-02, R-TB-03.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coordinator.engine.numbers import Number

Batched: TypeAlias = tuple[str, int, int, int]
"""A player out at one hand end: id, score after the hand, score before it, registration number."""

REGULAR_CHAIN = ("last_hand", "registration")
REGISTRATION_CHAIN = ("registration",)
EVENT_CLASSES = ("regular", "championship", "swiss")
REGISTRATION_FORMATS = ("swiss_shift", "continuous_swiss")

# Below this many rows, turning the columns into arrays costs more than it saves.
_ARRAY_ROWS = 4096
_KEY_SPAN = 2**63


def order(columns: Sequence[Sequence[Number]], reg_seq: Sequence[int]) -> list[int]:
    """Return the row numbers from first to last: each column high to low, then registration low to high.

    columns: what decides, the most important first; one value for each row. An `array("q")` is read fastest.
    reg_seq: registration numbers, unique, so that the order is always strict.

    Raises ValueError if lengths differ or two rows cannot be told apart.
    """
    rows = len(reg_seq)
    for column in columns:
        if len(column) != rows:
            raise ValueError(f"columns: expected {rows} values in each, got {len(column)}")
    if rows >= _ARRAY_ROWS:
        arrays = _as_arrays([*columns, reg_seq])
        if arrays is not None:
            return _order_arrays(arrays[:-1], arrays[-1])
    return _order_rows(columns, reg_seq)


def tie_columns(chain: Sequence[str], last_hand: Sequence[int]) -> list[Sequence[int]]:
    """R-TB-01, R-TB-02: the columns a tie chain adds after the score, for `order`.

    chain: `"last_hand"` and `"registration"`. The latter adds no column, because `order` always ends with it.
    last_hand: each player's score in its last hand of the round; 0 for a player on a bye.

    Raises ValueError for an unknown element or one that stands after `"registration"`.
    """
    columns: list[Sequence[int]] = []
    for position, element in enumerate(chain):
        if element == "last_hand":
            columns.append(last_hand)
        elif element != "registration":
            raise ValueError(f"tie_chain: expected 'last_hand' or 'registration', got {element!r}")
        elif position != len(chain) - 1:
            raise ValueError("tie_chain: 'registration' separates everybody, nothing can follow it")
    return columns


def chain_for(event_class: str, format: str) -> tuple[str, ...]:
    """R-TB-03: the tie chain of a stage that names none.

    Swiss shift, continuous Swiss and every match of class `"swiss"` go by registration alone; all others
    compare the last hand first. Raises ValueError for an unknown event class.
    """
    if event_class not in EVENT_CLASSES:
        raise ValueError(f"event_class: expected one of {', '.join(EVENT_CLASSES)}, got {event_class!r}")
    if event_class == "swiss" or format in REGISTRATION_FORMATS:
        return REGISTRATION_CHAIN
    return REGULAR_CHAIN


def batch_places(left_before: int, batch: Sequence[Batched]) -> dict[str, int]:
    """R-ME-05: final places of players a melee eliminates at one hand end, the best place first.

    left_before: players still in just before the batch, the batch included.
    Order: score after the hand, then score before it (whoever had more stands higher), then registration.

    Raises ValueError if the batch is larger than `left_before`.
    """
    if len(batch) > left_before:
        raise ValueError(f"batch: {len(batch)} players out of {left_before} left")
    left = left_before - len(batch)
    after = [score for _, score, _, _ in batch]
    before = [score for _, _, score, _ in batch]
    ranked = order([after, before], [reg for _, _, _, reg in batch])
    return {batch[row][0]: left + position for position, row in enumerate(ranked, start=1)}


def places_of_eliminated(
    survivors: int,
    players: Sequence[str],
    places_at_table: Sequence[int],
    columns: Sequence[Sequence[Number]],
    reg_seq: Sequence[int],
) -> dict[str, int]:
    """R-KO-05: final places of those a knockout bout eliminates, below all survivors, the best place first.

    survivors: players still in, those on a bye included.
    columns: the scored quantity, then the columns of the tie chain.
    All sequences describe the players in the same order. Raises ValueError as `order` does.
    """
    if len(players) != len(reg_seq):
        raise ValueError(f"players: expected {len(reg_seq)}, got {len(players)}")
    better_first = [-place for place in places_at_table]
    ranked = order([better_first, *columns], reg_seq)
    return {players[row]: survivors + position for position, row in enumerate(ranked, start=1)}


def table_places(
    totals: Sequence[Number], last_hand: Sequence[int], reg_seq: Sequence[int], chain: Sequence[str]
) -> list[int]:
    """R-RF-01: the strict place 1..s of each seat at one table, by total and then the tie chain."""
    places = [0] * len(totals)
    for place, seat in enumerate(order([totals, *tie_columns(chain, last_hand)], reg_seq), start=1):
        places[seat] = place
    return places


def side_places(
    sides: Sequence[Sequence[int]],
    totals: Sequence[int],
    last_hand: Sequence[int],
    reg_seq: Sequence[int],
    chain: Sequence[str],
) -> list[int]:
    """R-RT-01: the strict place 1..s of each seat where sides play against each other: the whole winning side first.

    Sides rank by their totals and then the tie chain, which looks at what the partners won together in the last hand
    and at the earliest of their registrations. Partners rank among themselves by the same words.
    """
    won = [sum(totals[seat] for seat in side) for side in sides]
    won_last = [sum(last_hand[seat] for seat in side) for side in sides]
    earliest = [min(reg_seq[seat] for seat in side) for side in sides]
    places = [0] * len(totals)
    above = 0
    for number in order([won, *tie_columns(chain, won_last)], earliest):
        side = sides[number]
        own_last = [last_hand[seat] for seat in side]
        own = table_places([totals[seat] for seat in side], own_last, [reg_seq[seat] for seat in side], chain)
        for seat, place in zip(side, own, strict=True):
            places[seat] = above + place
        above += len(side)
    return places


def _order_rows(columns: Sequence[Sequence[Number]], reg_seq: Sequence[int]) -> list[int]:
    falling = [[-value for value in column] for column in columns]
    keys = list(zip(*falling, reg_seq, strict=True))
    ranked = sorted(range(len(keys)), key=keys.__getitem__)
    if any(keys[one] == keys[other] for one, other in pairwise(ranked)):
        raise _not_strict()
    return ranked


def _as_arrays(columns: Sequence[Sequence[Number]]) -> list[NDArray[np.int64]] | None:
    """Return the columns as int64 arrays, or None if any holds something else."""
    arrays = []
    for column in columns:
        # Never force the type: numpy would cut a Fraction down to an int without a word.
        array = np.asarray(column)
        if array.dtype != np.int64:
            return None
        arrays.append(array)
    return arrays


def _order_arrays(columns: Sequence[NDArray[np.int64]], reg_seq: NDArray[np.int64]) -> list[int]:
    # The complement turns high to low into low to high and, unlike a minus sign, fits for every int64.
    rising = [*(~column for column in columns), reg_seq]
    lows = [int(key.min()) for key in rising]
    spans = [int(key.max()) - low + 1 for key, low in zip(rising, lows, strict=True)]
    if prod(spans) < _KEY_SPAN:
        folded = np.zeros(len(reg_seq), dtype=np.int64)
        for key, low, span in zip(rising, lows, spans, strict=True):
            folded *= span
            folded += key - low
        rising = [folded]
        ranked = np.argsort(folded)
    else:
        ranked = np.lexsort(rising[::-1])
    same = np.ones(len(reg_seq) - 1, dtype=np.bool_)
    for key in rising:
        in_order = key[ranked]
        same &= in_order[1:] == in_order[:-1]
    if same.any():
        raise _not_strict()
    result: list[int] = ranked.tolist()
    return result


def _not_strict() -> ValueError:
    return ValueError("reg_seq: two players share a registration number and cannot be ranked")
