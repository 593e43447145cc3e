"""How answers look: a table drawn with rich on a terminal, plain columns into a pipe, JSON when asked for."""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import click


def as_json(value: Any) -> None:
    """Print data for programs."""
    click.echo(in_json(value))


def in_json(value: Any) -> str:
    """Data for programs as text."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def as_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows for people; into a pipe the columns are separated by tabs and have no heading lines."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            click.echo("\t".join(map(str, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="" if os.environ.get("NO_COLOR") else "bold")
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    Console(no_color=bool(os.environ.get("NO_COLOR")) or None).print(table)
