"""Dominion Swiss in play: drops, silence, leaving for good, the final (R-DM-01, R-DM-03, R-DM-05, R-DM-11, R-DM-12).

Proves R-DM-01, R-DM-11.
"""

from typing import Any

import attrs
import pytest

from coordinator.engine import commands
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import Cut, Grouping, MainPoints, Round, Stage
from tests.engine.dominion_play import (
    ends,
    enter_late,
    entered,
    play_bout,
    points_of,
    ranking_of,
    refused,
    rounds_of,
    seated,
    withdraw,
)
from tests.engine.stages import DEFAULT, DOMINION, KNOCKOUT, given, match_of, places, report, score

FINAL = attrs.evolve(DEFAULT, table_size=3)


def test_both_may_drop() -> None:
    game = entered("ABCD", rounds_of(3))
    ends(game, "A", 5, "B", 5, dropped="AB")
    assert (points_of(game, "A"), points_of(game, "B")) == (-1, -1)
    assert (game.state.entrants["A"].score, game.state.entrants["B"].score) == (0, 0)


def test_a_drop_told_twice_counts_once_and_told_otherwise_is_parked() -> None:
    game = entered("ABCD", rounds_of(3))
    told = report(game, {"A": 5, "B": 9}, dropped=("B",))
    given(game, told)
    assert refused(game, told).code == "duplicate"
    given(game, attrs.evolve(told, dropped=()))
    assert refused(game, attrs.evolve(told, dropped=())).code == "conflict"
    assert points_of(game, "A") == 3


@pytest.mark.parametrize("dropped", [("C",), ("A", "A")])
def test_only_players_of_the_table_drop(dropped: tuple[str, ...]) -> None:
    game = entered("ABCD", rounds_of(3))
    assert refused(game, report(game, {"A": 5, "B": 9}, dropped=dropped)).code == "wrong_players"


def test_nobody_drops_from_a_hand_of_another_format() -> None:
    game = entered("ABC", KNOCKOUT)
    assert refused(game, report(game, {"A": 5, "B": 9, "C": 1}, dropped=("A",))).field == "dropped"


def test_a_game_that_nobody_reports_is_no_game() -> None:
    game = entered("ABCD", rounds_of(3))
    ends(game, "C", 4, "D", 2)
    game.t = max(game.state.timers.values())
    game.fire_due()
    assert (points_of(game, "A"), points_of(game, "B")) == (0, 0)
    assert seated(game)[1].bout_no == 2
    assert not seated(game)[1].rematch


def test_who_left_for_good_stays_ranked_by_the_chain() -> None:
    game = entered("ABCD", rounds_of(2))
    ends(game, "A", 9, "B", 1)
    withdraw(game, "A")
    given(game, commands.WithdrawPlayer(game.t, "A"))
    ends(game, "C", 5, "D", 4)
    play_bout(game, dict.fromkeys("BCD", 3))
    # A has 3 points of one bout; the others went on without A.
    order = list(game.state.ranking)
    assert sorted(order) == list("ABCD")
    assert "A" not in (order[0], *seated(game)[1].byes)
    assert places(game)["A"] == order.index("A") + 1
    assert order == sorted(order, key=lambda p: -int(points_of(game, p)))  # type: ignore[call-overload]
    assert refused(game, commands.RegisterPlayer(game.t, "Z", "Z")).code == "match_closed"


def test_who_left_does_not_come_back() -> None:
    game = entered("ABCD", rounds_of(3))
    withdraw(game, "D")
    assert refused(game, commands.RegisterPlayer(game.t, "D", "D")).code == "match_closed"


def test_a_stage_that_forbids_it_lets_nobody_come_or_go() -> None:
    game = entered("ABCD", rounds_of(3, leave="forbidden", join="none"))
    assert refused(game, commands.WithdrawPlayer(0, "A")).code == "leave_forbidden"
    assert refused(game, commands.RegisterPlayer(0, "E", "E")).code == "match_closed"


