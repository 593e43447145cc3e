"""``coordinator match``: the matches of a running daemon, and what a director decides of them."""

from collections.abc import Mapping
from typing import Any

import click

from coordinator.verbs import directing, options, values


@click.group()
def match() -> None:
    """Look at running matches, and rule on them."""


@match.command("list")
@click.option("--before", metavar="MATCH", help="List finished matches, those that are older than this one.")
@options.url
@options.as_json
def list_matches(before: str | None, url: str, as_json: bool) -> None:
    """List all matches, of the finished ones the newest.

    Those behind the newest are listed with --before.
    """
    from coordinator.verbs import show
    from coordinator.verbs.api import ask, understood

    answer = ask(url, "matches") if before is None else ask(url, "matches", before=before)
    if as_json:
        show.as_json(answer)
        return
    with understood(url):
        found = answer.get("matches", []) if isinstance(answer, Mapping) else answer
        if not found:
            click.echo("no matches", err=True)
            return
        columns = dict.fromkeys(key for each in found for key, value in each.items() if show.is_plain(value))
        show.as_rows(found, tuple(columns))


@match.command("show")
@click.argument("match_id", metavar="MATCH")
@options.url
@options.as_json
def show_match(match_id: str, url: str, as_json: bool) -> None:
    """Show one match."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask, understood

    answer = ask(url, "matches", match_id)
    with understood(url):
        show.answer(answer, ("stages", "places" if answer.get("places") else "standings"), as_json=as_json)


_player = click.argument("player_id", metavar="PLAYER")


@match.command("penalty")
@directing.match_id
@_player
@click.option("--points", type=values.WHOLE, required=True, help="What to book; the opposite number takes it back.")
@click.option("--key", default="", metavar="NAME", help="Books it once, however often it is said; by default new.")
@directing.asked
@options.as_json
def penalty(match_id: str, player_id: str, points: int, key: str, as_json: bool, **asked: str) -> None:
    """Book points for a player whose place is open."""
    directing.say(asked, lambda d: d.penalty(match_id, player_id, points, reason=asked["reason"], key=key))
    _done(as_json, match_id, "penalty", player_id=player_id, points=points)


@match.command("disqualify")
@directing.match_id
@_player
@directing.asked
@options.as_json
def disqualify(match_id: str, player_id: str, as_json: bool, **asked: str) -> None:
    """Exclude a player; the table parts on its finished hands."""
    directing.say(asked, lambda d: d.disqualify(match_id, player_id, reason=asked["reason"]))
    _done(as_json, match_id, "disqualify", player_id=player_id)


@match.command("reinstate")
@directing.match_id
@_player
@directing.asked
@options.as_json
def reinstate(match_id: str, player_id: str, as_json: bool, **asked: str) -> None:
    """Take a disqualification back."""
    directing.say(asked, lambda d: d.reinstate(match_id, player_id, reason=asked["reason"]))
    _done(as_json, match_id, "reinstate", player_id=player_id)


@match.command("correct")
@directing.match_id
@click.argument("table_id", metavar="TABLE", type=values.COUNTED)
@click.argument("hand_no", metavar="HAND", type=values.COUNTED)
@click.argument("scores", metavar="PLAYER=SCORE...", nargs=-1, required=True)
@directing.asked
@options.as_json
def correct(match_id: str, table_id: int, hand_no: int, scores: tuple[str, ...], as_json: bool, **asked: str) -> None:
    """Say what a hand counts for, for everybody at the table, as long as its bout is open."""
    told = dict(map(_score, scores))
    directing.say(asked, lambda d: d.correct(match_id, table_id, hand_no, told, reason=asked["reason"]))
    _done(as_json, match_id, "correct", table_id=table_id, hand_no=hand_no, scores=told)


@match.command("reseat")
@directing.match_id
@click.option("--key", default="", metavar="NAME", help="Seats once, however often it is said; by default new.")
@directing.asked
@options.as_json
def reseat(match_id: str, key: str, as_json: bool, **asked: str) -> None:
    """Seat anew, as long as no hand of the seating has started."""
    directing.say(asked, lambda d: d.reseat(match_id, reason=asked["reason"], key=key))
    _done(as_json, match_id, "reseat")


def _score(text: str) -> tuple[str, int]:
    player_id, _, score = text.rpartition("=")
    try:
        return player_id, int(values.WHOLE(score))
    except click.BadParameter:
        raise click.BadParameter(f"{text!r} is not PLAYER=SCORE", param_hint="PLAYER=SCORE...") from None


def _done(as_json: bool, match_id: str, kind: str, **words: Any) -> None:
    from coordinator.verbs import show

    if as_json:
        show.as_json({"match_id": match_id, "kind": kind, **words})
    else:
        click.echo("ruled")
