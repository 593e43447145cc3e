"""How the teams of a simulated ladder are: whom they challenge and when, how they agree, and who falls silent.

A team looks for somebody to challenge a few times a week. Asked, it takes one of the times offered or offers others;
agreed, it names its four players and is ready in time; played, the winner reports and the other side says the same a
while later. A team that has fallen silent does nothing of this ever again, and the deadlines decide. Nobody appeals,
drops out of a board, or fields a stranger.
"""

from collections.abc import Callable
from random import Random
from typing import Protocol

import attrs

from coordinator.engine import commands
from coordinator.engine.definition import Ladder, MatchDefinition
from coordinator.engine.ladder import asking, windows
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder.ladder_effects import TellChallenge
from coordinator.engine.ladder.lineup import FIELDED
from coordinator.engine.ladder.looking import hours
from coordinator.engine.ladder.slots import Slot, allowed_hour
from coordinator.engine.ladder.wall_time import WEEK_MS
from coordinator.engine.state import MatchState
from coordinator.simulation.contests import Contests
from coordinator.simulation.figures import add_step
from coordinator.simulation.habits import Habits

MOST_DRAWS = 1_000
"""Times that are drawn before it is clear that no allowed hour is left."""


class Ground(Protocol):
    """The course that the teams play in."""

    state: MatchState
    t: int

    def later(self, at: int, happen: Callable[[], None]) -> None:
        """Do something at this time."""

    def attempt(self, command: commands.Command) -> None:
        """Ask something of the match; the ladder may have moved on, then it is refused and that is right."""


def ladder_of(definition: MatchDefinition) -> Ladder | None:
    """The ladder's own words, where the match is one."""
    return definition.stages[0].ladder if definition.stages else None


def roster(team: str) -> tuple[str, ...]:
    """The players of a team."""
    return tuple([f"{team}.{number}" for number in range(1, FIELDED + 1)])


