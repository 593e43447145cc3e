"""Dialling, resuming, redialling: when to come back, when to stay away, and never to hang."""

import random
from collections import deque
from itertools import pairwise

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import ChannelLost, DialRefused, LinkEnded, LinkRefused, Lobby, Replaced
from protocol.client.link import ACK_DELAY_S, BACKOFF_MAX_S, HELLO_TIMEOUT_S, SEND_TIMEOUT_S, STABLE_S
from protocol.codec import build_frame, encode_message, handshake_frame
from protocol.messages import Bye, Error, MatchStarted, Ok, Welcome, Withdraw
from protocol.testing import FakePeer, MemoryChannel, memory_link, open_fake_coordinator


class Longest(random.Random):
    """The redial's spread, always at its longest."""

    def uniform(self, a: float, b: float) -> float:
        return max(a, b)


def lobby(dial, chance=None) -> Lobby:
    return Lobby("", "lobby-1", dial=dial, chance=Longest() if chance is None else chance)


async def ending(coordinator, bye: Bye | None, close_code: int = 1000) -> LinkEnded:
    """How a lobby ends that is welcomed and then dismissed."""
    endings: list[LinkEnded] = []

    async def run(task_status) -> None:
        try:
            await lobby(coordinator.dial).run(task_status=task_status)
        except LinkEnded as end:
            endings.append(end)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            await nursery.start(run)
            (await coordinator.peer("lobby-1")).dismiss(bye, close_code)
    (end,) = endings
    return end


async def back(peer: FakePeer) -> None:
    """The peer has said hello again."""
    await peer.until(lambda: len(peer.hellos) == 2)


def recording(dial):
    """The dial, and the times it was used."""
    times: list[float] = []

    def recorded():
        times.append(trio.current_time())
        return dial()

    return recorded, times


def waits(times: list[float]) -> list[float]:
    return [round(later - earlier, 3) for earlier, later in pairwise(times)]


