"""The numbers of the first source, the design of a platform's tournaments, as they stand there.

Its tables of chances and its diagrams are lost; what is left in figures is here.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.carry import stage_carry
from coordinator.engine.checks.advice import warnings
from coordinator.engine.cut import advance_count
from coordinator.engine.definition import Cut, MatchDefinition, Round, Stage
from coordinator.engine.scoring import bye_points, placement_points_default
from coordinator.engine.target_advisor import advise_target
from tests.engine.stages import DEFAULT, KNOCKOUT, SWISS, lower_numbers_win, match_of, score_all, started, still_in


@pytest.mark.parametrize(
    ("game", "size", "points", "bye"), [("mahjong", 4, (7, 5, 3, 1), 6), ("dou dizhu", 3, (5, 3, 1), 4)]
)
def test_placement_points_and_what_a_bye_is_worth(game: str, size: int, points: tuple[int, ...], bye: int) -> None:
    assert placement_points_default(size) == points
    assert bye_points(points) == bye
    played = started(attrs.evolve(SWISS, table_size=size, scoring="placement"), players=size + 1)
    score_all(played, lower_numbers_win)
    (ended,) = played.of(events.RoundEnded)
    assert sorted(ended.points, reverse=True) == list(points)
    assert [played.state.entrants[player].points for player in played.of(events.TablesSeated)[0].byes] == [bye]


def test_three_ways_to_carry_a_score_and_negatives_become_nothing() -> None:
    scores = [900, 600, 300, -100]
    assert stage_carry(scores, "none") == [0, 0, 0, 0]
    assert stage_carry(scores, "divide", divisor=10) == [90, 60, 30, 0]
    assert stage_carry(scores, "full") == [900, 600, 300, 0]


def test_with_a_greatest_score_everybody_is_divided_by_the_same_ratio() -> None:
    """The best carries 90 and 60 is the most: all are divided by 90/60. At 90 and above nobody is."""
    scores = [900, 600, 300, -100]
    assert stage_carry(scores, "divide", divisor=10, cap=60) == [60, 40, 20, 0]
    for cap in (90, 100):
        assert stage_carry(scores, "divide", divisor=10, cap=cap) == [90, 60, 30, 0]


def said(stage: Stage) -> list[str | None]:
    definition: MatchDefinition = match_of(stage, players=8)
    return [mistake.rule for mistake in warnings(definition)]


@pytest.mark.parametrize(("hands", "warned"), [(1, False), (2, False), (3, False), (4, False), (5, True)])
def test_beyond_four_hands_the_result_can_no_longer_change(hands: int, warned: bool) -> None:
    assert ("R-RF-01" in said(attrs.evolve(DEFAULT, table_size=4, round=Round(hands=hands)))) == warned


@pytest.mark.parametrize(
    ("target", "hands", "ok"),
    [
        (100, 6, False),  # more than 20 % end within two hands
        (120, 6, False),  # fewer than 95 % end within six
        (120, 7, True),
        (300, 2, False),  # B must be greater than 2
    ],
)
def test_what_is_advised_for_a_target(target: int, hands: int, ok: bool) -> None:
    """A hand is worth 1 to 100: above 80 % are unfinished after two hands, above 95 % finished at the end."""
    assert advise_target(target, hands).ok == ok
    duel = attrs.evolve(DEFAULT, table_size=2, round=Round("target", target=target, max_hands=hands))
    assert ("R-RT-02" in said(duel)) == (not ok)


@pytest.mark.parametrize(("take", "left"), [(1, 3), (2, 6), (3, 9), ("half", 6)])
def test_one_two_three_or_half_of_four_go_on(take: Any, left: int) -> None:
    assert advance_count(4, 3, take) == left
    game = started(attrs.evolve(KNOCKOUT, table_size=4, advance_per_table=take, bouts=1), players=12)
    score_all(game, lower_numbers_win)
    (ended,) = game.of(events.BoutEnded)
    assert len(still_in(game)) == len(ended.ranking) == left


@pytest.mark.parametrize(
    ("cut", "out"),
    [
        (Cut("fixed", Fraction(12)), 12),  # a fixed number
        (Cut("percent", Fraction(30)), 15),  # the number of players times a percentage
        (Cut("keep", Fraction(36)), 14),  # the number of players less those who go on
    ],
)
def test_the_last_n_of_the_whole_field_are_out(cut: Cut, out: int) -> None:
    game = started(attrs.evolve(SWISS, table_size=2, cut=cut), players=50)
    score_all(game, lower_numbers_win)
    (ended,) = game.of(events.BoutEnded)
    assert [int(player[1:]) for player in ended.out] == list(range(51 - out, 51))


def test_a_match_has_phases_of_stages_of_bouts_of_rounds_at_tables() -> None:
    """The levels from the match down to the hand, each told where it is."""
    game = started(attrs.evolve(SWISS, bouts=2, round=Round(hands=2)), players=6)
    for _ in range(4):
        score_all(game, lower_numbers_win)
    counted = [len(game.of(kind)) for kind in (events.StageOpened, events.BoutEnded, events.RoundEnded)]
    assert counted == [1, 2, 4]
    assert len(game.of(events.HandScored)) == 8
