"""One start of a whole tourney: players register, matches open, and the best of them go on, by the tourney's own rules.

Its matches are courses that are played to their end when the tourney opens them; the tourney hears of their places
when that end comes. All start points that go by the calendar fire at the same time, and conditions of entry are not
asked: whoever is invented may enter.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from random import Random

import attrs

from coordinator.engine.ladder.wall_time import DAY_MS
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands as tc
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney import field
from coordinator.engine.tourney.definition import Entry, TourneyDefinition
from coordinator.engine.tourney.state import TourneyState
from coordinator.engine.tourney.tourney import new_tourney, step
from coordinator.simulation.course import LOBBY, WALL_MS
from coordinator.simulation.facts import Facts, Step
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Plan, Run, invented, play

LABEL = "simulated"


@attrs.frozen
class TourneyPlan:
    """What is simulated: one start of a tourney for so many players, so often."""

    tourney: TourneyDefinition
    players: int
    runs: int
    seed: str
    habits: Habits = attrs.field(factory=Habits)
    tables: int | None = None

    def of_match(self, name: str, players: int) -> Plan:
        """One of its matches, for so many players."""
        definition = self.tourney.match(name).definition
        by_word = attrs.evolve(definition, start=attrs.evolve(definition.start, mode="manual"))
        habits = attrs.evolve(self.habits, late=0.0)
        return Plan(by_word, players, self.runs, self.seed, habits, self.tables)

    @property
    def whole(self) -> Plan:
        """The evening as if it were one match, for a report of all of it."""
        shell = attrs.evolve(self.tourney.matches[0].definition, id=self.tourney.id, phases=())
        return Plan(shell, self.players, self.runs, self.seed, self.habits, self.tables)


@attrs.frozen
class Played:
    """A match of an evening: its name in the tourney, when it began, and how it went."""

    name: str
    began: int
    run: Run

    @property
    def ended(self) -> int:
        """When it was over."""
        return self.began + (self.run.facts.ended_at or 0)


@attrs.define
class Evening:
    """One start under way; :meth:`run` plays it to its end."""

    plan: TourneyPlan
    seed: str
    state: TourneyState = attrs.field(factory=new_tourney)
    played: dict[str, Played] = attrs.field(factory=dict)
    skills: dict[str, float] = attrs.field(factory=dict)
    t: int = WALL_MS
    _due: list[tuple[int, int, tc.TourneyCommand]] = attrs.field(factory=list)
    _serial: int = 0

    @property
    def _starts_at(self) -> int:
        """Late enough for registration to be opened before."""
        return WALL_MS + DAY_MS + max(point.window_ms for point in self.plan.tourney.start_points)

    def run(self) -> Run:
        """Play it, and put all its matches together."""
        self.skills = invented(self.plan.players, self.plan.habits, Random(f"people of {self.seed}"))
        self._do(tc.OpenTourney(self.t, _open_to_all(self.plan.tourney), self.seed, f"secret of {self.seed}"))
        unfed = [point for point in self.plan.tourney.start_points if not field.fed(self.plan.tourney, point)]
        before = self._starts_at - 1
        while self._due and self._due[0][0] <= before:
            self._next()
        self.t = before
        for number, player_id in enumerate(self.skills):
            at = f"{self.plan.tourney.id}.{unfed[number % len(unfed)].id}"
            self._do(tc.EnterPlayer(self.t, at, player_id, player_id, LOBBY, f"fee of {player_id}"))
        while self._due:
            self._next()
        stuck = [match.reason for match in self.state.matches.values() if match.status == "halted"]
        return together(self.plan.tourney, list(self.played.values()), self.skills, stuck)

    def _next(self) -> None:
        self.t, _, command = heapq.heappop(self._due)
        if isinstance(command, tc.FireStartTimer) and self.state.timers.get(command.timer_id) != command.t:
            return  # it was set anew, or is spent
        self._do(command)

    def _later(self, at: int, command: tc.TourneyCommand) -> None:
        self._serial += 1
        heapq.heappush(self._due, (at, self._serial, command))

    def _do(self, command: tc.TourneyCommand) -> None:
        outcome = step(self.state, command)
        if isinstance(outcome, Refused):
            # Only for an entry there may be no place.
            assert isinstance(command, tc.EnterPlayer), f"{command}: {outcome}"
            return
        for effect in outcome.effects:
            match effect:
                case fx.PlanNext(start_point=point) if point not in self.state.planned:
                    self._later(self.t, tc.PlanStart(self.t, point, LABEL, self._starts_at))
                case fx.SetWakeUp(timer_id, at):
                    self._later(at, tc.FireStartTimer(at, timer_id))
                case fx.LaunchMatch():
                    self._play(effect)
                case _:
                    pass

    def _play(self, order: fx.LaunchMatch) -> None:
        """A match is opened: play it at once, and tell its end when it comes."""
        name = self.state.matches[order.match_id].name
        skills = {player.player_id: self.skills[player.player_id] for player in order.players}
        carried = {player.player_id: player.carried for player in order.players}
        seed = f"{self.seed}/{order.match_id}"
        run = play(self.plan.of_match(name, len(skills)), seed, Random(f"people of {seed}"), skills, carried)
        self.played[order.match_id] = played = Played(name, self.t, run)
        ranking = tuple([(player_id, run.brought[player_id]) for player_id in run.facts.ranking])
        if run.ending == "over":
            self._later(played.ended, tc.EndTourneyMatch(played.ended, order.match_id, ranking))
        else:
            reason = run.facts.halted or "it goes on without an end"
            self._later(played.ended, tc.HaltTourneyMatch(played.ended, order.match_id, reason))


def _open_to_all(tourney: TourneyDefinition) -> TourneyDefinition:
    open_matches = [attrs.evolve(match, entry=Entry(places=match.entry.places)) for match in tourney.matches]
    return attrs.evolve(tourney, matches=tuple(open_matches))


def run_evenings(plan: TourneyPlan) -> Iterator[tuple[Run, tuple[Played, ...]]]:
    """Play every start of a plan, one after the other: the whole of it, and its matches."""
    for number in range(1, plan.runs + 1):
        evening = Evening(plan, f"{plan.seed}/{number}")
        yield evening.run(), tuple(evening.played.values())


def together(
    tourney: TourneyDefinition, played: Sequence[Played], skills: Mapping[str, float], stuck: Sequence[str]
) -> Run:
    """The matches of one evening as one course. Who reached a later match is ranked before all others."""
    began = min((each.began for each in played), default=0)
    ended = max((each.ended for each in played), default=0)
    facts = Facts(tourney.matches[0].definition, "auto", ended_at=ended - began)
    left: list[list[Step]] = []
    tables: list[list[Step]] = []
    last: dict[str, Played] = {}
    for each in sorted(played, key=lambda one: one.began):
        own = each.run.facts
        facts.stages += own.stages
        facts.revivals += own.revivals
        facts.walked_out += own.walked_out
        for total, part in (
            (facts.hands_of, own.hands_of),
            (facts.seated_ms, own.seated_ms),
            (facts.present_ms, own.present_ms),
        ):
            for player_id, number in part.items():
                total[player_id] = total.get(player_id, 0) + number
        for player_id in each.run.skills:
            if player_id in last:  # who went on has waited for the other matches that feed this one
                facts.present_ms[player_id] += each.began - last[player_id].ended
            last[player_id] = each
        tables.append([(each.began - began + t, number) for t, number in own.tables] + [(each.ended - began, 0)])
        left.append([(each.began - began + t, number) for t, number in own.left])
        left[-1] += _going_on(tourney, each, played, began)
    facts.tables, facts.left = _summed(tables), _summed(left)
    facts.ranking = _ranked(tourney, played)
    if stuck or not played:
        facts.halted = stuck[0] if stuck else "too few came for any match"
    unfinished = any(each.run.ending == "unfinished" for each in played)
    return Run("unfinished" if unfinished else "over" if facts.halted is None else "halted", facts, dict(skills))


def _going_on(tourney: TourneyDefinition, each: Played, played: Sequence[Played], began: int) -> list[Step]:
    """Who is still in when a match has ended: the best of it, until the match they go on to begins."""
    links = [link for link in tourney.links if link.from_match == each.name]
    if not links or not each.run.facts.ranking:
        return [] if not links else [(each.ended - began, 0)]
    begins = [other.began for other in played for link in links if other.name == link.to_match]
    steps = [(each.ended - began, min(max(link.n for link in links), len(each.run.facts.ranking)))]
    return [*steps, (min(begins) - began, 0)] if begins else steps


def _ranked(tourney: TourneyDefinition, played: Sequence[Played]) -> tuple[str, ...]:
    depth = {match.id: _depth(tourney, match.id) for match in tourney.matches}
    best: dict[str, tuple[int, int, int]] = {}
    for number, each in enumerate(played):
        for place, player_id in enumerate(each.run.facts.ranking, start=1):
            at = (-depth[each.name], place, number)
            best[player_id] = min(at, best.get(player_id, at))
    return tuple(sorted(best, key=best.__getitem__))


def _depth(tourney: TourneyDefinition, name: str) -> int:
    """How many matches lead up to one."""
    return max((1 + _depth(tourney, link.from_match) for link in tourney.feeding(name)), default=0)


def _summed(parts: Sequence[Sequence[Step]]) -> list[Step]:
    """Several numbers over time as their sum."""
    changes: dict[int, int] = {}
    for steps in parts:
        before = 0
        for t, number in steps:
            changes[t] = changes.get(t, 0) + number - before
            before = number
    total, summed = 0, []
    for t in sorted(changes):
        total += changes[t]
        summed.append((t, total))
    return summed
