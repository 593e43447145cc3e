"""The proofs of this room say their seed first and one line of figures last."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT_S = 100


@pytest.mark.process
def test_the_proof_of_bad_input_ends_with_one_line_of_json() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.proofs.input", "--seed", "7", "--inputs", "700", "--guided", "0"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first == "input: seed 7"
    figures = json.loads(last)
    assert (figures["proof"], figures["ok"], figures["rows"], figures["inputs"]) == ("input", True, 93, 793)
    assert (figures["crashes"], figures["wrong_codes"]) == (0, 0)
