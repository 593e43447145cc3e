"""One heap of everything the daemon waits for: no task and no trio timer per table.

A timer belongs to a key; setting it again replaces it. Due timers are called together at most once per
:data:`QUANTUM_S`, so many that fall due in the same moment cost one wake-up.
"""

import heapq
from collections.abc import Callable, Hashable

import trio

QUANTUM_S = 0.010
"""Timers are up to this late, in exchange for sharing a wake-up."""


class Timers:
    """Callbacks by due time, on trio's clock (seconds).

    ``contained`` hears of an exception of one of them, which must not keep the others from being called; without it the
    exception ends :meth:`run`.
    """

    def __init__(self) -> None:
        self.contained: Callable[[Exception], None] | None = None
        self._heap: list[tuple[float, int, Hashable]] = []
        self._due: dict[Hashable, tuple[float, int, Callable[[], None]]] = {}
        self._count = 0
        self._nap = trio.CancelScope()
        self.late_s = 0.0
        """How late the latest timer was called, in seconds."""

    def __len__(self) -> int:
        return len(self._due)

    def set(self, key: Hashable, at: float, call: Callable[[], None]) -> None:
        """Call once at the time ``at``; replaces an earlier setting of the same key."""
        self._count += 1
        self._due[key] = (at, self._count, call)
        heapq.heappush(self._heap, (at, self._count, key))
        if at < self._nap.deadline:
            self._nap.deadline = at
        if len(self._heap) > 64 + 4 * len(self._due):
            self._heap = [(due, number, key) for key, (due, number, _) in self._due.items()]
            heapq.heapify(self._heap)

    def cancel(self, key: Hashable) -> None:
        """Forget a timer, if it is set."""
        self._due.pop(key, None)

    async def run(self) -> None:
        """Call what falls due, until cancelled."""
        while True:
            self.call_due(trio.current_time())
            deadline = self._heap[0][0] if self._heap else float("inf")
            with trio.CancelScope(deadline=deadline) as self._nap:
                await trio.sleep_forever()
            await trio.sleep(QUANTUM_S)

    def call_due(self, now: float) -> None:
        """Call all timers that are due at ``now``, the earliest first.

        A timer that is set meanwhile waits for the next call even if it is due: one that sets itself again and again
        must not hold up everything else.
        """
        due: list[tuple[float, int, Hashable]] = []
        while self._heap and self._heap[0][0] <= now:
            due.append(heapq.heappop(self._heap))
        for at, number, key in due:
            setting = self._due.get(key)
            if setting is not None and setting[1] == number:
                del self._due[key]
                self.late_s = now - at
                self._call(setting[2])

    def _call(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:
            if self.contained is None:
                raise
            self.contained(error)
