"""The line about a finished match, as the journal keeps it and whatever became of it."""

import pytest

from coordinator.journal.records import FinishedEntry
from coordinator.shell.summaries import unpacked


def entry(summary: bytes) -> FinishedEntry:
    return FinishedEntry("cup", 7, b"", "over", 0, summary)


def test_fields_that_a_newer_version_added_are_blank_and_its_own_are_passed_over() -> None:
    line = unpacked(entry(b'{"title":"The cup","hands":8,"colour":"red"}'))
    assert (line["title"], line["hands"], line["players"]) == ("The cup", 8, 0)
    assert "colour" not in line


@pytest.mark.parametrize(
    "altered", [b"", b"\x00", b"[1]", b'{"match_id":[1]}', b'{"hands":"x"}', b'{"title":"\xff"}', b"[" * 100_000]
)
def test_a_line_that_was_altered_is_blank_but_for_what_is_known_otherwise(altered: bytes) -> None:
    line = unpacked(entry(altered))
    assert (line["match_id"], line["status"], line["title"]) == ("cup", "over", "")
