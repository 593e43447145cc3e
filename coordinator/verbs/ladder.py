"""``coordinator ladder``: what referees and directors decide of a ladder that runs."""

from collections.abc import Callable
from typing import Any

import click

WITHIN_S = 10.0
"""How long a daemon may take to answer."""


def _asked(function: Callable[..., Any]) -> Callable[..., Any]:
    """What every ruling takes."""
    for option in (
        click.option("--reason", default="", metavar="TEXT", help="Why, for people."),
        click.option("--token", envvar="COORDINATOR_TOKEN", help="What the coordinator knows this identity by."),
        click.option("--id", "identity", default="director", show_default=True, help="The identity to speak as."),
        click.option(
            "--url",
            default="ws://127.0.0.1:7420",
            envvar="COORDINATOR_WS_URL",
            show_default=True,
            show_envvar=True,
            help="Where the running coordinator takes lobbies.",
        ),
    ):
        function = option(function)
    return function


@click.group()
def ladder() -> None:
    """Rule on a running ladder."""


_match = click.argument("match_id", metavar="MATCH")
_challenge = click.argument("challenge_no", metavar="CHALLENGE", type=click.IntRange(1))


@ladder.command("outcome")
@_match
@_challenge
@click.option("--winner", metavar="TEAM", help="Who wins; without it the challenge comes to nothing.")
@_asked
def outcome(match_id: str, challenge_no: int, winner: str | None, **asked: str) -> None:
    """End a challenge."""
    _rule(match_id, "outcome", asked, challenge_no=challenge_no, winner=winner)


@ladder.command("board")
@_match
@_challenge
@click.argument("board_no", metavar="BOARD", type=click.IntRange(1))
@click.option("--imps", type=int, help="What it is worth to the challenger; without it the board stands as played.")
@_asked
def board(match_id: str, challenge_no: int, board_no: int, imps: int | None, **asked: str) -> None:
    """Decide a board in dispute."""
    _rule(match_id, "board", asked, challenge_no=challenge_no, board_no=board_no, imps=imps)


@ladder.command("false-report")
@_match
@click.argument("team")
@_asked
def false_report(match_id: str, team: str, **asked: str) -> None:
    """Put a team that falsified a result on the last rank."""
    _rule(match_id, "false_report", asked, team=team)


@ladder.command("place")
@_match
@click.argument("team")
@click.argument("rank", type=click.IntRange(1))
@_asked
def place(match_id: str, team: str, rank: int, **asked: str) -> None:
    """Put a team on a rank."""
    _rule(match_id, "place", asked, team=team, rank=rank)


@ladder.command("extend")
@_match
@_challenge
@click.option("--hours", type=click.FloatRange(min=0, min_open=True), required=True, help="How much longer.")
@_asked
def extend(match_id: str, challenge_no: int, hours: float, **asked: str) -> None:
    """Give a challenge more time."""
    _rule(match_id, "extend", asked, challenge_no=challenge_no, by_ms=round(hours * 3_600_000))


@ladder.command("roster")
@_match
@click.argument("team")
@click.argument("leaving")
@click.argument("coming")
@_asked
def roster(match_id: str, team: str, leaving: str, coming: str, **asked: str) -> None:
    """Let one player of a team take another's place."""
    _rule(match_id, "roster", asked, team=team, leaving=(leaving,), coming=(coming,))


@ladder.command("close")
@_match
@_asked
def close(match_id: str, **asked: str) -> None:
    """Take no more challenges; when the open ones are over, the ranks are final."""
    _rule(match_id, "close", asked)


def _rule(match_id: str, kind: Any, asked: dict[str, str], **words: Any) -> None:
    """Connect as a lobby, say the ruling, and hear the answer."""
    import trio

    from coordinator.errors import DaemonRefused, DaemonUnreachable
    from protocol.client import LinkEnded, Lobby, RequestRefused

    url = asked["url"]
    if not url.startswith(("ws://", "wss://")):
        raise click.BadParameter(f"{url!r} is no WebSocket address", param_hint="--url")

    async def say() -> str | None:
        lobby = Lobby(url, asked["identity"], token=asked["token"], software="coordinator ladder")
        refusal = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lobby.run)
            try:
                with trio.fail_after(WITHIN_S):
                    await lobby.rule(match_id, kind, reason=asked["reason"], **words)
            except RequestRefused as refused:
                refusal = f"{refused.message} [{refused.code}]"
            finally:
                nursery.cancel_scope.cancel()
        return refusal

    try:
        refusal = trio.run(say)
    except* (LinkEnded, trio.TooSlowError, OSError):
        raise DaemonUnreachable(url, "no coordinator answers there") from None
    if refusal is not None:
        raise DaemonRefused(url, refusal)
    click.echo("ruled")
