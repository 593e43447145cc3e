"""Tourneys in an office: two journals, a calendar, and a lobby that is told until it confirms (R-HI-01 to R-HI-03)."""

import attrs
import pytest

from coordinator.errors import JournalFailed
from coordinator.journal.replay import replay
from coordinator.journal.store import Verified
from coordinator.shell.limits import MatchLimits
from coordinator.shell.tourney_picture import whole
from protocol import messages as m
from tests.engine.tourney_play import EVENING, NOON, cup
from tests.journal.small_match import played, write
from tests.shell.evening import Books, FragileStore, check_books, evening
from tests.shell.paying import CUP, CUP_PRIZES, DAY_ONE, FORGETFUL, the_whole_evening

MATCHES = {
    f"{DAY_ONE}.heat1": ["a", "c", "e"],
    f"{DAY_ONE}.heat2": ["b", "d", "f"],
    f"{DAY_ONE}.final": ["a", "b", "c", "d"],
}


def check_money(books: Books) -> None:
    """Six fees are kept, one went back, and the prizes went to the best three, once each."""
    assert books.given_back == {"pay-g": 5}
    assert books.paid == {
        f"{DAY_ONE}.final/award/1": ("a", {"coins": 100}),
        f"{DAY_ONE}.final/award/2": ("b", {"coins": 10}),
        f"{DAY_ONE}.final/award/3": ("c", {"coins": 10}),
    }


async def test_an_evening_is_played_paid_and_replayed() -> None:
    store, books = FragileStore(), Books()
    await the_whole_evening(store, books, [NOON / 1000])
    check_books(store, books, MATCHES)
    check_money(books)
    assert set(books.told.values()) == {1}
    for stream in store.streams():
        report = replay(store, stream, check=True)
        assert report.first_difference is None
        assert report.same_decisions
        assert isinstance(store.verify(stream), Verified)


async def records_of_an_evening() -> int:
    store = FragileStore()
    await the_whole_evening(store, Books(), [NOON / 1000])
    return store.records()


@pytest.mark.parametrize("limits", [None, FORGETFUL], ids=["", "finished matches are let go"])
async def test_a_crash_after_any_record_opens_nothing_twice_and_pays_once(limits: MatchLimits | None) -> None:
    """Killed after each record in turn, and taken up again by another life of the daemon."""
    for left in range(await records_of_an_evening()):
        store, books, now = FragileStore(left), Books(), [NOON / 1000]
        with pytest.raises(JournalFailed):
            await the_whole_evening(store, books, now, limits)
        store.left = None
        await the_whole_evening(store, books, now, limits)
        check_books(store, books, MATCHES)
        check_money(books)
        for stream in store.streams():
            assert replay(store, stream, check=True).first_difference is None


async def test_two_crashes_in_one_evening() -> None:
    for left in range(0, await records_of_an_evening() - 8, 3):
        store, books, now = FragileStore(), Books(), [NOON / 1000]
        for more in (left, 5):
            store.left = more
            with pytest.raises(JournalFailed):
                await the_whole_evening(store, books, now)
        store.left = None
        await the_whole_evening(store, books, now)
        check_books(store, books, MATCHES)
        check_money(books)


@pytest.mark.parametrize(("most", "opened"), [(1, ["heat1", "heat2"]), (2, ["heat1", "heat2", "heat3"])])
async def test_tourneys_may_open_twice_as_many_matches_as_lobbies(most: int, opened: list[str]) -> None:
    """What is opened beyond that stands still, and an operator is told."""
    three = cup(heats=3)
    async with evening(FragileStore(), {"cup": three}, Books(), [NOON / 1000], MatchLimits(matches=most)) as house:
        for player in "abcdefghi":
            await house.enter(player, "cup")
        await house.at(EVENING / 1000)
        assert list(house.office.desks) == [f"{DAY_ONE}.{name}" for name in opened]
        matches = house.office.tourneys.desks["cup"].state.matches
        assert [match.status for match in matches.values()] == [
            "running" if n < 2 * most else "halted" for n in range(3)
        ]
        assert [alarm.code for alarm in house.office.alarms] == ["tourney_stuck"] * (3 - len(opened))


async def test_a_name_that_the_journal_has_is_not_opened_by_a_tourney() -> None:
    """A match that was played under the name before there was a tourney of it, and is finished."""
    store = FragileStore()
    write(store, DAY_ONE, steps=played(9))
    head = store.head(DAY_ONE)
    async with evening(store, {"cup": cup()}, Books(), [NOON / 1000]) as house:
        for player in "abc":
            await house.enter(player, "cup")
        await house.at(EVENING / 1000)
        await house.office.writer.drain()
        [match] = house.office.tourneys.desks["cup"].state.matches.values()
        assert (match.status, match.reason) == ("halted", "another match has its name")
        assert store.head(DAY_ONE) == head


