"""What journals in a database have in common: how they are read, through one set of statements."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Select, Table, and_, func, or_, select, union

from coordinator.errors import JournalDamaged
from coordinator.journal.records import FinishedEntry, MatchEntry, PendingRecord, Snapshot, StoredRecord
from coordinator.journal.schema import finished, heads, matches, records, snapshots
from coordinator.journal.store import Head, Store

PAGE = 1_000
"""Records fetched at a time."""


WITH_FINISHED = 2
"""The first version of the tables that has `finished`."""

_AT_HEAD = and_(finished.c.match_id == heads.c.match_id, finished.c.seq == heads.c.seq, finished.c.hash == heads.c.hash)


def _names(table: Table) -> Select[Any]:
    """Every match of a table that is ordered by it: from one to the next, and not through all rows of each."""
    first = select(func.min(table.c.match_id).label("match_id")).cte(f"names_of_{table.name}", recursive=True)
    following = select(func.min(table.c.match_id)).where(table.c.match_id > first.c.match_id).scalar_subquery()
    names = first.union_all(select(following).where(first.c.match_id.is_not(None)))
    return select(names.c.match_id).where(names.c.match_id.is_not(None))


def new_heads(
    batch: Sequence[PendingRecord],
) -> tuple[list[MatchEntry], list[PendingRecord], list[tuple[PendingRecord, int]]]:
    """What a batch changes beside the records it adds: the entries of the matches it opens, the newest record of each
    match that is new, and that of each other match with the number of the one it must follow."""
    oldest = {record.match_id: record for record in reversed(batch)}
    newest = {record.match_id: record for record in batch}
    opened = [record.opening for record in oldest.values() if record.opening is not None]
    fresh = [record for record in newest.values() if oldest[record.match_id].seq == 1]
    moved = [(record, oldest[record.match_id].seq - 1) for record in newest.values() if oldest[record.match_id].seq > 1]
    return opened, fresh, moved


class SqlStore(Store):
    """A journal in tables. A subclass runs the statements and writes."""

    version: int
    """Of the tables, by :data:`~coordinator.journal.schema.SCHEMA_VERSION`; only a reader has to do with old ones."""

    @abstractmethod
    def _rows(self, match_id: str | None, statement: Select[Any] | CompoundSelect[Any]) -> list[Any]:
        """All rows of a query about one match, or about the whole. Raises JournalDamaged, DatabaseUnreachable."""

    def _found(
        self, match_id: str | None, statement: Select[Any] | CompoundSelect[Any], seq: int | None = None
    ) -> list[Any]:
        """As :meth:`_rows`, each value of the kind of its column, which an altered file need not keep to.

        ``seq``: the number of the record that the first row is about, or None where it is about none.
        """
        kinds = [column.type.python_type for column in statement.selected_columns]
        rows = self._rows(match_id, statement)
        for number, row in enumerate(rows):
            if list(map(type, row)) != kinds:
                at = None if seq is None else seq + number
                raise JournalDamaged(match_id, at, "what is stored of it has been altered")
        return rows

    def matches(self) -> list[MatchEntry]:
        found = self._found(None, select(matches).order_by(matches.c.opened_wall_ms, matches.c.match_id))
        return [MatchEntry(*row) for row in found]

    def entry(self, match_id: str) -> MatchEntry | None:
        found = self._found(match_id, select(matches).where(matches.c.match_id == match_id), 1)
        return MatchEntry(*found[0]) if found else None

    def unfinished(self) -> list[str]:
        whole = matches.outerjoin(heads, heads.c.match_id == matches.c.match_id).outerjoin(finished, _AT_HEAD)
        wanted = select(matches.c.match_id).select_from(whole).where(finished.c.match_id.is_(None))
        found = self._found(None, wanted.order_by(matches.c.opened_wall_ms, matches.c.match_id))
        return [row[0] for row in found]

    def finished(self, match_id: str) -> FinishedEntry | None:
        if self.version < WITH_FINISHED:
            return None
        found = self._found(match_id, select(finished).where(finished.c.match_id == match_id), 1)
        return FinishedEntry(*found[0]) if found else None

    def newest_finished(self, count: int, before: FinishedEntry | None = None) -> list[FinishedEntry]:
        at, name = finished.c.finished_wall_ms, finished.c.match_id
        newest = select(finished).order_by(at.desc(), name.desc()).limit(count)
        if before is not None:
            same_time = and_(at == before.finished_wall_ms, name < before.match_id)
            newest = newest.where(or_(at < before.finished_wall_ms, same_time))
        return [FinishedEntry(*row) for row in self._found(None, newest)]

    def count_finished(self) -> dict[str, int]:
        noted = finished.join(heads, _AT_HEAD)
        counted = select(finished.c.status, func.count()).select_from(noted).group_by(finished.c.status)
        return dict(self._found(None, counted))

    def named(self) -> list[str]:
        each = union(_names(records), _names(snapshots), *[select(table.c.match_id) for table in (matches, heads)])
        return sorted([row[0] for row in self._found(None, each)])

    def head(self, match_id: str) -> Head | None:
        found = self._found(match_id, select(heads.c.seq, heads.c.hash).where(heads.c.match_id == match_id), 1)
        return Head(*found[0]) if found else None

    def read(self, match_id: str, after_seq: int = 0) -> Iterator[StoredRecord]:
        page = select(records).where(records.c.match_id == match_id).order_by(records.c.seq).limit(PAGE)
        while found := self._found(match_id, page.where(records.c.seq > after_seq), after_seq + 1):
            for row in found:
                yield StoredRecord(*row)
            after_seq = found[-1].seq

    def snapshots(self, match_id: str) -> Iterator[Snapshot]:
        newest = select(snapshots).where(snapshots.c.match_id == match_id).order_by(snapshots.c.seq.desc())
        found = self._found(match_id, newest.limit(1), 1)
        while found:
            yield Snapshot(*found[0])
            found = self._found(match_id, newest.where(snapshots.c.seq < found[0].seq).limit(1), 1)
