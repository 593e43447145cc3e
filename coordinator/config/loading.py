"""Settings from all their sources, and where each value came from.

A flag wins over the environment, the environment over the file, the file over the default. Every setting
has an environment name by one rule: ``COORDINATOR_`` and its path in capitals with underscores. A setting
that may hold a secret can also be read from the file named by the same variable with ``_FILE`` behind it.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import attrs

from coordinator.config.settings import Settings
from coordinator.config.sources import FILE_VARIABLE, Sources
from coordinator.config.table import table
from coordinator.errors import CoordinatorError
from coordinator.files.problem import Problem
from coordinator.files.strict import converter, faults

DEFAULT_FILE: Final = Path("coordinator.toml")
"""Read when it exists and nothing names another."""

REMOVED: Final[Mapping[str, str]] = MappingProxyType({})
"""Settings that went away, by path, each with a sentence that says what took their place."""


@attrs.frozen
class Loaded:
    """Settings, where each came from (by path), and notes worth a line of the log."""

    settings: Settings
    origins: Mapping[str, str]
    notes: tuple[str, ...]

    def value(self, path: str) -> object:
        """The value of a setting by its path."""
        value: object = self.settings
        for name in path.split("."):
            value = getattr(value, name)
        return value


class ConfigRefused(CoordinatorError):
    """Settings with mistakes; ``problems`` are all of them, at least one."""

    code = "config_refused"
    exit_code = 3

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def load(
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    removed: Mapping[str, str] = REMOVED,
) -> Loaded:
    """Read all sources.

    file: the settings file; None takes the one that COORDINATOR_CONFIG names, or coordinator.toml if it
    exists. environ: variables, by default those of the process. flags: values by path as the command line
    gave them; None stands for a flag that was not given.

    Raises ConfigRefused with every mistake of every source.
    """
    environ = os.environ if environ is None else environ
    sources = Sources(removed)
    place = _place(file, environ)
    if place is not None:
        sources.file(place)
    sources.environment(environ)
    sources.flags(flags or {})
    settings = _structured(sources)
    if sources.problems:
        raise ConfigRefused(sources.problems)
    return Loaded(settings, sources.origins(), tuple(sources.notes))


def _structured(sources: Sources) -> Settings:
    """The settings that the sources make together; the defaults where they make none, which is a problem then."""
    # No two settings share the last part of their paths.
    strict = converter({setting.path.rpartition(".")[2]: setting.read for setting in table()}.get)
    settings = Settings()
    try:
        settings = strict.structure(sources.data, Settings)
    except Exception as error:
        for fault in faults(error):
            sources.refuse(fault.path, fault.message, fault.expected, fault.suggestion)
    if settings.listen == settings.http and settings.listen.port and not sources.problems:
        sources.refuse(("http",), f"{settings.http} is also what listen says", "an address of its own", "")
    return settings


def _place(file: Path | None, environ: Mapping[str, str]) -> Path | None:
    if file is not None:
        return file
    named = environ.get(FILE_VARIABLE)
    if named:
        return Path(named)
    return DEFAULT_FILE if os.path.exists(DEFAULT_FILE) else None
