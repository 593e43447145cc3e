"""Knockouts as matches: who goes on, who is out and where, byes, cuts of their own, and the way to the final.

Proves R-KO-01, R-KO-05.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import Cut, Grouping, Round, Stage
from tests.engine.playing import Game
from tests.engine.stages import (
    KNOCKOUT,
    lower_numbers_win,
    places,
    players,
    score,
    score_all,
    seats,
    started,
    still_in,
)

SEEDED = attrs.evolve(KNOCKOUT, grouping=Grouping(kind="swiss"))


def fields(game: Game) -> list[int]:
    return [sum(map(len, seated.tables)) + len(seated.byes) for seated in game.of(events.TablesSeated)]


def everybody_has_a_place_of_their_own(game: Game) -> bool:
    held = sorted(entrant.place or 0 for entrant in game.state.entrants.values())
    return game.state.status == "over" and held == list(range(1, len(held) + 1))


@pytest.mark.parametrize("field", range(2, 18))
def test_at_tables_of_two_everybody_but_the_winner_loses_once(field: int) -> None:
    """R-KO-01: n players, n - 1 tables, byes or not."""
    game = started(attrs.evolve(KNOCKOUT, table_size=2), players=field).play()
    assert len(game.of(events.RoundEnded)) == field - 1
    assert game.of(events.StageEnded)[0].advancing == 1
    assert everybody_has_a_place_of_their_own(game)


@pytest.mark.parametrize("field", range(3, 28))
def test_tables_of_three_play_until_one_has_played_alone(field: int) -> None:
    """R-KO-01, R-BY-01: the last bout is a final table, or too few are left to fill one."""
    game = started(KNOCKOUT, players=field).play()
    final = game.of(events.TablesSeated)[-1]
    left = game.of(events.StageEnded)[0].advancing
    assert left == 1 if (len(final.tables), len(final.byes)) == (1, 0) else left < 3
    assert everybody_has_a_place_of_their_own(game)


def test_the_first_bout_is_drawn_and_the_later_ones_follow_the_ranking() -> None:
    """R-KO-01: grouping default random first, then swiss."""
    game = started(KNOCKOUT, players=27)
    drawn = seats(game)
    assert drawn != [players(range(first, first + 3)) for first in range(1, 28, 3)]
    score_all(game, lower_numbers_win)
    assert [number for table in seats(game) for number in table] == still_in(game)
    assert still_in(game) == sorted(still_in(game), key=lambda player: int(player[1:]))


def test_worked_example_of_twelve_at_tables_of_four() -> None:
    """R-KO-02: 12 players, take 2 -> 6; then one table and two byes, who advance without playing."""
    game = started(attrs.evolve(SEEDED, table_size=4, advance_per_table=2), players=12).play()
    assert fields(game) == [12, 6, 4]
    second = game.of(events.TablesSeated)[1]
    assert (len(second.tables), len(second.byes)) == (1, 2)
    assert all(player in game.of(events.BoutEnded)[1].ranking for player in second.byes)
    assert everybody_has_a_place_of_their_own(game)


def test_who_is_out_knows_it_as_soon_as_the_table_ends() -> None:
    """R-KO-02: no waiting for other tables; the place follows with the end of the bout."""
    game = started(SEEDED, players=6)
    outcome = score(game, p1=3, p2=2, p3=1)
    told = [effect for effect in outcome.effects if isinstance(effect, fx.TellEliminated)]
    assert [(notice.player_id, notice.place) for notice in told] == [("p2", None), ("p3", None)]
    assert fx.TellWaiting("knockout", ("p1",), "other_tables") in outcome.effects
    outcome = score(game, p4=3, p5=2, p6=1)
    told = [effect for effect in outcome.effects if isinstance(effect, fx.TellEliminated)]
    assert {notice.player_id: notice.place for notice in told if notice.place} == {"p2": 3, "p5": 4, "p3": 5, "p6": 6}


def test_the_middle_of_an_odd_half_waits_for_all_tables() -> None:
    """R-KO-04: the first table ends; its winner is in, its last is out, its middle waits."""
    game = started(attrs.evolve(SEEDED, advance_per_table="half", bouts=1), players=9)
    outcome = score(game, p1=3, p2=2, p3=1)
    told = [effect.player_id for effect in outcome.effects if isinstance(effect, fx.TellEliminated)]
    assert told == ["p3"]
    assert fx.TellWaiting("knockout", ("p1", "p2"), "other_tables") in outcome.effects
    score(game, p4=30, p5=20, p6=10)
    score(game, p7=31, p8=21, p9=11)
    # Middles 2, 20 and 21: one of three advances.
    assert still_in(game) == ["p7", "p4", "p8", "p1"]
    final = places(game)
    assert [final[player] for player in ("p5", "p2", "p9", "p6", "p3")] == [5, 6, 7, 8, 9]


@pytest.mark.parametrize(("rounding", "stay"), [("floor", 4), ("ceil", 5)])
def test_rounding_of_the_middles(rounding: Any, stay: int) -> None:
    """R-KO-04: three tables: three winners and one or two of three middles."""
    stage = attrs.evolve(SEEDED, advance_per_table="half", half_rounding=rounding, bouts=1)
    game = started(stage, players=9)
    score_all(game, lower_numbers_win)
    assert game.of(events.StageEnded)[0].advancing == stay


@pytest.mark.parametrize("size", [3, 5, 7])
def test_half_of_odd_tables(size: int) -> None:
    """R-KO-04: T * (N - 1) / 2 + floor(T / 2)."""
    game = started(attrs.evolve(KNOCKOUT, table_size=size, advance_per_table="half", bouts=1), players=5 * size).play()
    assert game.of(events.StageEnded)[0].advancing == 5 * (size - 1) // 2 + 2


def test_half_at_tables_of_two_is_the_winner() -> None:
    """R-KO-03, edge."""
    game = started(attrs.evolve(SEEDED, table_size=2, advance_per_table="half", bouts=1), players=4)
    score_all(game, lower_numbers_win)
    assert game.of(events.StageEnded)[0].ranking[:2] == ("p1", "p3")


def test_survivors_are_trimmed_to_full_tables() -> None:
    """R-KO-04, align_to_table: five tables of three leave 7, the worst of whom goes too."""
    stage = attrs.evolve(SEEDED, advance_per_table="half", align_to_table=True, bouts=2)
    game = started(stage, players=15)
    score_all(game, lower_numbers_win)
    bout = game.of(events.BoutEnded)[0]
    # Winners 1, 4, 7, 10, 13 and middles 2, 5 stay; by points p13 is the last of them.
    assert bout.ranking == tuple(players((1, 2, 4, 5, 7, 10)))
    assert bout.out[0] == "p13"
    assert bout.out_places == tuple(range(7, 16))
    assert game.of(events.TablesSeated)[1].byes == ()


def test_a_bye_is_survived_and_not_played() -> None:
    """R-KO-05, edge: who sits out is never among the eliminated."""
    game = started(SEEDED, players=8)
    byes = game.of(events.TablesSeated)[0].byes
    assert byes == ("p8", "p7")
    assert fx.TellWaiting("knockout", byes, "bye") in game.effects
    score_all(game, lower_numbers_win)
    assert game.of(events.BoutEnded)[0].ranking == ("p1", "p4", "p7", "p8")


def test_the_eliminated_are_placed_by_place_then_points_then_last_hand_then_registration() -> None:
    """R-KO-05, R-TB-03."""
    game = started(attrs.evolve(SEEDED, round=Round(hands=2), bouts=1), players=12)
    hands = (
        # p2 5 (last 1), p5 5 (last 4), p8 9, p11 5 (last 1); the last ones: 0 all, last hand of p9 best
        {"p1": 50, "p2": 4, "p3": 0, "p4": 50, "p5": 1, "p6": 0, "p7": 50, "p8": 9}
        | {"p9": -3, "p10": 50, "p11": 4, "p12": 0},
        {"p1": 0, "p2": 1, "p3": 0, "p4": 0, "p5": 4, "p6": 0, "p7": 0, "p8": 0, "p9": 3, "p10": 0, "p11": 1, "p12": 0},
    )
    for hand in hands:
        score_all(game, hand)
    final = places(game)
    assert sorted(final, key=final.__getitem__)[4:] == players((8, 5, 2, 11, 9, 3, 6, 12))


def test_scores_of_earlier_bouts_count_at_the_next_table() -> None:
    """R-SC-01, R-CA-02: with all of it carried, 100 from the first bout outweigh a second bout lost by 60."""
    game = started(attrs.evolve(SEEDED, table_size=2), players=4)
    score(game, p1=100, p2=0)
    score(game, p3=10, p4=0)
    score(game, p1=-30, p3=30)
    assert places(game)["p1"] == 1


def test_with_nothing_carried_every_bout_starts_at_zero() -> None:
    """R-CA-02, edge: 0 % resets."""
    game = started(attrs.evolve(SEEDED, table_size=2, round_carry_pct=0), players=4)
    score(game, p1=100, p2=0)
    score(game, p3=10, p4=0)
    score(game, p1=-30, p3=30)
    assert places(game) == {"p3": 1, "p1": 2, "p2": 3, "p4": 4}


def mixture() -> Stage:
    """Snake grouping, placement points, take two of three, and the whole field cut by 40 % in the third bout."""
    free = Cut("none")
    return attrs.evolve(
        KNOCKOUT,
        grouping=Grouping(kind="snake"),
        scoring="placement",
        advance_per_table=2,
        cuts=(free, free, Cut("percent", Fraction(40)), free),
        bouts=4,
    )


def test_a_mixture_of_mechanisms() -> None:
    """A knockout of 27 with snake grouping, placement points and a percent cut in bout 3."""
    game = started(mixture(), players=27)
    assert seats(game)[0] == ["p1", "p18", "p19"]
    score_all(game, lower_numbers_win)
    assert len(still_in(game)) == 18
    score_all(game, lower_numbers_win)
    assert len(still_in(game)) == 12
    third = seats(game)
    score_all(game, lower_numbers_win)
    # floor(12 * 40 / 100) = 4 are out, by points over the whole field and not by place at the table.
    assert len(still_in(game)) == 8
    cut = game.of(events.BoutEnded)[2]
    points = {player: game.state.entrants[player].points for table in third for player in table}
    assert max(points[player] for player in cut.out) <= min(points[player] for player in cut.ranking)
    assert not any(event.players == tuple(cut.out) for event in game.of(events.PlayersEliminated))
    game.play()
    assert everybody_has_a_place_of_their_own(game)


def test_placement_points_outweigh_a_single_great_win() -> None:
    """R-SC-02: 5/3/1 by place; a thousand points in one hand are still only one first place."""
    stage = attrs.evolve(SEEDED, scoring="placement", advance_per_table=2, bouts=2)
    game = started(stage, players=3)
    score(game, p1=1000, p2=999, p3=-5)
    assert [game.state.entrants[player].points for player in ("p1", "p2", "p3")] == [5, 3, 1]


def test_equal_points_are_split_by_the_real_score() -> None:
    """R-SC-02: points, then real score total, then the tie chain."""
    game = started(attrs.evolve(SEEDED, scoring="placement", bouts=1, advance_per_table=2), players=6)
    score(game, p1=10, p2=5, p3=0)
    score(game, p4=30, p5=4, p6=-5)
    assert still_in(game) == ["p4", "p1", "p2", "p5"]


def test_bouts_end_a_knockout_before_its_final() -> None:
    game = started(attrs.evolve(KNOCKOUT, bouts=2), players=27).play()
    assert fields(game) == [27, 9]
    assert game.of(events.StageEnded)[0].advancing == 3
    assert everybody_has_a_place_of_their_own(game)
