"""Matches that are finished: what every kind of store notes of them, so that no start takes them up again."""

import attrs
import pytest

from coordinator.engine.match import new_state
from coordinator.errors import JournalDamaged, JournalFailed
from coordinator.journal.copying import copy_match
from coordinator.journal.records import FinishedEntry, Snapshot
from coordinator.journal.replay import recover
from coordinator.journal.schema import SCHEMA_VERSION
from coordinator.journal.store import Head, open_store
from tests.journal.small_match import played, sealed, write

WALL_MS = 1_790_000_000_000


@pytest.fixture(params=["memory", "file", "postgres"])
def url(request, tmp_path):
    """Where a journal is kept, of each kind there is."""
    match request.param:
        case "memory":
            return "sqlite:///:memory:"
        case "file":
            return f"sqlite:///{tmp_path}/journal.db"
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def store(url):
    with open_store(url) as store:
        yield store


def finish(store, match_id="m", wall_ms=WALL_MS, status="over"):
    """Note that a match is finished where it stands now."""
    recovered = recover(store, match_id)
    chain = recovered.chain
    entry = FinishedEntry(match_id, chain.seq, chain.hash, status, wall_ms, b"told in lists")
    store.put_finished(entry, Snapshot.take(chain, recovered.state))
    return entry


def test_an_empty_store_has_nothing_to_take_up(store):
    assert store.unfinished() == []
    assert store.finished("m") is None
    assert store.newest_finished(10) == []
    assert store.count_finished() == {}


def test_what_is_finished_is_not_taken_up_and_is_read_back_from_one_snapshot(store):
    whole = write(store, steps=played(9))
    write(store, "running")
    assert store.unfinished() == ["m", "running"]
    entry = finish(store)
    assert store.unfinished() == ["running"]
    assert store.finished("m") == entry
    assert store.finished("running") is None
    recovered = recover(store, "m")
    assert (recovered.state.status, recovered.chain, recovered.records) == ("over", whole, 0)
    assert store.verify("m").snapshots == 1


def test_a_match_that_goes_on_is_taken_up_again(store):
    records = sealed(steps=played(9))
    store.append(records[:-1])
    noted = finish(store)
    assert store.unfinished() == []
    store.append(records[-1:])
    assert store.unfinished() == ["m"]
    assert store.finished("m") == noted
    assert store.count_finished() == {}
    again = finish(store)
    assert store.unfinished() == []
    assert store.newest_finished(10) == [again]


def test_the_newest_come_first_and_page_by_page(store):
    times = {"a": 5, "d": 9, "c": 7, "b": 7}
    for name, wall_ms in times.items():
        write(store, name, steps=played(9))
        finish(store, name, wall_ms)
    first = store.newest_finished(2)
    assert [entry.match_id for entry in first] == ["d", "c"]
    second = store.newest_finished(2, first[-1])
    assert [entry.match_id for entry in second] == ["b", "a"]
    assert store.newest_finished(2, second[-1]) == []


def test_they_are_counted_by_status(store):
    for name, status in (("a", "over"), ("b", "halted"), ("c", "over")):
        write(store, name, steps=played(9))
        finish(store, name, status=status)
    write(store, "running")
    assert store.count_finished() == {"over": 2, "halted": 1}


def test_the_note_and_the_snapshot_are_written_together_or_not_at_all(store):
    write(store, steps=played(9))
    recovered = recover(store, "m")
    good = FinishedEntry("m", recovered.chain.seq, recovered.chain.hash, "over", WALL_MS, b"")
    with pytest.raises(JournalFailed):
        store.put_finished(attrs.evolve(good, hash=None), Snapshot.take(recovered.chain, recovered.state))  # type: ignore[arg-type]
    assert list(store.snapshots("m")) == []
    assert store.unfinished() == ["m"]
    with pytest.raises(JournalFailed):
        store.put_finished(good, Snapshot.take(recovered.chain, recovered.state))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda entry: attrs.evolve(entry, hash=b"another"), "the journal says that the match is finished there"),
        (lambda entry: attrs.evolve(entry, seq=3), "the journal says that the match is finished there"),
        (lambda entry: attrs.evolve(entry, seq=entry.seq + 1), "no such record"),
    ],
)
def test_a_note_that_does_not_fit_is_damage(store, spoil, said):
    write(store, steps=played(9))
    entry = finish(store)
    [snapshot] = store.snapshots("m")
    store.put_finished(spoil(entry), snapshot)
    with pytest.raises(JournalDamaged, match=said):
        store.verify("m")


def test_a_note_about_a_match_that_never_ended_is_damage(store):
    write(store)
    finish(store)
    with pytest.raises(JournalDamaged, match="says that the match is finished there"):
        store.verify("m")


def test_what_the_table_of_contents_does_not_know_is_a_stray(store):
    write(store)
    assert store.strays() == []
    chain = recover(store, "m").chain
    store.put_snapshot(Snapshot.take(attrs.evolve(chain, match_id="stray"), new_state()))
    assert store.named() == ["m", "stray"]
    assert store.strays() == ["stray"]


def test_a_copy_is_finished_too(store):
    write(store, steps=played(9))
    entry = finish(store)
    with open_store("sqlite:///:memory:") as target:
        copy_match(store, target, "m")
        assert target.finished("m") == entry
        assert target.unfinished() == []


@pytest.mark.parametrize("url", ["file", "postgres"], indirect=True)
def test_a_journal_of_the_first_tables_gets_what_it_lacks(url):
    with open_store(url) as store:
        write(store, steps=played(9))
        connection = store._connection  # type: ignore[attr-defined]
        connection.execute("DROP TABLE finished")
        older = "UPDATE journal SET version = 1" if url.startswith("postgresql") else "PRAGMA user_version = 1"
        connection.execute(older)
    with open_store(url, read_only=True) as reader:
        assert reader.verify("m").records == len(played(9))
        assert reader.finished("m") is None
    with open_store(url) as store:
        assert store.head("m") == Head(len(played(9)), recover(store, "m").chain.hash)
        assert store.unfinished() == ["m"]
        finish(store)
    with open_store(url, read_only=True) as reader:
        assert reader.version == SCHEMA_VERSION  # type: ignore[attr-defined]
        assert reader.unfinished() == []
