"""Keeps a journal of the present format for ever: run once for each format, at its release, and never again.

``python -m tests.journal.keep`` writes ``kept/format-N.db`` and the facts about it that every later version must find.
"""

import json
from pathlib import Path

import attrs

from coordinator.engine import commands
from coordinator.engine.definition import MatchDefinition, Round
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.state import MatchState
from coordinator.journal.records import FORMAT, Chain, Snapshot
from coordinator.journal.store import Store, open_store
from tests.engine.playing import Game
from tests.engine.stages import KNOCKOUT, MELEE, SWISS, match_of

KEPT = Path(__file__).parent / "kept"
WALL_MS = 1_790_000_000_000

MATCHES: dict[str, tuple[MatchDefinition, int]] = {
    "knockout": (match_of(attrs.evolve(KNOCKOUT, round=Round(hands=2)), players=27), 27),
    "melee": (match_of(MELEE, players=18), 18),
    "swiss": (match_of(attrs.evolve(SWISS, bouts=3, round=Round(hands=2)), players=12), 12),
}


def play(store: Store, match_id: str, definition: MatchDefinition, players: int) -> MatchState:
    """Play one match to its end and journal it, with a snapshot in the middle and one at the end."""
    game = Game(definition, seed=7, ms_per_hand=20_000).register(players).play(60)
    chain, state = Chain.start(match_id), new_state()
    for number, command in enumerate(game.given, start=1):
        if isinstance(command, commands.OpenMatch):
            command = attrs.evolve(command, match_id=match_id)
        outcome = step(state, command)
        assert isinstance(outcome, Outcome)
        store.append([chain.seal(command, outcome.events, outcome.effects, WALL_MS + command.t)])
        if number in (len(game.given) // 2, len(game.given)):
            store.put_snapshot(Snapshot.take(chain, state))
    return state


def facts(state: MatchState) -> dict[str, object]:
    """What must be found again, however a later version lays a state out."""
    return {
        "status": state.status,
        "hands": state.hands,
        "tables": len(state.tables),
        "ranking": list(state.ranking),
        "scores": {player_id: entrant.score for player_id, entrant in state.entrants.items()},
    }


def keep(folder: Path) -> None:
    """Write the journal and its facts."""
    name = f"format-{FORMAT}"
    with open_store(f"sqlite:///{folder / name}.db") as store:
        found = {match_id: facts(play(store, match_id, *what)) for match_id, what in MATCHES.items()}
        for match_id in MATCHES:
            found[match_id]["records"] = store.verify(match_id).records
    (folder / f"{name}.db.lock").unlink()
    (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    keep(KEPT)
