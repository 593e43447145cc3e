"""The acceptance vectors of the rule catalogue that one pure rule function can answer.

Each test is named after its vector and reads what goes in and what must come out from `vectors.jsonl`.
"""

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from coordinator.definition_file import DefinitionRefused, loads, shipped
from coordinator.engine import duplicate
from coordinator.engine.carry import round_carry, stage_carry
from coordinator.engine.cut import advance_count, cut_count, half_odd, middle_advances
from coordinator.engine.draw import Draw
from coordinator.engine.grouping import depart, random, shuttle_departure, snake, split_byes, swiss, ui
from coordinator.engine.growth import base_at, elim_line, is_out, tick_at
from coordinator.engine.payment import settle, two_party
from coordinator.engine.ranking import (
    batch_places,
    chain_for,
    order,
    places_of_eliminated,
    table_places,
    tie_columns,
)
from coordinator.engine.rounds import Outcome, fixed_hands_over, seating_over, target_over
from coordinator.engine.scoring import award_points, bye_points, hand_scores, placement_points_default, total
from coordinator.engine.target_advisor import advise_target, percent
from tests.cases.vectors import VECTORS, vector

KEY = "5eed" * 16


def test_every_vector_is_there_once() -> None:
    lines = VECTORS.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"AV-{n:03}" for n in range(1, 127)]


def test_av_001_the_standard_point_table() -> None:
    """R-DU-03."""
    given, expected = vector("AV-001")
    assert [duplicate.points(difference, "sp") for difference in given["diff"]] == expected["sp"]


def test_av_002_the_sign_follows_the_difference() -> None:
    """R-DU-03."""
    given, expected = vector("AV-002")
    assert [duplicate.points(difference, "sp") for difference in given["diff"]] == expected["sp"]


def compared(results: list[int]) -> tuple[int, int | Fraction, list[int | Fraction]]:
    drop = duplicate.trim_each_end(len(results), Fraction(1, 4))
    datum = duplicate.datum(results, drop)
    return drop, datum, [duplicate.points(result - datum, "sp") for result in results]


def test_av_003_the_norths_of_the_seed() -> None:
    """R-DU-02: two of eight at each end, and the results left out are scored all the same."""
    given, expected = vector("AV-003")
    assert compared(given["results"]) == (expected["trim_each_end"], expected["datum"], expected["sp"])


def test_av_004_how_many_are_left_out() -> None:
    """R-DU-02."""
    given, expected = vector("AV-004")
    assert [duplicate.trim_each_end(n, Fraction(1, 4)) for n in given["n"]] == expected["trim_each_end"]


def test_av_005_a_datum_that_is_no_whole_number() -> None:
    """R-DU-02, R-DU-03."""
    given, expected = vector("AV-005")
    assert compared(given["results"])[1:] == (Fraction(expected["datum"]), expected["sp"])


def test_av_006_the_mean_decides_and_then_more_boards() -> None:
    """R-DU-04."""
    given, expected = vector("AV-006")
    rows = given["players"]
    sums, boards = [row["sp_sum"] for row in rows], [row["boards"] for row in rows]
    order = duplicate.order(sums, boards, list(range(1, len(rows) + 1)))
    assert [rows[row]["id"] for row in order] == expected["order"]
    shown = {row["id"]: duplicate.shown(duplicate.mean(row["sp_sum"], row["boards"])) for row in rows}
    assert {name: shown[name] for name in expected["shown"]} == expected["shown"]


def test_av_007_too_few_boards_are_no_result() -> None:
    """R-DU-05."""
    given, expected = vector("AV-007")
    rows = given["players"]
    boards = [row["boards"] for row in rows]
    sums = [Fraction(row["avg"]) * count for row, count in zip(rows, boards, strict=True)]
    ranked, short = duplicate.result_order(sums, boards, [1, 2], given["required_boards"])
    assert [rows[row]["id"] for row in ranked] == expected["ranked"]
    assert [rows[row]["id"] for row in short] == expected["no_result"]


