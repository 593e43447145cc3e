"""Taking up a match from a journal of 50,000 events and of 200,000: the time for one event must not grow.

Both journals are SQLite files without a snapshot, so that every record is read, its hash checked, its events folded;
the matches are of one kind and one field, the longer one has played four times as long. They are taken up in turn.
"""

import gc
import random
import tempfile
import time
from collections import deque
from pathlib import Path

import attrs

from coordinator.engine import commands
from coordinator.engine import effects as fx
from coordinator.engine.definition import Grouping, MatchDefinition, Round
from coordinator.engine.match import new_state, step
from coordinator.engine.refusal import Refused
from coordinator.journal.records import Chain, PendingRecord
from coordinator.journal.replay import recover
from coordinator.journal.store import Store, open_store
from scripts.benchmarks._lean import pin
from scripts.benchmarks._report import finish, options, say, spread
from tests.engine.stages import SWISS, match_of

BAR = 1.3
TIMES = 4
BATCH = 1_000


def definition(players: int) -> MatchDefinition:
    """A Swiss shift that lasts as long as one likes."""
    stage = attrs.evolve(SWISS, round=Round(hands=10), grouping=Grouping(kind="swiss"), bouts=1000)
    return match_of(stage, players=players)


def write(store: Store, players: int, events: int) -> int:
    """Journal a match until it has so many events; how many it has."""
    state, chain, chance = new_state(), Chain.start("long"), random.Random(1)
    asked: deque[commands.Command] = deque(
        [commands.OpenMatch(0, "long", definition(players), "seed", "secret")]
        + [commands.RegisterPlayer(0, f"p{number}", f"Player {number}") for number in range(players)]
    )
    batch: list[PendingRecord] = []
    t = written = 0
    while written < events:
        command = asked.popleft()
        outcome = step(state, command)
        assert not isinstance(outcome, Refused), outcome
        batch.append(chain.seal(command, outcome.events, outcome.effects, 0))
        written += len(outcome.events)
        if len(batch) == BATCH:
            store.append(batch)
            batch = []
        for effect in outcome.effects:
            t += 1
            if isinstance(effect, fx.FindServers):
                placed = tuple(commands.Placement(table_id, "ts", "life") for table_id in effect.table_ids)
                asked.append(commands.PlaceTables(t, placed))
            elif isinstance(effect, fx.StartHand):
                one, other, third = state.tables[effect.table_id].seats
                won = chance.randrange(-20, 20)
                scores = {one: 2 * won, other: -won, third: -won}
                hand = (effect.server_id, effect.table_id, effect.epoch, effect.hand_no, effect.attempt_no)
                asked.append(commands.EndHand(t, *hand, scores))
    store.append(batch)
    return written


def microseconds(store: Store, events: int) -> float:
    """CPU time to take the match up, for each of its events."""
    gc.collect()
    start = time.process_time()
    recover(store, "long")
    return (time.process_time() - start) / events * 1e6


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", rounds=5, events=50_000, players=900)
    pin(0, 0)
    figures: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="coordinator-bench-") as home:
        stores: dict[int, Store] = {}
        for wanted in (args.events, TIMES * args.events):
            store = open_store(f"sqlite:///{Path(home) / str(wanted)}.db")
            events = write(store, args.players, wanted)
            stores[events], figures[events] = store, []
            say(f"a journal of {events:,} events is written")
        for number in range(args.rounds):
            for events in stores if number % 2 else reversed(stores):
                figures[events].append(microseconds(stores[events], events))
            told = ", ".join(f"{events:,} events {times[-1]:.1f}" for events, times in figures.items())
            say(f"round {number + 1}: CPU us for an event: {told}")
        for store in stores.values():
            store.close()
    short, long = figures.values()
    result = spread([one / other for one, other in zip(long, short, strict=True)])
    finish(
        "recovery",
        ok=result["median"] <= BAR,
        ratio=result["median"],
        bar=f"at most {BAR}",
        parts={
            "spread": result,
            "cpu_us_per_event": {str(events): spread(times) for events, times in figures.items()},
        },
        file=args.json,
    )


if __name__ == "__main__":
    main()
