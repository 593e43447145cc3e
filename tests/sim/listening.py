"""The listener on simulated sockets: its passes, sweeps and connections are the real ones, only the waiting is ours."""

from collections import deque
from math import ceil, inf
from typing import Any

import trio

from coordinator.shell.connection import Connection
from coordinator.shell.deadlines import Deadlines
from coordinator.shell.limits import Limits
from coordinator.shell.listener import SWEEP_S, Listener
from tests.sim.links import Link, ServerSocket, SocketPoller


class _Deadlines(Deadlines[Connection]):
    """Deadlines that wake the listener, which here does not look four times a second for nothing."""

    __slots__ = ("listener",)
    listener: "SimulatedListener"

    def arm(self, item: Connection, due: float) -> None:
        super().arm(item, due)
        self.listener.expect(due)


class SimulatedListener(Listener):
    """Accepts links instead of sockets."""

    poller: SocketPoller

    def __init__(self, door: Any, *, limits: Limits) -> None:
        super().__init__(door, host="", port=0, limits=limits, poller=SocketPoller())
        self.deadlines = _Deadlines()
        self.deadlines.listener = self
        self._arriving: deque[Link] = deque()
        self._news = trio.Event()
        self._fds = 1000

    def connect(self, link: Link) -> None:
        """A program has dialled."""
        self._arriving.append(link)
        self._news.set()

    def expect(self, due: float) -> None:
        """Sweep when this is due, at the next quarter of a second."""
        at = ceil(due / SWEEP_S) * SWEEP_S if due < inf else inf
        if at < self._nap.deadline:
            self._nap.deadline = at

    async def serve(self, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        self._serving = True
        task_status.started(0)
        while not (self._stopping and not self._by_fd):
            with trio.CancelScope() as self._nap:
                heap = self.deadlines._heap
                self.expect(heap[0][0] if heap else inf)
                await self._news.wait()
            if self._news.is_set():
                self._news = trio.Event()
                self._pass()
            self._sweep()
        self._all_gone.set()

    def _resume_accepting(self) -> None:
        self._accepting = True

    def _pass(self) -> None:
        self.pass_at = self.now()
        while self._arriving and not self._stopping:
            link = self._arriving.popleft()
            self._fds += 1
            sock: Any = ServerSocket(link, self._fds, self._hear)
            self.poller.add(sock)
            self.counters.accepted += 1
            self._admit(sock, (link.identity, link.number))
        super()._pass()
        # Level triggered, as epoll is: what one read has left is ready again.
        if self.poller.poll(0, 1):
            self._news.set()

    def _hear(self) -> None:
        self._news.set()
