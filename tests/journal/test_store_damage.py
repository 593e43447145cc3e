"""A small journal is altered row by row behind the store's back: each alteration is noticed and named."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from coordinator.errors import JournalDamaged
from coordinator.journal.replay import recover
from coordinator.journal.sqlite import MemoryStore
from coordinator.journal.store import open_store
from tests.journal.small_match import played, write

STEPS = played(3, 1)
LAST = len(STEPS)
TABLES = {"matches": "match_id", "records": "match_id, seq", "heads": "match_id", "snapshots": "match_id, seq"}
TEXTS = ("match_id", "definition_id", "layout")


class OpenStore(MemoryStore):
    """A store whose rows can be reached directly; what is done in :meth:`altered` is undone afterwards."""

    def __init__(self) -> None:
        super().__init__()
        write(self, steps=STEPS, snapshots_after=(2, LAST))

    def raw(self, sql: str, *values: object) -> list:
        return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def altered(self, sql: str, *values: object) -> Iterator[None]:
        self.raw("BEGIN")
        try:
            self.raw(sql, *values)
            yield
        finally:
            self.raw("ROLLBACK")


@pytest.fixture
def store() -> Iterator[OpenStore]:
    with OpenStore() as store:
        store.verify_all()
        yield store
        store.verify_all()


def alterations(value: int | bytes) -> Iterator[int | bytes]:
    """A number with each of its bits flipped; of bytes every byte with one bit flipped, and all without the last."""
    if isinstance(value, int):
        yield from (value ^ 1 << bit for bit in range(63))
        return
    for index in range(len(value)):
        yield value[:index] + bytes([value[index] ^ 1 << index % 8]) + value[index + 1 :]
    yield value[:-1]


@pytest.mark.parametrize("table", TABLES)
def test_every_altered_value_is_noticed(store, table):
    """Every single bit of bodies and hashes is flipped in the tests of records; here some of each."""
    tried = 0
    keys = store.raw(f"SELECT {TABLES[table]} FROM {table}")
    for key in keys:
        row = "match_id = ?" + " AND seq = ?" * (len(key) - 1)
        for _, column, *_ in store.raw(f"PRAGMA table_info({table})"):
            [[value]] = store.raw(f"SELECT {column} FROM {table} WHERE {row}", *key)
            as_type = "CAST(? AS TEXT)" if column in TEXTS else "?"
            many = list(alterations(value.encode() if isinstance(value, str) else value))
            for altered in many[:: 1 + len(many) // 80]:
                if column == "seq" and (key[0], altered) in keys:
                    continue  # no two rows may have one key
                with store.altered(f"UPDATE {table} SET {column} = {as_type} WHERE {row}", altered, *key):
                    with pytest.raises(JournalDamaged) as caught:
                        store.verify_all()
                    if table == "records" and column in ("body", "hash"):
                        assert (caught.value.match_id, caught.value.seq) == ("m", key[1])
                tried += 1
    assert tried > 60


def loosened(path) -> list[str]:
    """A journal in a file whose columns take values of any kind, as an altered file does; and its columns."""
    with open_store(f"sqlite:///{path}") as store:
        write(store, steps=STEPS, snapshots_after=(2,))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=1")
        connection.execute("UPDATE sqlite_master SET sql = replace(replace(sql, 'STRICT', ''), 'NOT NULL', '')")
        connection.commit()
        return [f"{table}.{row[1]}" for table in TABLES for row in connection.execute(f"PRAGMA table_info({table})")]


def test_a_value_of_another_kind_is_damage_and_no_traceback(tmp_path):
    path = tmp_path / "journal.db"
    columns = loosened(path)
    whole = path.read_bytes()
    for column in columns:
        table, _, name = column.partition(".")
        for value in (None, 1.5, "x", b"x", 7):
            if (column, value) == ("snapshots.match_id", None):
                continue  # a shortcut that belongs to no match is no loss
            path.write_bytes(whole)
            with closing(sqlite3.connect(path)) as connection:
                newest = f"rowid = (SELECT max(rowid) FROM {table})"
                connection.execute(f"UPDATE {table} SET {name} = ? WHERE {newest}", (value,))
                connection.commit()
            with open_store(f"sqlite:///{path}", read_only=True) as reader:
                with pytest.raises(JournalDamaged):
                    reader.verify_all()
                with suppress(JournalDamaged):
                    recover(reader, "m")


@pytest.mark.parametrize("seq", range(1, LAST + 1))
def test_a_removed_record_is_named(store, seq):
    with store.altered("DELETE FROM records WHERE seq = ?", seq), pytest.raises(JournalDamaged) as caught:
        store.verify("m")
    assert (caught.value.match_id, caught.value.seq) == ("m", seq)


@pytest.mark.parametrize("kept", range(LAST))
def test_a_removed_tail_is_noticed_although_what_is_left_is_whole(store, kept):
    store.raw("DELETE FROM snapshots")
    with store.altered("DELETE FROM records WHERE seq > ?", kept), pytest.raises(JournalDamaged) as caught:
        store.verify("m")
    assert caught.value.seq == kept + 1
    assert f"up to {LAST}" in str(caught.value)


@pytest.mark.parametrize("table", ["matches", "heads", "records"])
def test_an_emptied_table_is_noticed(store, table):
    with store.altered(f"DELETE FROM {table}"), pytest.raises(JournalDamaged):
        store.verify_all()


def test_an_entry_without_anything_behind_it_is_noticed(store):
    store.raw("DELETE FROM snapshots")
    with store.altered("DELETE FROM records"):
        store.raw("DELETE FROM heads")
        with pytest.raises(JournalDamaged, match="record 1: it is missing, and so are all others"):
            store.verify("m")


def test_two_records_that_changed_places_are_noticed(store):
    with store.altered("UPDATE records SET seq = CASE seq WHEN 2 THEN -3 WHEN 3 THEN -2 ELSE seq END"):
        store.raw("UPDATE records SET seq = -seq WHERE seq < 0")
        with pytest.raises(JournalDamaged) as caught:
            store.verify("m")
    assert caught.value.seq == 2


def test_matches_that_changed_names_are_noticed(store):
    write(store, "n", steps=STEPS)
    with store.altered("UPDATE records SET match_id = CASE match_id WHEN 'm' THEN '>n' ELSE '>m' END"):
        store.raw("UPDATE heads SET match_id = CASE match_id WHEN 'm' THEN '>n' ELSE '>m' END")
        for table in ("records", "heads"):
            store.raw(f"UPDATE {table} SET match_id = substr(match_id, 2)")
        with pytest.raises(JournalDamaged) as caught:
            store.verify("n")
    assert caught.value.seq == 1


def test_a_snapshot_of_another_journal_is_noticed(store):
    other = "UPDATE snapshots SET seq = 1 WHERE seq = 2"
    with store.altered(other), pytest.raises(JournalDamaged, match="the snapshot taken after it is altered"):
        store.verify("m")


def test_a_record_that_somebody_added_is_noticed(store):
    added = "INSERT INTO records SELECT match_id, 99, body, hash FROM records WHERE seq = 2"
    with store.altered(added), pytest.raises(JournalDamaged) as caught:
        store.verify("m")
    assert caught.value.seq == LAST + 1


def test_a_damaged_file_is_never_a_traceback(tmp_path):
    """Part after part of the file is overwritten. What goes unnoticed lies where nothing is stored."""
    path = tmp_path / "journal.db"
    with open_store(f"sqlite:///{path}") as store:
        write(store, steps=played(9), snapshots_after=(2,))
        records, snapshots = list(store.read("m")), list(store.snapshots("m"))
    whole = path.read_bytes()
    noticed = 0
    for offset in range(0, len(whole), 512):
        path.write_bytes(whole[: max(offset, 100)] + b"\xa5" * 512 + whole[max(offset, 100) + 512 :])
        try:
            with open_store(f"sqlite:///{path}", read_only=True) as reader:
                reader.verify_all()
                assert list(reader.read("m")) == records
                assert list(reader.snapshots("m")) == snapshots
        except JournalDamaged:
            noticed += 1
    assert noticed > 20


def test_a_file_cut_short_is_never_a_traceback(tmp_path):
    path = tmp_path / "journal.db"
    with open_store(f"sqlite:///{path}") as store:
        write(store)
    whole = path.read_bytes()
    for length in range(4096, len(whole), 4096):
        path.write_bytes(whole[:length])
        with pytest.raises(JournalDamaged), open_store(f"sqlite:///{path}", read_only=True) as reader:
            reader.verify_all()


def test_rows_altered_by_another_program_are_noticed_at_the_next_start(tmp_path):
    path = tmp_path / "journal.db"
    with open_store(f"sqlite:///{path}") as store:
        write(store)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE records SET body = zeroblob(10) WHERE seq = 3")
        connection.commit()
    with open_store(f"sqlite:///{path}") as store, pytest.raises(JournalDamaged) as caught:
        store.verify_all()
    assert str(caught.value).startswith("Match 'm', record 3: its bytes do not match its hash. Stop, keep a copy")
