"""What cannot be started says why in a sentence and leaves everything as it was; what cannot be read harms nobody."""

import os
import random
import socket
import sqlite3
from pathlib import Path

import msgpack
import pytest
import trio

from coordinator.journal.sqlite import SqliteStore
from protocol.client import Lobby
from tests.e2e.players import Cup, lead
from tests.e2e.processes import GUARD_S, Daemon, coordinator, ending, running, table_server
from tests.journal.small_match import write
from tests.shell.peers import BINARY, TEXT, frame
from tests.shell.programs import Closed, Program

pytestmark = pytest.mark.process


def serve(tmp_path: Path, *arguments: str, listen: str = "127.0.0.1:0", http: str = "127.0.0.1:0"):
    words = ["serve", "--listen", listen, "--http", http, "--journal", f"sqlite:///{tmp_path}/journal.db"]
    ended = coordinator(*words, *arguments, cwd=tmp_path)
    assert "Traceback" not in ended.stderr
    assert "[bug]" not in ended.stderr
    return ended


@pytest.mark.parametrize("which", ["listen", "http"])
def test_a_busy_port_is_named(tmp_path, which):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        address = f"127.0.0.1:{busy.getsockname()[1]}"
        ended = serve(tmp_path, **{which: address})
    assert ended.returncode == 5
    assert f"{address} is in use" in ended.stderr
    assert "[address_in_use]" in ended.stderr


@pytest.mark.parametrize("address", ["203.0.113.7:7420", "no-such-host.invalid:7420"])
def test_an_address_that_is_not_ours_is_named(tmp_path, address):
    assert coordinator("credentials", "make", "srv-1", "--role", "table", cwd=tmp_path).returncode == 0
    ended = serve(tmp_path, "--credentials", "credentials.toml", listen=address)
    assert ended.returncode == 3
    assert f"nothing can listen on {address}" in ended.stderr


def test_a_ready_file_that_cannot_be_written_is_named(tmp_path):
    ended = serve(tmp_path, "--ready-file", str(tmp_path / "no such folder" / "ready.json"))
    assert ended.returncode == 1
    assert "[ready_file_failed]" in ended.stderr


def a_journal(file: Path) -> None:
    with SqliteStore(str(file)) as store:
        write(store)


def text_file(file: Path) -> str:
    file.write_text("my shopping list\n" * 50)
    return "journal_foreign"


def another_program(file: Path) -> str:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    return "journal_foreign"


def newer(file: Path) -> str:
    a_journal(file)
    content = bytearray(file.read_bytes())
    content[60:64] = (99).to_bytes(4, "big")
    file.write_bytes(content)
    return "journal_newer"


def torn(file: Path) -> str:
    a_journal(file)
    os.truncate(file, file.stat().st_size // 2)
    return "journal_damaged"


def altered(file: Path) -> str:
    a_journal(file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE records SET body = CAST(REPLACE(body, 'p2', 'p9') AS BLOB) WHERE seq = 3")
    connection.close()  # the last one folds the log into the file
    return "journal_damaged"


@pytest.mark.parametrize("spoil", [text_file, another_program, newer, torn, altered])
def test_a_journal_that_is_none_is_left_as_it_is(tmp_path, spoil):
    file = tmp_path / "journal.db"
    code = spoil(file)
    before = file.read_bytes()
    ended = serve(tmp_path, "--on-damage", "refuse")
    assert ended.returncode == 4, ended.stderr
    assert f"[{code}]" in ended.stderr
    if spoil is altered:
        assert "Match 'm', record 3: its bytes do not match its hash" in ended.stderr
    assert file.read_bytes() == before


def test_a_definition_with_mistakes_names_them_all(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('id = "x y"\ngame = "dou_dizhu"\n[[stages]]\nid = "a"\nformat = "melee"\ntable_size = 1\n')
    ended = serve(tmp_path, "--definition", str(bad))
    assert ended.returncode == 3
    assert "[definition_refused]" in ended.stderr
    for word in ("'x y' is no name", "table_size", "round", "grouping"):
        assert word in ended.stderr
    assert not (tmp_path / "journal.db").exists()


async def test_two_daemons_do_not_share_a_journal(tmp_path):
    daemon = Daemon(tmp_path)
    with trio.fail_after(GUARD_S):
        async with running(daemon):
            assert daemon.process is not None
            ended = await trio.to_thread.run_sync(serve, tmp_path)
            assert ended.returncode == 1
            assert f"Process {daemon.process.popen.pid} writes the journal" in ended.stderr
            assert (await daemon.get("/readyz"))["ready"]
            assert await daemon.stop() == 0


HELLO = {"type": "hello", "identity": "evil", "roles": ["table", "lobby"], "life": "x", "capacity": 1}


def packed(*said: object, seq: int = 0) -> bytes:
    return msgpack.packb([seq, 0, list(said)])


BAD: list[tuple[list[bytes], int | None]] = [
    ([frame(BINARY, b"\xc1")], 4000),
    ([frame(BINARY, packed({"type": "capacity", "capacity": 1}))], 4001),
    ([frame(BINARY, packed(HELLO | {"versions": [9]}))], 4015),
    ([frame(BINARY, packed(HELLO | {"software": "x" * 2000}))], 1009),
    ([frame(TEXT, b"hello")], 1003),
    ([frame(BINARY, packed(HELLO), masked=False)], 1002),
    ([frame(BINARY, packed(HELLO)), frame(BINARY, packed(HELLO, seq=1))], 4000),
    ([frame(BINARY, packed(HELLO)), frame(BINARY, packed({"type": "capacity", "capacity": 1}, seq=5))], 4010),
    ([frame(BINARY, packed(HELLO)), frame(BINARY, b"\x93\x01\x00" + b"\x91" * 1000)], 4000),
    ([frame(BINARY, packed(HELLO)), frame(BINARY, random.Random(7).randbytes(70_000))], 1009),
    ([frame(BINARY, packed(HELLO)), frame(BINARY, packed(*range(65), seq=1))], 4000),
]


async def test_malformed_frames_disturb_nobody(tmp_path):
    daemon = Daemon(tmp_path)
    cup = Cup("cup", 90)
    port = int(daemon.listen.rpartition(":")[2])
    wrong: list[object] = []

    async def misbehave(said: list[bytes], code: int | None) -> None:
        for _ in range(12):
            peer = Program(port, "evil")
            await peer.dial()
            assert peer.raw is not None
            try:
                for piece in said:
                    await peer.raw.send(piece)
                while True:
                    await peer.payload()
            except Closed as closed:
                # That another one takes the identity over in the middle is an answer, too.
                if closed.code not in (code, 4009):
                    wrong.append((said, code, closed.code))
            except trio.BrokenResourceError:
                pass
            await peer.end()

    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            server = table_server(daemon, "ts-1", think_s=0.01)
            with ending(server):
                await daemon.until_servers("ts-1")
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                async with trio.open_nursery() as crowd:
                    crowd.start_soon(lead, lobby, cup)
                    for said, code in BAD:
                        crowd.start_soon(misbehave, said, code)
                nursery.cancel_scope.cancel()
                status = await daemon.get("/api/v1/status")
                assert status["ready"]
                assert status["matches"] == {"registering": 0, "running": 0, "over": 1, "halted": 0}
                assert await daemon.stop() == 0
    assert wrong == []
    assert cup.complete
