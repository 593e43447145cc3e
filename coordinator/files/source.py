"""A TOML text, parsed exactly: decimals stay decimals, whole numbers stay within 64 bits."""

import errno
import os
import re
import select
import tomllib
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import attrs

from coordinator.files.lines import KeyPath, lines_of, nearest
from coordinator.files.problem import Problem

MOST_BYTES = 1_000_000
"""No file that people write by hand is larger."""
PATIENCE_S = 5.0
"""How long a pipe may be silent: nobody may ever write into it."""

_DEEP = re.compile(r"""(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){32}""")
"""A key of more parts than anything here has; `tomllib` pays for each of them with all that stand before it."""


@attrs.frozen
class Source:
    """What a file says and where it says it."""

    file: str
    data: dict[str, Any]
    lines: dict[KeyPath, int]

    def line(self, path: KeyPath) -> int | None:
        """The line of a path, or of the nearest thing around it."""
        return nearest(self.lines, path)


def read(file: Path) -> Source | Problem:
    """The contents of a file, or why it cannot be read."""
    content = _content(file, MOST_BYTES)
    return content if isinstance(content, Problem) else parse(content, str(file))


def read_text(file: Path, most_bytes: int) -> str | Problem:
    """A file as text that is not TOML, or why it cannot be read."""
    content = _content(file, most_bytes)
    return content if isinstance(content, Problem) else _decoded(content, str(file), most_bytes)


def _content(file: Path, most_bytes: int) -> bytes | Problem:
    """So many bytes and one more, so that too many are noticed and a device without an end has one."""
    try:
        # Without O_NONBLOCK a pipe would have us wait for ever before there is anything to look at.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return _read(descriptor, most_bytes + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Problem("", f"cannot be read: {reason}", file=str(file), code="unreadable")


def _read(descriptor: int, most_bytes: int) -> bytes:
    """Raises OSError, also where nothing comes within PATIENCE_S."""
    content = bytearray()
    readable = select.poll()
    readable.register(descriptor, select.POLLIN)
    while len(content) < most_bytes:
        if not readable.poll(PATIENCE_S * 1000):
            raise OSError(errno.ETIMEDOUT, f"nothing came out of it within {PATIENCE_S:g} seconds")
        piece = os.read(descriptor, most_bytes - len(content))
        if not piece:
            break
        content += piece
    return bytes(content)


def _decoded(content: bytes, file: str, most_bytes: int = MOST_BYTES) -> str | Problem:
    if len(content) > most_bytes:
        return Problem("", f"larger than {most_bytes} bytes", file=file, code="syntax")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return Problem("", "not UTF-8 text", "a text file", file=file, line=line, code="syntax")


def parse(text: str | bytes, file: str) -> Source | Problem:
    """The contents of a text, or its one syntax error with its line."""
    if isinstance(text, bytes):
        decoded = _decoded(text, file)
        if isinstance(decoded, Problem):
            return decoded
        text = decoded
    elif len(text) > MOST_BYTES:
        return Problem("", f"larger than {MOST_BYTES} bytes", file=file, code="syntax")
    deep = _DEEP.search(text)
    if deep is not None:
        line = text.count("\n", 0, deep.start()) + 1
        return Problem("", "nested too deeply", "keys of at most 32 parts", file=file, line=line, code="syntax")
    try:
        data = tomllib.loads(text, parse_float=_decimal)
        return Source(file, data, lines_of(text))
    except tomllib.TOMLDecodeError as error:
        return _syntax(error, text, file)
    except RecursionError:
        return Problem("", "nested too deeply", file=file, code="syntax")
    except ValueError as error:
        # Numbers and dates that have TOML's form and no value.
        return Problem("", f"not valid TOML: {error}", file=file, code="syntax")


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text} is no usable number") from None


def _syntax(error: tomllib.TOMLDecodeError, text: str, file: str) -> Problem:
    message, _, place = str(error).rpartition(" (at ")
    line = None
    if place.startswith("line "):
        line = int(place.removeprefix("line ").partition(",")[0])
    elif place.startswith("end of document"):
        line = max(1, text.count("\n") + (not text.endswith("\n")))
    else:
        message = str(error)
    return Problem("", f"not valid TOML: {message}", file=file, line=line, code="syntax")
