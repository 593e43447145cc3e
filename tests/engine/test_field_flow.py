"""How many players reach each stage: the rules' own examples, and the engine playing as the judge."""

from fractions import Fraction
from typing import Literal

import attrs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

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
    PlayerState,
    Round,
    Stage,
)
from coordinator.engine.events import StageEnded
from coordinator.engine.field_flow import StageField, field_per_bout, flow, rounds_played, why_not
from tests.engine.playing import Game, a_match

FINAL = Stage(
    id="final",
    format="default",
    table_size=3,
    round=Round(hands=1),
    grouping=Grouping(kind="direct"),
    leave="forbidden",
    score_processing="none",
    initial_player_state=PlayerState(0),
    initial_game_state=GameState(1),
    carry_out=CarryOut("none"),
)
SWISS = attrs.evolve(
    FINAL, id="swiss", format="swiss_shift", grouping=Grouping(), score_processing="per_round", bouts=4
)
KNOCKOUT = attrs.evolve(SWISS, id="knockout", format="knockout", bouts=None)
MELEE = attrs.evolve(
    FINAL,
    id="melee",
    format="melee",
    grouping=Grouping(kind="random", shuttle_size=9),
    initial_player_state=PlayerState(1000),
    initial_game_state=GameState(100),
    elimination=Elimination(ratio_of_base=Fraction(1, 4)),
    base_growth=BaseGrowth("arith", by="hands", every_hands=5, add=100),
    end=End(remaining_below=19),
)


def leaves(stage: Stage, players: int) -> tuple[int, int]:
    return flow(a_match(stage, players=players), players)[0].leaves


# AV-107, R-DF-01
@pytest.mark.parametrize(("entrants", "playable"), [(3, False), (4, True), (5, False)])
def test_a_default_stage_takes_exactly_one_table(entrants: int, playable: bool) -> None:
    definition = a_match(attrs.evolve(FINAL, table_size=4), players=entrants)
    mistake = why_not(definition, entrants)
    assert (mistake is None) == playable
    if mistake is not None:
        assert mistake.rule == "R-DF-01"
        assert mistake.path == "phases[0].stages[0]"


# AV-110, R-HI-06
def test_rounds_of_a_swiss_shift_without_cuts() -> None:
    assert rounds_played(SWISS, 18) == 24
    assert field_per_bout(SWISS, 18) == (18, 18, 18, 18)


# AV-111, R-KO-01
def test_rounds_of_a_knockout_to_the_winner() -> None:
    assert field_per_bout(KNOCKOUT, 27) == (27, 9, 3)
    assert rounds_played(KNOCKOUT, 27) == 13
    assert leaves(KNOCKOUT, 27) == (1, 1)


def test_a_melee_leaves_its_rounds_to_the_cards() -> None:
    assert rounds_played(MELEE, 90) is None
    assert field_per_bout(MELEE, 90) == ()


# R-KO-02: four-seat tables, two advance, and byes go on without playing.
def test_take_two_of_four() -> None:
    two = attrs.evolve(KNOCKOUT, table_size=4, advance_per_table=2)
    assert field_per_bout(two, 12) == (12, 6, 4)


# R-KO-04: 54 → 27 → 13 → 7 → 4 → 2; a single middle does not advance, "ceil" lets it.
@pytest.mark.parametrize(("rounding", "fields"), [("floor", (54, 27, 13, 7, 4)), ("ceil", (54, 27, 14, 8, 5, 4, 3))])
def test_half_of_three(rounding: Literal["floor", "ceil"], fields: tuple[int, ...]) -> None:
    half = attrs.evolve(KNOCKOUT, advance_per_table="half", half_rounding=rounding)
    assert field_per_bout(half, 54) == fields


def test_trimming_to_full_tables() -> None:
    half = attrs.evolve(KNOCKOUT, advance_per_table="half", align_to_table=True)
    assert field_per_bout(half, 54) == (54, 27, 12, 6, 3)


# The external example of R-SW-01: 90-75-60-45-33-21-12-6-3, then a final.
def test_cuts_bout_by_bout() -> None:
    keeps = [75, 60, 45, 33, 21, 12, 6, 3]
    swiss = attrs.evolve(SWISS, bouts=9, cuts=tuple(Cut("keep", Fraction(n)) for n in keeps), cut=Cut())
    assert field_per_bout(swiss, 90) == (90, *keeps)


# R-SW-02: 50 players less 30 percent; 25 players less 7.5.
def test_percent_cuts_round_the_number_that_is_out_down() -> None:
    swiss = attrs.evolve(SWISS, bouts=1, cut=Cut("percent", Fraction(30)))
    assert leaves(swiss, 50) == (35, 35)
    assert leaves(swiss, 25) == (18, 18)
    assert leaves(attrs.evolve(swiss, percent_round="keep_floor"), 25) == (17, 17)


