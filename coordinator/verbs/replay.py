"""``coordinator replay``: a journal played again, and whether it comes out the same."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coordinator.verbs import options

if TYPE_CHECKING:
    from coordinator.journal.replay import ReplayReport

DIFFERS = 4


@click.command()
@click.argument("match_id", required=False, metavar="[MATCH]")
@options.journal
@options.config_file
@click.option("--check", is_flag=True, help="Decide every recorded command again and compare the events.")
@options.as_json
def replay(match_id: str | None, journal: str | None, config_file: Path | None, check: bool, as_json: bool) -> int:
    """Play a journal again and compare.

    Says for MATCH, or for every match, whether it comes out the same. Only reads; a daemon may be running on the same
    journal. With --json one MATCH is an object, every match a list of them.
    """
    from coordinator.config import load
    from coordinator.errors import MatchUnknown
    from coordinator.journal.replay import replay as play_again
    from coordinator.journal.replay import sentence
    from coordinator.journal.store import open_store
    from coordinator.verbs import show

    url = load(config_file, flags={"journal": journal}).settings.journal
    with open_store(url, read_only=True) as store:
        names = [entry.match_id for entry in store.matches()]
        if match_id is not None:
            if match_id not in names:
                raise MatchUnknown(match_id, url)
            names = [match_id]
        reports = []
        for name in names:
            reports.append(play_again(store, name, check=check))
            if not as_json:
                show.say(f"{name}: {sentence(reports[-1])}")
    if as_json:
        told = [_data(report) | {"sentence": sentence(report)} for report in reports]
        show.as_json(told if match_id is None else told[0])
    elif not reports:
        click.echo(f"{url} holds no match", err=True)
    return DIFFERS if any(_differs(report) for report in reports) else 0


def _differs(report: "ReplayReport") -> bool:
    return False in (report.same_state, report.same_effects, report.same_decisions)


def _data(report: "ReplayReport") -> dict[str, Any]:
    import attrs

    facts = attrs.asdict(report, recurse=False)
    return {key: value.hex() if isinstance(value, bytes) else value for key, value in facts.items()}
