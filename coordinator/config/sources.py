"""The sources of settings, laid over one another: file, environment, flags."""

import os
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_origin

from coordinator.config.table import PREFIX, Setting, environment_name, table
from coordinator.config.values import file_name, file_names
from coordinator.files.lines import KeyPath, path_text
from coordinator.files.problem import Problem, did_you_mean
from coordinator.files.source import MOST_BYTES, Source, read, read_text

FILE_VARIABLE: Final = "COORDINATOR_CONFIG"
"""Names the settings file when no flag does."""


class Sources:
    """Raw values by path, in ``data`` as a file would nest them, and who said each.

    Give it the sources in the order in which each beats those before it. What is wrong with a source is added to
    ``problems``; ``notes`` are worth a line of the log. ``removed``: see :data:`coordinator.config.loading.REMOVED`.
    """

    def __init__(self, removed: Mapping[str, str]) -> None:
        self._removed = removed
        self._known = {setting.path: setting for setting in table()}
        self._tables = {above for path in self._known if (above := path.rpartition(".")[0])}
        self._said: dict[str, tuple[str, int | None]] = {}
        self.data: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.notes: list[str] = []

    def file(self, place: Path) -> None:
        """Take what a settings file says."""
        source = read(place)
        if isinstance(source, Problem):
            self.problems.append(source)
            return
        self._walk(source.data, (), source, place.parent)

    def environment(self, environ: Mapping[str, str]) -> None:
        """Take what variables say; one that is empty says nothing."""
        names = {setting.environment: setting for setting in self._known.values()}
        for name, value in sorted(environ.items()):
            setting = names.get(name)
            if setting is not None:
                if value:
                    self._say(setting.path, _from_text(value, setting.kind), name)
            elif name.endswith("_FILE") and (hidden := names.get(name.removesuffix("_FILE"))) and hidden.hide:
                self._secret(hidden, name, value)
            elif name.startswith(PREFIX) and name != FILE_VARIABLE:
                self._stranger(name, list(names))

    def flags(self, flags: Mapping[str, object]) -> None:
        """Take what the command line says, by path; None is a flag that was not given."""
        for path, value in flags.items():
            if value is not None:
                self._say(path, value, self._known[path].flag)

    def origins(self) -> dict[str, str]:
        """Who said each setting, by path: a flag, a variable, a file with its line, or ``default``."""
        return {path: _origin(*self._said.get(path, ("default", None))) for path in self._known}

    def refuse(self, path: KeyPath, message: str, expected: str, mend: str) -> None:
        """Add a problem with the value at ``path``, or with a part of it, in the name of whoever said that."""
        name = next((p for n in range(len(path), 0, -1) if (p := path_text(path[:n])) in self._known), "")
        origin, line = self._said.get(name, ("default", None))
        self.problems.append(Problem(path_text(path), message, expected, mend, None, origin, line))

    def _walk(self, values: Mapping[str, Any], at: KeyPath, source: Source, folder: Path) -> None:
        for key, value in values.items():
            path, line = path_text((*at, key)), source.line((*at, key))
            setting = self._known.get(path)
            if setting is not None:
                self._say(path, _seen_from(folder, setting, value), source.file, line)
            elif path in self._tables and isinstance(value, dict):
                self._walk(value, (*at, key), source, folder)
            else:
                self._unknown(path, source, line, path in self._tables)

    def _unknown(self, path: str, source: Source, line: int | None, is_table: bool) -> None:
        near = did_you_mean(path, [*self._known, *sorted(self._tables)])
        code, message, mend = "unknown_key", "unknown setting", near
        if path in self._removed:
            code, message, mend = "removed", "this setting went away", self._removed[path]
        elif is_table:
            code, message, mend = "wrong_value", "is a table of settings", f"write [{path}] above them"
        self.problems.append(Problem(path, message, "", mend, None, source.file, line, code))

    def _stranger(self, name: str, names: list[str]) -> None:
        """A variable that only begins like ours: other programs may own it, so it is not refused."""
        gone = {environment_name(path): sentence for path, sentence in self._removed.items()}
        if name in gone:
            mend = gone[name]
            self.problems.append(Problem("", "this setting went away", "", mend, None, name, None, "removed"))
            return
        words = [each.removeprefix(PREFIX) for each in names]
        near = get_close_matches(name.removeprefix(PREFIX), words, n=1, cutoff=0.75)
        if near:
            self.notes.append(f"{name} is no setting and has no effect; did you mean {PREFIX}{near[0]}?")

    def _secret(self, setting: Setting, name: str, value: str) -> None:
        secret = read_text(Path(value), MOST_BYTES)
        if isinstance(secret, Problem):
            message = f"{value}: {secret.message}"
            self.problems.append(Problem(setting.path, message, file=name, code="unreadable"))
            return
        self._say(setting.path, secret.rstrip("\r\n"), name)

    def _say(self, path: str, value: object, origin: str, line: int | None = None) -> None:
        *tables, name = path.split(".")
        inner = self.data
        for table_name in tables:
            inner = inner.setdefault(table_name, {})
        inner[name] = value
        self._said[path] = (origin, line)


def _seen_from(folder: Path, setting: Setting, value: object) -> object:
    """A settings file names other files relative to its own folder."""
    if setting.read is file_name:
        return _within(folder, value)
    if setting.read is file_names and isinstance(value, list):
        return [_within(folder, item) for item in value]
    return value


def _within(folder: Path, name: object) -> object:
    return str(folder / name) if isinstance(name, str) and name else name


def _from_text(value: str, kind: Any) -> object:
    """What a file would have said for this text; one that does not fit stays a text and is refused later."""
    if kind is int and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if kind is float:
        try:
            return Decimal(value)
        except InvalidOperation:
            return value
    return value.split(os.pathsep) if get_origin(kind) is tuple else value


def _origin(name: str, line: int | None) -> str:
    return name if line is None else f"{name}:{line}"
