"""Invented hands: legal, bounded, and better for the better player."""

from random import Random

import attrs
import pytest

from coordinator.engine import effects as fx
from coordinator.engine.definition import Duplicate, GameState, MatchDefinition, Phase, Round, Stage
from coordinator.simulation import hands
from coordinator.simulation.habits import HAND_MS, Habits, HandKind
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, KNOCKOUT, MELEE, match_of

ORDER = fx.StartHand("ts", 1, 1, 1, 1, 100, "deal", ())
BRIDGE = attrs.evolve(
    CLOCKED, table_size=4, duplicate=Duplicate(required_boards=1, directions=("NS", "EW", "NS", "EW"))
)
ONE_AGAINST_THREE = attrs.evolve(
    CLOCKED, table_size=4, duplicate=Duplicate(required_boards=1, directions=("A", "B", "B", "B"))
)
DUEL = attrs.evolve(KNOCKOUT, table_size=2, round=Round("target", target=120, max_hands=7))


def draw(
    stage: Stage, definition: MatchDefinition, wanted: HandKind = "auto", count: int = 400
) -> list[tuple[int, ...]]:
    rng, kind = Random(7), hands.kind_for(definition, stage, wanted)
    skills = [1.0] + [0.0] * (stage.table_size - 1)
    return [
        hands.scores(kind, definition, stage, attrs.evolve(ORDER, deal=f"deal {n}"), skills, rng) for n in range(count)
    ]


@pytest.mark.parametrize("stage", [MELEE, KNOCKOUT, BRIDGE, ONE_AGAINST_THREE, CLOCKED, DUEL], ids=str)
@pytest.mark.parametrize("wanted", ["auto", "solo", "winner", "spread"])
def test_what_must_add_up_to_nothing_does(stage: Stage, wanted: HandKind) -> None:
    definition = match_of(stage, zero_sum=True)
    assert all(sum(scores) == 0 for scores in draw(stage, definition, wanted))


@pytest.mark.parametrize(
    ("stage", "zero_sum", "kind"),
    [
        (MELEE, True, "solo"),
        (MELEE, False, "solo"),
        (attrs.evolve(MELEE, table_size=2), True, "winner"),
        (KNOCKOUT, True, "solo"),
        (KNOCKOUT, False, "points"),
        (attrs.evolve(KNOCKOUT, min_payment=True), False, "solo"),
        (DOMINION, False, "points"),
        (DUEL, True, "target"),
        (BRIDGE, True, "board"),
    ],
    ids=str,
)
def test_a_stage_has_the_hands_that_suit_it(stage: Stage, zero_sum: bool, kind: str) -> None:
    definition = match_of(stage, zero_sum=zero_sum)
    assert hands.kind_for(definition, stage, "auto") == kind
    asked = hands.kind_for(definition, stage, "spread")
    assert asked == (kind if kind in ("board", "target") else "spread")


def test_points_are_for_those_whose_scores_need_not_add_up() -> None:
    assert hands.fits(match_of(KNOCKOUT, zero_sum=False), "points")
    assert not hands.fits(match_of(KNOCKOUT, zero_sum=True), "points")
    assert not hands.fits(match_of(attrs.evolve(KNOCKOUT, min_payment=True), zero_sum=False), "points")
    assert hands.fits(match_of(BRIDGE, zero_sum=True), "points")


@pytest.mark.parametrize("wanted", ["solo", "winner", "spread", "points"])
def test_no_hand_brings_more_than_it_can(wanted: HandKind) -> None:
    """R-RF-01 rests on it."""
    for size in (2, 3, 4):
        stage = attrs.evolve(KNOCKOUT, table_size=size)
        most = hands.swing(hands.kind_for(match_of(stage), stage, wanted), size, 100)
        found = [score for scores in draw(stage, match_of(stage), wanted) for score in scores]
        assert -most.loss <= min(found)
        assert max(found) <= most.gain
        assert max(max(scores) - min(scores) for scores in draw(stage, match_of(stage), wanted)) <= most.apart
    most = hands.swing("target", 2, 100)
    duels = draw(DUEL, match_of(DUEL, zero_sum=True))
    assert all(abs(one) <= most.gain and abs(one - other) <= most.apart for one, other in duels)


@pytest.mark.parametrize("stage", [MELEE, DUEL, DOMINION, BRIDGE], ids=lambda stage: stage.format)
def test_the_better_player_wins_more(stage: Stage) -> None:
    found = draw(stage, match_of(stage), count=2000)
    means = [sum(scores[seat] for scores in found) / len(found) for seat in range(stage.table_size)]
    assert means[0] > max(means[1:2])


def test_partners_share_a_result_and_the_cards_are_the_same_everywhere() -> None:
    """R-DU-01."""
    definition = match_of(BRIDGE, zero_sum=True)
    for north, east, south, west in draw(BRIDGE, definition):
        assert (north, east) == (south, west)
    one, other = (
        hands.scores("board", definition, BRIDGE, ORDER, [0.0] * 4, Random(seed)) for seed in ("here", "there")
    )
    far = hands.scores("board", definition, BRIDGE, attrs.evolve(ORDER, deal="other"), [0.0] * 4, Random("here"))
    assert one != other
    assert len({one, other, far}) == 3


def test_multiples_are_told_without_the_base_score() -> None:
    """R-SC-03."""
    told = attrs.evolve(MELEE, report="multiple")
    assert max(abs(score) for scores in draw(told, match_of(told)) for score in scores) <= 12


def test_a_target_hand_is_worth_1_to_100() -> None:
    """R-RT-03: under model W the loser adds nothing, under model Z loses as much."""
    won = [max(scores) for scores in draw(DUEL, match_of(DUEL, zero_sum=False), count=3000)]
    assert (min(won), max(won)) == (1, 100)
    assert all(min(scores) == 0 for scores in draw(DUEL, match_of(DUEL, zero_sum=False)))
    assert hands.target_model(match_of(DUEL, zero_sum=True)) == "Z"


def test_hands_are_short_where_the_clock_is() -> None:
    habits = Habits()
    assert habits.median_ms(DEFAULT) == HAND_MS
    assert habits.median_ms(attrs.evolve(CLOCKED, clock=attrs.evolve(CLOCKED.clock, bout_ms=1000))) == 600
    assert attrs.evolve(habits, hand_ms=5).median_ms(DEFAULT) == 5
    lengths = [habits.length_ms(DEFAULT, Random(seed)) for seed in range(300)]
    assert HAND_MS / 5 <= min(lengths) < HAND_MS < max(lengths) <= HAND_MS * 5


def test_skill_is_given_out_as_asked() -> None:
    assert Habits("none").skills(3, Random(1)) == [0.0, 0.0, 0.0]
    even = Habits("even", 1.0).skills(4, Random(1))
    assert sorted(even) == pytest.approx([-1.299, -0.433, 0.433, 1.299], abs=0.001)
    normal = Habits("normal", 2.0).skills(4000, Random(1))
    assert (sum(each * each for each in normal) / 4000) ** 0.5 == pytest.approx(2.0, rel=0.05)


def test_a_base_score_of_the_stage_is_the_unit() -> None:
    stage = attrs.evolve(MELEE, initial_game_state=GameState(100))
    definition = MatchDefinition("m", "dou_dizhu", (Phase("p", (stage,)),))
    assert all(score % 100 == 0 for scores in draw(stage, definition) for score in scores)
