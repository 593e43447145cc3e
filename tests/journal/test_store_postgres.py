"""What only a journal in PostgreSQL has: a server that may be down or unsafe, an owner, tables among others'."""

import os
import sys

import pytest

from coordinator.errors import (
    DatabaseUnreachable,
    JournalDamaged,
    JournalFailed,
    JournalForeign,
    JournalLocked,
    JournalNewer,
)
from coordinator.journal.postgres import PostgresStore
from coordinator.journal.schema import SCHEMA_VERSION
from coordinator.journal.store import Head, open_store
from tests.journal.full_disk import no_room
from tests.journal.small_match import as_stored, sealed, write


@pytest.fixture
def url(postgres):
    return postgres.new_database()


def tables(postgres, url):
    with postgres.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
    return [name for [name] in found]


def shown(postgres, setting):
    with postgres.connect() as connection:
        return connection.execute(f"SHOW {setting}").fetchone()[0]


def test_a_journal_outlives_the_process_that_wrote_it(url):
    with open_store(url) as store:
        written = write(store, snapshots_after=(3,))
    with open_store(url) as store:
        assert store.head("m") == Head(written.seq, written.hash)
        assert store.verify_all().snapshots == 1


def test_the_url_may_name_the_driver(url):
    with open_store(url.replace("postgresql://", "postgresql+psycopg://")) as store:
        write(store)
        assert store.verify_all().matches == 1


# --- durability -----------------------------------------------------------------------------------------------------


@pytest.mark.timeout(400)
def test_what_was_committed_survives_the_death_of_the_server(postgres, url):
    first, second, *others = sealed()
    with open_store(url) as store:
        store.append([first, second])
        postgres.stop()
        with pytest.raises(JournalFailed):
            store.append(others)
        postgres.start()
        with pytest.raises(JournalFailed):
            store.append(others)
    with open_store(url) as store:
        assert list(store.read("m")) == [as_stored(first), as_stored(second)]
        store.append(others)
        assert store.verify_all().records == 2 + len(others)


def test_a_server_that_forgets_at_a_power_cut_is_refused(postgres, url):
    def set_fsync(value):
        with postgres.connect() as connection:
            connection.execute(f"ALTER SYSTEM SET fsync = {value}")
            connection.execute("SELECT pg_reload_conf()")
        while shown(postgres, "fsync") != value:
            pass

    set_fsync("off")
    try:
        with pytest.raises(DatabaseUnreachable, match=r"forgets at a power cut \(fsync is off\)"):
            open_store(url)
        assert tables(postgres, url) == []
    finally:
        set_fsync("on")


@pytest.mark.parametrize(("default", "in_force"), [("off", "on"), ("on", "on"), ("remote_apply", "remote_apply")])
def test_every_commit_waits_for_the_disk_whatever_the_database_would_do(postgres, url, default, in_force):
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET synchronous_commit = {default}")
    with open_store(url) as store:
        assert isinstance(store, PostgresStore)
        assert store._one("SHOW synchronous_commit") == (in_force,)


# --- no room, no leave to write ---------------------------------------------------------------------------------------


def test_a_full_disk_is_named_at_the_start(postgres, url):
    with open_store(url) as store:
        write(store)
    with postgres.connect(url) as connection:
        no_room(connection, "journal")
    with pytest.raises(DatabaseUnreachable, match="the disk is full") as caught:
        open_store(url)
    assert caught.value.exit_code == 6
    with open_store(url, read_only=True) as reader:
        assert reader.verify_all().matches == 1


@pytest.mark.parametrize("there", [False, True], ids=["new", "existing"])
def test_a_database_that_may_only_be_read_is_named_at_the_start(postgres, url, there):
    """A standby is one, and so is whatever an administrator sets so; nothing in it is damaged."""
    if there:
        with open_store(url) as store:
            write(store)
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    with pytest.raises(DatabaseUnreachable, match="read-only transaction") as caught:
        open_store(url)
    assert caught.value.exit_code == 6
    if there:
        with open_store(url, read_only=True) as reader:
            assert reader.verify_all().matches == 1


def test_a_database_that_may_only_be_read_from_now_on_fails_the_append(url):
    first, second, *_ = sealed()
    with open_store(url) as store:
        assert isinstance(store, PostgresStore)
        store.append([first])
        store._connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(JournalFailed, match="read-only transaction"):
            store.append([second])
        assert list(store.read("m")) == [as_stored(first)]


# --- one owner ------------------------------------------------------------------------------------------------------


