"""A request that would count twice bears a key of its own, and the same one when it is asked again."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import Lobby
from protocol.messages import (
    AcceptTime,
    Challenged,
    Entered,
    IssueChallenge,
    Join,
    Leave,
    Message,
    Ok,
    ProposedTime,
    ProposeTimes,
    Ruling,
)
from protocol.testing import open_fake_coordinator

TIMES = [ProposedTime(1_000)]
Request = Callable[[Lobby], Awaitable[Any]]
REQUESTS: dict[type, Request] = {
    Join: lambda lobby: lobby.join("m", "p", "Ann"),
    Leave: lambda lobby: lobby.leave("m", "p"),
    IssueChallenge: lambda lobby: lobby.challenge("m", "t2", "t1", TIMES),
    AcceptTime: lambda lobby: lobby.accept_time("m", 1, "t1", 1),
    ProposeTimes: lambda lobby: lobby.propose_times("m", 1, "t1", TIMES),
    Ruling: lambda lobby: lobby.rule("m", "extend", challenge_no=1, by_ms=1),
}


def accept(peer: Any, message: Message) -> Any:
    match message:
        case Join():
            yield Entered(message.ref, "m", "p", 1)
        case IssueChallenge():
            yield Challenged(message.ref, "m", 1)
        case Leave() | AcceptTime() | ProposeTimes() | Ruling():
            yield Ok(message.ref)


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
async def test_asked_again_it_bears_the_same_key(autojump_clock: Any, kind: Any) -> None:
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        lobby = Lobby("", "north", dial=coordinator.dial, director=True)
        await nursery.start(lobby.run)
        nursery.start_soon(REQUESTS[kind], lobby)
        first = await (await coordinator.peer("north")).next(kind)
        await wait_all_tasks_blocked()
        coordinator.reply = accept
        await coordinator.restart()
        again = await (await coordinator.peer("north")).next(kind)
        assert first.key
        assert again == first
        await REQUESTS[kind](lobby)
        other = await (await coordinator.peer("north")).next(kind)
        assert other.key != first.key, "the next request is another one"
        nursery.cancel_scope.cancel()
