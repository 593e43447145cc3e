"""The writer on the simulated disk: its queue, its batches and its releases are the real ones, its thread is a task."""

from collections.abc import Awaitable, Callable
from typing import Any

import trio

from coordinator.errors import JournalFailed
from coordinator.journal.records import PendingRecord, Snapshot
from coordinator.shell.writer import Finishing, Writer
from tests.sim.disk import SimulatedStore

Moment = Callable[[str], None]
"""Told of each named moment of a commit; something may be armed to strike there."""


class _Held:
    """Stands in for trio's token: what the thread would hand over is kept until the sync is done."""

    def __init__(self) -> None:
        self.calls: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    def run_sync_soon(self, call: Callable[..., object], *told: Any) -> None:
        self.calls.append((call, told))


class SimulatedWriter(Writer):
    """Group commit in the deterministic loop. ``sync`` takes as long as the disk does."""

    waits_for_the_sync = True

    def __init__(self, store: SimulatedStore, moment: Moment, sync: Callable[[], Awaitable[None]]) -> None:
        super().__init__(store)
        self._simulated = store
        self._moment = moment
        self._sync = sync
        self._news = trio.Event()

    def _give(self, item: Any) -> None:
        self._queue.append(item)
        self._news.set()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        task_status.started()
        store, disk = self._simulated, self._simulated.disk
        while True:
            while not self._queue:
                await self._news.wait()
                self._news = trio.Event()
            self._moment("queued")
            await trio.lowlevel.checkpoint()
            held: Any = _Held()
            writes = any(isinstance(item, PendingRecord | Snapshot | Finishing) for item in self._queue)
            try:
                self._commit_what_gathered(held)
            except JournalFailed as failure:
                self._fail(failure)
                raise
            upto = len(disk.written)
            if writes:
                if not self.waits_for_the_sync:
                    self._release(held)
                self._moment("written")
                await self._sync()
                if not store.dead:
                    disk.sync(upto)
                self._moment("synced")
                await trio.lowlevel.checkpoint()
            self._release(held)
            if self._failure is not None:
                raise self._failure
            self._moment("released")

    def _release(self, held: _Held) -> None:
        calls, held.calls = held.calls, []
        for call, told in calls:
            call(*told)
