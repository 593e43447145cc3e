"""Nothing is released before its commit, everything in order after it, and nothing ever again once one failed."""

import threading
from collections.abc import Sequence
from functools import partial

import pytest
import trio

from coordinator.engine.match import new_state, step
from coordinator.errors import JournalFailed
from coordinator.journal.records import Chain, PendingRecord, Snapshot
from coordinator.journal.sqlite import MemoryStore
from coordinator.journal.store import open_store
from coordinator.shell.writer import Writer
from tests.journal.small_match import played, sealed, write


class GatedStore(MemoryStore):
    """A store whose disk is as slow as the test wants: each commit waits for its leave."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[int]] = []
        self.begun = threading.Semaphore(0)
        self.leave = threading.Semaphore(0)

    def append(self, batch: Sequence[PendingRecord]) -> None:
        self.begun.release()
        self.leave.acquire()
        super().append(batch)
        self.commits.append([record.seq for record in batch])

    async def commit_begun(self) -> None:
        await trio.to_thread.run_sync(self.begun.acquire)


class FailingStore(MemoryStore):
    """A store whose disk fails at one commit."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at
        self.tried = 0

    def append(self, batch: Sequence[PendingRecord]) -> None:
        self.tried += 1
        self.left -= 1
        if self.left == 0:
            raise JournalFailed("the disk is full")
        super().append(batch)


async def test_a_release_finds_its_record_on_disk(nursery, tmp_path):
    url = f"sqlite:///{tmp_path}/journal.db"
    with open_store(url) as store, open_store(url, read_only=True) as reader:
        writer = Writer(store)
        await nursery.start(writer.run)
        seen: list[tuple[int, int]] = []

        def note(seq: int) -> None:
            head = reader.head("m")
            seen.append((seq, 0 if head is None else head.seq))

        for record in sealed():
            writer.append(record, partial(note, record.seq))
        await writer.drain()
        assert [seq for seq, _ in seen] == [record.seq for record in sealed()]
        assert all(on_disk >= seq for seq, on_disk in seen)
        nursery.cancel_scope.cancel()


async def test_what_gathers_during_a_commit_shares_the_next(nursery):
    store, released, flushed = GatedStore(), list[int](), list[list[int]]()
    records = sealed()
    writer = Writer(store, after_batch=lambda: flushed.append(list(released)))
    await nursery.start(writer.run)
    writer.append(records[0], partial(released.append, 1))
    await store.commit_begun()
    for record in records[1:5]:
        writer.append(record, partial(released.append, record.seq))
    assert released == []
    assert writer.backlog == 5
    store.leave.release(2)
    await writer.drain()
    assert store.commits == [[1], [2, 3, 4, 5]]
    assert flushed[:2] == [[1], [1, 2, 3, 4, 5]]
    assert (writer.commits, writer.records, writer.backlog) == (2, 5, 0)
    assert writer.commit_seconds > 0
    nursery.cancel_scope.cancel()


async def test_a_commit_is_bounded(nursery):
    store, released = GatedStore(), list[object]()
    records = sealed(steps=played(9))[:12]
    writer = Writer(store, batch=5)
    await nursery.start(writer.run)
    writer.append(records[0], lambda: None)
    await store.commit_begun()
    for record in records[1:]:
        writer.append(record, partial(released.append, record.seq))
    store.leave.release(9)
    await writer.drain()
    assert store.commits == [[1], [2, 3, 4, 5, 6], [7, 8, 9, 10, 11], [12]]
    assert released == list(range(2, 13))
    nursery.cancel_scope.cancel()


async def test_an_answer_without_a_record_stays_behind_what_it_rests_on(nursery):
    store, released = GatedStore(), list[object]()
    first, second, *_ = sealed()
    writer = Writer(store)
    await nursery.start(writer.run)
    assert writer.append(None, partial(released.append, "at once")) is True
    assert released == ["at once"]
    assert writer.append(first, partial(released.append, "first")) is False
    assert writer.append(None, partial(released.append, "answer")) is False
    await store.commit_begun()
    assert writer.append(second, partial(released.append, "second")) is False
    assert writer.append(None, partial(released.append, "last")) is False
    assert released == ["at once"]
    store.leave.release(2)
    await writer.drain()
    assert released == ["at once", "first", "answer", "second", "last"]
    nursery.cancel_scope.cancel()


