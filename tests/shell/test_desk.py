"""The clerk of one match: order, time, answers, and what a mistake of ours may and may not stop."""

from functools import partial

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from coordinator.engine import commands, events
from coordinator.engine.definition import BaseGrowth, Round
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.office import Office
from coordinator.shell.peers import Peers
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from protocol import messages as m
from tests.engine.island_play import ISLE
from tests.engine.stages import MELEE, match_of
from tests.shell.premises import ONE_HAND, GatedStore, premises, seated
from tests.shell.programs import open_match, report

GROWING = match_of(
    attrs.evolve(
        MELEE,
        base_growth=BaseGrowth(kind="arith", by="time", every_ms=1000, add=50),
        round=Round(hands=50),
        hands_per_seating=50,
    ),
    players=9,
)


@attrs.define
class Books:
    """An office without sockets, and what its desks answered."""

    office: Office
    store: MemoryStore
    answers: list[object] = attrs.field(factory=list)

    def ask(self, make, match_id: str = "m") -> None:
        desk = self.office.desks[match_id]
        desk.submit(make(desk.now_ms()), self.answers.append)

    def records(self, match_id: str = "m"):
        return list(self.store.follow(Chain.start(match_id)))


@pytest.fixture
async def books(nursery):
    store = GatedStore()
    office = Office(store, Writer(store), Peers(), Timers(), {"one": ONE_HAND, "growing": GROWING})
    await nursery.start(office.writer.run)
    nursery.start_soon(office.timers.run)
    yield Books(office, store)
    store.gate.set()
    nursery.cancel_scope.cancel()


def enter(player: str):
    return partial(commands.RegisterPlayer, player_id=player, name=player)


async def opened(books: Books, match_id: str = "m", definition: str = "one", players: int = 0) -> None:
    books.office.open_match(match_id, books.office.definitions[definition], "7", books.answers.append)
    for number in range(1, players + 1):
        books.ask(enter(f"p{number}"), match_id)
    await books.office.writer.drain()
    books.answers.clear()


async def test_commands_are_journaled_in_the_order_they_came(books, mock_clock):
    await opened(books)
    for player in ("p3", "p1"):
        books.ask(enter(player))
    await books.office.writer.drain()
    assert [type(answer) for answer in books.answers] == [Outcome, Outcome]
    said = [record.command for record in books.records()]
    assert [getattr(command, "player_id", None) for command in said] == [None, "p3", "p1"]


async def test_an_answer_without_a_record_queues_behind_the_commits_it_rests_on(books, mock_clock):
    await opened(books)
    books.store.gate.clear()
    books.ask(enter("p1"))
    books.ask(enter("p1"))  # the same again: nothing to write
    books.ask(partial(commands.WithdrawPlayer, player_id="nobody"))
    await wait_all_tasks_blocked()
    assert books.answers == []
    books.store.gate.set()
    await books.office.writer.drain()
    first, again, refused = books.answers
    assert isinstance(first, Outcome)
    assert again == Outcome((), ())
    assert isinstance(refused, Refused)
    assert refused.code == "unknown_player"


async def test_the_match_clock_never_falls_and_goes_on_where_it_stood(books, mock_clock):
    await opened(books)
    desk = books.office.desks["m"]
    mock_clock.jump(1.5)
    assert desk.now_ms() == 1500
    desk._zero_s += 60
    assert desk.now_ms() == 1500
    books.ask(enter("p1"))
    await books.office.writer.drain()
    later = Office(books.store, books.office.writer, Peers(), Timers(), {})
    mock_clock.jump(1000)
    later.recover()
    assert later.desks["m"].now_ms() == 1500
    mock_clock.jump(1)
    assert later.desks["m"].now_ms() == 2500


async def test_a_wall_clock_that_is_put_back_between_two_records_changes_no_match(books, mock_clock, monkeypatch):
    """What the wall says is written for people; the match clock goes on, and the records are whole."""
    wall = {"ms": 1_704_067_200_000}
    monkeypatch.setattr(Office, "wall_ms", lambda self: wall["ms"])
    await opened(books)
    mock_clock.jump(1.0)
    books.ask(enter("p1"))
    wall["ms"] -= 86_400_000
    mock_clock.jump(1.0)
    books.ask(enter("p2"))
    await books.office.writer.drain()
    assert [(record.t, record.wall_ms - wall["ms"]) for record in books.records()] == [
        (0, 86_400_000),
        (1_000, 86_400_000),
        (2_000, 0),
    ]
    assert replay(books.store, "m", check=True).first_difference is None
    later = Office(books.store, books.office.writer, Peers(), Timers(), {})
    later.recover()
    assert later.desks["m"].now_ms() == 2_000


