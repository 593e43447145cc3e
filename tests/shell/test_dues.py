"""A match that a lobby opened by itself pays what its places win: once, to whom entered the player (R-HI-03)."""

import attrs
import pytest
import trio

from coordinator.engine import commands, events
from coordinator.errors import JournalFailed
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.shell import dues
from coordinator.shell.dues import RESEND_S
from coordinator.shell.peers import Peer
from protocol import messages as m
from protocol.errors import WireError
from protocol.session import Session, Side
from tests.shell.evening import Books, FragileStore, evening
from tests.shell.paying import DUEL, KNOWN, opened

WON = {
    "m/award/1": ("a", {"coins": 100, "cups": 1}),
    "m/award/2": ("b", {"coins": 13}),
    "m/award/3": ("c", {"coins": 12}),
}


async def the_whole_match(store: FragileStore, books: Books) -> None:
    async with evening(store, {}, books, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        await house.settle()
        assert house.office.desks["m"].state.status == "over"
        assert house.office.desks["m"].state.dues == {}


def check(store: FragileStore, books: Books) -> None:
    """Everything was paid once, and the journal says the same again."""
    assert books.paid == WON
    told = store.commands("m")
    assert sum(isinstance(command, commands.OpenMatch) for command in told) == 1
    ended = [event for record in store.follow(Chain.start("m")) for event in record.events]
    assert sum(isinstance(event, events.MatchEnded) for event in ended) == 1
    assert sorted(event.key for event in ended if isinstance(event, events.AwardConfirmed)) == sorted(WON)
    report = replay(store, "m", check=True)
    assert (report.first_difference, report.same_decisions) == (None, True)


async def test_the_places_are_paid_and_told_once() -> None:
    store, books = FragileStore(), Books()
    await the_whole_match(store, books)
    check(store, books)
    assert set(books.told.values()) == {1}


async def records_of_a_match() -> int:
    store = FragileStore()
    await the_whole_match(store, Books())
    return store.records()


async def test_a_crash_after_any_record_pays_once() -> None:
    """Killed between each two records: before the end, between end and award, between two confirmations."""
    for left in range(await records_of_a_match()):
        store, books = FragileStore(left), Books()
        with pytest.raises(JournalFailed):
            await the_whole_match(store, books)
        store.left = None
        await the_whole_match(store, books)
        check(store, books)


async def test_a_crash_in_every_second_life_too() -> None:
    records = await records_of_a_match()
    for left in range(records):
        store, books = FragileStore(), Books()
        for more in (left, 1):
            if store.records() + more >= records:
                continue
            store.left = more
            with pytest.raises(JournalFailed):
                await the_whole_match(store, books)
        store.left = None
        await the_whole_match(store, books)
        check(store, books)


async def test_an_award_is_told_until_it_is_confirmed() -> None:
    """After a while in the same session, at once in the next one, and never again once it is confirmed."""
    store, careless, books = FragileStore(), Books(confirmed=dict.fromkeys(WON)), Books()
    async with evening(store, {}, careless, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        assert set(careless.told.values()) == {1}
        house.office.timers.call_due(float("inf"))
        await house.settle()
        assert set(careless.told.values()) == {2}
    async with evening(store, {}, books, [0.0], definitions=KNOWN) as house:
        assert set(books.told.values()) == {1}
        again = await house.ask(lambda ref: m.Received("m/award/1", ref))
        assert isinstance(again, m.Ok), "confirmed again it changes nothing"
        unknown = await house.ask(lambda ref: m.Received("m/award/9", ref))
        assert isinstance(unknown, m.Error)
        assert (unknown.code, unknown.field) == ("unknown_due", "key")
        house.office.timers.call_due(float("inf"))
        await house.settle()
        assert set(books.told.values()) == {1}
    async with evening(store, {}, Books(), [0.0], definitions=KNOWN) as house:
        assert house.books.told == {}


async def test_new_awards_do_not_put_off_the_ones_that_are_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often somebody wins something, what nobody confirms is told every half minute."""
    now = 1000.0
    monkeypatch.setattr(trio, "current_time", lambda: now)
    careless = Books(confirmed=dict.fromkeys([*WON, *[key.replace("m/", "n/") for key in WON]]))
    async with evening(FragileStore(), {}, careless, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        now += RESEND_S - 1
        await opened(house, "n")
        await house.play()
        now += 1
        house.office.timers.call_due(now)
        await house.settle()
        assert careless.told["m/award/1"] == 2


async def test_each_lobby_is_told_of_the_players_it_entered() -> None:
    """R-HI-03: another lobby entered half of the field, and one player enters late by it as well."""
    store, ours, theirs = FragileStore(), Books(), Books()
    async with evening(store, {}, ours, [0.0], definitions=KNOWN) as house:
        await opened(house, definition="field", players="bdf")
    async with evening(store, {}, theirs, [0.0], definitions=KNOWN, lobby="other") as house:
        for player in "ace":
            await house.ask(lambda ref, player=player: m.Register("m", player, player.upper(), ref))
        await house.play()
        await house.settle()
        assert {who for who, _ in theirs.paid.values()} == {"a", "c"}
    async with evening(store, {}, ours, [0.0], definitions=KNOWN) as house:
        assert {who for who, _ in ours.paid.values()} == {"b"}
        assert house.office.desks["m"].state.dues == {}


async def test_only_so_many_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million prizes do not go to a lobby in one breath; the rest follows when these are confirmed."""
    monkeypatch.setattr(dues, "TOLD_AT_ONCE", 2)
    store, books = FragileStore(), Books()
    async with evening(store, {}, books, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        assert len(books.told) == 2
        house.office.timers.call_due(float("inf"))
        await house.settle()
        assert books.paid == WON


async def test_a_lobby_confirms_for_its_own_players_alone() -> None:
    """A lobby with a realm books what its own players win, and nothing else."""
    careless = Books(confirmed=dict.fromkeys(WON))
    async with evening(FragileStore(), {}, careless, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        near = Session(Side.COORDINATOR, session="s2", epoch="e", life="l", window_frames=64, window_bytes=1 << 20)
        stranger = Peer("club", ("lobby",), "l", "", (), 0, 0.0, session=near, realm="club")
        with pytest.raises(WireError) as refused:
            house.requests.read(stranger, m.Received("m/award/1", 1))
        assert refused.value.code == "not_allowed"
        assert sorted(house.office.desks["m"].state.dues) == sorted(WON)


async def test_a_match_without_rewards_owes_nothing() -> None:
    books = Books()
    plain = {"duel": attrs.evolve(DUEL, rewards=())}
    async with evening(FragileStore(), {}, books, [0.0], definitions=plain) as house:
        await opened(house)
        await house.play()
        assert house.office.desks["m"].state.status == "over"
        assert books.told == {}
