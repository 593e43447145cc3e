"""The promises of a store, held by each kind; then what only files have: headers, locks, readers beside a writer."""

import os
import sqlite3
from contextlib import closing
from functools import partial

import msgspec
import pytest

from coordinator.engine.match import new_state, step
from coordinator.errors import (
    DatabaseUnreachable,
    JournalDamaged,
    JournalFailed,
    JournalForeign,
    JournalLocked,
    JournalNewer,
)
from coordinator.journal import sql, sqlite
from coordinator.journal.records import FORMAT, Chain, MatchEntry, PendingRecord, Snapshot, running_hash, state_hash
from coordinator.journal.replay import recover, replay
from coordinator.journal.schema import SCHEMA_VERSION
from coordinator.journal.store import SNAPSHOTS_KEPT, Head, Store, Verified, open_store
from tests.journal.full_disk import no_room
from tests.journal.small_match import WALL_MS, as_stored, played, sealed, write


class StoreContract:
    """What every kind of store keeps.

    Each subclass gives its own ``store``, a way past it to its rows, a database that refuses one row, and a full disk.
    """

    def sql(self, store: Store, statement: str) -> None:
        raise AssertionError("each kind has its own way")

    def refuse(self, store: Store, seq: int) -> None:
        """From now on the database refuses the record of this number."""
        raise AssertionError("each kind has its own way")

    def fill(self, store: Store) -> None:
        """From now on the disk has no room."""
        raise AssertionError("each kind has its own way")

    def test_an_empty_store_knows_nothing(self, store):
        assert store.matches() == []
        assert store.named() == []
        assert store.entry("m") is None
        assert store.head("m") is None
        assert list(store.read("m")) == []
        assert list(store.snapshots("m")) == []
        assert store.verify_all() == Verified(0, 0, 0, 0)

    def test_records_come_back_as_they_were(self, store):
        records = sealed()
        store.append(records)
        assert list(store.read("m")) == [as_stored(record) for record in records]
        assert store.head("m") == Head(records[-1].seq, records[-1].hash)

    @pytest.mark.parametrize("after", [0, 1, 4, 5, 99])
    def test_reading_begins_behind_a_number(self, store, after):
        records = sealed()
        store.append(records)
        assert [stored.seq for stored in store.read("m", after)] == [
            record.seq for record in records if record.seq > after
        ]

    def test_reading_goes_over_page_after_page(self, store, monkeypatch):
        monkeypatch.setattr(sql, "PAGE", 3)
        records = sealed(steps=played(9))
        store.append(records)
        assert [stored.seq for stored in store.read("m")] == list(range(1, len(records) + 1))

    def test_a_batch_may_hold_many_matches(self, store):
        first, second = sealed("a"), sealed("b")
        mixed = [record for pair in zip(first, second, strict=True) for record in pair]
        store.append(mixed[:4])
        store.append(mixed[4:])
        assert [entry.match_id for entry in store.matches()] == store.named() == ["a", "b"]
        assert list(store.read("a")) == [as_stored(record) for record in first]
        assert store.verify_all() == Verified(
            2, len(mixed), 2 * sum(len(outcome.events) for _, outcome in played(3, 1)), 0
        )

    def test_the_table_of_contents_names_definition_and_time(self, store):
        write(store)
        assert store.matches() == [store.entry("m")] == [MatchEntry("m", "test", WALL_MS)]

    @pytest.mark.parametrize("missing", [0, 2])
    def test_records_that_do_not_follow_are_not_written(self, store, missing):
        records = sealed()
        store.append(records[:missing])
        with pytest.raises(JournalFailed, match="do not follow"):
            store.append(records[missing + 1 :])
        assert len(list(store.read("m"))) == missing

    def test_a_failed_append_writes_nothing_and_is_the_last(self, store):
        first, second, third, *rest = sealed()
        store.append([first])
        with pytest.raises(JournalFailed):
            store.append([second, second])
        with pytest.raises(JournalFailed):
            store.append([second, third, *rest])
        with pytest.raises(JournalFailed):
            store.append(sealed("another"))
        assert list(store.read("m")) == [as_stored(first)]
        assert store.head("m") == Head(1, first.hash)
        assert store.named() == ["m"]

    def test_an_empty_batch_is_nothing(self, store):
        store.append([])
        assert store.named() == []

    def test_snapshots_come_newest_first_and_old_ones_keep_their_hash(self, store):
        write(store, snapshots_after=(1, 2, 3, 4))
        found = list(store.snapshots("m"))
        assert [snapshot.seq for snapshot in found] == [4, 3, 2, 1]
        assert [bool(snapshot.state) for snapshot in found] == [True] * SNAPSHOTS_KEPT + [False] * 2
        assert all(snapshot.intact for snapshot in found)
        assert store.verify("m").snapshots == 4

    def test_the_same_snapshot_twice_is_one(self, store):
        write(store, snapshots_after=(3,))
        [snapshot] = store.snapshots("m")
        store.put_snapshot(snapshot)
        assert list(store.snapshots("m")) == [snapshot]

    def test_a_snapshot_of_one_match_leaves_others_alone(self, store):
        write(store, "a", snapshots_after=(1, 2))
        write(store, "b", snapshots_after=(1, 2, 3, 4))
        assert [bool(snapshot.state) for snapshot in store.snapshots("a")] == [True, True]

    def test_following_reads_up_to_the_head(self, store):
        written = write(store)
        chain = Chain.start("m")
        assert [record.seq for record in store.follow(chain)] == list(range(1, written.seq + 1))
        assert chain == written
        assert list(store.follow(chain)) == []

    def test_following_takes_what_a_writer_adds_meanwhile(self, store):
        records = sealed()
        store.append(records[:2])
        following = store.follow(Chain.start("m"))
        assert next(following).seq == 1
        store.append(records[2:])
        assert [record.seq for record in following] == list(range(2, len(records) + 1))

    def test_a_match_is_taken_up_from_its_newest_snapshot_to_the_same_state(self, store):
        steps = played(9)
        written = write(store, steps=steps, snapshots_after=(4, 9))
        recovered = recover(store, "m")
        assert (recovered.chain, recovered.snapshot, recovered.records) == (written, 9, len(steps) - 9)
        state = new_state()
        for command, _ in steps:
            step(state, command)
        assert state_hash(recovered.state) == state_hash(state)
        report = replay(store, "m", check=True)
        assert (report.same_state, report.same_effects, report.same_decisions) == (True, True, True)

    def test_a_snapshot_that_lies_is_passed_over(self, store):
        write(store, steps=played(9), snapshots_after=(4, 9))
        self.sql(store, "UPDATE snapshots SET state = (SELECT state FROM snapshots WHERE seq = 4) WHERE seq = 9")
        recovered = recover(store, "m")
        assert (recovered.snapshot, recovered.passed_over) == (4, (9,))
        self.sql(store, "DELETE FROM snapshots")
        again = recover(store, "m")
        assert (again.snapshot, again.passed_over) == (0, ())
        assert state_hash(again.state) == state_hash(recovered.state)

    @pytest.mark.parametrize(
        ("statement", "seq"),
        [
            ("UPDATE records SET body = (SELECT body FROM records WHERE seq = 2) WHERE seq = 3", 3),
            ("UPDATE records SET hash = (SELECT hash FROM records WHERE seq = 2) WHERE seq = 3", 3),
            ("DELETE FROM records WHERE seq = 3", 3),
            ("DELETE FROM records WHERE seq > 2", 3),
            ("DELETE FROM records", 1),
            ("DELETE FROM matches", 1),
            ("UPDATE heads SET seq = 4", 6),
            ("DELETE FROM heads", 6),
            ("INSERT INTO records SELECT match_id, 99, body, hash FROM records WHERE seq = 2", 7),
            ("UPDATE records SET seq = 99 WHERE seq = 4", 4),
        ],
    )
    def test_what_was_altered_behind_its_back_is_noticed_and_named(self, store, statement, seq):
        write(store)
        store.verify_all()
        self.sql(store, statement)
        with pytest.raises(JournalDamaged) as caught:
            store.verify_all()
        assert (caught.value.match_id, caught.value.seq) == ("m", seq)

    def test_damage_of_one_match_is_not_that_of_another(self, store):
        write(store, "a")
        write(store, "b")
        self.sql(store, "DELETE FROM records WHERE match_id = 'a' AND seq = 2")
        assert store.verify("b").records == len(sealed())
        with pytest.raises(JournalDamaged, match="Match 'a', record 2"):
            store.verify("a")

    def test_a_table_that_is_gone_is_damage(self, store):
        write(store)
        self.sql(store, "DROP TABLE heads")
        with pytest.raises(JournalDamaged, match="cannot read it"):
            store.verify_all()

    def test_a_database_that_refuses_a_row_fails_the_whole_batch(self, store):
        """A real refusal by the database, in the midst of a transaction."""
        first, second, third, *_ = sealed()
        store.append([first])
        self.refuse(store, 3)
        with pytest.raises(JournalFailed, match="full"):
            store.append([second, third])
        assert list(store.read("m")) == [as_stored(first)]
        with pytest.raises(JournalFailed):
            store.append([second])
        with pytest.raises(JournalFailed):
            store.put_snapshot(Snapshot.take(Chain.start("m"), new_state()))
        assert list(store.snapshots("m")) == []

    def test_a_full_disk_fails_the_append_and_leaves_what_was(self, store):
        records = sealed(steps=played(27))
        store.append(records[:4])
        self.fill(store)
        with pytest.raises(JournalFailed, match="full") as caught:
            store.append(records[4:])
        assert caught.value.exit_code == 1
        with pytest.raises(JournalFailed):
            store.append(records[4:])
        assert store.verify("m").records == 4

    def test_a_full_disk_in_a_snapshot_takes_no_record_with_it(self, store):
        steps = played(27)
        written = write(store, steps=steps[:-1], snapshots_after=(4, 8))
        command, outcome = steps[-1]
        self.fill(store)
        with pytest.raises(JournalFailed, match="full"):
            store.put_snapshot(Snapshot.take(written, recover(store, "m").state))
        with pytest.raises(JournalFailed):
            store.append([written.seal(command, outcome.events, outcome.effects, WALL_MS)])
        assert [bool(snapshot.state) for snapshot in store.snapshots("m")] == [True, True]
        assert recover(store, "m").snapshot == 8
        assert store.verify("m").records == len(steps) - 1

    def test_a_record_of_a_newer_version_is_refused_and_named(self, store):
        first, second, *_ = sealed()
        newer = msgspec.msgpack.encode({**msgspec.msgpack.decode(second.body), "format": FORMAT + 1})
        sealed_anew = PendingRecord("m", 2, newer, running_hash(first.hash, newer))
        store.append([first, sealed_anew])
        for look in (store.verify, partial(recover, store), partial(replay, store)):
            with pytest.raises(JournalNewer, match="Record 2 of match 'm' was written by a newer version"):
                look("m")
        assert store.head("m") == Head(2, sealed_anew.hash)

    def test_matches_are_listed_by_time_and_then_by_the_bytes_of_their_names(self, store):
        for name in ("b", "a", "B", "ä"):
            write(store, name)
        assert [entry.match_id for entry in store.matches()] == store.named() == ["B", "a", "b", "ä"]

    def test_closing_twice_is_harmless(self, store):
        store.close()
        store.close()


