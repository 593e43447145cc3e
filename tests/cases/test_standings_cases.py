"""Cases from real life about the published order: before a game, with equals, with byes, with one person twice."""

import csv
import json
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, dominion
from coordinator.engine import effects as fx
from coordinator.engine.definition import Grouping, MainPoints, Round, Stage
from coordinator.engine.dominion import GameRecord
from coordinator.engine.state import Entrant
from coordinator.shell.standings import ranked
from protocol import messages as m
from tests.cases.case_data import DATA
from tests.engine.dominion_play import bye, ends, enter_late, entered, games, play_bout, refused, rounds_of, withdraw
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, DOMINION, KNOCKOUT, MELEE, SWISS, match_of, places, score_all, seats, started
from tests.shell.premises import premises
from tests.shell.programs import enter

HALVES = MainPoints(win=2, default_win=2, draw=1, loss=0)
"""Chess points times two."""


def test_case_070_bouts_without_a_game_are_in_no_mean() -> None:
    """R-DM-05, R-DM-07: three on equal points, each with one bye. Real games alone count: 2 for each of them, as
    Sonneborn-Berger gives when byes are left out."""
    records = [*games(1, ("A", 1, "B", 0)), bye(1, "C"), *games(2, ("C", 1, "A", 0)), bye(2, "B")]
    records += [*games(3, ("B", 1, "C", 0)), bye(3, "A")]
    means = dominion.table(list("ABC"), records, MainPoints()).means()
    assert [means[name].main_sum for name in "ABC"] == [7, 7, 7]
    assert [means[name].opp_main_mean for name in "ABC"] == [2, 2, 2]
    game = entered("ABC", rounds_of(3))
    for _ in range(3):
        [(a, b)] = seats(game)
        winner, loser = (a, b) if (a, b) in (("A", "B"), ("C", "A"), ("B", "C")) else (b, a)
        ends(game, winner, 1, loser, 0)
    assert list(game.state.ranking) == list("ABC"), "and then the order of entry"


def test_case_070_a_bye_weakens_and_strengthens_no_opponent() -> None:
    """The tiny fields among the data: who met A counts A's games, never A's bye."""
    vectors = json.loads((DATA / "tiebreak" / "small_vectors.json").read_text(encoding="utf-8"))["vectors"]
    [field] = [vector for vector in vectors if vector["kind"] == "same, with byes worth 6"]
    records = []
    for bout_no, pairs in enumerate(field["rounds"], start=1):
        for a, b, *vp in pairs:
            records += [bye(bout_no, a)] if b is None else [GameRecord(bout_no, a, b, "played", *vp)]
    six = MainPoints(win=6, default_win=6, draw=3, loss=0)
    means = dominion.table(list("ABC"), records, six).means()
    assert {name: means[name].main_sum for name in "ABC"} == field["points"]
    # C met B (whose one game was drawn) and A (whose one game was won); with byes counted it would be 5.25.
    assert means["C"].opp_main_mean == Fraction(3 + 6, 2)
    assert means["A"].opp_main_mean == means["B"].opp_main_mean == Fraction(3, 2)


SCORES = (10, 10, 10, 10, 10, 9, 9, 8)


@pytest.mark.parametrize("event_class", ["regular", "swiss"])
def test_case_081_equal_scores_share_no_rank(event_class: str) -> None:
    """Conventions 0.3, R-TB-01 to R-TB-03: a strict order, by the last hand where it counts, then by registration."""
    stage = attrs.evolve(SWISS, table_size=4, round=Round(hands=2), grouping=Grouping(kind="swiss"))
    if event_class == "regular":
        stage = attrs.evolve(stage, tie_chain=("last_hand", "registration"))
    game = started(stage, players=8, event_class=event_class)
    last = {f"p{n}": n for n in range(1, 9)}
    score_all(game, {f"p{n}": worth - n for n, worth in enumerate(SCORES, start=1)})
    score_all(game, last)
    assert [game.state.entrants[f"p{n}"].score for n in range(1, 9)] == list(SCORES)
    got = places(game)
    first = [5, 4, 3, 2, 1, 7, 6, 8] if event_class == "regular" else [1, 2, 3, 4, 5, 6, 7, 8]
    assert [got[f"p{n}"] for n in range(1, 9)] == first
    assert sorted(got.values()) == list(range(1, 9))