def test_a_swiss_shift_ends_when_too_few_stay_for_a_table() -> None:
    swiss = attrs.evolve(SWISS, cut=Cut("fixed", Fraction(5)))
    assert field_per_bout(swiss, 12) == (12, 7)
    assert leaves(swiss, 12) == (2, 2)


# R-ME-05
@pytest.mark.parametrize(
    ("players", "end", "left"),
    [
        (100, End(remaining_below=19), (16, 18)),
        (19, End(remaining_below=19), (16, 18)),
        (18, End(remaining_below=19), (18, 18)),
        (100, End(remaining_below=19, advance_count=12), (12, 12)),
        (100, End(remaining_below=19, advance_count=17), (16, 17)),
        (100, End(remaining_below=2), (1, 2)),
        (100, End(remaining_below=19, max_ms=1000), (16, 100)),
    ],
)
def test_how_many_a_melee_leaves(players: int, end: End, left: tuple[int, int]) -> None:
    assert leaves(attrs.evolve(MELEE, end=end), players) == left


def test_every_number_that_may_come_is_asked() -> None:
    """Of 16, 17 or 18 survivors a bout of threes sends on 6, 7 or 6, so a final of six cannot be promised."""
    six = attrs.evolve(FINAL, table_size=6)
    mistake = why_not(a_match(MELEE, attrs.evolve(KNOCKOUT, bouts=1), six, players=90), 90)
    assert mistake is not None
    assert "'knockout' would send 6 to 7" in mistake.message


@pytest.mark.parametrize("stage", [SWISS, KNOCKOUT, MELEE])
def test_no_stage_starts_without_a_full_table(stage: Stage) -> None:
    mistake = why_not(a_match(stage, players=2), 2)
    assert mistake is not None
    assert mistake.rule == "R-BY-01"
    assert flow(a_match(stage, players=2), 2) == []


def test_a_knockout_that_never_ends_is_refused() -> None:
    stuck = attrs.evolve(KNOCKOUT, bouts="until_done", cut=Cut("fixed", Fraction(0)))
    mistake = why_not(a_match(stuck, players=9), 9)
    assert mistake is not None
    assert "would not end" in mistake.message


def test_too_few_for_the_start() -> None:
    definition = a_match(SWISS, players=30)
    definition = attrs.evolve(definition, start=attrs.evolve(definition.start, min_players=12))
    mistake = why_not(definition, 11)
    assert mistake is not None
    assert mistake.path == "start.min_players"
    assert why_not(definition, 12) is None


def played(definition: MatchDefinition, players: int, seed: int) -> list[int]:
    game = Game(definition, seed=seed).register(players).play()
    assert game.state.status == "over"
    return [event.advancing for event in game.of(StageEnded)]


cut_modes = st.one_of(
    st.builds(Cut, st.just("keep"), st.integers(1, 40).map(Fraction)),
    st.builds(Cut, st.just("fixed"), st.integers(0, 9).map(Fraction)),
    st.builds(Cut, st.just("percent"), st.integers(0, 60).map(Fraction)),
    st.just(Cut()),
)


@st.composite
def bout_stages(draw: st.DrawFn) -> Stage:
    size = draw(st.integers(2, 5))
    bouts = draw(st.integers(1, 4))
    cuts = tuple(draw(st.lists(cut_modes, min_size=bouts, max_size=bouts)))
    if draw(st.booleans()):
        return attrs.evolve(SWISS, table_size=size, bouts=bouts, cuts=cuts)
    return attrs.evolve(
        KNOCKOUT,
        table_size=size,
        bouts=draw(st.sampled_from([bouts, "until_done"])),
        cuts=cuts if draw(st.booleans()) else (),
        advance_per_table=draw(st.sampled_from(["half", *range(1, size)])),
        half_rounding=draw(st.sampled_from(["floor", "ceil"])),
        align_to_table=draw(st.booleans()),
    )


@settings(deadline=None, max_examples=60)
@given(stage=bout_stages(), players=st.integers(2, 60), seed=st.integers(0, 9))
def test_bouts_come_out_as_foretold(stage: Stage, players: int, seed: int) -> None:
    definition = a_match(stage, players=players)
    assume(not definition_mistakes(definition))
    (step,) = flow(definition, players)
    (left,) = played(definition, players, seed)
    assert step.leaves == (left, left)


@settings(deadline=None, max_examples=25)
@given(
    players=st.integers(3, 60), below=st.integers(2, 30), advance=st.none() | st.integers(1, 30), seed=st.integers(0, 9)
)
def test_melees_come_out_within_what_was_foretold(players: int, below: int, advance: int | None, seed: int) -> None:
    definition = a_match(attrs.evolve(MELEE, end=End(below, advance)), players=players)
    (step,) = flow(definition, players)
    assert isinstance(step, StageField)
    (left,) = played(definition, players, seed)
    assert step.leaves[0] <= left <= step.leaves[1]
