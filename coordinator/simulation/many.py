"""Many courses of one match, each with its own chance, from one seed."""

from collections.abc import Iterator
from random import Random

import attrs

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.formats import timeline_of
from coordinator.simulation.course import Course, Ending
from coordinator.simulation.facts import Facts
from coordinator.simulation.habits import Habits, lasts_ms, takes_late
from coordinator.simulation.players import Invented


@attrs.frozen
class Plan:
    """What is simulated: a match for so many players, so often. ``tables`` None: never short of table servers."""

    definition: MatchDefinition
    players: int
    runs: int
    seed: str
    habits: Habits = attrs.field(factory=Habits)
    tables: int | None = None

    @property
    def late(self) -> int:
        """How many come late; the match must be able to begin without them."""
        if not takes_late(self.definition):
            return 0
        most = self.players - max(self.definition.start.min_players, self.definition.stages[0].table_size)
        return max(0, min(round(self.players * self.habits.late), most))

    @property
    def opened(self) -> MatchDefinition:
        """The definition as it is opened: a match that starts when full starts with those who are in time."""
        start = self.definition.start
        if start.mode == "manual":
            return self.definition
        return attrs.evolve(self.definition, start=attrs.evolve(start, full_count=self.players - self.late))


@attrs.frozen
class Run:
    """One course: how it ended, what happened in it, and the skill of every player."""

    ending: Ending
    facts: Facts
    skills: dict[str, float]


def run_all(plan: Plan) -> Iterator[Run]:
    """Play every course of a plan, one after the other."""
    for number in range(1, plan.runs + 1):
        yield run_once(plan, f"{plan.seed}/{number}")


def run_once(plan: Plan, seed: str) -> Run:
    """Play one course."""
    rng = Random(f"people of {seed}")
    width = len(str(plan.players))
    entries = [(f"p{number:0{width}}", f"Player {number}") for number in range(1, plan.players + 1)]
    given = plan.habits.skills(plan.players, rng)
    skills = {player_id: skill for (player_id, _), skill in zip(entries, given, strict=True)}
    punctual = plan.players - plan.late
    definition = plan.opened
    span = _expected_ms(plan)
    facts = Facts(definition, plan.habits.hands)
    course = Course(
        definition,
        entries[:punctual],
        Invented(definition, plan.habits, Random(f"hands of {seed}"), skills),
        seed,
        plan.habits,
        rng,
        sorted((round(rng.uniform(0.02, 0.7) * span), entry) for entry in entries[punctual:]),
        plan.tables,
        watch=facts.watch,
    )
    ending = course.run()
    facts.close(course.t)
    return Run(ending, facts, skills)


def _expected_ms(plan: Plan) -> int:
    """How long the first stage may last, roughly: who comes late comes within this time."""
    stage = plan.definition.stages[0]
    if stage.island is not None:
        return lasts_ms(stage.island) * (stage.island.loop_count or 1)
    bouts = stage.bouts if isinstance(stage.bouts, int) else 4
    if timeline_of(stage) == "clock":
        return bouts * stage.clock.bout_ms
    return round(bouts * stage.round.hands * plan.habits.median_ms(stage) * 1.5)
