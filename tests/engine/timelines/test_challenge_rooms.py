"""The rooms of a match of a ladder move like other tables, and go on after a void board like them."""

import attrs

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import Interruption
from tests.engine.ladder_play import LadderGame, ladder_match


def test_a_released_room_moves_after_its_board_and_goes_on_with_the_next() -> None:
    game = LadderGame(ladder_match(boards=3)).begin("A", "B", "C")
    number = game.playing("C", "B")
    room, other = game.challenge(number).tables
    game.ok(commands.ReleaseTables(game.t, "ts", (room,)))
    assert game.state.tables[room].in_hand, "a board in play ends where it is"
    before = game.state.tables[room].epoch
    game.score(room, 430)
    table = game.state.tables[room]
    assert [event.table_ids for event in game.of(events.TablesOrphaned)] == [(room,)]
    assert (table.epoch, table.hand_no, table.in_hand, table.released) == (before + 1, 2, True, False)
    seated = [effect.table_id for effect in game.effects if isinstance(effect, fx.SeatPlayers)]
    assert (seated.count(room), seated.count(other)) == (2, 1), "the other room stays where it is"


def test_a_void_board_is_followed_by_the_next_one_at_the_new_server() -> None:
    game = LadderGame(ladder_match(boards=3))
    phase = game.definition.phases[0]
    stage = attrs.evolve(phase.stages[0], interruption=Interruption(server_lost="void"))
    game.definition = attrs.evolve(game.definition, phases=(attrs.evolve(phase, stages=(stage,)),))
    number = game.begin("A", "B", "C").playing("C", "B")
    room, _ = game.challenge(number).tables
    game.ok(commands.LoseServer(game.t, "ts", "life", "server_lost"))
    table = game.state.tables[room]
    assert [counts for _, counts in table.results] == [()]
    assert (table.hand_no, table.in_hand, table.server_id) == (2, True, "ts")
    started = [effect for effect in game.effects if isinstance(effect, fx.StartHand) and effect.table_id == room]
    assert [(order.server_id, order.hand_no) for order in started] == [("ts", 1), ("ts", 2)]
