"""One desk per tourney: it takes what happens before matches exist and between them, by the calendar.

The same rule as at a match's desk: it decides and evolves in memory at once, and what follows for the outside waits in
the writer until the record is on disk. What a decision asks of the calendar or of a match's desk is done at once, right
behind its record, so that the order of commands is the order of the journal.
"""

import heapq
from collections.abc import Callable
from typing import Protocol

import structlog

from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney.state import Instance, TourneyState
from coordinator.engine.tourney.tourney import TourneyOutcome, launch, next_starts, step
from coordinator.journal.records import Chain
from coordinator.shell.calendar import Calendar, Moment
from coordinator.shell.writer import Writer

TourneyAnswer = Callable[[TourneyOutcome | Refused], None]
"""Called on the trio thread once what it rests on is on disk."""

_log = structlog.get_logger(__name__)


class TourneySurroundings(Protocol):
    """What the desk of a tourney needs from the daemon around it."""

    def next_start(self, desk: "TourneyDesk", start_point: str, after_ms: int) -> Moment | None:
        """The calendar's answer for a start point of the definition that holds."""

    def launch(self, order: fx.LaunchMatch) -> str | None:
        """Open a match, enter its players, start it; done before, it does what is left. Returns why it cannot."""

    def busy(self, players: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these players who are in a running match."""

    def wall_ms(self) -> int:
        """The wall clock in milliseconds, written on records for people."""

    def released(self, desk: "TourneyDesk", outcome: TourneyOutcome) -> None:
        """The record of these events is on disk: carry their effects out."""

    def tourney_timer(self, desk: "TourneyDesk", at_ms: int | None) -> None:
        """Call :meth:`TourneyDesk.fire_due` at this time of the calendar; None: nothing is due."""

    def failed(self, desk: "TourneyDesk") -> None:
        """An assertion of ours failed in this tourney; it stands still, its matches go on."""


class TourneyDesk:
    """The clerk of one tourney."""

    def __init__(
        self,
        tourney_id: str,
        state: TourneyState,
        chain: Chain,
        writer: Writer,
        around: TourneySurroundings,
        calendar: Calendar,
        *,
        last_ms: int = 0,
    ) -> None:
        self.tourney_id = tourney_id
        self.state = state
        self.chain = chain
        self.failure: str | None = None
        self._writer = writer
        self._around = around
        self._calendar = calendar
        self._last_ms = last_ms
        self._heap: list[tuple[int, str]] = []

    def now_ms(self) -> int:
        """The calendar, never falling: a clock that is put back stands still for us."""
        self._last_ms = max(self._last_ms, self._calendar.now_ms())
        return self._last_ms

    def behind_ms(self) -> int:
        """How far the calendar is behind what it has shown, while this stands still."""
        return max(0, self._last_ms - self._calendar.now_ms())

    def take_up(self) -> None:
        """After recovery: arm the timers, open what a crash has left unopened, plan what is not planned yet."""
        try:
            self._heap = [(at, timer_id) for timer_id, at in self.state.timers.items()]
            heapq.heapify(self._heap)
            for match in list(self.state.matches.values()):
                if match.status == "running":
                    self._launch(launch(self.state, match))
            for effect in next_starts(self.state, self.now_ms()):
                self._plan(effect)
            self._arm()
        except Exception as error:
            self.fail(error)

    def submit(self, command: commands.TourneyCommand, answer: TourneyAnswer | None = None) -> None:
        """Decide a command, stamped with :meth:`now_ms`, after all timers due by then."""
        if self.failure is None:
            try:
                self._fire_due(command.t)
                self._decide(command, answer)
                self._arm()
            except Exception as error:
                self.fail(error)
            else:
                return
        if answer is not None:
            refused = Refused("internal", "the tourney stands still after an error of the coordinator's own")
            self._writer.append(None, answer, refused)

    def fire_due(self) -> None:
        """A timer may be due."""
        if self.failure is not None:
            return
        try:
            self._fire_due(self.now_ms())
            self._arm()
        except Exception as error:
            self.fail(error)

    def _decide(self, command: commands.TourneyCommand, answer: TourneyAnswer | None) -> None:
        outcome = step(self.state, command)
        if isinstance(outcome, Refused) or not outcome.events:
            if answer is not None:
                self._writer.append(None, answer, outcome)
            return
        record = self.chain.seal(command, outcome.events, outcome.effects, self._around.wall_ms())
        self._writer.append(record, self._release, outcome, answer)
        for effect in outcome.effects:
            if isinstance(effect, fx.SetWakeUp):
                heapq.heappush(self._heap, (effect.at_ms, effect.timer_id))
            elif isinstance(effect, fx.PlanNext):
                self._plan(effect)
            elif isinstance(effect, fx.LaunchMatch):
                self._launch(effect)

    def _release(self, outcome: TourneyOutcome, answer: TourneyAnswer | None) -> None:
        """Of a tourney that stands still only the answers leave, as of a match."""
        try:
            if answer is not None:
                answer(outcome)
            if self.failure is None:
                self._around.released(self, outcome)
        except Exception as error:
            self.fail(error)

    def _plan(self, effect: fx.TourneyEffect) -> None:
        assert isinstance(effect, fx.PlanNext), "a plan is asked for"
        moment = self._around.next_start(self, effect.start_point, effect.after)
        if moment is not None:
            planned = commands.PlanStart(self.now_ms(), effect.start_point, moment.label, moment.at_ms)
            self._decide(planned, None)

    def _launch(self, order: fx.LaunchMatch) -> None:
        reason = self._around.launch(order)
        if reason is not None:
            self._decide(commands.HaltTourneyMatch(self.now_ms(), order.match_id, reason), None)

    def _fire_due(self, now: int) -> None:
        heap, timers = self._heap, self.state.timers
        while heap and heap[0][0] <= now:
            at, timer_id = heapq.heappop(heap)
            if timers.get(timer_id) == at:
                self._decide(commands.FireStartTimer(now, timer_id, self._busy(timer_id)), None)

    def _busy(self, timer_id: str) -> tuple[str, ...]:
        """Those of an instance that starts who still play elsewhere, where that excludes them."""
        kind, _, instance_id = timer_id.partition("/")
        instance = self.state.instances[instance_id]
        if kind != "start" or not _excludes_playing(self.state, instance):
            return ()
        return self._around.busy(tuple(instance.entries))

    def _arm(self) -> None:
        while self._heap and self.state.timers.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        self._around.tourney_timer(self, self._heap[0][0] if self._heap else None)

    def fail(self, error: Exception) -> None:
        """A mistake of our own was made about this tourney, here or where its effects are carried out."""
        first, failure = self.failure is None, f"{type(error).__name__}: {error}"
        _log.error(
            "tourney stands still after a failed assertion", tourney=self.tourney_id, failure=failure, exc_info=error
        )
        if first:
            self.failure = failure
            self._around.failed(self)


def _excludes_playing(state: TourneyState, instance: Instance) -> bool:
    definition = state.rules_of(instance)
    return any(definition.match(entry.match).entry.not_playing for entry in instance.entries.values())
