"""The page about proofs: every proof is there, its commands run, and its lists are those of the code."""

import json
import re
import shlex

import pytest

from tests.docs.console import run
from tests.docs.pages import ROOT, blocks, code, section, table, text_of
from tests.sim.invariants import INVARIANTS

PROOF_S = 300.0
"""Far beyond what a short form takes, so that a busy machine fails no test."""
SHORT_FORMS = [code(row["short form"]) for row in table(text_of("proof"))]


def as_module(line: str) -> str:
    """The command without its set-up, which a test must not run."""
    script, name, *options = shlex.split(line)
    assert script == "scripts/prove", line
    return shlex.join(["python", "-m", f"scripts.proofs.{name}", *options])


@pytest.mark.process
@pytest.mark.timeout(PROOF_S + 30)
@pytest.mark.parametrize("line", SHORT_FORMS)
def test_a_proof_says_its_seed_first_and_ends_with_one_line_of_json(line: str) -> None:
    exit_code, said = run(as_module(line), ROOT, step_s=PROOF_S)
    first, *_, last = said.splitlines()
    name = line.split()[1]
    assert re.match(rf"{name}: .*\bseed \d+", first), said
    verdict = json.loads(last)
    assert (verdict["proof"], verdict["ok"], exit_code) == (name, True, 0), said


def test_what_cannot_be_is_not_taken_for_an_option() -> None:
    exit_code, _ = run("python -m scripts.proofs.sim --sneeze 3", ROOT)
    assert exit_code == 2


def test_every_proof_is_described() -> None:
    there = sorted(path.stem for path in (ROOT / "scripts/proofs").glob("[!_]*.py"))
    assert [code(row["proof"]) for row in table(text_of("proof"))] == there
    for block in blocks("proof", "sh"):
        assert "scripts/prove" in block.body
        for line in block.body.splitlines():
            assert line.split()[1] in there, line


def test_every_invariant_is_described() -> None:
    rows = table(section("proof", "The simulator"))
    assert {code(row["invariant"]): row["promise"] for row in rows} == dict(INVARIANTS)
