"""Exact chances that a target round has reached its target, and whether the recommendations for it hold.

Chances are counted in whole numbers: all courses of k hands are equally likely, (2n)^k of them where a hand is worth
one of n scores to one of two sides. Nothing is simulated and nothing rounded.

Implements R-RT-02, R-RT-03.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, islice
from math import comb
from typing import Literal, TypeAlias

import attrs

Model: TypeAlias = Literal["W", "Z"]

MOST_HANDS = 500
"""Nobody is advised to play longer rounds than this, so the search for ``b_min`` ends here."""
MOST_TARGET = 10_000
"""The largest target that is counted through."""

LOW, HIGH = 1, 100
"""What a hand is worth in the experiment of R-RT-03."""

FEW_WITHIN_TWO = Fraction(20, 100)
MOST_REACH = Fraction(95, 100)


@attrs.frozen
class Recommendation:
    """One recommendation of R-RT-02 by its number there; number 3 is lost. ``says`` is a sentence for people."""

    no: int
    holds: bool
    says: str


@attrs.frozen
class Advice:
    """What R-RT-03 makes of a target round.

    chances: the chance that the target has been reached after at most 1, 2, … ``max_hands`` hands.
    b_min: the smallest ``max_hands`` that meets recommendations 1 and 4; None if no number up to MOST_HANDS does.
    """

    chances: tuple[Fraction, ...]
    b_min: int | None
    recommendations: tuple[Recommendation, ...]

    @property
    def ok(self) -> bool:
        """Whether every recommendation holds."""
        return all(each.holds for each in self.recommendations)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those that do not hold."""
        return tuple(each.says for each in self.recommendations if not each.holds)


def advise_target(target: int, max_hands: int, low: int = LOW, high: int = HIGH, model: Model = "W") -> Advice:
    """R-RT-02, R-RT-03: what is to be said for and against a target round.

    A hand is worth ``low`` to ``high``, each equally likely, to either side with the same chance. Under model W the
    winner of a hand adds that and the loser nothing; under model Z (zero-sum) the loser loses as much, and the target
    is reached by the difference from the start.

    Raises ValueError unless 1 <= target <= MOST_TARGET, 1 <= max_hands <= MOST_HANDS and 0 <= low <= high, 1 <= high.
    """
    if not 1 <= target <= MOST_TARGET:
        raise ValueError(f"target: expected 1 to {MOST_TARGET}, got {target}")
    if not 1 <= max_hands <= MOST_HANDS:
        raise ValueError(f"max_hands: expected 1 to {MOST_HANDS}, got {max_hands}")
    if not 0 <= low <= high or high < 1:
        raise ValueError(f"low, high: expected 0 <= low <= high and high >= 1, got {low}, {high}")
    chances: list[Fraction] = []
    b_min: int | None = None
    search = MOST_HANDS if _can_be_enough(target, low, high, model) else max(max_hands, 2)
    for hands, chance in enumerate(islice(_chances(target, low, high, model), search), start=1):
        chances.append(chance)
        if b_min is None and hands > 2 and chance > MOST_REACH:
            b_min = hands
        if b_min is not None and hands >= max_hands:
            break
    played = tuple(chances[:max_hands])
    return Advice(played, b_min, tuple(_recommendations(max_hands, chances[1], played[-1])))


def _recommendations(max_hands: int, within_two: Fraction, within_all: Fraction) -> Iterator[Recommendation]:
    most = "1 hand" if max_hands == 1 else f"{max_hands} hands"
    says = f"{most} at most; more than 2 are advised"
    yield Recommendation(1, max_hands > 2, says)
    says = f"{percent(within_two)} % end within 2 hands; less than 20 % are advised"
    yield Recommendation(2, within_two < FEW_WITHIN_TWO, says)
    says = f"{percent(within_all)} % reach the target within {most}; more than 95 % are advised"
    yield Recommendation(4, within_all > MOST_REACH, says)


def percent(chance: Fraction) -> str:
    """A chance in percent with two decimals, correctly rounded: halves go away from zero."""
    hundredths = int(chance * 10_000 + Fraction(1, 2))
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _can_be_enough(target: int, low: int, high: int, model: Model) -> bool:
    """Whether MOST_HANDS hands may be enough for recommendation 4; saves a long search that must fail.

    Under model Z Kolmogorov's inequality bounds the chance that a walk of k steps ever leaves the target: k times the
    mean square of a step over the target's square.
    """
    if model == "W":
        return MOST_HANDS * high >= target
    squares = sum(score * score for score in range(low, high + 1))
    return Fraction(MOST_HANDS * squares, (high - low + 1) * target * target) > MOST_REACH


def _chances(target: int, low: int, high: int, model: Model) -> Iterator[Fraction]:
    """The chance that the target has been reached after at most 1, 2, 3, … hands, without end."""
    return _reached_by_either(target, low, high) if model == "W" else _reached_by_difference(target, low, high)


def _reached_by_either(target: int, low: int, high: int) -> Iterator[Fraction]:
    """Model W: of k hands one side wins j, in comb(k, j) ways, and both sums stay below the target."""
    courses = 1
    ways = [1] + [0] * (target - 1)  # of reaching each sum below the target with as many winning hands
    below = [1]  # ways to stay below it with 0, 1, 2, … winning hands
    hands = 0
    while True:
        hands += 1
        courses *= 2 * (high - low + 1)
        ways = _one_more(ways, low, high)
        below.append(sum(ways))
        unreached = sum(comb(hands, won) * below[won] * below[hands - won] for won in range(hands + 1))
        yield 1 - Fraction(unreached, courses)


def _reached_by_difference(target: int, low: int, high: int) -> Iterator[Fraction]:
    """Model Z: the lead of one side walks up or down until it is the target either way."""
    courses = 1
    ways = [0] * (target - 1) + [1] + [0] * (target - 1)
    while True:
        courses *= 2 * (high - low + 1)
        # The ways lie the same on both sides of 0, so those of the losing side are the winner's backwards.
        up = _one_more(ways, low, high)
        ways = [won + lost for won, lost in zip(up, reversed(up), strict=True)]
        yield 1 - Fraction(sum(ways), courses)


def _one_more(ways: list[int], low: int, high: int) -> list[int]:
    """The ways to stand at each place after a step of ``low`` to ``high`` up; who steps beyond the end is gone."""
    before = [0, *accumulate(ways)]  # before[i]: ways to stand below place i
    return [before[max(0, place - low + 1)] - before[max(0, place - high)] for place in range(len(ways))]