def test_av_116_newcomers_count_as_0_and_the_lowest_sits_out() -> None:
    """R-CS-01."""
    given, expected = vector("AV-116")
    names = list(given["avg_sp"])
    boards = [0 if average is None else 10 for average in given["avg_sp"].values()]
    sums = [10 * (average or 0) for average in given["avg_sp"].values()]
    order = [names[row] for row in duplicate.seating_order(sums, boards, list(range(1, len(names) + 1)))]
    assert order == expected["order"]
    stay, byes = split_byes(order, given["table_size"], {}, {})
    assert (byes, len(stay)) == ([expected["bye"]], given["table_size"])


def test_av_008_the_winners_stack_caps_the_payment() -> None:
    """R-MP-01."""
    given, expected = vector("AV-008")
    loser, winner, fee = two_party(given["winner"], given["loser"], given["due"])
    assert (loser, winner, fee) == (-expected["pays"], expected["pays"], 0)


def test_av_009_the_losers_stack_caps_the_payment() -> None:
    """R-MP-01."""
    given, expected = vector("AV-009")
    loser, winner, fee = two_party(given["winner"], given["loser"], given["due"])
    assert (loser, winner, fee) == (-expected["pays"], expected["pays"], 0)


def test_av_010_the_fee_is_inside_the_payment() -> None:
    """R-MP-01."""
    given, expected = vector("AV-010")
    loser, winner, fee = two_party(given["winner"], given["loser"], given["due"], given["fee"])
    assert {"loser_delta": loser, "winner_delta": winner, "fee": fee} == expected


def test_av_011_a_payer_short_of_points_pays_in_proportion() -> None:
    """R-MP-01."""
    given, expected = vector("AV-011")
    stacks = [given["payer"]["stack"], *(due["stack"] for due in given["due"])]
    amounts = [due["amount"] for due in given["due"]]
    real, fee = settle(stacks, [-sum(amounts), *amounts])
    assert dict(zip((due["to"] for due in given["due"]), real[1:], strict=True)) == expected["pays"]
    assert (real[0], fee) == (-sum(expected["pays"].values()), 0)


def test_av_012_a_small_winner_takes_its_stack_from_each_payer() -> None:
    """R-MP-01."""
    given, expected = vector("AV-012")
    stacks = [given["winner"]["stack"], *(due["stack"] for due in given["due"])]
    amounts = [due["amount"] for due in given["due"]]
    real, fee = settle(stacks, [sum(amounts), *(-amount for amount in amounts)])
    assert (real[0], fee) == (expected["winner_delta"], 0)


def test_av_052_take_two_of_four() -> None:
    """R-KO-02."""
    given, expected = vector("AV-052")
    tables = swiss(range(given["players"]), given["table_size"])
    assert len(tables) == expected["tables"]
    assert advance_count(given["table_size"], len(tables), given["take"]) == expected["advance"]


def test_av_053_middle_places_of_all_tables_are_ranked_together() -> None:
    """R-KO-04."""
    given, expected = vector("AV-053")
    tables = list(range(1, given["tables"] + 1))
    columns = tie_columns(["last_hand", "registration"], given["second_last_hand"])
    ranked = [tables[row] for row in order([given["second_scores"], *columns], tables)]
    assert middle_advances(ranked) == expected["second_advance_tables"]
    assert advance_count(given["table_size"], given["tables"], "half") == expected["advance_total"]


def test_av_054_half_of_odd_tables() -> None:
    """R-KO-04."""
    given, expected = vector("AV-054")
    advancing = [advance_count(given["table_size"], tables, "half") for tables in given["tables"]]
    assert advancing == expected["advance_total"]


def test_av_055_half_of_even_tables() -> None:
    """R-KO-03."""
    given, expected = vector("AV-055")
    tables = given["players"] // given["table_size"]
    assert advance_count(given["table_size"], tables, "half") == expected["advance"]


