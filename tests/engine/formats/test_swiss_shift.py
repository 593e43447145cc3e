"""Swiss shift as matches: the whole field ranked, cut and reseated after each bout; byes; points; carries.

Proves R-SW-01.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import BaseGrowth, Cut, GameState, Grouping, Round
from tests.engine.playing import Game
from tests.engine.stages import (
    SWISS,
    lower_numbers_win,
    number,
    places,
    players,
    score,
    score_all,
    seats,
    started,
    still_in,
    table_of,
)


def fields(game: Game) -> list[int]:
    return [sum(map(len, seated.tables)) + len(seated.byes) for seated in game.of(events.TablesSeated)]


def test_the_seed_example_of_eighteen() -> None:
    """R-SW-03: the former first falls behind the former fourth; they exchange tables."""
    game = started(attrs.evolve(SWISS, bouts=2), players=18)
    assert seats(game) == [players(range(first, first + 3)) for first in range(1, 19, 3)]
    worth = {f"p{n}": 100 - n for n in range(1, 19)} | {"p1": 96, "p4": 99}
    score_all(game, worth)
    assert seats(game)[:2] == [["p4", "p2", "p3"], ["p1", "p5", "p6"]]
    assert seats(game)[2:] == [players(range(first, first + 3)) for first in range(7, 19, 3)]


def test_the_external_example_of_nine_bouts() -> None:
    """R-SW-01: 90-75-60-45-33-21-12-6-3."""
    keeps = (75, 60, 45, 33, 21, 12, 6, 3)
    cuts = (*(Cut("keep", Fraction(keep)) for keep in keeps), Cut("none"))
    game = started(attrs.evolve(SWISS, bouts=9, cuts=cuts), players=90).play()
    assert fields(game) == [90, *keeps]
    assert sorted(places(game).values()) == list(range(1, 91))


def test_nobody_is_out_before_the_last_table_has_ended() -> None:
    """R-SW-01."""
    game = started(attrs.evolve(SWISS, bouts=2, cut=Cut("fixed", Fraction(3))), players=9)
    first, second, third = seats(game)
    for at_table in (first, second):
        outcome = score(game, **{player: lower_numbers_win(player) for player in at_table})
        assert not any(isinstance(effect, fx.TellEliminated) for effect in outcome.effects)
    outcome = score(game, **{player: lower_numbers_win(player) for player in third})
    told = [(e.player_id, e.place) for e in outcome.effects if isinstance(e, fx.TellEliminated)]
    assert told == [("p7", 7), ("p8", 8), ("p9", 9)]


@pytest.mark.parametrize(("rounding", "out"), [("out_floor", 2), ("keep_floor", 3)])
def test_a_percentage_is_rounded_on_the_side_the_organiser_names(rounding: Any, out: int) -> None:
    """R-SW-02: 9 players, 30 % is 2.7."""
    stage = attrs.evolve(SWISS, cut=Cut("percent", Fraction(30)), percent_round=rounding)
    game = started(stage, players=9).play()
    assert len(game.of(events.BoutEnded)[0].out) == out


def test_somebody_always_stays() -> None:
    """R-SW-02, edge: a cut greater than the field leaves one."""
    game = started(attrs.evolve(SWISS, bouts=3, cut=Cut("fixed", Fraction(50))), players=6).play()
    assert game.of(events.StageEnded)[0].advancing == 1
    assert len(game.of(events.BoutEnded)) == 1
    assert sorted(places(game).values()) == [1, 2, 3, 4, 5, 6]


def test_too_few_for_a_table_end_the_stage() -> None:
    """R-SW-02, edge: keep 2 at tables of three, though three bouts were planned."""
    game = started(attrs.evolve(SWISS, bouts=3, cut=Cut("keep", Fraction(2))), players=6).play()
    assert len(game.of(events.TablesSeated)) == 1
    assert game.state.status == "over"


def test_a_bout_without_a_cut_still_reseats() -> None:
    """R-SW-01, edge."""
    cuts = (Cut("fixed", Fraction(0)), Cut("fixed", Fraction(3)))
    game = started(attrs.evolve(SWISS, bouts=2, cuts=cuts), players=6)
    score_all(game, lambda player: number(player))
    assert seats(game) == [["p6", "p5", "p4"], ["p3", "p2", "p1"]]


def test_ties_at_the_line_are_split_by_registration_alone() -> None:
    """R-SW-02, R-TB-03: p2 and p5 have 10 points; p5 won its last hand and p2 registered first."""
    stage = attrs.evolve(SWISS, round=Round(hands=2), cut=Cut("keep", Fraction(3)))
    game = started(stage, players=6)
    score_all(game, {"p1": 50, "p2": 10, "p3": 0, "p4": 40, "p5": 0, "p6": 0})
    score_all(game, {"p1": 0, "p2": 0, "p3": 0, "p4": 0, "p5": 10, "p6": 0})
    assert still_in(game) == ["p1", "p4", "p2"]


def test_another_chain_can_be_told() -> None:
    """R-TB-03: the same with the last hand first."""
    stage = attrs.evolve(
        SWISS, round=Round(hands=2), cut=Cut("keep", Fraction(3)), tie_chain=("last_hand", "registration")
    )
    game = started(stage, players=6)
    score_all(game, {"p1": 50, "p2": 10, "p3": 0, "p4": 40, "p5": 0, "p6": 0})
    score_all(game, {"p1": 0, "p2": 0, "p3": 0, "p4": 0, "p5": 10, "p6": 0})
    assert still_in(game) == ["p1", "p4", "p5"]


@pytest.mark.parametrize("kind", ["swiss", "snake", "random"])
@pytest.mark.parametrize(("field", "size"), [(20, 3), (7, 2), (11, 4), (13, 5)])
def test_byes_are_fair_over_a_stage(kind: Any, field: int, size: int) -> None:
    """R-BY-01: counts of players present throughout never differ by more than one, whatever the results."""
    stage = attrs.evolve(SWISS, table_size=size, bouts=9, grouping=Grouping(kind=kind))
    game = started(stage, players=field)
    had = dict.fromkeys(game.state.entrants, 0)
    seen = 0
    while game.state.status == "running":
        for seated in game.of(events.TablesSeated)[seen:]:
            assert len(seated.byes) == field % size
            for player in seated.byes:
                had[player] += 1
        seen = len(game.of(events.TablesSeated))
        assert max(had.values()) - min(had.values()) <= 1
        game.play(hands=field // size)
    assert sum(had.values()) == 9 * (field % size)


def test_a_bye_goes_to_the_lowest_ranked_who_had_none() -> None:
    """R-BY-01: four players at tables of three, four bouts: each sits out once."""
    game = started(attrs.evolve(SWISS, bouts=4), players=4)
    for _ in range(4):
        score_all(game, lambda player: 0)
    assert [seated.byes for seated in game.of(events.TablesSeated)] == [("p4",), ("p3",), ("p2",), ("p1",)]


def test_a_bye_is_credited_at_once_and_twice_counts_twice() -> None:
    """R-CA-01: 4 points at tables of three; two at tables of two."""
    game = started(attrs.evolve(SWISS, scoring="placement", bouts=2), players=5)
    byes = game.of(events.TablesSeated)[0].byes
    assert [game.state.entrants[player].points for player in byes] == [4, 4]
    pairs = started(attrs.evolve(SWISS, table_size=2, scoring="placement", bouts=4), players=3)
    assert pairs.state.entrants["p3"].points == 2
    while pairs.state.status == "running":
        score_all(pairs, lower_numbers_win)
    twice = [p for p in ("p1", "p2", "p3") if sum(p in s.byes for s in pairs.of(events.TablesSeated)) == 2]
    assert len(twice) == 1


def test_bye_points_and_bye_delta_of_the_organiser() -> None:
    """R-CA-01: params."""
    points = started(attrs.evolve(SWISS, scoring="placement", bye_points=Fraction(7, 2)), players=4)
    assert points.state.entrants["p4"].points == Fraction(7, 2)
    delta = started(attrs.evolve(SWISS, bye_delta=25), players=4)
    assert delta.state.entrants["p4"].score == 25
    plain = started(SWISS, players=4)
    assert plain.state.entrants["p4"].score == 0


def test_who_sat_out_last_has_a_last_hand_of_zero() -> None:
    """R-TB-01, edge: p4 won 10 in the first bout and then sits out; equal totals fall to the others' last hand."""
    stage = attrs.evolve(SWISS, bouts=2, tie_chain=("last_hand", "registration"))
    game = started(stage, players=4)
    assert game.of(events.TablesSeated)[0].byes == ("p4",)
    score(game, p1=5, p2=5, p3=-10)
    assert game.of(events.TablesSeated)[1].byes == ("p3",)
    score(game, p1=-15, p2=-15, p4=-10)
    # All four have -10; last hands: p4 -10, p3 0 (a bye), p1 and p2 -15.
    assert places(game) == {"p3": 1, "p4": 2, "p1": 3, "p2": 4}


