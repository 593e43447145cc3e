"""Cases from real life around pairing, byes, coming and going: what broke elsewhere, played as a Dominion Swiss."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations

import attrs
import pytest

from coordinator.engine import commands, dominion, events
from coordinator.engine import effects as fx
from coordinator.engine.checks.advice import field_advice
from coordinator.engine.definition import MainPoints
from coordinator.engine.dominion import GameRecord
from coordinator.engine.pairing import by_rank
from coordinator.engine.stage_rules import dominion_table
from coordinator.history_file import load_history
from coordinator.shell.standings import ranked
from tests.cases.case_data import DATA, REPORTS
from tests.engine.dominion_play import (
    all_pairs,
    bye,
    ends,
    enter_late,
    entered,
    games,
    next_bout,
    pairs,
    pairs_now,
    play_bout,
    points_of,
    ranking_of,
    refused,
    rematches_only_when_forced,
    rounds_of,
    seated,
    withdraw,
)
from tests.engine.playing import Game
from tests.engine.stages import (
    DEFAULT,
    DOMINION,
    SWISS,
    lower_numbers_win,
    match_of,
    report,
    score_all,
    started,
    table_of,
)


def test_case_001_no_rematch_while_a_fresh_opponent_exists() -> None:
    game = entered("ABCD", rounds_of(3))
    ends(game, "A", 20, "B", 10)
    ends(game, "C", 20, "D", 10)
    assert pairs_now(game) == pairs("AC", "BD")
    ends(game, "A", 20, "C", 10)
    ends(game, "B", 20, "D", 10)
    assert ranking_of(game) == list("ABCD")
    assert pairs_now(game) == pairs("AD", "BC")


@pytest.mark.parametrize("pattern", range(64))
def test_case_002_six_players_play_all_five_rounds(pattern: int) -> None:
    won = [(20, 10) if pattern >> number & 1 else (10, 20) for number in range(6)]
    history = [
        games(1, *((pair[0], x, pair[1], y) for pair, (x, y) in zip(("AD", "BE", "CF"), won[:3], strict=True))),
        games(2, *((pair[0], x, pair[1], y) for pair, (x, y) in zip(("AE", "BF", "CD"), won[3:], strict=True))),
    ]
    met = [pairs("AD", "BE", "CF"), pairs("AE", "BF", "CD")]
    for bout_no in (3, 4, 5):
        bout = next_bout("ABCDEF", history, of=5)
        assert not bout.rematch
        met.append(set(map(frozenset, bout.tables)))
        history.append(games(bout_no, *((a, 20, b, 10) for a, b in bout.tables)))
    assert met[2] != pairs("AF", "BD", "CE")
    assert set().union(*met) == all_pairs("ABCDEF")


def test_case_002_a_dead_end_is_a_marked_bout_of_rematches() -> None:
    history = [games(1, ("A", 2, "B", 1), ("C", 2, "D", 1)), games(2, ("A", 2, "C", 1), ("B", 2, "D", 1))]
    history.append(games(3, ("A", 2, "D", 1), ("B", 2, "C", 1)))
    bout = next_bout("ABCD", history, of=4)
    assert bout.rematch
    assert [set(table) for table in bout.tables] == [{"A", "B"}, {"C", "D"}]


def test_case_005_draws_alone_pair_on() -> None:
    game = entered("ABCD", rounds_of(3))
    met: list[frozenset[str]] = []
    for _ in range(3):
        met += pairs_now(game)
        play_bout(game, dict.fromkeys("ABCD", 7))
    assert game.state.status == "over"
    assert set(met) == all_pairs("ABCD")
    assert list(game.state.ranking) == list("ABCD")


def test_case_006_the_list_that_is_paired_is_the_published_one() -> None:
    game = entered("ABCDEFGH", rounds_of(5), seed=3)
    for _ in range(4):
        play_bout(game)
        published = ranked(game.state)
        assert list(game.state.current.active) == published == ranking_of(game)
        met = dominion.opponents_met(game.state.current.games)
        more = () if game.state.current.bout_no < 5 else None
        by_the_list = by_rank(published, met, next_byes=more).pairs
        assert set(map(frozenset, by_the_list)) == pairs_now(game)


def test_case_007_who_had_a_bye_stands_where_the_chain_says() -> None:
    history = [[*games(1, ("A", 30, "B", 20), ("C", 25, "D", 25)), bye(1, "E")]]
    bout = next_bout("ABCDE", history, of=3)
    # E, with a bye's 3 points and undefined means of 0, stands between A (with means) and the draws.
    assert bout.byes == ("B",)
    assert set(map(frozenset, bout.tables)) == pairs("AC", "ED")


@pytest.mark.parametrize(("worth", "total"), [(3, 9), (2, 8)])
def test_case_015_the_value_of_a_bye_is_one_setting(worth: int, total: int) -> None:
    game = entered("BCA", rounds_of(3, main_points=MainPoints(default_win=worth)))
    assert seated(game)[0].byes == ("A",)
    assert points_of(game, "A") == worth
    for _ in range(3):
        play_bout(game, {"A": 30, "B": 20, "C": 10})
    assert points_of(game, "A") == total


@pytest.mark.parametrize(
    ("table_size", "points", "worth"), [(4, (7, 5, 3, 1), 6), (3, (5, 3, 1), 4), (2, (3, 1), 2), (3, None, 4)]
)
def test_case_015_under_placement_points_a_bye_is_the_mean_of_the_first_two(
    table_size: int, points: tuple[int, ...] | None, worth: int
) -> None:
    """R-CA-01; the player who rests is shown what is added."""
    stage = attrs.evolve(SWISS, table_size=table_size, scoring="placement", placement_points=points, bouts=2)
    game = started(stage, players=table_size + 1)
    [resting] = game.of(events.TablesSeated)[0].byes
    assert game.state.entrants[resting].points == worth
    score_all(game, lower_numbers_win)
    earned = {player: entrant.points for player, entrant in game.state.entrants.items()}
    [second] = game.of(events.TablesSeated)[1].byes
    assert second != resting
    assert earned[second] - worth in (points or (5, 3, 1))


@pytest.mark.parametrize("delta", [0, 25])
def test_case_015_under_total_score_a_bye_is_its_delta(delta: int) -> None:
    game = started(attrs.evolve(SWISS, bye_delta=delta, bouts=2), players=4)
    [resting] = game.of(events.TablesSeated)[0].byes
    assert game.state.entrants[resting].score == delta
    score_all(game, lambda player: 0)
    assert sum(entrant.score for entrant in game.state.entrants.values()) == 2 * delta


@pytest.mark.parametrize("seed", range(50))
def test_case_016_nobody_sits_out_twice_before_everybody_has(seed: int) -> None:
    game = entered("ABCDEFG", attrs.evolve(DOMINION, bouts=6), seed=seed)
    for _ in range(6):
        play_bout(game)
    rested = [player for bout in seated(game) for player in bout.byes]
    assert len(rested) == len(set(rested)) == 6


def test_case_018_the_lowest_without_a_bye_sits_out() -> None:
    game = entered("ABCDEFGHI", attrs.evolve(DOMINION, bouts=5), seed=8)
    had: Counter[str] = Counter(seated(game)[0].byes)
    for number in range(1, 5):
        play_bout(game)
        order = list(game.state.current.active)
        fewest = min(had[player] for player in order)
        lowest = [player for player in order if had[player] == fewest][-1]
        assert seated(game)[number].byes == (lowest,)
        had[lowest] += 1


def test_case_022_one_rests_in_an_odd_field_and_nobody_in_an_even_one() -> None:
    game = entered("ABCDEFGHI", attrs.evolve(DOMINION, bouts=6))
    withdraw(game, "I")
    play_bout(game)
    assert [len(bout.byes) for bout in seated(game)] == [1, 0]
    enter_late(game, "J")
    play_bout(game)
    assert len(seated(game)[-1].byes) == 1
    enter_late(game, "K")
    play_bout(game)
    assert seated(game)[-1].byes == ()


def test_case_023_a_bye_is_credited_from_the_opening_of_the_bout() -> None:
    game = entered("ABC", rounds_of(3))
    assert seated(game)[0].byes == ("C",)
    assert (points_of(game, "C"), points_of(game, "A")) == (3, 0)
    ends(game, "A", 2, "B", 1)
    [first] = [record for record in game.state.current.games if record.bout_no == 1 and record.b is not None]
    assert dominion.main_of(first, MainPoints()) == (3, 1)
    assert points_of(game, "A") == 3 + (3 if "A" in seated(game)[1].byes else 0)


def test_case_025_a_bye_is_no_table() -> None:
    game = entered("ABCDE", rounds_of(3))
    assert game.state.entrants["E"].table_id is None
    before = list(game.events)
    right = report(game, {"A": 3, "B": 1})
    assert refused(game, attrs.evolve(right, scores={"E": 9})).code == "wrong_players"
    assert refused(game, attrs.evolve(right, table_id=99)).code == "unknown_table"
    assert game.events == before


@pytest.mark.parametrize("seed", range(20))
def test_case_026_nine_players_nine_rounds(seed: int) -> None:
    game = entered("ABCDEFGHI", attrs.evolve(DOMINION, bouts=9), seed=seed)
    for _ in range(9):
        play_bout(game)
    assert game.state.status == "over"
    rested = [player for bout in seated(game) for player in bout.byes]
    assert sorted(rested) == list("ABCDEFGHI")
    assert rematches_only_when_forced(game)


def test_case_026_the_replayed_totals_equal_the_file() -> None:
    told = load_history(REPORTS / "lichess_swiss_9p_9r.trf")  # which compares the points of every line with its results
    twice = MainPoints(win=2, default_win=2, draw=1, loss=0)
    table = dominion.table(list(told.names), told.games, twice)
    assert table.columns["main_sum"] == [15, 15, 12, 12, 12, 8, 7, 5, 4]
    played = [record for record in told.games if record.b is not None]
    assert {frozenset((record.a, record.b)) for record in played} == {frozenset(p) for p in combinations(told.names, 2)}
    assert len(played) == 36
    assert sorted(record.a for record in told.games if record.b is None) == sorted(told.names)


@pytest.mark.parametrize("bouts", [9, 10])
def test_case_029_the_door_shuts_once_when_the_last_but_one_is_seated(bouts: int) -> None:
    game = entered([f"p{n}" for n in range(12)], attrs.evolve(DOMINION, bouts=bouts, rematch="allow"))
    answers = []
    for bout in range(1, bouts):
        answers.append(not hasattr(enter_late(game, f"late{bout}"), "code"))
        play_bout(game)
    # Who registers while bout n runs would play from bout n + 1 on.
    assert answers == [bout + 1 <= bouts - 1 for bout in range(1, bouts)]
    last = refused(game, commands.RegisterPlayer(0, "latest", "latest"))
    assert (last.code, f"bout {bouts - 1}" in last.message) == ("match_closed", True)


def test_case_034_a_removal_settles_the_table_at_once() -> None:
    game = entered("ABCD", rounds_of(3))
    play_bout(game, {"A": 4, "B": 3, "C": 2, "D": 1})
    mate = next(p for p in table_of(game, "B").seats if p != "B")
    before = points_of(game, mate), points_of(game, "B")
    withdraw(game, "B")
    assert (points_of(game, mate), points_of(game, "B")) == (before[0] + 3, before[1] - 1)  # type: ignore[operator]
    assert game.state.entrants[mate].state == "waiting"
    [(a, b)] = [tuple(table.seats) for table in game.state.tables.values()]
    ends(game, a, 5, b, 4)
    assert seated(game)[-1].bout_no == 3
    assert {*seated(game)[-1].byes, *(p for table in seated(game)[-1].tables for p in table)} == set("ACD")


@pytest.mark.parametrize(("vp_a", "vp_b"), [(10, 0), (0, 10)])
def test_case_036_the_one_who_stays_has_the_bout_whoever_led(vp_a: int, vp_b: int) -> None:
    game = entered("AB", rounds_of(2, rematch="allow"))
    ends(game, "A", vp_a, "B", vp_b, dropped="B")
    assert (points_of(game, "A"), points_of(game, "B")) == (3, -1)
    means = dominion_table(game.state).means()
    assert {(m.sub_mean, m.main_mean, m.opp_main_mean) for m in means.values()} == {(Fraction(0),) * 3}
    assert game.state.entrants["B"].state == "playing", "who drops plays on in the next bout"


def test_case_044_six_newcomers_for_the_last_round() -> None:
    told = load_history(REPORTS / "py4swiss_burstein_late_entries.trf")
    assert (told.bouts, told.planned, len(told.names)) == (4, 5, 13)
    assert told.joined == {str(number): 5 for number in range(8, 14)}
    history = [[record for record in told.games if record.bout_no == bout_no] for bout_no in (1, 2, 3, 4)]
    last = next_bout(list(told.names), history, of=5, joined=told.joined)
    assert (len(last.tables), len(last.byes), last.rematch) == (6, 1, False)
    assert last.byes[0] in {"2", "3", "5"}, "a bye for those who have had none and missed nothing (R-BY-01)"
    met = dominion.opponents_met(told.games)
    assert not any(b in met.get(a, ()) for a, b in last.tables)


def test_case_073_games_in_play_move_no_tie_break() -> None:
    game = entered("ABCDEFGH", attrs.evolve(DOMINION, bouts=4), seed=5)
    play_bout(game)
    running = list(game.state.tables.values())
    for table in running[:-1]:
        ends(game, table.seats[0], 5, table.seats[1], 3)
    last = running[-1]
    ends(game, last.seats[0], 5, last.seats[1], 3)
    at_opening = dominion_table(game.state)
    finished = [record for record in game.state.current.games if record.bout_no <= 2]
    assert at_opening == dominion.table(at_opening.players, finished, MainPoints())
    a, b = next(iter(game.state.tables.values())).seats
    ends(game, a, 9, b, 1)
    assert dominion_table(game.state) != at_opening


def test_case_077_the_record_comes_before_the_opponents() -> None:
    final = attrs.evolve(DEFAULT, table_size=4)
    game = entered("ABCDEFGH", rounds_of(3, top_cut=4), final, seed=2)
    for _ in range(3):
        play_bout(game)
    [ended] = game.of(events.StageEnded)
    sums = [record_sum(game, player) for player in ended.ranking]
    assert sums == sorted(sums, reverse=True)
    assert list(game.state.current.active) == list(ended.ranking[:4])


def record_sum(game: Game, player: str) -> int:
    """A player's main points, added up from the events."""
    total = 0
    for event in game.events:
        if isinstance(event, events.RoundEnded):
            seats = game.state.closed_tables[event.table_id].seats
            total += sum(int(n) for p, n in zip(seats, event.points, strict=True) if p == player)
        elif isinstance(event, events.TablesSeated):
            total += 3 * event.byes.count(player)
    return total


