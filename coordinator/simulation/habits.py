"""How the people of a simulation are: how strong, how quick, how patient, how faithful."""

from random import Random
from typing import Literal

import attrs

from coordinator.engine.definition import Island, MatchDefinition, Stage
from coordinator.engine.formats import timeline_of

SkillKind = Literal["none", "normal", "even"]
HandKind = Literal["auto", "solo", "winner", "spread", "points"]

HOUR_MS = 3_600_000

HAND_MS = 60_000
"""The median length of a hand where neither the organiser nor a clock says otherwise."""

AUTO_PLAY = -3.0
"""The skill of a seat whose player has walked away."""


@attrs.frozen
class Habits:
    """The models of a simulation.

    skill, spread: how skill is given out: to nobody, normally distributed, or in even steps from the weakest to the
        strongest; the spread is its standard deviation. The unit is the luck of one hand: who is 1 better than the
        others of a table overcomes bad luck of one standard deviation.
    hands: how the scores of a hand come about; ``auto`` goes by the stage.
    hand_ms, hand_spread: the median length of a hand, and how far lengths scatter about it (of their logarithm). None:
        a minute, or less where the stage's own clock leaves less.
    dropout: the chance that a player walks away after a hand: out of the stage where players may leave, else from a
        seat that is then played badly. In a ladder, that a team falls silent after a challenge.
    late: the share of the field that comes late, where a first stage takes players in while it runs.
    revive: the chance that an offer of revival is taken.
    challenges: how often in its week a team of a ladder looks for somebody to challenge.
    agree: the chance that a team takes one of the times it is offered; else it offers others.
    """

    skill: SkillKind = "normal"
    spread: float = 0.5
    hands: HandKind = "auto"
    hand_ms: int | None = None
    hand_spread: float = 0.3
    dropout: float = 0.0
    late: float = 0.0
    revive: float = 0.5
    challenges: float = 1.0
    agree: float = 0.8

    def skills(self, players: int, rng: Random) -> list[float]:
        """The skill of every player, in no order."""
        if self.skill == "none":
            return [0.0] * players
        if self.skill == "normal":
            return [rng.gauss(0.0, self.spread) for _ in range(players)]
        # Even steps between -a and a have the standard deviation a / sqrt(3).
        widest = self.spread * 3**0.5
        steps = [widest * (2 * (number + 0.5) / players - 1) for number in range(players)]
        rng.shuffle(steps)
        return steps

    def median_ms(self, stage: Stage) -> int:
        """The median length of a hand in a stage."""
        if self.hand_ms is not None:
            return self.hand_ms
        if timeline_of(stage) == "clock":
            return min(HAND_MS, max(1, int(0.6 * stage.clock.bout_ms / stage.bout_boards)))
        if stage.island is not None:
            return min(HAND_MS, max(1, lasts_ms(stage.island) // 20))
        if stage.ladder is not None:
            return min(HAND_MS, max(1, stage.ladder.complete_ms // (5 * stage.round.hands)))
        return HAND_MS

    def length_ms(self, stage: Stage, rng: Random) -> int:
        """How long a hand lasts: log-normal, never below a fifth or above five times the median."""
        median = self.median_ms(stage)
        drawn = median * rng.lognormvariate(0.0, self.hand_spread)
        return max(1, round(min(max(drawn, median / 5), median * 5)))


def lasts_ms(island: Island) -> int:
    """How long an island lasts in a simulation: one that ends at a time of day begins an hour before it."""
    return HOUR_MS if island.duration_ms is None else island.duration_ms


def takes_late(definition: MatchDefinition) -> bool:
    """Whether the first stage takes players in while it runs (R-IS-02, R-CS-01, R-DM-11, R-BL-01)."""
    stage = definition.stages[0]
    if timeline_of(stage) == "clock":
        return stage.clock.late_entry
    return stage.join == "any_time"
