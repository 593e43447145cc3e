"""Journals in one SQLite file, or in memory for tests.

Every commit is on disk before it returns: write-ahead log with ``synchronous=FULL``. One connection of one process
writes (a lock file sees to it), which also keeps clear of the fault that SQLite before 3.51.3 has when two connections
write or checkpoint at the same instant. Readers in other processes never do either.
"""

import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import ClauseElement, CompoundSelect, Engine, Select, bindparam, create_engine, select
from sqlalchemy.dialects.sqlite import pysqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from coordinator.errors import (
    DatabaseUnreachable,
    JournalDamaged,
    JournalFailed,
    JournalForeign,
    JournalNewer,
)
from coordinator.journal.lock import FileLock
from coordinator.journal.moments import Moment, Reach
from coordinator.journal.records import FinishedEntry, PendingRecord, Snapshot
from coordinator.journal.schema import SCHEMA_VERSION, finished, heads, matches, metadata, records, snapshots
from coordinator.journal.sql import SqlStore, new_heads
from coordinator.journal.store import SNAPSHOTS_KEPT

APPLICATION_ID = 0x6D61746A
"""``matj`` in the header of our files: how anybody, ``file`` included, tells them from others."""

_HEADER = 100
_MAGIC = b"SQLite format 3\0"

#: The environment's fault, not the file's.
_UNREACHABLE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY,
}  # fmt: skip


def _text(statement: ClauseElement) -> str:
    """What the driver is given on the append path, where SQLAlchemy itself would cost three times the insert."""
    return str(statement.compile(dialect=pysqlite.dialect()))


_ADD_MATCH = _text(matches.insert())
_ADD_RECORD = _text(records.insert())
_MORE_VALUES = ", (?, ?, ?, ?)"
_ADD_HEAD = _text(heads.insert())
_MOVE_HEAD = _text(
    heads.update()
    .values(seq=bindparam("new_seq"), hash=bindparam("new_hash"))
    .where(heads.c.match_id == bindparam("match"), heads.c.seq == bindparam("old_seq"))
)
_DROP_FINISHED = _text(finished.delete().where(finished.c.match_id == bindparam("match")))
_ADD_FINISHED = _text(finished.insert())
_ADD_SNAPSHOT = _text(snapshots.insert())
_DROP_SNAPSHOT = _text(
    snapshots.delete().where(snapshots.c.match_id == bindparam("match"), snapshots.c.seq == bindparam("at_seq"))
)
_KEPT_SNAPSHOTS = _text(
    select(snapshots.c.seq)
    .where(snapshots.c.match_id == bindparam("match"))
    .order_by(snapshots.c.seq.desc())
    .limit(SNAPSHOTS_KEPT)
)
_DROP_STATES = _text(
    snapshots.update()
    .values(state=bindparam("nothing"))
    .where(
        snapshots.c.match_id == bindparam("match"),
        snapshots.c.seq < bindparam("oldest"),
        snapshots.c.state != bindparam("nothing"),
    )
)


ROWS_PER_STATEMENT = 256
"""Most records in one INSERT. A power of two, so that a batch of any size needs few different statements."""


def _add_records(connection: sqlite3.Connection, batch: Sequence[PendingRecord]) -> None:
    """Insert many records a statement.

    The driver gives up the interpreter's lock once for every statement that runs and must win it back from a busy main
    thread each time; a statement for every record would make a busy daemon wait for its own journal.
    """
    start, rows = 0, ROWS_PER_STATEMENT
    while start < len(batch):
        while rows > len(batch) - start:
            rows //= 2
        part = batch[start : start + rows]
        values = [field for record in part for field in (record.match_id, record.seq, record.body, record.hash)]
        connection.execute(_ADD_RECORD + _MORE_VALUES * (rows - 1), values)
        start += rows


