"""One desk per match: it takes commands in the order they come, stamps the time, asks the rules and keeps the record.

A desk decides and evolves in memory at once; what follows for the outside waits in the writer until the record is on
disk. Everything here is synchronous, so that the order of commands is the order of arrival and nothing else.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
import trio

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.formats.island import needs_wall_clock
from coordinator.engine.match import Outcome, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.journal.records import Chain
from coordinator.shell.writer import Writer

Answer = Callable[[Outcome | Refused], None]
"""Called on the trio thread once what it rests on is on disk."""

STANDS_STILL = "the match stands still after an error of the coordinator's own"
"""What is answered to whoever asks something of a match that failed, and told to everybody around it."""

_AT_ONCE = frozenset({fx.SetTimer, fx.FindServers, fx.TellPaused})
"""Effects that a desk carries out itself."""

LOOK_AGAIN_S = 60.0
"""How long a timer by the wall clock sleeps at most."""

_log = structlog.get_logger(__name__)


class Surroundings(Protocol):
    """What a desk needs from the daemon around it."""

    def find_servers(self, desk: "Desk", effect: fx.FindServers) -> tuple[commands.Placement, ...]:
        """Choose a table server for as many of the tables as can be placed now."""

    def decided(self, desk: "Desk", happened: tuple[events.Event, ...]) -> None:
        """Events were decided: keep the indexes of who holds which table."""

    def wall_ms(self) -> int:
        """The wall clock in milliseconds, written on records for people."""

    def released(self, desk: "Desk", outcome: Outcome) -> None:
        """The record of these events is on disk: carry their effects out."""

    def desk_timer(self, desk: "Desk", at_s: float | None) -> None:
        """Call :meth:`Desk.fire_due` at this time on trio's clock; None: nothing is due."""

    def failed(self, desk: "Desk", error: Exception) -> None:
        """A mistake of ours was made about this match; it stands still, the others go on."""


