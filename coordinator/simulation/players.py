"""Who sits at the tables of a simulation: invented players, or a match that was played, hand by hand."""

from collections.abc import Mapping
from random import Random
from typing import Protocol

import attrs

from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.state import MatchState
from coordinator.simulation import hands
from coordinator.simulation.habits import AUTO_PLAY, Habits


@attrs.frozen
class Played:
    """How a hand went: its scores in seat order, who left the game (R-DM-03), and how long it took."""

    scores: tuple[int, ...]
    length_ms: int
    dropped: tuple[str, ...] = ()


class AtTheTables(Protocol):
    """Whoever plays the hands that are ordered."""

    def play(self, state: MatchState, order: fx.StartHand, seats: tuple[str, ...]) -> Played:
        """Play one hand to its end."""


@attrs.define
class Invented:
    """Players with the skills and habits of a simulation; ``absent`` are those who have walked away from a seat."""

    definition: MatchDefinition
    habits: Habits
    rng: Random
    skills: dict[str, float] = attrs.field(factory=dict)
    absent: dict[str, None] = attrs.field(factory=dict)

    def play(self, state: MatchState, order: fx.StartHand, seats: tuple[str, ...]) -> Played:
        """Scores by skill and luck, a length by chance."""
        stage, rng = state.stage_rules, self.rng
        skills = [AUTO_PLAY if player in self.absent else self.skills.get(player, 0.0) for player in seats]
        kind = hands.kind_for(self.definition, stage, self.habits.hands)
        scores = hands.scores(kind, self.definition, stage, order, skills, rng)
        return Played(scores, self.habits.length_ms(stage, rng))


@attrs.frozen
class Recorded:
    """The hands of a match that was played, by table and hand; each takes a second."""

    scores: Mapping[tuple[int, int], tuple[int, ...]]
    dropped: Mapping[tuple[int, int], tuple[str, ...]] = attrs.field(factory=dict)

    def play(self, state: MatchState, order: fx.StartHand, seats: tuple[str, ...]) -> Played:
        """The scores that were reported then."""
        hand = (order.table_id, order.hand_no)
        return Played(self.scores[hand], 1000, self.dropped.get(hand, ()))
