"""Where journals are kept: records in groups, snapshots beside them, read again from any point.

One store holds the journals of many matches. :func:`open_store` finds the kind by the URL; every kind keeps the
promises of :class:`Store`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

import attrs
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from coordinator.engine.events import MatchEnded, MatchHalted
from coordinator.errors import DatabaseUnreachable, JournalDamaged
from coordinator.journal.moments import Reach, pass_by
from coordinator.journal.records import Chain, FinishedEntry, MatchEntry, PendingRecord, Record, Snapshot, StoredRecord

SNAPSHOTS_KEPT = 2
"""So many of a match's newest snapshots keep their state; older ones keep only the hash, for a replay to meet."""

_KINDS = "sqlite:///path/to/journal.db or postgresql://user@host/name"


@attrs.frozen
class Head:
    """The newest record of a match, as the store noted it in the transaction that wrote it."""

    seq: int
    hash: bytes


@attrs.frozen
class Verified:
    """What was looked at and found whole."""

    matches: int
    records: int
    events: int
    snapshots: int


class Store(ABC):
    """The journals of many matches.

    Any thread may call it, one call at a time is served. Every method raises JournalDamaged where the database
    cannot be read for what it is and DatabaseUnreachable where it cannot be read at all.
    """

    reach: Reach = staticmethod(pass_by)
    """Called at each :data:`~coordinator.journal.moments.Moment`; for tests to put something else in its place."""

    @abstractmethod
    def append(self, batch: Sequence[PendingRecord]) -> None:
        """Write records in one transaction; they are on disk when this returns.

        The records of one match follow one another and follow the newest one stored. Raises JournalFailed, and from
        then on always: a failed commit is not tried again, and nothing is written behind one.
        """

    @abstractmethod
    def put_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot and drop the states of all but the newest ones. Raises JournalFailed as `append` does."""

    @abstractmethod
    def put_finished(self, entry: FinishedEntry, snapshot: Snapshot) -> None:
        """Note that a match is finished, and keep its last snapshot, in one transaction. An earlier note of the match
        is replaced. Raises JournalFailed as `append` does."""

    @abstractmethod
    def check_link(self) -> None:
        """While nothing is to be written, see that it could be. Raises JournalFailed as `append` does."""

    @abstractmethod
    def matches(self) -> list[MatchEntry]:
        """The table of contents, oldest match first."""

    @abstractmethod
    def entry(self, match_id: str) -> MatchEntry | None:
        """One match of the table of contents."""

    @abstractmethod
    def unfinished(self) -> list[str]:
        """Every match of :meth:`matches` that was not noted as finished at its newest record, oldest first."""

    @abstractmethod
    def finished(self, match_id: str) -> FinishedEntry | None:
        """What was noted when a match was finished; records may have been added since."""

    @abstractmethod
    def newest_finished(self, count: int, before: FinishedEntry | None = None) -> list[FinishedEntry]:
        """So many of the matches noted as finished, the newest first; with ``before`` those that follow behind it."""

    @abstractmethod
    def count_finished(self) -> dict[str, int]:
        """How many matches are not among :meth:`unfinished`, by status."""

    @abstractmethod
    def named(self) -> list[str]:
        """Every match that anything in the store belongs to; in a whole store those of :meth:`matches`."""

    @abstractmethod
    def head(self, match_id: str) -> Head | None:
        """The newest record of a match, None where the store knows of none."""

    @abstractmethod
    def read(self, match_id: str, after_seq: int = 0) -> Iterator[StoredRecord]:
        """The records of a match behind ``after_seq`` in order, a page at a time, as they are: see `Chain.follow`."""

    @abstractmethod
    def snapshots(self, match_id: str) -> Iterator[Snapshot]:
        """The snapshots of a match as they are, newest first, one at a time."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database and, if this store could write, of its lock. Twice is harmless."""

    def strays(self) -> list[str]:
        """What something in the store belongs to though the table of contents does not know it: nothing, in a whole
        store."""
        known = {entry.match_id for entry in self.matches()}
        return [name for name in self.named() if name not in known]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def follow(self, chain: Chain) -> Iterator[Record]:
        """The records behind a chain up to the newest, verified and read, the chain moving along.

        A writer may go on meanwhile; what it adds is followed too. Raises JournalDamaged for a record that is missing
        or altered, the newest ones included, and JournalNewer for one that this version cannot read.
        """
        match_id = chain.match_id
        expected = chain.seq
        while True:
            for stored in self.read(match_id, chain.seq):
                record = chain.follow(stored)
                self.reach("record read")
                yield record
            if chain.seq < expected:
                raise JournalDamaged(match_id, chain.seq + 1, f"it and all behind it are gone, up to {expected:,}")
            head = self.head(match_id)
            noted, noted_hash = (head.seq, head.hash) if head is not None else (0, chain.hash)
            if noted < chain.seq:
                raise JournalDamaged(match_id, chain.seq, f"the journal says that record {noted:,} is the newest")
            if noted == chain.seq:
                if noted_hash != chain.hash:
                    raise JournalDamaged(match_id, noted, "it is not the one noted as the newest")
                if noted == 0 and self.entry(match_id) is not None:
                    raise JournalDamaged(match_id, 1, "it is missing, and so are all others")
                return
            # A writer went on behind our back; or those records are gone, which the next turn will tell.
            expected = noted

    def verify(self, match_id: str, *, snapshots: bool = True) -> Verified:
        """Read one match from end to end: its entries, every record and hash, the newest record, the snapshots.

        The last are shortcuts, with which nothing but time is lost: they may be left aside. Raises JournalDamaged and
        JournalNewer. States are compared by a replay, not here.
        """
        marks: dict[int, tuple[bytes, bytes]] = {}
        for snapshot in self.snapshots(match_id) if snapshots else ():
            if not snapshot.intact or not (snapshot.state or marks):
                raise JournalDamaged(match_id, snapshot.seq, "the snapshot taken after it is altered")
            marks[snapshot.seq] = (snapshot.record_hash, snapshot.effects)
        taken, events = len(marks), 0
        noted, ended = self.finished(match_id), False
        chain = Chain.start(match_id)
        for record in self.follow(chain):
            events += len(record.events)
            if record.seq == 1 and self.entry(match_id) != MatchEntry.of(match_id, record.command, record.wall_ms):
                raise JournalDamaged(match_id, 1, "the table of contents does not fit it")
            here = (chain.hash, chain.effects)
            if marks.pop(record.seq, here) != here:
                raise JournalDamaged(match_id, record.seq, "the snapshot taken after it belongs to another journal")
            ended = ended or any(isinstance(event, MatchEnded | MatchHalted) for event in record.events)
            if noted is not None and noted.seq == record.seq and (noted.hash, True) != (chain.hash, ended):
                raise JournalDamaged(match_id, record.seq, "the journal says that the match is finished there")
        if chain.seq == 0:
            raise JournalDamaged(match_id, 1, "it is missing, and so are all others")
        for seq in marks:
            raise JournalDamaged(match_id, seq, "there is a snapshot taken after it, but no such record")
        if noted is not None and noted.seq > chain.seq:
            raise JournalDamaged(match_id, noted.seq, "the match is said to be finished there, but no such record")
        return Verified(1, chain.seq, events, taken)

    def verify_all(self) -> Verified:
        """Verify every match that anything in the store belongs to."""
        found = [self.verify(match_id) for match_id in self.named()]
        return Verified(
            len(found),
            sum(each.records for each in found),
            sum(each.events for each in found),
            sum(each.snapshots for each in found),
        )