async def test_a_release_may_append(nursery):
    store, released = MemoryStore(), list[int]()
    first, second, *_ = sealed()
    writer = Writer(store)
    await nursery.start(writer.run)

    def go_on() -> None:
        released.append(1)
        writer.append(second, partial(released.append, 2))

    writer.append(first, go_on)
    await writer.drain()
    await writer.drain()
    assert released == [1, 2]
    nursery.cancel_scope.cancel()


async def test_trio_is_woken_once_a_batch(nursery):
    store = GatedStore()
    records = sealed()
    flushes: list[int] = []
    writer = Writer(store, after_batch=lambda: flushes.append(writer.backlog))
    await nursery.start(writer.run)
    writer.append(records[0], lambda: None)
    await store.commit_begun()
    for record in records[1:5]:
        writer.append(record, lambda: None)
    store.leave.release(2)
    while writer.records < 5 or writer.backlog:
        await trio.lowlevel.checkpoint()
    assert flushes == [4, 0]
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("failing", [1, 2])
async def test_nothing_is_released_after_a_failed_commit(failing):
    store, released = FailingStore(at=failing), list[object]()
    records = sealed()
    writer = Writer(store)
    with pytest.RaisesGroup(JournalFailed):
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            for record in records[: failing - 1]:
                writer.append(record, partial(released.append, record.seq))
                await writer.drain()
            writer.append(records[failing - 1], partial(released.append, "failed"))
            writer.append(None, partial(released.append, "answer"))
            with pytest.raises(JournalFailed, match="the disk is full"):
                await writer.drain()
            writer.append(records[failing], partial(released.append, "later"))
            writer.append(None, partial(released.append, "later answer"))
            with pytest.raises(JournalFailed):
                await writer.drain()
    assert released == list(range(1, failing))
    assert store.tried == failing
    assert list(store.read("m", failing - 1)) == []


async def test_a_failed_snapshot_ends_the_writer_too():
    class NoRoom(MemoryStore):
        def put_snapshot(self, snapshot: Snapshot) -> None:
            raise JournalFailed("no room for a snapshot")

    chain, released = write(MemoryStore()), list[object]()
    writer = Writer(NoRoom())
    with pytest.RaisesGroup(JournalFailed):
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            writer.snapshot(Snapshot(chain.match_id, chain.seq, "", b"", b"", b"", b"", b""))
            await trio.sleep_forever()
    assert writer.append(None, partial(released.append, "answer")) is False
    assert released == []


async def test_a_journal_that_is_gone_is_noticed_though_nothing_is_to_be_written():
    class Unreachable(MemoryStore):
        def check_link(self) -> None:
            raise JournalFailed("the server is gone")

    with pytest.RaisesGroup(JournalFailed):
        async with trio.open_nursery() as nursery:
            writer = Writer(Unreachable(), check_every_s=0)
            await nursery.start(writer.run)
            await trio.sleep_forever()
    assert writer.failure is not None


async def test_a_writer_that_looks_at_its_link_goes_on_writing():
    looked, released = threading.Event(), list[object]()

    class Watched(MemoryStore):
        def check_link(self) -> None:
            looked.set()

    first, second, *_ = sealed()
    async with trio.open_nursery() as nursery:
        writer = Writer(Watched(), check_every_s=0)
        await nursery.start(writer.run)
        writer.append(first, partial(released.append, 1))
        await writer.drain()
        await trio.to_thread.run_sync(looked.wait)
        writer.append(second, partial(released.append, 2))
        await writer.drain()
        nursery.cancel_scope.cancel()
    assert released == [1, 2]


