"""One line of the table of settings: a default, a sentence of help, and how a value is read."""

from collections.abc import Callable
from typing import TypeVar

import attrs

from coordinator.files.strict import Reader

Value = TypeVar("Value")
_ABOUT = "about"


@attrs.frozen
class About:
    """What the manual, ``config init`` and ``config show`` say about a setting.

    ``read`` turns what a file says into the value; ``flag`` is the option of ``serve`` that sets it; a
    value with ``hide`` is passed through it before anybody sees it.
    """

    help: str
    read: Reader | None = None
    flag: str = ""
    hide: Callable[[str], str] | None = None


def setting(
    default: Value,
    about: str,
    read: Reader | None = None,
    *,
    flag: str = "",
    hide: Callable[[str], str] | None = None,
) -> Value:
    """A setting with its default, for the body of an attrs class; see :class:`About`. Without ``read`` its type says
    how it is read."""
    return attrs.field(default=default, metadata={_ABOUT: About(about, read, flag, hide)})


def about(field: "attrs.Attribute[object]") -> About:
    """What was said of a setting by its line."""
    found: About = field.metadata[_ABOUT]
    return found
