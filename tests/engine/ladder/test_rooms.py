"""The rooms of a match of a ladder: they move like other tables, and their boards are ruled by their own scale."""

from typing import Any

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import Interruption
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
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


def ruled(scale: dict[str, Any], imps: int) -> LadderGame:
    """A match with board 1 in dispute, and the word of a referee on it."""
    game = LadderGame(ladder_match(boards=2, **scale)).begin("A", "B", "C")
    number = game.playing("C", "B")
    game.ok(ask.RaiseDispute(game.t, number, "B", (1,), "a lead out of turn"))
    game.do(ask.RuleBoard(game.t, number, 1, imps, "as it should have been"))
    return game


@pytest.mark.parametrize(
    ("scale", "most"), [({}, 24), ({"imp_scale": (20, 50, 90)}, 3), ({"imp_scale": tuple(range(10, 310, 10))}, 30)]
)
def test_a_ruling_gives_at_most_what_the_scale_of_the_ladder_gives(scale: dict[str, Any], most: int) -> None:
    assert ruled(scale, most).of(ev.BoardRuled)
    assert not ruled(scale, most + 1).of(ev.BoardRuled)
    assert not ruled(scale, -most - 1).of(ev.BoardRuled)
