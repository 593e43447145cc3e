"""Processes that commit as the daemon does and die at a named moment, or after so many bytes.

``python -m tests.shell.mortals`` reads orders from standard input, a line of JSON each, and has a child for each: it
opens the journal, takes up what is there, goes on with the small match to its end, and closes. Each child is a fork,
for a process that imports everything anew takes ten times as long. The answer is a line of JSON: which signal the child
ended by (0: none), and the numbers of the records that it acknowledged.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import trio

from coordinator.engine.match import new_state, step
from coordinator.journal.moments import Moment
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.replay import recover
from coordinator.journal.sqlite import SqliteStore
from coordinator.journal.store import Store, open_store
from coordinator.shell.writer import Writer
from tests.journal.small_match import WALL_MS, played

OPENING: tuple[Moment, ...] = ("journal made, not in place", "journal in place", "journal opened")
READING: tuple[Moment, ...] = ("record read",)
COMMITTING: tuple[Moment, ...] = (
    "before the write", "half written", "written, not committed", "committed, not told", "between two releases",
    "all released", "before a snapshot", "snapshot half written", "snapshot written, not committed",
    "snapshot committed",
)  # fmt: skip
"""The moments that such a process comes to."""

PLAYERS = 27
GROUP = 4
"""So many records, then a snapshot."""
WITHIN_S = 90


@attrs.frozen
class Death:
    """How a child ended, and what it had acknowledged before."""

    by: int
    acknowledged: list[int]


class Mortals:
    """The process whose children die."""

    def __init__(self) -> None:
        root = Path(__file__).parents[2]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.shell.mortals"],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def live(
        self, url: str, moment: Moment | None = None, nth: int = 1, *, bytes_each: int = 0, log_pages: int = 0
    ) -> Death:
        """Let a child go on with the journal, until it comes to a moment for the ``nth`` time.

        With ``bytes_each`` no file may grow longer: the kernel writes up to there and ends the child. With
        ``log_pages`` SQLite copies its log into the database whenever that holds so many pages.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, moment, nth, bytes_each, log_pages]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process whose children die has died itself"
        return Death(*json.loads(answer))

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def mortals() -> Iterator[Mortals]:
    """Children to order, for as long as the block lasts."""
    found = Mortals()
    try:
        yield found
    finally:
        found.end()


def serve() -> None:
    played(PLAYERS)  # once, for all children
    for line in sys.stdin:
        heard, said = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(heard)
            signal.alarm(WITHIN_S)
            live(said, *json.loads(line))
        os.close(said)
        with os.fdopen(heard) as acknowledged:
            numbers = [int(number) for number in acknowledged]
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or status == 0, f"a child ended with {status}"
        print(json.dumps([os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, numbers]), flush=True)


def live(said: int, url: str, moment: Moment | None, nth: int, bytes_each: int, log_pages: int) -> None:
    """The life of a child."""
    code = 1
    try:
        die_at(moment, nth)
        if bytes_each:
            die_after(bytes_each)
        with open_store(url) as store:
            if isinstance(store, SqliteStore) and log_pages:
                store._connection.execute(f"PRAGMA wal_autocheckpoint={log_pages}")
            trio.run(go_on, store, said)
        code = 0
    finally:
        os._exit(code)


def die_at(moment: Moment | None, nth: int) -> None:
    left = nth

    def reach(reached: Moment) -> None:
        nonlocal left
        if reached == moment:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    Store.reach = staticmethod(reach)


def die_after(bytes_each: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_each, bytes_each))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores


async def go_on(store: Store, said: int) -> None:
    """Take up every match there is, and go on with ours: groups of records, a snapshot behind each."""
    found = {match_id: recover(store, match_id) for match_id in store.named()}
    if "m" in found:
        chain, state = found["m"].chain, found["m"].state
    else:
        chain, state = Chain.start("m"), new_state()

    def acknowledge(seq: int) -> None:
        os.write(said, f"{seq}\n".encode())

    writer = Writer(store)
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        for command, outcome in played(PLAYERS)[chain.seq :]:
            step(state, command)
            record = chain.seal(command, outcome.events, outcome.effects, WALL_MS)
            writer.append(record, acknowledge, record.seq)
            if chain.seq % GROUP == 0:
                writer.snapshot(Snapshot.take(chain, state))
                await writer.drain()
        await writer.drain()
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    serve()
