"""On which line of a TOML text each key and element stands.

`tomllib` forgets where it found things. This scan remembers, and nothing else: it trusts that the text is
valid TOML and reads it a second time, so it must only be used on text that was parsed without an error.
"""

import re
from typing import Final, TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the top of a file to one value."""

_STEP: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def lines_of(text: str) -> dict[KeyPath, int]:
    """The line, counted from 1, of every table, key and list element of a valid TOML text."""
    return _Scan(text).run()


def nearest(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """The line of ``path``, or of the nearest thing around it that has one."""
    for length in range(len(path), 0, -1):
        line = lines.get(path[:length])
        if line is not None:
            return line
    return None


def path_text(path: KeyPath) -> str:
    """A path as people write it: ``stages[1].cut.mode``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def path_of(text: str) -> KeyPath:
    """The path that :func:`path_text` wrote."""
    return tuple(int(index) if index else word for word, index in _STEP.findall(text))


class _Scan:
    """One pass over a text; ``at`` is the next character, ``table`` the path that plain keys belong to."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.at = 0
        self.line = 1
        self.table: KeyPath = ()
        self.lines: dict[KeyPath, int] = {}
        self.lengths: dict[KeyPath, int] = {}

    def run(self) -> dict[KeyPath, int]:
        while self._skip_blank():
            if self.text.startswith("[[", self.at):
                self._header(2)
            elif self.text[self.at] == "[":
                self._header(1)
            else:
                self._pair(self.table)
        return self.lines

    def _header(self, brackets: int) -> None:
        line = self.line
        self.at += brackets
        keys = self._key()
        self.at += brackets
        path: KeyPath = ()
        for key in keys[:-1]:
            path = self._inside((*path, key))
        path = (*path, keys[-1])
        if brackets == 2:
            self.lines.setdefault(path, line)
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = self._inside(path)
        self.lines.setdefault(path, line)
        self.table = path

    def _inside(self, path: KeyPath) -> KeyPath:
        """The newest element where ``path`` names a list of tables, else the path itself."""
        length = self.lengths.get(path)
        return path if length is None else (*path, length - 1)

    def _pair(self, table: KeyPath) -> None:
        path = table
        line = self.line
        for key in self._key():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.at += 1  # the equals sign
        self._value(path)

    def _key(self) -> list[str]:
        """A bare, quoted or dotted key; ends before the bracket or equals sign behind it."""
        keys = []
        while True:
            self._skip_space()
            if self.text[self.at] in "\"'":
                keys.append(self._string())
            else:
                start = self.at
                while self.text[self.at] not in " \t.=]":
                    self.at += 1
                keys.append(self.text[start : self.at])
            self._skip_space()
            if self.text[self.at] != ".":
                return keys
            self.at += 1

    def _value(self, path: KeyPath) -> None:
        self._skip_space()
        opening = self.text[self.at]
        if opening in "\"'":
            self._string()
        elif opening == "[":
            self._list(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def _list(self, path: KeyPath) -> None:
        self.at += 1
        number = 0
        while self._skip_blank() and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self.lines[(*path, number)] = self.line
            self._value((*path, number))
            number += 1
        self.at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while self._skip_blank() and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1

    def _string(self) -> str:
        """Any of the four kinds of string, as it stands between its quotes."""
        quote = self.text[self.at]
        escapes = quote == '"'
        long = self.text.startswith(quote * 3, self.at)
        closing = quote * 3 if long else quote
        self.at += len(closing)
        start = self.at
        while not self.text.startswith(closing, self.at):
            if escapes and self.text[self.at] == "\\":
                self._step()
            self._step()
        inside = self.text[start : self.at]
        self.at += len(closing)
        while long and self.text.startswith(quote, self.at):
            self.at += 1  # up to two quotes may stand right before the closing three
        return inside

    def _step(self) -> None:
        if self.text[self.at] == "\n":
            self.line += 1
        self.at += 1

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def _skip_blank(self) -> bool:
        """Skip spaces, line ends and comments; whether something is left."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in " \t\r\n":
                self._step()
            else:
                return True
        return False
