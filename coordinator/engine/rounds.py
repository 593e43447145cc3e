"""When a round or a seating is over and, for a target round, who has won it.

Implements R-AS-01, R-RT-01, R-RF-01.
"""

from collections.abc import Sequence
from typing import Literal

import attrs


@attrs.frozen(slots=True)
class Outcome:
    """How a target round ended.

    winner: index of the winning side; None when the sides are equal and the tie chain decides.
    by: what decided: the target, the higher score after the last hand, or nothing yet (`"tie_chain"`).
    """

    winner: int | None
    by: Literal["target", "score", "tie_chain"]


def fixed_hands_over(hands_played: int, hands: int) -> bool:
    """R-RF-01: a fixed-hands round is over after exactly `hands` hands."""
    return hands_played >= hands


def target_over(totals: Sequence[int], hands_played: int, target: int, max_hands: int) -> Outcome | None:
    """R-RT-01: the outcome of a target round after a hand, or None if it goes on.

    totals: the match scores of the two sides. A side that has reached `target` wins; if both have, the higher
    does. After `max_hands` hands the higher score wins. Equal scores leave it to the tie chain.

    Raises ValueError unless there are exactly two sides, `target` > 0 and `max_hands` >= 1.
    """
    if len(totals) != 2:
        raise ValueError(f"totals: a target round has two sides, got {len(totals)}")
    if target <= 0 or max_hands < 1:
        raise ValueError(f"target, max_hands: expected above 0 and at least 1, got {target}, {max_hands}")
    reached = max(totals) >= target
    if not reached and hands_played < max_hands:
        return None
    first, second = totals
    if first == second:
        return Outcome(winner=None, by="tie_chain")
    return Outcome(winner=0 if first > second else 1, by="target" if reached else "score")


def sides_of(names: Sequence[str], seats: int) -> list[list[int]]:
    """R-RT-01: the seats of each side, sides in the order of their first seats.

    names: the side of each seat; without names each seat is a side. Raises ValueError unless every seat has a name.
    """
    if not names:
        return [[seat] for seat in range(seats)]
    if len(names) != seats:
        raise ValueError(f"sides: expected a name for each of the {seats} seats, got {len(names)}")
    sides: dict[str, list[int]] = {}
    for seat, name in enumerate(names):
        sides.setdefault(name, []).append(seat)
    return list(sides.values())


def side_totals(totals: Sequence[int], sides: Sequence[Sequence[int]]) -> list[int]:
    """R-RT-01: the match score of each side, the sum over its seats.

    sides: the seat indices of each side. Raises ValueError unless every seat is on exactly one side.
    """
    seats = sorted(seat for side in sides for seat in side)
    if seats != list(range(len(totals))):
        raise ValueError(f"sides: expected each of the {len(totals)} seats once, got {seats}")
    return [sum(totals[seat] for seat in side) for side in sides]


def seating_over(hands_played: int, hands_per_seating: int | None, eliminated: bool) -> bool:
    """R-AS-01: whether a melee table is dissolved after a hand.

    It is as soon as somebody is out, and after `hands_per_seating` hands at the latest (None: no such limit).
    """
    return eliminated or (hands_per_seating is not None and hands_played >= hands_per_seating)
