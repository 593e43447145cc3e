"""The crowd of an island: it moves by the seed, answers offers and minds its purse."""

from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from bots.errors import leaves
from bots.visitors import Visitors
from protocol.client import Lobby, RequestRefused
from protocol.messages import (
    CashedOut,
    DeclineRevival,
    Entered,
    Error,
    Join,
    Leave,
    Message,
    Ok,
    PackRow,
    RevivalOffer,
    Revive,
    Waiting,
)
from protocol.testing import open_fake_coordinator

PRESENT = [(f"p{number}", f"Player {number}") for number in range(1, 9)]
OTHERS = [(f"q{number}", f"Visitor {number}") for number in range(1, 5)]


async def virtual_seconds(count: int) -> None:
    """Let so much of the mock clock's time pass for everybody else."""
    with trio.move_on_after(count):
        await trio.sleep_forever()


def obliging(peer: Any, message: Message) -> Iterator[Message]:
    match message:
        case Join(match_id, player_id, _, ref):
            yield Entered(ref, match_id, player_id, 1)
        case Leave(match_id, player_id, ref):
            yield Ok(ref)
            yield CashedOut(match_id, "shore", player_id, 10, 1, "asked", 1)
        case Revive() | DeclineRevival():
            yield Ok(message.ref)


def offer(number: int, *packs: PackRow, player: str = "p1", fee: int = 0) -> RevivalOffer:
    return RevivalOffer("isle", "shore", player, number, "coin", None, fee, list(packs), 7, 1000, 15_000)


@asynccontextmanager
async def crowd(reply: Callable[[Any, Message], Iterator[Message]], *, moving: bool, seed: str = "7"):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = reply
        lobby = Lobby("", "crowd", dial=coordinator.dial)
        visitors = Visitors(lobby, "isle", PRESENT, OTHERS, seed, moving=moving)
        nursery.start_soon(lobby.run)
        nursery.start_soon(visitors.run)
        yield visitors, (await coordinator.peer("crowd")).received
        nursery.cancel_scope.cancel()


async def test_players_come_and_go_by_the_seed(autojump_clock):
    stories = []
    for _ in range(2):
        async with crowd(obliging, moving=True) as (_, asked):
            await virtual_seconds(2)
            stories.append([(type(message), message.player_id) for message in asked[:40]])
    assert stories[0] == stories[1]
    assert {kind for kind, _ in stories[0]} == {Join, Leave}


async def test_who_plays_a_closed_format_stays(autojump_clock):
    async with crowd(obliging, moving=False) as (_, asked):
        await virtual_seconds(2)
        assert asked == []


async def test_a_fee_nobody_can_pay_is_declined_or_not_answered(autojump_clock):
    async with crowd(obliging, moving=False) as (visitors, asked):
        for number in range(1, 41):
            visitors.notice(offer(number, fee=10**6))
        await virtual_seconds(1)
        assert all(isinstance(message, DeclineRevival) for message in asked)
        assert {message.reason for message in asked} == {"declined", "balance"}


async def test_the_cheapest_pack_is_taken_until_the_coins_are_gone(autojump_clock):
    async with crowd(obliging, moving=False) as (visitors, asked):
        for number in range(1, 201):
            player = PRESENT[number % len(PRESENT)][0]
            visitors.notice(offer(number, PackRow(2500, 110), PackRow(1000, 50), player=player))
        await virtual_seconds(1)
        taken = [message for message in asked if isinstance(message, Revive)]
        assert taken
        assert {message.pack for message in taken} == {2}
        assert len({message.payment_ref for message in taken}) == len(taken)
        spent = {player: 50 * sum(m.player_id == player for m in taken) for player, _ in PRESENT}
        assert max(spent.values()) <= 2000


async def test_most_of_those_who_rest_go_on(autojump_clock):
    async with crowd(obliging, moving=False) as (visitors, asked):
        visitors.notice(Waiting("isle", "shore", [player for player, _ in PRESENT], "resting"))
        await virtual_seconds(1)
        assert asked
        assert all(isinstance(message, Join) for message in asked)


async def test_what_came_too_late_is_borne_and_everything_else_is_told(autojump_clock):
    def late(peer: Any, message: Any) -> Iterator[Message]:
        yield Error("no_offer", "too late", ref=message.ref)

    async with crowd(late, moving=False) as (visitors, _):
        for number in range(1, 9):
            visitors.notice(offer(number, fee=1))
        await virtual_seconds(1)

    def wrong(peer: Any, message: Any) -> Iterator[Message]:
        yield Error("internal", "a mistake", ref=message.ref)

    with pytest.raises(ExceptionGroup) as failed:
        await answered(wrong)
    assert any(isinstance(cause, RequestRefused) for cause in leaves(failed.value))


async def answered(reply: Callable[[Any, Message], Iterator[Message]]) -> None:
    async with crowd(reply, moving=False) as (visitors, _):
        for number in range(1, 9):
            visitors.notice(offer(number, fee=10**6))
        await virtual_seconds(1)
