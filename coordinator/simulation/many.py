"""Many courses of one match, each with its own chance, from one seed."""

from collections.abc import Iterator, Mapping
from random import Random

import attrs

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.formats import timeline_of
from coordinator.engine.ladder.wall_time import DAY_MS, WEEK_MS
from coordinator.engine.numbers import Number
from coordinator.engine.stage_rules import final_quantity
from coordinator.simulation.contests import Contests
from coordinator.simulation.course import Course, Ending
from coordinator.simulation.facts import Facts
from coordinator.simulation.habits import Habits, lasts_ms, takes_late
from coordinator.simulation.players import Invented
from coordinator.simulation.teams import ladder_of, roster

LADDER_MS = 4 * WEEK_MS
"""How long a ladder is open whose end nobody has named."""


@attrs.frozen
class Plan:
    """What is simulated: a match for so many players, so often. ``tables`` None: never short of table servers.

    ``days`` is when a director closes a ladder; None: at its own end, after four weeks where it has none.
    """

    definition: MatchDefinition
    players: int
    runs: int
    seed: str
    habits: Habits = attrs.field(factory=Habits)
    tables: int | None = None
    days: float | None = None

    @property
    def ladder_ms(self) -> int | None:
        """How long a ladder takes challenges; None for any other match."""
        rules = ladder_of(self.definition)
        if rules is None:
            return None
        if self.days is not None:
            return max(1, round(self.days * DAY_MS))
        return LADDER_MS if rules.duration_ms is None else rules.duration_ms

    @property
    def late(self) -> int:
        """How many come late; the match must be able to begin without them."""
        if not self.definition.stages or not takes_late(self.definition):
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
    """One course: how it ended, what happened in it, and the skill of every player, who in a ladder is a team.

    ``brought`` is the score each player may carry on into another match (R-HI-01, R-CA-03).
    """

    ending: Ending
    facts: Facts
    skills: dict[str, float]
    contests: Contests = attrs.field(factory=Contests)
    brought: dict[str, Number] = attrs.field(factory=dict)


def run_all(plan: Plan) -> Iterator[Run]:
    """Play every course of a plan, one after the other."""
    for number in range(1, plan.runs + 1):
        yield run_once(plan, f"{plan.seed}/{number}")


def invented(players: int, habits: Habits, rng: Random) -> dict[str, float]:
    """So many players, who register in this order, each with a skill."""
    width = len(str(players))
    names = [f"p{number:0{width}}" for number in range(1, players + 1)]
    return dict(zip(names, habits.skills(players, rng), strict=True))


def run_once(plan: Plan, seed: str) -> Run:
    """Play one course."""
    rng = Random(f"people of {seed}")
    return play(plan, seed, rng, invented(plan.players, plan.habits, rng), {})


def play(plan: Plan, seed: str, rng: Random, skills: dict[str, float], carried: Mapping[str, int]) -> Run:
    """Play one course with these players, who bring these scores along."""
    entries = [(player_id, f"Player {player_id.lstrip('p0')}") for player_id in skills]
    punctual = plan.players - plan.late
    definition = plan.opened
    span = _expected_ms(plan)
    facts = Facts(definition, plan.habits.hands)
    course = Course(
        definition,
        entries[:punctual],
        Invented(definition, plan.habits, Random(f"hands of {seed}"), _skills_at_tables(plan, skills)),
        seed,
        plan.habits,
        rng,
        sorted((round(rng.uniform(0.02, 0.7) * span), entry) for entry in entries[punctual:]),
        plan.tables,
        most_ms=_most_ms(plan),
        watch=facts.watch,
        carried=carried,
        close_at=plan.ladder_ms,
    )
    ending = course.run()
    facts.close(course.t)
    course.contests.close(course.state)
    brought = {player_id: final_quantity(course.state, player_id) for player_id in facts.ranking}
    return Run(ending, facts, skills, course.contests, brought)


def seated(plan: Plan, run: Run) -> tuple[str, ...]:
    """Everybody who may sit down: the players, or those of the teams."""
    return tuple(_skills_at_tables(plan, run.skills))


def _skills_at_tables(plan: Plan, skills: dict[str, float]) -> dict[str, float]:
    """The skill of everybody who may sit down; the players of a team have that of the team."""
    if plan.ladder_ms is None:
        return skills
    return {player: skill for team, skill in skills.items() for player in roster(team)}


def _most_ms(plan: Plan) -> int:
    """When a match is given up: after a week, or when the last challenge of a ladder must long be over."""
    rules = ladder_of(plan.definition)
    if rules is None or plan.ladder_ms is None:
        return WEEK_MS
    return plan.ladder_ms + 2 * rules.complete_ms + rules.appeal_ms


def _expected_ms(plan: Plan) -> int:
    """How long the first stage may last, roughly: who comes late comes within this time."""
    stage = plan.definition.stages[0]
    if plan.ladder_ms is not None:
        return plan.ladder_ms
    if stage.island is not None:
        return lasts_ms(stage.island) * (stage.island.loop_count or 1)
    bouts = stage.bouts if isinstance(stage.bouts, int) else 4
    if timeline_of(stage) == "clock":
        return bouts * stage.clock.bout_ms
    return round(bouts * stage.round.hands * plan.habits.median_ms(stage) * 1.5)
