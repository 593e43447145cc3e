"""R-RT-01: a target round whose sides have several players, from the hand to the places and points.

Proves R-RT-01.
"""

from typing import Any

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import Round, Stage
from coordinator.engine.ranking import side_places
from coordinator.engine.rounds import sides_of
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, DOMINION, KNOCKOUT, SWISS, match_of, places, score, seats, started

NORTH_SOUTH = ("NS", "EW", "NS", "EW")
PARTNERS = Round("target", target=100, max_hands=4, sides=NORTH_SOUTH)
TWO_A_SIDE = attrs.evolve(DEFAULT, table_size=4, round=PARTNERS)


def hand(game: Game, ns: tuple[int, int], ew: tuple[int, int]) -> None:
    """One hand at the only table: what each of the partners wins."""
    (table,) = seats(game)
    score(game, **dict(zip(table, (ns[0], ew[0], ns[1], ew[1]), strict=True)))


@pytest.mark.parametrize(
    ("last", "order"),
    [
        ((0, 35), ["p2", "p4", "p1", "p3"]),  # 70 : 105, the target
        ((0, 20), ["p2", "p4", "p1", "p3"]),  # 70 : 90, the higher score after four hands
    ],
)
def test_the_worked_example_played_by_partners(last: tuple[int, int], order: list[str]) -> None:
    game = started(TWO_A_SIDE, players=4)
    for ns, ew in ((40, 0), (0, 70), (30, 0)):
        hand(game, (ns // 2, ns // 2), (ew // 2, ew // 2))
    assert game.state.status == "running"
    hand(game, (last[0], 0), (last[1], 0))
    assert list(places(game)) == order


def test_partners_reach_the_target_together() -> None:
    game = started(TWO_A_SIDE, players=4)
    hand(game, (30, 69), (50, 40))
    assert game.state.status == "running", "nobody has 100 alone and no side has it together"
    hand(game, (1, 0), (5, 0))
    assert list(places(game)) == ["p3", "p1", "p2", "p4"], "the winning side first, whatever one of the others won"


def test_both_sides_reach_it_in_one_hand_and_the_higher_wins() -> None:
    game = started(TWO_A_SIDE, players=4)
    hand(game, (60, 60), (110, 20))
    assert list(places(game)) == ["p2", "p4", "p1", "p3"]


def test_equal_sides_go_by_the_last_hand_they_played_together() -> None:
    """R-TB-01 for sides: of 30 each, 20 in the last hand beat 10; of 15 each, who has 15 in it stands higher."""
    game = started(attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, max_hands=2)), players=4)
    hand(game, (10, 0), (20, 0))
    hand(game, (5, 15), (10, 0))
    assert list(places(game)) == ["p3", "p1", "p2", "p4"]


def test_equal_sides_go_by_the_earliest_registration_of_their_players() -> None:
    """R-TB-02 for sides."""
    game = started(attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, max_hands=1)), players=4)
    hand(game, (10, 10), (5, 15))
    assert list(places(game)) == ["p1", "p3", "p4", "p2"]


@pytest.mark.parametrize(("tied", "points"), [("break", [5, 3, 7, 1]), ("share", [6, 2, 6, 2])])
def test_a_side_earns_the_points_of_its_places(tied: Any, points: list[int]) -> None:
    """R-SC-02: the total of a side is one, so partners share where equal totals share."""
    stage = attrs.evolve(SWISS, table_size=4, round=PARTNERS, scoring="placement", tied_places=tied)
    game = started(stage, players=4)
    hand(game, (10, 90), (60, 20))
    (ended,) = game.of(events.RoundEnded)
    by_seat = {"break": [5, 3, 7, 1], "share": [6, 2, 6, 2]}[tied]
    assert list(ended.points) == by_seat == points


def test_of_three_against_one_the_one_may_win() -> None:
    """Sides need not be equal: what counts is their score."""
    stage = attrs.evolve(DEFAULT, table_size=4, round=attrs.evolve(PARTNERS, sides=("A", "B", "B", "B")))
    game = started(stage, players=4)
    score(game, p1=120, p2=10, p3=50, p4=20)
    assert list(places(game)) == ["p1", "p3", "p4", "p2"]


def test_the_winning_sides_of_a_knockout_go_on() -> None:
    """R-KO-02: two of four are a side; eight tables of two sides leave one."""
    stage = attrs.evolve(KNOCKOUT, table_size=4, round=PARTNERS, advance_per_table=2)
    game = started(stage, players=32, zero_sum=False)
    assert definition_mistakes(game.definition) == []
    while game.state.status == "running":
        by_table = seats(game)
        for table in by_table:
            score(game, **dict(zip(table, (60, 0, 50, 0), strict=True)))
        if game.state.status == "running":
            still = set(game.state.current.active)
            assert still == {player for table in by_table for player in (table[0], table[2])}
    assert len(places(game)) == 32


def test_sides_and_places_in_short() -> None:
    assert sides_of((), 2) == [[0], [1]]
    assert sides_of(NORTH_SOUTH, 4) == [[0, 2], [1, 3]]
    with pytest.raises(ValueError, match="a name for each of the 4 seats"):
        sides_of(("A", "B"), 4)
    assert side_places([[0, 2], [1, 3]], [5, 9, 6, 1], [0] * 4, [4, 3, 2, 1], ("registration",)) == [2, 3, 1, 4]


@pytest.mark.parametrize(
    ("stage", "rule"),
    [
        (attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, sides=())), "R-RT-01"),
        (attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, sides=("A", "B", "A"))), "R-RT-01"),
        (attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, sides=("A", "B", "C", "A"))), "R-RT-01"),
        (attrs.evolve(TWO_A_SIDE, round=attrs.evolve(PARTNERS, sides=("A",) * 4)), "R-RT-01"),
        (attrs.evolve(TWO_A_SIDE, round=Round(hands=2, sides=NORTH_SOUTH)), "R-RF-01"),
    ],
)
def test_sides_that_make_no_sense_are_refused(stage: Stage, rule: str) -> None:
    assert rule in [mistake.rule for mistake in definition_mistakes(match_of(stage, players=4))]


def test_a_final_that_fewer_may_come_to_knows_no_partners() -> None:
    """R-DM-12."""
    rounds = attrs.evolve(DOMINION, top_cut=4)
    found = definition_mistakes(match_of(rounds, TWO_A_SIDE, players=8))
    assert [mistake.rule for mistake in found] == ["R-DM-12"]