def open_store(url: str, *, read_only: bool = False) -> Store:
    """Open the journals at a URL.

    ``sqlite:///path`` is a file (``sqlite:////path`` from the root; without a path it is in memory, for tests),
    ``postgresql://user@host/name`` a database. A journal that does not exist is made, unless ``read_only``: then
    nothing is ever written, and a daemon may be writing meanwhile. Raises JournalForeign for what is not ours,
    JournalNewer, JournalLocked where another process writes it, DatabaseUnreachable.
    """
    place = _place(url)
    # Each database is imported only where a URL asks for it: its driver need not be installed otherwise.
    match place.get_backend_name():
        case "sqlite":
            from coordinator.journal.sqlite import MemoryStore, SqliteReader, SqliteStore

            if place.host:
                # Two slashes where three are due: without a path nothing would be kept.
                mend = f"A file is sqlite:///{place.host}, or sqlite:////{place.host} from the root."
                raise DatabaseUnreachable(url, f"{place.host!r} stands where a host would", mend)
            file = _file(place)
            if file is None:
                return MemoryStore()
            return SqliteReader(file) if read_only else SqliteStore(file)
        case "postgresql":
            try:
                from coordinator.journal.postgres import PostgresReader, PostgresStore
            except ImportError as error:
                mend = "Install it: pip install 'match-coordinator[postgres]'."
                shown = place.render_as_string(hide_password=True)
                raise DatabaseUnreachable(shown, f"its driver is not installed ({error})", mend) from None
            return PostgresReader(place) if read_only else PostgresStore(place)
    shown = place.render_as_string(hide_password=True)
    raise DatabaseUnreachable(shown, "no such kind of journal", f"Give {_KINDS}.")


def is_in_memory(url: str) -> bool:
    """Whether a journal is gone with its process, and can be read by no other one."""
    place = _place(url)
    return place.get_backend_name() == "sqlite" and _file(place) is None


def _file(place: URL) -> str | None:
    """The file of an SQLite journal; None: it is in memory."""
    return None if place.database in ("", ":memory:") else place.database


def _place(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        raise DatabaseUnreachable(url, "it is no URL", f"Give {_KINDS}.") from None
