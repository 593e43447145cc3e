"""The benchmarks run and say what they promise; how fast anything is, is for them to say and not for a test."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMIT_S = 100

SHORT = {
    "hands": ["--rounds", "1", "--seconds", "0.3"],
    "ticks": ["--rounds", "1", "--sessions", "50"],
    "grow": ["--rounds", "1", "--seconds", "0.3", "--rate", "200"],
    "seating": ["--rounds", "1", "--players", "3000"],
    "pairing": ["--rounds", "1", "--players", "1000", "--exact", "100"],
    "fairness": ["--rounds", "1"],
    "recovery": ["--rounds", "1", "--events", "500", "--players", "30"],
}
COUNTED = {"fairness"}
"""These measure no time and have no spread."""


@pytest.mark.process
@pytest.mark.parametrize("name", SHORT)
def test_a_benchmark_ends_with_one_line_of_json(name: str, tmp_path: Path) -> None:
    file = tmp_path / "last.json"
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.benchmarks.{name}", *SHORT[name], "--json", str(file)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["bench"] == name
    assert last["ratio"] > 0
    if name in COUNTED:
        assert last["ok"], "the same on every machine"
    else:
        assert {"median", "q1", "q3"} == set(last["spread"])
    assert done.returncode == (0 if last["ok"] else 1), done.stderr
    assert json.loads(file.read_text()) == last


def test_every_benchmark_is_tried() -> None:
    found = {path.stem for path in (ROOT / "scripts" / "benchmarks").glob("[!_]*.py")}
    assert found == set(SHORT)
