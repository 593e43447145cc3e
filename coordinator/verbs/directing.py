"""What the verbs share by which a director speaks: who speaks to whom, and how the answer is heard."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import click

from coordinator.verbs import values

if TYPE_CHECKING:
    from protocol.client import Director

WITHIN_S = 10.0
"""How long a daemon may take to answer."""

match_id = click.argument("match_id", metavar="MATCH")


def asked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every word of a director."""
    for option in (
        click.option("--reason", default="", metavar="TEXT", help="Why, for people."),
        click.option("--token", envvar="COORDINATOR_TOKEN", help="What the coordinator knows this identity by."),
        click.option("--id", "identity", default="director", show_default=True, help="The identity to speak as."),
        click.option(
            "--url",
            type=values.Url("WebSocket", ("ws", "wss")),
            metavar="URL",
            default="ws://127.0.0.1:7420",
            envvar="COORDINATOR_WS_URL",
            show_default=True,
            show_envvar=True,
            help="Where the running coordinator takes programs.",
        ),
    ):
        function = option(function)
    return function


def say(asked: dict[str, str], word: Callable[["Director"], Awaitable[None]]) -> None:
    """Connect as a director, say one word, and hear that it is done.

    Raises DaemonRefused with the reason where it is not, and DaemonUnreachable where nobody answers.
    """
    import trio

    from coordinator.errors import DaemonRefused, DaemonUnreachable
    from protocol.client import Director, LinkEnded, RequestRefused
    from protocol.errors import WireError

    url = asked["url"]

    async def speak() -> str | None:
        director = Director(url, asked["identity"], token=asked["token"], software="coordinator")
        refusal = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(director.run)
            try:
                with trio.fail_after(WITHIN_S):
                    await word(director)
            except RequestRefused as refused:
                refusal = f"{refused.message} [{refused.code}]"
                if refused.field is not None and refused.expected is not None:
                    refusal = f"{refused.message}; {refused.field}: expected {refused.expected} [{refused.code}]"
            except WireError as unsaid:
                refusal = f"{unsaid.message} [{unsaid.code}]"
            finally:
                nursery.cancel_scope.cancel()
        return refusal

    try:
        refusal = trio.run(speak)
    except* (LinkEnded, trio.TooSlowError, OSError):
        raise DaemonUnreachable(url, "no coordinator answers there") from None
    if refusal is not None:
        raise DaemonRefused(url, refusal)