def test_av_056_three_ways_to_cut() -> None:
    """R-SW-02."""
    given, expected = vector("AV-056")
    players = given["players"]
    stay = [players - cut_count(players, cut["mode"], cut["value"]) for cut in given["cuts"]]
    assert stay == expected["stay"]


def test_av_057_a_percentage_cuts_the_smaller_number() -> None:
    """R-SW-02."""
    given, expected = vector("AV-057")
    out = [cut_count(given["players"], cut["mode"], cut["value"]) for cut in given["cuts"]]
    assert out == expected["out"]
    assert [given["players"] - n for n in out] == expected["stay"]


def test_av_058_tables_are_blocks_of_ranks() -> None:
    """R-SW-03."""
    given, expected = vector("AV-058")
    assert swiss(range(1, given["players"] + 1), given["table_size"]) == expected["tables"]


def test_av_059_reseated_by_new_totals() -> None:
    """R-SW-03."""
    given, expected = vector("AV-059")
    ranked = [given["ids"][row] for row in order([given["totals"]], given["ids"])]
    assert swiss(ranked, given["table_size"]) == expected["tables"]


def _snake_of(name: str) -> None:
    given, expected = vector(name)
    direction = given.get("direction", "serpentine")
    assert snake(range(1, given["n"] + 1), given["size"], direction) == expected["tables"]


def test_av_060_snake_of_nine() -> None:
    """R-GR-02."""
    _snake_of("AV-060")


def test_av_061_snake_of_twelve_in_fours() -> None:
    """R-GR-02."""
    _snake_of("AV-061")


def test_av_062_snake_of_eighteen() -> None:
    """R-GR-02."""
    _snake_of("AV-062")


def test_av_063_snake_of_pairs() -> None:
    """R-GR-02."""
    _snake_of("AV-063")


def test_av_064_ui_is_for_three_seats_only() -> None:
    """R-GR-03."""
    given, expected = vector("AV-064")
    three, four = given["size"]
    tables, error = expected["tables"]
    assert error == "config_error"
    assert ui(range(1, given["n"] + 1), three) == tables
    with pytest.raises(ValueError, match="tables of 3"):
        ui(range(1, 13), four)


def test_av_065_byes_go_to_the_last_who_had_none() -> None:
    """R-BY-01."""
    given, expected = vector("AV-065")
    ranked = [f"p{n}" for n in range(1, given["n"] + 1)]
    assert ranked[:-4:-1] == given["ranking_last_first"]
    stay, byes = split_byes(ranked, given["table_size"], dict.fromkeys(given["had_bye"], 1), {})
    assert byes == expected["byes"]
    assert len(swiss(stay, given["table_size"])) == expected["tables"]


def test_av_066_bye_points() -> None:
    """R-CA-01."""
    given, expected = vector("AV-066")
    assert [bye_points(points) for points in given["placement_points"]] == expected["bye_points"]


def test_av_067_round_carry_keeps_the_sign() -> None:
    """R-CA-02."""
    given, expected = vector("AV-067")
    assert [round_carry(score, given["pct"]) for score in given["scores"]] == expected["carried"]


def _carry_of(name: str) -> None:
    given, expected = vector(name)
    parameters = {key: given[key] for key in ("divisor", "coef", "cap") if key in given}
    assert stage_carry(given["scores"], given["mode"], **parameters) == expected["carried"]


def test_av_068_divided() -> None:
    """R-CA-03."""
    _carry_of("AV-068")


def test_av_069_scaled_to_the_cap() -> None:
    """R-CA-04."""
    _carry_of("AV-069")


def test_av_070_a_cap_nobody_reaches() -> None:
    """R-CA-04."""
    _carry_of("AV-070")


def test_av_071_full_scaled_to_the_cap() -> None:
    """R-CA-04."""
    _carry_of("AV-071")


