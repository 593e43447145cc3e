"""Cases from real life about a coordinator that ends in the middle: it costs nobody anything, no table is left over."""

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.definition import Interruption, Policy, Round
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.cases.table_servers import orders
from tests.engine.ladder_play import LadderGame, ladder_match
from tests.engine.stages import DEFAULT, match_of
from tests.shell.dying import DyingStore, dies
from tests.shell.island_premises import ISLES, begun
from tests.shell.premises import Premises, premises, seated
from tests.shell.programs import Program, open_match, report

EIGHT = tuple("ABCDEFGH")


def a_ladder() -> LadderGame:
    return LadderGame(ladder_match()).begin(*EIGHT)


async def comes_back(house: Premises, program: Program) -> m.Welcome:
    """The same process dials the coordinator that has started again."""
    house.programs.append(program)
    program._port, program._read = house.port, len(program.heard)
    return await program.hello()


# --- what is void costs nothing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["repeat", "void"])
async def test_case_147_a_hand_that_a_restart_interrupts_is_no_loss(mock_clock, policy: Policy):
    """R-RC-02: it is repeated with its cards, or void where the stage says so; the score before it stands."""
    stage = attrs.evolve(DEFAULT, round=Round(hands=4), interruption=Interruption(restart=policy))
    definitions = {"four": match_of(stage, players=3)}
    store = MemoryStore()
    async with premises(definitions, store=store) as house:
        ts, _, seat, _ = await seated(house, definition="four")
        winner = seat.seats[0].player_id
        for _ in range(2):
            told = (await orders(ts))["cup", 1]
            assert (await ts.ask(told.ended({**dict.fromkeys(told.players, -1), winner: 2}))).verdict == "scored"
        third = (await orders(ts))["cup", 1]
        assert third.start.hand_no == 3
        assert isinstance(await ts.ask(m.Actions("cup", 1, 1, 3, 1, 0, [5, 6], ref=1)), m.Ok)
    async with premises(definitions, store=store) as house:
        state = house.desk("cup").state
        before = list(state.tables[1].totals)
        other, lobby = await house.table_server("ts-2"), await house.lobby()
        await house.pass_time(mock_clock, 5.1)
        again = (await orders(other))["cup", 1]
        assert (state.tables[1].totals, before) == ([4, -2, -2], [4, -2, -2])
        assert state.hands == 2
        if policy == "repeat":
            assert (again.start.hand_no, again.start.attempt_no) == (3, 2)
            assert (again.start.deal, again.start.log) == (third.start.deal, [5, 6])
        else:
            assert again.start.hand_no == 4
        await comes_back(house, ts)
        late = await ts.ask(third.ended({**dict.fromkeys(third.players, 9), winner: -18}))
        assert late.verdict == ("stale_epoch" if policy == "repeat" else "late"), "what it came to is nothing"
        left = 4 - again.start.hand_no + 1
        for _ in range(left):
            told = (await orders(other))["cup", 1]
            assert (await other.ask(told.ended({**dict.fromkeys(told.players, -1), winner: 2}))).verdict == "scored"
        over = await lobby.next(m.MatchOver)
        assert (over.places[0].player_id, over.places[0].score) == (winner, 2 * (2 + left))
    assert replay(store, "cup", check=True).same_decisions


def test_case_147_a_void_match_touches_no_rating() -> None:
    """R-RC-04: boards of a match that is played again count for no rating, and the replay is dealt afresh."""
    game = a_ladder()
    number = game.playing("D", "C")
    game.play(number, [430] * 3)
    for _ in range(3):
        game.incident(number, "drop", "D1")
    right = game.challenge(number).rights["C"]
    game.ok(ask.ChooseRight(game.t, number, "C", right.right_no, "reschedule"))
    assert (game.rating("C"), game.rating("D"), game.ranks) == ((1600, 0), (1600, 0), EIGHT)


# --- between the record and the word --------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False], ids=["with a table server", "without"])
async def test_case_148_tables_that_were_stored_and_never_told_are_played(mock_clock, there):
    """At the start every open table has its players, every player a table, and the match comes to its end."""
    store = DyingStore(events.TablesSeated)

    async def work(house: Premises) -> None:
        if there:
            await house.table_server()
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        await lobby.say(*[m.Register("cup", player, player, ref=lobby.ref()) for player in ("p1", "p2", "p3")])

    await dies(store, work)
    async with premises(store=store) as house:
        state = house.desk("cup").state
        assert {n: set(table.seats) for n, table in state.tables.items()} == {1: {"p1", "p2", "p3"}}
        assert {entrant.table_id for entrant in state.entrants.values()} == {1}
        lobby = await house.lobby()
        assert (await lobby.next(m.Seated)).table_id == 1
        ts = await house.table_server()
        told = (await orders(ts))["cup", 1]
        assert (await ts.ask(told.ended())).verdict == "scored"
        assert (await lobby.next(m.MatchOver)).places
        assert state.tables == {}


