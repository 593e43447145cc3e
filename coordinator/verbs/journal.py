"""``coordinator journal``: whether a journal is whole, and a copy of it."""

from pathlib import Path
from typing import Any

import click

from coordinator.verbs import options, show

DAMAGED = 4


@click.group()
def journal() -> None:
    """Verify a journal, or copy it."""


@journal.command()
@options.journal
@options.config_file
@options.as_json
def verify(journal: str | None, config_file: Path | None, as_json: bool) -> int:
    """Read a journal from end to end.

    Says of every match whether each record, each hash and each snapshot is as it was written, and names the first that
    is not. Only reads; a daemon may be running on the same journal. Exit code 4: something is damaged.
    """
    import attrs

    from coordinator.config.loading import load
    from coordinator.errors import JournalDamaged
    from coordinator.journal.store import open_store

    url = load(config_file, flags={"journal": journal}).settings.journal
    told: list[dict[str, Any]] = []
    with open_store(url, read_only=True) as store:
        for match_id in store.named():
            try:
                found = attrs.asdict(store.verify(match_id))
            except JournalDamaged as error:
                if error.seq is None:
                    raise
                told.append({"match_id": match_id, "whole": False, "record": error.seq, "what": error.what})
                said = str(error)
            else:
                told.append({"match_id": match_id, "whole": True, **found})
                said = ", ".join(_counted(found[what], what) for what in ("records", "events", "snapshots"))
                said = f"{match_id}: whole, {said}"
            if not as_json:
                show.say(said)
    if as_json:
        show.as_json(told)
    return 0 if all(each["whole"] for each in told) else DAMAGED


@journal.command()
@click.argument("to", metavar="URL")
@options.journal
@options.config_file
def copy(to: str, journal: str | None, config_file: Path | None) -> int:
    """Copy a journal to URL, into a file or a database.

    Every record is verified on the way. A match that is damaged is left out and named, with exit code 4; of one with a
    damaged snapshot only that is left out. What the copy has already is not written again, so that the same command
    brings it up to date. A daemon may be running on the journal that is copied, and none on the copy.
    """
    from coordinator.config.loading import load
    from coordinator.errors import JournalDamaged
    from coordinator.journal.copying import copy_match
    from coordinator.journal.store import open_store

    url = load(config_file, flags={"journal": journal}).settings.journal
    damaged = False
    with open_store(url, read_only=True) as source, open_store(to) as target:
        for match_id in source.named():
            try:
                source.verify(match_id, snapshots=False)
                show.say(f"{match_id}: {_counted(copy_match(source, target, match_id), 'records')} copied")
            except JournalDamaged as error:
                if error.seq is None:
                    raise
                damaged = True
                show.say(f"{match_id}: left out. {error}", err=True)
    return DAMAGED if damaged else 0


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what if number != 1 else what[:-1]}"
