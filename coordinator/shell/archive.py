"""Finished matches: each stays in memory while somebody asks for it, and then in the journal alone.

A match is *finished* once it is over or halted, with no table open and every award confirmed: nothing is due in it, and
nothing will happen but that somebody asks, or reports once more. It is then *noted* in the journal with its last state.
So long after somebody last asked for it, or when too many are kept, it is *let go*: its desk is forgotten. Whoever asks
for it again has it *read back*, on a thread, as nothing of a state is shared; meanwhile the others are served. A start
takes up what is not noted, so that it costs what is being played and not what was ever played.
"""

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, cast

import attrs
import structlog
import trio

from coordinator.engine import events
from coordinator.engine.state import MatchState
from coordinator.errors import CoordinatorError, JournalDamaged
from coordinator.journal.kinds import TOURNEY_PREFIX
from coordinator.journal.records import FinishedEntry, Snapshot
from coordinator.journal.replay import Recovered, newest_events, recover
from coordinator.journal.store import Store
from coordinator.shell.chronicle import LINES_KEPT
from coordinator.shell.desk import Desk
from coordinator.shell.limits import MatchLimits
from coordinator.shell.summaries import packed, summary_of, unpacked
from coordinator.shell.view import MatchSummary

if TYPE_CHECKING:
    from coordinator.shell.office import Office

NEWEST = 100
"""So many of the finished matches lists show, and so many results a returning lobby is told."""

READERS = 4
"""Matches that are read back at a time, so that a large one does not hold up all others."""

LOOK_AGAIN_S = 1.0
"""How long a match that cannot be let go yet, being watched or not on disk, is left alone."""


@attrs.frozen
class ReadBack:
    """A match as the journal has it, and what happened in its newest records."""

    match: Recovered[MatchState]
    newest: tuple[events.Event, ...]


Found = ReadBack | None
"""None where the journal has no match of that name."""

Then = Callable[[CoordinatorError | None], None]
"""Called once a match is in memory, or once it is clear that there is none; or with why that cannot be said."""

Read = Callable[[Callable[[], Found]], Awaitable[Found]]
"""Runs what reads the journal, while the loop goes on."""

_log = structlog.get_logger(__name__)


def is_finished(state: MatchState) -> bool:
    """Whether nothing is due in a match any more."""
    return state.status in ("over", "halted") and not (state.tables or state.timers or state.dues)


async def on_a_thread(read: Callable[[], Found]) -> Found:
    """Read on a thread. Whoever is cancelled does not wait for it: what it finds is used by nobody else."""
    return await trio.to_thread.run_sync(read, abandon_on_cancel=True)


