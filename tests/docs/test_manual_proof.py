"""The page about proofs: every proof is there, its commands run, and its lists are those of the code."""

import json
import os
import re
import shlex
from collections import Counter
from typing import Any, get_args

import pytest

from coordinator.journal.moments import Moment
from tests.docs.console import run
from tests.docs.pages import ROOT, blocks, code, section, table, text_of
from tests.e2e import dying_daemon
from tests.shell import mortals
from tests.sim.invariants import INVARIANTS

PROOF_S = 300.0
"""Far beyond what a short form takes, so that a busy machine fails no test."""
ELSEWHERE = {"autobahn", "input"}
"""Proofs whose short forms are tests of their own rooms."""
BOOKS_ONLY = {"powercut", "storm"}
"""Proofs that also need root, or a machine that does nothing else: here only what was lost is looked at."""
ALL_SHORT_FORMS = {code(row["proof"]): code(row["short form"]) for row in table(text_of("proof"))}
SHORT_FORMS = [line for name, line in ALL_SHORT_FORMS.items() if name not in ELSEWHERE | BOOKS_ONLY]


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


def books_of(name: str) -> dict[str, Any]:
    _, said = run(as_module(ALL_SHORT_FORMS[name]), ROOT, step_s=PROOF_S)
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


@pytest.mark.process
@pytest.mark.skipif(os.geteuid() != 0, reason="a disk whose power is cut is root's to mount")
def test_a_few_power_cuts_lose_nothing() -> None:
    books = books_of("powercut")
    if "cuts" not in books:
        pytest.skip(books["void"])
    assert (books["cuts"], books["lost"], books["damaged"]) == (2, 0, 0)
    assert books["acknowledged"] > 0


@pytest.mark.process
def test_a_small_storm_loses_nothing() -> None:
    books = books_of("storm")
    assert (books["sessions"], books["sessions_that_lost"]) == (100, 0)
    assert set(books["resumed"]) == {"gap"}


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


def test_every_moment_is_described_in_order_and_somebody_dies_there() -> None:
    described = [code(row["moment"]) for row in table(section("proof", "Crash points"))]
    assert described == list(get_args(Moment))
    in_a_commit = mortals.OPENING + mortals.READING + mortals.COMMITTING
    assert Counter(in_a_commit + dying_daemon.TELLING + dying_daemon.STOPPING) == Counter(described)


def test_every_moment_is_passed_by_the_code() -> None:
    sources = {path: path.read_text() for path in (ROOT / "coordinator").rglob("*.py") if path.stem != "moments"}
    for moment in get_args(Moment):
        assert any(f'"{moment}"' in text for text in sources.values()), moment


def test_what_goes_wrong_without_a_moment_has_its_tests() -> None:
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
    }
    for row in table(section("proof", "Crash points"), 1):
        named = re.findall(r"`(test_\w+)`", row["tests"])
        assert named, row
        assert set(named) <= there, f"{row['what goes wrong']}: {set(named) - there}"
