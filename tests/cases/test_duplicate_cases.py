"""Cases from real life about boards that many tables play: each named after its number and driven through a match."""

import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest

from coordinator.engine import duplicate, events
from coordinator.engine.definition import Datum, Duplicate, Round, Stage
from coordinator.engine.numbers import Number
from coordinator.engine.stage_rules import rank_players
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, match_of, score, started

DATA = Path(__file__).with_name("data") / "bridge"
VECTORS: list[dict[str, Any]] = json.loads((DATA / "datum_vectors.json").read_text(encoding="utf-8"))["vectors"]
QUIET = attrs.evolve(CLOCKED, table_timeout_ms=100 * CLOCKED.clock.bout_ms)
"""Tables that play for hours without a word."""


def bridge(**rule: Any) -> Stage:
    """One table of four for each result, partners together, IMPs; nothing is left out unless it is said."""
    datum = Datum(rule.pop("share", Fraction(0)), rule.pop("drop", None), rule.pop("round", 0))
    told = Duplicate(scale="imp", datum=datum, required_boards=1, directions=("NS", "EW", "NS", "EW"))
    return attrs.evolve(QUIET, table_size=4, bouts=2, duplicate=attrs.evolve(told, **rule))


def played(stage: Stage, results: list[int], tables: int = 0) -> Game:
    """North and south of each table had this result; tables beyond the results have none."""
    game = started(stage, players=4 * max(tables, len(results)))
    for table, result in zip(list(game.state.tables.values()), results, strict=False):
        north, east, south, west = table.seats
        score(game, **{north: result, east: -result, south: result, west: -result})
    return game


def points(game: Game, table: int, seat: int = 1) -> Number:
    return game.state.entrants[f"p{4 * (table - 1) + seat}"].points


def datums(game: Game) -> tuple[Number, ...]:
    compared: events.BoardCompared = [event for event in game.of(events.BoardCompared) if event.board_no == 1][-1]
    return compared.datums


