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

    Says for MATCH, or for every match, whether it comes out the same; of one that is damaged, where. Only reads; a
    daemon may be running on the same journal. With --json one MATCH is an object, every match a list of them.
    """
    from coordinator.config.loading import load
    from coordinator.errors import JournalDamaged, MatchUnknown
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
        told: list[dict[str, Any]] = []
        differs = False
        for name in names:
            try:
                report = play_again(store, name, check=check)
            except JournalDamaged as error:
                if error.seq is None or match_id is not None:
                    raise
                differs, said = True, str(error)
                told.append({"match_id": name, "whole": False, "record": error.seq, "what": error.what})
            else:
                differs, said = differs or _differs(report), f"{name}: {sentence(report)}"
                told.append(_data(report) | {"whole": True, "sentence": sentence(report)})
            if not as_json:
                show.say(said)
    if as_json:
        show.as_json(told if match_id is None else told[0])
    elif not told:
        click.echo(f"{url} holds no match", err=True)
    return DIFFERS if differs else 0


def _differs(report: "ReplayReport") -> bool:
    return False in (report.same_state, report.same_effects, report.same_decisions)


def _data(report: "ReplayReport") -> dict[str, Any]:
    import attrs

    facts = attrs.asdict(report, recurse=False)
    return {key: value.hex() if isinstance(value, bytes) else value for key, value in facts.items()}