def test_av_072_square_root() -> None:
    """R-CA-03."""
    _carry_of("AV-072")


def test_av_073_square_root_with_coefficient() -> None:
    """R-CA-03."""
    _carry_of("AV-073")


def test_av_074_none_and_full() -> None:
    """R-CA-03."""
    given, expected = vector("AV-074")
    assert [stage_carry(given["scores"], mode) for mode in given["mode"]] == expected["carried"]


def test_av_075_tied_places_broken_or_shared() -> None:
    """R-SC-02."""
    given, expected = vector("AV-075")
    places = table_places(given["totals"], given["last_hand"], [1, 2, 3, 4], ["last_hand", "registration"])
    assert award_points(places, given["totals"], given["points"], "break") == expected["break"]
    assert award_points(places, given["totals"], given["points"], "share") == expected["share"]


def test_av_076_default_placement_points() -> None:
    """R-SC-02."""
    given, expected = vector("AV-076")
    assert [list(placement_points_default(size)) for size in given["size"]] == expected["points"]


def _first_of(given: dict[str, Any], event_class: str) -> str:
    a, b = given["A"], given["B"]
    columns = tie_columns(chain_for(event_class, "melee"), [a["last_hand"], b["last_hand"]])
    return "AB"[order([[a["score"], b["score"]], *columns], [a["reg"], b["reg"]])[0]]


def test_av_077_the_event_class_chooses_the_chain() -> None:
    """R-TB-03."""
    given, expected = vector("AV-077")
    assert [_first_of(given, event_class) for event_class in given["class"]] == expected["first"]


def test_av_078_registration_splits_equal_last_hands() -> None:
    """R-TB-02."""
    given, expected = vector("AV-078")
    assert _first_of(given, given["class"]) == expected["first"]


def test_av_079_multiples_of_the_base() -> None:
    """R-SC-03."""
    given, expected = vector("AV-079")
    m = given["multiple"]
    landlord, *farmers = hand_scores(given["base"], [2 * m, -m, -m])
    assert (landlord, farmers) == (expected["landlord"], expected["farmers"])


def _play_target(name: str) -> tuple[int, list[int], Outcome]:
    given, _ = vector(name)
    for played in range(1, len(given["hands"]) + 1):
        totals = total(given["hands"][:played])
        outcome = target_over(totals, played, given["A"], given["B"])
        if outcome is not None:
            return played, totals, outcome
    raise AssertionError("the round never ended")


def test_av_080_the_target_is_reached_in_the_last_hand() -> None:
    """R-RT-01."""
    _, expected = vector("AV-080")
    assert expected == {"ended_at": 4, "winner": "Y", "scores": [70, 105], "by": "target"}
    assert _play_target("AV-080") == (4, [70, 105], Outcome(winner=1, by="target"))


def test_av_081_the_higher_score_after_the_last_hand() -> None:
    """R-RT-01."""
    _, expected = vector("AV-081")
    assert expected == {"ended_at": 4, "winner": "Y", "scores": [70, 90], "by": "score"}
    assert _play_target("AV-081") == (4, [70, 90], Outcome(winner=1, by="score"))


def test_av_082_equal_after_the_last_hand() -> None:
    """R-RT-01."""
    _, expected = vector("AV-082")
    assert expected == {"ended_at": 4, "winner": None, "scores": [70, 70], "by": "tie_chain"}
    assert _play_target("AV-082") == (4, [70, 70], Outcome(winner=None, by="tie_chain"))


def test_av_083_the_target_is_reached_in_the_first_hand() -> None:
    """R-RT-01."""
    _, expected = vector("AV-083")
    assert expected == {"ended_at": 1, "winner": "X", "by": "target"}
    assert _play_target("AV-083") == (1, [60, 0], Outcome(winner=0, by="target"))