class _SqliteContract(StoreContract):
    def sql(self, store, statement):
        store._connection.execute(statement)

    def refuse(self, store, seq):
        store._connection.execute(
            f"CREATE TRIGGER full BEFORE INSERT ON records WHEN new.seq = {seq} BEGIN SELECT RAISE(FAIL, 'full'); END"
        )

    def fill(self, store):
        store._connection.execute("PRAGMA max_page_count=1")  # it may keep what it has, and grow no more


class TestMemoryStore(_SqliteContract):
    @pytest.fixture
    def store(self):
        with open_store("sqlite:///:memory:") as store:
            yield store


class TestSqliteStore(_SqliteContract):
    @pytest.fixture
    def store(self, tmp_path):
        with open_store(f"sqlite:///{tmp_path}/journal.db") as store:
            yield store


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def store(self, postgres):
        with open_store(postgres.new_database()) as store:
            yield store

    def sql(self, store, statement):
        store._connection.execute(statement)

    def refuse(self, store, seq):
        store._connection.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$"
        )
        store._connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON records FOR EACH ROW "
            f"WHEN (new.seq = {seq}) EXECUTE FUNCTION refuse()"
        )

    def fill(self, store):
        no_room(store._connection, "records", "snapshots")


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.db"


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_journal_outlives_the_process_that_wrote_it(path):
    with open_store(f"sqlite:///{path}") as store:
        written = write(store, snapshots_after=(3,))
    with open_store(f"sqlite:///{path}") as store:
        chain = Chain.start("m")
        assert len(list(store.follow(chain))) == written.seq
        assert chain == written
        assert store.verify_all().snapshots == 1