class _Sqlite(SqlStore):
    """A journal behind one SQLite connection, which one thread has at a time."""

    def __init__(self, place: str, connection: sqlite3.Connection) -> None:
        self._place = place
        self.version = SCHEMA_VERSION
        self._turn = threading.Lock()
        self._failed: str | None = None
        self._use(connection)

    def _use(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._engine = _engine_on(connection)

    def _before_reading(self) -> None:
        """Called before each query, in its turn."""

    @contextmanager
    def _transaction(self, before: Moment, written: Moment) -> Iterator[sqlite3.Connection]:
        with self._turn:
            if self._failed is not None:
                raise JournalFailed(self._failed)
            connection = self._connection
            try:
                self.reach(before)
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                self.reach(written)
                connection.execute("COMMIT")
            except Exception as error:
                self._failed = str(error)
                with suppress(sqlite3.Error):
                    connection.rollback()
                raise JournalFailed(self._failed) from error

    def check_link(self) -> None:
        """A file is there as long as it is open."""

    def append(self, batch: Sequence[PendingRecord]) -> None:
        opened, fresh, moved = new_heads(batch)
        with self._transaction("before the write", "written, not committed") as connection:
            _add_records(connection, batch)
            self.reach("half written")
            if fresh:
                connection.executemany(
                    _ADD_MATCH, [(entry.match_id, entry.definition_id, entry.opened_wall_ms) for entry in opened]
                )
                connection.executemany(_ADD_HEAD, [(record.match_id, record.seq, record.hash) for record in fresh])
            moves = [(record.seq, record.hash, record.match_id, follows) for record, follows in moved]
            if connection.executemany(_MOVE_HEAD, moves).rowcount != len(moves):
                raise ValueError("the records do not follow the newest ones stored")

    def put_snapshot(self, snapshot: Snapshot) -> None:
        with self._keeping(snapshot):
            pass

    def put_finished(self, entry: FinishedEntry, snapshot: Snapshot) -> None:
        with self._keeping(snapshot) as connection:
            connection.execute(_DROP_FINISHED, (entry.match_id,))
            connection.execute(_ADD_FINISHED, [getattr(entry, column.name) for column in finished.c])

    @contextmanager
    def _keeping(self, snapshot: Snapshot) -> Iterator[sqlite3.Connection]:
        """A transaction that keeps a snapshot, and no more than the newest states."""
        with self._transaction("before a snapshot", "snapshot written, not committed") as connection:
            connection.execute(_DROP_SNAPSHOT, (snapshot.match_id, snapshot.seq))
            connection.execute(_ADD_SNAPSHOT, [getattr(snapshot, column.name) for column in snapshots.c])
            self.reach("snapshot half written")
            kept = connection.execute(_KEPT_SNAPSHOTS, (snapshot.match_id, SNAPSHOTS_KEPT, 0)).fetchall()
            connection.execute(_DROP_STATES, (b"", snapshot.match_id, kept[-1][0], b""))
            yield connection

    def _rows(self, match_id: str | None, statement: Select[Any] | CompoundSelect[Any]) -> list[Any]:
        with self._turn:
            self._before_reading()
            try:
                with self._engine.connect() as connection:
                    return list(connection.execute(statement))
            except (DBAPIError, sqlite3.Error) as error:
                raise _unreadable(self._place, match_id, error) from error

    def close(self) -> None:
        with self._turn:
            self._let_go()

    def _let_go(self) -> None:
        self._engine.dispose()  # which closes only what it has been asked for
        self._connection.close()


class MemoryStore(_Sqlite):
    """A journal that lives as long as somebody holds it: the same statements, no disk."""

    def __init__(self) -> None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        super().__init__("in memory", connection)
        weakref.finalize(self, connection.close)  # what was never on a disk need not be closed by anybody
        metadata.create_all(self._engine)


class SqliteStore(_Sqlite):
    """A journal in a file, for the one process that writes it. See :func:`~coordinator.journal.store.open_store`."""

    def __init__(self, path: str) -> None:
        file = _file(path)
        _version(file)  # before anything is written beside it
        try:
            self._lock = FileLock(file)
        except OSError as error:
            raise DatabaseUnreachable(
                path, _reason(error), "Its folder must exist, be writable and have room."
            ) from error
        try:
            if not _version(file):
                _create(file, self.reach)
            super().__init__(path, _connect(file, "mode=rw"))
            try:
                self._promise_durability()
                self._add_what_is_new()
                self.reach("journal opened")
            except BaseException:
                self._let_go()
                raise
        except BaseException:
            self._lock.release()
            raise

    def _promise_durability(self) -> None:
        try:
            [mode] = self._connection.execute("PRAGMA journal_mode=WAL").fetchone()
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA fullfsync=ON")  # Apple's fsync alone does not reach the disk
        except sqlite3.Error as error:
            raise _unreadable(self._place, None, error) from error
        if mode != "wal":
            raise DatabaseUnreachable(
                self._place, "its file system allows no write-ahead log", "Put it on a local disk."
            )

    def _add_what_is_new(self) -> None:
        """Bring the tables of an older version up to ours."""
        try:
            [version] = self._connection.execute("PRAGMA user_version").fetchone()
            if version < SCHEMA_VERSION:
                _make_tables(self._connection)
        except (sqlite3.Error, DBAPIError) as error:
            raise _unreadable(self._place, None, error) from error

    def close(self) -> None:
        super().close()
        self._lock.release()


class SqliteReader(_Sqlite):
    """A journal in a file, for looking only; a daemon may be writing it.

    A stopped daemon leaves the file alone without a write-ahead log. Then the file is read as immutable, since SQLite
    would otherwise make the log's files beside it. When a log appears, a daemon has started, and the file is opened
    anew, as a reader that goes by the log.
    """

    def __init__(self, path: str) -> None:
        self._file = _file(path)
        version = _version(self._file)
        if not version:
            raise DatabaseUnreachable(path, "there is no such file", "Give the path of an existing journal.")
        self._live = self._has_log()
        super().__init__(path, self._open())
        self.version = version

    def _has_log(self) -> bool:
        log = self._file.with_name(self._file.name + "-wal")
        return log.exists() and log.stat().st_size > 0

    def _open(self) -> sqlite3.Connection:
        return _connect(self._file, "mode=ro" if self._live else "mode=ro&immutable=1")

    def _before_reading(self) -> None:
        if self._live != self._has_log():
            self._live = not self._live
            self._let_go()
            self._use(self._open())


def _file(path: str) -> Path:
    """Where a path leads. Raises DatabaseUnreachable for one that leads nowhere."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        # Before Python 3.13 a loop of links is a RuntimeError; a ValueError is a character that no path can have.
        raise DatabaseUnreachable(path, "its path leads nowhere", "Look at its links and characters.") from None


def _version(file: Path) -> int:
    """The version of a journal's tables, by the header of its file and without SQLite; 0 where there is none yet.

    Raises JournalForeign, JournalNewer, DatabaseUnreachable.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise DatabaseUnreachable(str(file), "it is no file", "A folder or a device cannot hold a journal.")
        with file.open("rb") as opened:
            header = opened.read(_HEADER)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise DatabaseUnreachable(str(file), _reason(error), "It must be a file that can be read.") from error
    if not header:
        return 0
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise JournalForeign(str(file), "it is no SQLite file")
    version, application = (int.from_bytes(header[at : at + 4], "big") for at in (60, 68))
    if application != APPLICATION_ID:
        raise JournalForeign(str(file), "it is a SQLite file of another program")
    if version > SCHEMA_VERSION:
        raise JournalNewer(str(file), f"its tables are of version {version}, this one knows {SCHEMA_VERSION}")
    return version


def _create(file: Path, reach: Reach) -> None:
    """Make an empty journal aside and move it into place, so that a crash leaves none or a whole one."""
    aside = file.with_name(file.name + ".new")
    try:
        aside.unlink(missing_ok=True)
        # For its owner alone, and so is the log that SQLite keeps beside it: it holds the secrets of the deals.
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        connection = _connect(aside, "mode=rw")
        try:
            _make_tables(connection)
        finally:
            connection.close()
        reach("journal made, not in place")
        aside.replace(file)
        reach("journal in place")
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, sqlite3.Error, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise DatabaseUnreachable(str(file), str(cause), "Its folder must be writable and have room.") from error


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make those that are missing, in one transaction, which SQLAlchemy ends: one sync and not one for each table."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    metadata.create_all(_engine_on(connection))


def _connect(file: Path, how: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"file:{quote(str(file))}?{how}", uri=True, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise _unreadable(str(file), None, error) from error


def _engine_on(connection: sqlite3.Connection) -> Engine:
    """SQLAlchemy on the one connection there is, which begins and ends no transaction of its own."""
    return create_engine(
        "sqlite://",
        creator=lambda: connection,
        poolclass=StaticPool,
        pool_reset_on_return=None,
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
    )


def _unreadable(
    place: str, match_id: str | None, error: DBAPIError | sqlite3.Error
) -> JournalDamaged | DatabaseUnreachable:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _UNREACHABLE:
        return DatabaseUnreachable(place, str(cause), "Look at the file, its folder and the room on its disk.")
    return JournalDamaged(match_id, None, f"SQLite cannot read it ({cause})")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