class Desk:
    """The clerk of one match."""

    def __init__(
        self,
        state: MatchState,
        chain: Chain,
        writer: Writer,
        around: Surroundings,
        *,
        match_ms: int = 0,
        by_wall_clock: bool = False,
    ) -> None:
        self.match_id = chain.match_id
        self.state = state
        self.chain = chain
        self.failure: str | None = None
        self.on_disk = chain.seq
        """The number of its newest record that is on disk, and told. Grows with every change that is to be seen."""
        self.snapshot_at = chain.seq
        """Behind which record the newest snapshot was taken."""
        self.noted_at = 0
        """Behind which record the match is noted as finished; 0: it is not."""
        self.unplaced: dict[int, None] = {}
        """Tables that no table server had room for, in the order they came."""
        self._writer = writer
        self._around = around
        # Trio's clock, bound once: it is read for every command.
        self._time = trio.lowlevel.current_clock().current_time
        self._zero_s = self._time() - match_ms / 1000
        self._last_ms = match_ms
        self._by_wall_clock = by_wall_clock
        self._heap: list[tuple[int, str]] = []
        self._armed_ms: int | None = None
        self._owed: Answer | None = None

    def now_ms(self) -> int:
        """The match clock: running time in milliseconds, never falling (R-HI conventions); a paused match has none.

        That of a ladder is the wall clock, so that deadlines of days pass whether a daemon runs or not (R-BL-08).
        """
        if self.state.paused is not None:
            return self._last_ms
        now = self._around.wall_ms() if self._by_wall_clock else int((self._time() - self._zero_s) * 1000)
        if now > self._last_ms:
            self._last_ms = now
        return self._last_ms

    def behind_ms(self) -> int:
        """How far the wall clock is behind the match clock of a ladder, which stands still meanwhile."""
        return max(0, self._last_ms - self._around.wall_ms()) if self._by_wall_clock else 0

    def wake(self) -> None:
        """After recovery: arm the timers of the state and look for servers for tables that have none."""
        try:
            self._heap = [(at, timer_id) for timer_id, at in self.state.timers.items()]
            heapq.heapify(self._heap)
            self.tell_time()
            if self._by_wall_clock:
                self.fire_due()  # what passed while nobody ran has passed, in its order
            self._arm()
        except Exception as error:
            self.fail(error)
        if self.failure is None:
            self._find_servers([table.table_id for table in self.state.tables.values()])

    def tell_time(self) -> None:
        """What the wall clock says: when the match is opened, and whenever its own clock stood still.

        A match that does not look at the wall clock hears nothing of it.
        """
        if self._looks_at_the_wall():
            self.submit(commands.TellTime(self.now_ms(), self._around.wall_ms()))

    def _looks_at_the_wall(self) -> bool:
        return self.state.status in ("registering", "running") and needs_wall_clock(self.state.rules)

    def submit(self, command: commands.Command, answer: Answer | None = None) -> None:
        """Decide a command, stamped with :meth:`now_ms`, after all timers due by then."""
        if self.failure is not None:
            self._refuse(answer)
            return
        self._owed = answer
        try:
            if self._heap and self._heap[0][0] <= command.t:
                self._fire_due(command.t)
            self._decide(command, answer)
            self._arm()
        except Exception as error:
            self.fail(error)
            # What was decided before the mistake is answered by its own outcome, and by nothing else.
            self._refuse(self._owed)

    def fire_due(self) -> None:
        """A timer may be due."""
        if self.failure is not None:
            return
        self._armed_ms = None
        try:
            self._fire_due(self.now_ms())
            self._arm()
        except Exception as error:
            self.fail(error)

    def place_waiting(self) -> None:
        """A table server has room: try the tables that wait for one."""
        if self.unplaced and self.failure is None:
            waiting = list(self.unplaced)
            self.unplaced.clear()
            self._find_servers(waiting)

    def _decide(self, command: commands.Command, answer: Answer | None) -> None:
        outcome = step(self.state, command)
        if isinstance(outcome, Refused) or not outcome.events:
            if answer is not None:
                self._writer.append(None, answer, outcome)
            return
        record = self.chain.seal(command, outcome.events, outcome.effects, self._around.wall_ms())
        self._writer.append(record, self._release, outcome, answer)
        if answer is not None:
            self._owed = None
        self._around.decided(self, outcome.events)
        for effect in outcome.effects:
            if type(effect) in _AT_ONCE:
                self._do_at_once(effect)

    def _do_at_once(self, effect: fx.Effect) -> None:
        """What does not wait for the commit: the order of placements is part of the order of commands."""
        if isinstance(effect, fx.SetTimer):
            heapq.heappush(self._heap, (effect.at_ms, effect.timer_id))
        elif isinstance(effect, fx.FindServers):
            self._place(effect)
        elif isinstance(effect, fx.TellPaused) and self.state.paused is None:
            self._zero_s = self._time() - self._last_ms / 1000
            if self._looks_at_the_wall():
                self._decide(commands.TellTime(self.now_ms(), self._around.wall_ms()), None)

    def _release(self, outcome: Outcome, answer: Answer | None) -> None:
        """Of a match that stands still only the answers leave: all else is told when it goes on, as after a crash."""
        self.on_disk += 1
        try:
            if answer is not None:
                answer(outcome)
            if self.failure is None:
                self._around.released(self, outcome)
        except Exception as error:
            self.fail(error)

    def _find_servers(self, table_ids: Sequence[int]) -> None:
        """Look for servers for those of these tables that are open and have none."""
        tables = self.state.tables
        homeless = tuple([n for n in table_ids if n in tables and tables[n].server_id is None])
        if homeless:
            try:
                self._place(fx.FindServers(homeless, self.state.rules.game))
                self._arm()
            except Exception as error:
                self.fail(error)

    def _place(self, effect: fx.FindServers) -> None:
        # A table whose interrupted hand was its last is closed by now.
        if any(table_id not in self.state.tables for table_id in effect.table_ids):
            effect = fx.FindServers(tuple(n for n in effect.table_ids if n in self.state.tables), effect.game)
        placements = self._around.find_servers(self, effect)
        placed = {placement.table_id for placement in placements}
        for table_id in effect.table_ids:
            if table_id not in placed:
                self.unplaced[table_id] = None
        if placements:
            self._decide(commands.PlaceTables(self.now_ms(), placements), None)

    def _fire_due(self, now: int) -> None:
        heap, timers = self._heap, self.state.timers
        while heap and heap[0][0] <= now:
            at, timer_id = heapq.heappop(heap)
            if timers.get(timer_id) == at:
                self._decide(commands.FireTimer(now, timer_id), None)

    def _arm(self) -> None:
        # A timer that is set anew leaves its entry behind.
        if len(self._heap) > 64 + 4 * len(self.state.timers):
            self._heap = [(at, timer_id) for timer_id, at in self.state.timers.items()]
            heapq.heapify(self._heap)
        due = self._heap[0][0] if self._heap and self.state.paused is None else None
        if due != self._armed_ms:
            self._armed_ms = due
            self._around.desk_timer(self, None if due is None else self._trio_time(due))

    def _trio_time(self, due_ms: int) -> float:
        """When to look at a timer. A wall clock may be set meanwhile, so it is asked again before long."""
        if not self._by_wall_clock:
            return self._zero_s + due_ms / 1000
        return self._time() + min(max(0, due_ms - self._around.wall_ms()) / 1000, LOOK_AGAIN_S)

    def fail(self, error: Exception) -> None:
        """A mistake of our own was made about this match, here or in carrying its effects out: it stands still."""
        first, failure = self.failure is None, f"{type(error).__name__}: {error}"
        _log.error("match stands still after a failed assertion", match=self.match_id, failure=failure, exc_info=error)
        if first:
            self.failure = failure
            self._around.failed(self, error)

    def _refuse(self, answer: Answer | None) -> None:
        if answer is not None:
            refused = Refused("internal", STANDS_STILL)
            self._writer.append(None, answer, refused)
