"""From plain data to attrs classes, converting nothing: "12" is not 12, true is not 1, 5 is not "5"."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from types import UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

import attrs
import cattrs
from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, override

from coordinator.files.lines import KeyPath
from coordinator.files.problem import did_you_mean

_LARGEST = 2**63
_DIGITS = 40


Reader: TypeAlias = Callable[[object], object]
"""From what a file says to a value. Raises WrongValue."""


class WrongValue(ValueError):
    """A value of the wrong kind; ``expected`` and ``suggestion`` as in a problem."""

    def __init__(self, message: str, expected: str, suggestion: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.suggestion = suggestion


@attrs.frozen
class Fault:
    """One fault of structuring: where, in which class, and what; ``kind`` is a problem's code."""

    path: KeyPath
    owner: type | None
    kind: Literal["unknown_key", "missing", "wrong_value"]
    message: str
    expected: str = ""
    suggestion: str = ""


def converter(reader_of: Callable[[str], Reader | None], word: Callable[[str], str] = str) -> cattrs.Converter:
    """A strict converter.

    reader_of: how to read the value of an attribute, where that takes more than its type.
    word: what a file calls an attribute.
    """
    strict = cattrs.Converter(forbid_extra_keys=True, detailed_validation=True)

    def class_hook(cls: type) -> Callable[[object, object], object]:
        changes: dict[str, Any] = {}
        for field in attrs.fields(cls):
            reader = reader_of(field.name)
            hook = None if reader is None else _unary(reader)
            changes[field.name] = override(rename=word(field.name), struct_hook=hook)
        structure: Callable[[Any, Any], object] = make_dict_structure_fn(
            cls, strict, _cattrs_forbid_extra_keys=True, **changes
        )

        def read(value: object, target: object) -> object:
            if not isinstance(value, dict):
                raise WrongValue(f"got {shown(value)}", "a table")
            return structure(value, target)

        return read

    strict.register_structure_hook_factory(attrs.has, class_hook)
    strict.register_structure_hook_factory(_is_list, lambda cls: _list_hook(cls, strict))
    strict.register_structure_hook_factory(_is_dict, lambda cls: _dict_hook(cls, strict))
    strict.register_structure_hook_func(_is_words, _words_hook)
    for cls, reader in ((int, whole), (bool, truth), (str, text), (Fraction, ratio), (float, decimal)):
        strict.register_structure_hook(cls, _unary(reader))
    return strict


def faults(error: BaseException, owner: type | None = None, path: KeyPath = ()) -> Iterator[Fault]:
    """All faults of a failed structuring, flattened, in the order of the classes' fields."""
    if isinstance(error, BaseValidationError):
        for inner in error.exceptions:
            step = _step(inner)
            below = path if step is None else (*path, step)
            yield from faults(inner, error.cl if attrs.has(error.cl) else owner, below)
    elif isinstance(error, ForbiddenExtraKeysError):
        for key in sorted(error.extra_fields):
            yield Fault((*path, key), error.cl, "unknown_key", f"unknown key {key!r}")
    elif isinstance(error, WrongValue):
        yield Fault(path, owner, "wrong_value", error.message, error.expected, error.suggestion)
    elif isinstance(error, KeyError):
        yield Fault(path, owner, "missing", "is missing")
    else:
        yield Fault(path, owner, "wrong_value", str(error))


def whole(value: object) -> int:
    """A whole number of at most 64 bits."""
    if type(value) is not int or not -_LARGEST <= value < _LARGEST:
        raise WrongValue(f"got {shown(value)}", "a whole number", _unquoted(value))
    return value


def truth(value: object) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise WrongValue(f"got {shown(value)}", "true or false")
    return value


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise WrongValue(f"got {shown(value)}", "a text in quotes")
    return value


def ratio(value: object) -> Fraction:
    """A number, exactly as it is written."""
    if type(value) is int and -_LARGEST <= value < _LARGEST:
        return Fraction(value)
    if isinstance(value, Decimal) and value.is_finite():
        exponent = value.as_tuple().exponent
        if len(value.as_tuple().digits) <= _DIGITS and isinstance(exponent, int) and abs(exponent) <= _DIGITS:
            return Fraction(value)
    raise WrongValue(f"got {shown(value)}", "a number", _unquoted(value))


def decimal(value: object) -> float:
    """A number where the nearest float will do, such as a time to wait."""
    return float(ratio(value))


def milliseconds(value: object) -> int:
    """Seconds as whole milliseconds; a finer time is refused, not rounded."""
    try:
        ms = ratio(value) * 1000
    except WrongValue as error:
        raise WrongValue(error.message, "a number of seconds", error.suggestion) from None
    if ms.denominator != 1:
        raise WrongValue(f"got {shown(value)}", "seconds with at most three decimals")
    return ms.numerator


def shown(value: object) -> str:
    """A value as its author would recognise it, short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    if isinstance(value, int):
        return str(value) if -_LARGEST <= value < _LARGEST else "a number beyond 64 bits"
    if isinstance(value, Decimal):
        return str(value) if len(value.as_tuple().digits) <= _DIGITS else "a number of too many digits"
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else "a date or time"


def _unary(read: Callable[[Any], object]) -> Callable[[object, object], Any]:
    return lambda value, _: read(value)


def _step(error: BaseException) -> str | int | None:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return note.name
        if isinstance(note, IterableValidationNote):
            return note.index
    return None


def _unquoted(value: object) -> str:
    plain = value.strip() if isinstance(value, str) else ""
    return f"write {plain} without quotes" if plain.replace(".", "", 1).isdecimal() and len(plain) < 20 else ""


def _is_list(cls: object) -> bool:
    return get_origin(cls) is tuple


def _list_hook(cls: Any, strict: cattrs.Converter) -> Callable[[object, object], object]:
    structure = strict.get_structure_hook(list[get_args(cls)[0]])  # type: ignore[misc]

    def hook(value: object, _: object) -> object:
        if not isinstance(value, list):
            raise WrongValue(f"got {shown(value)}", "a list in square brackets")
        return tuple(structure(value, cls))

    return hook


def _is_dict(cls: object) -> bool:
    return get_origin(cls) is dict


def _dict_hook(cls: Any, strict: cattrs.Converter) -> Callable[[object, object], object]:
    read = strict.get_structure_hook(get_args(cls)[1])

    def hook(value: object, target: object) -> object:
        if not isinstance(value, dict):
            raise WrongValue(f"got {shown(value)}", "a table")
        good: dict[object, object] = {}
        bad: list[Exception] = []
        for key, inner in value.items():
            try:
                good[key] = read(inner, get_args(cls)[1])
            except WrongValue as error:
                error.add_note(IterableValidationNote("", key, cls))
                bad.append(error)
        if bad:
            raise cattrs.IterableValidationError("", bad, cls)
        return good

    return hook


def _is_words(cls: Any) -> bool:
    """Literals, and unions of a literal with a whole number or nothing."""
    if get_origin(cls) in (Union, UnionType):
        return any(get_origin(part) is Literal for part in get_args(cls))
    return get_origin(cls) is Literal


def _words_hook(value: object, cls: Any) -> object:
    parts = get_args(cls) if get_origin(cls) in (Union, UnionType) else (cls,)
    known = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    expected = " or ".join(f'"{word}"' for word in known)
    if int in parts:
        expected = f"a whole number or {expected}"
        if type(value) is int and -_LARGEST <= value < _LARGEST:
            return value
    if isinstance(value, str) and value in known:
        return value
    suggestion = did_you_mean(value, known) if isinstance(value, str) else ""
    raise WrongValue(f"got {shown(value)}", expected, suggestion)
