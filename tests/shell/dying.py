"""A process that dies between a record and the word of it."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from coordinator.engine import events
from coordinator.errors import JournalFailed
from coordinator.journal.moments import Moment
from coordinator.journal.records import Chain
from coordinator.journal.sqlite import MemoryStore
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program


class DyingStore(MemoryStore):
    """A store whose process dies when a record of a kind is on disk and nobody has been told."""

    def __init__(self, kind: type[events.Event]) -> None:
        super().__init__()
        self.kind: type[events.Event] | None = kind
        self.reach = self._die

    def _die(self, moment: Moment) -> None:
        if moment == "committed, not told" and self.kind is not None and "cup" in self.named():
            happened = [event for record in self.follow(Chain.start("cup")) for event in record.events]
            if any(isinstance(event, self.kind) for event in happened):
                self.kind = None
                raise JournalFailed("the process ends here")


async def dies(store: DyingStore, work: Callable[[Premises], Awaitable[None]]) -> None:
    """Do this work until the coordinator dies of it."""
    left: list[Program] = []
    with pytest.RaisesGroup(JournalFailed, flatten_subgroups=True, allow_unwrapped=True):
        async with premises(store=store) as house:
            left = house.programs
            await work(house)
            await trio.sleep_forever()
    for program in left:
        await program.end()
