"""A daemon that lives for months: finished matches leave its memory, and whatever is asked about them is answered."""

from collections.abc import Callable
from functools import partial

import attrs
import pytest
import trio
from trio.testing import MockClock

from coordinator.engine import events
from coordinator.engine.definition import Reward
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.archive import Found, on_a_thread
from coordinator.shell.limits import Limits, MatchLimits
from coordinator.web import api
from coordinator.web.problems import Problem
from protocol import messages as m
from tests.shell.dying import DyingStore, dies
from tests.shell.premises import DEFINITIONS, GatedStore, Premises, premises, seated
from tests.shell.programs import Program, open_match, report

KEEP_S = MatchLimits().match_keep_s
# Nobody is silent for too long in hours that pass at once.
a_house = partial(premises, limits=Limits(dead_after_s=1e9), session_keep_s=1e9)


@attrs.frozen
class Ended:
    """A match of one hand that was played to its end, with those who saw it."""

    server: Program
    lobby: Program
    told: m.HandEnded
    places: list[m.PlaceRow]


async def ended(house: Premises, match_id: str = "cup") -> Ended:
    """Play a match to its end."""
    server, lobby, seat, start = await seated(house, match_id=match_id, definition="one")
    return await finish(server, lobby, seat, start)


async def finish(server: Program, lobby: Program, seat: m.Seat, start: m.StartHand) -> Ended:
    told = report(seat, start)
    assert (await server.ask(told)).verdict == "scored"
    return Ended(server, lobby, told, (await lobby.next(m.MatchOver)).places)


async def let_go(house: Premises, clock: MockClock, match_id: str = "cup") -> None:
    """Wait until nobody has asked for a match for long enough."""
    await house.pass_time(clock, KEEP_S + 2)
    assert match_id not in house.office.desks


# --- leaving --------------------------------------------------------------------------------------------------------


async def test_a_finished_match_is_let_go_when_nobody_asks_for_it(mock_clock):
    async with a_house() as house:
        await ended(house)
        await house.pass_time(mock_clock, KEEP_S - 10)
        assert house.picture.match("cup") is not None  # somebody looks
        await house.pass_time(mock_clock, KEEP_S - 10)
        assert "cup" in house.office.desks
        await let_go(house, mock_clock)
        assert not house.picture._chronicles
        assert not house.picture._orders
        assert not house.office.holdings._by_server
        assert len(house.office.archive) == 0


async def test_what_is_not_finished_stays_however_long_it_takes(mock_clock):
    async with a_house() as house:
        await seated(house)
        await house.pass_time(mock_clock, 100 * KEEP_S)
        assert "cup" in house.office.desks


async def test_a_match_stays_until_every_award_is_confirmed(mock_clock):
    """R-HI-03: a lobby that comes back is told of the end and of what it owes; confirmed later again it is known."""
    paying = {"one": attrs.evolve(DEFINITIONS["one"], rewards=(Reward(1, 1, {"coins": 5}),))}
    async with a_house(paying, match_limits=MatchLimits(match_keep_s=0)) as house:
        over = await ended(house)
        key = "cup/award/1"
        await house.pass_time(mock_clock, KEEP_S)
        assert "cup" in house.office.desks
        assert (await over.lobby.next(m.Award)).key == key, "told again meanwhile"
        assert [line["match_id"] for line in house.picture.matches()] == ["cup"]
        assert house.office.archive.newest_over() == ["cup"]
        assert isinstance(await over.lobby.ask(m.Received(key, ref=7)), m.Ok)
        await house.pass_time(mock_clock, 3)
        assert "cup" not in house.office.desks
        assert isinstance(await over.lobby.ask(m.Received(key, ref=8)), m.Ok), "read back, and nothing changes"
        unknown = await over.lobby.ask(m.Received("cup/award/9", ref=9))
        assert (unknown.code, unknown.field) == ("unknown_due", "key")
        await house.pass_time(mock_clock, 3)
        assert "cup" not in house.office.desks