def test_case_078_the_final_changes_nothing_in_the_rounds() -> None:
    """R-DM-01: two parts, of which the second only orders its own players."""
    game = entered("ABCD", rounds_of(1, top_cut=2), attrs.evolve(DEFAULT, table_size=2))
    play_bout(game, {"A": 9, "B": 1, "C": 8, "D": 2})
    [ended] = game.of(events.StageEnded)
    assert ended.ranking[:2] == ("A", "C")
    ends(game, "A", 1, "C", 5)
    assert game.state.ranking == ("C", "A", *ended.ranking[2:])
    assert game.state.current.games == []


def test_case_079_a_mean_does_not_punish_who_sat_out() -> None:
    records = [bye(1, "B")]
    for number in (1, 2):  # B beats two who win their other games
        strong = f"s{number}"
        records += games(number + 1, ("B", 2, strong, 1))
        records += games(4, (strong, 2, f"x{number}", 1)) + games(5, (strong, 2, f"y{number}", 1))
    for number in (1, 2, 3):  # A beats three who win one more and lose one more
        weak = f"w{number}"
        records += games(number, ("A", 2, weak, 1))
        records += games(4, (weak, 2, f"v{number}", 1)) + games(5, (weak, 1, f"u{number}", 2))
    means = dominion.table(["A", "B"], records, MainPoints()).means()
    assert means["A"].main_sum == means["B"].main_sum == 9
    assert (means["A"].opp_main_mean, means["B"].opp_main_mean) == (Fraction(5, 3), Fraction(7, 3))
    assert 3 * means["A"].opp_main_mean > 2 * means["B"].opp_main_mean, "a sum would have said the opposite"


