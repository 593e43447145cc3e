"""Who is disqualified: what becomes of the table, the place and the others, and what a reinstatement restores."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import Cut, Elimination, End, Grouping, Island, PlayerState, Round, Stage
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import DisqualifyPlayer, ReinstatePlayer
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import (
    CLOCKED,
    DEFAULT,
    DOMINION,
    KNOCKOUT,
    MELEE,
    SWISS,
    given,
    places,
    score,
    score_all,
    seats,
    started,
    table_of,
    tell,
)

IN_ORDER = Grouping(kind="swiss")
CUP = attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done", grouping=IN_ORDER)
BOUTS = attrs.evolve(SWISS, table_size=2, bouts=2, grouping=IN_ORDER)
ARENA = attrs.evolve(MELEE, elimination=Elimination(absolute=0), end=End(remaining_below=3))


def disqualify(game: Game, player: str) -> Outcome:
    return given(game, DisqualifyPlayer(game.t, player, "foul"))


def reinstate(game: Game, player: str) -> Outcome:
    return given(game, ReinstatePlayer(game.t, player, "a mistake"))


def told(game: Game, player: str) -> list[Any]:
    """What lobbies hear of a player's standing, in order."""
    heard: list[Any] = []
    for effect in game.effects:
        if isinstance(effect, fx.TellEliminated) and effect.player_id == player:
            heard.append(effect.place)
        elif isinstance(effect, fx.TellWaiting) and player in effect.players:
            heard.append(effect.reason)
    return heard


def test_the_table_parts_on_its_finished_hands_and_the_server_loses_it() -> None:
    game = started(attrs.evolve(BOUTS, round=Round(hands=3)), players=4)
    score(game, p1=-5, p2=5)
    [ended] = [e for e in disqualify(game, "p2").events if isinstance(e, events.RoundEnded)]
    assert [e.policy for e in game.of(events.HandVoided)] == ["let_stand"]
    assert ended.places == (1, 2), "the disqualified is last, whatever was scored"
    assert [e.reason for e in game.effects if isinstance(e, fx.CloseTable)] == ["round_over"]
    late = game.do(c.EndHand(game.t, "ts", 1, 1, 2, 1, {"p1": 1, "p2": -1}))
    assert isinstance(late, Refused)
    assert late.code == "late"


def test_a_table_that_waits_for_a_server_parts_too() -> None:
    game = Game(started(BOUTS, players=4).definition, servers=False).register(4)
    disqualify(game, "p1")
    assert seats(game) == [["p3", "p4"]]


def test_the_place_is_the_last_one_of_the_bout() -> None:
    game = started(attrs.evolve(BOUTS, cut=Cut("fixed", Fraction(1))), players=6)
    disqualify(game, "p1")
    score_all(game, {"p3": 1, "p4": -1, "p5": 2, "p6": -2})
    assert game.of(events.BoutEnded)[0].out == ("p1",), "the cut of one has its one"
    assert game.of(events.BoutEnded)[0].out_places == (6,)
    assert told(game, "p1") == [None, 6]
    score_all(game, lambda player: {"p5": 1}.get(player, 0))
    assert places(game)["p1"] == 6


def test_more_than_a_cut_takes_are_out_all_the_same() -> None:
    game = started(BOUTS, players=6)
    disqualify(game, "p1")
    disqualify(game, "p3")
    score(game, p5=0, p6=0)
    assert game.of(events.BoutEnded)[0].out == ("p1", "p3")
    assert game.of(events.BoutEnded)[0].ranking == ("p2", "p4", "p5", "p6")


def test_in_a_knockout_the_opponent_goes_on_also_after_losing() -> None:
    game = started(CUP, players=4)
    score(game, p1=3, p2=-3)
    assert game.of(events.PlayersEliminated)[0].players == ("p2",)
    [revised] = [e for e in disqualify(game, "p1").events if isinstance(e, ev.RoundRevised)]
    assert (revised.places, revised.back, revised.out) == ((2, 1), ("p2",), ())
    assert told(game, "p2") == [None, "other_tables"]
    score(game, p3=1, p4=-1)
    assert game.of(events.BoutEnded)[0].ranking == ("p3", "p2")
    assert game.of(events.BoutEnded)[0].out == ("p4", "p1"), "behind everybody"
    score(game, p2=9, p3=-9)
    assert places(game) == {"p2": 1, "p3": 2, "p4": 3, "p1": 4}


def test_reinstated_in_the_same_bout_a_player_is_in_again_as_if_nothing_had_been() -> None:
    game = started(CUP, players=4)
    score(game, p1=3, p2=-3)
    before = attrs.asdict(game.state)
    disqualify(game, "p1")
    [done] = [e for e in reinstate(game, "p1").events if isinstance(e, ev.PlayerReinstated)]
    assert done.back
    after = attrs.asdict(game.state)
    assert sorted(after["stage"].pop("active")) == sorted(before["stage"].pop("active"))
    assert after == before
    assert told(game, "p1")[-2:] == [None, "other_tables"]


def test_reinstated_after_the_bout_only_the_word_is_gone() -> None:
    game = started(BOUTS, players=6)
    disqualify(game, "p1")
    score_all(game, lambda player: 0)
    [done] = [e for e in reinstate(game, "p1").events if isinstance(e, ev.PlayerReinstated)]
    assert not done.back
    assert (game.state.disqualified, game.state.entrants["p1"].place) == ({}, 6)
    score_all(game, lambda player: 0)
    assert places(game)["p1"] == 6


