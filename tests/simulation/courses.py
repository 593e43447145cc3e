"""Stages of every format, and a course of a match that is written down."""

from random import Random
from typing import Any

import attrs

from coordinator.engine.definition import CarryOut, Island, MatchDefinition, Revival, Stage
from coordinator.engine.match import Outcome
from coordinator.engine.state import MatchState
from coordinator.simulation.course import Course
from coordinator.simulation.habits import Habits
from coordinator.simulation.players import Invented
from tests.engine.ladder_play import LADDER
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, ISLAND, KNOCKOUT, MELEE, SWISS

LOOPED = attrs.evolve(
    ISLAND,
    initial_player_state=MELEE.initial_player_state,
    grouping=MELEE.grouping,
    elimination=MELEE.elimination,
    island=Island(duration_ms=600_000, rest_ms=20_000, loop=True, loop_count=2),
    revival=Revival("list", fees=(5, 10), offer_ms=5000),
    carry_out=CarryOut("none"),
)
STAGES: dict[str, Stage] = {
    "default": DEFAULT,
    "knockout": KNOCKOUT,
    "swiss_shift": attrs.evolve(SWISS, bouts=3),
    "melee": attrs.evolve(MELEE, base_growth=attrs.evolve(MELEE.base_growth, kind="arith", every_ms=60_000)),
    "island": LOOPED,
    "continuous_swiss": CLOCKED,
    "swiss_1v1": DOMINION,
    "ladder": LADDER,
}


@attrs.define
class Story:
    """Every event of a course with its time."""

    told: list[tuple[int, Any]] = attrs.field(factory=list)

    def watch(self, t: int, state: MatchState, outcome: Outcome) -> None:
        self.told += [(t, event) for event in outcome.events]

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.told if type(event) is kind]


def a_course(
    definition: MatchDefinition, players: int, habits: Habits | None = None, **more: Any
) -> tuple[Course, Story]:
    """A course of so many players, and what happens in it once it has run."""
    story = Story()
    entries = [(f"p{number}", f"Player {number}") for number in range(1, players + 1)]
    habits = habits or Habits()
    people = Invented(definition, habits, Random(3), dict.fromkeys((who for who, _ in entries), 0.0))
    told = {"at_the_tables": people, "seed": "7", "habits": habits, "rng": Random(5), "watch": story.watch, **more}
    return Course(definition, entries, **told), story