class Archive:
    """All finished matches, in memory or not. One per office."""

    def __init__(self, office: "Office", store: Store, limits: MatchLimits, read: Read = on_a_thread) -> None:
        self.let_go: dict[str, int] = {}
        """How many matches are finished and not in memory, by status."""
        self.newest: OrderedDict[str, MatchSummary] = OrderedDict()
        """The newest that are finished, in memory or not, the newest last."""
        self.farewells: list[Callable[[str], None]] = []
        """Told the name of each match that is let go."""
        self.returns: list[Callable[[str, tuple[events.Event, ...]], None]] = []
        """Told the name of each match that is read back, and what happened last in it."""
        self._office = office
        self._store = store
        self._limits = limits
        self._read = read
        self._kept: OrderedDict[str, float] = OrderedDict()
        """When somebody last asked for each finished match that is in memory, longest ago first."""
        self._wanted: dict[str, list[Then]] = {}
        """Who waits for which match."""
        self._unread: deque[str] = deque()
        """Those of them that no reader has begun with."""
        self._news = trio.Event()

    def __len__(self) -> int:
        """How many finished matches are in memory."""
        return len(self._kept)

    def open(self) -> None:
        """At the start, when everything else is taken up: what the journal knows of those that were not."""
        self.let_go = self._store.count_finished()
        for entry in reversed(self._store.newest_finished(NEWEST)):
            self.newest[entry.match_id] = unpacked(entry)

    def put_away(self, desk: Desk) -> None:
        """At the start, before the writer runs: note a match that ended right before the stop, and do not keep it."""
        try:
            entry, snapshot = self._entry_of(desk), Snapshot.take(desk.chain, desk.state)
        except Exception as error:
            self._office.desks[desk.match_id] = desk
            desk.fail(error)
        else:
            self._store.put_finished(entry, snapshot)

    def newest_over(self) -> list[str]:
        """The newest matches that are over, the oldest of them first."""
        noted = [match_id for match_id, line in self.newest.items() if line["status"] == "over"]
        # Not noted yet: what owes something still, and what was over a moment ago, perhaps not even on disk.
        fresh = [match_id for match_id, desk in self._office.desks.items() if self._is_fresh(desk)]
        return [*noted, *fresh][-NEWEST:]

    def _is_fresh(self, desk: Desk) -> bool:
        return desk.state.status == "over" and desk.noted_at == 0 and desk.match_id not in self.newest

    # --- in memory --------------------------------------------------------------------------------------------------

    def note(self, desk: Desk) -> None:
        """Something happened in a match: if it is finished now it is noted, and kept for a while."""
        if desk.failure is None and is_finished(desk.state):
            self._keep(desk.match_id)
            if desk.on_disk == desk.chain.seq != desk.noted_at:
                self._note(desk)

    def use(self, match_id: str) -> None:
        """Somebody asks for a match."""
        if match_id in self._kept:
            self._keep(match_id)

    def _keep(self, match_id: str) -> None:
        self._kept[match_id] = trio.current_time()
        self._kept.move_to_end(match_id)
        if len(self._kept) == 1 or len(self._kept) == self._limits.matches_kept + 1:
            self._look_at(self._next_look())

    def _next_look(self) -> float:
        """When the next match may be let go."""
        if len(self._kept) > self._limits.matches_kept:
            return trio.current_time()
        return next(iter(self._kept.values())) + self._limits.match_keep_s

    def _look_at(self, at_s: float) -> None:
        self._office.timers.set("archive", at_s, self._look)

    def _look(self) -> None:
        """Let go what is not asked for any more."""
        now, too_many, left = trio.current_time(), len(self._kept) - self._limits.matches_kept, False
        for number, (match_id, used) in enumerate(list(self._kept.items())):
            if number >= too_many and used + self._limits.match_keep_s > now:
                break
            desk = self._office.desks[match_id]
            if self._is_watched(match_id) or desk.on_disk < desk.chain.seq or desk.failure is not None:
                left = True
            elif desk.noted_at != desk.chain.seq:
                left = True
                self._note_or_fail(desk)
            else:
                # Answers that rest on it may still wait for the disk.
                self._office.writer.append(None, self._forget, desk, used)
        if left:
            self._look_at(now + LOOK_AGAIN_S)
        elif self._kept:
            self._look_at(max(self._next_look(), now + LOOK_AGAIN_S))

    def _is_watched(self, match_id: str) -> bool:
        return any(match_id in peer.watching for peer in self._office.peers)

    def _note_or_fail(self, desk: Desk) -> None:
        try:
            self._note(desk)
        except Exception as error:
            desk.fail(error)

    def _note(self, desk: Desk) -> None:
        seq = desk.chain.seq
        snapshot = Snapshot.take(desk.chain, desk.state)
        desk.snapshot_at = seq
        entry = self._entry_of(desk)

        def noted() -> None:
            desk.noted_at = seq
            self.newest[desk.match_id] = unpacked(entry)
            self.newest.move_to_end(desk.match_id)
            if len(self.newest) > NEWEST:
                self.newest.popitem(last=False)

        self._office.writer.finish(entry, snapshot, noted)

    def _entry_of(self, desk: Desk) -> FinishedEntry:
        chain, wall_ms = desk.chain, self._office.wall_ms()
        return FinishedEntry(
            chain.match_id, chain.seq, chain.hash, desk.state.status, wall_ms, packed(summary_of(desk))
        )

    def _forget(self, desk: Desk, used: float) -> None:
        """Let a match go, unless somebody has asked for it meanwhile."""
        match_id = desk.match_id
        if self._kept.get(match_id) != used or self._is_watched(match_id) or desk.noted_at != desk.chain.seq:
            return
        del self._kept[match_id]
        del self._office.desks[match_id]
        self._office.desk_timer(desk, None)
        self.let_go[desk.state.status] = self.let_go.get(desk.state.status, 0) + 1
        for farewell in self.farewells:
            farewell(match_id)
        _log.debug("match let go", match=match_id)

    # --- read back --------------------------------------------------------------------------------------------------

    def lacks(self, match_id: str) -> bool:
        """Whether the journal must be asked for a match before anything can be said of it."""
        if match_id in self._office.desks or match_id in self._office.damaged:
            return False
        return not match_id.startswith(TOURNEY_PREFIX)

    def fetch(self, match_id: str, then: Then) -> None:
        """Have a match in memory, if there is one, and hear when that is so."""
        if match_id not in self._wanted:
            self._wanted[match_id] = []
            self._unread.append(match_id)
            self._news.set()
        self._wanted[match_id].append(then)

    async def look_up(self, match_id: str) -> bool:
        """Have a match in memory; whether there is one. Raises CoordinatorError where the journal cannot be read."""
        if not self.lacks(match_id):
            return match_id in self._office.desks
        fetched, failures = trio.Event(), list[CoordinatorError]()

        def then(failure: CoordinatorError | None) -> None:
            failures.extend([failure] if failure is not None else [])
            fetched.set()

        self.fetch(match_id, then)
        await fetched.wait()
        for failure in failures:
            raise failure
        return match_id in self._office.desks

    def look_up_at_once(self, match_id: str) -> None:
        """The same while everything waits: for what is rare and must not be put off."""
        if self.lacks(match_id):
            try:
                self._take_in(match_id, self._find(match_id))
            except JournalDamaged as damage:
                self._office.set_aside(match_id, damage)

    async def run(self) -> None:
        """Read back what is asked for, until cancelled."""
        async with trio.open_nursery() as nursery:
            for _ in range(READERS):
                nursery.start_soon(self._keep_reading)

    async def _keep_reading(self) -> None:
        while True:
            while not self._unread:
                if self._news.is_set():
                    self._news = trio.Event()
                await self._news.wait()
            match_id, failure = self._unread.popleft(), None
            try:
                if self.lacks(match_id):
                    self._take_in(match_id, await self._read(partial(self._find, match_id)))
            except JournalDamaged as damage:
                self._office.set_aside(match_id, damage)
            except CoordinatorError as error:
                _log.error("a finished match cannot be read", match=match_id, reason=str(error))
                failure = error
            except Exception as error:
                # A mistake about one match must not end the daemon.
                _log.error("a finished match cannot be read", match=match_id, exc_info=error)
                failure = CoordinatorError(f"the match cannot be read: {type(error).__name__}")
            for then in self._wanted.pop(match_id):
                then(failure)

    def _find(self, match_id: str) -> Found:
        """Raises what recovery raises."""
        if self._store.entry(match_id) is None:
            return None
        found = recover(self._store, match_id)
        newest = newest_events(self._store, match_id, found.chain.seq, LINES_KEPT)
        return ReadBack(found, tuple(cast("list[events.Event]", newest)))

    def _take_in(self, match_id: str, found: Found) -> None:
        # It may have been opened, or looked up at once, meanwhile.
        if found is None or match_id in self._office.desks:
            return
        match, seq = found.match, found.match.chain.seq
        if not is_finished(match.state):
            raise JournalDamaged(match_id, seq, "the journal says that the match is finished there")
        desk = self._office.take_in(match)
        if match.snapshot == seq:
            desk.noted_at = seq  # else another version took the snapshot, and a new one is due
        for told in self.returns:
            told(match_id, found.newest)
        status = desk.state.status
        self.let_go[status] = max(0, self.let_go.get(status, 0) - 1)
        self.note(desk)

    async def older(self, match_id: str) -> list[MatchSummary] | None:
        """The finished matches behind one of them in the order of age, at most :data:`NEWEST`; None: it is not one."""
        store = self._store

        def read() -> list[FinishedEntry] | None:
            last = store.finished(match_id)
            return None if last is None else store.newest_finished(NEWEST, last)

        found = await trio.to_thread.run_sync(read, abandon_on_cancel=True)
        return None if found is None else [unpacked(entry) for entry in found]
