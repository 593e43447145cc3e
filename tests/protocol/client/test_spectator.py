"""The spectator's SDK: the newest picture, and subscriptions that outlive sessions."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import RequestRefused, Spectator
from protocol.messages import Error, Ok, Standings, Subscribe
from protocol.testing import open_fake_coordinator


def picture(hands: int, match_id: str = "m-1") -> Standings:
    return Standings(match_id, "s-1", 1, 0, 0, 100, hands, [])


def accept(peer, message):
    if isinstance(message, Subscribe):
        if message.match_id == "m-0":
            yield Error("unknown_match", "no such match", ref=message.ref, field="match_id")
        else:
            yield Ok(message.ref)


async def test_the_newest_picture_of_each_match_is_enough(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = accept
        spectator = Spectator("", "page-1", dial=coordinator.dial)
        await nursery.start(spectator.run)
        await spectator.subscribe("m-1")
        await spectator.subscribe("m-2")
        peer = await coordinator.peer("page-1")
        peer.push(picture(1), picture(9, "m-2"), picture(2), picture(3))
        await wait_all_tasks_blocked()
        standings = spectator.standings()
        assert [await standings.receive(), await standings.receive()] == [picture(3), picture(9, "m-2")]
        peer.push(picture(4))
        assert await standings.receive() == picture(4)
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await wait_all_tasks_blocked()
            assert [each async for each in standings] == []


async def test_a_new_session_is_subscribed_again(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = accept
        spectator = Spectator("", "page-1", dial=coordinator.dial)
        await nursery.start(spectator.run)
        await spectator.subscribe("m-1")
        peer = await coordinator.peer("page-1")
        await peer.next(Subscribe)
        with trio.fail_after(60):
            await peer.cut()
            await peer.until(lambda: len(peer.resumed) == 2)
            await wait_all_tasks_blocked()
            assert len(peer.received) == 1, "the session kept its subscription"
            await coordinator.restart()
            assert (await peer.next(Subscribe)).match_id == "m-1"
        nursery.cancel_scope.cancel()


async def test_a_match_nobody_knows_is_refused_and_not_asked_for_again(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = accept
        spectator = Spectator("", "page-1", dial=coordinator.dial)
        await nursery.start(spectator.run)
        with pytest.raises(RequestRefused):
            await spectator.subscribe("m-0")
        await coordinator.restart()
        peer = await coordinator.peer("page-1")
        await peer.until(lambda: len(peer.resumed) == 2)
        await wait_all_tasks_blocked()
        assert len(peer.received) == 1
        nursery.cancel_scope.cancel()
