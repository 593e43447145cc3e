"""Every rule has one room, one test and one entry of the manual, and a search for its ID finds them.

A file of the coordinator that is the room of a rule says so in its docstring ("Implements R-…."), the test file that
proves it likewise ("Proves R-…."). Other files may mention a rule; they refer to its room.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = tuple((Path(__file__).with_name("rules.txt")).read_text(encoding="utf-8").split())
"""The IDs of the rule catalogue, in its order."""

_ID = re.compile(r"R-[A-Z]{2}-\d{2}")


def claims(folder: Path, word: str) -> Iterator[tuple[str, Path]]:
    """Each rule that a file under this folder claims with this word."""
    for path in sorted(folder.rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for claim in re.findall(rf"^{word} (R-[^.]+)\.$", text, re.MULTILINE):
            for rule in claim.split(","):
                yield rule.strip(), path


ROOMS = list(claims(ROOT / "coordinator", "Implements"))
PROOFS = list(claims(ROOT / "tests", "Proves"))


def test_the_catalogue_lists_each_rule_once() -> None:
    assert len(RULES) == len(dict.fromkeys(RULES)) == 98
    assert all(_ID.fullmatch(rule) for rule in RULES)


@pytest.mark.parametrize(("claimed", "word"), [(ROOMS, "implemented"), (PROOFS, "proved")], ids=["rooms", "tests"])
def test_nobody_claims_a_rule_twice_or_one_that_does_not_exist(claimed: list[tuple[str, Path]], word: str) -> None:
    rules = [rule for rule, _ in claimed]
    for rule in rules:
        where = [str(path.relative_to(ROOT)) for claimant, path in claimed if claimant == rule]
        assert rule in RULES, f"{rule}, {word} in {where}, is no rule"
        assert len(where) == 1, f"{rule} is {word} in {where}"


@pytest.mark.parametrize(("claimed", "word"), [(ROOMS, "Implements"), (PROOFS, "Proves")], ids=["rooms", "tests"])
def test_a_claim_is_not_all_there_is(claimed: list[tuple[str, Path]], word: str) -> None:
    """A room says at the function which rule it is, a test file at a test."""
    for rule, path in claimed:
        rest = re.sub(rf"^{word} R-[^.]+\.$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert rule in rest, f"{path.relative_to(ROOT)} claims {rule} and never speaks of it"


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_its_room_its_test_and_its_entry(rule: str) -> None:
    rooms = [path for claimant, path in ROOMS if claimant == rule]
    proofs = [path for claimant, path in PROOFS if claimant == rule]
    manual = (ROOT / "coordinator/manual/rules.md").read_text(encoding="utf-8")
    entries = re.findall(rf"^### {rule}$", manual, re.MULTILINE)
    found = (len(rooms), len(proofs), len(entries))
    assert found == (1, 1, 1), f"{rule}: rooms {rooms}, tests {proofs}, entries {len(entries)}"
