"""What the simulated world does by itself and when: bytes arrive, timeouts end, faults strike. One task for all."""

import heapq
from collections.abc import Callable
from itertools import count

import trio

TICK_S = 0.001
"""Moments are whole ticks: what happens within one shares a wake-up."""


class Agenda:
    """Calls by virtual time, in the order they were planned where the time is the same."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._serial = count()
        self._nap = trio.CancelScope()
        self.done = 0
        """Calls made so far."""

    def after(self, seconds: float, call: Callable[[], None]) -> None:
        """Call this so many seconds from now."""
        at = round((trio.current_time() + max(0.0, seconds)) / TICK_S)
        heapq.heappush(self._heap, (at, next(self._serial), call))
        if at * TICK_S < self._nap.deadline:
            self._nap.deadline = at * TICK_S

    async def passing(self, seconds: float) -> None:
        """Let so much virtual time pass."""
        passed = trio.Event()
        self.after(seconds, passed.set)
        await passed.wait()

    async def run(self) -> None:
        """Do what is planned, until cancelled."""
        heap = self._heap
        while True:
            now = trio.current_time() + TICK_S / 2
            while heap and heap[0][0] * TICK_S <= now:
                self.done += 1
                heapq.heappop(heap)[2]()
            with trio.CancelScope(deadline=heap[0][0] * TICK_S if heap else float("inf")) as self._nap:
                await trio.sleep_forever()
