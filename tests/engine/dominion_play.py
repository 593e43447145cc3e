"""How tests tell the story of a Dominion Swiss: players by name, bouts by who met whom and how it ended."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import attrs

from coordinator.engine import commands, events
from coordinator.engine.definition import Grouping, Stage
from coordinator.engine.dominion import GameRecord
from coordinator.engine.match import Outcome, evolve
from coordinator.engine.refusal import Refused
from coordinator.engine.stage_rules import ranked_in_stage
from coordinator.engine.timelines.pairs import seat_bout
from tests.engine.playing import Game
from tests.engine.stages import DOMINION, given, match_of, report, seats, tell

Result = tuple[str, int, str, int]
"""Two players, each with their victory points."""

IN_ORDER = attrs.evolve(DOMINION, grouping=Grouping(kind="swiss"))
"""Its first bout pairs the players in the order they entered, so that a test chooses it."""


def rounds_of(bouts: int, **more: Any) -> Stage:
    """Bouts whose first one pairs in the order of entry."""
    return attrs.evolve(IN_ORDER, bouts=bouts, **more)


def entered(names: Iterable[str], *stages: Stage, seed: int = 1, **more: Any) -> Game:
    """A match of these players that has begun, the first named registered first."""
    game = Game(match_of(*stages, **more), seed=seed)
    for name in names:
        given(game, commands.RegisterPlayer(game.t, name, name))
    given(game, commands.StartMatch(game.t))
    return game


def pairs_now(game: Game) -> set[frozenset[str]]:
    """Who sits with whom."""
    return set(map(frozenset, seats(game)))


def pairs(*words: str) -> set[frozenset[str]]:
    """``pairs("AD", "BC")``."""
    return set(map(frozenset, words))


def seated(game: Game) -> list[events.TablesSeated]:
    """The bouts so far."""
    found: list[events.TablesSeated] = game.of(events.TablesSeated)
    return found


def ends(game: Game, a: str, vp_a: int, b: str, vp_b: int, dropped: Sequence[str] = ()) -> Outcome:
    """One game is over."""
    return given(game, report(game, {a: vp_a, b: vp_b}, dropped=tuple(dropped)))


def play_bout(game: Game, worth: Mapping[str, int] | None = None) -> None:
    """Every open game ends: by what the players are worth, or by chance."""
    for a, b in seats(game):
        vp = (worth[a], worth[b]) if worth is not None else (game.rng.randrange(9), game.rng.randrange(9))
        ends(game, a, vp[0], b, vp[1])


def enter_late(game: Game, name: str) -> Outcome | Refused:
    """Somebody registers while the match runs."""
    return game.do(commands.RegisterPlayer(game.t, name, name))


def withdraw(game: Game, name: str) -> Outcome:
    """Somebody leaves for good."""
    return given(game, commands.WithdrawPlayer(game.t, name))


def refused(game: Game, command: commands.Command) -> Refused:
    """A command that must be refused and change nothing."""
    return tell(game, command)


def ranking_of(game: Game) -> list[str]:
    """The order of everybody in the stage in play."""
    return ranked_in_stage(game.state, list(game.state.entrants.values()))


def points_of(game: Game, name: str) -> object:
    """A player's main points."""
    return game.state.entrants[name].points


def next_bout(
    entry: Sequence[str], bouts: Sequence[Sequence[GameRecord]], *, of: int, joined: Mapping[str, int] | None = None
) -> events.TablesSeated:
    """What the rules seat after a history that no draw would give: a stage folded from its own records."""
    game = entered(entry, attrs.evolve(DOMINION, bouts=of))
    stage = game.state.current
    game.state.tables.clear()
    stage.games.clear()
    stage.byes_had.clear()
    for entrant in game.state.entrants.values():
        entrant.state, entrant.table_id = "waiting", None
    for record in (record for bout in bouts for record in bout):
        stage.games.append(record)
        if record.b is None:
            stage.byes_had[record.a] = stage.byes_had.get(record.a, 0) + 1
    stage.joined.update(joined or {})
    stage.byes = ()
    ranking = tuple(ranking_of(game))
    evolve(game.state, events.BoutEnded(game.t, len(bouts), ranking, (), ()))
    stage.bout_no = len(bouts)
    return seat_bout(game.state, game.t, stage.bout_no + 1)


def games(bout_no: int, *results: Result) -> list[GameRecord]:
    """The records of a bout that was played."""
    return [GameRecord(bout_no, a, b, "played", vp_a, vp_b) for a, vp_a, b, vp_b in results]


def bye(bout_no: int, player: str) -> GameRecord:
    """The record of a bye."""
    return GameRecord(bout_no, player, None, "bye")


def can_be_fresh(players: Sequence[str], met: set[frozenset[str]]) -> bool:
    """Whether all of these can be paired with nobody met before: tried out, without cunning."""
    if not players:
        return True
    first, rest = players[0], players[1:]
    return any(
        frozenset((first, other)) not in met and can_be_fresh([p for p in rest if p != other], met) for other in rest
    )


def rematches_only_when_forced(game: Game) -> bool:
    """No bout repeats a pair while, with its byes, a complete fresh pairing exists; and a bout that does is marked."""
    met: set[frozenset[str]] = set()
    for bout in seated(game):
        now = [frozenset(table) for table in bout.tables]
        again = any(pair in met for pair in now)
        if again != bout.rematch or (again and can_be_fresh([p for table in bout.tables for p in table], met)):
            return False
        met |= set(now)
    return True


def all_pairs(names: Iterable[str]) -> set[frozenset[str]]:
    """Everybody with everybody."""
    return set(map(frozenset, combinations(names, 2)))
