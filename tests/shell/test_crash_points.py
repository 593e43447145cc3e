"""The process is killed at each named moment, on both databases: what was acknowledged is there, once.

It dies twice in a row: the one that takes up what the first has left dies at the same moment, a little later. The one
after that goes on to the end, and the journal proves the whole match.
"""

import json
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from coordinator.errors import JournalDamaged
from coordinator.journal.copying import copy_match
from coordinator.journal.moments import Moment
from coordinator.journal.records import Snapshot, StoredRecord
from coordinator.journal.replay import recover, replay
from coordinator.journal.store import Store, open_store
from tests.journal import keep
from tests.journal.small_match import as_stored, played, sealed, write
from tests.shell.mortals import COMMITTING, GROUP, OPENING, PLAYERS, READING, Death, Mortals, mortals

pytestmark = pytest.mark.process

UNDONE = {"before the write", "half written", "written, not committed"}
"""At these moments nothing of the group may be on the disk; of the groups before it all is."""
SNAPSHOT_UNDONE = {"before a snapshot", "snapshot half written", "snapshot written, not committed"}

STEPS = played(PLAYERS)
RECORDS = [as_stored(record) for record in sealed(steps=STEPS)]


@pytest.fixture(scope="module")
def born() -> Iterator[Mortals]:
    with mortals() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/journal.db"
    return request.getfixturevalue("postgres").new_database()


def look(store: Store, acknowledged: list[int]) -> int:
    """How many records there are: a whole piece of the match, with at least what was acknowledged."""
    kept = list(store.read("m"))
    assert kept == RECORDS[: len(kept)]
    assert len(kept) >= max(acknowledged, default=0), "an acknowledged record is lost"
    if kept:
        store.verify("m")
    return len(kept)


def dies(born: Mortals, url: str, moment: Moment, nth: int = 1) -> list[int]:
    """A process dies there; what it had acknowledged, which it did in order and from where it took up."""
    death = born.live(url, moment, nth)
    assert death.by == signal.SIGKILL, "the moment never came"
    in_order(death)
    return death.acknowledged


def in_order(death: Death) -> None:
    first = death.acknowledged[0] if death.acknowledged else 1
    assert death.acknowledged == list(range(first, first + len(death.acknowledged))), "out of order, or twice"


def ends_well(born: Mortals, url: str) -> None:
    """The process that comes after all that goes on to the end."""
    last = born.live(url)
    assert last.by == 0
    in_order(last)
    with open_store(url, read_only=True) as store:
        assert look(store, last.acknowledged) == len(STEPS)
        report = replay(store, "m", check=True)
        assert (report.records, report.same_effects, report.same_decisions) == (len(STEPS), True, True)
        assert report.same_state is True


@pytest.mark.parametrize("moment", OPENING)
def test_a_death_while_the_journal_is_opened_leaves_none_or_a_whole_one(born, url, moment):
    assert dies(born, url, moment) == []
    if moment != "journal in place":  # which comes once in the life of a journal
        assert dies(born, url, moment) == []
    ends_well(born, url)


@pytest.mark.parametrize("moment", COMMITTING)
def test_a_death_in_a_commit_loses_nothing(born, url, moment):
    acknowledged: list[int] = []
    for nth in (1, 4):
        acknowledged += dies(born, url, moment, nth)
        with open_store(url) as store:
            kept = look(store, acknowledged)
            snapshots = [snapshot.seq for snapshot in store.snapshots("m")]
        if moment in UNDONE and nth == 1:
            assert kept == 0, "a group that was not committed is there"
        if moment == "committed, not told":
            assert kept > max(acknowledged, default=0)
        if moment in SNAPSHOT_UNDONE:
            assert kept not in snapshots, "a snapshot that was not committed is there"
            assert len(snapshots) == nth - 1
        if moment == "snapshot committed":
            assert snapshots[0] == kept
    ends_well(born, url)


@pytest.mark.parametrize("moment", READING)
def test_a_death_in_a_replay_changes_nothing(born, url, moment):
    with open_store(url) as store:
        write(store, steps=STEPS[:30], snapshots_after=(4, 20))
        before = contents(store)
    for nth in (1, 4):
        assert dies(born, url, moment, nth) == []
        with open_store(url, read_only=True) as store:
            assert contents(store) == before
    ends_well(born, url)


