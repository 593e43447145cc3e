"""The link to PostgreSQL is cut after any number of bytes, as the death of either end cuts it.

With SQLite that is a process which dies after so many bytes of a write: ``tests/shell/test_crash_points.py``.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import attrs
import psycopg
import pytest

from coordinator.errors import DatabaseUnreachable, JournalFailed
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.replay import recover
from coordinator.journal.store import open_store
from tests.journal.cut_link import Way, cut_link
from tests.journal.small_match import WALL_MS, as_stored, played, sealed

STEPS = played(3, 1)
RECORDS = [as_stored(record) for record in sealed("m", steps=STEPS)]
GROUP = 2


@attrs.define
class Progress:
    """What a writer knows to be on the disk."""

    committed: int = 0
    ended: bool = False


def write_match(url: str, match_id: str, came_here: Callable[[], object] = lambda: None) -> Progress:
    """Commit a match in groups, a snapshot behind each, until it ends or the link does."""
    found = Progress()
    with suppress(DatabaseUnreachable, JournalFailed), open_store(url) as store:
        came_here()
        chain, state = Chain.start(match_id), recover(store, match_id).state
        while chain.seq < len(STEPS):
            group = STEPS[chain.seq : chain.seq + GROUP]
            store.append([chain.seal(command, outcome.events, outcome.effects, WALL_MS) for command, outcome in group])
            found.committed = chain.seq
            came_here()
            store.put_snapshot(Snapshot.take(chain, state))
            came_here()
        found.ended = True
    return found


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_commit_is_there_or_not_wherever_the_link_is_cut(postgres, way: Way):
    url = postgres.new_database()
    open_store(url).close()
    marks: list[int] = []
    with cut_link(url) as link:
        assert write_match(link.url, "m-all", lambda: marks.append(link.carried[way])).ended
    cuts = [at for a, b in pairwise(marks) for at in (a + 1, (a + b) // 2, b - 1)]
    in_doubt = 0
    for number, at in enumerate(cuts):
        match_id = f"m-{number:03}"  # as long as the first one
        with cut_link(url, way, at) as link:
            found = write_match(link.url, match_id)
        assert not found.ended
        with open_store(url) as store:
            kept = list(store.read(match_id))
            assert [record.body for record in kept] == [record.body for record in RECORDS[: len(kept)]]
            assert len(kept) in (found.committed, min(found.committed + GROUP, len(STEPS)))
            in_doubt += len(kept) > found.committed
            if kept:
                store.verify(match_id)
    # A commit whose answer was lost is on the disk, although nobody was told.
    assert (in_doubt > 0) is (way == "down")


def test_a_server_that_is_gone_is_noticed_by_looking_and_nothing_is_written_after(postgres):
    url = postgres.new_database()
    with cut_link(url) as link, open_store(link.url) as store:
        store.check_link()
        with psycopg.connect(url, autocommit=True) as operator:
            operator.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        with pytest.raises(JournalFailed):
            store.check_link()
        with pytest.raises(JournalFailed):
            store.append([sealed("m", steps=STEPS)[0]])
    with open_store(url) as store:
        assert store.named() == []


def test_a_journal_that_was_taken_over_is_noticed_by_looking(postgres):
    url = postgres.new_database()
    with open_store(url) as store, psycopg.connect(url, autocommit=True) as other:
        other.execute("UPDATE journal SET fence = fence + 1")
        with pytest.raises(JournalFailed, match="taken the journal over"):
            store.check_link()
