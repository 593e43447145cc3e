"""R-DM-09, R-DM-10: the pairing of small fields is that of the depth-first rule, of large ones what it promises."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.engine.pairing import DEFINED, by_rank, neighbours

Met = dict[str, dict[str, None]]


def a_field(players: int) -> list[str]:
    return [f"p{number:05}" for number in range(players)]


def introduce(met: Met, one: str, other: str) -> None:
    met.setdefault(one, {})[other] = None
    met.setdefault(other, {})[one] = None


def depth_first(ranked: list[str], met: Met) -> list[tuple[str, str]] | None:
    """The rule as it is written."""
    if not ranked:
        return []
    first, rest = ranked[0], ranked[1:]
    for other in rest:
        if other not in met.get(first, {}):
            below = depth_first([player for player in rest if player != other], met)
            if below is not None:
                return [(first, other), *below]
    return None


def all_depth_first(ranked: list[str], met: Met) -> list[list[tuple[str, str]]]:
    if not ranked:
        return [[]]
    first, rest = ranked[0], ranked[1:]
    return [
        [(first, other), *below]
        for other in rest
        if other not in met.get(first, {})
        for below in all_depth_first([player for player in rest if player != other], met)
    ]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[str], Met]:
    ranked = a_field(2 * draw(st.integers(1, 5)))
    pairs = [(a, b) for at, a in enumerate(ranked) for b in ranked[at + 1 :]]
    met: Met = {}
    for a, b in pairs:
        if draw(st.booleans()):
            introduce(met, a, b)
    return ranked, met


@settings(max_examples=400, deadline=None)
@given(histories())
def test_the_pairing_is_what_the_depth_first_rule_says(field: tuple[list[str], Met]) -> None:
    ranked, met = field
    expected = depth_first(ranked, met)
    found = by_rank(ranked, met)
    if expected is None:
        assert (found.rematch, list(found.pairs)) == (True, neighbours(ranked)[0])
    else:
        assert (found.rematch, list(found.pairs)) == (False, expected)


@settings(max_examples=200, deadline=None)
@given(histories())
def test_with_a_bout_to_come_the_first_pairing_that_leaves_one_is_taken(field: tuple[list[str], Met]) -> None:
    ranked, met = field
    every = all_depth_first(ranked, met)
    found = by_rank(ranked, met, next_byes=())
    if not every:
        assert found.rematch
        return
    for pairs in every:
        after: Met = {player: dict(met.get(player, {})) for player in ranked}
        for one, other in pairs:
            introduce(after, one, other)
        if depth_first(ranked, after) is not None:
            assert list(found.pairs) == pairs
            return
    assert list(found.pairs) == every[0]


def test_an_odd_field_looks_ahead_to_the_next_bye() -> None:
    """Of five, E rests and B may rest next. A-C, B-D leaves A, C, D, E only what is fresh; so does nothing worse."""
    met: Met = {}
    for one, other in (("A", "D"), ("C", "E")):
        introduce(met, one, other)
    found = by_rank(list("ABCD"), met, resting=["E"], next_byes=["B"])
    assert not found.rematch
    after: Met = {player: dict(met.get(player, {})) for player in "ABCDE"}
    for one, other in found.pairs:
        introduce(after, one, other)
    assert depth_first(list("ACDE"), after) is not None


def test_sixty_four_players_are_paired_for_sixty_three_bouts_without_an_endless_search() -> None:
    luck, ranked = random.Random(1), a_field(DEFINED)
    met: Met = {}
    fresh = 0
    for _ in range(DEFINED - 1):
        luck.shuffle(ranked)
        found = by_rank(ranked, met)
        assert sorted(player for pair in found.pairs for player in pair) == sorted(ranked)
        again = any(other in met.get(one, {}) for one, other in found.pairs)
        assert again == found.rematch
        fresh += not again
        for one, other in found.pairs:
            introduce(met, one, other)
    assert fresh >= 50


@pytest.mark.parametrize("players", [66, 130, 1000])
def test_a_large_field_meets_nobody_twice(players: int) -> None:
    luck, ranked = random.Random(players), a_field(players)
    met: Met = {}
    points = dict.fromkeys(ranked, 0)
    for _ in range(14):
        found = by_rank(ranked, met)
        assert by_rank(ranked, met) == found
        assert not found.rematch
        assert sorted(player for pair in found.pairs for player in pair) == sorted(ranked)
        place = {player: number for number, player in enumerate(ranked)}
        for one, other in found.pairs:
            assert other not in met.get(one, {})
            assert place[one] < place[other]
            introduce(met, one, other)
            points[luck.choice((one, other))] += 1
        ranked.sort(key=lambda player: (-points[player], player))


def test_a_large_field_mends_what_the_way_down_leaves_over() -> None:
    """The last two have met, and so have all of the last eight with one another."""
    ranked = a_field(100)
    met: Met = {}
    for at, one in enumerate(ranked[-8:]):
        for other in ranked[-8:][at + 1 :]:
            introduce(met, one, other)
    found = by_rank(ranked, met)
    assert not found.rematch
    assert all(other not in met.get(one, {}) for one, other in found.pairs)
    assert max(ranked.index(other) - ranked.index(one) for one, other in found.pairs) <= 16


def test_a_large_field_in_which_everybody_has_met_pairs_neighbours() -> None:
    ranked = a_field(70)
    met: Met = {one: {other: None for other in ranked if other != one} for one in ranked}
    found = by_rank(ranked, met)
    assert (found.rematch, list(found.pairs)) == (True, neighbours(ranked)[0])


def test_an_odd_field_is_refused() -> None:
    with pytest.raises(ValueError, match="even number"):
        by_rank(a_field(3), {})
