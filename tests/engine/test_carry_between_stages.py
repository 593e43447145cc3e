"""What is taken from one stage into the next, and what is left behind.

Proves R-HI-05.
"""

from fractions import Fraction

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.definition import CarryOut, Cut, End, GameState, PlayerState
from tests.engine.playing import Game
from tests.engine.stages import (
    DEFAULT,
    KNOCKOUT,
    MELEE,
    SWISS,
    lower_numbers_win,
    places,
    score,
    score_all,
    seats,
    started,
)

FINAL = attrs.evolve(DEFAULT, initial_player_state=PlayerState(500))


def opened(game: Game) -> dict[str, int]:
    """Who enters the second stage with what, in the order of entry."""
    stage = game.of(events.StageOpened)[1]
    return dict(zip(stage.players, stage.scores, strict=True))


@pytest.mark.parametrize(
    ("rule", "carried"),
    [
        (CarryOut("none"), [0, 0, 0]),
        (CarryOut("divide", divisor=10), [90, 60, 0]),
        (CarryOut("full"), [900, 604, 0]),
        (CarryOut("sqrt"), [30, 25, 0]),
        (CarryOut("sqrt_median", base=50), [61, 50, 0]),
        (CarryOut("full", cap=450), [450, 302, 0]),
    ],
)
def test_the_new_stage_starts_at_its_own_score_plus_what_is_carried(rule: CarryOut, carried: list[int]) -> None:
    """R-CA-03, R-CA-04: 900, 604 and -100; below zero nothing is carried. Root: 30 and 24.58 -> 25."""
    game = started(attrs.evolve(SWISS, carry_out=rule), FINAL, players=3)
    score(game, p1=-100, p2=900, p3=604)
    assert opened(game) == dict(zip(("p2", "p3", "p1"), [500 + value for value in carried], strict=True))


def test_only_those_who_go_on_are_measured_against_the_cap() -> None:
    """R-CA-04: the best of those who go on carries the cap."""
    first = attrs.evolve(SWISS, cut=Cut("keep", Fraction(3)), carry_out=CarryOut("full", cap=100))
    game = started(first, FINAL, players=6)
    score_all(game, {"p1": 400, "p2": 200, "p3": 100, "p4": 3, "p5": 2, "p6": 1})
    assert opened(game) == {"p1": 600, "p2": 550, "p3": 525}


def test_nothing_to_carry_is_not_scaled() -> None:
    """R-CA-04, edge: best = 0."""
    game = started(attrs.evolve(SWISS, carry_out=CarryOut("full", cap=10)), FINAL, players=3)
    score(game, p1=0, p2=-5, p3=-6)
    assert list(opened(game).values()) == [500, 500, 500]


def test_points_are_carried_where_a_stage_scores_by_place() -> None:
    """R-SC-02, R-CA-03: the scored quantity is the sum of placement points, byes included."""
    first = attrs.evolve(KNOCKOUT, table_size=2, scoring="placement", bouts=1, carry_out=CarryOut("divide", divisor=1))
    second = attrs.evolve(DEFAULT, table_size=2)
    game = started(first, second, players=3)
    (bye,) = game.of(events.TablesSeated)[0].byes
    score_all(game, lower_numbers_win)
    winner = next(player for player in opened(game) if player != bye)
    assert opened(game) == {winner: 3, bye: 2}


def test_the_best_carried_are_seated_first() -> None:
    """R-HI-05: the ranking of one stage is the order of entry of the next."""
    first = attrs.evolve(SWISS, id="first", carry_out=CarryOut("divide", divisor=10))
    game = started(first, SWISS, players=6)
    score_all(game, lambda player: 100 * int(player[1:]))
    assert seats(game) == [["p6", "p5", "p4"], ["p3", "p2", "p1"]]
    assert [game.state.entrants[player].score for player in ("p6", "p1")] == [60, 10]


def test_what_belongs_to_a_stage_stays_in_it() -> None:
    """Byes, points and last hands of the first stage are no part of the second."""
    first = attrs.evolve(SWISS, id="first", scoring="placement", bouts=1)
    second = attrs.evolve(SWISS, tie_chain=("last_hand", "registration"))
    game = started(first, second, players=4)
    assert game.of(events.TablesSeated)[0].byes == ("p4",)
    score(game, p1=1, p2=2, p3=3)
    # Ranked p3, p4 (4 points from the bye), p2, p1: in a new stage the last of them sits out, had p4 a bye or not.
    assert game.of(events.TablesSeated)[1].byes == ("p1",)
    assert {entrant.points for entrant in game.state.entrants.values()} == {0}
    assert {entrant.last_hand for entrant in game.state.entrants.values()} == {0}


def test_from_a_melee_through_a_knockout_into_a_final() -> None:
    melee = attrs.evolve(MELEE, end=End(remaining_below=13, advance_count=9), carry_out=CarryOut("sqrt"))
    knockout = attrs.evolve(KNOCKOUT, bouts=1, initial_player_state=PlayerState(100))
    game = Game(started(melee, knockout, DEFAULT, players=30, zero_sum=True).definition, seed=4).register(30).play()
    entered = [len(stage.players) for stage in game.of(events.StageOpened)]
    assert entered == [30, 9, 3]
    final = places(game)
    assert sorted(final.values()) == list(range(1, 31))
    for stage, field in zip(game.of(events.StageOpened), entered, strict=True):
        assert {final[player] for player in stage.players} == set(range(1, field + 1))


def test_who_is_out_keeps_the_score_and_the_stage_it_fell_in() -> None:
    first = attrs.evolve(SWISS, cut=Cut("keep", Fraction(3)), carry_out=CarryOut("full"))
    game = started(first, FINAL, players=6)
    score_all(game, {"p1": 60, "p2": 50, "p3": 40, "p4": 30, "p5": 20, "p6": 10})
    score(game, p1=0, p2=0, p3=5)
    over = game.effects[-2]
    assert getattr(over, "places", None) == (
        ("p1", 560, None),
        ("p2", 550, None),
        ("p3", 545, None),
        ("p4", 30, "swiss"),
        ("p5", 20, "swiss"),
        ("p6", 10, "swiss"),
    )


def test_a_stage_begins_at_its_own_base() -> None:
    first = attrs.evolve(SWISS, initial_game_state=GameState(50))
    game = started(first, attrs.evolve(DEFAULT, initial_game_state=GameState(200)), players=3)
    assert game.orders[0].base_score == 50
    score(game, p1=0, p2=0, p3=0)
    assert game.orders[-1].base_score == 200
