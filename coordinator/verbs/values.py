"""What words of a command line may be: numbers that are some, within what a journal can hold, and addresses."""

from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit

import click

LARGEST: Final = 2**63 - 1

WHOLE: Final = click.IntRange(-LARGEST, LARGEST)
COUNTED: Final = click.IntRange(1, LARGEST)
"""Hands, tables, challenges and ranks: from 1 on."""


class Number(click.FloatRange):
    """A number within bounds; `click.FloatRange` takes what is no number for one that is within any."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuses nan and infinity."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class Url(click.ParamType[str]):
    """An address of one of these schemes with a host that can be looked up; ``kind`` is its name for people."""

    name = "url"

    def __init__(self, kind: str, schemes: tuple[str, ...]) -> None:
        self.kind = kind
        self.schemes = schemes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuses what cannot even be dialled."""
        text = str(value)
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname or "", parts.port  # asked for the port, it says whether that can be one
            dialled = parts.scheme in self.schemes and text.isprintable() and " " not in text
            dialled = dialled and bool(host.encode("idna"))
        except ValueError:
            dialled = False
        if not dialled:
            self.fail(f"{text!r} is no {self.kind} address", param, ctx)
        return text