async def test_an_error_of_the_store_that_has_no_name_is_a_failed_commit():
    class Broken(MemoryStore):
        def append(self, batch: Sequence[PendingRecord]) -> None:
            raise ZeroDivisionError

    writer = Writer(Broken())
    with pytest.RaisesGroup(JournalFailed):
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            writer.append(sealed()[0], lambda: None)
            await trio.sleep_forever()


async def test_a_release_that_fails_ends_the_writer_with_its_error():
    def broken() -> None:
        raise ZeroDivisionError

    released: list[object] = []
    first, second, *_ = sealed()
    writer = Writer(MemoryStore())
    with pytest.RaisesGroup(ZeroDivisionError):
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            writer.append(first, broken)
            writer.append(second, partial(released.append, 2))
            await trio.sleep_forever()
    assert released == []


async def test_snapshots_are_kept_behind_their_records(nursery):
    store, chain, state = GatedStore(), Chain.start("m"), new_state()
    writer = Writer(store)
    await nursery.start(writer.run)
    for command, outcome in played(3, 1):
        assert step(state, command) == outcome
        writer.append(chain.seal(command, outcome.events, outcome.effects, 0), lambda: None)
    writer.snapshot(Snapshot.take(chain, state))
    await store.commit_begun()
    assert writer.snapshots == 0
    store.leave.release(chain.seq)
    await writer.drain()
    assert writer.snapshots == 1
    assert store.verify("m").snapshots == 1
    nursery.cancel_scope.cancel()


async def test_draining_waits_for_snapshots_also_when_no_record_waits(nursery):
    store = MemoryStore()
    with MemoryStore() as other:
        write(other, snapshots_after=(2,))
        [snapshot] = other.snapshots("m")
    writer = Writer(store)
    await nursery.start(writer.run)
    writer.snapshot(snapshot)
    await writer.drain()
    assert list(store.snapshots("m")) == [snapshot]
    nursery.cancel_scope.cancel()


async def test_a_clean_stop_commits_and_releases_what_was_appended():
    store, released = GatedStore(), list[object]()
    writer = Writer(store)
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        for record in sealed()[:3]:
            writer.append(record, partial(released.append, record.seq))
        nursery.cancel_scope.cancel()
        store.leave.release(3)
    assert released == [1, 2, 3]
    assert [seq for commit in store.commits for seq in commit] == [1, 2, 3]
    assert "journal writer" not in [thread.name for thread in threading.enumerate()]


async def test_what_is_appended_before_the_start_waits_for_it(nursery):
    released: list[object] = []
    writer = Writer(MemoryStore())
    writer.append(sealed()[0], partial(released.append, 1))
    await nursery.start(writer.run)
    await writer.drain()
    assert released == [1]
    nursery.cancel_scope.cancel()


async def test_a_disk_that_hangs_is_given_up_at_a_clean_stop():
    store, gave_up = GatedStore(), list[bool]()

    def give_up() -> None:
        gave_up.append(threading.current_thread() is not threading.main_thread())
        store.leave.release()

    writer = Writer(store, stop_grace_s=0, give_up=give_up)
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        writer.append(sealed()[0], lambda: None)
        await store.commit_begun()
        nursery.cancel_scope.cancel()
    assert gave_up == [True]


async def test_a_clean_stop_in_time_gives_nothing_up():
    gave_up: list[bool] = []
    writer = Writer(MemoryStore(), stop_grace_s=60, give_up=lambda: gave_up.append(True))
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        nursery.cancel_scope.cancel()
    assert gave_up == []


def test_the_age_of_the_oldest_tells_how_far_behind_the_disk_is():
    clock = trio.testing.MockClock()

    async def main() -> None:
        store = GatedStore()
        writer = Writer(store)
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            assert writer.oldest_age == 0
            first, second, *_ = sealed()
            writer.append(first, lambda: None)
            clock.jump(2)
            writer.append(second, lambda: None)
            clock.jump(1)
            assert (writer.backlog, writer.oldest_age) == (2, 3)
            store.leave.release(2)
            await writer.drain()
            assert (writer.backlog, writer.oldest_age) == (0, 0)
            nursery.cancel_scope.cancel()

    trio.run(main, clock=clock)
