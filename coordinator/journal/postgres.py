"""Journals in a PostgreSQL database.

Every commit is on the server's disk before it returns: a server that runs with ``fsync`` off is refused. The one
process that writes holds a session lock, on the very connection it appends through: where that connection is lost the
lock is lost with it, and so is the power to append. Each append also checks, in its own transaction, the number that
was drawn when the lock was taken, so that a connection pooler in between cannot let two processes write.
"""

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from sqlalchemy import (
    URL,
    BigInteger,
    Column,
    CompoundSelect,
    Engine,
    Integer,
    MetaData,
    Select,
    Table,
    Text,
    create_engine,
    create_mock_engine,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool
from sqlalchemy.schema import CreateIndex, CreateTable, DDLElement

from coordinator.errors import (
    DatabaseUnreachable,
    JournalDamaged,
    JournalFailed,
    JournalForeign,
    JournalLocked,
    JournalNewer,
)
from coordinator.journal.moments import Moment
from coordinator.journal.records import FinishedEntry, PendingRecord, Snapshot
from coordinator.journal.schema import SCHEMA_VERSION, finished, metadata, snapshots
from coordinator.journal.sql import WITH_FINISHED, SqlStore, new_heads
from coordinator.journal.store import SNAPSHOTS_KEPT

LOCK: Final = 0x6D61746A
"""``matj``, the number of the lock that the one writer of a database holds."""

LOCK_WAIT_S: Final = 1
"""How long the writer before may take to be gone: a server notices the death of a process a moment later."""

STATEMENT_TIMEOUT_S: Final = 30
"""A database that does not answer for so long has failed."""

_CONNECTION: Final = {
    "application_name": "match coordinator",
    "connect_timeout": "5",
    # A network that swallows everything is noticed by these and by nothing else.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": str(STATEMENT_TIMEOUT_S * 1000),
}
"""Said to libpq unless the URL says otherwise."""

_SESSION: Final = (
    f"SET statement_timeout = '{STATEMENT_TIMEOUT_S}s'",
    f"SET lock_timeout = '{LOCK_WAIT_S}s'",
    # A process that is frozen in mid-append keeps nobody from taking its journal over.
    "SET idle_in_transaction_session_timeout = '10s'",
)

_ownership = Table(
    "journal",
    MetaData(),
    Column("version", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("holder", Text, nullable=False),
)
"""One row: the version of the tables, and who was the latest to write, with a number that rises with each."""

_DIALECT: Final = create_mock_engine("postgresql://", executor=lambda *_: None).dialect

_TABLES: Final = ("journal", *metadata.tables)
_NEW_TABLES: Final = {finished: WITH_FINISHED}
"""Tables that came later, with the first version of a journal that has them."""

_IS_OWNER = "SELECT 1 FROM journal WHERE fence = %s FOR SHARE"
_ADD_RECORDS = """
INSERT INTO records (match_id, seq, body, hash)
SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bytea[], %b::bytea[])
"""
_ADD_MATCHES = """
INSERT INTO matches (match_id, definition_id, opened_wall_ms)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])
"""
_ADD_HEADS = "INSERT INTO heads (match_id, seq, hash) SELECT * FROM unnest(%b::text[], %b::bigint[], %b::bytea[])"
_MOVE_HEADS = """
UPDATE heads SET seq = moved.new_seq, hash = moved.new_hash
FROM unnest(%b::text[], %b::bigint[], %b::bigint[], %b::bytea[]) AS moved (match_id, old_seq, new_seq, new_hash)
WHERE heads.match_id = moved.match_id AND heads.seq = moved.old_seq
"""


def _replacing(table: Table) -> str:
    """The statement that writes a row, in the place of one with the same key."""
    names = [column.name for column in table.c]
    return """
INSERT INTO {table} ({columns}) VALUES ({values})
ON CONFLICT ({key}) DO UPDATE SET ({columns}) = ({excluded})
""".format(
        table=table.name,
        columns=", ".join(names),
        values=", ".join(["%b"] * len(names)),
        key=", ".join(column.name for column in table.primary_key),
        excluded=", ".join(f"excluded.{name}" for name in names),
    )


_PUT_SNAPSHOT = _replacing(snapshots)
_PUT_FINISHED = _replacing(finished)
_DROP_STATES = """
UPDATE snapshots SET state = '' WHERE match_id = %s AND state <> '' AND seq < (
    SELECT min(seq) FROM (SELECT seq FROM snapshots WHERE match_id = %s ORDER BY seq DESC LIMIT %s) AS kept
)
"""

_GROUP: Final[tuple[Moment, Moment, Moment]] = ("before the write", "half written", "written, not committed")
_SNAPSHOT_KEPT: Final[tuple[Moment, Moment, Moment]] = (
    "before a snapshot",
    "snapshot half written",
    "snapshot written, not committed",
)

_ENVIRONMENT: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.ReadOnlySqlTransaction,  # a standby, or a database that is set so
)
"""What is wrong with the server, the network or the user, and not with the journal."""

_Statement = tuple[str, Sequence[Any], int | None]
"""A statement with its values, and how many rows it must change, where that matters."""


class _Postgres(SqlStore):
    """A journal behind one connection, which one thread has at a time."""

    def __init__(self, url: URL) -> None:
        self._place = url.render_as_string(hide_password=True)
        self._turn = threading.Lock()
        self._connection = _connect(self._place, url)
        self._engine = _engine_on(self._connection)

    def _rows(self, match_id: str | None, statement: Select[Any] | CompoundSelect[Any]) -> list[Any]:
        with self._turn, self._asking(match_id), self._engine.connect() as connection:
            return list(connection.execute(statement))

    @contextmanager
    def _asking(self, match_id: str | None = None) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, psycopg.Error) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            assert isinstance(cause, psycopg.Error), "the driver's own error is inside"
            raise _unreadable(self._place, match_id, cause) from error

    def _one(self, query: str, *values: object) -> TupleRow:
        row = self._connection.execute(query.encode(), values).fetchone()
        assert row is not None, "a query that always has a row"
        return row

    def _is_journal(self) -> bool:
        """Whether the database holds a journal of ours; False where it holds none yet.

        Raises JournalForeign, JournalNewer, DatabaseUnreachable.
        """
        [known] = self._one(
            "SELECT array_agg(name) FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NOT NULL", list(_TABLES)
        )
        if known is None:
            return False
        if "journal" not in known:
            raise JournalForeign(self._place, f"another program has a table {known[0]} there")
        try:
            [version] = self._one("SELECT max(version) FROM journal")
        except psycopg.errors.UndefinedColumn:
            raise JournalForeign(self._place, "another program has a table journal there") from None
        later = {table.name for table, first in _NEW_TABLES.items() if version is not None and first > version}
        if version is None or {*known} | later != {*_TABLES}:
            raise JournalDamaged(None, None, "some of its tables are gone or empty")
        if version > SCHEMA_VERSION:
            raise JournalNewer(self._place, f"its tables are of version {version}, this one knows {SCHEMA_VERSION}")
        self.version = version
        return True

    def close(self) -> None:
        with self._turn:
            self._engine.dispose()
            self._connection.close()


