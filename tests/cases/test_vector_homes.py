"""Every acceptance vector has one home: the one test whose name begins with test_av_ and its number.

A test that plays a vector again elsewhere is named test_played_ and its number.
"""

import json
import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]
VECTORS = [
    json.loads(line)["id"]
    for line in Path(__file__).with_name("vectors.jsonl").read_text(encoding="utf-8").splitlines()
]
_HOME = re.compile(r"^(?:async )?def test_av_(\d{3})_\w+\(", re.MULTILINE)


def homes() -> dict[str, list[str]]:
    """The files in which each vector has a test of its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for number in _HOME.findall(path.read_text(encoding="utf-8")):
            found[f"AV-{number}"].append(str(path.relative_to(TESTS)))
    return found


def test_no_vector_has_two_homes_and_no_home_is_without_a_vector() -> None:
    for name, files in homes().items():
        assert name in VECTORS, f"{name} in {files} is no vector"
        assert len(files) == 1, f"{name} is at home in {files}"


def test_every_vector_has_a_home() -> None:
    at_home = homes()
    missing = [name for name in VECTORS if name not in at_home]
    assert missing == [], f"without a home: {', '.join(missing)}"


def test_a_home_reads_its_vector() -> None:
    """Numbers copied by hand drift; the line of the file is what is asked and what is expected."""
    for name, (file, *_) in homes().items():
        text = (TESTS / file).read_text(encoding="utf-8")
        assert f'"{name}"' in text, f"{file} names a test after {name} and never reads it"
