"""All settings in their order, as the manual, ``config show`` and the sources go through them."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, get_args, get_origin

import attrs

from coordinator.config.describing import about
from coordinator.config.settings import Settings
from coordinator.config.values import Address
from coordinator.files.strict import Reader
from coordinator.files.toml_text import in_toml

PREFIX: Final = "COORDINATOR_"


@attrs.frozen
class Setting:
    """One setting as the manual lists it. ``kind`` is the type of its value; for ``read`` and ``hide`` see
    :class:`~coordinator.config.describing.About`."""

    path: str
    default: object
    help: str
    environment: str
    flag: str
    choices: tuple[str, ...]
    kind: Any
    read: Reader | None
    hide: Callable[[str], str] | None

    def shown(self, value: object) -> str:
        """A value in the words of a file, secrets masked."""
        return in_toml(value if self.hide is None else self.hide(str(value)))


def table() -> list[Setting]:
    """All settings in their order."""
    return list(_settings(Settings, ""))


def environment_name(path: str) -> str:
    """The variable that sets the setting at ``path``."""
    return PREFIX + path.replace(".", "_").upper()


def _settings(cls: type, above: str) -> Iterator[Setting]:
    for field in attrs.fields(cls):
        path = f"{above}{field.name}"
        if attrs.has(field.type) and field.type is not Address:
            yield from _settings(field.type, f"{path}.")
            continue
        said = about(field)
        choices = get_args(field.type) if get_origin(field.type) is Literal else ()
        name = environment_name(path)
        yield Setting(path, field.default, said.help, name, said.flag, choices, field.type, said.read, said.hide)