async def test_of_too_many_the_one_goes_that_nobody_asked_for_the_longest(mock_clock):
    async with a_house(match_limits=MatchLimits(matches_kept=2)) as house:
        server, lobby = await house.table_server(), await house.lobby()
        for name in ("a", "b"):
            await open_match(lobby, name, "one", 3)
            await finish(server, lobby, await server.next(m.Seat), await server.next(m.StartHand))
            await house.pass_time(mock_clock, 1)
        assert list(house.office.desks) == ["a", "b"]
        assert house.picture.match("a") is not None
        await open_match(lobby, "c", "one", 3)
        await finish(server, lobby, await server.next(m.Seat), await server.next(m.StartHand))
        await house.pass_time(mock_clock, 1)
        assert list(house.office.desks) == ["a", "c"]


async def test_a_spectator_is_shown_the_end_before_the_match_goes(mock_clock):
    async with a_house(match_limits=MatchLimits(match_keep_s=0)) as house:
        server, lobby, seat, start = await seated(house, definition="one")
        watcher = house.program("watcher", "spectator")
        await watcher.hello()
        await watcher.ask(m.Subscribe("cup", ref=1))
        await finish(server, lobby, seat, start)
        assert house.peer("watcher").watching
        assert "cup" in house.office.desks
        await house.pass_time(mock_clock, 3)
        assert (await watcher.next(m.Standings)).hands == 1
        assert not house.peer("watcher").watching
        await house.pass_time(mock_clock, 3)
        assert "cup" not in house.office.desks
        # Who comes later is shown it once; nothing moves in it any more.
        assert isinstance(await watcher.ask(m.Subscribe("cup", ref=1)), m.Ok)
        await house.pass_time(mock_clock, 3)
        assert (await watcher.next(m.Standings)).hands == 1
        await house.pass_time(mock_clock, 3)
        assert "cup" not in house.office.desks


# --- asking ---------------------------------------------------------------------------------------------------------


async def test_a_report_that_comes_again_has_its_stored_verdict_and_counts_once(mock_clock):
    async with a_house() as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        assert (await over.server.ask(over.told)).verdict == "duplicate"
        assert house.desk("cup").state.hands == 1
        assert (await over.server.ask(attrs.evolve(over.told, hand_no=2))).verdict == "late"
        assert house.picture.alarms() == []


async def test_a_contradiction_is_parked_once_and_survives(mock_clock):
    store = MemoryStore()
    async with a_house(store=store) as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        other = attrs.evolve(over.told, scores={player: -score for player, score in over.told.scores.items()})
        assert (await over.server.ask(other)).verdict == "conflict"
        [alarm] = house.picture.alarms()
        assert (alarm["match_id"], alarm["code"]) == ("cup", "conflict")
        hands = house.desk("cup").state
        await let_go(house, mock_clock)
        assert house.picture.status()["matches"]["over"] == 1
        assert (await over.server.ask(other)).verdict == "conflict"
        assert house.desk("cup").state == hands
        assert house.desk("cup").state is not hands
        assert len(house.picture.alarms()) == 1
    async with a_house(store=store) as house:
        assert house.office.desks == {}
        server = await house.table_server()
        assert (await server.ask(other)).verdict == "conflict"
        assert house.picture.alarms() == []
    assert replay(store, "cup", check=True).first_difference is None


async def test_a_lobby_is_answered_as_long_as_the_journal_lasts(mock_clock):
    async with a_house() as house:
        over = await ended(house)
        lobby = over.lobby
        opened = await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        asked: list[m.Message] = [
            m.OpenMatch("cup", "one", ref=1, seed="7"),
            m.OpenMatch("cup", "three", ref=1, seed="7"),
            m.Register("cup", "p1", "p1", ref=1),
            m.Register("cup", "p9", "p9", ref=1),
            m.Withdraw("cup", "p1", ref=1),
            m.StartMatch("cup", ref=1),
        ]
        before = [attrs.evolve(await lobby.ask(question), ref=0) for question in asked]
        assert before[0] == attrs.evolve(opened, ref=0)
        assert before[1].code == "match_exists"
        for number, question in enumerate(asked):
            await let_go(house, mock_clock)
            assert attrs.evolve(await lobby.ask(question), ref=0) == before[number]


