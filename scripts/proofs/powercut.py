"""A power cut under the journal loses nothing that was acknowledged; without the sync it would.

As root, on an ext4 of its own in a file: the daemon's writer commits to the daemon's store and acknowledges, then the
file system is shut down without a flush, which forgets whatever was not synced, and is mounted again. What counts is an
acknowledgement that was out before the cut began. The control is the same with the sync switched off: if that loses
nothing, the cuts cut nothing, and the proof is void.
"""

import argparse
import fcntl
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs
import trio

from coordinator.engine import commands, events
from coordinator.journal.records import Chain
from coordinator.journal.sqlite import SqliteStore
from coordinator.shell.writer import Writer
from scripts.proofs._report import begin, finish, say

DISK_BYTES = 256 << 20
CUTS_PER_JOURNAL = 10
FASTEST_S, SLOWEST_S = 0.05, 0.35
"""How long the writer may write before the cut."""

_SHUTDOWN = 0x8004587D
"""The ext4 request to stop at once; with the flag below nothing is flushed on the way."""
_NO_FLUSH = struct.pack("I", 2)


@attrs.define
class Campaign:
    """What came of a row of cuts."""

    cuts: int = 0
    acknowledged: int = 0
    lost: int = 0
    cuts_with_loss: int = 0
    damaged: int = 0


class Disk:
    """An ext4 in a file, mounted in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.image, self.mounted_at = folder / "disk", folder / "mounted"
        with self.image.open("wb") as image:
            image.truncate(DISK_BYTES)
        _run("mkfs.ext4", "-q", str(self.image))
        self.mounted_at.mkdir()

    def mount(self) -> None:
        _run("mount", "-o", "loop", str(self.image), str(self.mounted_at))

    def unmount(self) -> None:
        _run("umount", str(self.mounted_at))

    def cut(self) -> None:
        """The power is gone: what was not synced is forgotten."""
        place = os.open(self.mounted_at, os.O_RDONLY)
        try:
            fcntl.ioctl(place, _SHUTDOWN, _NO_FLUSH)
        finally:
            os.close(place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=50, help="power cuts under the synced journal (%(default)s)")
    parser.add_argument("--control", type=int, default=10, help="power cuts under the unsynced one (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    begin("powercut", seed=options.seed, cuts=options.cuts, control=options.control)
    started = time.monotonic()
    chance = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp(prefix="powercut-"))
    try:
        disk = Disk(folder)
        synced = _campaign(disk, chance, options.cuts, synced=True)
        control = _campaign(disk, chance, options.control, synced=False)
    except (OSError, subprocess.CalledProcessError) as error:
        finish("powercut", ok=False, seed=options.seed, void=f"no disk to cut: {error} (root with loop mounts?)")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    void = control.cuts_with_loss * 2 < control.cuts or synced.acknowledged == 0
    finish(
        "powercut",
        ok=not void and synced.lost == 0 and synced.damaged == 0,
        seed=options.seed,
        **attrs.asdict(synced),
        control={name: figure for name, figure in attrs.asdict(control).items() if name != "damaged"},
        void=void,
        wall_s=round(time.monotonic() - started, 1),
    )


def _campaign(disk: Disk, chance: random.Random, cuts: int, *, synced: bool) -> Campaign:
    found = Campaign()
    for number in range(cuts):
        disk.mount()
        journal = disk.mounted_at / f"{'synced' if synced else 'control'}-{number // CUTS_PER_JOURNAL}.db"
        # A journal that was made and synced before; the cut strikes among its records.
        SqliteStore(str(journal)).close()
        os.sync()
        match_id = f"cut-{number}"
        acknowledged = _write_until(partial(_write, journal, match_id, synced), disk.cut, chance)
        disk.unmount()
        disk.mount()
        found.cuts += 1
        found.acknowledged += acknowledged
        kept, whole = _read_back(journal, match_id)
        found.damaged += not whole
        lost = max(0, acknowledged - kept)
        found.lost += lost
        found.cuts_with_loss += lost > 0
        if not synced and not whole:
            journal.unlink()  # what such a disk leaves need not be a journal any more
        disk.unmount()
        if lost or number % 10 == 9:
            say(f"{'synced' if synced else 'control'}, cut {number + 1}: {acknowledged} acknowledged, {lost} lost")
    return found


def _write_until(write: Callable[[int], None], cut: Callable[[], None], chance: random.Random) -> int:
    """Let a process write, cut, kill; how many records it had acknowledged before the cut began."""
    out, acknowledging = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        try:
            write(acknowledging)
        finally:
            os._exit(1)
    os.close(acknowledging)
    try:
        heard = os.read(out, 8)  # the first one is out: it writes
        os.set_blocking(out, False)
        until = time.monotonic() + chance.uniform(FASTEST_S, SLOWEST_S)
        while time.monotonic() < until:
            heard += _available(out)
            time.sleep(0.001)
        heard += _available(out)
        cut()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(out)
    numbers = [number for (number,) in struct.iter_unpack("<q", heard[: len(heard) // 8 * 8])]
    assert numbers == list(range(1, len(numbers) + 1)), "acknowledged out of order"
    return len(numbers)


def _available(out: int) -> bytes:
    try:
        return os.read(out, 1 << 20)
    except BlockingIOError:
        return b""


def _write(journal: Path, match_id: str, synced: bool, acknowledging: int) -> None:
    """In a process of its own: commit as the daemon does, and acknowledge each record when it is released."""
    sys.stderr.flush()
    store = SqliteStore(str(journal))
    if not synced:
        store._connection.execute("PRAGMA synchronous=OFF")
    trio.run(_commit, store, match_id, acknowledging)


async def _commit(store: SqliteStore, match_id: str, acknowledging: int) -> None:
    writer = Writer(store)
    chain = Chain.start(match_id)

    def acknowledge(seq: int) -> None:
        os.write(acknowledging, struct.pack("<q", seq))

    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        while True:
            for _ in range(1 + chain.seq % 7):
                t = chain.seq + 1
                record = chain.seal(commands.StartMatch(t), [events.MatchStarted(t)], (), t)
                writer.append(record, acknowledge, record.seq)
            await writer.drain()


def _read_back(journal: Path, match_id: str) -> tuple[int, bool]:
    """What a start after the cut finds: how many records of the match, and whether the journal is whole."""
    try:
        with SqliteStore(str(journal)) as store:
            if match_id in store.named():
                store.verify_all()
            head = store.head(match_id)
            return (0 if head is None else head.seq), True
    except Exception as error:
        say(f"after the cut: {error}")
        return 0, False


def _run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
