"""Every mistake a definition can hold, one change of a good definition at a time.

Proves R-HI-03, R-ST-01, R-ST-02.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine.checks.advice import warnings
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Cut,
    Elimination,
    End,
    GameState,
    Grouping,
    MatchDefinition,
    Phase,
    PlayerState,
    Reward,
    Round,
    Stage,
    Start,
)

MELEE = Stage(
    id="melee",
    format="melee",
    table_size=3,
    round=Round(),
    grouping=Grouping(kind="random", shuttle_size=9),
    leave="forbidden",
    score_processing="none",
    initial_player_state=PlayerState(1000),
    initial_game_state=GameState(100),
    elimination=Elimination(ratio_of_base=Fraction(1, 4)),
    base_growth=BaseGrowth("arith"),
    end=End(remaining_below=19),
)
SWISS = Stage(
    id="swiss",
    format="swiss_shift",
    table_size=3,
    round=Round(hands=2),
    grouping=Grouping(kind="swiss"),
    leave="forbidden",
    score_processing="per_round",
    initial_player_state=PlayerState(),
    initial_game_state=GameState(),
    bouts=3,
)
KNOCKOUT = attrs.evolve(SWISS, id="knockout", format="knockout", grouping=Grouping(), bouts=None)
DEFAULT = attrs.evolve(SWISS, id="final", format="default", grouping=Grouping(), score_processing="none", bouts=None)
DUEL = attrs.evolve(KNOCKOUT, table_size=2, round=Round("target", target=120, max_hands=7))
STAGES = {"melee": MELEE, "swiss": SWISS, "knockout": KNOCKOUT, "default": DEFAULT, "duel": DUEL}


def match(*stages: Stage, **changes: Any) -> MatchDefinition:
    start = Start("manual")
    return attrs.evolve(MatchDefinition("m", "dou_dizhu", (Phase("p", stages),), start=start), **changes)


def found(definition: MatchDefinition) -> list[tuple[str, str | None]]:
    return [(mistake.path, mistake.rule) for mistake in definition_mistakes(definition)]


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_the_good_ones_are_good(stage: Stage) -> None:
    assert found(match(stage)) == []
    assert warnings(match(stage)) == []


# What is changed in which good stage, where the mistake must be found, and by which rule.
BAD = [
    # R-ST-02: the format matrix
    ("melee", {"leave": "allowed"}, "leave", "R-ST-02"),
    ("swiss", {"join": "any_time"}, "join", "R-ST-02"),
    ("knockout", {"intervention": True}, "intervention", "R-ST-02"),
    ("melee", {"rerank": True}, "rerank", "R-ST-02"),
    ("knockout", {"rerank": False}, "rerank", "R-ST-02"),
    ("melee", {"score_processing": "per_round"}, "score_processing", "R-ST-02"),
    ("swiss", {"score_processing": "none"}, "score_processing", "R-ST-02"),
    ("swiss", {"elimination": Elimination(absolute=0)}, "elimination", "R-ST-02"),
    ("default", {"elimination": Elimination(absolute=0)}, "elimination", "R-ST-02"),
    ("melee", {"round": Round("target", target=1, max_hands=3)}, "round.type", "R-ST-02"),
    # grouping
    ("default", {"grouping": Grouping("swiss")}, "grouping.kind", "R-ST-02"),
    ("melee", {"grouping": Grouping("snake")}, "grouping.kind", "R-ST-02"),
    ("swiss", {"grouping": Grouping("direct")}, "grouping.kind", "R-ST-02"),
    ("duel", {"grouping": Grouping("ui")}, "grouping.kind", "R-GR-03"),
    ("swiss", {"grouping": Grouping("swiss", direction="straight")}, "grouping.direction", "R-GR-02"),
    ("melee", {"grouping": Grouping("random", shuttle_size=2)}, "grouping.shuttle_size", "R-ME-04"),
    ("swiss", {"grouping": Grouping("swiss", shuttle_size=9)}, "grouping.shuttle_size", "R-ME-04"),
    ("swiss", {"grouping": Grouping("swiss", max_wait_ms=5)}, "grouping.max_wait_ms", "R-ME-04"),
    ("melee", {"grouping": Grouping("random", max_wait_ms=0)}, "grouping.max_wait_ms", "R-ME-04"),
    # tables
    ("swiss", {"table_size": 1}, "table_size", "R-HI-08"),
    ("swiss", {"table_size": 17}, "table_size", "R-HI-08"),
    ("swiss", {"table_timeout_ms": 0}, "table_timeout_ms", "R-HI-06"),
    ("swiss", {"table_timeout_ms": 10**12}, "table_timeout_ms", "R-HI-06"),
    ("swiss", {"id": "no name"}, "id", "R-HI-03"),
    ("swiss", {"id": ".swiss"}, "id", "R-HI-03"),
    ("swiss", {"id": "x" * 65}, "id", "R-HI-03"),
    ("swiss", {"game_attrs": {"a key": "v"}}, "game_attrs.a key", "R-HI-03"),
    ("swiss", {"game_attrs": {"key": "v" * 257}}, "game_attrs.key", "R-HI-03"),
    ("swiss", {"game_attrs": {f"k{n}": "v" for n in range(33)}}, "game_attrs", "R-HI-04"),
    # rounds
    ("swiss", {"round": Round(hands=0)}, "round.hands", "R-RF-01"),
    ("swiss", {"round": Round(hands=10_001)}, "round.hands", "R-RF-01"),
    ("swiss", {"round": Round(target=5)}, "round.target", "R-RF-01"),
    ("swiss", {"round": Round(max_hands=5)}, "round.max_hands", "R-RF-01"),
    ("swiss", {"round": Round("target", target=5, max_hands=5)}, "round.type", "R-RT-01"),
    ("duel", {"round": Round("target", max_hands=5)}, "round.target", "R-RT-01"),
    ("duel", {"round": Round("target", target=0, max_hands=5)}, "round.target", "R-RT-01"),
    ("duel", {"round": Round("target", target=5)}, "round.max_hands", "R-RT-01"),
    ("duel", {"round": Round("target", target=5, max_hands=0)}, "round.max_hands", "R-RT-01"),
    ("duel", {"round": Round("target", hands=2, target=5, max_hands=5)}, "round.hands", "R-RT-01"),
    # states
    ("swiss", {"initial_game_state": GameState(0)}, "initial_game_state.base_score", "R-SC-03"),
    ("swiss", {"initial_player_state": PlayerState(2**53 + 1)}, "initial_player_state.score", "R-ST-01"),
    ("swiss", {"initial_player_state": PlayerState(-(2**53) - 1)}, "initial_player_state.score", "R-ST-01"),
    # the pool
    ("melee", {"elimination": None}, "elimination", "R-ME-02"),
    ("melee", {"elimination": Elimination()}, "elimination", "R-ME-02"),
    ("melee", {"elimination": Elimination(ratio_of_base=Fraction(1), absolute=0)}, "elimination", "R-ME-02"),
    ("melee", {"elimination": Elimination(ratio_of_base=Fraction(0))}, "elimination.ratio_of_base", "R-ME-02"),
    (
        "melee",
        {"elimination": Elimination(absolute=0), "min_payment": True},
        "elimination.absolute",
        "R-ME-02",
    ),
    ("melee", {"end": End()}, "end.remaining_below", "R-ME-05"),
    ("melee", {"end": End(remaining_below=1)}, "end.remaining_below", "R-ME-05"),
    ("melee", {"end": End(remaining_below=19, advance_count=0)}, "end.advance_count", "R-ME-05"),
    ("melee", {"end": End(remaining_below=19, max_ms=0)}, "end.max_ms", "R-ME-05"),
    ("swiss", {"end": End(remaining_below=19)}, "end", "R-ME-05"),
    ("melee", {"hands_per_seating": 0}, "hands_per_seating", "R-AS-01"),
    ("melee", {"hands_per_seating": 3, "round": Round(hands=2)}, "round.hands", "R-AS-01"),
    ("swiss", {"hands_per_seating": 3}, "hands_per_seating", "R-AS-01"),
    ("swiss", {"regroup": "swiss"}, "regroup", "R-AS-01"),
    ("melee", {"bouts": 3}, "bouts", "R-HI-06"),
    # growth
    ("melee", {"base_growth": BaseGrowth("arith", every_ms=0)}, "base_growth.every_ms", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", "hands", every_hands=0)}, "base_growth.every_hands", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", every_hands=5)}, "base_growth.every_hands", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", "hands", every_ms=5)}, "base_growth.every_ms", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", add=0)}, "base_growth.add", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", add=-5)}, "base_growth.add", "R-ME-03"),
    ("swiss", {"base_growth": BaseGrowth("arith")}, "base_growth.add", "R-ME-03"),  # half of a base of 1 is 0
    ("melee", {"base_growth": BaseGrowth("geometric", ratio=Fraction(9, 10))}, "base_growth.ratio", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("table")}, "base_growth.values", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("table", values=(100, 0))}, "base_growth.values[1]", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("table", values=(50, 100))}, "base_growth.values[0]", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", values=(1,))}, "base_growth.values", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("none", add=1)}, "base_growth.add", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("none", max_base=500)}, "base_growth.max_base", "R-ME-03"),
    ("melee", {"base_growth": BaseGrowth("arith", max_base=99)}, "base_growth.max_base", "R-ME-03"),
    # scores
    ("swiss", {"placement_points": (5, 3, 1)}, "placement_points", "R-SC-02"),
    ("swiss", {"scoring": "placement", "placement_points": (5, 3)}, "placement_points", "R-SC-02"),
    ("swiss", {"scoring": "placement", "placement_points": (5, 5, 1)}, "placement_points", "R-SC-02"),
    ("swiss", {"tied_places": "share"}, "tied_places", "R-SC-02"),
    ("melee", {"scoring": "placement"}, "scoring", "R-ST-02"),
    ("swiss", {"tie_chain": ()}, "tie_chain", "R-TB-03"),
    ("swiss", {"tie_chain": ("last_hand",)}, "tie_chain", "R-TB-03"),
    ("swiss", {"tie_chain": ("registration", "last_hand")}, "tie_chain", "R-TB-03"),
    ("swiss", {"tie_chain": ("registration", "registration")}, "tie_chain", "R-TB-03"),
    ("swiss", {"platform_fee": Fraction(1)}, "platform_fee", "R-MP-01"),
    ("swiss", {"platform_fee": Fraction(3, 2), "min_payment": True}, "platform_fee", "R-MP-01"),
    ("swiss", {"platform_fee": Fraction(-1), "min_payment": True}, "platform_fee", "R-MP-01"),
    ("swiss", {"winner_cap": "total"}, "winner_cap", "R-MP-01"),
    ("swiss", {"bye_points": Fraction(4)}, "bye_points", "R-CA-01"),
    ("swiss", {"bye_points": Fraction(-1), "scoring": "placement"}, "bye_points", "R-CA-01"),
    ("swiss", {"bye_delta": 4, "scoring": "placement"}, "bye_delta", "R-CA-01"),
    ("melee", {"bye_delta": 4}, "bye_delta", "R-CA-01"),
    # bouts and cuts
    ("swiss", {"bouts": None}, "bouts", "R-SW-01"),
    ("swiss", {"bouts": "until_done"}, "bouts", "R-SW-01"),
    ("swiss", {"bouts": 0}, "bouts", "R-HI-06"),
    ("knockout", {"bouts": 0}, "bouts", "R-HI-06"),
    ("default", {"bouts": 2}, "bouts", "R-DF-01"),
    ("melee", {"cut": Cut("keep", Fraction(3))}, "cut", "R-SW-02"),
    ("swiss", {"cut": Cut("keep", Fraction(0))}, "cut.value", "R-SW-02"),
    ("swiss", {"cut": Cut("keep", Fraction(5, 2))}, "cut.value", "R-SW-02"),
    ("swiss", {"cut": Cut("fixed", Fraction(-1))}, "cut.value", "R-SW-02"),
    ("swiss", {"cut": Cut("percent", Fraction(101))}, "cut.value", "R-SW-02"),
    ("swiss", {"cut": Cut("none", Fraction(1))}, "cut.value", "R-SW-02"),
    ("swiss", {"cuts": (Cut(), Cut("fixed", Fraction(1, 2)), Cut())}, "cuts[1].value", "R-SW-02"),
    ("swiss", {"cuts": (Cut(),)}, "cuts", "R-SW-02"),
    ("swiss", {"cuts": (Cut(),) * 4}, "cuts", "R-SW-02"),
    ("swiss", {"percent_round": "keep_floor"}, "percent_round", "R-SW-02"),
    ("knockout", {"advance_per_table": 3}, "advance_per_table", "R-KO-02"),
    ("knockout", {"advance_per_table": 0}, "advance_per_table", "R-KO-02"),
    ("swiss", {"advance_per_table": 2}, "advance_per_table", "R-KO-02"),
    ("knockout", {"half_rounding": "ceil"}, "half_rounding", "R-KO-04"),
    ("duel", {"half_rounding": "ceil", "advance_per_table": "half"}, "half_rounding", "R-KO-04"),
    ("swiss", {"align_to_table": True}, "align_to_table", "R-KO-04"),
    # carry
    ("swiss", {"round_carry_pct": -1}, "round_carry_pct", "R-CA-02"),
    ("melee", {"round_carry_pct": 50}, "round_carry_pct", "R-CA-02"),
    ("swiss", {"carry_out": CarryOut("divide", divisor=0)}, "carry_out.divisor", "R-CA-03"),
    ("swiss", {"carry_out": CarryOut("full", divisor=2)}, "carry_out.divisor", "R-CA-03"),
    ("swiss", {"carry_out": CarryOut("sqrt", coef=Fraction(0))}, "carry_out.coef", "R-CA-03"),
    ("swiss", {"carry_out": CarryOut("sqrt_median")}, "carry_out.base", "R-CA-03"),
    ("swiss", {"carry_out": CarryOut("full", cap=0)}, "carry_out.cap", "R-CA-04"),
]


@pytest.mark.parametrize(
    ("name", "changes", "word", "rule"), BAD, ids=[f"{name}-{number}" for number, (name, *_) in enumerate(BAD)]
)
def test_one_change_one_mistake(name: str, changes: dict[str, Any], word: str, rule: str) -> None:
    stage = attrs.evolve(STAGES[name], **changes)
    assert found(match(stage)) == [(f"phases[0].stages[0].{word}", rule)]


GOOD = [
    ("swiss", {"grouping": Grouping("ui")}),
    ("swiss", {"grouping": Grouping("snake", direction="straight")}),
    ("swiss", {"rerank": True, "cut": Cut("percent", Fraction(25, 2)), "percent_round": "keep_floor"}),
    ("swiss", {"cuts": (Cut("keep", Fraction(9)),), "cut": Cut("fixed", Fraction(3))}),
    ("swiss", {"scoring": "placement", "tied_places": "share", "bye_points": Fraction(9, 2)}),
    ("swiss", {"min_payment": True, "platform_fee": Fraction(1, 20), "winner_cap": "total"}),
    ("knockout", {"advance_per_table": "half", "half_rounding": "ceil", "align_to_table": True}),
    ("knockout", {"bouts": "until_done", "base_growth": BaseGrowth("arith", add=1)}),
    ("knockout", {"cuts": (Cut(), Cut("percent", Fraction(30)))}),
    ("default", {"grouping": Grouping("direct"), "bouts": 1}),
    ("melee", {"elimination": Elimination(absolute=0), "hands_per_seating": "until_elimination"}),
    ("melee", {"hands_per_seating": 3, "regroup": "swiss", "grouping": Grouping("random", shuttle_size=6)}),
    ("melee", {"base_growth": BaseGrowth("table", values=(100, 150)), "rerank": False}),
    ("melee", {"carry_out": CarryOut("sqrt_median", base=100, cap=500)}),
]


@pytest.mark.parametrize(("name", "changes"), GOOD)
def test_what_the_rules_allow_is_allowed(name: str, changes: dict[str, Any]) -> None:
    assert found(match(attrs.evolve(STAGES[name], **changes))) == []


# What is changed in a match of one good Swiss shift.
BAD_MATCHES = [
    ({"id": ""}, "id", "R-HI-03"),
    ({"game": "dou dizhu"}, "game", "R-HI-03"),
    ({"title": "x" * 10_001}, "title", "R-HI-03"),
    ({"phases": ()}, "phases", "R-HI-04"),
    ({"phases": (Phase("p", (SWISS,)), Phase("q", ()))}, "phases[1].stages", "R-HI-04"),
    ({"phases": (Phase("p", (SWISS,)), Phase("p", (KNOCKOUT,)))}, "phases[1].id", "R-HI-03"),
    ({"phases": (Phase("p", (SWISS,)), Phase("q", (SWISS,)))}, "phases[1].stages[0].id", "R-HI-03"),
    ({"start": Start("when_full")}, "start.full_count", "R-HI-02"),
    ({"start": Start("when_full", full_count=2)}, "start.full_count", "R-HI-02"),
    ({"start": Start("when_full", full_count=10_000_001)}, "start.full_count", "R-HI-02"),
    ({"start": Start("when_full", full_count=9, min_players=10)}, "start.min_players", "R-HI-02"),
    ({"start": Start("manual", min_players=1)}, "start.min_players", "R-HI-02"),
    ({"rewards": (Reward(0, 1, {"coin": 1}),)}, "rewards[0].first", "R-HI-03"),
    ({"rewards": (Reward(2, 1, {"coin": 1}),)}, "rewards[0].last", "R-HI-03"),
    ({"rewards": (Reward(1, 1, {}),)}, "rewards[0].items", "R-HI-03"),
    ({"rewards": (Reward(1, 1, {"coin": 0}),)}, "rewards[0].items.coin", "R-HI-03"),
    ({"rewards": (Reward(1, 3, {"coin": 2}), Reward(3, 4, {"coin": 1}))}, "rewards[1].first", "R-HI-03"),
    ({"rewards": (Reward(4, 5, {"coin": 2}), Reward(1, 3, {"coin": 9}))}, "rewards[1].first", "R-HI-03"),
]


@pytest.mark.parametrize(("changes", "path", "rule"), BAD_MATCHES)
def test_mistakes_outside_the_stages(changes: dict[str, Any], path: str, rule: str) -> None:
    assert found(match(SWISS, **changes)) == [(path, rule)]


def test_a_field_that_cannot_reach_the_end_is_a_mistake() -> None:
    start = Start("when_full", full_count=10)
    definition = match(attrs.evolve(KNOCKOUT, bouts=1), DEFAULT, start=start)
    assert found(definition) == [("phases[0].stages[1]", "R-DF-01")]
    assert found(attrs.evolve(definition, start=Start("when_full", full_count=9))) == []


def test_all_mistakes_at_once() -> None:
    worse = attrs.evolve(SWISS, leave="allowed", bouts=None, round=Round(hands=0))
    paths = [path for path, _ in found(match(worse, attrs.evolve(MELEE, end=End()), id="", start=Start()))]
    assert paths == [
        "id",
        "start.full_count",
        "phases[0].stages[0].leave",
        "phases[0].stages[0].round.hands",
        "phases[0].stages[0].bouts",
        "phases[0].stages[1].end.remaining_below",
    ]


ADVICE = [
    (match(attrs.evolve(SWISS, round=Round(hands=5))), "phases[0].stages[0].round.hands", "R-RF-01"),
    (
        match(attrs.evolve(DUEL, round=Round("target", target=5, max_hands=2))),
        "phases[0].stages[0].round.max_hands",
        "R-RT-02",
    ),
    (
        match(attrs.evolve(DUEL, round=Round("target", target=100, max_hands=6))),
        "phases[0].stages[0].round.target",
        "R-RT-02",
    ),
    (
        match(attrs.evolve(DUEL, round=Round("target", target=120, max_hands=6))),
        "phases[0].stages[0].round.max_hands",
        "R-RT-02",
    ),
    (
        match(attrs.evolve(SWISS, carry_out=CarryOut("full")), KNOCKOUT, event_class="championship"),
        "phases[0].stages[0].carry_out.mode",
        "R-CA-03",
    ),
    (
        match(attrs.evolve(MELEE, grouping=Grouping("random", shuttle_size=5))),
        "phases[0].stages[0].grouping.shuttle_size",
        "R-ME-04",
    ),
    (
        match(SWISS, attrs.evolve(KNOCKOUT, grouping=Grouping("random"))),
        "phases[0].stages[1].grouping.kind",
        "R-GR-04",
    ),
    (
        match(attrs.evolve(MELEE, initial_player_state=PlayerState(24))),
        "phases[0].stages[0].initial_player_state.score",
        "R-ME-02",
    ),
    (match(attrs.evolve(MELEE, base_growth=BaseGrowth())), "phases[0].stages[0].base_growth", "R-ME-03"),
]


@pytest.mark.parametrize(("definition", "path", "rule"), ADVICE)
def test_advice_is_given_and_refuses_nothing(definition: MatchDefinition, path: str, rule: str) -> None:
    assert found(definition) == []
    assert [(mistake.path, mistake.rule) for mistake in warnings(definition)] == [(path, rule)]


def test_four_hands_are_still_fine() -> None:
    assert warnings(match(attrs.evolve(SWISS, round=Round(hands=4)))) == []
