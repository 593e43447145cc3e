"""The disk fails under a running match: the daemon says so and ends; started again it goes on, and nothing is lost."""

import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from coordinator.engine import events
from coordinator.journal.records import Chain
from coordinator.journal.sqlite import SqliteStore
from coordinator.journal.store import open_store
from protocol.client import Lobby, TableServer
from tests.e2e.players import Book, Cup, keep_tables, lead
from tests.e2e.processes import GUARD_S, ONE_TABLE, Daemon, coordinator, running
from tests.journal.small_match import played, write

pytestmark = pytest.mark.process

LONG_TABLE = ONE_TABLE.replace("hands = 2 ", "hands = 60 ")

Fault = tuple[Sequence[str], Callable[[], object] | None]
"""What the daemon is started inside of, and what happens after some verdicts."""


def full_disk(postgres: Any) -> Fault:
    """No file may grow beyond 160 KiB."""
    return ["bash", "-c", 'ulimit -f 160 && exec "$@"', "bash"], None


def failing_sync(postgres: Any) -> Fault:
    """The kernel answers one sync with an input/output error, and all others as if nothing had been."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace on PATH to make a sync fail with")
    calls = "fsync,fdatasync"
    return [strace, "-D", "-f", "-qq", "-o", os.devnull, "-e", f"inject={calls}:error=EIO:when=40"], None


def database_gone(postgres: Any) -> Fault:
    """The database server ends every connection and stops after some verdicts."""
    return [], partial(postgres.stop, "fast")


@pytest.mark.parametrize("fault", [full_disk, failing_sync, database_gone])
async def test_a_journal_that_fails_ends_the_daemon_and_loses_nothing(tmp_path, fault, request):
    postgres = request.getfixturevalue("postgres") if fault is database_gone else None
    inside, strike = fault(postgres)
    journal = "" if postgres is None else postgres.new_database()
    cup, book = Cup("cup", 3, "table"), Book()
    (tmp_path / "table.toml").write_text(LONG_TABLE)
    daemon = Daemon(tmp_path, "--definition", "table.toml", journal=journal)
    some_played = trio.Event()

    def count() -> None:
        if len(book.verdicts) == 10:
            some_played.set()

    with trio.fail_after(GUARD_S):
        try:
            await daemon.start(inside)
            first = daemon.process
            assert first is not None
            async with trio.open_nursery() as nursery:
                for number in (1, 2):
                    server = TableServer(daemon.url, f"ts-{number}", games=["dou_dizhu"], capacity=64)
                    nursery.start_soon(partial(keep_tables, server, book, on_verdict=count))
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                nursery.start_soon(lead, lobby, cup)
                if strike is not None:
                    await some_played.wait()
                    await trio.to_thread.run_sync(strike)
                assert await first.ended() == 1
                assert "The journal could not be written" in first.said
                assert "[journal_failed]" in first.said
                assert "Traceback" not in first.said
                assert not cup.over.is_set()
                if postgres is not None:
                    down = await trio.to_thread.run_sync(
                        partial(coordinator, "serve", "--journal", journal, cwd=tmp_path)
                    )
                    assert (down.returncode, "[database_unreachable]" in down.stderr) == (6, True)
                    await trio.to_thread.run_sync(postgres.start)
                async with running(daemon):
                    await cup.over.wait()
                    assert await daemon.stop() == 0
                nursery.cancel_scope.cancel()
        finally:
            if daemon.process is not None:
                daemon.process.end()
    assert cup.complete
    with open_store(daemon.journal, read_only=True) as store:
        happened = [event for record in store.follow(Chain.start("cup")) for event in record.events]
    hands = [("cup", event.table_id, event.hand_no) for event in happened if isinstance(event, events.HandScored)]
    assert len(hands) == len(set(hands)), "a hand was counted twice"
    assert set(book.counts) <= set(hands)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="a small disk is root's to mount")
@pytest.mark.parametrize("room", [0, 20_480])
@pytest.mark.parametrize("there", [False, True], ids=["new", "existing"])
def test_a_full_disk_is_named_at_the_start(tmp_path, there, room):
    """A disk of 256 KiB, with room for nothing, or for some of the files beside the journal."""
    folder, old = tmp_path / "disk", tmp_path / "old.db"
    folder.mkdir()
    with SqliteStore(str(old)) as store:
        write(store, steps=played(9))
    mount = 'mount -t tmpfs -o size=256k small "$0"'
    fill = f'{{ cat /dev/zero >"$0/filled" 2>/dev/null; truncate -s -{room} "$0/filled"; }}'
    begin = 'cp "$1" "$0/journal.db"' if there else "true"
    prepare = f'{mount} && {begin} && {fill} && shift && exec "$@"'
    inside = ["unshare", "--mount", "bash", "-c", prepare, str(folder), str(old)]
    address = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    ended = coordinator("serve", *address, "--journal", f"sqlite:///{folder}/journal.db", cwd=tmp_path, inside=inside)
    assert ended.returncode == 6, ended.stderr
    assert "[database_unreachable]" in ended.stderr
    assert "room" in ended.stderr


def read_only(folder: Path) -> Sequence[str]:
    """What a program is started inside of that may not write into this folder."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        return []
    if shutil.which("unshare") is None:
        pytest.skip("root may write anywhere, and there is no unshare on PATH to give it a disk of its own")
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return ["unshare", "--mount", "bash", "-c", mount, str(folder)]


@pytest.mark.parametrize("there", [False, True], ids=["new", "existing"])
def test_a_read_only_disk_is_named_at_the_start(tmp_path, there):
    folder = tmp_path / "disk"
    folder.mkdir()
    if there:
        with SqliteStore(str(folder / "journal.db")) as store:
            write(store, steps=played(9))
    before = sorted(file.name for file in folder.iterdir())
    inside = read_only(folder)
    address = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    url = f"sqlite:///{folder}/journal.db"
    try:
        ended = coordinator("serve", *address, "--journal", url, cwd=tmp_path, inside=inside)
        assert ended.returncode == 6, ended.stderr
        assert "[database_unreachable]" in ended.stderr
        assert "read-only" in ended.stderr or "permission denied" in ended.stderr
        assert sorted(file.name for file in folder.iterdir()) == before
        if there:
            # Looking needs no writing.
            checked = coordinator("replay", "--check", "--journal", url, cwd=tmp_path, inside=inside)
            assert checked.returncode == 0, checked.stderr
    finally:
        folder.chmod(0o755)
