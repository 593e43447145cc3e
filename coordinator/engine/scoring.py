"""What a hand and a round are worth: hand scores, totals, placement points, bye points.

Implements R-SC-01, R-SC-02, R-SC-03, R-CA-01.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from coordinator.engine.numbers import Number, exact

TiedPlaces: TypeAlias = Literal["break", "share"]


def hand_scores(base_score: int, multiples: Sequence[int]) -> list[int]:
    """R-SC-03: each seat's score of a hand, its game multiple times the base score frozen for the hand."""
    return [base_score * multiple for multiple in multiples]


def total(hands: Sequence[Sequence[int]]) -> list[int]:
    """R-SC-01: each seat's total over the hands of a round; may be negative.

    hands: one row of scores for each hand, one score for each seat.
    Raises ValueError without a hand or if rows differ in length.
    """
    if not hands:
        raise ValueError("hands: expected at least one")
    seats = len(hands[0])
    if any(len(hand) != seats for hand in hands):
        raise ValueError(f"hands: expected {seats} scores in each")
    return [sum(seat) for seat in zip(*hands, strict=True)]


def placement_points_default(size: int) -> tuple[int, ...]:
    """R-SC-02: points for places 1..size when none are configured: 2 * (size - place) + 1."""
    return tuple(2 * (size - place) + 1 for place in range(1, size + 1))


def bye_points(points: Sequence[Number]) -> Number:
    """R-CA-01: placement points for sitting out one bout: the mean of the first and the second place's.

    Raises ValueError for fewer than two places.
    """
    if len(points) < 2:
        raise ValueError(f"points: expected at least two places, got {len(points)}")
    return exact(Fraction(points[0] + points[1]) / 2)


def award_points(
    places: Sequence[int], totals: Sequence[Number], points: Sequence[Number], tied: TiedPlaces = "break"
) -> list[Number]:
    """R-SC-02: each seat's placement points.

    places: strict places 1..s of the seats; totals: what they were ranked by; points: for places 1..s.
    tied: `"break"` pays each place its own points; `"share"` pays seats with equal totals the mean of theirs.

    Raises ValueError if lengths differ or `tied` is unknown.
    """
    if not len(places) == len(totals) == len(points):
        raise ValueError(
            f"places, totals, points: expected equal lengths, got {len(places)}, {len(totals)}, {len(points)}"
        )
    own = [points[place - 1] for place in places]
    if tied == "break":
        return own
    if tied != "share":
        raise ValueError(f"tied_places: expected 'break' or 'share', got {tied!r}")
    pots: dict[Number, list[Number]] = {}
    for score, award in zip(totals, own, strict=True):
        pots.setdefault(score, []).append(award)
    return [exact(Fraction(sum(pots[score])) / len(pots[score])) for score in totals]