async def test_redials_wait_longer_each_time_up_to_a_limit(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reachable = False
        dial, times = recording(coordinator.dial)
        nursery.start_soon(lobby(dial).run)
        with trio.move_on_after(17):
            await trio.Event().wait()
        assert waits(times) == [0.25, 0.5, 1, 2, BACKOFF_MAX_S, BACKOFF_MAX_S, BACKOFF_MAX_S, BACKOFF_MAX_S]
        nursery.cancel_scope.cancel()


async def test_redials_are_spread_over_the_whole_wait(autojump_clock):
    spread = set()
    for seed in range(20):
        async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
            coordinator.reachable = False
            dial, times = recording(coordinator.dial)
            nursery.start_soon(lobby(dial, random.Random(seed)).run)
            while len(times) < 2:
                with trio.move_on_after(0.01):
                    await trio.Event().wait()
            spread.add(times[1] - times[0])
            nursery.cancel_scope.cancel()
    assert len(spread) == 20
    assert min(spread) < 0.05
    assert max(spread) > 0.2
    assert all(0 <= wait <= 0.25 for wait in spread)


@pytest.mark.parametrize(("lived_s", "next_wait_s"), [(STABLE_S - 1, 2.0), (STABLE_S + 1, 0.25)])
async def test_only_a_socket_that_lived_long_makes_redials_quick_again(autojump_clock, lived_s, next_wait_s):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reachable = False
        dial, times = recording(coordinator.dial)
        nursery.start_soon(lobby(dial).run)
        while len(times) < 3:
            with trio.move_on_after(0.01):
                await trio.Event().wait()
        coordinator.reachable = True
        peer = await coordinator.peer("lobby-1")
        with trio.move_on_after(lived_s):
            await trio.Event().wait()
        cut_at = trio.current_time()
        await peer.cut()
        await peer.until(lambda: len(peer.hellos) == 2)
        assert round(trio.current_time() - cut_at, 3) == next_wait_s
        nursery.cancel_scope.cancel()


async def test_a_bye_names_the_time_of_the_redial(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        for seed in range(10):
            client = Lobby("", f"lobby-{seed}", dial=coordinator.dial, chance=random.Random(seed))
            await nursery.start(client.run)
            peer = await coordinator.peer(f"lobby-{seed}")
            said_at = trio.current_time()
            peer.dismiss(Bye("shutting_down", retry_after_ms=4000), 1012)
            await back(peer)
            assert 4 <= trio.current_time() - said_at <= 6
            assert peer.resumed == ["new", "nothing_missed"]
        nursery.cancel_scope.cancel()


async def test_a_bye_without_a_time_is_for_good(autojump_clock):
    async with open_fake_coordinator() as coordinator:
        end = await ending(coordinator, Bye("not_allowed", "your contract has ended"))
        assert isinstance(end, LinkRefused)
        assert (end.code, end.message) == ("not_allowed", "your contract has ended")


@pytest.mark.parametrize(
    ("bye", "close_code"), [(None, 4009), (Bye("replaced"), 4009), (Bye("replaced", retry_after_ms=1), 1000)]
)
async def test_a_peer_that_was_replaced_stays_away(autojump_clock, bye, close_code):
    async with open_fake_coordinator() as coordinator:
        assert isinstance(await ending(coordinator, bye, close_code), Replaced)
        assert coordinator.dials == 1


async def test_of_two_processes_under_one_name_the_newer_one_stays(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        ended: list[str] = []

        async def run(name: str, client: Lobby, task_status) -> None:
            try:
                await client.run(task_status=task_status)
            except Replaced:
                ended.append(name)

        await nursery.start(run, "first", lobby(coordinator.dial))
        await nursery.start(run, "second", lobby(coordinator.dial))
        with trio.move_on_after(100):
            await trio.Event().wait()
        assert ended == ["first"]
        assert coordinator.dials == 2
        assert coordinator.peers["lobby-1"].connected
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("code", ["bad_token", "no_token", "version", "malformed"])
async def test_a_hello_that_is_refused_is_not_repeated(autojump_clock, code):
    async with open_fake_coordinator() as coordinator:
        coordinator.refuse.append(Error(code, "no"))
        with pytest.raises(LinkRefused) as caught:
            await lobby(coordinator.dial).run()
        assert caught.value.code == code
        assert coordinator.dials == 1


@pytest.mark.parametrize("code", ["rate", "shutting_down", "internal"])
async def test_a_hello_that_comes_at_a_bad_time_is_repeated(autojump_clock, code):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.refuse.append(Error(code, "not now"))
        await nursery.start(lobby(coordinator.dial).run)
        assert coordinator.dials == 2
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("close_code", "code"), [(4001, "bad_token"), (4015, "version")])
async def test_some_close_codes_are_for_good(autojump_clock, close_code, code):
    async with open_fake_coordinator() as coordinator:
        end = await ending(coordinator, None, close_code)
        assert isinstance(end, LinkRefused)
        assert end.code == code


async def test_a_hello_may_be_answered_with_a_bye(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.refuse.append(Bye("shutting_down", retry_after_ms=3000))
        await nursery.start(lobby(coordinator.dial).run)
        assert coordinator.dials == 2
        assert trio.current_time() == pytest.approx(4.5)
        nursery.cancel_scope.cancel()


async def test_an_address_where_something_else_lives_is_given_up(autojump_clock):
    def dial():
        raise DialRefused("404")

    with pytest.raises(DialRefused):
        await lobby(dial).run()


async def test_whoever_waits_for_a_first_coordinator_is_told_once(autojump_clock, caplog):
    async with open_fake_coordinator() as coordinator:
        coordinator.reachable = False
        with trio.move_on_after(60):
            await lobby(coordinator.dial).run()
        warned = [record.message for record in caplog.records if record.levelname == "WARNING"]
        assert [message.partition(":")[0] for message in warned] == ["no coordinator yet, dialling on"]


# --- a coordinator by hand -----------------------------------------------------------------------------


class Scripted:
    """A dial whose other ends the test holds."""

    def __init__(self) -> None:
        self.ends: deque[MemoryChannel] = deque()
        self._news = trio.Event()

    def __call__(self):
        return self

    async def __aenter__(self) -> MemoryChannel:
        await trio.lowlevel.checkpoint()
        theirs, ours = memory_link()
        self.ends.append(ours)
        self._news.set()
        return theirs

    async def __aexit__(self, *exc_info: object) -> None:
        await trio.lowlevel.checkpoint()

    async def end(self) -> MemoryChannel:
        while not self.ends:
            self._news = trio.Event()
            await self._news.wait()
        return self.ends.popleft()


WELCOME = {"version": 1, "session": "s-1", "epoch": "e-1", "ack": 0, "max_message": 1 << 16}


def welcome(resumed="new", **changes) -> bytes:
    return handshake_frame(Welcome(**{**WELCOME, "resumed": resumed, **changes}))


async def answer_hello(end: MemoryChannel, resumed="new", **changes):
    hello = await end.receive()
    await end.send(welcome(resumed, **changes))
    return hello


async def test_a_coordinator_that_does_not_answer_is_dialled_again(autojump_clock):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby(dial).run)
        await dial.end()
        asked_at = trio.current_time()
        await dial.end()
        assert trio.current_time() - asked_at == pytest.approx(HELLO_TIMEOUT_S + 0.25)
        nursery.cancel_scope.cancel()


async def test_an_acknowledgement_waits_for_company_but_not_for_ever(autojump_clock):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        client = lobby(dial)
        nursery.start_soon(client.run)
        end = await dial.end()
        await answer_hello(end)
        sent_at = trio.current_time()
        for seq in range(1, 4):
            await end.send(build_frame(seq, 0, []))
            with trio.move_on_after(ACK_DELAY_S / 4):
                await trio.Event().wait()
        assert await end.receive() == build_frame(0, 3, [])
        assert trio.current_time() - sent_at == pytest.approx(ACK_DELAY_S)

        await end.send(build_frame(4, 0, []))
        await wait_all_tasks_blocked()
        nursery.start_soon(client.withdraw, "m", "ann")
        payload = await end.receive()
        assert payload[:3] == b"\x93\x01\x04", "the request carries the acknowledgement"
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()


async def test_a_socket_that_takes_nothing_is_dropped_and_the_request_is_sent_again(autojump_clock):
    class Stuck(MemoryChannel):
        async def send(self, payload: bytes) -> None:
            if payload[:2] == b"\x93\x01":
                await trio.Event().wait()
            await super().send(payload)

    dial = Scripted()
    first = True

    async def enter() -> MemoryChannel:
        nonlocal first
        theirs = await Scripted.__aenter__(dial)
        if first:
            first = False
            stuck = Stuck()
            stuck._other, dial.ends[-1]._other = dial.ends[-1], stuck
            return stuck
        return theirs

    class Dial:
        async def __aenter__(self):
            return await enter()

        async def __aexit__(self, *exc_info):
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        client = lobby(lambda: Dial())
        nursery.start_soon(client.run)
        end = await dial.end()
        await answer_hello(end)
        nursery.start_soon(client.withdraw, "m", "ann")
        stuck_at = trio.current_time()
        with pytest.raises(ChannelLost):
            await end.receive()
        assert trio.current_time() - stuck_at == pytest.approx(SEND_TIMEOUT_S)
        end = await dial.end()
        await answer_hello(end, "gap")
        assert (await end.receive())[:2] == b"\x93\x01", "the frame that was stuck comes with its number"
        nursery.cancel_scope.cancel()


async def test_a_hole_in_the_numbers_ends_the_socket_and_the_session_resumes(autojump_clock):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby(dial).run)
        end = await dial.end()
        await answer_hello(end)
        await end.send(build_frame(2, 0, []))
        with pytest.raises(ChannelLost) as caught:
            await end.receive()
        assert caught.value.close_code == 4010
        hello = await (await dial.end()).receive()
        assert b"\xa7session\xa3s-1" in hello
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    "payload", [b"\xc1", build_frame(1, 9, []), welcome()], ids=["garbage", "an ack of the future", "a welcome"]
)
async def test_a_coordinator_that_breaks_the_protocol_is_left_and_asked_for_a_new_session(autojump_clock, payload):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby(dial).run)
        end = await dial.end()
        await answer_hello(end)
        await end.send(payload)
        with pytest.raises(ChannelLost) as caught:
            await end.receive()
        assert caught.value.close_code == 4000
        hello = await (await dial.end()).receive()
        assert b"\xa7session\xc0" in hello
        nursery.cancel_scope.cancel()


