"""Mixtures: any combination that is accepted plays to its end, and what is refused is refused with its rule."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Clock,
    Cut,
    Duplicate,
    Elimination,
    End,
    GameState,
    Grouping,
    Island,
    MainPoints,
    MatchDefinition,
    Pack,
    PlayerState,
    Revival,
    Reward,
    Round,
    Stage,
)
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, ISLAND, KNOCKOUT, MELEE, SWISS, match_of
from tests.engine.tossing import Tossed

RULES = (Path(__file__).parents[2] / "cases" / "rules.txt").read_text(encoding="utf-8").split()

RISING = BaseGrowth("arith", by="hands", every_hands=4, add=100)
GOOD = {
    "default": DEFAULT,
    "knockout": KNOCKOUT,
    "swiss_shift": attrs.evolve(SWISS, bouts=2),
    "melee": attrs.evolve(MELEE, base_growth=RISING, end=End(remaining_below=4)),
    "island": attrs.evolve(ISLAND, island=Island(5000), grouping=Grouping(max_wait_ms=1000)),
    "continuous_swiss": attrs.evolve(
        CLOCKED, bouts=2, clock=Clock(bout_ms=3000, grace_ms=1000), duplicate=Duplicate(required_boards=1)
    ),
    "swiss_1v1": DOMINION,
}
"""A stage of each format that is in order."""

CHANGES: dict[str, tuple[Any, ...]] = {
    "table_size": (2, 3, 4),
    "round": (
        Round(),
        Round(hands=2),
        Round("target", target=200, max_hands=3),
        Round("target", target=60, max_hands=3, sides=("A", "B", "A", "B")),
        Round("target", target=60, max_hands=2, sides=("A", "B", "B")),
    ),
    "grouping": (
        Grouping(),
        *(Grouping(kind) for kind in ("swiss", "snake", "ui", "random", "direct")),
        Grouping("snake", "straight", seat_order="random"),
        Grouping("random", shuttle_size=6, max_wait_ms=2000),
        Grouping(shuttle_size=4, seat_order="rank"),
    ),
    "leave": ("forbidden", "allowed"),
    "join": ("none", "any_time"),
    "score_processing": ("none", "per_round"),
    "initial_player_state": (PlayerState(0), PlayerState(700)),
    "initial_game_state": (GameState(10), GameState(40)),
    "elimination": (None, Elimination(absolute=0), Elimination(ratio_of_base=Fraction(1, 2), compare="le")),
    "rerank": (None, True, False),
    "intervention": (False, True),
    "scoring": ("total", "placement", "duplicate"),
    "placement_points": (None, (3, 1), (5, 3, 1), (9, 4, 2, 1)),
    "tied_places": ("break", "share"),
    "report": ("delta", "multiple"),
    "min_payment": (False, True),
    "platform_fee": (Fraction(0), Fraction(2), Fraction(1, 20)),
    "winner_cap": ("per_payer", "total"),
    "tie_chain": (
        None,
        ("registration",),
        ("last_hand", "registration"),
        ("swiss_rank",),
        ("sub_mean", "entry_order"),
        ("registration", "last_hand"),
    ),
    "bye_points": (None, Fraction(5, 2)),
    "bye_delta": (0, 30),
    "round_carry_pct": (100, 50, 0),
    "carry_out": (
        CarryOut("none"),
        CarryOut("full", cap=500),
        CarryOut("sqrt", coef=Fraction(1, 10)),
        CarryOut("sqrt_median", base=20),
        CarryOut("divide", divisor=7, cap=90),
        CarryOut("full", divisor=3),
    ),
    "bouts": (None, 1, 3, "until_done"),
    "cut": (None, Cut("fixed", Fraction(2)), Cut("percent", Fraction(30)), Cut("keep", Fraction(6))),
    "cuts": ((), (Cut(), Cut("percent", Fraction(25))), (Cut(), Cut(), Cut("keep", Fraction(4)))),
    "percent_round": ("out_floor", "keep_floor"),
    "advance_per_table": (1, 2, 3, "half"),
    "half_rounding": ("floor", "ceil"),
    "align_to_table": (False, True),
    "base_growth": (
        RISING,
        BaseGrowth("geometric", by="hands", every_hands=5, ratio=Fraction(3, 2)),
        BaseGrowth("table", every_ms=2000, values=(10, 30, 90, 270, 810, 2430)),
        BaseGrowth("arith", every_ms=1500, add=150, max_base=3000),
    ),
    "hands_per_seating": (None, 1, 3, "until_elimination"),
    "regroup": ("random", "swiss"),
    "end": (End(), End(remaining_below=5), End(remaining_below=9, advance_count=3), End(advance_count=4)),
    "clock": (Clock(), Clock(bout_ms=2000, grace_ms=0), Clock(bout_ms=3000, unfinished_board="finish")),
    "duplicate": (Duplicate(), Duplicate("imp", required_boards=1, closes_at=2), Duplicate("raw", required_boards=2)),
    "main_points": (MainPoints(), MainPoints(2, 2, 2, 1, 0, -1)),
    "rematch": ("avoid", "allow"),
    "late_until_round": (None, 1),
    "top_cut": (None, 2, 3),
    "revival": (
        None,
        Revival("list", fees=(10, 20), until_players=5),
        Revival("linear", base_fee=10, max_times=1),
        Revival("direct", packs=(Pack(500, 5),), max_times=1),
    ),
    "island": (
        None,
        Island(4000),
        Island(3000, end_policy="snapshot", rest_ms=500),
        Island(3000, loop=True, loop_count=2, leave_processing="keep", rejoin="keep"),
    ),
    "rewards": ((), (Reward(1, 3, {"coins": 5}),)),
}
"""What each mechanism may be set to, fitting or not. Only what would never end is left out."""

ALL_CHANGES = [(word, value) for word, values in CHANGES.items() for value in values]


def refused_with_a_rule(wrong: list[Mistake]) -> None:
    """Each reason says where, what and by which rule."""
    for mistake in wrong:
        assert mistake.rule in RULES, mistake
        assert mistake.message, mistake
        assert mistake.path.startswith(("phases[0]", "start")), mistake


def mixed(luck: random.Random, number: int) -> Stage:
    """A stage of any format with any mechanisms that it takes; those that it refuses are refused with their rule."""
    stage = attrs.evolve(luck.choice(list(GOOD.values())), id=f"s{number}", table_timeout_ms=60_000)
    for _ in range(24):
        changed = attrs.evolve(stage, **dict(luck.choices(ALL_CHANGES, k=luck.choice((1, 1, 1, 2, 3)))))
        wrong = definition_mistakes(match_of(changed))
        refused_with_a_rule(wrong)
        if not wrong:
            stage = changed
    return stage


def mixture(luck: random.Random) -> MatchDefinition:
    """Up to four such stages in a row that can take their field, as far as any can."""
    players = luck.randint(4, 30)
    stages: tuple[Stage, ...] = ()
    for number in range(luck.randint(1, 8)):
        more = (*stages, mixed(luck, number))
        wrong = definition_mistakes(match_of(*more, players=players, zero_sum=True))
        refused_with_a_rule(wrong)
        if not wrong:
            stages = more[:4]
    if not stages:
        stages = (attrs.evolve(KNOCKOUT, table_size=2),)
    return match_of(*stages, players=players, zero_sum=True)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_is_accepted_plays_to_its_end(seed: int) -> None:
    definition = mixture(random.Random(seed))
    assert definition_mistakes(definition) == []
    tossed = Tossed(definition).open()
    tossed.finish()
    if tossed.state.status == "halted":  # R-DU-05: how many have played enough boards nobody knows before
        assert any(stage.duplicate.required_boards for stage in definition.stages)
        assert tossed.state.current.entrants == 0
        return
    assert tossed.state.status == "over"
    if all(stage.format != "island" for stage in definition.stages):
        assert sorted(tossed.state.ranking) == sorted(tossed.state.entrants)


# R-ST-02, column by column: what each format leaves open. Written from the rule, not from the code.
BOTH = ("fixed_hands", "target")
MATRIX: dict[str, dict[str, tuple[Any, ...]]] = {
    "default": {
        "grouping.kind": ("direct",),
        "elimination": (None,),
        "rerank": (False,),
        "join": ("none",),
        "leave": ("forbidden",),
        "round.type": BOTH,
        "score_processing": ("none",),
    },
    "knockout": {
        "grouping.kind": ("swiss", "snake", "ui", "random"),
        "elimination": (None,),
        "rerank": (True,),
        "join": ("none",),
        "leave": ("forbidden",),
        "round.type": BOTH,
        "score_processing": ("per_round",),
    },
    "swiss_shift": {
        "grouping.kind": ("swiss", "snake", "ui", "random"),
        "elimination": (None,),
        "rerank": (True,),
        "join": ("none",),
        "leave": ("forbidden",),
        "round.type": BOTH,
        "score_processing": ("per_round",),
    },
    "melee": {
        "grouping.kind": ("random",),
        "elimination": ("a line",),
        "rerank": (False,),
        "join": ("none",),
        "leave": ("forbidden",),
        "round.type": ("fixed_hands",),
        "score_processing": ("none",),
    },
    "island": {
        "grouping.kind": ("random",),
        "elimination": (None, "a line"),
        "rerank": (False,),
        "join": ("any_time",),
        "leave": ("allowed",),
        "round.type": ("fixed_hands",),
        "score_processing": ("none",),
    },
    "continuous_swiss": {
        "grouping.kind": ("swiss",),
        "elimination": (None,),
        "rerank": (True,),
        "join": ("none",),  # who comes late registers (R-CS-01)
        "leave": ("allowed",),
        "round.type": ("fixed_hands",),
        "score_processing": ("per_round",),
    },
    "swiss_1v1": {
        "grouping.kind": ("random", "swiss"),
        "elimination": (None,),
        "rerank": (True,),
        "join": ("none", "any_time"),
        "leave": ("forbidden", "allowed"),
        "round.type": ("fixed_hands",),
        "score_processing": ("per_round",),
    },
}
VALUES: dict[str, tuple[Any, ...]] = {
    "grouping.kind": ("swiss", "snake", "ui", "random", "direct"),
    "elimination": (None, "a line"),
    "rerank": (True, False),
    "join": ("none", "any_time"),
    "leave": ("forbidden", "allowed"),
    "round.type": BOTH,
    "score_processing": ("none", "per_round"),
}


def with_mechanism(stage: Stage, word: str, value: Any) -> Stage:
    """The stage with one mechanism replaced, and nothing else that could be wrong."""
    if word == "grouping.kind":
        return attrs.evolve(stage, grouping=Grouping(kind=value))
    if word == "elimination":
        return attrs.evolve(stage, elimination=None if value is None else Elimination(absolute=0))
    if word == "round.type":
        sides = {2: (), 3: ("A", "B", "B")}[stage.table_size]
        target = Round("target", target=50, max_hands=3, sides=sides)
        return attrs.evolve(stage, round=target if value == "target" else stage.round)
    return attrs.evolve(stage, **{word: value})


@pytest.mark.parametrize("word", VALUES)
@pytest.mark.parametrize("name", GOOD)
def test_the_matrix_of_formats_and_mechanisms(name: str, word: str) -> None:
    """R-ST-02. Where another rule says more exactly why, it is named."""
    closer = {("melee", "elimination"): "R-ME-02", ("swiss_1v1", "round.type"): "R-DM-01"}
    for value in VALUES[word]:
        wrong = definition_mistakes(match_of(with_mechanism(GOOD[name], word, value)))
        at = [mistake for mistake in wrong if mistake.path == f"phases[0].stages[0].{word}"]
        if value in MATRIX[name][word]:
            assert wrong == [], f"{word} = {value!r}"
        else:
            rules = [mistake.rule for mistake in at]
            assert closer.get((name, word), "R-ST-02") in rules, f"{word} = {value!r}"


@pytest.mark.parametrize("name", GOOD)
def test_no_format_knows_intervention(name: str) -> None:
    (wrong,) = definition_mistakes(match_of(attrs.evolve(GOOD[name], intervention=True)))
    assert (wrong.path, wrong.rule) == ("phases[0].stages[0].intervention", "R-ST-02")


@pytest.mark.parametrize(("name", "word"), [(name, word) for name in GOOD for word in CHANGES])
def test_one_change_alone_is_taken_or_refused_with_its_rule(name: str, word: str) -> None:
    for value in CHANGES[word]:
        wrong = definition_mistakes(match_of(attrs.evolve(GOOD[name], **{word: value})))
        refused_with_a_rule(wrong)
