"""Matches of a ladder that wait for the same players to be free (R-BL-06: agreed is agreed, nobody sits twice)."""

import attrs

from coordinator.engine.definition import Round
from coordinator.engine.ladder import ladder_commands as ask
from tests.engine.ladder_play import LADDER, LadderGame
from tests.engine.stages import match_of

TWO_BOARDS = attrs.evolve(LADDER, round=Round(hands=2))


def three_at_one_time() -> tuple[LadderGame, int, int, int]:
    """t4 meets t3; at the same time t5 is to meet t4, and t3 is to meet t2."""
    game = LadderGame(match_of(TWO_BOARDS, zero_sum=True)).begin("t1", "t2", "t3", "t4", "t5")
    first, second, third = game.fixed("t4", "t3"), game.fixed("t5", "t4"), game.fixed("t3", "t2")
    for number in (first, second, third):
        game.lined_up(number)
        for side in (game.challenge(number).challenger, game.challenge(number).defender):
            game.ok(ask.SayReady(game.t, number, side))
    when = game.challenge(first).at
    assert when is not None
    game.until(when)
    return game, first, second, third


def test_a_match_whose_players_play_elsewhere_waits() -> None:
    game, first, second, third = three_at_one_time()
    assert [game.challenge(number).state for number in (first, second, third)] == ["playing", "fixed", "fixed"]


def test_all_that_waited_for_the_same_match_begin_when_it_is_played() -> None:
    game, first, second, third = three_at_one_time()
    game.play(first, [0, 0])
    assert [game.challenge(number).state for number in (second, third)] == ["playing", "playing"]
    seated = [player for table in game.state.tables.values() for player in table.seats]
    assert len(seated) == len(set(seated)) == 16
