"""The lobby's SDK: requests are answered once, in order, whatever happens to sockets."""

from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import LinkEnded, Lobby, RequestRefused
from protocol.client.peer import REQUESTS_OPEN_MAX
from protocol.messages import (
    Eliminated,
    Entered,
    Error,
    MatchOpened,
    MatchStarted,
    Ok,
    OpenMatch,
    Register,
    StartMatch,
    Withdraw,
)
from protocol.testing import open_fake_coordinator


class Desk:
    """A coordinator's answers to a lobby: registrations are numbered, and asked again answered the same."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.deaf = False

    def __call__(self, peer, message):
        if self.deaf:
            return
        match message:
            case OpenMatch():
                yield MatchOpened(message.ref, message.match_id, message.definition, "ab" * 32)
            case Register(name="Nobody"):
                yield Error("name_refused", "no", ref=message.ref, field="name", expected="a name")
            case Register():
                number = self.numbers.setdefault(message.player_id, len(self.numbers) + 1)
                yield Entered(message.ref, message.match_id, message.player_id, number)
            case Withdraw() | StartMatch():
                yield Ok(message.ref)


@asynccontextmanager
async def playing():
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        desk = coordinator.reply = Desk()
        lobby = Lobby("", "lobby-1", dial=coordinator.dial)
        await nursery.start(lobby.run)
        with trio.fail_after(600):
            yield coordinator, desk, lobby, await coordinator.peer("lobby-1")
        nursery.cancel_scope.cancel()


async def test_every_request_has_its_answer(autojump_clock):
    async with playing() as (_, _, lobby, peer):
        opened = await lobby.open_match("m-1", "spring", seed="x", full_count=8)
        assert opened == MatchOpened(1, "m-1", "spring", "ab" * 32)
        assert await lobby.register("m-1", "ann", "Ann") == Entered(2, "m-1", "ann", 1)
        await lobby.withdraw("m-1", "ann")
        await lobby.start_match("m-1")
        assert peer.received == [
            OpenMatch("m-1", "spring", ref=1, seed="x", full_count=8),
            Register("m-1", "ann", "Ann", ref=2),
            Withdraw("m-1", "ann", ref=3),
            StartMatch("m-1", ref=4),
        ]


async def test_a_refusal_says_how_to_mend_the_request(autojump_clock):
    async with playing() as (_, _, lobby, _):
        with pytest.raises(RequestRefused) as caught:
            await lobby.register("m-1", "x", "Nobody")
        error = caught.value
        assert (error.code, error.field, error.expected, error.message) == ("name_refused", "name", "a name", "no")


async def test_many_players_are_entered_in_order_and_in_few_frames(autojump_clock):
    async with playing() as (_, _, lobby, peer):
        players = [(f"p{number}", f"Player {number}") for number in range(1, 5001)]
        entered = await lobby.register_many("m-1", players)
        assert [(each.player_id, each.reg_seq) for each in entered] == [
            (f"p{number}", number) for number in range(1, 5001)
        ]
        assert len(peer.received) == 5000
        assert peer.session.received < 5000 / 2


async def test_many_registrations_survive_lost_sockets_and_restarts(autojump_clock):
    async with playing() as (coordinator, desk, lobby, peer):
        players = [(f"p{number}", f"Player {number}") for number in range(1, REQUESTS_OPEN_MAX + 500)]
        entered: list[Entered] = []

        async def register() -> None:
            entered.extend(await lobby.register_many("m-1", players))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(register)
            await peer.until(lambda: len(peer.received) > 10)
            await peer.cut()
            await peer.until(lambda: len(peer.resumed) == 2)
            await coordinator.restart()
        assert [each.reg_seq for each in entered] == list(range(1, len(players) + 1))
        assert list(desk.numbers) == [player_id for player_id, _ in players]


async def test_many_players_stop_at_the_first_refusal(autojump_clock):
    async with playing() as (_, _, lobby, _):
        with pytest.raises(RequestRefused):
            await lobby.register_many("m-1", [("ann", "Ann"), ("x", "Nobody"), ("bob", "Bob")])


async def test_requests_without_an_answer_are_asked_again_in_the_same_words(autojump_clock):
    async with playing() as (coordinator, desk, lobby, peer):
        desk.deaf = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lobby.start_match, "m-1")
            await peer.next(StartMatch)
            nursery.start_soon(lobby.withdraw, "m-1", "ann")
            await peer.next(Withdraw)
            desk.deaf = False
            await coordinator.restart()
        assert peer.received[:2] == peer.received[2:]


async def test_requests_may_be_made_before_the_first_welcome(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = Desk()
        lobby = Lobby("", "lobby-1", dial=coordinator.dial)
        async with trio.open_nursery() as requests:
            requests.start_soon(lobby.start_match, "m-1")
            await wait_all_tasks_blocked()
            nursery.start_soon(lobby.run)
        peer = await coordinator.peer("lobby-1")
        assert peer.received == [StartMatch("m-1", ref=1)]
        nursery.cancel_scope.cancel()


async def test_every_feed_of_notices_has_them_all_from_its_start(autojump_clock):
    async with playing() as (_, _, lobby, peer):
        early = lobby.notices()
        peer.push(MatchStarted("m-1", 2))
        assert await early.receive() == MatchStarted("m-1", 2)
        late = lobby.notices()
        out = Eliminated("m-1", "s-1", "ann", None, -3)
        peer.push(out)
        assert await late.receive() == out
        assert await early.receive() == out


async def test_when_the_lobby_ends_its_requests_and_feeds_end(autojump_clock):
    async with open_fake_coordinator() as coordinator:
        lobby = Lobby("", "lobby-1", dial=coordinator.dial)
        feed = lobby.notices()
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            nursery.cancel_scope.cancel()
        assert [notice async for notice in feed] == []
        assert [notice async for notice in lobby.notices()] == []
        with pytest.raises(LinkEnded):
            await lobby.start_match("m-1")


async def test_requests_beyond_what_may_be_on_the_way_are_said_as_answers_come(autojump_clock):
    async with playing() as (coordinator, desk, lobby, peer):
        desk.deaf = True
        count = REQUESTS_OPEN_MAX + 500
        async with trio.open_nursery() as nursery:
            for number in range(count):
                nursery.start_soon(lobby.withdraw, "m-1", f"p{number}")
            await wait_all_tasks_blocked()
            assert len(peer.received) == REQUESTS_OPEN_MAX
            # A new session begins with as many, not with all that has gathered.
            await coordinator.restart()
            await peer.until(lambda: len(peer.resumed) == 2)
            await wait_all_tasks_blocked()
            assert len(peer.received) == 2 * REQUESTS_OPEN_MAX
            desk.deaf = False
            await coordinator.restart()
        asked = [message.player_id for message in peer.received[2 * REQUESTS_OPEN_MAX :]]
        assert sorted(asked) == sorted(f"p{number}" for number in range(count))


async def test_a_request_that_no_frame_carries_is_refused_and_disturbs_no_other(autojump_clock):
    async with playing() as (_, _, lobby, _):
        with pytest.raises(RequestRefused) as refused:
            await lobby.open_match("m-1", "d" * 2_000_000)
        assert refused.value.code == "too_large"
        await lobby.start_match("m-1")
