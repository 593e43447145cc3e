"""`tourneys.md`: every key of a tourney file with its default, every word it may have, an example that passes."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.engine.tourney import definition as t
from coordinator.files.words import file_word
from coordinator.tourney_file import FileMatch, FileTourney, shipped_tourneys
from tests.docs.pages import ROOT, blocks, code, section, shown_default, table, text_of

CLASSES = {
    "A tourney": FileTourney,
    "Start points": t.StartPoint,
    "Matches": FileMatch,
    "Entry": t.Entry,
    "Links": t.Link,
}
IN_WORDS = ("carry",)
"""Keys whose default the page says in words."""


@pytest.mark.parametrize("heading", CLASSES)
def test_every_key_is_described_with_its_default(heading: str) -> None:
    described = {code(row["key"]): row["default"] for row in table(section("tourneys", heading))}
    fields = {file_word(field.name): field for field in attrs.fields(CLASSES[heading])}
    assert set(described) - {"definitions"} == set(fields)
    for word, field in fields.items():
        shown = shown_default(field)
        if shown is not None and word not in IN_WORDS:
            assert described[word] == shown, f"{heading}: {word}"


def test_every_word_that_a_key_may_have_is_described() -> None:
    text = text_of("tourneys")
    for cls in CLASSES.values():
        for field in attrs.fields(cls):
            for word in _words(field.type):
                assert f'"{word}"' in text, f"{field.name} may be {word!r}"


def _words(annotation: object) -> Iterator[str]:
    if isinstance(annotation, str):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _words(part)


def test_the_example_passes_check(tmp_path: Path) -> None:
    [block] = blocks("tourneys", "toml")
    file = tmp_path / "evening.toml"
    file.write_text(block.body, encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert result.exit_code == 0, result.output
    assert "is in order" in result.output


def test_the_shipped_tourneys_are_named() -> None:
    for name, file in shipped_tourneys().items():
        assert f"`{name}` (`{file.relative_to(ROOT)}`)" in text_of("tourneys").replace("\n", " ")
