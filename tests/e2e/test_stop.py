"""A clean stop: everybody is told, every state is kept, and the next start goes on where this one ended."""

import signal

import pytest
import trio

from coordinator.journal.store import open_store
from protocol.client import Lobby, TableServer
from protocol.messages import Bye, Capacity
from tests.e2e.players import Book, Cup, keep_tables, lead
from tests.e2e.processes import GUARD_S, ONE_TABLE, Daemon, running
from tests.shell.programs import Program

pytestmark = pytest.mark.process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_in_good_order(tmp_path, number):
    (tmp_path / "table.toml").write_text(ONE_TABLE)
    daemon = Daemon(tmp_path, "--definition", str(tmp_path / "table.toml"))
    cup, book = Cup("cup", 3, "table"), Book()
    port = int(daemon.listen.rpartition(":")[2])
    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            lobby = Lobby(daemon.url, "lobby")
            nursery.start_soon(lobby.run)
            nursery.start_soon(lead, lobby, cup)
            await cup.opened.wait()
            await daemon.until_match("cup", lambda match: match["status"] == "running")
            peer = Program(port, "watcher", "table", games=["tarot"], capacity=1)
            await peer.hello()
            await peer.ask(Capacity(2))
            assert await daemon.stop(number) == 0
            assert await peer.close_code() == 1012
            bye = peer.heard[-1]
            assert isinstance(bye, Bye)
            assert bye.code == "shutting_down"
            assert bye.retry_after_ms is not None
            await peer.end()
            with open_store(daemon.journal, read_only=True) as store:
                head = store.head("cup")
                assert head is not None
                assert next(store.snapshots("cup")).seq == head.seq
            assert '"stopped"' in daemon.log

            await daemon.start()
            assert "matches resumed" in daemon.log
            nursery.start_soon(keep_tables, TableServer(daemon.url, "ts", games=["dou_dizhu"], capacity=1), book)
            await cup.over.wait()
            nursery.cancel_scope.cancel()
            assert await daemon.stop(number) == 0
    assert cup.complete
    assert len(book.counts) == 2
    assert daemon.replay().returncode == 0
