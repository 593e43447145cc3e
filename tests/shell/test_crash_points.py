"""The process is killed at each named moment of a commit, on both databases: what was acknowledged is there, once."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from coordinator.journal.replay import recover, replay
from coordinator.journal.store import Moment, open_store
from tests.journal.small_match import played, sealed, write

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
DEATHS = [(moment, nth) for moment in get_args(Moment) for nth in (1, 4)]
LOST_WITH_IT = {"before the write", "written, not committed"}
"""At these moments nothing of the group may be on the disk; of the groups before it all is."""


def die(url: str, moment: str, nth: int) -> list[int]:
    """Commit until the moment comes for the nth time; the numbers that were acknowledged before the death."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.shell.dying_writer", url, moment, str(nth)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=90,
    )
    assert ended.returncode == -signal.SIGKILL, "the moment never came"
    return [int(line) for line in ended.stdout.split()]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize(("moment", "nth"), DEATHS, ids=lambda word: str(word))
def test_a_death_at_a_named_moment_loses_nothing(tmp_path, request, kind, moment, nth):
    steps = played(27)
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path}/journal.db"
    else:
        url = request.getfixturevalue("postgres").new_database()
    acknowledged = die(url, moment, nth)
    assert acknowledged == list(range(1, len(acknowledged) + 1)), "acknowledged out of order, or twice"
    with open_store(url) as store:
        head = store.head("m")
        kept = 0 if head is None else head.seq
        assert kept >= len(acknowledged), "an acknowledged record is lost"
        assert [stored.body for stored in store.read("m")] == [each.body for each in sealed(steps=steps)[:kept]]
        if moment in LOST_WITH_IT and nth == 1:
            assert kept == 0, "a group that was not committed is there"
        if moment == "committed, not told":
            assert kept > len(acknowledged)
        # The daemon that comes after it goes on, and the journal proves the whole match.
        if kept:
            store.verify("m")
            chain = recover(store, "m").chain
            for command, outcome in steps[kept:]:
                store.append([chain.seal(command, outcome.events, outcome.effects, 0)])
        else:
            write(store, steps=steps)
        report = replay(store, "m", check=True)
        assert (report.records, report.same_effects, report.same_decisions) == (len(steps), True, True)