def test_every_commit_is_synced(path):
    with open_store(f"sqlite:///{path}") as store:
        assert isinstance(store, sqlite.SqliteStore)
        connection = store._connection
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_path_may_hold_what_a_driver_would_take_for_more(tmp_path):
    odd = tmp_path / "jour nal#1 ü.db"
    with open_store(f"sqlite:///{odd}") as store:
        write(store)
    assert odd.exists()
    with open_store(f"sqlite:///{odd}", read_only=True) as store:
        assert store.verify_all().matches == 1


def test_an_empty_file_becomes_a_journal(path):
    path.touch()
    with open_store(f"sqlite:///{path}") as store:
        write(store)


def test_a_creation_that_a_crash_cut_short_is_begun_again(path):
    path.with_name("journal.db.new").write_bytes(b"half of a")
    with open_store(f"sqlite:///{path}") as store:
        write(store)
    assert not path.with_name("journal.db.new").exists()


def foreign_text(path):
    path.write_text("Dear diary, " * 50)


def foreign_short(path):
    path.write_bytes(b"SQLite format 3\0")


def foreign_sqlite(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE records (match_id TEXT, seq INTEGER, body BLOB, hash BLOB)")
        connection.commit()


def foreign_sqlite_in_wal_mode(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (a)")
        connection.commit()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("make", [foreign_text, foreign_short, foreign_sqlite, foreign_sqlite_in_wal_mode])
def test_a_file_that_is_not_ours_is_left_alone(path, make, read_only):
    make(path)
    before = contents(path.parent)
    with pytest.raises(JournalForeign, match="is not a journal") as caught:
        open_store(f"sqlite:///{path}", read_only=read_only)
    assert str(path) in str(caught.value)
    assert contents(path.parent) == before


@pytest.mark.parametrize("read_only", [False, True])
def test_newer_tables_are_left_alone(path, read_only):
    open_store(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    before = contents(path.parent)
    with pytest.raises(JournalNewer, match="was written by a newer version"):
        open_store(f"sqlite:///{path}", read_only=read_only)
    assert contents(path.parent) == before


def test_a_second_writer_is_told_who_has_the_journal(path):
    with open_store(f"sqlite:///{path}") as first:
        with pytest.raises(JournalLocked, match=f"Process {os.getpid()} writes the journal") as caught:
            open_store(f"sqlite:///{path}")
        assert caught.value.holder == f"process {os.getpid()}"
        write(first)
    open_store(f"sqlite:///{path}").close()


def test_the_lock_is_of_the_file_and_not_of_its_name(path):
    other_name = path.with_name("other.db")
    with open_store(f"sqlite:///{path}"):
        other_name.symlink_to(path)
        with pytest.raises(JournalLocked):
            open_store(f"sqlite:///{other_name}")


def test_a_store_that_could_not_be_opened_leaves_no_lock(path):
    open_store(f"sqlite:///{path}").close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096])
    with pytest.raises(JournalDamaged), open_store(f"sqlite:///{path}") as store:
        store.verify_all()
    path.write_bytes(whole)
    open_store(f"sqlite:///{path}").close()


@pytest.mark.parametrize(
    "url",
    [
        "journal.db",
        "",
        "mysql://host/base",
        "postgresql://127.0.0.1:1/base",
        "sqlite:///{folder}/no/such/folder/j.db",
        "sqlite:///{folder}",
        "sqlite:///{folder}/pipe",
        "sqlite:///{folder}/loop/j.db",
        "sqlite:///{folder}/a%00b.db",
        "sqlite://coordinator.db",
        "sqlite://host/coordinator.db",
    ],
)
def test_what_cannot_be_opened_is_said_so(tmp_path, url):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for read_only in (False, True):
        with pytest.raises(DatabaseUnreachable, match="cannot be opened: ") as caught:
            open_store(url.format(folder=tmp_path), read_only=read_only)
        assert caught.value.exit_code == 6
    assert (tmp_path / "pipe").is_fifo(), "what is no file is never put in the place of one"


def test_a_journal_and_its_log_are_for_their_owner_alone(path):
    before = os.umask(0)
    try:
        with open_store(f"sqlite:///{path}") as store:
            write(store)
            made = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir() if file.suffix != ".lock"}
    finally:
        os.umask(before)
    assert made == dict.fromkeys(["journal.db", "journal.db-wal", "journal.db-shm"], 0o600)


