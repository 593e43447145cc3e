"""A disk that knows what was written and what was synced, and a store on it that loses what a real one may lose."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import attrs

from coordinator.errors import JournalFailed
from coordinator.journal.records import FinishedEntry, MatchEntry, PendingRecord, Snapshot, StoredRecord
from coordinator.journal.store import SNAPSHOTS_KEPT, Head, Store
from coordinator.shell.writer import Finishing

Transaction = tuple[PendingRecord, ...] | Snapshot | Finishing


@attrs.define
class Disk:
    """What outlives the process. Transactions are whole or gone, in the order they were written, as with any log."""

    luck: random.Random
    written: list[Transaction] = attrs.field(factory=list)
    synced: int = 0
    """Transactions that a power cut leaves alone."""
    syncs_s: tuple[float, float] = (0.0005, 0.004)
    slow_until: float = 0.0
    fails: str | None = None
    """What the next write says instead of being done."""
    torn: int = 0
    """Transactions of which a cut left a part, which the log then took back."""
    on_synced: Callable[[PendingRecord], None] = lambda _: None

    def sync(self, upto: int) -> None:
        """So many transactions are on the platter now."""
        for transaction in self.written[self.synced : upto]:
            if isinstance(transaction, tuple):
                for record in transaction:
                    self.on_synced(record)
        self.synced = max(self.synced, upto)

    def cut(self) -> None:
        """The process dies, perhaps with the machine: of what was not synced a prefix is there afterwards."""
        unsynced = len(self.written) - self.synced
        if unsynced:
            left = self.luck.randint(0, unsynced)
            self.torn += self.luck.random() < 0.8 and left < unsynced
            del self.written[self.synced + left :]
            self.sync(len(self.written))

    def damage_snapshot(self) -> bool:
        """Turn a bit in the state of some match's newest snapshot; whether there was one."""
        newest: dict[str, int] = {}
        for at, kept in enumerate(self.written):
            snapshot = kept.snapshot if isinstance(kept, Finishing) else kept
            if isinstance(snapshot, Snapshot) and snapshot.state:
                newest[snapshot.match_id] = at
        if not newest:
            return False
        at = self.luck.choice([*newest.values()])
        kept = self.written[at]
        snapshot = kept.snapshot if isinstance(kept, Finishing) else kept
        assert isinstance(snapshot, Snapshot)
        state = bytearray(snapshot.state)
        state[self.luck.randrange(len(state))] ^= 1 << self.luck.randrange(8)
        damaged = attrs.evolve(snapshot, state=bytes(state))
        self.written[at] = attrs.evolve(kept, snapshot=damaged) if isinstance(kept, Finishing) else damaged
        return True

    def damage_record(self) -> Callable[[], None] | None:
        """Turn a bit of some record's body; gives what mends it again, None where there is no record."""
        places = [
            (at, number)
            for at, kept in enumerate(self.written)
            if isinstance(kept, tuple)
            for number in range(len(kept))
        ]
        if not places:
            return None
        at, number = self.luck.choice(places)
        good = self.written[at]
        assert isinstance(good, tuple)
        record = good[number]
        body = bytearray(record.body)
        body[self.luck.randrange(len(body))] ^= 1 << self.luck.randrange(8)
        bad = PendingRecord(record.match_id, record.seq, bytes(body), record.hash, record.opening)
        self.written[at] = (*good[:number], bad, *good[number + 1 :])

        def mend() -> None:
            self.written[at] = good

        return mend


class SimulatedStore(Store):
    """The journals on a simulated disk, for one life of the coordinator."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._records: dict[str, list[PendingRecord]] = {}
        self._entries: dict[str, MatchEntry] = {}
        self._snapshots: dict[str, dict[int, Snapshot]] = {}
        self._finished: dict[str, FinishedEntry] = {}
        self._failed: str | None = None
        self.dead = False
        """The process that held it is gone: nothing it does reaches the disk."""
        for transaction in disk.written:
            self._keep(transaction)

    @property
    def disk(self) -> Disk:
        return self._disk

    def append(self, batch: Sequence[PendingRecord]) -> None:
        self._write(tuple(batch))

    def check_link(self) -> None:
        """The simulated disk has no link; that it is gone is noticed by writing."""

    def put_snapshot(self, snapshot: Snapshot) -> None:
        self._write(snapshot)

    def put_finished(self, entry: FinishedEntry, snapshot: Snapshot) -> None:
        self._write(Finishing(entry, snapshot))

    def _write(self, transaction: Transaction) -> None:
        if self._failed is None and self._disk.fails is not None:
            self._failed, self._disk.fails = self._disk.fails, None
        if self._failed is not None or self.dead:
            raise JournalFailed(self._failed or "the process is gone")
        self._keep(transaction)
        self._disk.written.append(transaction)

    def _keep(self, transaction: Transaction) -> None:
        if isinstance(transaction, Finishing):
            self._finished[transaction.entry.match_id] = transaction.entry
            transaction = transaction.snapshot
        if isinstance(transaction, Snapshot):
            kept = self._snapshots.setdefault(transaction.match_id, {})
            kept[transaction.seq] = transaction
            for seq in sorted(kept)[:-SNAPSHOTS_KEPT]:
                kept[seq] = attrs.evolve(kept[seq], state=b"")
            return
        for record in transaction:
            known = self._records.setdefault(record.match_id, [])
            if record.seq != len(known) + 1:
                raise JournalFailed("the records do not follow the newest ones stored")
            known.append(record)
            if record.opening is not None:
                self._entries[record.match_id] = record.opening

    def matches(self) -> list[MatchEntry]:
        return sorted(self._entries.values(), key=lambda entry: (entry.opened_wall_ms, entry.match_id))

    def entry(self, match_id: str) -> MatchEntry | None:
        return self._entries.get(match_id)

    def unfinished(self) -> list[str]:
        def at_head(match_id: str) -> bool:
            noted, head = self._finished.get(match_id), self.head(match_id)
            return noted is not None and head == Head(noted.seq, noted.hash)

        return [entry.match_id for entry in self.matches() if not at_head(entry.match_id)]

    def finished(self, match_id: str) -> FinishedEntry | None:
        return self._finished.get(match_id)

    def newest_finished(self, count: int, before: FinishedEntry | None = None) -> list[FinishedEntry]:
        found = sorted(self._finished.values(), key=_age, reverse=True)
        return [entry for entry in found if before is None or _age(entry) < _age(before)][:count]

    def count_finished(self) -> dict[str, int]:
        open_ones = self.unfinished()
        return Counter(entry.status for entry in self._finished.values() if entry.match_id not in open_ones)

    def named(self) -> list[str]:
        return sorted(self._records)

    def head(self, match_id: str) -> Head | None:
        known = self._records.get(match_id)
        return Head(known[-1].seq, known[-1].hash) if known else None

    def read(self, match_id: str, after_seq: int = 0) -> Iterator[StoredRecord]:
        for record in self._records.get(match_id, [])[after_seq:]:
            yield StoredRecord(record.match_id, record.seq, record.body, record.hash)

    def snapshots(self, match_id: str) -> Iterator[Snapshot]:
        kept = self._snapshots.get(match_id, {})
        for seq in sorted(kept, reverse=True):
            yield kept[seq]

    def close(self) -> None:
        """Nothing to let go of."""


def _age(entry: FinishedEntry) -> tuple[int, str]:
    return entry.finished_wall_ms, entry.match_id