async def test_a_lobby_that_comes_while_an_end_waits_for_the_disk_hears_of_it(mock_clock):
    """It is no running match any more, and not noted as finished yet."""
    store = GatedStore()
    async with a_house(store=store) as house:
        server, _, seat, start = await seated(house, definition="one")
        store.gate.clear()
        await server.say(report(seat, start))
        await house.until(lambda: house.office.desks["cup"].state.status == "over")
        late = house.program("late", "lobby")
        await late.hello()
        store.gate.set()
        assert (await late.next(m.MatchOver)).match_id == "cup"


async def test_what_nobody_ever_opened_stays_unknown(mock_clock):
    async with a_house() as house:
        lobby = await house.lobby()
        refused = await lobby.ask(m.StartMatch("cap", ref=1))
        assert (refused.code, refused.field) == ("unknown_match", "match_id")
        assert not await house.office.archive.look_up("cap")
        assert not await house.office.archive.look_up("tourney:cup")


async def test_pages_show_an_old_match_as_it_was(mock_clock):
    store = MemoryStore()
    async with a_house(store=store) as house:
        await ended(house)
        shown, player = house.picture.match("cup"), house.picture.player("cup", "p1")
        listed = house.picture.matches()
        assert shown is not None
        await let_go(house, mock_clock)
        assert house.picture.version("cup") == 0
        assert house.picture.match("cup") is None
        assert house.picture.matches() == listed
        assert await house.picture.look_up("cup")
        again = house.picture.match("cup")
        assert again is not None
        assert [line["text"] for line in again["events"]] == [line["text"] for line in shown["events"]]
        assert {**again, "t_ms": 0} == {**shown, "t_ms": 0}
        assert house.picture.player("cup", "p1") == player
        assert house.picture.status()["matches"]["over"] == 1


async def test_lists_go_on_behind_the_newest(mock_clock, monkeypatch):
    monkeypatch.setattr("coordinator.shell.archive.NEWEST", 2)
    wall = iter(range(10**12, 2 * 10**12))
    async with a_house(match_limits=MatchLimits(match_keep_s=0)) as house:
        house.office.wall_ms = partial(next, wall)  # type: ignore[method-assign]
        server, lobby = await house.table_server(), await house.lobby()
        for name in "abcde":
            await open_match(lobby, name, "one", 3)
            await finish(server, lobby, await server.next(m.Seat), await server.next(m.StartHand))
            await house.pass_time(mock_clock, 3)
        await open_match(lobby, "f", "one", 2)
        assert [line["match_id"] for line in house.picture.matches()] == ["f", "e", "d"]
        assert house.picture.status()["matches"] == {"registering": 1, "running": 0, "over": 5, "halted": 0}
        assert [line["match_id"] for line in await house.picture.older("d") or []] == ["c", "b"]
        assert [line["match_id"] for line in await house.picture.older("b") or []] == ["a"]
        assert await house.picture.older("a") == []
        assert await house.picture.older("f") is None


# --- while it is read -----------------------------------------------------------------------------------------------


class Reading:
    """Holds up what is read until the test lets it pass."""

    def __init__(self) -> None:
        self.gate = trio.Event()
        self.reads = 0

    async def __call__(self, read: Callable[[], Found]) -> Found:
        self.reads += 1
        await self.gate.wait()
        return await on_a_thread(read)


