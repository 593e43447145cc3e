"""An island of an hour, and the words in which tests tell who comes and how time goes by."""

from typing import Any

import attrs

from coordinator.engine import commands as c
from coordinator.engine.definition import CarryOut, Island, Stage
from tests.engine.playing import Game
from tests.engine.stages import ISLAND, given

MINUTE = 60_000
ISLE = attrs.evolve(
    ISLAND,
    carry_out=CarryOut("divide", divisor=10),
    island=Island(60 * MINUTE, entry_score=1000),
    table_timeout_ms=24 * 60 * MINUTE,
)


def island(**words: Any) -> Stage:
    """The island with other words of its own."""
    assert ISLE.island is not None
    return attrs.evolve(ISLE, island=attrs.evolve(ISLE.island, **words))


def to(game: Game, t: int) -> None:
    """Let the clock run."""
    game.t = t
    game.fire_due()


def join(game: Game, player: str) -> None:
    """A player comes."""
    given(game, c.JoinMatch(game.t, player, player.upper()))
