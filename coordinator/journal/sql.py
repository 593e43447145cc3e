"""What journals in a database have in common: how they are read, through one set of statements."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import CompoundSelect, Select, select, union

from coordinator.errors import JournalDamaged
from coordinator.journal.records import MatchEntry, PendingRecord, Snapshot, StoredRecord
from coordinator.journal.schema import heads, matches, records, snapshots
from coordinator.journal.store import Head, Store

PAGE = 1_000
"""Records fetched at a time."""


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

    def named(self) -> list[str]:
        tables = (matches, records, heads, snapshots)
        return sorted([row[0] for row in self._found(None, union(*[select(table.c.match_id) for table in tables]))])

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
