"""What the verbs share by which a director speaks: who speaks to whom, and how the answer is heard."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import click

from coordinator.verbs import options

if TYPE_CHECKING:
    from coordinator.errors import CoordinatorError
    from protocol.client import Director

WITHIN_S = 10.0
"""How long a daemon may take to answer."""

match_id = click.argument("match_id", metavar="MATCH")


def asked(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every word of a director."""
    for option in (
        click.option("--reason", default="", metavar="TEXT", help="Why, for people."),
        click.option(
            "--token",
            envvar="COORDINATOR_TOKEN",
            show_envvar=True,
            help="What the coordinator knows this identity by.",
        ),
        click.option("--id", "identity", default="director", show_default=True, help="The identity to speak as."),
        options.programs_url,
    ):
        function = option(function)
    return function


def say(asked: dict[str, str], word: Callable[["Director"], Awaitable[None]]) -> None:
    """Connect as a director, say one word, and hear that it is done.

    Raises DaemonRefused with the reason where it is not, and DaemonUnreachable where nobody answers.
    """
    import trio

    from coordinator.errors import DaemonRefused
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
    except* (LinkEnded, trio.TooSlowError, OSError) as ended:
        raise _failure(url, ended) from None
    if refusal is not None:
        raise DaemonRefused(url, refusal)


def _failure(url: str, ended: BaseExceptionGroup) -> "CoordinatorError":
    """Why no word was heard: the coordinator will not have this director, or there is none."""
    from coordinator.errors import DaemonRefused, DaemonUnreachable
    from protocol.client import LinkRefused

    for error in ended.exceptions:
        if isinstance(error, BaseExceptionGroup):
            return _failure(url, error)
        if isinstance(error, LinkRefused):
            return DaemonRefused(url, f"{error.message} [{error.code}]")
    return DaemonUnreachable(url, "nothing there takes programs")