def test_a_melee_places_at_once_and_goes_on_without() -> None:
    game = started(ARENA, players=9)
    disqualify(game, "p5")
    assert game.of(ev.PlayerDisqualified)[0].place == 9
    assert told(game, "p5")[-1] == 9
    assert "p5" not in game.state.current.pool
    assert "p5" not in [player for table in seats(game) for player in table]
    assert game.state.current.active.keys() == {f"p{n}" for n in range(1, 10)} - {"p5"}


def test_in_a_melee_one_is_in_again_until_somebody_else_is_placed() -> None:
    game = started(ARENA, players=9)
    disqualify(game, "p5")
    reinstate(game, "p5")
    assert game.of(ev.PlayerReinstated)[-1].back
    assert game.state.entrants["p5"].state in ("waiting", "playing")
    disqualify(game, "p5")
    other = next(player for table in seats(game) for player in table)
    score(game, **{player: -5000 if player == other else 0 for player in table_of(game, other).seats})
    assert game.of(events.PlayersEliminated)[-1].places == (8,)
    reinstate(game, "p5")
    assert not game.of(ev.PlayerReinstated)[-1].back
    assert game.state.entrants["p5"].place == 9


def test_enough_disqualified_end_a_melee() -> None:
    """R-ME-05."""
    game = started(ARENA, players=4)
    disqualify(game, "p4")
    disqualify(game, "p3")
    assert game.state.status == "over"
    assert (places(game)["p4"], places(game)["p3"]) == (4, 3)


@pytest.fixture
def shore() -> Game:
    island = attrs.evolve(
        MELEE,
        id="island",
        format="island",
        leave="allowed",
        join="any_time",
        end=End(),
        initial_player_state=PlayerState(1000),
        island=Island(duration_ms=60_000),
    )
    return started(island, players=9)


def test_nobody_disqualified_lands_on_the_island_again(shore: Game) -> None:
    disqualify(shore, "p1")
    assert tell(shore, c.JoinMatch(shore.t, "p1", "p1")).code == "disqualified"
    reinstate(shore, "p1")
    assert shore.state.entrants["p1"].state in ("waiting", "playing")
    given(shore, c.LeaveMatch(shore.t, "p2"))
    disqualify(shore, "p2")
    assert tell(shore, c.JoinMatch(shore.t, "p2", "p2")).code == "disqualified"
    reinstate(shore, "p2")
    given(shore, c.JoinMatch(shore.t, "p2", "p2"))


def test_a_game_of_a_dominion_swiss_is_left_and_then_was_not() -> None:
    """R-DM-03: main points 3 for who stays, -1 for who goes; without a result nobody has any."""
    game = started(DOMINION, players=4)
    one, other = seats(game)[0]
    disqualify(game, other)
    assert [game.state.entrants[player].points for player in (one, other)] == [3, -1]
    [left] = game.state.current.games
    assert left.status in ("drop_a", "drop_b")
    reinstate(game, other)
    assert [game.state.entrants[player].points for player in (one, other)] == [0, 0]
    [void] = game.state.current.games
    assert void.status == "void"
    assert other in game.state.current.active


def test_a_dominion_swiss_ranks_the_disqualified_behind_all_others() -> None:
    game = started(attrs.evolve(DOMINION, bouts=1), players=4)
    first, second = seats(game)
    score(game, **{first[0]: 9, first[1]: 0})
    disqualify(game, first[0])
    score(game, **{second[0]: 1, second[1]: 0})
    assert places(game)[first[0]] == 4
    assert told(game, first[0])[-1] == 4


def test_by_the_clock_the_disqualified_stand_behind_all_others() -> None:
    game = started(attrs.evolve(CLOCKED, table_size=2, bouts=1, round=Round(hands=1)), players=4)
    at = seats(game)
    disqualify(game, at[0][0])
    score(game, **{at[1][0]: 3, at[1][1]: -3})
    game.t = 20 * 60_000
    game.fire_due()
    assert places(game)[at[0][0]] == 4
    assert told(game, at[0][0])[-1] == 4


def test_a_final_that_is_short_of_a_player_is_played_by_those_who_are_there() -> None:
    game = started(attrs.evolve(BOUTS, bouts=1), attrs.evolve(DEFAULT, table_size=4), players=4)
    disqualify(game, "p4")
    score_all(game, lambda player: 0)
    assert seats(game) == [["p1", "p2", "p3"]]
    score_all(game, lambda player: 0)
    assert places(game)["p4"] == 4


def test_the_last_one_who_is_in_stays() -> None:
    game = started(CUP, players=4)
    disqualify(game, "p1")
    score(game, p3=1, p4=-1)
    assert seats(game) == [["p3", "p2"]]
    disqualify(game, "p2")
    assert game.state.status == "over"
    assert places(game) == {"p3": 1, "p2": 2, "p4": 3, "p1": 4}


def test_nobody_else_is_in() -> None:
    alone: Stage = attrs.evolve(CLOCKED, table_size=2, bouts=2)
    game = started(alone, players=2)
    disqualify(game, "p1")
    refused = tell(game, DisqualifyPlayer(game.t, "p2", ""))
    assert (refused.code, refused.field) == ("last_player", "player_id")


def test_asked_twice_it_is_done_once() -> None:
    game = started(BOUTS, players=4)
    disqualify(game, "p1")
    assert disqualify(game, "p1").events == ()
    reinstate(game, "p1")
    assert reinstate(game, "p1").events == ()


@pytest.mark.parametrize("word", [DisqualifyPlayer, ReinstatePlayer])
def test_who_cannot_be_meant(word: Any) -> None:
    game = Game(started(BOUTS, players=4).definition).register(3)
    assert tell(game, word(0, "p1", "")).code == "not_started"
    given(game, c.RegisterPlayer(0, "p4", "Player 4"))
    refused = tell(game, word(0, "nobody", ""))
    assert (refused.code, refused.field) == ("unknown_player", "player_id")
