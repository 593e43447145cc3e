"""What the files of matches and tourneys call a field of the engine, where they differ.

Files speak of seconds, and a band runs from a place to another.
"""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

import attrs

from coordinator.files.lines import KeyPath
from coordinator.files.strict import Fault, Reader, milliseconds

_BAND: Final = MappingProxyType({"first": "from", "last": "to"})
_FREE: Final = frozenset({"items", "game_attrs"})
"""Tables whose keys are anybody's own."""


def file_word(field: str) -> str:
    """The word of a file for the name of a field."""
    return f"{field[:-3]}_s" if field.endswith("_ms") else _BAND.get(field, field)


def file_reader(field: str) -> Reader | None:
    """How to read what a file says of a field, where that takes more than its type."""
    return milliseconds if field.endswith("_ms") else None


def file_words(fields: Iterable["attrs.Attribute[object]"]) -> tuple[str, ...]:
    """The words of a file for these fields."""
    return tuple(file_word(field.name) for field in fields)


def in_file_words(path: KeyPath) -> KeyPath:
    """A path in names of fields in the words of a file; the keys of free tables stay as they are."""
    free = next((number for number, step in enumerate(path) if step in _FREE), len(path))
    return tuple(file_word(step) if isinstance(step, str) else step for step in path[:free]) + path[free:]


def fault_path(fault: Fault) -> KeyPath:
    """The path of a fault as the data has it; the converter names fields instead."""
    if fault.kind == "unknown_key":
        return (*in_file_words(fault.path[:-1]), fault.path[-1])
    return in_file_words(fault.path)