def test_a_second_writer_is_told_who_has_the_journal(url):
    with open_store(url) as first:
        with pytest.raises(
            JournalLocked, match=f"Process {os.getpid()} on .* writes the journal postgresql://"
        ) as lock:
            open_store(url)
        assert lock.value.holder.startswith(f"process {os.getpid()} on ")
        write(first)
    open_store(url).close()


def test_a_holder_that_has_made_nothing_yet_keeps_others_out(postgres, url):
    with postgres.connect(url) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (0x6D61746A,))
        with pytest.raises(JournalLocked, match="Another process writes the journal"):
            open_store(url)


def test_a_connection_that_is_ended_gives_the_journal_free_and_writes_nothing_more(postgres, url):
    """What an operator does about a holder that hangs."""
    first, second, *_ = sealed()
    with open_store(url) as frozen:
        frozen.append([first])
        with postgres.connect() as operator:
            operator.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s",
                (url.rpartition("/")[2],),
            )
        with open_store(url) as successor:
            successor.append([second])
            with pytest.raises(JournalFailed):
                frozen.append([second])
            assert successor.verify_all().records == 2


def test_a_lock_that_a_pooler_gave_away_does_not_let_two_write(postgres, url):
    """Behind a pooler the lock may belong to nobody; the number in each append still knows who came last."""
    first, second, *_ = sealed()
    with open_store(url) as old:
        assert isinstance(old, PostgresStore)
        old.append([first])
        old._connection.execute("SELECT pg_advisory_unlock_all()")
        with open_store(url) as new:
            with pytest.raises(JournalFailed, match="another process has taken the journal over"):
                old.append([second])
            new.append([second])
            assert new.verify_all().records == 2


# --- tables that are not ours, or not whole -------------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("name", ["records", "journal"])
def test_tables_of_another_program_are_left_alone(postgres, url, name, read_only):
    with postgres.connect(url) as connection:
        connection.execute(f"CREATE TABLE {name} (title text)")
    with pytest.raises(JournalForeign, match=f"another program has a table {name} there"):
        open_store(url, read_only=read_only)
    assert tables(postgres, url) == [name]


@pytest.mark.parametrize("read_only", [False, True])
def test_newer_tables_are_left_alone(postgres, url, read_only):
    open_store(url).close()
    with postgres.connect(url) as connection:
        connection.execute("UPDATE journal SET version = %s", (SCHEMA_VERSION + 1,))
    with pytest.raises(JournalNewer, match="was written by a newer version"):
        open_store(url, read_only=read_only)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("spoil", ["DROP TABLE heads", "DELETE FROM journal"])
def test_a_journal_that_is_not_whole_is_damaged(postgres, url, spoil, read_only):
    open_store(url).close()
    with postgres.connect(url) as connection:
        connection.execute(spoil)
    with pytest.raises(JournalDamaged, match="some of its tables are gone or empty"):
        open_store(url, read_only=read_only)


# --- looking --------------------------------------------------------------------------------------------------------


def test_looking_makes_no_journal(postgres, url):
    with pytest.raises(DatabaseUnreachable, match="there is no journal in that database"):
        open_store(url, read_only=True)
    assert tables(postgres, url) == []


def test_a_reader_sees_what_a_writer_adds_and_cannot_write(url):
    records = sealed()
    with open_store(url) as writer, open_store(url, read_only=True) as reader:
        assert reader.matches() == []
        for record in records:
            writer.append([record])
            assert reader.head("m") == Head(record.seq, record.hash)
        assert reader.verify("m").records == len(records)
        with pytest.raises(JournalFailed, match="readonly"):
            reader.append(records)


# --- what cannot be opened ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [False, True])
def test_a_server_or_database_that_is_not_there_is_said_so_without_the_password(postgres, read_only):
    for place in (f"127.0.0.1:{postgres.port}/no_such_base", "127.0.0.1:1/base"):
        with pytest.raises(DatabaseUnreachable, match="cannot be opened: ") as caught:
            open_store(f"postgresql://coordinator:geheim@{place}", read_only=read_only)
        assert caught.value.exit_code == 6
        assert "geheim" not in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_server_that_dies_under_a_reader_is_unreachable_and_not_damaged(postgres, url):
    open_store(url).close()
    with open_store(url, read_only=True) as reader:
        postgres.stop("fast")
        try:
            with pytest.raises(DatabaseUnreachable, match="Look at the server"):
                reader.matches()
        finally:
            postgres.start()


def test_a_driver_that_is_not_installed_is_named_with_the_command_that_brings_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "coordinator.journal.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseUnreachable, match=r"pip install 'match-coordinator\[postgres\]'"):
        open_store("postgresql://host/base")
