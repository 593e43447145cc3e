"""Rulings of referees on boards in dispute (R-BL-13)."""

from typing import Any

import pytest

from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from tests.engine.ladder_play import LadderGame, ladder_match


def ruled(scale: dict[str, Any], imps: int) -> LadderGame:
    """A match with board 1 in dispute, and the word of a referee on it."""
    game = LadderGame(ladder_match(boards=2, **scale)).begin("A", "B", "C")
    number = game.playing("C", "B")
    game.ok(ask.RaiseDispute(game.t, number, "B", (1,), "a lead out of turn"))
    game.do(ask.RuleBoard(game.t, number, 1, imps, "as it should have been"))
    return game


@pytest.mark.parametrize(
    ("scale", "most"), [({}, 24), ({"imp_scale": (20, 50, 90)}, 3), ({"imp_scale": tuple(range(10, 310, 10))}, 30)]
)
def test_a_ruling_gives_at_most_what_the_scale_of_the_ladder_gives(scale: dict[str, Any], most: int) -> None:
    assert ruled(scale, most).of(ev.BoardRuled)
    assert not ruled(scale, most + 1).of(ev.BoardRuled)
    assert not ruled(scale, -most - 1).of(ev.BoardRuled)