async def test_a_welcome_of_another_session_is_left(autojump_clock):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby(dial).run)
        end = await dial.end()
        await answer_hello(end)
        await end.abort()
        end = await dial.end()
        await answer_hello(end, "gap", session="s-9")
        with pytest.raises(ChannelLost):
            await end.receive()
        assert b"\xa7session\xc0" in await (await dial.end()).receive()
        nursery.cancel_scope.cancel()


async def test_messages_nobody_knows_are_left_aside(autojump_clock):
    dial = Scripted()
    async with trio.open_nursery() as nursery:
        client = lobby(dial)
        notices = client.notices()
        nursery.start_soon(client.run)
        end = await dial.end()
        await answer_hello(end)
        known = encode_message(MatchStarted("m", 5))
        await end.send(build_frame(1, 0, [b"\x81\xa4type\xa5dance", known, b"\x80"]))
        assert await notices.receive() == MatchStarted("m", 5)
        nursery.cancel_scope.cancel()


async def test_more_than_a_session_holds_starts_a_new_one_and_asks_again(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = lambda _, message: [Ok(message.ref)] if isinstance(message, Withdraw) else []
        client = Lobby("", "lobby-1", dial=coordinator.dial, chance=Longest())
        client._link._session.window_bytes = 500
        await nursery.start(client.run)
        peer = await coordinator.peer("lobby-1")
        coordinator.reachable = False
        await peer.cut()
        async with trio.open_nursery() as requests:
            for number in range(20):
                requests.start_soon(client.withdraw, "m", f"player-{number}")
            await wait_all_tasks_blocked()
            assert client._link._session.overflow
            client._link._session.window_bytes = 100_000
            coordinator.reachable = True
        assert peer.resumed == ["new", "snapshot"]
        nursery.cancel_scope.cancel()
