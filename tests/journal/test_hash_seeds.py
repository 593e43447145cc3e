"""The same matches are journaled byte for byte under any hash seed, and replay alike under another one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coordinator.journal.replay import replay
from coordinator.journal.store import open_store
from tests.journal import keep

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def kept_under(seed: str, folder: Path) -> str:
    """Play the matches that are kept for ever in an interpreter of its own; the URL of their journal."""
    folder.mkdir()
    program = f"from pathlib import Path; from tests.journal.keep import keep; keep(Path({str(folder)!r}))"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", program], env=env, check=True, timeout=60)
    [journal] = folder.glob("*.db")
    return f"sqlite:///{journal}"


def test_the_hash_seed_changes_nothing(tmp_path):
    urls = [kept_under(seed, tmp_path / seed) for seed in ("1", "2")]
    with open_store(urls[0], read_only=True) as one, open_store(urls[1], read_only=True) as other:
        assert one.named() == other.named() == sorted(keep.MATCHES)
        for match_id in keep.MATCHES:
            assert list(one.read(match_id)) == list(other.read(match_id))
            assert list(one.snapshots(match_id)) == list(other.snapshots(match_id))
            report = replay(one, match_id, check=True)
            assert (report.same_state, report.same_effects, report.same_decisions) == (True, True, True)
