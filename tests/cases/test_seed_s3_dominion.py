"""The numbers of the fourth source, the rules of a Dominion event, as they stand there."""

from fractions import Fraction

import attrs
import pytest

from coordinator.engine import dominion
from coordinator.engine.definition import MainPoints
from coordinator.engine.dominion import GameRecord, Means
from tests.engine.dominion_play import entered, play_bout, rounds_of
from tests.engine.stages import DEFAULT, score

WORTH = MainPoints()


@pytest.mark.parametrize(
    ("players", "bouts"), [(5, 3), (6, 3), (8, 3), (9, 4), (12, 4), (16, 4), (17, 5), (24, 5), (32, 5)]
)
def test_about_so_many_rounds(players: int, bouts: int) -> None:
    assert dominion.bouts_for(players) == bouts


@pytest.mark.parametrize(
    ("game", "points"),
    [
        (GameRecord(1, "a", "b", "played", 30, 20), (3, 1)),
        (GameRecord(1, "a", "b", "played", 20, 20), (2, 2)),
        (GameRecord(1, "a", None, "bye"), (3, 0)),
        (GameRecord(1, "a", "b", "drop_b"), (3, -1)),
        (GameRecord(1, "a", "b", "drop_a"), (-1, 3)),
        (GameRecord(1, "a", "b", "drop_both"), (-1, -1)),
    ],
)
def test_main_points(game: GameRecord, points: tuple[int, int]) -> None:
    assert dominion.main_of(game, WORTH) == points


def test_eleven_against_nineteen() -> None:
    game = GameRecord(1, "a", "b", "played", 11, 19)
    assert (dominion.main_of(game, WORTH), dominion.sub_of(game)) == ((1, 3), (-8, 8))


SIX_ROUNDS = [
    GameRecord(2, "p", "o2", "played", 28, 20),  # comes in with the second round and wins by 8
    GameRecord(3, "p", "o3", "played", 11, 20),  # loses by 9
    GameRecord(4, "p", "o4", "drop_a"),  # leaves the game
    GameRecord(5, "p", None, "bye"),
    GameRecord(6, "p", "o6", "played", 25, 25),
]


def test_six_rounds_of_one_player() -> None:
    """0, +3, +1, -1, +3, +2: the mean of the second, third and sixth is 2, and of +8, -9, 0 it is -0.33."""
    means: Means = dominion.table(["p"], SIX_ROUNDS, WORTH, {"p": 1}).means()["p"]
    assert means.main_sum == 0 + 3 + 1 - 1 + 3 + 2
    assert means.main_mean == 2
    assert means.sub_mean == Fraction(8 - 9 + 0, 3)
    assert f"{float(means.sub_mean):.2f}" == "-0.33"


OPPONENTS = {"o2": ("1.4", "-3.8"), "o3": ("2.3", "8.3"), "o4": ("1.9", "2.5"), "o6": ("1.7", "0.3")}
"""Means of main and sub points of the opponents met."""


def with_these_means() -> list[GameRecord]:
    """Ten games for each opponent, the one against the player among them, whose means are those of the source."""
    games = list(SIX_ROUNDS)
    for name, told in OPPONENTS.items():
        main, sub = (int(10 * Fraction(text)) for text in told)
        left = 10
        met = next(game for game in SIX_ROUNDS if game.b == name)
        against = dominion.sub_of(met)
        if against is not None:
            left, main, sub = 9, main - dominion.main_of(met, WORTH)[1], sub - against[1]
        # Of the games left, w are won, d drawn, the rest lost; the first won and the last lost take up the margin.
        wins, draws = next(
            (w, d) for w in range(1, left) for d in range(left - w) if 3 * w + 2 * d + (left - w - d) == main
        )
        margins = [1] * wins + [0] * draws + [-1] * (left - wins - draws)
        rest = sub - sum(margins)
        margins[0 if rest > 0 else -1] += rest
        games += [GameRecord(10 + n, name, f"{name} {n}", "played", 100 + m, 100) for n, m in enumerate(margins)]
    return games


def test_the_opponents_of_one_player() -> None:
    """1.4, 2.3, 1.9, 1.7 without the round that was left: 1.8; of -3.8, 8.3, 2.5, 0.3 likewise 1.6."""
    games = with_these_means()
    table = dominion.table(["p", *OPPONENTS], games, WORTH, {"p": 1}).means()
    told = {name: (table[name].main_mean, table[name].sub_mean) for name in OPPONENTS}
    assert told == {name: (Fraction(main), Fraction(sub)) for name, (main, sub) in OPPONENTS.items()}
    assert (
        table["p"].opp_main_mean == Fraction("1.8") == Fraction("1.4") / 3 + Fraction("2.3") / 3 + Fraction("1.7") / 3
    )
    assert table["p"].opp_sub_mean == Fraction("1.6")


def test_equal_in_the_final_the_better_of_the_rounds_stands_higher() -> None:
    game = entered("ABCDEF", rounds_of(1, top_cut=3), attrs.evolve(DEFAULT, table_size=3))
    play_bout(game, {"A": 30, "B": 0, "C": 20, "D": 0, "E": 10, "F": 0})
    first, second, third = game.state.current.active
    score(game, **{first: 30, second: 36, third: 36})
    assert game.state.ranking[:3] == (second, third, first)