async def test_others_are_served_while_a_match_is_read_and_the_asker_in_its_order(mock_clock):
    reading = Reading()
    store = MemoryStore()
    async with a_house(store=store) as house:
        over = await ended(house)
    async with a_house(store=store, read=reading) as house:
        server = await house.table_server()
        first, second = (attrs.evolve(over.told, ref=number) for number in (1, 2))
        await server.say(first, m.Capacity(3, ref=3))
        await server.say(m.HandStarted("cup", 1, 1, 1, 1, ref=4), second)
        await house.until(lambda: len(house.peer("ts-1").unheard) == 2)
        session = house.peer("ts-1").session
        assert session is not None
        assert (session.received, session.settled) == (2, 0)
        # A page asks for the same match, and waits for the same reading.
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.picture.look_up, "cup")
            bystander = house.program("bystander", "table")
            await bystander.hello()
            assert isinstance(await bystander_asks(bystander), m.Ok)
            assert not server.answers(3)
            reading.gate.set()
        await server.answer(2)
        assert [message.ref for message in server.heard] == [1, 3, 4, 2]
        assert [message.verdict for message in server.heard if isinstance(message, m.Verdict)] == ["duplicate"] * 2
        assert reading.reads == 1
        await house.until(lambda: session.settled == 2)
        assert not house.peer("ts-1").unheard


async def bystander_asks(bystander: Program) -> object:
    """Something that no match is needed for."""
    await bystander.say(m.Capacity(1, ref=1))
    return await bystander.answer(1)


async def test_what_was_said_in_a_session_that_is_over_is_not_heard_any_more(mock_clock):
    reading = Reading()
    async with a_house(read=reading) as house:
        lobby = await house.lobby()
        await lobby.say(m.OpenMatch("cup", "one", ref=1), m.OpenMatch("cap", "one", ref=2))
        await house.until(lambda: house.peer("lobby").unheard)
        await lobby.restart("life-2")
        reading.gate.set()
        assert isinstance(await lobby.ask(m.OpenMatch("cop", "one", ref=3)), m.MatchOpened)
        assert list(house.office.desks) == ["cop"]


async def test_what_was_said_is_heard_though_the_socket_is_lost(mock_clock):
    reading = Reading()
    async with a_house(read=reading) as house:
        lobby = await house.lobby()
        await lobby.say(m.OpenMatch("cup", "one", ref=1), m.OpenMatch("cap", "one", ref=2))
        await house.until(lambda: house.peer("lobby").unheard)
        await lobby.cut()
        await house.gone("lobby")
        reading.gate.set()
        await house.until(lambda: len(house.office.desks) == 2)
        assert (await lobby.hello()).resumed in ("gap", "nothing_missed")
        assert (await lobby.answer(2)).match_id == "cap"


# --- starting -------------------------------------------------------------------------------------------------------


class WatchedStore(MemoryStore):
    """Counts the records that are read again."""

    def __init__(self) -> None:
        super().__init__()
        self.records_read = 0

    def read(self, match_id, after_seq=0):
        for record in super().read(match_id, after_seq):
            self.records_read += 1
            yield record


async def test_a_start_takes_up_what_is_played_and_not_what_was_played(mock_clock):
    store = WatchedStore()
    async with a_house(store=store) as house:
        over = await ended(house)
        await open_match(over.lobby, "next", "one", 2)
        await house.office.writer.drain()
    store.records_read = 0
    async with a_house(store=store) as house:
        assert list(house.office.desks) == ["next"]
        head = store.head("next")
        assert head is not None
        assert store.records_read == head.seq
        assert house.picture.status()["matches"]["over"] == 1
        # A lobby that comes back is told how it ended, behind what is played.
        lobby = await house.lobby()
        assert (await lobby.next(m.MatchOver)).places == over.places
        server = await house.table_server()
        assert (await server.ask(over.told)).verdict == "duplicate"


@pytest.mark.parametrize("kind", [events.MatchEnded, events.ResultParked])
async def test_what_a_crash_left_unnoted_is_noted_at_the_start(mock_clock, kind):
    """The end, or a contradiction that comes right behind it, is on disk and no note of it is."""
    store = DyingStore(kind)
    told: list[Ended] = []

    async def work(house: Premises) -> None:
        server, lobby, seat, start = await seated(house, definition="one")
        said = report(seat, start)
        told.append(Ended(server, lobby, said, []))
        await server.say(said)
        await server.say(attrs.evolve(said, scores={p: -score for p, score in said.scores.items()}, ref=2))

    await dies(store, work)
    assert store.unfinished() == ["cup"]
    async with a_house(store=store) as house:
        assert house.office.desks == {}
        assert store.unfinished() == []
        assert house.picture.status()["matches"]["over"] == 1
        server = await house.table_server()
        assert (await server.ask(told[0].told)).verdict == "duplicate"
    assert store.verify("cup").records == replay(store, "cup", check=True).records


