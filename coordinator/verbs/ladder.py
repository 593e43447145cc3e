"""``coordinator ladder``: what referees and directors decide of a ladder that runs."""

from typing import Any

import click

from coordinator.verbs import directing, values


@click.group()
def ladder() -> None:
    """Rule on a running ladder."""


_challenge = click.argument("challenge_no", metavar="CHALLENGE", type=values.COUNTED)


@ladder.command("outcome")
@directing.match_id
@_challenge
@click.option("--winner", metavar="TEAM", help="Who wins; without it the challenge comes to nothing.")
@directing.asked
def outcome(match_id: str, challenge_no: int, winner: str | None, **asked: str) -> None:
    """End a challenge."""
    _rule(match_id, "outcome", asked, challenge_no=challenge_no, winner=winner)


@ladder.command("board")
@directing.match_id
@_challenge
@click.argument("board_no", metavar="BOARD", type=values.COUNTED)
@click.option(
    "--imps", type=values.WHOLE, help="What it is worth to the challenger; without it the board stands as played."
)
@directing.asked
def board(match_id: str, challenge_no: int, board_no: int, imps: int | None, **asked: str) -> None:
    """Decide a board in dispute."""
    _rule(match_id, "board", asked, challenge_no=challenge_no, board_no=board_no, imps=imps)


@ladder.command("false-report")
@directing.match_id
@click.argument("team")
@directing.asked
def false_report(match_id: str, team: str, **asked: str) -> None:
    """Put a team that falsified a result on the last rank."""
    _rule(match_id, "false_report", asked, team=team)


@ladder.command("place")
@directing.match_id
@click.argument("team")
@click.argument("rank", type=values.COUNTED)
@directing.asked
def place(match_id: str, team: str, rank: int, **asked: str) -> None:
    """Put a team on a rank."""
    _rule(match_id, "place", asked, team=team, rank=rank)


@ladder.command("extend")
@directing.match_id
@_challenge
@click.option("--hours", type=values.Number(0, 87_600, min_open=True), required=True, help="How much longer.")
@click.option("--key", default="", metavar="NAME", help="Extends once, however often it is said; by default new.")
@directing.asked
def extend(match_id: str, challenge_no: int, hours: float, key: str, **asked: str) -> None:
    """Give a challenge more time."""
    _rule(match_id, "extend", asked, challenge_no=challenge_no, by_ms=round(hours * 3_600_000), key=key)


@ladder.command("roster")
@directing.match_id
@click.argument("team")
@click.argument("leaving")
@click.argument("coming")
@directing.asked
def roster(match_id: str, team: str, leaving: str, coming: str, **asked: str) -> None:
    """Let one player of a team take another's place."""
    _rule(match_id, "roster", asked, team=team, leaving=(leaving,), coming=(coming,))


@ladder.command("close")
@directing.match_id
@directing.asked
def close(match_id: str, **asked: str) -> None:
    """Take no more challenges; when the open ones are over, the ranks are final."""
    _rule(match_id, "close", asked)


def _rule(match_id: str, kind: Any, asked: dict[str, str], **words: Any) -> None:
    directing.say(asked, lambda director: director.rule(match_id, kind, reason=asked["reason"], **words))
    click.echo("ruled")