class PostgresStore(_Postgres):
    """A journal for the one process that writes it. See :func:`~coordinator.journal.store.open_store`."""

    def __init__(self, url: URL) -> None:
        super().__init__(url)
        self._failed: str | None = None
        try:
            with self._asking():
                self._promise_durability()
                self._fence = self._take_ownership()
            self.reach("journal opened")
        except BaseException:
            self._connection.close()
            raise

    def _promise_durability(self) -> None:
        if self._one("SHOW fsync") == ("off",):
            mend = "Set fsync = on in its configuration."
            raise DatabaseUnreachable(self._place, "its server forgets at a power cut (fsync is off)", mend)
        if self._one("SHOW synchronous_commit") == ("off",):
            self._connection.execute("SET synchronous_commit = on")
        for setting in _SESSION:
            self._connection.execute(setting.encode())

    def _take_ownership(self) -> int:
        """Lock the database, make what is missing, and draw the number that each append shows."""
        try:
            self._connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        except psycopg.errors.LockNotAvailable:
            [other] = self._one("SELECT holder FROM journal") if self._is_journal() else ("another process",)
            raise JournalLocked(self._place, other) from None
        if not self._is_journal():
            with self._connection.transaction():
                self._make(_ownership, *metadata.sorted_tables)
                self._connection.execute("INSERT INTO journal VALUES (%s, 0, '')", (SCHEMA_VERSION,))
                self.reach("journal made, not in place")
            self.reach("journal in place")
        elif self.version < SCHEMA_VERSION:
            with self._connection.transaction():
                self._make(*[table for table, first in _NEW_TABLES.items() if first > self.version])
                self._connection.execute("UPDATE journal SET version = %s", (SCHEMA_VERSION,))
        self.version = SCHEMA_VERSION
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        fence: int
        [fence] = self._one("UPDATE journal SET fence = fence + 1, holder = %s RETURNING fence", holder)
        return fence

    def _make(self, *tables: Table) -> None:
        for table in tables:
            makings: list[DDLElement] = [CreateTable(table), *map(CreateIndex, table.indexes)]
            for making in makings:
                self._connection.execute(str(making.compile(dialect=_DIALECT)).encode())

    def _commit(self, moments: tuple[Moment, Moment, Moment], *statements: _Statement) -> None:
        """Write in one transaction, sent in one go, with the proof that this process is still the one that writes."""
        before, half_written, written = moments
        with self._turn:
            if self._failed is not None:
                raise JournalFailed(self._failed)
            try:
                self.reach(before)
                with self._connection.transaction():
                    with self._connection.pipeline():
                        owner = self._connection.execute(_IS_OWNER, (self._fence,))
                        (query, values, _), *others = statements
                        done = [self._connection.execute(query, values)]
                        self.reach(half_written)
                        done += [self._connection.execute(query, values) for query, values, _ in others]
                    _check_owner(owner.rowcount)
                    for cursor, (_, _, rows) in zip(done, statements, strict=True):
                        if rows is not None and cursor.rowcount != rows:
                            raise ValueError("the records do not follow the newest ones stored")
                    self.reach(written)
            except Exception as error:
                self._failed = _first_line(error)
                raise JournalFailed(self._failed) from error

    def check_link(self) -> None:
        with self._turn:
            if self._failed is not None:
                raise JournalFailed(self._failed)
            try:
                _check_owner(self._connection.execute(_IS_OWNER, (self._fence,)).rowcount)
            except Exception as error:
                self._failed = _first_line(error)
                raise JournalFailed(self._failed) from error

    def append(self, batch: Sequence[PendingRecord]) -> None:
        if not batch:
            return
        opened, fresh, moved = new_heads(batch)
        statements: list[_Statement] = [
            (_ADD_RECORDS, _columns([(each.match_id, each.seq, each.body, each.hash) for each in batch]), None)
        ]
        if opened:
            entries = [(entry.match_id, entry.definition_id, entry.opened_wall_ms) for entry in opened]
            statements.append((_ADD_MATCHES, _columns(entries), None))
        if fresh:
            heads = [(each.match_id, each.seq, each.hash) for each in fresh]
            statements.append((_ADD_HEADS, _columns(heads), None))
        if moved:
            moves = [(record.match_id, follows, record.seq, record.hash) for record, follows in moved]
            statements.append((_MOVE_HEADS, _columns(moves), len(moves)))
        self._commit(_GROUP, *statements)

    def put_snapshot(self, snapshot: Snapshot) -> None:
        self._commit(_SNAPSHOT_KEPT, *_putting(snapshot))

    def put_finished(self, entry: FinishedEntry, snapshot: Snapshot) -> None:
        noting = (_PUT_FINISHED, [getattr(entry, column.name) for column in finished.c], None)
        self._commit(_SNAPSHOT_KEPT, *_putting(snapshot), noting)


