"""How answers look: a table drawn with rich on a terminal, plain columns into a pipe, JSON when asked for."""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click


def say(text: str, *, err: bool = False) -> None:
    """Print sentences that may hold words of others."""
    click.echo(printable(text, keep="\n\t"), err=err)


def printable(text: str, *, keep: str = "") -> str:
    """Text that does nothing to a terminal and hides nothing from its reader: all that cannot be seen is escaped."""
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def as_json(value: Any) -> None:
    """Print data for programs."""
    click.echo(in_json(value))


def in_json(value: Any) -> str:
    """Data for programs as text; what cannot be seen is escaped as JSON does."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return "".join(letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in text)


def as_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows for people; into a pipe the columns are separated by tabs and have no heading lines."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            click.echo("\t".join(printable(str(cell)) for cell in row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="" if os.environ.get("NO_COLOR") else "bold")
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    Console(no_color=bool(os.environ.get("NO_COLOR")) or None).print(table)
