"""The lobby's SDK at a tourney: entries, lists, and what is owed until it is confirmed."""

from contextlib import asynccontextmanager

import pytest
import trio

from protocol.client import Lobby, RequestRefused
from protocol.messages import (
    Award,
    Enter,
    EntryTaken,
    Error,
    InstanceOver,
    InstanceRow,
    Instances,
    ListInstances,
    MatchOpened,
    Ok,
    Received,
    Refund,
    WithdrawEntry,
)
from protocol.testing import open_fake_coordinator

ROW = InstanceRow("cup.1", "cup", "sit", "The cup", "registering", None, 0, None, None, 1, 3, 9, [])
WON = Award("cup.1/award/1", "cup.1", "a", 1, {"coins": 5})
BACK = Refund("cup.1/refund/2", "cup.1", "b", "coin", None, 3, "pay-b", "asked")


class Front:
    """A coordinator's answers at a tourney; it notes what was confirmed."""

    def __init__(self) -> None:
        self.confirmed: list[str] = []

    def __call__(self, peer, message):
        match message:
            case Enter(payment_ref=None):
                yield Error("payment_missing", "no", ref=message.ref, field="payment_ref", expected="a payment")
            case Enter():
                yield EntryTaken(message.ref, "cup.1", message.player_id, 1, "heat", None)
            case ListInstances():
                yield Instances(message.ref, [ROW])
            case WithdrawEntry():
                yield Ok(message.ref)
                yield BACK
            case Received():
                self.confirmed.append(message.key)
                yield Ok(message.ref)


@asynccontextmanager
async def playing():
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        front = coordinator.reply = Front()
        lobby = Lobby("", "lobby-1", dial=coordinator.dial)
        told = lobby.tourney_notices()
        await nursery.start(lobby.run)
        with trio.fail_after(600):
            yield front, lobby, told, await coordinator.peer("lobby-1")
        nursery.cancel_scope.cancel()


async def test_a_player_enters_and_withdraws(autojump_clock):
    async with playing() as (_, lobby, told, _peer):
        taken = await lobby.enter("cup", "a", "Ann", payment_ref="pay-a", rating=1500)
        assert (taken.instance_id, taken.player_id, taken.reg_seq) == ("cup.1", "a", 1)
        with pytest.raises(RequestRefused) as caught:
            await lobby.enter("cup", "b", "Ben")
        assert (caught.value.code, caught.value.field) == ("payment_missing", "payment_ref")
        assert await lobby.instances() == [ROW]
        await lobby.withdraw_entry("cup.1", "b")
        assert await told.receive() == BACK


async def test_what_is_owed_is_confirmed_by_its_key(autojump_clock):
    async with playing() as (front, lobby, told, peer):
        peer.push(MatchOpened(0, "cup.1", "heat", "ab" * 32))
        peer.push(WON)
        peer.push(WON)
        peer.push(InstanceOver("cup.1"))
        opened = await told.receive()
        assert isinstance(opened, MatchOpened)
        for _ in range(2):
            won = await told.receive()
            assert won == WON
            await lobby.received(won)
        assert await told.receive() == InstanceOver("cup.1")
        assert front.confirmed == [WON.key] * 2


async def test_what_is_owed_has_a_feed_of_its_own(autojump_clock):
    """That of a match which a lobby has opened comes like that of a tourney."""
    async with playing() as (front, lobby, _told, peer):
        dues = lobby.dues()
        own = Award("m/award/1", "m", "a", 1, {"coins": 5})
        for message in (own, InstanceOver("cup.1"), BACK):
            peer.push(message)
        for due in (own, BACK):
            assert await dues.receive() == due
            await lobby.received(due)
        assert front.confirmed == [own.key, BACK.key]
    with pytest.raises(trio.EndOfChannel):
        await dues.receive()


async def test_the_notices_end_with_the_link(autojump_clock):
    async with playing() as (_, lobby, told, _peer):
        pass
    with pytest.raises(trio.EndOfChannel):
        await told.receive()
    with pytest.raises(trio.EndOfChannel):
        await lobby.tourney_notices().receive()
