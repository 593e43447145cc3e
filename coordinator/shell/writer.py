"""The writer: nothing leaves the process before the record that caused it is on disk.

One thread commits whatever has gathered while it committed the last time, so that under load many records share one
sync of the disk; a lonely record waits for nobody. After each commit the trio thread is woken once and carries out, in
order, what was waiting for it. A commit that fails is not tried again, and nothing is released from then on.
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any, TypeVarTuple

import attrs
import trio

from coordinator.errors import JournalFailed
from coordinator.journal.records import FinishedEntry, PendingRecord, Snapshot
from coordinator.journal.store import Store

BATCH = 1_024
"""At most so many records and answers share a commit."""

STOP_GRACE_S = 30.0
"""How long a clean stop waits for the disk before it gives up on it."""

CHECK_EVERY_S = 5.0
"""While nothing is to be written, how often to see that it could be."""

Told = TypeVarTuple("Told")


@attrs.frozen
class Finishing:
    """A match that is to be noted as finished, with its last snapshot."""

    entry: FinishedEntry
    snapshot: Snapshot


class _Stop:
    """What is queued behind everything else when the writer is asked to stop."""


def _give_up() -> None:
    """The disk does not answer: end the process as a power cut would, which the journal is made for."""
    os._exit(1)


_Item = PendingRecord | Snapshot | Finishing | _Stop | None


class Writer:
    """Group commit on one thread of its own. All methods belong to the trio thread.

    ``after_batch`` is called after the releases of each commit: the place to flush what they have put together.
    ``contained`` hears of an exception of one of them, which must not keep the others from theirs; without it the
    exception ends :meth:`run`.
    ``commits``, ``records``, ``snapshots`` and ``commit_seconds`` only rise.
    """

    def __init__(
        self,
        store: Store,
        *,
        after_batch: Callable[[], None] | None = None,
        batch: int = BATCH,
        stop_grace_s: float = STOP_GRACE_S,
        check_every_s: float = CHECK_EVERY_S,
        give_up: Callable[[], None] = _give_up,
    ) -> None:
        self.after_batch = after_batch
        self.contained: Callable[[Exception], None] | None = None
        self.commits = 0
        self.records = 0
        self.snapshots = 0
        self.commit_seconds = 0.0
        self._store = store
        self._batch = batch
        self._stop_grace_s = stop_grace_s
        self._check_every_s = check_every_s
        self._give_up = give_up
        # Appending to a deque is all that a record costs the trio thread; the other one is woken only out of its sleep.
        self._queue: deque[_Item] = deque()
        self._asleep = threading.Semaphore(0)
        self._sleeping = False
        self._waiting: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._oldest_since = 0.0
        self._drains: list[trio.Event] = []
        self._failure: Exception | None = None
        self._failed = trio.Event()
        self._stopped = False

    @property
    def failure(self) -> str | None:
        """What ended the journal; None while it can be written."""
        return None if self._failure is None else str(self._failure)

    @property
    def backlog(self) -> int:
        """How many records and answers wait for their commit."""
        return len(self._waiting)

    @property
    def oldest_age(self) -> float:
        """How many seconds, on trio's clock, the oldest of them has waited, to within a commit; 0 where none waits."""
        return trio.current_time() - self._oldest_since if self._waiting else 0.0

    def append(self, record: PendingRecord | None, release: Callable[[*Told], object], *told: *Told) -> bool:
        """Journal a record and call ``release`` with ``told`` once it and everything before it is on disk.

        Without a record, ``release`` is an answer that only has to stay behind what it rests on. If nothing is on its
        way to the disk it is called at once, and the result is True: no batch follows, so that the caller flushes.
        """
        if record is None and not self._waiting and self._failure is None:
            release(*told)
            return True
        self._wait_for_commit(record, release, told)
        return False

    def snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot, behind the records that were appended before it."""
        self._give(snapshot)

    def finish(self, entry: FinishedEntry, snapshot: Snapshot, release: Callable[[], object]) -> None:
        """Note a match as finished, behind the records that were appended before, and call ``release`` thereafter."""
        self._give(Finishing(entry, snapshot))
        self._wait_for_commit(None, release, ())

    async def drain(self) -> None:
        """Wait until everything appended so far, snapshots too, is on disk and released. Raises what `run` raises."""
        if self._failure is None:
            assert not self._stopped, "a writer that has stopped commits nothing more"
            reached = trio.Event()
            self._drains.append(reached)
            self._wait_for_commit(None, reached.set, ())
            await reached.wait()
            self._drains.remove(reached)
        if self._failure is not None:
            raise self._failure

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Commit until cancelled, then commit and release what was appended before.

        Raises JournalFailed when a commit fails, or could only fail: memory would be ahead of the disk, and the process
        must start again from the journal. An exception of a release ends it too.
        """
        token = trio.lowlevel.current_trio_token()
        ended = trio.Event()
        # Never left behind while it writes; a daemon thread only so that a disk that hangs cannot hold the exit.
        thread = threading.Thread(target=self._work, args=(token, ended), name="journal writer", daemon=True)
        thread.start()
        task_status.started()
        try:
            await self._failed.wait()
        finally:
            await self._stop(thread, ended)  # noqa: ASYNC102 - it shields itself
        assert self._failure is not None
        raise self._failure

    async def _stop(self, thread: threading.Thread, ended: trio.Event) -> None:
        """The thread cannot be cancelled inside a write, so it is asked, and waited for as long as is reasonable.

        The watchdog counts real seconds on a thread of its own: it must bite whatever trio's clock or loop does.
        """
        watchdog = threading.Timer(self._stop_grace_s, self._give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            self._give(_Stop())
            with trio.CancelScope(shield=True):
                await ended.wait()
            thread.join()
        finally:
            self._stopped = True
            watchdog.cancel()

    def _wait_for_commit(
        self, record: PendingRecord | None, release: Callable[[*Told], object], told: tuple[*Told]
    ) -> None:
        if not self._waiting:
            self._oldest_since = trio.current_time()
        self._waiting.append((release, told))
        self._give(record)

    def _give(self, item: _Item) -> None:
        self._queue.append(item)
        if self._sleeping:
            self._sleeping = False
            self._asleep.release()

    def _released(self, count: int) -> None:
        """On the trio thread, after a commit: carry out what waited for it, oldest first."""
        waiting = self._waiting
        try:
            for _ in range(count):
                if self._failure is not None:
                    return
                release, told = waiting.popleft()
                self._carry_out(release, told)
                self._store.reach("between two releases")
            self._store.reach("all released")
            if waiting:
                self._oldest_since = trio.current_time()
            if self.after_batch is not None:
                self._carry_out(self.after_batch, ())
        except Exception as error:
            self._fail(error)

    def _carry_out(self, release: Callable[..., object], told: tuple[Any, ...]) -> None:
        try:
            release(*told)
        except Exception as error:
            if self.contained is None:
                raise
            self.contained(error)

    def _fail(self, error: Exception) -> None:
        if self._failure is None:
            self._failure = error
            self._failed.set()
            for reached in self._drains:
                reached.set()

    # --- on the writer's own thread ---------------------------------------------------------------------------------

    def _work(self, token: trio.lowlevel.TrioToken, ended: trio.Event) -> None:
        # If trio's loop has crashed there is nobody left to tell.
        with suppress(trio.RunFinishedError):
            try:
                while not self._commit_what_gathered(token):
                    pass
            except trio.RunFinishedError:
                raise
            except Exception as error:
                failure = error if isinstance(error, JournalFailed) else JournalFailed(repr(error))
                token.run_sync_soon(self._fail, failure)
            token.run_sync_soon(ended.set)

    def _take(self) -> _Item:
        """The next thing to do, slept for if need be. Raises JournalFailed where nothing could be done any more.

        Whoever gives something after `_sleeping` was set wakes the sleeper, and what was given before is seen here.
        """
        while not self._queue:
            self._sleeping = True
            if self._queue:
                break
            if not self._asleep.acquire(timeout=self._check_every_s):
                self._store.check_link()
        self._sleeping = False
        return self._queue.popleft()

    def _commit_what_gathered(self, token: trio.lowlevel.TrioToken) -> bool:
        """Wait for something, then take all there is up to the limit or a state. Returns whether to stop."""
        batch: list[PendingRecord] = []
        released = 0
        item = self._take()
        while item is None or isinstance(item, PendingRecord):
            released += 1
            if item is not None:
                batch.append(item)
            if released == self._batch or not self._queue:
                break
            item = self._queue.popleft()
        if batch:
            began = perf_counter()
            self._store.append(batch)
            self.commit_seconds += perf_counter() - began
            self.commits += 1
            self.records += len(batch)
            self._store.reach("committed, not told")
        if released:
            token.run_sync_soon(self._released, released)
        if isinstance(item, Snapshot):
            self._store.put_snapshot(item)
            self.snapshots += 1
            self._store.reach("snapshot committed")
        elif isinstance(item, Finishing):
            self._store.put_finished(item.entry, item.snapshot)
            self.snapshots += 1
            self._store.reach("snapshot committed")
        return isinstance(item, _Stop)
