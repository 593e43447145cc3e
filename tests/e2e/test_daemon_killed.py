"""The daemon is killed in the middle of a cup, twice: nothing that was acknowledged is lost, and the cup ends."""

from functools import partial

import pytest
import trio

from coordinator.engine import events
from coordinator.journal.records import Chain
from coordinator.journal.store import open_store
from protocol.client import Lobby, TableServer
from tests.e2e.players import Book, Cup, keep_tables, lead
from tests.e2e.processes import GUARD_S, Daemon, running

pytestmark = pytest.mark.process

KILL_AT = (40, 150)
"""Verdicts after which the daemon dies: it is in the middle of something then."""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_nothing_acknowledged_is_lost(tmp_path, kind, request):
    cup, book = Cup("cup", 90), Book()
    journal = "" if kind == "sqlite" else request.getfixturevalue("postgres").new_database()
    daemon = Daemon(tmp_path, journal=journal)
    reached = {count: trio.Event() for count in KILL_AT}

    def count() -> None:
        if len(book.verdicts) in reached:
            reached[len(book.verdicts)].set()

    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            for number in (1, 2, 3):
                server = TableServer(daemon.url, f"ts-{number}", games=["dou_dizhu"], capacity=64)
                nursery.start_soon(partial(keep_tables, server, book, on_verdict=count))
            lobby = Lobby(daemon.url, "lobby")
            nursery.start_soon(lobby.run)
            nursery.start_soon(lead, lobby, cup)
            for moment in KILL_AT:
                await reached[moment].wait()
                await daemon.kill()
                await daemon.start()
            await cup.over.wait()
            assert (await daemon.get("/api/v1/matches/cup"))["status"] == "over"
            nursery.cancel_scope.cancel()
            assert await daemon.stop() == 0
    assert cup.complete
    scored: dict[tuple[str, int, int], dict[str, int]] = {}
    with open_store(daemon.journal, read_only=True) as store:
        seats: dict[int, tuple[str, ...]] = {}
        for record in store.follow(Chain.start("cup")):
            for event in record.events:
                if isinstance(event, events.TablesSeated):
                    seats |= dict(enumerate(event.tables, start=event.first_table_id))
                elif isinstance(event, events.HandScored):
                    key = ("cup", event.table_id, event.hand_no)
                    assert key not in scored, "a hand was counted twice"
                    scored[key] = dict(zip(seats[event.table_id], event.reported, strict=True))
    assert book.counts.items() <= scored.items()
    assert len(book.counts) > KILL_AT[-1] // 2
    assert not {verdict.verdict for verdict in book.verdicts} & {"conflict", "invalid", "late"}
    replayed = daemon.replay()
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert "same state, same messages, same decisions" in replayed.stdout