async def test_timers_due_by_then_come_before_a_command(books, mock_clock):
    await opened(books, definition="growing", players=9)
    # Nobody lets the timers run: the command itself finds that they are due.
    mock_clock.jump(3.2)
    books.ask(enter("late"))
    await books.office.writer.drain()
    raised = [e for record in books.records() for e in record.events if isinstance(e, events.BaseRaised)]
    assert [event.tick for event in raised] == [3]
    [refused] = books.answers
    assert isinstance(refused, Refused)
    assert books.office.desks["m"].state.current.base_score == 250


async def test_timers_fire_by_themselves(books, mock_clock):
    await opened(books, definition="growing", players=9)
    for second in (1, 2, 3):
        await wait_all_tasks_blocked()
        mock_clock.jump(1.0 - (0.03 if second > 1 else 0))
        await wait_all_tasks_blocked()
        mock_clock.jump(0.03)
        await wait_all_tasks_blocked()
    await books.office.writer.drain()
    assert books.office.desks["m"].state.current.base_score == 250


def spoil(books: Books, match_id: str = "m") -> None:
    """Put a mistake of ours into the state of one match: the next registration trips over it."""
    books.office.desks[match_id].state.entrants = None  # type: ignore[assignment]


async def test_a_mistake_stops_this_match_only(books, mock_clock):
    await opened(books, "m")
    await opened(books, "other")
    spoil(books)
    books.ask(enter("p1"))
    books.ask(enter("p2"))
    books.ask(enter("p1"), "other")
    await books.office.writer.drain()
    first, second, other = books.answers
    assert isinstance(first, Refused)
    assert isinstance(second, Refused)
    assert first.code == second.code == "internal"
    assert isinstance(other, Outcome)
    assert [(alarm.match_id, alarm.code) for alarm in books.office.alarms] == [("m", "match_failed")]
    assert len(books.records("m")) == 1
    assert books.office.writer.failure is None


async def test_a_match_that_stands_still_goes_on_after_a_restart(books, mock_clock):
    await opened(books)
    spoil(books)
    books.ask(enter("p1"))
    # What the mistake left behind may look like a whole state.
    books.office.desks["m"].state = attrs.evolve(books.office.desks["m"].state, entrants={}, hands=7)
    books.office.take_snapshots()
    await books.office.writer.drain()
    again = Office(books.store, books.office.writer, Peers(), Timers(), {})
    again.recover()
    desk = again.desks["m"]
    desk.submit(enter("p1")(desk.now_ms()), books.answers.append)
    await books.office.writer.drain()
    assert isinstance(books.answers[-1], Outcome)
    assert desk.state.hands == 0


async def test_a_command_is_answered_once_even_if_the_next_step_trips(books, mock_clock):
    """Its outcome was decided and is on its way to the disk; a second answer would contradict the first."""
    await opened(books, players=2)

    def cannot(desk, effect):
        raise AssertionError("no way to look for servers")

    books.office.find_servers = cannot  # the surroundings fail while the third registration seats the table
    books.ask(enter("p3"))
    await books.office.writer.drain()
    [answer] = books.answers
    assert isinstance(answer, Outcome)
    assert books.office.desks["m"].failure is not None


async def test_a_table_whose_server_has_come_late_is_watched_for_silence(mock_clock):
    """R-HI-06: the timer of a table placed from the waiting list fires although nobody says anything."""
    quiet = match_of(attrs.evolve(ONE_HAND.stages[0], table_timeout_ms=10_000), players=3)
    async with premises({"quiet": quiet}) as house:
        lobby = await house.lobby()
        await open_match(lobby, "cup", "quiet", 3)
        await house.table_server()
        await house.until(lambda: house.desk("cup").state.tables[1].server_id)
        await house.pass_time(mock_clock, 10.1)
        assert house.desk("cup").state.status == "over"
        assert [alarm.code for alarm in house.office.alarms] == ["table_silent"]


# --- a match that failed, and everybody around it -------------------------------------------------------------------


async def half_decided(house):
    """A match that tripped in the middle of the end of a round: its table is gone from the state, nothing is sealed."""
    ts, lobby, seat, start = await seated(house, definition="one")
    await open_match(lobby, "other", "three", 3)
    house.desk("cup").state.current.bout_places = None
    error = await ts.ask(report(seat, start))
    assert isinstance(error, m.Error)
    assert (error.code, error.ref) == ("internal", 1)
    assert house.desk("cup").failure is not None
    assert house.desk("cup").state.tables == {}
    return ts, lobby


async def test_a_server_that_held_its_table_can_be_lost(mock_clock):
    async with premises() as house:
        ts, _ = await half_decided(house)
        other = await house.table_server("ts-2")
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 5.1)
        assert (await other.next(m.StartHand)).match_id == "other"


