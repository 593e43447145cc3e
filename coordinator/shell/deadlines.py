"""One heap of deadlines for all connections, so that none needs a timer or a task of its own."""

from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Generic, Protocol, TypeVar


class HasDue(Protocol):
    """What may stand in the heap: it carries the moment at which it wants to be looked at."""

    due: float
    """Moment of the next look in seconds, `math.inf` for none. Written by `Deadlines` alone."""


T = TypeVar("T", bound=HasDue)


class Deadlines(Generic[T]):
    """Items in the order in which they want to be looked at.

    An item has at most one live entry. A deadline that moves later leaves its entry alone: the look
    comes early, finds nothing to do and arms the next one. So received bytes never touch the heap.
    """

    __slots__ = ("_heap", "_serial")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, T]] = []
        self._serial = count()

    def __len__(self) -> int:
        """Entries in the heap, outdated ones included."""
        return len(self._heap)

    def arm(self, item: T, due: float) -> None:
        """Look at `item` at `due`, unless an earlier look is planned already."""
        if due < item.due:
            item.due = due
            heappush(self._heap, (due, next(self._serial), item))

    def pop_due(self, now: float) -> list[T]:
        """Take out the items whose moment has come, earliest first; each must be armed again to return."""
        heap, found = self._heap, []
        while heap and heap[0][0] <= now:
            due, _, item = heappop(heap)
            if item.due == due:
                item.due = inf
                found.append(item)
        return found
