"""The line of everything in a TOML text, whatever way it is written."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coordinator.definition_file import shipped
from coordinator.files.lines import KeyPath, lines_of, nearest, path_of, path_text

TEXT = '''\
# a comment with = and [brackets]
top = 1  # and [more]
"quoted.key" = """
two
lines \\""" still"""

[table]
dotted.key.here = [ 1, # one
    2,

    { a = 'x]', b = "\\"}" },
]
[[items]]
name = 'first'
[items.inner]
deep = """a""""
[[items]]
name = """"second"""
  [[items.list]]
  n = 1979-05-27T07:32:00Z
  [[items.list]]
  n = { m = { o = [] } }
'''


def test_every_way_of_writing() -> None:
    assert lines_of(TEXT) == {
        ("top",): 2,
        ("quoted.key",): 3,
        ("table",): 7,
        ("table", "dotted"): 8,
        ("table", "dotted", "key"): 8,
        ("table", "dotted", "key", "here"): 8,
        ("table", "dotted", "key", "here", 0): 8,
        ("table", "dotted", "key", "here", 1): 9,
        ("table", "dotted", "key", "here", 2): 11,
        ("table", "dotted", "key", "here", 2, "a"): 11,
        ("table", "dotted", "key", "here", 2, "b"): 11,
        ("items",): 13,
        ("items", 0): 13,
        ("items", 0, "name"): 14,
        ("items", 0, "inner"): 15,
        ("items", 0, "inner", "deep"): 16,
        ("items", 1): 17,
        ("items", 1, "name"): 18,
        ("items", 1, "list"): 19,
        ("items", 1, "list", 0): 19,
        ("items", 1, "list", 0, "n"): 20,
        ("items", 1, "list", 1): 21,
        ("items", 1, "list", 1, "n"): 22,
        ("items", 1, "list", 1, "n", "m"): 22,
        ("items", 1, "list", 1, "n", "m", "o"): 22,
    }


def test_line_ends_of_another_system() -> None:
    assert lines_of(TEXT.replace("\n", "\r\n")) == lines_of(TEXT)


@pytest.mark.parametrize("file", shipped().values(), ids=shipped())
def test_everything_that_was_read_has_its_line(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines = lines_of(text)
    rows = text.splitlines()
    for path in paths(tomllib.loads(text), ()):
        assert path in lines
        if isinstance(path[-1], str):
            assert path[-1] in rows[lines[path] - 1]


def paths(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in inner:
        yield (*path, step)
        yield from paths(below, (*path, step))


def test_the_nearest_line_stands_in() -> None:
    lines = lines_of(TEXT)
    assert nearest(lines, ("items", 1, "list", 0, "missing", "deeper")) == 19
    assert nearest(lines, ("missing",)) is None


def test_a_path_can_be_written_and_read_again() -> None:
    path: KeyPath = ("phases", 0, "stages", 12, "cut", "mode")
    assert path_text(path) == "phases[0].stages[12].cut.mode"
    assert path_of(path_text(path)) == path
