"""The daemon is killed at the moments that only a whole one has, on both databases: nothing is lost, the cup ends."""

import signal
from functools import partial

import pytest
import trio

from coordinator.engine import events
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.journal.store import open_store
from protocol.client import Lobby, TableServer
from tests.e2e.dying_daemon import STOPPING, TELLING
from tests.e2e.players import Book, Cup, keep_tables, lead
from tests.e2e.processes import GUARD_S, ONE_TABLE, Daemon, running

pytestmark = pytest.mark.process

HANDS = 300
"""More than are played before the last death."""
LONG_TABLE = ONE_TABLE.replace("hands = 2 ", f"hands = {HANDS} ")


class Count:
    """Verdicts as they come."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._wanted = 0
        self._reached = trio.Event()

    def up(self) -> None:
        if len(self._book.verdicts) >= self._wanted:
            self._reached.set()

    async def more(self, number: int) -> None:
        """Wait for so many more."""
        self._wanted, self._reached = len(self._book.verdicts) + number, trio.Event()
        await self._reached.wait()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_deaths_in_a_row_at_the_moments_of_a_daemon_lose_nothing(tmp_path, kind, request):
    (tmp_path / "table.toml").write_text(LONG_TABLE)
    cup, book = Cup("cup", 3, "table"), Book()
    count = Count(book)
    journal = "" if kind == "sqlite" else request.getfixturevalue("postgres").new_database()
    daemon = Daemon(tmp_path, "--definition", "table.toml", journal=journal)
    daemon.program = "tests.e2e.dying_daemon"
    with trio.fail_after(GUARD_S):
        try:
            async with trio.open_nursery() as nursery:
                server = TableServer(daemon.url, "ts", games=["dou_dizhu"], capacity=1)
                nursery.start_soon(partial(keep_tables, server, book, on_verdict=count.up))
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                nursery.start_soon(lead, lobby, cup)
                for moment in (*TELLING, *STOPPING):
                    # The twentieth frame is one of a verdict and the next hand, or of what the lobby hears of them.
                    await daemon.start(DIES_AT=moment, DIES_NTH="20" if moment in TELLING else "1")
                    assert daemon.process is not None
                    if moment in TELLING:
                        assert await daemon.process.ended() == -signal.SIGKILL
                    else:
                        await count.more(5)
                        assert await daemon.stop() == -signal.SIGKILL
                    assert not cup.over.is_set(), "it died too late"
                daemon.program = "coordinator"
                async with running(daemon):
                    await cup.over.wait()
                    nursery.cancel_scope.cancel()
                    assert await daemon.stop() == 0
        finally:
            if daemon.process is not None:
                daemon.process.end()
    assert cup.complete
    with open_store(daemon.journal, read_only=True) as store:
        happened = [event for record in store.follow(Chain.start("cup")) for event in record.events]
        assert replay(store, "cup", check=True).first_difference is None
    scored = [event.hand_no for event in happened if isinstance(event, events.HandScored)]
    assert sorted(scored) == list(range(1, HANDS + 1)), "a hand is missing, or counts twice"
    assert sorted(hand_no for _, _, hand_no in book.counts) == sorted(scored)