def test_looking_makes_no_journal(path):
    with pytest.raises(DatabaseUnreachable, match="there is no such file"):
        open_store(f"sqlite:///{path}", read_only=True)
    assert contents(path.parent) == {}


def test_a_stopped_journal_is_read_without_a_trace(path):
    with open_store(f"sqlite:///{path}") as store:
        write(store, snapshots_after=(2,))
    before = contents(path.parent)
    path.parent.chmod(0o555)
    try:
        with open_store(f"sqlite:///{path}", read_only=True) as reader:
            assert reader.verify_all().matches == 1
    finally:
        path.parent.chmod(0o755)
    assert contents(path.parent) == before


def test_a_reader_sees_what_a_writer_adds(path):
    records = sealed()
    with open_store(f"sqlite:///{path}") as writer, open_store(f"sqlite:///{path}", read_only=True) as reader:
        assert reader.matches() == []
        for record in records:
            writer.append([record])
            assert reader.head("m") == Head(record.seq, record.hash)
        assert reader.verify("m").records == len(records)


def test_a_reader_of_a_stopped_journal_sees_a_daemon_start(path):
    first, *others = sealed()
    with open_store(f"sqlite:///{path}") as writer:
        writer.append([first])
    with open_store(f"sqlite:///{path}", read_only=True) as reader:
        assert reader.head("m") == Head(1, first.hash)
        with open_store(f"sqlite:///{path}") as writer:
            writer.append(others)
            assert reader.verify("m").records == 1 + len(others)


