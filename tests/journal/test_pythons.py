"""A match is journaled in the same bytes by every Python, and every Python decides it alike.

What Python 3.12 and 3.13 wrote is kept beside the journals of old formats, so that the comparison needs none of them;
where another Python can be found, it writes the matches anew.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from coordinator.engine.match import Outcome
from coordinator.journal.kinds import kind_of
from coordinator.journal.records import Chain, StoredRecord
from coordinator.journal.replay import replay
from coordinator.journal.store import Store, open_store
from tests.journal import pythons

ROOT = Path(__file__).parents[2]
KEPT = sorted(pythons.KEPT.glob("*.db"))
SUPPORTED = ("3.11", "3.12", "3.13")
OTHERS = [number for number in SUPPORTED if number != "{}.{}".format(*sys.version_info)]
WITHIN_S = 120


def look(file: Path) -> Store:
    return open_store(f"sqlite:///{file}", read_only=True)


def same(one: Path, other: Path) -> None:
    """The same matches, record by record and snapshot by snapshot, to the last bit."""
    with look(one) as a, look(other) as b:
        assert a.named() == b.named() == sorted(pythons.MATCHES)
        for match_id in pythons.MATCHES:
            assert list(a.read(match_id)) == list(b.read(match_id))
            assert list(a.snapshots(match_id)) == list(b.snapshots(match_id))


def written_again(store: Store, match_id: str) -> list[StoredRecord]:
    """Every recorded command, decided and sealed by the Python that runs this."""
    kind = kind_of(match_id)
    state, chain, found = kind.new_state(), Chain.start(match_id), list[StoredRecord]()
    for record in store.follow(Chain.start(match_id)):
        outcome = kind.step(state, record.command)
        assert isinstance(outcome, Outcome)
        sealed = chain.seal(record.command, outcome.events, outcome.effects, record.wall_ms)
        found.append(StoredRecord(match_id, sealed.seq, sealed.body, sealed.hash))
    return found


def test_two_pythons_have_written_the_same_bytes():
    assert [file.stem for file in KEPT] == ["python-3.12", "python-3.13"]
    same(*KEPT)


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_what_another_python_wrote_is_decided_alike(file):
    unchanged = pythons.LAYOUT.read_text().strip() == pythons.layout()
    with look(file) as store:
        for match_id in pythons.MATCHES:
            report = replay(store, match_id, check=True)
            assert report.first_difference is None
            assert report.same_decisions is True
            if unchanged:  # otherwise the same things have other fields by now, and the replay has said all there is
                assert (report.same_state, report.same_effects) == (True, True)
                assert written_again(store, match_id) == list(store.read(match_id))


@cache
def interpreter(number: str) -> str | None:
    """A Python of this version, from PATH, from pyenv or from uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{number}"), *map(str, sorted(pyenv.glob(f"{number}.*/bin/python"), reverse=True))]
    if (uv := uv_program()) is not None:
        asked = subprocess.run([uv, "python", "find", "--no-project", number], capture_output=True, text=True)
        found.append(asked.stdout.strip())
    for path in filter(None, found):
        # A shim of pyenv is there for every version, and runs for those that are switched on.
        said = subprocess.run([path, "-c", "import sys; print('{}.{}'.format(*sys.version_info))"], capture_output=True)
        if said.stdout.decode().strip() == number:
            return path
    return None


def uv_program() -> str | None:
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.exists() else shutil.which("uv")


@pytest.fixture
def other_python(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Another Python with the libraries of the lock file, put together without the network."""
    number, uv = request.param, uv_program()
    found = interpreter(number)
    if found is None or uv is None:
        pytest.skip(f"no Python {number} here, or no uv to give it its libraries")
    place = tmp_path / "venv"
    made = subprocess.run(
        [uv, "sync", "--quiet", "--frozen", "--offline", "--no-dev", "--no-install-project", "--python", found],
        cwd=ROOT,
        env={**os.environ, "UV_PROJECT_ENVIRONMENT": str(place)},
        capture_output=True,
        timeout=WITHIN_S,
    )
    if made.returncode != 0:
        pytest.skip(f"the libraries for Python {number} are not in uv's cache")
    return place / "bin" / "python"


@pytest.mark.process
@pytest.mark.parametrize("other_python", OTHERS, indirect=True)
def test_another_python_writes_the_same_bytes_today(other_python, tmp_path):
    (tmp_path / "there").mkdir()
    subprocess.run(
        [other_python, "-m", "tests.journal.pythons", str(tmp_path / "there")],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "random"},
        check=True,
        timeout=WITHIN_S,
    )
    [theirs] = (tmp_path / "there").glob("*.db")
    assert theirs.stem != pythons.HERE
    same(pythons.write(tmp_path), theirs)
