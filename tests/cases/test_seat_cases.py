"""Cases from real life about seats and tables: who sits where, whose seat is kept, and when people move."""

import random
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import Elimination, Grouping, PlayerState, Round
from protocol import messages as m
from tests.cases.table_servers import orders
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, KNOCKOUT, MELEE, match_of, score, seats, started, table_of
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, open_match

SIX_HANDS = match_of(attrs.evolve(DEFAULT, round=Round(hands=6)), players=3)
DEFINITIONS = {"six": SIX_HANDS}


async def begun(house: Premises) -> Program:
    """A table of three for six hands, at its table server."""
    server, lobby = await house.table_server(), await house.lobby()
    await open_match(lobby, "m", "six", 3)
    return server


def seats_of(house: Premises) -> list[str]:
    """Who sits at the table, by the coordinator's books."""
    [table] = house.desk("m").state.tables.values()
    return list(table.seats)


def test_case_049_only_who_plays_is_waited_for() -> None:
    """Three of seven sit this bout out (R-BY-01), and nobody asks them anything before the hand is ordered."""
    stage = attrs.evolve(KNOCKOUT, table_size=4, grouping=Grouping(kind="swiss"))
    game = started(stage, players=7)
    [seated] = game.of(events.TablesSeated)
    assert (len(seated.tables), len(seated.byes)) == (1, 3)
    ordered = [effect for effect in game.effects if isinstance(effect, fx.StartHand)]
    assert [(hand.table_id, hand.hand_no) for hand in ordered] == [(1, 1)]
    score(game, **{player: number for number, player in enumerate(seated.tables[0])})
    assert game.state.current.bout_no == 2, "nor does the end of the bout wait for them"


async def test_case_099_a_seat_is_the_players_and_no_matter_who_comes_first(mock_clock: Any) -> None:
    """Both go and come back in the other order; one looks on besides. The numbers of the seats stay."""
    async with premises(DEFINITIONS) as house:
        server = await begun(house)
        [order] = (await orders(server)).values()
        a, b, c = order.players
        for player, present in ((a, False), (b, False), (b, True), (a, True)):
            answer = await server.ask(m.SeatPresence("m", order.start.table_id, player, present, ref=1))
            assert answer.type == "ok"
        watcher = house.program("watcher", "spectator")
        await watcher.hello()
        assert (await watcher.ask(m.Subscribe("m", ref=1))).type == "ok"
        assert seats_of(house) == [a, b, c]
        await server.restart("life-2")  # without a memory of who sat where
        told = await server.next(m.Seat)
        assert [who.player_id for who in told.seats] == [a, b, c]


async def test_case_101_a_dead_socket_keeps_no_seat(mock_clock: Any) -> None:
    """The network of a table server dies without a word; it dials again while its old socket still stands open."""
    async with premises(DEFINITIONS) as house:
        server = await begun(house)
        [order] = (await orders(server)).values()
        old = server.raw
        assert old is not None
        await house.pass_time(mock_clock, 3)
        welcome = await server.hello()
        assert welcome.resumed == "nothing_missed"
        assert await old.close_code() == 4009
        assert (await server.ask(order.ended())).verdict == "scored"
        assert seats_of(house) == order.players
        assert house.desk("m").state.tables[order.start.table_id].attempt_no == 1, "the hand was never interrupted"


async def test_case_103_a_watcher_who_leaves_clears_no_table(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server = await begun(house)
        [order] = (await orders(server)).values()
        watchers = [house.program(f"w{number}", "spectator") for number in (1, 2)]
        for watcher in watchers:
            await watcher.hello()
            await watcher.ask(m.Subscribe("m", ref=1))
        assert house.picture.status()["sessions"] == {"table": 1, "lobby": 1, "spectator": 2}
        before = attrs.asdict(house.desk("m").state)
        await watchers[0].leave()
        await house.until(lambda: house.picture.status()["sessions"]["spectator"] == 1)
        await server.ask(m.SeatPresence("m", order.start.table_id, order.players[0], False, ref=1))
        await server.ask(m.SeatPresence("m", order.start.table_id, order.players[0], True, ref=1))
        assert attrs.asdict(house.desk("m").state) == before
        assert house.picture.status()["sessions"] == {"table": 1, "lobby": 1, "spectator": 1}
        assert (await server.ask(order.ended())).verdict == "scored"


@pytest.mark.parametrize("seed", range(10))
def test_case_105_tables_are_full_and_nobody_moves_inside_a_round(seed: int) -> None:
    """R-ME-04, R-AS-01: tables dissolve by seatings; the fewest tables are used, each of them full."""
    stage = attrs.evolve(
        MELEE,
        table_size=4,
        initial_player_state=PlayerState(300),
        elimination=Elimination(absolute=0, compare="le"),
        grouping=Grouping(shuttle_size=8, max_wait_ms=5000),
        hands_per_seating=3,
        end=attrs.evolve(MELEE.end, remaining_below=5),
    )
    game = Game(match_of(stage, players=24), seed=seed).register(24)
    luck = random.Random(seed)
    sitting: dict[str, int] = {}
    read = 0
    while game.state.status == "running":
        for event in game.events[read:]:
            if isinstance(event, events.TablesSeated):
                for number, table in enumerate(event.tables, start=event.first_table_id):
                    assert len(table) == 4
                    for player in table:
                        assert player not in sitting, "moved before the round was over"
                        sitting[player] = number
            elif isinstance(event, events.RoundEnded):
                for player in game.state.closed_tables[event.table_id].seats:
                    assert sitting.pop(player) == event.table_id
        read = len(game.events)
        if seats(game):
            at_table = luck.choice(seats(game))
            loser, winner = luck.sample(at_table, 2)
            score(game, **{**dict.fromkeys(at_table, 0), loser: -100, winner: 100})
        elif game.state.timers:
            game.t = max(game.t, min(game.state.timers.values()))
        game.t += 10
        game.fire_due()
    assert len(game.of(events.StageEnded)) == 1


def test_case_107_the_order_of_seats_outlasts_absence_and_a_move() -> None:
    """R-GR-05: the coordinator gives the order, and who acts first is the table server's business."""
    game = started(attrs.evolve(DEFAULT, round=Round(hands=6)), players=3)
    order = table_of(game, "p1").seats
    for number in range(1, 7):
        seat_orders = [effect for effect in game.effects if isinstance(effect, fx.SeatPlayers)]
        assert {tuple(who for who, _, _ in each.seats) for each in seat_orders} == {order}
        if number == 4:
            game.do(lost_server(game))
        hand = game.orders.pop()
        assert hand.hand_no == number
        game.end_hand(hand, (1, 0, -1))
    assert game.state.status == "over"


def lost_server(game: Game) -> commands.LoseServer:
    """The table server is gone; another one takes the table over."""
    table = table_of(game, "p1")
    return commands.LoseServer(game.t, table.server_id or "", table.life)
