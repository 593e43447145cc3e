"""Queues from the link to the program's own code: filled without waiting, read with ``async for``."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Self, TypeVar

import trio

T = TypeVar("T")


class Feed(Generic[T]):
    """What came and was not yet taken, in order; ends when the link does. Several tasks may take from one
    feed.

    ``wanted`` is asked when an item is taken; what is no longer wanted is passed over.
    """

    def __init__(self, wanted: Callable[[T], bool] | None = None) -> None:
        self._items: OrderedDict[object, T] = OrderedDict()
        self._readers = trio.lowlevel.ParkingLot()
        self._wanted = wanted
        self._ended = False

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: T, key: object = None) -> None:
        """Add an item; with a ``key`` it replaces the one that waits under the same key."""
        self._items[object() if key is None else key] = item
        self._readers.unpark()

    def end(self) -> None:
        """Nothing will follow what is here."""
        self._ended = True
        self._readers.unpark_all()

    async def receive(self) -> T:
        """The next item. Raises trio.EndOfChannel at the end."""
        await trio.lowlevel.checkpoint()
        while True:
            while self._items:
                _, item = self._items.popitem(last=False)
                if self._wanted is None or self._wanted(item):
                    return item
            if self._ended:
                raise trio.EndOfChannel
            await self._readers.park()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        try:
            return await self.receive()
        except trio.EndOfChannel:
            raise StopAsyncIteration from None
