"""What files call the fields of a definition."""

import pytest

from coordinator.files.lines import path_of, path_text
from coordinator.files.words import file_reader, file_word, in_file_words


@pytest.mark.parametrize(
    ("field", "word"),
    [("reply_ms", "reply_s"), ("first", "from"), ("last", "to"), ("items", "items"), ("ms", "ms")],
)
def test_files_speak_of_seconds_and_of_bands_from_a_place_to_another(field: str, word: str) -> None:
    assert file_word(field) == word


def test_seconds_are_read_as_milliseconds() -> None:
    read = file_reader("reply_ms")
    assert read is not None
    assert read(90) == 90_000
    assert file_reader("bouts") is None


def test_the_keys_of_free_tables_stay_as_they_are() -> None:
    path = in_file_words(path_of("rewards[0].items.first"))
    assert path_text(path) == "rewards[0].items.first"
    assert path_text(in_file_words(path_of("rewards[0].first"))) == "rewards[0].from"
