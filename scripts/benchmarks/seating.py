"""Ranking and seating 1,000,000 players in threes against numpy's argsort of the same keys.

Timed is what the rules decide between two bouts of a Swiss shift: rank the whole field, form the tables by rank. What
it takes to bring a million player records up to date afterwards is told beside it. Memory is what a player costs once
seated, table and all.
"""

import gc
import os
import random
import time
from pathlib import Path

import attrs
import numpy as np

from coordinator.engine import commands, events
from coordinator.engine.definition import Grouping
from coordinator.engine.match import decide, evolve, follow, new_state
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from scripts.benchmarks._lean import pin
from scripts.benchmarks._report import finish, options, say, spread
from tests.engine.stages import SWISS, match_of

BAR, BYTES_BAR = 10.0, 1024


def resident_bytes() -> int:
    """Resident size of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    size: int = os.sysconf("SC_PAGE_SIZE")
    return pages * size


def a_field(players: int) -> MatchState:
    """A match of so many registered players with one Swiss shift of two bouts."""
    definition = match_of(attrs.evolve(SWISS, grouping=Grouping(kind="swiss"), bouts=1000))
    state = new_state()
    opened = decide(state, commands.OpenMatch(0, "big", definition, "seed", "secret"))
    assert not isinstance(opened, Refused), opened
    evolve(state, opened[0])
    for number in range(players):
        evolve(state, events.PlayerRegistered(f"p{number:07d}", f"Player {number}", number + 1))
    return state


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", rounds=5, players=999_999)
    pin(0, 0)
    gc.disable()
    before = resident_bytes()
    state = a_field(args.players)
    bare = resident_bytes()
    say(f"{args.players:,} players registered: {(bare - before) / args.players:.0f} bytes each")
    evolve(state, events.MatchStarted(0))
    (opened,) = follow(state, events.MatchStarted(0))
    evolve(state, opened)
    (seated,) = follow(state, opened)
    evolve(state, seated)
    del seated, opened
    gc.collect()
    per_player = (resident_bytes() - before) / args.players
    say(f"and seated: {per_player:.0f} bytes each")
    gc.freeze()

    rng = random.Random(1)
    ratios: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    applying: list[float] = []
    for number in range(args.rounds):
        for entrant in state.entrants.values():
            entrant.score = rng.randrange(-100_000, 100_000)
        state.tables.clear()
        keys = np.array([-entrant.score for entrant in state.entrants.values()], dtype=np.float64)

        def sort_bare(keys: np.ndarray = keys) -> float:
            start = time.process_time()
            np.argsort(keys, kind="stable").reshape(-1, 3)
            return time.process_time() - start

        def rank_and_seat() -> float:
            start = time.process_time()
            (ended,) = follow(state, _last_round())
            ranked = time.process_time()
            evolve(state, ended)
            applied = time.process_time()
            (again,) = follow(state, ended)
            done = time.process_time()
            evolve(state, again)
            applying.append(applied - ranked + time.process_time() - done)
            return ranked - start + done - applied

        for measure in (sort_bare, rank_and_seat) if number % 2 else (rank_and_seat, sort_bare):
            (theirs if measure is sort_bare else ours).append(measure())
        ratios.append(ours[-1] / theirs[-1])
        say(f"round {number + 1}: ranked and seated in {ours[-1]:.2f} s, argsort {theirs[-1]:.3f} s")
    result = spread(ratios)
    finish(
        "seating",
        ok=result["median"] <= BAR and per_player <= BYTES_BAR,
        ratio=result["median"],
        bar=f"at most {BAR}, and at most {BYTES_BAR} bytes per seated player",
        parts={
            "spread": result,
            "seconds": spread(ours),
            "argsort_seconds": spread(theirs),
            "applying_seconds": spread(applying),
            "bytes_per_player": round(per_player),
        },
        file=args.json,
    )


def _last_round() -> events.RoundEnded:
    """The end of the last table of a bout; what follows from it is the bout's end."""
    return events.RoundEnded(0, 0, (), ())


if __name__ == "__main__":
    main()