async def test_a_match_is_read_from_its_start_where_its_snapshot_is_of_no_use(mock_clock):
    store = MemoryStore()
    async with a_house(store=store) as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        [kept] = store.snapshots("cup")
        older = attrs.evolve(kept, layout="of another version")
        store.put_snapshot(attrs.evolve(older, hash=older.seal()))
        assert (await over.server.ask(over.told)).verdict == "duplicate"
        await let_go(house, mock_clock)
        [kept] = store.snapshots("cup")
        assert kept.usable


# --- harm -----------------------------------------------------------------------------------------------------------


async def test_an_old_match_that_is_damaged_is_set_aside_when_somebody_asks(mock_clock):
    store = MemoryStore()
    async with a_house(store=store) as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        store._connection.execute("UPDATE records SET body = zeroblob(10)")
        refused = await over.server.ask(over.told)
        assert (refused.code, refused.field) == ("internal", "match_id")
        [alarm] = house.picture.alarms()
        assert (alarm["match_id"], alarm["code"]) == ("cup", "match_damaged")
        assert house.picture.metrics()["matches_damaged"] == 1
        with pytest.raises(Problem) as caught:
            await api.Reading(house.picture).match("cup")
        assert (caught.value.status_code, caught.value.code) == (503, "match_damaged"), "and not that there is none"
        refused = await over.lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        assert (refused.code, refused.field) == ("internal", "match_id")
        assert isinstance(await over.lobby.ask(m.OpenMatch("next", "one", ref=1)), m.MatchOpened)


async def test_a_journal_that_cannot_be_read_now_can_be_asked_again(mock_clock):
    store = MemoryStore()
    async with a_house(store=store) as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        store._connection.execute("ALTER TABLE matches RENAME TO elsewhere")
        refused = await over.server.ask(over.told)
        assert refused.code == "internal"


# --- how many -------------------------------------------------------------------------------------------------------


async def test_a_lobby_opens_no_more_matches_than_may_be_open(mock_clock):
    async with a_house(match_limits=MatchLimits(matches=2)) as house:
        server, lobby, seat, start = await seated(house, definition="one")
        assert isinstance(await lobby.ask(m.OpenMatch("two", "one", ref=1, seed="7")), m.MatchOpened)
        assert (await lobby.ask(m.OpenMatch("three", "one", ref=1))).code == "too_many_matches"
        # What is open is still answered, and what has ended makes room.
        assert isinstance(await lobby.ask(m.OpenMatch("two", "one", ref=1, seed="7")), m.MatchOpened)
        await finish(server, lobby, seat, start)
        assert isinstance(await lobby.ask(m.OpenMatch("three", "one", ref=1)), m.MatchOpened)
        assert (await lobby.ask(m.OpenMatch("four", "one", ref=1))).code == "too_many_matches"


# --- a mistake of our own -------------------------------------------------------------------------------------------


async def test_a_mistake_in_what_waited_ends_one_connection_and_nothing_else(mock_clock, monkeypatch):
    async with a_house() as house:
        over = await ended(house)
        await let_go(house, mock_clock)
        broken = house.office.archive.use
        monkeypatch.setattr(house.office.archive, "use", None)
        await over.server.say(over.told)
        assert await over.server.close_code() == 1011
        monkeypatch.setattr(house.office.archive, "use", broken)
        assert house.listener.counters.handler_errors == 1
        house.listener.counters.handler_errors = 0
        assert isinstance(await over.lobby.ask(m.OpenMatch("next", "one", ref=1)), m.MatchOpened)
        await over.server.hello()
        assert (await over.server.ask(over.told)).verdict == "duplicate"