def test_av_084_exact_chances_of_a_target() -> None:
    """R-RT-03."""
    given, expected = vector("AV-084")
    chances = [advise_target(target, hands, model=given["model"]).chances[-1] for target, hands in given["queries"]]
    assert [str(chance) for chance in chances] == expected["p"]


def test_av_085_chances_in_percent() -> None:
    """R-RT-03."""
    given, expected = vector("AV-085")
    chances = advise_target(given["A"], max(given["k"]), model=given["model"]).chances
    assert [Fraction(percent(chances[hands - 1])) for hands in given["k"]] == expected["p_pct"]


def test_av_086_the_second_recommendation_and_the_smallest_number_of_hands() -> None:
    """R-RT-03."""
    given, expected = vector("AV-086")
    found = [advise_target(target, 10, model=given["model"]) for target in given["A"]]
    assert [advice.recommendations[1].holds for advice in found] == expected["rec2_ok"]
    assert [advice.b_min for advice in found] == expected["b_min"]


def test_av_125_whether_all_recommendations_hold() -> None:
    """R-RT-02."""
    given, expected = vector("AV-125")
    found = [advise_target(target, hands, model=given["model"]).ok for target, hands in given["pairs"]]
    assert found == expected["ok"]


def test_av_087_fixed_hands() -> None:
    """R-RF-01."""
    given, expected = vector("AV-087")
    hands = given["hands"]
    assert [fixed_hands_over(played, given["A"]) for played in (1, 2)] == [False, True]
    totals = total(hands)
    assert totals == expected["totals"]
    assert table_places(totals, hands[-1], [1, 2, 3], ["last_hand", "registration"]) == expected["places"]


def _out_of(name: str) -> None:
    given, expected = vector(name)
    line = elim_line(given.get("base", 100), given.get("ratio"), given.get("absolute"))
    assert [is_out(score, line) for score in given["scores"]] == expected["out"]


def test_av_088_a_quarter_of_the_base() -> None:
    """R-ME-02."""
    _out_of("AV-088")


def test_av_089_the_line_is_not_rounded() -> None:
    """R-ME-02."""
    _out_of("AV-089")


def test_av_090_an_absolute_line() -> None:
    """R-ME-02."""
    _out_of("AV-090")


def test_av_091_arithmetic_growth_by_time() -> None:
    """R-ME-03."""
    given, expected = vector("AV-091")
    ticks = [tick_at(int(t * 1000), given["every_s"] * 1000) for t in given["t"]]
    bases = [
        base_at(given["kind"], given["base0"], tick, add=given["add"], add_step=given["add_step"]) for tick in ticks
    ]
    assert bases == expected["base"]


def test_av_092_geometric_growth() -> None:
    """R-ME-03."""
    given, expected = vector("AV-092")
    ratio = Fraction(given["ratio"])
    assert [base_at(given["kind"], given["base0"], k, ratio=ratio) for k in given["k"]] == expected["base"]


def _departed(pool: list[str], size: int, shuttle_size: int, running: int) -> tuple[int, int]:
    if not shuttle_departure(pool, size, shuttle_size, running, oldest_wait_ms=0, max_wait_ms=30_000):
        return 0, len(pool)
    tables, left = depart(pool, size, Draw(KEY), None)
    return len(tables), len(left)


def test_av_093_the_shuttle_leaves_when_it_is_full() -> None:
    """R-ME-04."""
    given, expected = vector("AV-093")
    departures = [
        _departed([f"p{n}" for n in range(pool)], given["table_size"], given["shuttle"], given["running_tables"])
        for pool in given["pool"]
    ]
    assert departures == list(zip(expected["tables"], expected["left"], strict=True))


def test_av_094_the_shuttle_leaves_when_no_table_runs() -> None:
    """R-ME-04."""
    given, expected = vector("AV-094")
    pool = [f"p{n}" for n in range(given["pool"])]
    assert _departed(pool, given["table_size"], 9, given["running_tables"]) == (
        expected["tables"],
        expected["left"],
    )