def test_half_of_the_score_is_carried_into_each_next_bout() -> None:
    """R-CA-02: 205 -> 103, -31 -> -16; what the last bout brings counts in full."""
    game = started(attrs.evolve(SWISS, table_size=2, bouts=2, round_carry_pct=50), players=2)
    score(game, p1=205, p2=-31)
    score(game, p1=1, p2=1)
    assert [game.state.entrants[player].score for player in ("p1", "p2")] == [104, -15]


def test_snake_tables_are_equally_strong() -> None:
    """R-GR-02: rank sums 26 at every table of four."""
    game = started(attrs.evolve(SWISS, table_size=4, bouts=2, grouping=Grouping(kind="snake")), players=12)
    score_all(game, lower_numbers_win)
    assert [sum(map(number, table)) for table in seats(game)] == [26, 26, 26]


@pytest.mark.parametrize("kind", ["swiss", "snake"])
def test_ranked_grouping_seats_by_rank(kind: Any) -> None:
    """R-GR-05."""
    game = started(attrs.evolve(SWISS, grouping=Grouping(kind=kind)), players=9)
    assert all(table == sorted(table, key=number) for table in seats(game))


def test_seats_can_be_drawn_though_tables_go_by_rank() -> None:
    """R-GR-05: the same people at each table, in an order by lot."""
    game = started(attrs.evolve(SWISS, grouping=Grouping(kind="swiss", seat_order="random")), players=30)
    assert [sorted(map(number, table)) for table in seats(game)] == [[n, n + 1, n + 2] for n in range(1, 31, 3)]
    assert any(table != sorted(table, key=number) for table in seats(game))