def test_case_084_one_person_has_one_line() -> None:
    game = entered("ABCDEF", rounds_of(4))
    play_bout(game)
    withdraw(game, "D")
    before = game.state.entrants["A"].reg_seq
    again = enter_late(game, "A")
    assert getattr(again, "events", None) == ()
    assert refused(game, commands.RegisterPlayer(game.t, "D", "D")).code == "match_closed"
    while game.state.status == "running":
        lines = Counter(ranked(game.state))
        assert lines == Counter("ABCDEF")
        sitting = [player for at_table in seats(game) for player in at_table]
        assert len(sitting) == len(set(sitting))
        play_bout(game)
    assert game.state.entrants["A"].reg_seq == before
    assert sorted(game.state.ranking) == list("ABCDEF")


def shown(entrant: Entrant, by: str) -> tuple[object, ...]:
    """What a table of standings shows to rank by."""
    if by == "main":
        return (entrant.points,)
    return (entrant.points, entrant.score) if by == "points" else (entrant.score,)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["swiss_shift", "placement", "knockout", "melee", "swiss_1v1"])
def test_case_069_the_published_order_is_sorted_by_what_it_shows(name: str, seed: int) -> None:
    """After every result: those who are in, and after the end everybody whom the last bout or stage ranked."""
    stage, players, by = FIELDS[name]
    game = Game(match_of(stage, players=players), seed=seed, scorer=small_scores).register(players)
    published = 0
    while game.state.status == "running" and published < 200:
        game.play(1)
        if game.state.status != "running":
            break
        published += 1
        order = ranked(game.state)
        assert sorted(order) == sorted(game.state.entrants), "everybody, once"
        lines = [shown(game.state.entrants[player], by) for player in order if player in game.state.current.active]
        assert lines == sorted(lines, reverse=True)
    assert published > 5


def small_scores(hand: fx.StartHand, seats: tuple[str, ...], rng: random.Random) -> tuple[int, ...]:
    """Scores that are often equal, around a line of 25 of a base of 100."""
    return tuple(rng.choice((-400, -1, 0, 0, 1, 400)) for _ in seats)


FIELDS: dict[str, tuple[Stage, int, str]] = {
    "swiss_shift": (attrs.evolve(SWISS, bouts=6), 20, "score"),
    "placement": (attrs.evolve(SWISS, scoring="placement", bouts=6), 20, "points"),
    "knockout": (attrs.evolve(KNOCKOUT, bouts="until_done", round=Round(hands=2)), 27, "score"),
    "melee": (attrs.evolve(MELEE, grouping=Grouping(shuttle_size=6, max_wait_ms=1)), 30, "score"),
    "swiss_1v1": (attrs.evolve(DOMINION, bouts=5), 11, "main"),
}


async def test_case_085_standings_before_the_first_bout(mock_clock: Any) -> None:
    """Everybody who is in, by registration, with the ranks 1 to n (R-TB-02)."""
    async with premises({"manual": match_of(DEFAULT)}) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "manual", ref=1))
        await enter(lobby, "cup", ["zoe", "ann", "max"])
        shown = house.picture.match("cup")
        assert shown is not None
        lines = [(line["rank"], line["player_id"], line["score"]) for line in shown["standings"]]
        assert lines == [(1, "zoe", 0), (2, "ann", 0), (3, "max", 0)]
        player = house.picture.player("cup", "ann")
        assert player is not None
        assert player["rank"] == 2


def all_against_all() -> tuple[dominion.Table, list[dict[str, str]]]:
    """The numbers of ten players after 45 games, and what was published."""
    with (DATA / "tiebreak" / "rr10_games.csv").open(encoding="utf-8") as file:
        played = list(csv.DictReader(file))
    with (DATA / "tiebreak" / "rr10_published.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    vp = {"1-0": (1, 0), "0-1": (0, 1), "=": (0, 0)}
    records = [GameRecord(int(r["round"]), r["white"], r["black"], "played", *vp[r["result"]]) for r in played]
    assert len(records) == 45
    return dominion.table([row["player"] for row in published], records, HALVES), published


def test_case_090_ten_players_all_against_all() -> None:
    """Points as published; the second key of the chain is twice the opponents' points, shared by 81."""
    table, published = all_against_all()
    points = {row["player"]: Fraction(row["points"]) for row in published}
    means = table.means()
    assert {player: Fraction(each.main_sum, 2) for player, each in means.items()} == points
    total = sum(points.values())
    assert total == 45
    for player, each in means.items():
        assert each.opp_main_mean == 2 * (total - points[player]) / 81
    [main] = table.chosen(("main_sum", "entry_order"))
    order = [row["player"] for row in published]
    assert [order[row] for row in sorted(range(10), key=lambda row: (-main[row], row))] == order