def test_av_096_places_of_a_batch() -> None:
    """R-ME-05."""
    given, expected = vector("AV-096")
    batch = [(player["id"], player["score"], 100, reg) for reg, player in enumerate(given["batch"])]
    assert batch_places(given["left_before"], batch) == expected["places"]
    assert given["left_before"] - len(batch) == expected["left"]


def test_av_097_a_seating_ends_with_an_elimination_or_after_h_hands() -> None:
    """R-AS-01."""
    given, expected = vector("AV-097")
    ended = [
        next(hand for hand in range(1, 10) if seating_over(hand, given["H"], eliminated=hand == out_in))
        for out_in in given["eliminated_in_hand"]
    ]
    assert ended == expected["regroup_after_hand"]


def test_av_112_places_of_the_eliminated_by_place_at_the_table() -> None:
    """R-KO-05."""
    given, expected = vector("AV-112")
    tables, size = given["tables"], given["table_size"]
    seats = [half_odd(range(1, size + 1)) for _ in range(tables)]
    middles = [(f"t{table}", middle) for table, (_, middle) in enumerate(seats)]
    advancing = middle_advances(middles)
    survivors = sum(len(above) for above, _ in seats) + len(advancing)
    assert survivors == expected["survivors"] == advance_count(size, tables, given["take"])

    out_middles = [f"{table}-2" for table, _ in middles if (table, 1) not in advancing]
    out_lasts = [f"t{table}-3" for table in range(tables)]
    players = [*out_lasts, *out_middles]
    at_table = [3] * len(out_lasts) + [2] * len(out_middles)
    # The last-placed have the higher scores here: the place at the table still comes first.
    scores = [50] * len(out_lasts) + [-50] * len(out_middles)
    places = places_of_eliminated(survivors, players, at_table, [scores], range(len(players)))
    low, high = expected["middle_places"]
    assert sorted(places[player] for player in out_middles) == list(range(low, high + 1))
    low, high = expected["last_places"]
    assert sorted(places[player] for player in out_lasts) == list(range(low, high + 1))


def test_av_113_one_of_three_falls_below_the_line() -> None:
    """R-ME-01."""
    given, expected = vector("AV-113")
    line = elim_line(given["base"], given["ratio"])
    batch = [(f"p{seat}", score, 1000, seat) for seat, score in enumerate(given["table_scores"]) if is_out(score, line)]
    assert list(batch_places(given["players"], batch).values()) == expected["out_places"]
    assert given["players"] - len(batch) == expected["left"]


def test_av_114_straight_snake() -> None:
    """R-GR-02."""
    _snake_of("AV-114")


def test_av_115_the_same_seed_gives_the_same_tables() -> None:
    """R-GR-04."""
    given, expected = vector("AV-115")
    assert expected == {"property": "each player once, 3 tables of 3, both runs identical"}
    players = list(range(given["n"]))
    one, other = (random(players, given["size"], Draw.derive(KEY, given["seed"])) for _ in range(2))
    assert one == other
    assert [len(table) for table in one] == [3, 3, 3]
    assert sorted(player for table in one for player in table) == players


def test_av_108_a_stage_without_a_required_mechanism_is_refused() -> None:
    """R-ST-01."""
    given, expected = vector("AV-108")
    text = shipped()["half_knockout"].read_text(encoding="utf-8")
    assert loads(text).stages[0].leave == "forbidden"
    without = re.sub(rf"^{given['missing']} = .*$", "", text, flags=re.MULTILINE)
    with pytest.raises(DefinitionRefused) as refused:
        loads(without)
    (problem,) = refused.value.problems
    assert (problem.code, problem.rule) == (expected["error"], "R-ST-01")


def test_av_126_totals() -> None:
    """R-SC-01."""
    given, expected = vector("AV-126")
    assert total(given["hands"]) == expected["totals"]
