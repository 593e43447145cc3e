"""The acceptance vectors of Dominion Swiss, AV-043 to AV-051, AV-123 and AV-124.

Proves R-DM-02, R-DM-03, R-DM-04, R-DM-05, R-DM-06, R-DM-07, R-DM-08, R-DM-09, R-DM-10, R-DM-12.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import dominion
from coordinator.engine.definition import MainPoints
from coordinator.engine.dominion import GameRecord
from coordinator.engine.grouping import split_byes
from coordinator.engine.pairing import by_rank, neighbours
from coordinator.engine.ranking import order
from tests.cases.vectors import vector
from tests.engine.dominion_play import (
    ends,
    enter_late,
    entered,
    pairs_now,
    play_bout,
    points_of,
    ranking_of,
    rounds_of,
    seated,
)
from tests.engine.stages import DEFAULT, score

WORTH = MainPoints()


def record(bout_no: int, told: dict[str, Any]) -> GameRecord:
    kind = {"play": "played"}.get(told["k"], told["k"])
    return GameRecord(bout_no, told["a"], told.get("b"), kind, told.get("va", 0), told.get("vb", 0))


def history(given: dict[str, Any]) -> list[GameRecord]:
    return [record(bout_no, told) for bout_no, bout in enumerate(given["rounds"], start=1) for told in bout]


def ranked(table: dominion.Table) -> list[str]:
    rows = order(table.chosen(dominion.CHAIN), list(range(len(table.players))))
    return [table.players[row] for row in rows]


def acquainted(pairs: list[list[str]]) -> dict[str, dict[str, None]]:
    return dominion.opponents_met([GameRecord(1, a, b, "played") for a, b in pairs])


def test_av_043_points_of_a_game() -> None:
    """R-DM-04."""
    given, expected = vector("AV-043")
    game = GameRecord(1, "a", "b", "played", *given["vp"])
    assert list(dominion.main_of(game, WORTH)) == expected["main"]
    assert list(dominion.sub_of(game) or ()) == expected["sub"]


def test_av_044_main_points_of_every_result() -> None:
    """R-DM-03."""
    given, expected = vector("AV-044")
    worth = {
        "win": dominion.main_of(GameRecord(1, "a", "b", "played", 2, 1), WORTH)[0],
        "draw": dominion.main_of(GameRecord(1, "a", "b", "played", 2, 2), WORTH)[0],
        "loss": dominion.main_of(GameRecord(1, "a", "b", "played", 1, 2), WORTH)[0],
        "default_win": dominion.main_of(GameRecord(1, "a", None, "bye"), WORTH)[0],
        "opp_drop": dominion.main_of(GameRecord(1, "a", "b", "drop_b"), WORTH)[0],
        "drop": dominion.main_of(GameRecord(1, "a", "b", "drop_a"), WORTH)[0],
        "both_drop": dominion.main_of(GameRecord(1, "a", "b", "drop_both"), WORTH)[1],
        "absent": dominion.table(["a"], [], WORTH, {"a": 1}).columns["main_sum"][0],
    }
    assert [worth[case] for case in given["case"]] == expected["main"]


def test_av_045_own_means_leave_out_bouts_without_a_game() -> None:
    """R-DM-06."""
    given, expected = vector("AV-045")
    games: list[GameRecord] = []
    missed = 0
    for bout_no, told in enumerate(given["rounds"], start=1):
        other = f"o{bout_no}"
        if told.get("k") == "absent":
            missed += 1
        elif told.get("k") == "bye":
            games.append(GameRecord(bout_no, "p", None, "bye"))
        elif told.get("k") == "drop":
            games.append(GameRecord(bout_no, "p", other, "drop_a"))
        else:
            games.append(GameRecord(bout_no, "p", other, "played", 10 + told["sub"], 10))
            assert dominion.main_of(games[-1], WORTH)[0] == told["main"]
    means = dominion.table(["p"], games, WORTH, {"p": missed}).means()["p"]
    assert means.main_sum == expected["sum_main"]
    assert (means.main_mean, means.sub_mean) == (Fraction(expected["mean_main"]), Fraction(expected["mean_sub"]))


def test_av_046_the_mean_of_the_opponents_that_count() -> None:
    """R-DM-07. The means of the seed, one decimal each, are those of opponents with ten games."""
    given, expected = vector("AV-046")
    games: list[GameRecord] = []
    for bout_no, (main, sub, counted) in enumerate(
        zip(given["opp_mean_main"], given["opp_mean_sub"], given["counted"], strict=True), start=1
    ):
        if main is None:
            continue
        opponent = f"o{bout_no}"
        games.append(GameRecord(bout_no, "p", opponent, "played" if counted else "drop_b", 1, 0))
        _reach(games, opponent, Fraction(main), Fraction(sub), played=int(counted))
    means = dominion.table(["p"], games, WORTH).means()["p"]
    assert (means.opp_main_mean, means.opp_sub_mean) == (expected["main"], expected["sub"])


def _reach(games: list[GameRecord], player: str, main: Fraction, sub: Fraction, *, played: int) -> None:
    """Add games until this player has ten that count with these means; one loss by a point may be there already."""
    left = 10 - played
    points, margin = int(10 * main) - played, int(10 * sub) + played
    wins, draws = next((w, points - left - 2 * w) for w in range(1, left) if 0 <= points - left - 2 * w < left - w)
    losses = left - wins - draws
    results = [1] * wins + [0] * draws + [-1] * losses
    results[0 if margin > sum(results) else -1] += margin - sum(results)
    assert (sum(results), [(r > 0) - (r < 0) for r in results].count(1)) == (margin, wins)
    for number, result in enumerate(results):
        games.append(GameRecord(100 + number, player, f"{player}x{number}", "played", 500 + result, 500))


def test_av_047_the_ranking_after_one_bout() -> None:
    """R-DM-05."""
    given, expected = vector("AV-047")
    assert ranked(dominion.table(given["entry"], history(given), WORTH)) == expected["order"]


def test_av_048_the_ranking_after_a_drop() -> None:
    """R-DM-05."""
    given, expected = vector("AV-048")
    table = dominion.table(given["entry"], history(given), WORTH)
    assert ranked(table) == expected["order"]
    assert {player: means.main_sum for player, means in table.means().items()} == expected["sum_main"]


def test_av_049_the_bye_and_no_rematch() -> None:
    """R-DM-10."""
    given, expected = vector("AV-049")
    stay, byes = split_byes(given["order"], 2, dict.fromkeys(given["had_bye"], 1), {})
    assert byes == [expected["bye"]]
    found = by_rank(stay, acquainted(given["met"]))
    assert (list(map(list, found.pairs)), found.rematch) == (expected["pairs"], False)


def test_av_050_the_number_of_bouts() -> None:
    """R-DM-02."""
    given, expected = vector("AV-050")
    assert list(map(dominion.bouts_for, given["players"])) == expected["rounds"]


def test_av_051_equal_in_the_final() -> None:
    """R-DM-12: three come to the final in this order; the two who are equal in it keep it."""
    given, expected = vector("AV-051")
    seeds = given["seeds"]
    game = entered([*seeds, "a", "b", "c"], rounds_of(1, top_cut=3), attrs.evolve(DEFAULT, table_size=3))
    # s1 meets s2, s3 meets a, b meets c: the margins bring s1, s3 and b to the top, so the seeds are renamed by rank.
    play_bout(game, {"s1": 30, "s2": 0, "s3": 20, "a": 0, "b": 10, "c": 0})
    finalists = list(game.state.current.active)
    [table] = game.state.tables.values()
    assert list(table.seats) == finalists
    vp = dict(zip(finalists, given["vp"], strict=True))
    score(game, **vp)
    renamed = dict(zip(seeds, finalists, strict=True))
    assert list(game.state.ranking[:3]) == [renamed[seed] for seed in expected["order"]]


def test_av_123_the_first_bout_pairs_the_shuffle() -> None:
    """R-DM-09."""
    given, expected = vector("AV-123")
    pairs, left = neighbours(given["shuffle"])
    assert (list(map(list, pairs)), left) == (expected["pairs"], [expected["bye"]])


def test_av_124_who_comes_late_is_paired_from_the_bottom() -> None:
    """R-DM-11."""
    given, expected = vector("AV-124")
    found = by_rank([*given["order"], given["late"]], acquainted(given["met"]))
    assert list(map(list, found.pairs)) == expected["pairs"]


def test_the_full_example_of_r_dm_08() -> None:
    """R-DM-08, played from registration to the pairing of the third bout."""
    game = entered("ABCDE", rounds_of(4))
    assert seated(game)[0].byes == ("E",)
    ends(game, "A", 30, "B", 20)
    ends(game, "C", 25, "D", 25)
    assert list(game.state.current.active) == list("AECDB")
    assert seated(game)[1].byes == ("B",)
    assert pairs_now(game) == {frozenset("AC"), frozenset("ED")}
    ends(game, "A", 18, "C", 24)
    enter_late(game, "F")
    ends(game, "E", 7, "D", 9, dropped="E")
    assert ranking_of(game) == list("DCBAEF")
    assert {p: points_of(game, p) for p in "DCBAE"} == {"D": 5, "C": 5, "B": 4, "A": 4, "E": 2}
    assert pairs_now(game) == {frozenset("DB"), frozenset("CE"), frozenset("AF")}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_below_five_everybody_meets_everybody(players: int) -> None:
    """R-DM-02 is silent there."""
    assert dominion.bouts_for(players) == {2: 1, 3: 3, 4: 3}[players]