async def test_an_award_is_told_until_it_is_confirmed() -> None:
    """Lost on the way to the lobby's books, it comes with every new session, and after a while in the same one."""
    store, now = FragileStore(), [NOON / 1000]
    careless, books = Books(), Books()
    single = cup(rewards=CUP_PRIZES[:1])
    async with evening(store, {"cup": single}, careless, now) as house:
        for player in "abc":
            await house.enter(player, "cup")
        await house.at(EVENING / 1000)
        careless.confirmed[f"{DAY_ONE}/award/1"] = None  # it forgets to confirm
        await house.play()
        assert careless.told == {f"{DAY_ONE}/award/1": 1}
        house.office.timers.call_due(float("inf"))
        await house.settle()
        assert careless.told == {f"{DAY_ONE}/award/1": 2}
    async with evening(store, {"cup": single}, books, now) as house:
        assert books.told == {f"{DAY_ONE}/award/1": 1}
        assert books.paid == {f"{DAY_ONE}/award/1": ("a", {"coins": 100})}
    async with evening(store, {"cup": single}, Books(), now) as house:
        assert house.books.told == {}
        again = await house.ask(lambda ref: m.Received(f"{DAY_ONE}/award/1", ref))
        assert isinstance(again, m.Ok), "confirmed again it changes nothing"
        unknown = await house.ask(lambda ref: m.Received("cup/nothing", ref))
        assert isinstance(unknown, m.Error)
        assert (unknown.code, unknown.field) == ("unknown_due", "key")


async def test_the_page_says_why_a_match_was_called_off() -> None:
    async with evening(FragileStore(), {"cup": CUP}, Books(), [NOON / 1000]) as house:
        await house.enter("a", "cup")
        await house.at(EVENING / 1000)
        shown = whole(house.office.tourneys.desks["cup"], house.office.tourneys.calendar)
        assert {(match["status"], match["reason"]) for match in shown["matches"]} == {("cancelled", "too_few")}


async def test_a_request_is_answered_the_same_however_often_it_is_made() -> None:
    async with evening(FragileStore(), {"cup": CUP}, Books(), [NOON / 1000]) as house:
        first = await house.enter("a", "cup")
        again = await house.enter("a", DAY_ONE)
        assert isinstance(first, m.EntryTaken)
        assert isinstance(again, m.EntryTaken)
        assert attrs.evolve(first, ref=0) == attrs.evolve(again, ref=0)
        assert (first.instance_id, first.reg_seq, first.start_at) == (DAY_ONE, 1, EVENING)


async def test_refusals_name_the_field() -> None:
    async with evening(FragileStore(), {"cup": CUP}, Books(), [NOON / 1000]) as house:
        cases = [
            (lambda ref: m.Enter("nowhere", "a", "A", ref), "unknown_instance", "at"),
            (lambda ref: m.Enter("cup.nothing", "a", "A", ref), "unknown_instance", "at"),
            (lambda ref: m.Enter("cup", "a", "A", ref), "payment_missing", "payment_ref"),
            (lambda ref: m.Enter("cup", "a", "\u202e", ref), "name_refused", "name"),
            (lambda ref: m.WithdrawEntry("nowhere", "a", ref), "unknown_instance", "instance_id"),
            (lambda ref: m.WithdrawEntry(DAY_ONE, "a", ref), "unknown_player", "player_id"),
            (lambda ref: m.ListInstances(ref, "nowhere"), "unknown_tourney", "tourney_id"),
            (lambda ref: m.OpenMatch("cup.mine", "any", ref), "reserved_id", "match_id"),
            (lambda ref: m.OpenMatch("tourney:mine", "any", ref), "reserved_id", "match_id"),
        ]
        for make, code, field in cases:
            told = await house.ask(make)
            assert isinstance(told, m.Error), told
            assert (told.code, told.field) == (code, field)


async def test_what_can_be_entered_is_listed() -> None:
    async with evening(FragileStore(), {"cup": CUP}, Books(), [NOON / 1000]) as house:
        await house.enter("a", "cup")
        told = await house.ask(lambda ref: m.ListInstances(ref))
        assert isinstance(told, m.Instances)
        first, second, *_ = told.rows
        assert (first.instance_id, first.status, first.entered, first.start_at) == (DAY_ONE, "registering", 1, EVENING)
        assert [offer.fee for offer in first.offers] == [5, 5]
        assert second.status == "planned"


async def test_snapshots_shorten_the_way_and_change_nothing() -> None:
    store, books, now = FragileStore(), Books(), [NOON / 1000]
    async with evening(store, {"cup": CUP}, books, now) as house:
        for player in "abcdef":
            await house.enter(player, "cup")
        house.office.take_snapshots()
        await house.office.writer.drain()
    async with evening(store, {"cup": CUP}, books, now) as house:
        assert house.office.tourneys.desks["cup"].chain.seq == store.head("tourney:cup").seq  # type: ignore[union-attr]
        await house.at(EVENING / 1000)
        await house.play()
    report = replay(store, "tourney:cup", check=True)
    assert (report.same_state, report.same_effects, report.same_decisions) == (True, True, True)


async def test_a_tourney_that_is_not_given_any_more_keeps_its_word() -> None:
    store, books, now = FragileStore(), Books(), [NOON / 1000]
    async with evening(store, {"cup": CUP}, books, now) as house:
        for player in "abcdef":
            await house.enter(player, "cup")
    async with evening(store, {}, books, now) as house:
        await house.at(EVENING / 1000)
        await house.play()
        assert list(house.office.tourneys.desks["cup"].state.instances) == [DAY_ONE]
    assert books.paid