def contents(store: Store) -> dict[str, tuple[list[StoredRecord], list[Snapshot]]]:
    return {match_id: (list(store.read(match_id)), list(store.snapshots(match_id))) for match_id in store.named()}


def test_a_death_in_an_upcast_changes_nothing(born, url, tmp_path):
    """A journal of the first format is lifted record by record as it is read."""
    old = shutil.copy(keep.KEPT / "format-1.db", tmp_path / "old.db")
    facts = json.loads((keep.KEPT / "format-1.json").read_text())
    with open_store(f"sqlite:///{old}", read_only=True) as source, open_store(url) as target:
        for match_id in facts:
            copy_match(source, target, match_id)
            for snapshot in source.snapshots(match_id):
                assert not snapshot.usable, "nothing would be lifted"
        before = contents(target)
    for nth in (1, 60):
        assert dies(born, url, "record read", nth) == []
        with open_store(url, read_only=True) as store:
            assert contents(store) == before
            for match_id, known in facts.items():
                found = keep.facts(recover(store, match_id).state)
                assert {**found, "records": len(before[match_id][0])} == known


# --- in the middle of a write ---------------------------------------------------------------------------------------


HALF = len(STEPS) // 2
LOG_FRAME = 24 + 4096
MAP_BYTES = 32_768
"""SQLite's map of its log has this size from the start, and no limit below it lets a journal be opened."""


@cache
def begun() -> bytes:
    """A stopped journal that holds half of the match, as a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        with open_store(f"sqlite:///{path}") as store:
            write(store, steps=STEPS[:HALF], snapshots_after=(GROUP,))
        return path.read_bytes()


@pytest.mark.parametrize("file", ["log", "database"])
def test_a_death_after_any_number_of_bytes_of_a_write_loses_nothing(born, tmp_path, file):
    """The kernel ends the process when it has written so many bytes of SQLite's log, or of a page on its way from the
    log into the database: at the edges of three pages and in between.
    """
    path = tmp_path / "journal.db"
    if file == "log":
        begin, page, log_pages = MAP_BYTES + 32, LOG_FRAME, 0
    else:
        begin, page, log_pages = len(begun()), 4096, 4
    for limit in (begin + number * page + rest for number in range(3) for rest in (1, 23, 24, 25, 2000, page - 1)):
        for left in tmp_path.glob("journal.db*"):
            left.unlink()
        path.write_bytes(begun())
        death = born.live(f"sqlite:///{path}", bytes_each=limit, log_pages=log_pages)
        assert death.by == signal.SIGXFSZ
        torn = path if file == "database" else path.with_name("journal.db-wal")
        assert torn.stat().st_size == limit, "it died elsewhere"
        with open_store(f"sqlite:///{path}") as store:
            assert look(store, death.acknowledged) >= HALF
    ends_well(born, f"sqlite:///{path}")


@pytest.fixture
def left_behind(born, tmp_path) -> tuple[Path, bytes, int]:
    """A journal whose writer was killed with everything still in the log; the log; how many records there are."""
    url = f"sqlite:///{tmp_path}/journal.db"
    death = born.live(url, "all released", 5)
    assert death.by == signal.SIGKILL
    log = tmp_path / "journal.db-wal"
    return log, log.read_bytes(), death.acknowledged[-1]


def test_a_log_that_ends_in_the_middle_of_a_write_is_taken_back_to_the_commit_before(born, left_behind, tmp_path):
    """Of a write that a power cut tore only a part is there; the next process dies over the repair, twice."""
    log, whole, count = left_behind
    url, found = f"sqlite:///{tmp_path}/journal.db", []
    for length in range(0, len(whole), 3517):
        log.write_bytes(whole[:length])
        assert born.live(url, "journal opened").by == signal.SIGKILL
        assert born.live(url, "journal opened").by == signal.SIGKILL
        with open_store(url, read_only=True) as store:
            found.append(look(store, []))
    assert found == sorted(found)
    assert 0 < found[-1] <= count
    ends_well(born, url)


def test_a_log_that_was_altered_gives_a_whole_piece_of_the_match_or_is_refused(left_behind, tmp_path):
    log, whole, count = left_behind
    url, found = f"sqlite:///{tmp_path}/journal.db", set()
    for at in range(0, len(whole), 997):
        log.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with suppress(JournalDamaged), open_store(url, read_only=True) as store:
            found.add(look(store, []))
    assert len(found) > 1
    assert max(found) <= count