class PostgresReader(_Postgres):
    """A journal for looking only; a daemon may be writing it."""

    def __init__(self, url: URL) -> None:
        super().__init__(url)
        try:
            with self._asking():
                self._connection.execute("SET default_transaction_read_only = on")
                if not self._is_journal():
                    mend = "Give the URL of an existing journal."
                    raise DatabaseUnreachable(self._place, "there is no journal in that database", mend)
        except BaseException:
            self._connection.close()
            raise

    def append(self, batch: Sequence[PendingRecord]) -> None:
        raise JournalFailed("it was opened readonly")

    def check_link(self) -> None:
        raise JournalFailed("it was opened readonly")

    def put_snapshot(self, snapshot: Snapshot) -> None:
        raise JournalFailed("it was opened readonly")

    def put_finished(self, entry: FinishedEntry, snapshot: Snapshot) -> None:
        raise JournalFailed("it was opened readonly")


def _check_owner(rows: int) -> None:
    if rows != 1:
        raise ValueError("another process has taken the journal over")


def _putting(snapshot: Snapshot) -> list[_Statement]:
    """What keeps a snapshot, and no more than the newest states."""
    match_id = snapshot.match_id
    return [
        (_PUT_SNAPSHOT, [getattr(snapshot, column.name) for column in snapshots.c], None),
        (_DROP_STATES, [match_id, match_id, SNAPSHOTS_KEPT], None),
    ]


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """The arrays that a statement for many rows takes."""
    return [list(column) for column in zip(*rows, strict=True)]


def _connect(place: str, url: URL) -> "psycopg.Connection[TupleRow]":
    try:
        said = url.set(drivername="postgresql").render_as_string(hide_password=False)
        words: dict[str, Any] = {**_CONNECTION, **conninfo_to_dict(said)}
        return psycopg.connect(make_conninfo(**words), autocommit=True)
    except (psycopg.Error, UnicodeError) as error:  # a name of a host that nobody can look up is a UnicodeError
        mend = "The server must run, and let this user into that database."
        raise DatabaseUnreachable(place, _first_line(error), mend) from error


def _engine_on(connection: "psycopg.Connection[TupleRow]") -> Engine:
    """SQLAlchemy on the one connection there is, which begins and ends no transaction of its own."""
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: connection,
        poolclass=StaticPool,
        pool_reset_on_return=None,
        isolation_level="AUTOCOMMIT",
        skip_autocommit_rollback=True,
        use_native_hstore=False,
    )


def _unreadable(place: str, match_id: str | None, error: psycopg.Error) -> JournalDamaged | DatabaseUnreachable:
    if isinstance(error, _ENVIRONMENT):
        return DatabaseUnreachable(place, _first_line(error), "Look at the server, its log and the network.")
    return JournalDamaged(match_id, None, f"PostgreSQL cannot read it ({_first_line(error)})")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
