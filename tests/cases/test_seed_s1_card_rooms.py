"""The numbers of the second source, the formats and scores of a card room, as they stand there."""

from fractions import Fraction

import attrs
import pytest

from coordinator.engine import duplicate, events
from coordinator.engine.definition import Duplicate, Elimination, End, GameState, PlayerState, Round
from coordinator.engine.payment import two_party
from coordinator.engine.ranking import chain_for
from coordinator.engine.stage_rules import tie_chain
from tests.engine.stages import CLOCKED, MELEE, SWISS, match_of, score, seats, started

QUARTER = Elimination(ratio_of_base=Fraction(1, 4))


@pytest.mark.parametrize(("left", "out"), [(25, False), (24, True)])
def test_below_a_quarter_of_the_base_a_player_is_out(left: int, out: bool) -> None:
    stage = attrs.evolve(MELEE, elimination=QUARTER, initial_game_state=GameState(100), end=End(remaining_below=3))
    game = started(stage, players=9)
    loser, *others = seats(game)[0]
    score(game, **{loser: left - 1000, **dict.fromkeys(others, 0)})
    assert (game.state.entrants[loser].state == "out") == out


def test_or_below_nothing() -> None:
    """The other wording: a negative score."""
    stage = attrs.evolve(MELEE, elimination=Elimination(absolute=0), initial_player_state=PlayerState(100))
    game = started(stage, players=9)
    one, other, third = seats(game)[0]
    score(game, **{one: -100, other: -101, third: 0})
    assert [game.state.entrants[player].state for player in (one, other)] == ["waiting", "out"]


@pytest.mark.parametrize("falls_in", [None, 2])
def test_after_three_hands_or_an_elimination_the_table_is_seated_anew(falls_in: int | None) -> None:
    """Auto shift selection at three hands."""
    stage = attrs.evolve(MELEE, hands_per_seating=3, elimination=QUARTER)
    game = started(stage, players=9)
    table = seats(game)[0]
    played = 0
    while table in seats(game):
        played += 1
        falls = played == falls_in
        score(game, **{table[0]: -5000 if falls else 0, table[1]: 0, table[2]: 0})
    assert played == (falls_in or 3)


def test_eighteen_players_sit_at_six_tables_by_rank_and_who_falls_behind_moves_down() -> None:
    """Table 1 is ranks 1 to 3, table 2 ranks 4 to 6. The first then has fewer points than the fourth: they change."""
    game = started(attrs.evolve(SWISS, bouts=2), players=18)
    assert seats(game) == [[f"p{3 * table + seat}" for seat in (1, 2, 3)] for table in range(6)]
    points = {f"p{rank}": 100 - rank for rank in range(1, 19)} | {"p1": 95, "p4": 97}
    for table in seats(game):
        score(game, **{player: points[player] for player in table})
    assert seats(game)[:2] == [["p2", "p3", "p4"], ["p1", "p5", "p6"]]


STANDARD_POINTS = [
    (13, 16, 13), (17, 21, 14), (22, 26, 15), (27, 32, 16), (33, 40, 17), (41, 49, 18), (50, 65, 19),
    (66, 84, 20), (85, 104, 21), (105, 144, 22), (145, 199, 23), (200, 4000, 24),
]  # fmt: skip
NORTHS = [6, 6, 12, 3, 12, -3, 12, 12]
NORTHS_POINTS = [-3, -3, 3, -6, 3, -12, 3, 3]


def test_the_table_of_standard_points() -> None:
    for difference in range(13):
        assert duplicate.points(difference, "sp") == difference
    for least, most, worth in STANDARD_POINTS:
        for difference in range(least, most + 1):
            assert (duplicate.points(difference, "sp"), duplicate.points(-difference, "sp")) == (worth, -worth)


def test_the_eight_norths_of_one_board() -> None:
    """The two best and the two worst left out, the mean of the rest is 9, and all eight get the points of the table."""
    stage = attrs.evolve(CLOCKED, table_size=2, bouts=1, duplicate=Duplicate(required_boards=1))
    game = started(stage, players=16)
    for (north, south), result in zip(seats(game), NORTHS, strict=True):
        score(game, **{north: result, south: -result})
    norths = [table[0] for table in game.of(events.TablesSeated)[0].tables]
    assert [game.state.entrants[north].points for north in norths] == NORTHS_POINTS
    drop = duplicate.trim_each_end(8, Fraction(1, 4))
    assert (drop, duplicate.datum(NORTHS, drop)) == (2, 9)


def test_averages_that_look_alike_are_not_and_more_boards_come_first_where_they_are() -> None:
    assert [duplicate.shown(duplicate.mean(*of)) for of in ((49, 16), (52, 17))] == ["3.06", "3.06"]
    assert duplicate.order([52, 49], [17, 16], [1, 2]) == [1, 0]
    assert duplicate.order([40, 48], [10, 12], [1, 2]) == [1, 0]


def test_too_few_boards_are_no_result() -> None:
    ranked, without = duplicate.result_order([150, 16], [15, 16], [1, 2], 16)
    assert (ranked, without) == ([1], [0])


@pytest.mark.parametrize(("winner", "loser", "due", "paid"), [(30, 1000, 200, 30), (1000, 120, 140, 120)])
def test_the_least_of_both_stacks_and_what_is_due_is_paid(winner: int, loser: int, due: int, paid: int) -> None:
    assert two_party(winner, loser, due) == (-paid, paid, 0)


def test_of_the_loser_s_120_the_platform_takes_its_part() -> None:
    assert two_party(1000, 120, 140, fee=5) == (-120, 115, 5)


def test_the_last_hand_then_registration_and_for_swiss_registration_alone() -> None:
    assert chain_for("regular", "melee") == chain_for("championship", "knockout") == ("last_hand", "registration")
    assert chain_for("championship", "swiss_shift") == ("registration",)
    assert tie_chain(match_of(SWISS, event_class="championship"), SWISS) == ("registration",)


@pytest.mark.parametrize(("event_class", "first"), [("regular", "p2"), ("championship", "p2"), ("swiss", "p1")])
def test_equal_after_the_last_hand(event_class: str, first: str) -> None:
    """p1 registered first, p2 won the last hand; both have 120."""
    stage = attrs.evolve(
        SWISS, format="knockout", table_size=2, round=Round(hands=2), bouts=1, advance_per_table=1, cut=None
    )
    game = started(stage, players=2, event_class=event_class)
    score(game, p1=125, p2=110)
    score(game, p1=-5, p2=10)
    assert game.state.ranking[0] == first
