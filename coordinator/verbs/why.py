"""``coordinator why``: the reasons of everything that became of a player, read from the journal."""

from pathlib import Path

import click

from coordinator.verbs import options

DIFFERS = 4


@click.command(short_help="Say why a player sits there, waits, is out or placed.")
@click.argument("match_id", metavar="MATCH")
@click.argument("player_id", metavar="PLAYER")
@click.option("--at", type=click.IntRange(1), metavar="SEQ", help="Only what held after this record of the journal.")
@options.journal
@options.config_file
@options.as_json
def why(
    match_id: str, player_id: str, at: int | None, journal: str | None, config_file: Path | None, as_json: bool
) -> int:
    """Say why a player sits there, waits, is out or has that place.

    Every answer names its rules, what went in and who was compared with whom. Each command of the journal is decided
    again on the way; where that leads to another answer, both are shown. Only reads; a daemon may be running.
    """
    from coordinator.config.loading import load
    from coordinator.errors import MatchUnknown
    from coordinator.journal.store import open_store
    from coordinator.reasons.asked import ask
    from coordinator.reasons.telling import data, lines, verdict
    from coordinator.verbs import show

    url = load(config_file, flags={"journal": journal}).settings.journal
    with open_store(url, read_only=True) as store:
        if match_id not in [entry.match_id for entry in store.matches()]:
            raise MatchUnknown(match_id, url)
        answers = ask(store, match_id, player_id, until=at)
    if at is not None:
        answers = answers.at(at)
    if as_json:
        show.as_json(data(answers))
    else:
        show.say(f"{answers.name} ({answers.player_id}) in {answers.match_id}")
        for line in lines(answers):
            show.say(line)
        show.say(verdict(answers))
    return 0 if answers.same else DIFFERS
