"""A table that stays silent past its time is settled on its last reported hand (R-HI-06).

Proves R-HI-06.
"""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import End, Round
from tests.engine.playing import Game
from tests.engine.stages import KNOCKOUT, MELEE, SWISS, given, places, report, score, seats, started, tell

MINUTE = 60_000
PATIENT = attrs.evolve(SWISS, round=Round(hands=3), table_timeout_ms=MINUTE)


def wait(game: Game, until: int) -> None:
    game.t = until
    game.fire_due()


def settled(game: Game) -> list[int]:
    return [event.table_id for event in game.of(events.RoundEnded) if event.settled]


def test_the_last_reported_hand_settles_the_round() -> None:
    game = started(PATIENT, players=3)
    score(game, p1=-5, p2=10, p3=0)
    wait(game, MINUTE)
    assert settled(game) == [1]
    assert places(game) == {"p2": 1, "p3": 2, "p1": 3}


def test_a_director_hears_of_it_and_the_server_loses_the_table() -> None:
    game = started(PATIENT, players=3)
    wait(game, MINUTE)
    assert [e.code for e in game.effects if isinstance(e, fx.RaiseAlarm)] == ["table_silent"]
    assert fx.CloseTable("ts", 1, 1, "round_over") in game.effects


def test_the_others_of_the_bout_wait_no_longer_for_it() -> None:
    game = started(attrs.evolve(PATIENT, bouts=2, round=Round(hands=1)), players=6)
    first, second = seats(game)
    score(game, **dict.fromkeys(first, 5))
    assert game.of(events.BoutEnded) == []
    wait(game, MINUTE)
    assert len(game.of(events.BoutEnded)) == 1
    assert seats(game) == [first, second]


@pytest.mark.parametrize("sign", ["a hand", "an action", "a new owner"])
def test_any_sign_of_life_starts_the_time_again(sign: str) -> None:
    game = started(PATIENT, players=3)
    game.t = MINUTE - 1
    if sign == "a hand":
        score(game, p1=0, p2=0, p3=0)
    elif sign == "an action":
        given(game, c.RecordActions(game.t, "ts", 1, 1, 1, 1, 0, (1,)))
    else:
        given(game, c.LoseServer(game.t, "ts", "life"))
    wait(game, 2 * MINUTE - 2)
    assert settled(game) == []
    wait(game, 2 * MINUTE - 1)
    assert settled(game) == [1]


def test_a_refused_report_is_no_sign_of_life() -> None:
    game = started(PATIENT, players=3)
    game.t = MINUTE - 1
    tell(game, report(game, {"p1": 1, "p2": 1}))
    wait(game, MINUTE)
    assert settled(game) == [1]


def test_a_table_that_has_no_server_is_not_silent() -> None:
    """It waits, and its players know why; the time of a table is that of its server."""
    game = started(PATIENT, players=3)
    game.servers = False
    given(game, c.LoseServer(0, "ts", "life"))
    assert "table/1" not in game.state.timers
    assert tell(game, c.FireTimer(MINUTE, "table/1")).code == "not_due"
    game.t = 10 * MINUTE
    given(game, c.PlaceTables(game.t, (c.Placement(1, "other", "life"),)))
    assert game.state.timers["table/1"] == 11 * MINUTE


def test_what_comes_after_the_settlement_is_late() -> None:
    game = started(PATIENT, players=3)
    told = report(game, {"p1": 9, "p2": 0, "p3": 0})
    score(game, p1=0, p2=1, p3=0)
    running = report(game, {"p1": 9, "p2": 0, "p3": 0})
    wait(game, MINUTE)
    assert tell(game, running).code == "late"
    assert tell(game, attrs.evolve(told, scores={"p1": 0, "p2": 1, "p3": 0})).code == "duplicate"
    assert tell(game, c.RecordActions(MINUTE, "ts", 1, 1, 2, 1, 0, (1,))).code == "unknown_table"


def test_in_a_knockout_somebody_still_goes_on() -> None:
    """R-KO-02: nothing is known but the order of registration."""
    game = started(attrs.evolve(KNOCKOUT, table_timeout_ms=MINUTE), players=3)
    wait(game, MINUTE)
    assert places(game) == {"p1": 1, "p2": 2, "p3": 3}


def test_in_a_melee_the_players_go_back_to_the_pool() -> None:
    game = started(attrs.evolve(MELEE, table_timeout_ms=MINUTE, end=End(remaining_below=4)), players=9)
    first, second, third = seats(game)
    game.t = MINUTE - 1
    for at_table in (second, third):
        score(game, **dict.fromkeys(at_table, 0))
    wait(game, MINUTE)
    assert settled(game) == [1]
    assert game.of(events.PlayersEliminated) == []
    assert sorted(p for table in seats(game) for p in table) == sorted(first + second + third)


def test_a_drain_ends_though_its_last_table_is_silent() -> None:
    """R-ME-05: the ranking is not held up for ever."""
    game = started(attrs.evolve(MELEE, table_timeout_ms=MINUTE, end=End(remaining_below=6)), players=6)
    first, _ = seats(game)
    score(game, **dict(zip(first, (-1000, 500, 500), strict=True)))
    assert game.state.current.draining
    wait(game, MINUTE)
    assert game.state.status == "over"
    assert sorted(places(game).values()) == [1, 2, 3, 4, 5, 6]