async def test_a_server_that_held_its_table_can_come_back(mock_clock):
    async with premises() as house:
        ts, _ = await half_decided(house)
        await ts.cut()
        ts._read = len(ts.heard)
        await ts.hello(session=None)
        await ts.next(m.HistoryEnd)
        told = [said.match_id for said in ts.heard[ts._read - 3 : ts._read] if isinstance(said, m.Seat)]
        assert told == ["other"]
        await ts.restart("life-2")
        assert (await ts.next(m.StartHand)).match_id == "other"


async def test_a_lobby_can_come_back(mock_clock):
    async with premises() as house:
        _, lobby = await half_decided(house)
        await lobby.cut()
        lobby._read = len(lobby.heard)
        await lobby.hello(session="another")
        await lobby.next(m.HistoryEnd)
        begin = lobby.heard.index(m.HistoryBegin("too old"))
        told = lobby.heard[begin + 1 : -1]
        assert {said.match_id for said in told if not isinstance(said, m.MatchPaused)} == {"other"}
        assert [said.match_id for said in told if isinstance(said, m.MatchPaused)] == ["cup"], "that it stands still"


async def test_a_table_that_waits_for_a_server_cannot_bring_the_daemon_down(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        await open_match(lobby, "cup", "one", 3)
        await open_match(lobby, "other", "one", 3)
        house.desk("cup").state.timers = None  # type: ignore[assignment]
        ts = await house.table_server()
        assert (await ts.next(m.StartHand)).match_id == "other"
        assert house.desk("cup").failure is not None
        with trio.move_on_after(0):
            await house.office.writer.drain()


async def test_the_page_and_the_spectators_live_with_it(mock_clock):
    async with premises() as house:
        eye = house.program("eye", "spectator")
        await eye.hello()
        await half_decided(house)
        for match_id in ("cup", "other"):
            assert await eye.ask(m.Subscribe(match_id, ref=1)) == m.Ok(eye._ref - 1)
        await house.pass_time(mock_clock, 1.1)
        assert (await eye.next(m.Standings)).match_id == "other"
        status = house.picture.status()
        assert (status["matches"]["halted"], status["matches"]["running"]) == (1, 1)
        assert [match["status"] for match in house.picture.matches()] == ["running", "halted"]


async def test_a_match_that_ends_by_the_wall_clock_is_told_the_time_when_it_opens_and_after_a_restart(
    books, mock_clock, monkeypatch
):
    """R-IS-01: an evening that was slept through is over as soon as the match is awake again."""
    midnight = 1_704_067_200_000
    wall = {"ms": midnight}
    monkeypatch.setattr(Office, "wall_ms", lambda self: wall["ms"])
    assert ISLE.island is not None
    rule = attrs.evolve(ISLE.island, duration_ms=None, end_at="01:00Z")
    evening = match_of(attrs.evolve(ISLE, island=rule), players=3)
    books.office.definitions = {"evening": evening}
    await opened(books, definition="evening", players=3)
    state = books.office.desks["m"].state
    assert state.timers["end/0"] == 3_600_000
    books.ask(partial(commands.PauseMatch, reason="tea"))
    wall["ms"] += 600_000
    books.ask(commands.ResumeMatch)
    assert state.timers["end/0"] == 3_000_000, "the clock on the wall did not pause"
    wall["ms"] += 7_200_000
    await books.office.writer.drain()
    later = Office(books.store, books.office.writer, Peers(), Timers(), {})
    later.recover()
    assert not later.desks["m"].state.current.draining
    later.wake()
    later.desks["m"].fire_due()
    assert later.desks["m"].state.current.draining
    await books.office.writer.drain()
    told = [record.command for record in books.records() if isinstance(record.command, commands.TellTime)]
    assert [command.wall_ms - midnight for command in told] == [0, 600_000, 7_800_000]


async def test_a_match_that_was_paused_when_the_daemon_stopped_is_told_the_time_as_it_goes_on(books):
    assert ISLE.island is not None
    rule = attrs.evolve(ISLE.island, duration_ms=None, end_at="01:00Z")
    books.office.definitions = {"evening": match_of(attrs.evolve(ISLE, island=rule), players=3)}
    await opened(books, definition="evening", players=3)
    books.ask(partial(commands.PauseMatch, reason="tea"))
    await books.office.writer.drain()
    later = Office(books.store, books.office.writer, Peers(), Timers(), {})
    later.recover()
    before = len(books.records())
    later.wake()
    await books.office.writer.drain()
    said = [type(record.command) for record in books.records()[before:]]
    assert said == [commands.TellTime, commands.ResumeMatch, commands.TellTime]
