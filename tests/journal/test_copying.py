"""A copy holds the same bytes, in whatever database, and is brought up to date by copying again."""

import pytest

from coordinator.engine.match import new_state
from coordinator.errors import CopyDiffers, JournalDamaged
from coordinator.journal import copying
from coordinator.journal.copying import copy_match
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.sqlite import MemoryStore
from coordinator.journal.store import open_store
from tests.journal.small_match import played, sealed, write


@pytest.fixture
def source():
    with MemoryStore() as store:
        yield store


@pytest.fixture
def target():
    with MemoryStore() as store:
        yield store


def contents(store, match_id="m"):
    return store.entry(match_id), store.head(match_id), list(store.read(match_id)), list(store.snapshots(match_id))


def test_a_journal_goes_to_the_other_database_and_back_unchanged(source, target, postgres):
    written = write(source, steps=played(9), snapshots_after=(2, 4, 9))
    with open_store(postgres.new_database()) as other:
        assert copy_match(source, other, "m") == written.seq
        assert contents(other) == contents(source)
        assert other.verify("m").snapshots == 3
        assert copy_match(other, target, "m") == written.seq
    assert contents(target) == contents(source)


@pytest.mark.parametrize("per_commit", [1, 2, 1_000])
def test_a_copy_is_brought_up_to_date(source, target, monkeypatch, per_commit):
    monkeypatch.setattr(copying, "RECORDS_PER_COMMIT", per_commit)
    records = sealed(steps=played(9))
    source.append(records[:5])
    assert copy_match(source, target, "m") == 5
    assert copy_match(source, target, "m") == 0
    source.append(records[5:])
    assert copy_match(source, target, "m") == len(records) - 5
    assert contents(target) == contents(source)


def test_another_match_of_that_name_is_left_alone(source, target):
    write(source, steps=played(9))
    write(target, steps=played(3, 1))
    before = contents(target)
    with pytest.raises(CopyDiffers, match="holds another match 'm': record 6"):
        copy_match(source, target, "m")
    assert contents(target) == before


def test_a_copy_that_is_ahead_is_left_alone(source, target):
    records = sealed()
    source.append(records[:3])
    target.append(records)
    with pytest.raises(CopyDiffers, match="record 4"):
        copy_match(source, target, "m")


def test_damage_ends_the_copying_of_a_match(source, target):
    write(source)
    source._connection.execute("UPDATE records SET body = zeroblob(20) WHERE seq = 4")
    with pytest.raises(JournalDamaged, match="record 4"):
        copy_match(source, target, "m")
    assert target.named() == []


@pytest.mark.parametrize(
    "alter",
    [
        "UPDATE snapshots SET state = zeroblob(9) WHERE seq = 4",
        "UPDATE snapshots SET hash = zeroblob(16) WHERE seq = 4",
        "UPDATE snapshots SET seq = 5 WHERE seq = 4",
    ],
)
def test_a_snapshot_that_lies_is_left_out_and_its_match_is_not(source, target, alter):
    written = write(source, steps=played(9), snapshots_after=(2, 4))
    source._connection.execute(alter)
    with pytest.raises(JournalDamaged):
        source.verify("m")
    source.verify("m", snapshots=False)
    assert copy_match(source, target, "m") == written.seq
    assert [snapshot.seq for snapshot in target.snapshots("m")] == [2]
    assert target.verify("m").records == written.seq


def test_a_snapshot_of_another_journal_is_left_out(source, target):
    """It is intact, but the record it was taken after is not the one of this match."""
    write(source, steps=played(9))
    chain = Chain("m", 4, bytes(16), bytes(16))
    source.put_snapshot(Snapshot.take(chain, new_state()))
    copy_match(source, target, "m")
    assert list(target.snapshots("m")) == []