def test_a_late_entrant_is_absent_before_and_paid_no_bye_on_top() -> None:
    game = entered("ABCD", rounds_of(4, main_points=MainPoints(absent=-2)))
    enter_late(game, "E")
    assert points_of(game, "E") == -2
    play_bout(game, dict.fromkeys("ABCD", 1))
    assert seated(game)[1].byes != ("E",)
    assert game.state.current.joined == {"E": 2}


def test_a_finalist_who_drops_is_last_and_equals_keep_their_order() -> None:
    game = entered("ABCDEF", rounds_of(1, top_cut=3), FINAL)
    play_bout(game, {"A": 9, "B": 1, "C": 8, "D": 1, "E": 7, "F": 1})
    assert list(game.state.current.active) == list("ACE")
    given(game, report(game, {"A": 50, "C": 30, "E": 30}, dropped=("A",)))
    assert game.state.ranking[:3] == ("C", "E", "A")
    assert sorted(game.state.ranking) == list("ABCDEF")


@pytest.mark.parametrize("leavers", ["DC", "DCB"])
def test_a_final_is_played_by_those_who_came(leavers: str) -> None:
    game = entered("ABCD", rounds_of(3, top_cut=3), FINAL)
    play_bout(game, {"A": 4, "B": 3, "C": 2, "D": 1})
    for player in leavers:
        withdraw(game, player)
    if len(leavers) == 2:
        if game.state.current.stage_no == 0:
            play_bout(game, {"A": 4, "B": 3})
        score(game, A=1, B=2)
        assert game.state.ranking[:2] == ("B", "A")
    assert game.state.status == "over"
    assert sorted(game.state.ranking) == list("ABCD")


def test_the_live_ranking_names_everybody() -> None:
    game = entered("ABCDE", rounds_of(3))
    withdraw(game, "B")
    enter_late(game, "F")
    assert sorted(ranking_of(game)) == list("ABCDEF")


@pytest.mark.parametrize(
    ("stage", "rule"),
    [
        (attrs.evolve(DOMINION, table_size=3), "R-DM-01"),
        (attrs.evolve(DOMINION, round=Round(hands=2)), "R-DM-01"),
        (attrs.evolve(DOMINION, round=Round("target", target=5, max_hands=9)), "R-DM-01"),
        (attrs.evolve(DOMINION, bouts="until_done"), "R-DM-02"),
        (attrs.evolve(DOMINION, scoring="placement"), "R-DM-03"),
        (attrs.evolve(DOMINION, bye_delta=3), "R-DM-03"),
        (attrs.evolve(DOMINION, min_payment=True), "R-DM-04"),
        (attrs.evolve(DOMINION, tie_chain=("main_sum",)), "R-DM-05"),
        (attrs.evolve(DOMINION, tie_chain=("last_hand", "entry_order")), "R-DM-05"),
        (attrs.evolve(DOMINION, round_carry_pct=50), "R-DM-05"),
        (attrs.evolve(DOMINION, cut=Cut("keep")), "R-SW-02"),
        (attrs.evolve(DOMINION, join="none", late_until_round=2), "R-DM-11"),
        (attrs.evolve(DOMINION, bouts=3, late_until_round=4), "R-DM-11"),
        (attrs.evolve(DOMINION, top_cut=0), "R-DM-01"),
        (attrs.evolve(DOMINION, grouping=Grouping(kind="snake")), "R-ST-02"),
        (attrs.evolve(KNOCKOUT, top_cut=2), "R-DM-01"),
        (attrs.evolve(KNOCKOUT, rematch="allow"), "R-DM-10"),
        (attrs.evolve(KNOCKOUT, tie_chain=("swiss_rank",)), "R-TB-03"),
        (attrs.evolve(DEFAULT, tie_chain=("registration", "swiss_rank")), "R-DM-12"),
    ],
)
def test_a_stage_against_the_rules_is_refused(stage: Stage, rule: str) -> None:
    assert rule in {mistake.rule for mistake in definition_mistakes(match_of(stage))}


def test_nobody_joins_a_later_stage_late() -> None:
    first: Any = attrs.evolve(DOMINION, id="first", join="none", leave="forbidden")
    assert [m.rule for m in definition_mistakes(match_of(first, DOMINION))] == ["R-DM-11"]
