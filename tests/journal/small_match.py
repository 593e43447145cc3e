"""A small match as it would be journaled: its commands with what they led to, and a store that holds them."""

from collections.abc import Collection
from functools import cache

from coordinator.engine import commands
from coordinator.engine.definition import GameState, Grouping, PlayerState, Round, Stage
from coordinator.engine.match import Outcome, new_state, step
from coordinator.journal.records import Chain, PendingRecord, Snapshot, StoredRecord
from coordinator.journal.store import Store
from tests.engine.playing import Game, a_match

WALL_MS = 1_790_000_000_000

Step = tuple[commands.Command, Outcome]


def stage() -> Stage:
    return Stage(
        id="only",
        format="knockout",
        table_size=3,
        round=Round(hands=2),
        grouping=Grouping(),
        leave="forbidden",
        score_processing="per_round",
        initial_player_state=PlayerState(),
        initial_game_state=GameState(10),
        bouts="until_done",
    )


@cache
def played(players: int = 9, hands: int = 10**9) -> tuple[Step, ...]:
    """Every command of a knockout of tables of three with its outcome, in order; cut off after so many hands."""
    game = Game(a_match(stage(), players=players)).register(players).play(hands)
    state = new_state()
    steps: list[Step] = []
    for command in game.given:
        outcome = step(state, command)
        assert isinstance(outcome, Outcome)
        steps.append((command, outcome))
    return tuple(steps)


def sealed(match_id: str = "m", steps: tuple[Step, ...] | None = None) -> list[PendingRecord]:
    """The records of a small match."""
    chain = Chain.start(match_id)
    return [chain.seal(command, outcome.events, outcome.effects, WALL_MS) for command, outcome in steps or played(3, 1)]


def as_stored(record: PendingRecord) -> StoredRecord:
    return StoredRecord(record.match_id, record.seq, record.body, record.hash)


def write(
    store: Store, match_id: str = "m", steps: tuple[Step, ...] | None = None, snapshots_after: Collection[int] = ()
) -> Chain:
    """Journal a small match with snapshots after these records, one record a commit."""
    chain, state = Chain.start(match_id), new_state()
    for command, outcome in steps or played(3, 1):
        assert step(state, command) == outcome
        store.append([chain.seal(command, outcome.events, outcome.effects, WALL_MS)])
        if chain.seq in snapshots_after:
            store.put_snapshot(Snapshot.take(chain, state))
    return chain
