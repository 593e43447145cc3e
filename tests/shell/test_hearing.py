"""What a peer asks is heard in its order, and only where the answers fit into what is kept for it."""

import pytest

from coordinator.shell.hearing import UNHEARD_BYTES
from coordinator.shell.limits import SessionLimits
from protocol import messages as m
from protocol.codec import build_frame, encode_message
from protocol.session import Session
from tests.shell.premises import GatedStore, Premises, premises
from tests.shell.programs import Program

WINDOW = 900


def session_of(house: Premises, identity: str = "ts-1") -> Session:
    session = house.peer(identity).session
    assert session is not None
    return session


async def narrow(house: Premises) -> Program:
    """A table server for which little is kept."""
    server = await house.table_server()
    session_of(house).window_bytes = WINDOW
    return server


async def every_answer(server: Program, count: int) -> list[int]:
    """The numbers of the answers as they come, each acknowledged at once."""
    heard: list[int] = []
    while len(heard) < count:
        heard.append((await server.next(m.Ok)).ref)
        await server.acknowledge()
    return heard


@pytest.mark.parametrize("at_once", [1, 50, 300])
async def test_a_peer_that_asks_faster_than_it_reads_gets_every_answer_in_one_session(mock_clock, at_once):
    async with premises() as house:
        server = await narrow(house)
        session = session_of(house)
        asked = [m.Capacity(8, ref=ref) for ref in range(1, 301)]
        for first in range(0, 300, at_once):
            await server.say(*asked[first : first + at_once])
        assert await every_answer(server, 300) == list(range(1, 301))
        assert house.peer("ts-1").session is session
        await house.until(lambda: session.settled == session.received)
        assert house.office.peers.overflows == 0
        assert house.peer("ts-1").answers_due == 0


async def test_what_waits_for_room_is_not_acknowledged(mock_clock):
    async with premises() as house:
        server = await narrow(house)
        session = session_of(house)
        for ref in range(1, 301):
            await server.say(m.Capacity(8, ref=ref))
        await house.until(lambda: session.received == 300)
        assert session.room_bytes >= 0
        assert 0 < session.settled < 100
        assert len(house.peer("ts-1").unheard) == 300 - session.settled


async def test_answers_that_wait_for_the_disk_are_set_aside_for(mock_clock):
    store = GatedStore()
    async with premises(store=store) as house:
        lobby, server = await house.lobby(), await narrow(house)
        store.gate.clear()
        await lobby.say(m.OpenMatch("cup", "one", ref=1))
        await house.until(lambda: house.office.writer.backlog)
        await server.say(*[m.Capacity(8, ref=ref) for ref in range(1, 301)])
        await house.until(lambda: house.peer("ts-1").unheard)
        assert house.peer("ts-1").answers_due <= WINDOW
        store.gate.set()
        assert await every_answer(server, 300) == list(range(1, 301))


async def test_room_comes_with_the_acknowledgements_in_a_hello(mock_clock):
    async with premises() as house:
        server = await narrow(house)
        for ref in range(1, 101):
            await server.say(m.Capacity(8, ref=ref))
        while not server.answers(3):
            server._take(await server.payload())
        await server.cut()
        await house.gone("ts-1")
        assert (await server.hello()).resumed in ("nothing_missed", "gap")
        assert await every_answer(server, 100) == list(range(1, 101))


async def test_acknowledgements_alone_are_nothing_that_waits(mock_clock):
    async with premises(session_limits=SessionLimits(unacknowledged=64)) as house:
        server = await narrow(house)
        for ref in range(1, 61):
            await server.say(m.Capacity(8, ref=ref))
        await house.until(lambda: house.peer("ts-1").unheard)
        for _ in range(200):
            await server.send(build_frame(0, 0, ()))
        assert await every_answer(server, 60) == list(range(1, 61))


async def test_a_long_answer_needs_more_room_than_a_short_one(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        session = session_of(house, "lobby")
        session.window_bytes = 300_000
        await lobby.say(*[m.ListInstances(ref=ref) for ref in range(1, 6)])
        await house.until(lambda: session.received == 1)
        for ref in range(1, 6):
            assert isinstance(await lobby.answer(ref), m.Instances)
            await lobby.acknowledge()
        assert [message.ref for message in lobby.heard if message.type == "instances"] == [1, 2, 3, 4, 5]


async def test_who_says_on_and_on_and_never_reads_is_cut_and_can_resume(mock_clock):
    async with premises() as house:
        server = await narrow(house)
        session = session_of(house)
        padding = m.HandStarted("m" * 64, 1, 1, 1, 1, ref=1)
        frame = [encode_message(padding)] * 400
        for _ in range(UNHEARD_BYTES // (400 * len(frame[0])) + 3):
            await server.send(build_frame(0, 0, frame))
        assert await server.close_code() == 4014
        assert house.peer("ts-1").session is session
        assert house.peer("ts-1").unheard.size <= UNHEARD_BYTES + 65_536


async def test_nothing_of_a_peer_that_is_forgotten_is_heard_later(mock_clock):
    async with premises() as house:
        server = await narrow(house)
        for ref in range(1, 101):
            await server.say(m.Capacity(ref, ref=ref))
        await house.until(lambda: len(house.peer("ts-1").unheard) > 50)
        peer = house.peer("ts-1")
        capacity = peer.capacity
        await server.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 120)
        assert house.office.peers.get("ts-1") is None
        assert not peer.unheard
        assert peer.capacity == capacity < 100