async def test_case_148_a_match_that_ended_unheard_has_no_open_table(mock_clock):
    store = DyingStore(events.MatchEnded)

    async def work(house: Premises) -> None:
        ts, _, seat, start = await seated(house, definition="one")
        await ts.say(report(seat, start))

    await dies(store, work)
    async with premises(store=store) as house:
        assert await house.office.archive.look_up("cup")
        state = house.desk("cup").state
        assert (state.status, state.tables, len(house.office.holdings)) == ("over", {}, 0)
        assert {entrant.table_id for entrant in state.entrants.values()} == {None}
        # Its players are free, and its end is heard of.
        ts, lobby = await house.table_server(), await house.lobby()
        assert (await lobby.next(m.MatchOver)).places
        await open_match(lobby, "next", "one", 3)
        assert (await ts.next(m.Seat)).match_id == "next"


# --- clocks that ran when it ended ----------------------------------------------------------------------------------


async def test_case_150_a_turn_and_a_grace_are_not_charged_for_the_time_without_a_coordinator(mock_clock):
    """The clock of the match stands still meanwhile, and a table server has its whole grace again."""
    stage = attrs.evolve(DEFAULT, round=Round(hands=2), table_timeout_ms=10_000)
    definitions = {"timed": match_of(stage, players=3)}
    store = MemoryStore()
    async with premises(definitions, store=store) as house:
        ts, _, seat, start = await seated(house, definition="timed")
        await house.table_server("ts-2")
        await house.pass_time(mock_clock, 2)
        await ts.ask(m.Actions("cup", 1, 1, 1, 1, 0, [5], ref=1))
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 3)
    mock_clock.jump(20)
    async with premises(definitions, store=store) as house:
        await house.table_server("ts-2")
        assert house.desk("cup").now_ms() < 10_000
        await house.pass_time(mock_clock, 4)
        table = house.desk("cup").state.tables[1]
        assert (table.server_id, table.epoch, table.attempt_no, table.in_hand) == ("ts-1", 1, 1, True)
        await comes_back(house, ts)
        again = await ts.next(m.StartHand)
        assert (again.attempt_no, again.log) == (1, [5])
        assert house.office.alarms == []
        assert (await ts.ask(report(seat, start))).verdict == "scored"


async def test_case_150_an_offer_is_not_charged_for_the_time_without_a_coordinator(mock_clock):
    """R-RV-01: who had a second left to answer has it still."""
    store = MemoryStore()
    async with premises(ISLES, store=store) as house:
        ts, lobby, seat, start = await begun(house)
        await ts.say(report(seat, start, 150, 0, -150))
        offer = await lobby.next(m.RevivalOffer)
        await house.pass_time(mock_clock, 1)
    mock_clock.jump(20)
    async with premises(ISLES, store=store) as house:
        await house.pass_time(mock_clock, 0.5)
        assert (await comes_back(house, lobby)).resumed == "snapshot"
        again = await lobby.next(m.RevivalOffer)
        assert (again.player_id, again.offer_no) == (offer.player_id, offer.offer_no)
        assert 1_000 <= again.timeout_ms <= 2_000
        assert (await lobby.ask(m.Revive("isle-1", offer.player_id, 1, "pay-1", ref=1))).type == "ok"


def test_case_150_a_restart_costs_nobody_the_match() -> None:
    """R-BL-09, R-RC-03: who could not be ready while the coordinator was away has as many minutes again."""
    game = a_ladder()
    number = game.fixed("D", "C")
    game.lined_up(number)
    game.ok(ask.SayReady(game.t, number, "D"))
    agreed = game.challenge(number).at
    assert agreed is not None
    game.until(agreed - 1).wake(agreed + 3600_000)
    assert game.challenge(number).state == "fixed"
    game.t += 14 * 60_000
    game.ok(ask.SayReady(game.t, number, "C"))
    assert (game.challenge(number).state, game.challenge(number).drops) == ("playing", {})
