"""How the scores of a hand come about. No game is played: strength and luck decide, and the scores look like those of a
kind of game.

The performance of a seat is its skill plus a hand's luck, a standard normal number. What a hand brings at most is known
for every kind, so that it can be said when a result is beyond reach.
"""

from collections.abc import Sequence
from math import lcm
from random import Random
from typing import Literal

import attrs

from coordinator.engine import duplicate
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.formats import timeline_of
from coordinator.engine.rounds import sides_of
from coordinator.engine.target_advisor import HIGH, LOW, Model
from coordinator.simulation.habits import HandKind

Kind = Literal["solo", "winner", "spread", "points", "target", "board"]

MULTIPLES = (1, 1, 1, 1, 2, 2, 2, 3, 4, 6)
"""What a hand is worth in base scores, each as likely as any other; mostly little."""
_MOST = max(MULTIPLES)
_FURTHEST = 3.0
"""A performance beyond three standard deviations is cut off where scores follow it."""
ROOM = ("NS", "EW", "NS", "EW")
"""R-BL-14: the directions of a room of a ladder, whose partners share a result."""
_POINTS, _STEP = 30, 8
"""A game of points ends at 30 for each, 8 more or less for one standard deviation."""


@attrs.frozen
class Swing:
    """The most a player can win and lose in one hand, and the most by which two players of a table can part in it."""

    gain: int
    loss: int
    apart: int


def kind_for(definition: MatchDefinition, stage: Stage, wanted: HandKind) -> Kind:
    """The kind of hands of a stage: boards, which a ladder plays too, and targets have their own, otherwise what is
    wanted."""
    if stage.scoring == "duplicate" or stage.ladder is not None:
        return "board"
    if stage.round.type == "target":
        return "target"
    if wanted != "auto":
        return wanted
    if not _sums_to_nothing(definition, stage) and timeline_of(stage) == "bouts":
        return "points"
    return "winner" if stage.table_size == 2 else "solo"


def fits(definition: MatchDefinition, wanted: HandKind) -> bool:
    """Whether hands of this kind are legal in every stage: where scores add up to nothing, points do not."""
    return wanted != "points" or not any(
        _sums_to_nothing(definition, stage) and kind_for(definition, stage, wanted) == "points"
        for stage in definition.stages
    )


def target_model(definition: MatchDefinition) -> Model:
    """R-RT-03: how the sides of a target round score: the loser of a zero-sum hand loses as much."""
    return "Z" if definition.zero_sum else "W"


def swing(kind: Kind, seats: int, unit: int) -> Swing:
    """The most one hand brings; ``unit`` is its base score, or 1 where multiples are reported."""
    match kind:
        case "solo":
            return Swing((seats - 1) * _MOST * unit, (seats - 1) * _MOST * unit, seats * _MOST * unit)
        case "winner":
            return Swing((seats - 1) * _MOST * unit, _MOST * unit, seats * _MOST * unit)
        case "spread":
            widest = round(2 * _FURTHEST * unit) + seats
            return Swing(widest, widest, widest)
        case "points":
            return Swing(2 * _POINTS, 0, 2 * _POINTS)
        case "target":
            return Swing(HIGH, HIGH, 2 * HIGH)
        case "board":
            raise AssertionError("boards are compared, nobody is cut by them")


def scores(
    kind: Kind, definition: MatchDefinition, stage: Stage, order: fx.StartHand, skills: Sequence[float], rng: Random
) -> tuple[int, ...]:
    """The scores of a hand in seat order, as its table server would report them."""
    unit = 1 if stage.report == "multiple" else order.base_score
    seats = len(skills)
    if kind == "board":
        return _board(definition, stage, order, skills, rng)
    if kind == "target":
        return _target(definition, stage, skills, rng)
    performance = [skill + rng.gauss(0.0, 1.0) for skill in skills]
    if kind == "solo":
        return _solo(performance, unit, rng)
    if kind == "winner":
        best = max(range(seats), key=performance.__getitem__)
        stake = rng.choice(MULTIPLES) * unit
        return tuple(stake * (seats - 1 if seat == best else -1) for seat in range(seats))
    if kind == "points":
        return tuple(min(2 * _POINTS, max(0, round(_POINTS + _STEP * each))) for each in performance)
    return _spread(performance, unit)


def _solo(performance: Sequence[float], unit: int, rng: Random) -> tuple[int, ...]:
    """One seat against all the others, as in dou dizhu: it wins or loses what each of the others does."""
    seats = len(performance)
    solo = rng.randrange(seats)
    others = sum(performance[seat] for seat in range(seats) if seat != solo) / (seats - 1)
    stake = rng.choice(MULTIPLES) * unit * (1 if performance[solo] > others else -1)
    return tuple(stake * (seats - 1) if seat == solo else -stake for seat in range(seats))


def _spread(performance: Sequence[float], unit: int) -> tuple[int, ...]:
    """Everybody wins or loses by the distance from the table's mean, as over many small pots."""
    bounded = [min(_FURTHEST, max(-_FURTHEST, each)) for each in performance]
    mean = sum(bounded) / len(bounded)
    whole = [round((each - mean) * unit) for each in bounded]
    whole[-1] -= sum(whole)
    return tuple(whole)


def _target(definition: MatchDefinition, stage: Stage, skills: Sequence[float], rng: Random) -> tuple[int, ...]:
    """R-RT-03: the winning side adds 1 to 100, in a zero-sum game at the other's cost; partners share it."""
    sides = sides_of(stage.round.sides, len(skills))
    first, second = (sum(skills[seat] for seat in side) / len(side) + rng.gauss(0.0, 1.0) for side in sides)
    worth = rng.randint(LOW, HIGH)
    lost = -worth if target_model(definition) == "Z" else 0
    scores = [0] * len(skills)
    for side, won in zip(sides, (worth, lost) if first > second else (lost, worth), strict=True):
        for number, seat in enumerate(side):
            scores[seat] = won // len(side) + (number < won % len(side))
    return tuple(scores)


def _board(
    definition: MatchDefinition, stage: Stage, order: fx.StartHand, skills: Sequence[float], rng: Random
) -> tuple[int, ...]:
    """A board with a par of its own, the same at every table, that each table beats or misses in tens."""
    directions = stage.duplicate.directions if stage.ladder is None else ROOM
    lanes = duplicate.lanes(directions, len(skills))
    count = max(lanes) + 1
    cards = Random(order.deal)
    sizes = [lanes.count(lane) for lane in range(count)]
    reached = []
    for lane in range(count):
        skill = sum(each for each, its in zip(skills, lanes, strict=True) if its == lane) / sizes[lane]
        reached.append(cards.gauss(0.0, 30.0) + 10 * (skill + rng.gauss(0.0, 1.0)))
    mean = sum(reached) / count
    tens = [round(each - mean) for each in reached]
    tens[-1] -= sum(tens)
    if _sums_to_nothing(definition, stage):  # lanes of more seats share what is won
        together = lcm(*sizes)
        tens = [each * together // size for each, size in zip(tens, sizes, strict=True)]
    return tuple(10 * tens[lane] for lane in lanes)


def _sums_to_nothing(definition: MatchDefinition, stage: Stage) -> bool:
    return definition.zero_sum or stage.min_payment