@attrs.define
class Teams:
    """The teams of one ladder. Tell them of every challenge with :meth:`hear`; ``silent`` have stopped to answer."""

    ground: Ground
    rules: Ladder
    habits: Habits
    rng: Random
    contests: Contests
    silent: dict[str, None] = attrs.field(factory=dict)
    _done: dict[tuple[object, ...], None] = attrs.field(factory=dict)

    def enter(self, team: str) -> None:
        """From now on this team looks for somebody to challenge."""
        self._count()
        self._wish_later(team)

    def hear(self, told: TellChallenge) -> None:
        """How a challenge stands: whoever has something to do about it will."""
        match told.state:
            case "issued":
                self._by(told.defender, told, self._first_of(told, self.rules.reply_ms), self._reply)
            case "countered":
                self._by(told.challenger, told, self._first_of(told, self.rules.pick_ms), self._accept)
            case "fixed" if told.at is not None:
                for team in (told.challenger, told.defender):
                    self._by(team, told, told.at, self._get_ready)
            case "played":
                self._report(told)
            case _ if told.how is not None:
                self._tire(told)
            case _:
                pass

    # ---------------------------------------------------------------------------------------------- challenging

    def _wish_later(self, team: str) -> None:
        week_ms = WEEK_MS if self.rules.week_ms is None else self.rules.week_ms
        if self.habits.challenges:
            wait = self.rng.expovariate(self.habits.challenges / week_ms)
            self.ground.later(self.ground.t + max(1, round(wait)), lambda: self._wish(team))

    def _wish(self, team: str) -> None:
        """Look for somebody to challenge, unless there is a challenge of one's own already."""
        state, t = self.ground.state, self.ground.t
        ladder = state.ladder
        if ladder is None or team in self.silent or state.status != "running" or state.current.draining:
            return
        self._wish_later(team)
        within = windows.targets(ladder.rank(team), self.rules.windows)
        if ladder.teams[team].out_challenge is not None or not within:
            return
        self.contests.wishes += 1
        free = asking.targets(state, team, t)
        if free:
            slots = self._times(t + self.rules.complete_ms)
            self.ground.attempt(ask.IssueChallenge(t, team, self.rng.choice(free), slots))
            return
        defenders = [ladder.ranks[rank - 1] for rank in within]
        refused = [asking.why_not(state, ladder, team, other, t) for other in defenders]
        self.contests.locked += any(each is not None and each.code == "locked" for each in refused)

    def _times(self, due: int) -> tuple[Slot, ...]:
        """As many different times as a challenge names, the earliest first: on days and at hours that are allowed, and
        so that there is time before to answer and behind to play; fewer where there are no more."""
        t, found = self.ground.t, dict[int, None]()
        opening, closing = hours(self.rules)
        for _ in range(MOST_DRAWS):
            at = t + round(self.rng.uniform(0.25, 0.75) * (due - t))
            if allowed_hour(Slot(at), self.ground.state.zone, self.rules.days, opening, closing):
                found[at] = None
            if len(found) == self.rules.slots:
                break
        return tuple([Slot(at) for at in sorted(found)])

    # -------------------------------------------------------------------------------------------- until it is played

    def _by(self, team: str, told: TellChallenge, until: int, act: Callable[[str, TellChallenge], None]) -> None:
        """A team does something once, some time before it would be too late."""
        step = (told.challenge_no, told.state, told.at, team)
        if step in self._done:
            return
        self._done[step] = None
        self._soon(team, until, lambda: act(team, told))

    def _soon(self, team: str, until: int, act: Callable[[], None]) -> None:
        t = self.ground.t

        def unless_silent() -> None:
            if team not in self.silent:
                act()

        self.ground.later(t + round(self.rng.uniform(0.02, 0.9) * max(0, until - t)), unless_silent)

    def _first_of(self, told: TellChallenge, within_ms: int | None) -> int:
        """Until when an answer to the times that are offered is in time."""
        first = min(slot.at for slot in told.slots)
        return first if within_ms is None else min(first, self.ground.t + within_ms)

    def _reply(self, team: str, told: TellChallenge) -> None:
        """Most take one of the times, some offer others where there are any."""
        others = () if self.rng.random() < self.habits.agree else self._times(told.due)
        if len(others) == self.rules.slots:
            self.ground.attempt(ask.ProposeTimes(self.ground.t, told.challenge_no, team, others))
        else:
            self._accept(team, told)

    def _accept(self, team: str, told: TellChallenge) -> None:
        slot = self.rng.randint(1, len(told.slots))
        self.ground.attempt(ask.AcceptTime(self.ground.t, told.challenge_no, team, slot))

    def _get_ready(self, team: str, told: TellChallenge) -> None:
        self.ground.attempt(ask.GiveLineUp(self.ground.t, told.challenge_no, team, roster(team)))
        self.ground.attempt(ask.SayReady(self.ground.t, told.challenge_no, team))

    # -------------------------------------------------------------------------------------------------- afterwards

    def _report(self, told: TellChallenge) -> None:
        """The winner says at once how it went, the other side the same while it could still appeal."""
        imps = dict(zip((told.challenger, told.defender), told.imps, strict=True))
        first, second = sorted(imps, key=imps.__getitem__, reverse=True)
        if first in self.silent:
            first, second = second, first
        t, number = self.ground.t, told.challenge_no
        self._soon(first, t, lambda: self.ground.attempt(ask.ReportResult(self.ground.t, number, first, imps)))
        late = t + self.rules.appeal_ms
        self._soon(second, late, lambda: self.ground.attempt(ask.ReportResult(self.ground.t, number, second, imps)))

    def _tire(self, told: TellChallenge) -> None:
        for team in (told.challenger, told.defender):
            if team not in self.silent and self.rng.random() < self.habits.dropout:
                self.silent[team] = None
        self._count()

    def _count(self) -> None:
        add_step(self.contests.answering, self.ground.t, len(self.ground.state.entrants) - len(self.silent))
