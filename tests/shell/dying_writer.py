"""A process that commits as the daemon does and dies at a named moment; run by ``test_crash_points``.

``python -m tests.shell.dying_writer URL MOMENT NTH`` writes the number of every record to standard output when it is
released, and kills itself at the NTH time that the moment is reached.
"""

import os
import signal
import sys

import trio

from coordinator.engine.match import new_state, step
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.store import Moment, Store, open_store
from coordinator.shell.writer import Writer
from tests.journal.small_match import WALL_MS, played

GROUP = 4


def main(url: str, moment: str, nth: int) -> None:
    left = nth

    def reach(reached: Moment) -> None:
        nonlocal left
        if reached == moment:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with open_store(url) as store:
        store.reach = reach
        trio.run(commit, store)


def acknowledge(seq: int) -> None:
    os.write(1, f"{seq}\n".encode())


async def commit(store: Store) -> None:
    """Groups of records, a snapshot behind each."""
    writer, chain, state = Writer(store), Chain.start("m"), new_state()
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        for command, outcome in played(27):
            step(state, command)
            record = chain.seal(command, outcome.events, outcome.effects, WALL_MS)
            writer.append(record, acknowledge, record.seq)
            if chain.seq % GROUP == 0:
                writer.snapshot(Snapshot.take(chain, state))
                await writer.drain()
        await writer.drain()
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
