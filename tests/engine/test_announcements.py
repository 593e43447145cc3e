"""What is told to those outside: who waits hears why, a place is told once, timers that are set are cancelled."""

import attrs

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import BaseGrowth, End
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, KNOCKOUT, MELEE, SWISS, given, match_of, score, seats, started

GROWING = BaseGrowth("arith", every_ms=60_000, add=50)


def cancelled(game: Game) -> list[str]:
    return [effect.timer_id for effect in game.effects if isinstance(effect, fx.CancelTimer)]


def test_who_finds_no_seat_at_the_first_departure_hears_why() -> None:
    """R-ME-04: eleven came, nine sit."""
    game = started(MELEE, players=11)
    assert fx.TellWaiting("melee", tuple(game.state.current.pool), "reseating") in game.effects


def test_who_sits_out_hears_it_every_time() -> None:
    """R-BY-01."""
    game = started(attrs.evolve(SWISS, bouts=2), players=4)
    score(game, p1=0, p2=0, p3=0)
    byes = [effect.players for effect in game.effects if isinstance(effect, fx.TellWaiting) and effect.reason == "bye"]
    assert byes == [("p4",), ("p3",)]


def test_the_end_of_a_stage_cancels_what_it_had_set() -> None:
    """A base that would rise and an end by the clock are of no interest to the stage that follows."""
    melee = attrs.evolve(MELEE, base_growth=GROWING, end=End(remaining_below=2, max_ms=90_000))
    game = started(attrs.evolve(melee, hands_per_seating="until_elimination"), players=3)
    assert set(game.state.timers) == {"base/0", "end/0", "table/1"}
    score(game, p1=-1000, p2=500, p3=500)
    assert game.state.status == "over"
    assert {"base/0", "end/0", "table/1"} <= set(cancelled(game))


def test_a_bout_stage_cancels_its_rising_base_too() -> None:
    game = started(attrs.evolve(SWISS, base_growth=GROWING), attrs.evolve(DEFAULT), players=3)
    score(game, p1=0, p2=0, p3=0)
    assert cancelled(game) == ["table/1", "base/0"]


def test_a_table_that_lost_its_server_is_not_timed() -> None:
    game = started(SWISS, players=3)
    game.servers = False
    given(game, c.LoseServer(0, "ts", "life"))
    assert cancelled(game) == ["table/1"]


def test_the_timer_of_a_shuttle_is_set_when_a_table_could_leave() -> None:
    """R-ME-04: one waiting player cannot leave alone, however long it waits; setting it once is enough."""
    game = started(MELEE, players=19)
    assert "shuttle/0" not in game.state.timers
    game.effects.clear()
    first, second, *_ = seats(game)
    score(game, **dict.fromkeys(first, 0))
    score(game, **dict.fromkeys(second, 0))
    settings = [effect for effect in game.effects if isinstance(effect, fx.SetTimer)]
    assert [setting.at_ms for setting in settings if setting.timer_id == "shuttle/0"] == [30_000]


def test_a_place_is_told_once_and_never_taken_back() -> None:
    """R-KO-02, R-KO-05: first that they are out, then with which place."""
    game = Game(match_of(KNOCKOUT, players=27)).register(27).play()
    told: dict[str, list[int | None]] = {}
    for effect in game.effects:
        if isinstance(effect, fx.TellEliminated):
            told.setdefault(effect.player_id, []).append(effect.place)
    ranking = game.of(events.MatchEnded)[0].ranking
    assert told == {player: [None, place] for place, player in enumerate(ranking, start=1) if place > 1}
