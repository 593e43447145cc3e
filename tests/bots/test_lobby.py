"""The lobby's bot: opens, registers in order, waits for all the places."""

from contextlib import asynccontextmanager

import pytest
import trio

from bots.errors import MatchNotStarted, leaves
from bots.lobby import START_WITHIN_S, Field, LobbyBot
from protocol.client import Lobby, Notice, RequestRefused
from protocol.messages import (
    Award,
    Entered,
    Error,
    MatchOpened,
    MatchOver,
    MatchStarted,
    Ok,
    OpenMatch,
    PlaceRow,
    Received,
    Register,
    Seated,
    StartMatch,
    Withdraw,
)
from protocol.testing import open_fake_coordinator

FIELD = Field("demo", "cup", players=5, seed="7")


def over(part, parts, *places, match_id="demo"):
    rows = [PlaceRow(place, f"p{place:04}", 100 - place, None) for place in places]
    return MatchOver(match_id, part, parts, rows)


class Platform:
    """Answers as a coordinator would whose match starts when ``start_after`` players are in."""

    def __init__(self, *, start_after, end):
        self.start_after = start_after
        self.end = end
        self.players = []
        self.confirmed = []

    def __call__(self, peer, message):
        match message:
            case OpenMatch(match_id, definition, ref):
                yield MatchOpened(ref, match_id, definition, "0" * 64)
            case Register(match_id, player_id, _, ref):
                self.players.append(player_id)
                yield Entered(ref, match_id, player_id, len(self.players))
                if len(self.players) == self.start_after:
                    yield MatchStarted(match_id, len(self.players))
                    yield from self.end
            case Received(key, ref):
                self.confirmed.append(key)
                yield Ok(ref)
            case StartMatch(match_id, ref):
                yield Ok(ref)
                yield MatchStarted(match_id, len(self.players))
                yield from self.end


@asynccontextmanager
async def lobby(reply):
    async with open_fake_coordinator() as coordinator:
        coordinator.reply = reply
        yield coordinator, Lobby("", "demo-lobby", dial=coordinator.dial)


async def test_it_opens_registers_in_order_and_returns_the_places(autojump_clock):
    platform = Platform(start_after=5, end=[over(1, 1, 1, 2, 3, 4, 5)])
    seen: list[Notice] = []
    async with lobby(platform) as (coordinator, link):
        places = await LobbyBot(link, FIELD, on_notice=seen.append).run()
        received = (await coordinator.peer("demo-lobby")).received
    opened, *registered = received
    assert (opened.match_id, opened.definition, opened.seed, opened.full_count) == ("demo", "cup", "7", 5)
    assert [(one.player_id, one.name) for one in registered] == FIELD.entries()
    assert [row.place for row in places] == [1, 2, 3, 4, 5]
    assert [type(notice) for notice in seen] == [MatchStarted, MatchOver]


async def test_places_that_come_in_parts_are_put_together_once(autojump_clock):
    """Also when a part is told twice, or out of turn, or of another match."""
    end = [
        over(3, 3, 5),
        over(1, 1, 1, match_id="other"),
        over(1, 3, 1, 2),
        over(1, 3, 1, 2),
        over(2, 3, 3, 4),
    ]
    async with lobby(Platform(start_after=5, end=end)) as (_, link):
        places = await LobbyBot(link, FIELD).run()
    assert [row.place for row in places] == [1, 2, 3, 4, 5]


async def test_what_the_places_win_is_booked_and_confirmed_before_it_ends(autojump_clock):
    """Awards come before the places, and one that is told twice is in the books once."""
    won = [Award(f"demo/award/{place}", "demo", f"p{place:04}", place, {"coins": 9}) for place in (1, 2)]
    platform = Platform(start_after=5, end=[*won, won[0], over(1, 1, 1, 2, 3, 4, 5)])
    async with lobby(platform) as (_, link):
        bot = LobbyBot(link, FIELD)
        await bot.run()
    assert bot.dues == {award.key: award for award in won}
    assert platform.confirmed == ["demo/award/1", "demo/award/2", "demo/award/1"]


async def test_a_match_that_waits_for_a_word_gets_it(autojump_clock):
    platform = Platform(start_after=None, end=[over(1, 1, 1, 2, 3, 4, 5)])
    async with lobby(platform) as (_, link):
        places = await LobbyBot(link, Field("demo", "cup", 5, "7", needs_word=True)).run()
    assert len(places) == 5


async def test_the_late_ones_come_bout_by_bout_and_the_first_ones_leave(autojump_clock):
    """R-CS-01: through the platform's own messages, one at the start of each bout."""
    asked = []

    def seats(bout_no):
        return Seated("demo", "boards", bout_no, bout_no, ["p0001", "p0002"])

    def reply(peer, message):
        asked.append(message)
        match message:
            case OpenMatch(match_id, definition, ref):
                yield MatchOpened(ref, match_id, definition, "0" * 64)
            case Register(match_id, player_id, _, ref):
                yield Entered(ref, match_id, player_id, len(asked))
                come = sum(isinstance(one, Register) for one in asked)
                if come >= 3:
                    yield seats(come - 2)
                    yield seats(come - 2)  # a second table of the bout is no other bout
                if come == 5:
                    yield seats(4)
            case Withdraw(_, player_id, ref):
                yield Ok(ref)
                if player_id == "p0002":
                    yield over(1, 1, 1, 2, 3, 4, 5)

    async with lobby(reply) as (_, link):
        places = await LobbyBot(link, Field("demo", "swiss", 5, "7", late=2, leave=2)).run()
    assert asked[0].full_count == 3
    assert [one.player_id for one in asked if isinstance(one, Register)] == [f"p000{n}" for n in range(1, 6)]
    assert [one.player_id for one in asked if isinstance(one, Withdraw)] == ["p0001", "p0002"]
    assert len(places) == 5


async def test_a_match_that_never_starts_is_not_waited_for(autojump_clock):
    began = trio.current_time()
    async with lobby(Platform(start_after=6, end=[])) as (_, link):
        with pytest.raises(ExceptionGroup) as failed:
            await LobbyBot(link, FIELD).run()
    [cause] = leaves(failed.value)
    assert isinstance(cause, MatchNotStarted)
    assert "5 players" in str(cause)
    assert trio.current_time() == pytest.approx(began + START_WITHIN_S)


async def test_a_refusal_is_passed_on(autojump_clock):
    def refuse(peer, message):
        yield Error("field_too_small", "too few", ref=message.ref, field="full_count", expected="9 or more")

    async with lobby(refuse) as (_, link):
        with pytest.raises(ExceptionGroup) as failed:
            await LobbyBot(link, FIELD).run()
    [cause] = leaves(failed.value)
    assert isinstance(cause, RequestRefused)
    assert (cause.code, cause.field, cause.expected) == ("field_too_small", "full_count", "9 or more")
