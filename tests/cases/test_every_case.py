"""Every case from real life has one home among the tests, or says in `cases.jsonl` what it waits for."""

import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import attrs

TESTS = Path(__file__).parents[1]
SECTIONS = {
    "Pairing: legality and choice of opponent": 7,
    "Byes and odd numbers": 7,
    "Joining late, leaving, coming back": 9,
    "Rounds that stick, start twice or close too early": 6,
    "Reporting and correcting results": 7,
    "Standings and tie-breaks": 12,
    "Knockout brackets": 5,
    "Seats and tables": 5,
    "Connections and identity": 4,
    "Delivery: gaps, repeats, order": 5,
    "Wire format and input checks": 5,
    "Clocks and schedules": 4,
    "Restart in the middle": 3,
    "Knocked out, rising base, re-entry, prizes": 8,
    "Duplicate boards, datum and IMPs": 5,
    "Ratings and ladders": 4,
    "Very small, very large, at the limit": 4,
}


@attrs.frozen
class Case:
    """A case by its number; ``waits`` says what it needs that the house does not have yet."""

    case: int
    title: str
    section: str
    waits: str | None = None


@cache
def cases() -> tuple[Case, ...]:
    """The table of all cases."""
    lines = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Case(**json.loads(line)) for line in lines)


@cache
def homes() -> dict[int, set[str]]:
    """The files in which tests are named after a case."""
    found: dict[int, set[str]] = defaultdict(set)
    for path in sorted(TESTS.rglob("test_*.py")):
        for number in re.findall(r"^ *(?:async )?def test_case_(\d{3})_", path.read_text(encoding="utf-8"), re.M):
            found[int(number)].add(path.relative_to(TESTS).as_posix())
    return dict(found)


def test_the_table_names_every_case_once() -> None:
    numbers = [case.case for case in cases()]
    assert numbers == sorted(set(numbers)), "in order, none twice"
    assert len(numbers) == 100
    assert Counter(case.section for case in cases()) == SECTIONS


def test_every_case_has_one_home() -> None:
    faults = []
    for case in cases():
        found = homes().get(case.case, set())
        if case.waits is None and len(found) != 1:
            faults.append(f"case {case.case:03} ({case.title}) has its tests in {sorted(found) or 'no file'}")
    assert faults == [], "Mend: name the tests of a case test_case_NNN_… and keep them in one file."


def test_what_waits_says_why_and_has_no_test() -> None:
    for case in cases():
        if case.waits is not None:
            assert len(case.waits) > 10, case
            assert case.case not in homes(), f"case {case.case:03} has a test: take its `waits` out of cases.jsonl"


def test_no_test_is_named_after_a_case_that_is_none() -> None:
    unknown = set(homes()) - {case.case for case in cases()}
    assert unknown == set()
