"""The index of rules: every rule of today's scope is in the manual, in the engine under its ID, and in a test."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, headings, section

RULE = re.compile(r"R-[A-Z]{2}-\d{2}")
ENGINE = ROOT / "coordinator/engine"

SCOPE = [
    *(f"R-HI-{number:02}" for number in range(1, 9)),
    *(f"R-ST-{number:02}" for number in range(1, 4)),
    "R-DF-01",
    *(f"R-KO-{number:02}" for number in range(1, 6)),
    *(f"R-SW-{number:02}" for number in range(1, 4)),
    *(f"R-ME-{number:02}" for number in range(1, 6)),
    "R-AS-01",
    *(f"R-IS-{number:02}" for number in range(1, 6)),
    "R-CS-01",
    "R-RT-01",
    "R-RT-02",
    "R-RT-03",
    "R-RF-01",
    *(f"R-SC-{number:02}" for number in range(1, 4)),
    "R-MP-01",
    *(f"R-DU-{number:02}" for number in range(1, 6)),
    *(f"R-TB-{number:02}" for number in range(1, 4)),
    *(f"R-CA-{number:02}" for number in range(1, 5)),
    "R-BY-01",
    *(f"R-RV-{number:02}" for number in range(1, 7)),
    *(f"R-GR-{number:02}" for number in range(1, 6)),
    "R-RC-01",
    *(f"R-RC-{number:02}" for number in range(2, 6)),
    *(f"R-BL-{number:02}" for number in range(1, 15)),
    *(f"R-RA-{number:02}" for number in range(1, 4)),
    *(f"R-DM-{number:02}" for number in range(1, 13)),
]


def text_under(folder: Path, *patterns: str) -> str:
    files = [path for pattern in patterns for path in sorted(folder.rglob(pattern))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path != Path(__file__))


def test_the_manual_has_every_rule_of_the_scope_in_order_and_no_other() -> None:
    assert headings("rules", 3) == SCOPE


def test_the_engine_knows_no_rule_that_the_manual_does_not() -> None:
    known = set(RULE.findall(text_under(ENGINE, "*.py")))
    assert known <= set(SCOPE)


@pytest.mark.parametrize("rule", SCOPE)
def test_a_rule_is_found_by_its_id_in_engine_and_tests(rule: str) -> None:
    assert rule in text_under(ENGINE, "*.py"), f"{rule}: no docstring of the engine names it"
    assert rule in text_under(ROOT / "tests", "*.py", "*.jsonl"), f"{rule}: no test names it"


@pytest.mark.parametrize("rule", SCOPE)
def test_an_entry_is_short_and_names_the_file_where_the_rule_lives(rule: str) -> None:
    entry = section("rules", rule)
    assert 8 <= len(entry.split()) <= 130, f"{rule}: {len(entry.split())} words"
    named = re.findall(r"`([\w/]+\.py|formats/)`", entry)
    paths = [ROOT / name if name.startswith("coordinator/") else ENGINE / name for name in named]
    for path in paths:
        assert path.exists(), f"{rule}: {path} does not exist"
    texts = [text_under(path, "*.py") if path.is_dir() else path.read_text(encoding="utf-8") for path in paths]
    assert any(rule in text for text in texts), f"{rule}: searching for it leads to none of {named}"
