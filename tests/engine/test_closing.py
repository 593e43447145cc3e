"""Closed tables are remembered for an hour, not for the months a match may last."""

from coordinator.engine import closing, commands
from coordinator.engine.ladder.records import Challenge, LadderState
from coordinator.engine.match import new_state
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState, Table
from tests.engine.playing import Game
from tests.engine.stages import SWISS, match_of

MINUTE = 60_000


def closed(state: MatchState, tables: int, every_ms: int, first: int = 1) -> None:
    """So many tables are closed one after the other."""
    for number in range(first, first + tables):
        state.tables[number] = Table(number, 0, 1, ("p1", "p2"), [0, 0])
        closing.close(state, state.tables[number], number * every_ms)


def test_what_was_closed_within_an_hour_is_remembered() -> None:
    state = new_state()
    closed(state, 20_000, every_ms=1000)
    latest = range(20_000 - 3600 + 1, 20_001)
    assert all(number in state.closed_tables for number in latest)


def test_it_does_not_grow_with_all_that_was_played() -> None:
    """Twice what an hour brings is the most, however long it goes on."""
    state = new_state()
    for hours in range(1, 40):
        closed(state, 3600, every_ms=1000, first=1 + 3600 * (hours - 1))
        assert len(state.closed_tables) <= 2 * 3600


def test_few_tables_are_all_remembered() -> None:
    state = new_state()
    closed(state, 1000, every_ms=24 * 60 * MINUTE)
    assert len(state.closed_tables) == 1000


def test_rooms_of_a_challenge_without_a_result_are_remembered_for_ever() -> None:
    """R-BL-14: their boards are compared when the referee has spoken, which may take days."""
    state = new_state()
    waiting = Challenge(1, "a", "b", 0, (), None, "disputed", tables=(1, 2))
    state.ladder = LadderState(("a", "b"), {}, {1: waiting})
    closed(state, 3000, every_ms=MINUTE)
    assert list(state.closed_tables)[:2] == [1, 2]
    assert 3 not in state.closed_tables


def test_a_report_for_a_table_of_long_ago_is_late_and_for_one_that_never_was_unknown() -> None:
    game = Game(match_of(SWISS, players=9)).register(9)
    table = next(iter(game.state.tables.values()))
    told = dict.fromkeys(table.seats, 0)
    game.play(hands=100)
    del game.state.closed_tables[table.table_id]
    for table_id, code in ((table.table_id, "late"), (999, "unknown_table")):
        refused = game.do(commands.EndHand(game.t, "ts", table_id, 1, 1, 1, told))
        assert isinstance(refused, Refused)
        assert refused.code == code


def test_tables_of_an_open_bout_are_remembered_for_a_director() -> None:
    game = Game(match_of(SWISS, players=9)).register(9).play(hands=1)
    [parted] = game.state.current.parted
    closed(game.state, 3000, every_ms=MINUTE, first=1000)
    assert parted in game.state.closed_tables
    assert 1000 not in game.state.closed_tables
