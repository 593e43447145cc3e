"""Stages to build test matches from, and the few words in which those tests tell what happens at the tables."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs

from coordinator.engine import commands, events
from coordinator.engine.definition import (
    CarryOut,
    Clock,
    Duplicate,
    Elimination,
    End,
    GameState,
    Grouping,
    Island,
    MatchDefinition,
    Phase,
    PlayerState,
    Round,
    Stage,
    Start,
)
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.state import Table
from tests.engine.playing import Game

DEFAULT = Stage(
    id="final",
    format="default",
    table_size=3,
    round=Round(),
    grouping=Grouping(),
    leave="forbidden",
    score_processing="none",
    initial_player_state=PlayerState(0),
    initial_game_state=GameState(1),
    carry_out=CarryOut("none"),
)
KNOCKOUT = attrs.evolve(DEFAULT, id="knockout", format="knockout", score_processing="per_round")
SWISS = attrs.evolve(KNOCKOUT, id="swiss", format="swiss_shift", bouts=1)
DOMINION = attrs.evolve(
    DEFAULT,
    id="rounds",
    format="swiss_1v1",
    table_size=2,
    score_processing="per_round",
    leave="allowed",
    join="any_time",
)
MELEE = attrs.evolve(
    DEFAULT,
    id="melee",
    format="melee",
    grouping=Grouping(shuttle_size=9),
    initial_player_state=PlayerState(1000),
    initial_game_state=GameState(100),
    elimination=Elimination(ratio_of_base=Fraction(1, 4)),
    end=End(remaining_below=3),
)
ISLAND = attrs.evolve(
    MELEE,
    id="island",
    format="island",
    leave="allowed",
    join="any_time",
    initial_player_state=PlayerState(0),
    initial_game_state=GameState(10),
    grouping=Grouping(shuttle_size=3, max_wait_ms=1000),
    elimination=None,
    end=End(),
    island=Island(3_600_000),
)
CLOCKED = attrs.evolve(
    DEFAULT,
    id="boards",
    format="continuous_swiss",
    leave="allowed",
    score_processing="per_round",
    scoring="duplicate",
    bouts=3,
    clock=Clock(bout_ms=20 * 60_000),
    duplicate=Duplicate(required_boards=1),
)


def match_of(*stages: Stage, players: int = 0, **more: Any) -> MatchDefinition:
    """A match of these stages; it starts when ``players`` are in, without a number on a word."""
    start = Start(full_count=players) if players else Start(mode="manual")
    told: dict[str, Any] = {"start": start, "zero_sum": False, "phases": (Phase("only", stages),), **more}
    return MatchDefinition(id="test", game="dou_dizhu", **told)


def started(*stages: Stage, players: int, **more: Any) -> Game:
    """A match of these stages with players p1, p2, … in their first seats; hands need not sum to zero."""
    return Game(match_of(*stages, players=players, **more)).register(players)


def tell(game: Game, command: commands.Command) -> Refused:
    """Give a command that must be refused."""
    outcome = game.do(command)
    assert isinstance(outcome, Refused), outcome
    return outcome


def given(game: Game, command: commands.Command) -> Outcome:
    """Give a command that must be accepted."""
    outcome = game.do(command)
    assert not isinstance(outcome, Refused), outcome
    return outcome


def seats(game: Game) -> list[list[str]]:
    """Who sits at each open table, in the order of the tables."""
    return [list(table.seats) for table in game.state.tables.values()]


def table_of(game: Game, player: str) -> Table:
    """The open table this player sits at."""
    table_id = game.state.entrants[player].table_id
    assert table_id is not None, f"{player} sits nowhere"
    return game.state.tables[table_id]


def report(game: Game, scores: Mapping[str, int], **other: Any) -> commands.EndHand:
    """The report of the hand that the first of these players is in; ``other`` falsifies parts of it."""
    table = table_of(game, next(iter(scores)))
    told = commands.EndHand(
        game.t,
        table.server_id or "",
        table.table_id,
        table.epoch,
        table.hand_no,
        table.attempt_no,
        dict(scores),
    )
    return attrs.evolve(told, **other)


def score(game: Game, **scores: int) -> Outcome:
    """One table ends a hand: ``score(game, p1=30, p2=-10, p3=-20)``."""
    return given(game, report(game, scores))


def score_all(game: Game, worth: Mapping[str, int] | Callable[[str], int]) -> None:
    """Every table that is open now ends one hand with these scores."""
    worth_of = worth.__getitem__ if isinstance(worth, Mapping) else worth
    for at_table in seats(game):
        score(game, **{player: worth_of(player) for player in at_table})


def number(player: str) -> int:
    """7 for p7."""
    return int(player[1:])


def lower_numbers_win(player: str) -> int:
    """Scores of a hand in which p1 beats p2, p2 beats p3 and so on."""
    return 100_000 - number(player)


def players(numbers: Iterable[int]) -> list[str]:
    """Players by their numbers."""
    return [f"p{n}" for n in numbers]


def places(game: Game) -> dict[str, int]:
    """The final place of everybody."""
    ended: events.MatchEnded = game.of(events.MatchEnded)[-1]
    return {player: place for place, player in enumerate(ended.ranking, start=1)}


def still_in(game: Game) -> list[str]:
    """The players still in, in rank order."""
    return list(game.state.current.active)
