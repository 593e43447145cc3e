"""R-RA-01 to R-RA-03: the rating of a team beside its rank: Elo, and the ICS formula until it is established.

Powers of ten are taken by the decimal library with a fixed precision, whose results are the same on every machine;
everything after that is exact.

Implements R-RA-01, R-RA-02, R-RA-03.
"""

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, Literal

import attrs

from coordinator.engine.carry import rha
from coordinator.engine.definition import Rating

Status = Literal["provisional", "established"]
_CONTEXT: Final = Context(prec=40)
SCALE: Final = 400
"""A difference of so many points makes the stronger side ten times as likely to win."""


@attrs.frozen
class Standing:
    """A team's rating and how many rated matches made it."""

    value: int
    matches: int


def status(matches_before: int, model: Rating) -> Status:
    """R-RA-01: what a team is in its next match."""
    return "established" if matches_before >= model.established_after else "provisional"


def expectation(own: int, other: int) -> Fraction:
    """R-RA-02: the share of wins expected of a team against another."""
    if own == other:
        return Fraction(1, 2)
    power = _CONTEXT.power(Decimal(10), _CONTEXT.divide(Decimal(other - own), Decimal(SCALE)))
    return Fraction(_CONTEXT.divide(Decimal(1), _CONTEXT.add(Decimal(1), power)))


def elo_change(own: int, other: int, k: Fraction | int, *, won: bool) -> int:
    """R-RA-02: what a match changes, rounded half away from zero."""
    return rha(Fraction(k) * ((1 if won else 0) - expectation(own, other)))


def after_match(winner: Standing, loser: Standing, model: Rating) -> tuple[int, int]:
    """The new ratings of winner and loser, both from what they were before the match."""
    if model.provisional_model == "elo_only" or (_established(winner, model) and _established(loser, model)):
        change = elo_change(winner.value, loser.value, model.k, won=True)
        return winner.value + change, loser.value - change
    return _one(winner, loser, model, won=True), _one(loser, winner, model, won=False)


def _established(standing: Standing, model: Rating) -> bool:
    return status(standing.matches, model) == "established"


def _one(own: Standing, other: Standing, model: Rating, *, won: bool) -> int:
    """R-RA-03: an established team moves less against a provisional one; a provisional one averages them all."""
    if _established(own, model):
        k = Fraction(model.k * other.matches, model.established_after)
        return own.value + elo_change(own.value, other.value, k, won=won)
    sign = 1 if won else -1
    if _established(other, model):
        value: Fraction | int = other.value + model.win_value * sign
    else:
        value = Fraction(own.value + other.value, 2) + model.prov_value * sign
    return rha(Fraction(own.matches * own.value + value) / (own.matches + 1))
