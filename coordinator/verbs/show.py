"""How answers look: a table drawn with rich on a terminal, plain columns into a pipe, JSON when asked for."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

ROWS = 20
"""So many lines of a part of an answer are shown to people."""


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


def as_rows(found: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, most: int | None = None) -> None:
    """Print a row for each of several alike, or the first ``most`` of them; without ``columns`` all that one has."""
    columns = columns or list(dict.fromkeys(key for each in found for key in each))
    as_table(columns, [[_cell(each.get(column)) for column in columns] for each in found[:most]])


def answer(found: Mapping[str, Any], parts: Sequence[str], *, as_json: bool) -> None:
    """Print an answer of the daemon: all of it for programs; for people its plain facts, then these ``parts`` of it."""
    if as_json:
        click.echo(in_json(found))
        return
    _facts({key: value for key, value in found.items() if is_plain(value)})
    for part in parts:
        value = found.get(part)
        if not value:
            continue
        click.echo(f"\n{part}")
        if isinstance(value, Mapping):
            _facts(value)
            continue
        as_rows(value, most=ROWS)
        if len(value) > ROWS:
            click.echo(f"{len(value) - ROWS} more; --json shows all", err=True)


def _facts(found: Mapping[str, Any]) -> None:
    as_table(["what", "is"], [[key, _cell(value)] for key, value in found.items()])


def is_plain(value: object) -> bool:
    """Whether it fits into a cell."""
    return not isinstance(value, list | dict)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