def test_drawn_tables_can_be_seated_by_rank() -> None:
    game = started(attrs.evolve(SWISS, grouping=Grouping(kind="random", seat_order="rank")), players=30)
    assert all(table == sorted(table, key=number) for table in seats(game))


def test_the_base_rises_by_scored_hands_and_everybody_hears_it() -> None:
    """R-ME-03, by = "hands": in stages of bouts too, the new base is told when it comes into force."""
    growth = BaseGrowth("arith", by="hands", every_hands=3, add=50)
    stage = attrs.evolve(SWISS, bouts=3, initial_game_state=GameState(100), base_growth=growth)
    game = started(stage, players=6)
    for _ in range(3):
        score_all(game, lower_numbers_win)
    assert [(raised.tick, raised.base_score) for raised in game.of(events.BaseRaised)] == [(1, 150), (2, 200)]
    pushed = [effect.base_score for effect in game.effects if isinstance(effect, fx.RaiseBase)]
    assert pushed == [100, 150, 200]
    assert [e.base_score for e in game.of(events.HandsStarted)] == [100, 100, 150]


def test_a_silent_table_without_a_hand_has_no_last_hand_either() -> None:
    """R-HI-06, R-TB-01: p1 won the first bout's last hand; in a second round of which nothing is known that is past."""
    stage = attrs.evolve(SWISS, table_size=2, bouts=2, tie_chain=("last_hand", "registration"), round_carry_pct=0)
    game = started(stage, players=2)
    score(game, p1=-10, p2=10)
    assert table_of(game, "p1").results == []
    game.orders.clear()
    game.play()
    assert places(game) == {"p1": 1, "p2": 2}