@pytest.fixture
def connections(monkeypatch):
    """Every connection to SQLite that is made. Python 3.13 warns of one that nobody closes."""
    made, really = [], sqlite3.connect

    def connect(*words, **named):
        made.append(really(*words, **named))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", connect)
    return made


def is_closed(connection):
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return True
    return False


def test_a_reader_that_was_asked_nothing_yet_closes_what_it_opens_anew(path, connections):
    """A daemon starts between the opening and the first question: the way to the file without a log is of no use."""
    open_store(f"sqlite:///{path}").close()
    with open_store(f"sqlite:///{path}", read_only=True) as reader, open_store(f"sqlite:///{path}") as writer:
        writer.append(sealed())
        before = len(connections)
        assert reader.named() == ["m"]
        assert len(connections) == before + 1
    assert [is_closed(connection) for connection in connections] == [True] * len(connections)


def test_a_journal_that_cannot_be_opened_to_the_end_is_closed(path, connections):
    class Stopped(sqlite.SqliteStore):
        @staticmethod
        def reach(moment):
            if moment == "journal opened":
                raise RuntimeError(moment)

    with pytest.raises(RuntimeError, match="journal opened"):
        Stopped(str(path))
    assert [is_closed(connection) for connection in connections] == [True] * len(connections)
    open_store(f"sqlite:///{path}").close()


def test_a_reader_cannot_write(path):
    open_store(f"sqlite:///{path}").close()
    with open_store(f"sqlite:///{path}", read_only=True) as reader, pytest.raises(JournalFailed, match="readonly"):
        reader.append(sealed())
