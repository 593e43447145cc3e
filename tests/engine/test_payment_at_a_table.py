"""R-MP-01 in play: several payers, several winners and a fee, over more than one hand."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.definition import CarryOut, Grouping, PlayerState, Round
from tests.engine.playing import Game
from tests.engine.stages import SWISS, score, started

PAYING = attrs.evolve(SWISS, table_size=4, bouts=1, min_payment=True)


def table_of_four(stacks: tuple[int, int, int, int], **more: Any) -> Game:
    """Four players who bring these points from a stage before."""
    first = attrs.evolve(
        SWISS,
        id="before",
        table_size=4,
        carry_out=CarryOut("full"),
        grouping=Grouping(seat_order="rank"),
        initial_player_state=PlayerState(0),
    )
    game = started(
        first,
        attrs.evolve(PAYING, round=Round(hands=2), initial_player_state=PlayerState(0), **more),
        players=4,
    )
    score(game, **{f"p{number}": stack for number, stack in enumerate(stacks, start=1)})
    return game


def stacks(game: Game) -> list[int]:
    return [game.state.entrants[f"p{number}"].score for number in range(1, 5)]


def test_a_poor_payer_of_two_is_shared_out_and_the_fee_is_inside() -> None:
    """p1 owes 80 to each of two with a stack of 100: 50 and 50, of which the house takes 5 each."""
    game = table_of_four((100, 500, 500, 0), platform_fee=Fraction(5))
    score(game, p1=-160, p2=80, p3=80, p4=0)
    assert stacks(game) == [0, 545, 545, 0]
    assert game.of(events.HandScored)[-1].house == 10


def test_a_poor_winner_takes_its_stack_from_each_payer_and_then_has_more() -> None:
    game = table_of_four((30, 1000, 1000, 0))
    score(game, p1=400, p2=-200, p3=-200, p4=0)
    assert stacks(game) == [90, 970, 970, 0]
    score(game, p1=400, p2=-200, p3=-200, p4=0)
    assert stacks(game) == [270, 880, 880, 0], "it has 90 now, and so much from each of both"


@pytest.mark.parametrize(("cap", "won"), [("per_payer", 60), ("total", 30)])
def test_what_the_winners_stack_caps_is_the_organisers_choice(cap: Any, won: int) -> None:
    game = table_of_four((30, 1000, 1000, 0), winner_cap=cap)
    score(game, p1=400, p2=-200, p3=-200, p4=0)
    assert stacks(game) == [30 + won, 1000 - won // 2, 1000 - won // 2, 0]


def test_two_payers_two_winners_and_a_rate() -> None:
    """p1 owes 60 and p2 owes 90 of which it has 30; p3 won 100 and p4 50; the house takes a tenth of each payment."""
    game = table_of_four((500, 30, 500, 400), platform_fee=Fraction(1, 10))
    score(game, p1=-60, p2=-90, p3=100, p4=50)
    before, after = [500, 30, 500, 400], stacks(game)
    house = game.of(events.HandScored)[-1].house
    assert sum(before) - sum(after) == house
    assert after[:2] == [440, 0], "one pays in full, the other what it has"
    assert house == 4 + 2 + 1 + 1, "a tenth of 40, of 20, of 15 and of 15, in whole points"


def test_who_has_nothing_pays_and_wins_nothing() -> None:
    game = table_of_four((200, 0, 100, 100))
    score(game, p1=-30, p2=30, p3=0, p4=0)
    assert stacks(game) == [200, 0, 100, 100]
    score(game, p1=30, p2=-30, p3=0, p4=0)
    assert stacks(game) == [200, 0, 100, 100]