@pytest.mark.parametrize("division", ["CSW", "NWL"])
def test_case_088_wins_then_spread(division: str) -> None:
    folder = DATA / "wins_spread"
    with (folder / "two_divisions_4r_games.csv").open(encoding="utf-8") as file:
        played = [row for row in csv.DictReader(file) if row["division"] == division]
    with (folder / "two_divisions_4r_published.csv").open(encoding="utf-8") as file:
        published = [row for row in csv.DictReader(file) if row["division"] == division]
    names = sorted({row[side] for row in played for side in "ab"})
    records = [
        GameRecord(int(r["round"]), r["a"], r["b"], "played", int(r["score_a"]), int(r["score_b"])) for r in played
    ]
    table = dominion.table(names, records, MainPoints(win=1, draw=0, loss=0))
    wins, spread = table.chosen(("main_sum", "sub_mean", "entry_order"))
    order = sorted(range(len(names)), key=lambda row: (-wins[row], -spread[row], row))
    assert [names[row] for row in order] == [row["player"] for row in published]
    means = table.means()
    assert [4 * means[names[row]].sub_mean for row in order] == [int(row["spread"]) for row in published]


@pytest.mark.parametrize(("players", "possible"), [(3, 3), (4, 3), (6, 5), (8, 7)])
def test_case_195_more_rounds_than_possible_are_told_before_the_start(players: int, possible: int) -> None:
    definition = match_of(attrs.evolve(DOMINION, bouts=7))
    advice = field_advice(definition, players)
    game = entered([f"p{n}" for n in range(players)], attrs.evolve(DOMINION, bouts=7))
    alarms = [effect.code for effect in game.effects if isinstance(effect, fx.RaiseAlarm)]
    if possible >= 7:
        assert (advice, alarms) == ([], [])
    else:
        assert [mistake.expected for mistake in advice] == [f"at most {possible}"]
        assert alarms == ["rematches_ahead"]
    for _ in range(7):
        play_bout(game)
    assert (game.state.status, len(seated(game))) == ("over", 7)
    assert sum(bout.rematch for bout in seated(game)) >= 7 - possible
    assert rematches_only_when_forced(game)