def test_the_stored_total_is_that_of_the_score_sheet() -> None:
    stage = attrs.evolve(QUIET, table_size=2, round=Round(hands=3))
    game = started(stage, players=10)
    luck = random.Random(68)
    sheet: dict[int, list[tuple[tuple[str, ...], tuple[int, ...]]]] = {}
    while running := [table for table in game.state.tables.values() if table.in_hand]:
        table = luck.choice(running)
        board_no, result = table.hand_no, luck.randrange(-300, 300)
        sheet.setdefault(board_no, []).append((table.seats, (result, -result)))
        score(game, **dict(zip(table.seats, (result, -result), strict=True)))
        totals: dict[str, Number] = dict.fromkeys(game.state.entrants, 0)
        for rows in sheet.values():
            for seat in (0, 1) if len(rows) > 1 else ():
                column = [scores[seat] for _, scores in rows]
                datum = duplicate.datum(column, len(column) // 4)
                for seats, scores in rows:
                    totals[seats[seat]] += duplicate.points(scores[seat] - datum, "sp")
        assert totals == {player: entrant.points for player, entrant in game.state.entrants.items()}


def test_nobody_stands_above_a_better_average() -> None:
    stage = attrs.evolve(QUIET, table_size=2, round=Round(hands=20))
    game = started(stage, players=10)
    luck = random.Random(69)
    for _ in range(90):
        table = luck.choice([table for table in game.state.tables.values() if table.in_hand])
        result = luck.randrange(-300, 300)
        score(game, **dict(zip(table.seats, (result, -result), strict=True)))
        entrants = game.state.entrants
        order = rank_players(game.state.rules, game.state.stage_rules, list(entrants.values()))
        means = [Fraction(duplicate.mean(entrants[p].points, entrants[p].boards)) for p in order]
        assert means == sorted(means, reverse=True)
        shown = [float(duplicate.shown(mean)) for mean in means]
        assert shown == sorted(shown, reverse=True), "nor above one that reads better"
        assert sorted(order) == sorted(entrants)


def test_boards_in_play_do_not_count() -> None:
    game = played(bridge(), [100, 200, 300])
    game.t += CLOCKED.clock.bout_ms
    before = {player: (entrant.points, entrant.boards) for player, entrant in game.state.entrants.items()}
    game.fire_due()
    assert game.state.current.bout_no == 2
    assert all(table.in_hand for table in game.state.tables.values())
    assert before == {player: (entrant.points, entrant.boards) for player, entrant in game.state.entrants.items()}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{len(vector['scores'])} results")
def test_case_170_datum_with_the_extremes_left_out(vector: dict[str, Any]) -> None:
    game = played(bridge(drop=vector["drop"], share=Fraction(1, 4), round=10), vector["scores"])
    assert datums(game) == (vector["datum"], -vector["datum"])
    for table, imps in enumerate(vector.get("imps", ()), start=1):
        assert [points(game, table, seat) for seat in (1, 2, 3, 4)] == [imps, -imps, imps, -imps]


def test_case_170_a_quarter_is_the_same_set_and_the_datum_stays_exact() -> None:
    vector = VECTORS[1]
    game = played(bridge(share=Fraction(1, 4)), vector["scores"])
    assert datums(game) == (Fraction(str(vector["mean"])), -Fraction(str(vector["mean"])))


def test_case_171_few_results_and_nothing_is_left_out() -> None:
    quarter = bridge(share=Fraction(1, 4))
    three = played(quarter, VECTORS[0]["scores"])
    assert datums(three) == (340, -340)
    two = played(quarter, [650, 170])
    assert datums(two) == (410, -410)
    assert [points(two, 1), points(two, 2)] == [6, -6]
    one = played(quarter, [650])
    assert datums(one) == (650, -650)
    assert (points(one, 1), one.state.entrants["p1"].boards) == (0, 0), "it does not count before there are two"
    none = played(quarter, [], tables=2)
    assert none.state.current.boards == {}
    while none.state.status == "running":
        none.t = min(none.state.timers.values())
        none.fire_due()
    assert len(none.of(events.BoardsVoided)) == 2
    assert none.of(events.BoardCompared) == []


def test_case_175_the_usual_scale_and_not_a_printed_slip() -> None:
    assert [duplicate.points(200 - 480, "imp"), duplicate.points(480 - 200, "imp")] == [-7, 7]


def test_case_178_passed_out_is_a_result_and_missing_is_not() -> None:
    results = [90, 0, -50, -50]
    assert datums(played(bridge(share=Fraction(1, 4)), results, tables=5)) == (-25, 25)
    game = played(bridge(), results, tables=5)
    assert datums(game) == (Fraction(-5, 2), Fraction(5, 2))
    assert [game.state.entrants[f"p{4 * table + 1}"].boards for table in range(5)] == [1, 1, 1, 1, 0]
    game.t += CLOCKED.clock.bout_ms
    game.fire_due()
    game.t += CLOCKED.clock.grace_ms
    game.fire_due()
    assert game.of(events.BoardsVoided)[0].table_ids == (5,)
    assert game.state.entrants["p17"].boards == 0, "the board that was cut is no result either"


def test_case_180_two_fields_that_were_never_compared() -> None:
    """R-DU-01: who is compared with whom follows from the direction, and with it how many winners there are."""
    rows = movement()
    assert fields(rows) == [{1, 2, 3}, {4, 5, 6}]
    table, round_no = rows[0]["table"], rows[0]["round"]
    turned = [
        {**row, "ns": row["ew"], "ew": row["ns"]} if (row["table"], row["round"]) == (table, round_no) else row
        for row in rows
    ]
    assert fields(turned) == [{1, 2, 3, 4, 5, 6}]


def test_case_180_a_field_is_ranked_by_its_own_direction() -> None:
    """What happens to one direction in hands that are not zero-sum moves nobody of the other."""
    stage = attrs.evolve(QUIET, table_size=2, duplicate=Duplicate(scale="raw", required_boards=1))
    outcomes = []
    for east_west in ([0, 0, 0], [900, -400, 70]):
        game = Game(match_of(stage, players=6)).register(6)
        for table, (north_south, other) in enumerate(zip([50, -20, 110], east_west, strict=True)):
            score(game, **{f"p{2 * table + 1}": north_south, f"p{2 * table + 2}": other})
        outcomes.append([game.state.entrants[player].points for player in ("p1", "p3", "p5")])
    assert outcomes[0] == outcomes[1]
    assert sum(outcomes[0]) == 0


def movement() -> list[dict[str, Any]]:
    """The movement of three tables: who sat where in each round, with which boards."""
    text = (DATA / "movement_Mitchell3Table.yaml").read_text(encoding="utf-8").partition("hands:")[2]
    found = re.findall(r"table: (\d+)\s+round: (\d+)\s+ns: (\d+)\s+ew: (\d+)\s+boards:((?:\s+- \d+)+)", text)
    return [
        {
            "table": int(table),
            "round": int(round_no),
            "ns": int(ns),
            "ew": int(ew),
            "boards": [int(board) for board in re.findall(r"\d+", boards)],
        }
        for table, round_no, ns, ew, boards in found
    ]


def fields(rows: list[dict[str, Any]]) -> list[set[int]]:
    """The pairs that are compared with each other, directly or through others: one winner for each set."""
    met: dict[tuple[int, int], set[int]] = {}
    for row in rows:
        for lane, pair in enumerate((row["ns"], row["ew"])):
            for board in row["boards"]:
                met.setdefault((board, lane), set()).add(pair)
    sets: list[set[int]] = []
    for pairs in met.values():
        touching = [known for known in sets if known & pairs]
        sets = [known for known in sets if not known & pairs] + [pairs.union(*touching)]
    return sorted(sets, key=min)
