"""``coordinator match``: the matches of a running daemon."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from coordinator.verbs import options

ROWS = 20
"""So many lines of a table are shown to people."""


@click.group()
def match() -> None:
    """Look at the matches of a running coordinator."""


@match.command("list")
@click.option("--before", metavar="MATCH", help="List finished matches, those that are older than this one.")
@options.url
@options.as_json
def list_matches(before: str | None, url: str, as_json: bool) -> None:
    """List the matches that are not finished, and the newest that are."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask

    answer = ask(url, "matches") if before is None else ask(url, "matches", before=before)
    if as_json:
        show.as_json(answer)
        return
    found = answer.get("matches", []) if isinstance(answer, Mapping) else answer
    if not found:
        click.echo("no matches", err=True)
        return
    columns = list(dict.fromkeys(key for each in found for key in each if _is_plain(each[key])))
    show.as_table(columns, [[_cell(each.get(column)) for column in columns] for each in found])


@match.command("show")
@click.argument("match_id", metavar="MATCH")
@options.url
@options.as_json
def show_match(match_id: str, url: str, as_json: bool) -> None:
    """Show one match."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask

    answer = ask(url, "matches", match_id)
    if as_json:
        show.as_json(answer)
    else:
        result = "places" if answer.get("places") else "standings"
        show_facts(answer, ("stages", result))


def show_facts(answer: Mapping[str, Any], parts: Sequence[str]) -> None:
    """Print the plain facts of an answer, then the parts named, each as a table."""
    from coordinator.verbs import show

    show.as_table(["what", "is"], [[key, _cell(value)] for key, value in answer.items() if _is_plain(value)])
    for part in parts:
        value = answer.get(part)
        if not value:
            continue
        click.echo(f"\n{part}")
        if isinstance(value, Mapping):
            show.as_table(["what", "is"], [[key, _cell(inner)] for key, inner in value.items()])
            continue
        columns = list(dict.fromkeys(key for item in value for key in item))
        show.as_table(columns, [[_cell(item.get(column)) for column in columns] for item in value[:ROWS]])
        if len(value) > ROWS:
            click.echo(f"{len(value) - ROWS} more; --json shows all", err=True)


def _is_plain(value: object) -> bool:
    return not isinstance(value, list | dict)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
