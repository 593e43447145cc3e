"""Ranking and pairing a Dominion bout of 10,000 players against rustworkx' exact matching of 500 on the full graph.

Timed is what the rules decide between two bouts (R-DM-05, R-DM-10): rank everybody by the whole chain, find the bye and
the pairs. Both fields have played as many bouts. The exact matching is given its edges, all pairs that have not met,
and finds the least sum of squared rank distances; it is not timed for ranking anybody.
"""

import gc
import random
import time

import attrs
import rustworkx

from coordinator.engine import commands, dominion, events
from coordinator.engine.match import evolve, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.stage_rules import ranked_in_stage
from coordinator.engine.state import MatchState
from coordinator.engine.timelines.pairs import seat_bout
from scripts.benchmarks._lean import pin
from scripts.benchmarks._report import finish, options, say, spread
from tests.engine.stages import DOMINION, match_of

BAR = 1.0
BOUTS = 14
"""What a field of 10,000 plays (R-DM-02)."""


def a_field(players: int) -> MatchState:
    """A match of so many players with a Dominion Swiss whose first bout is seated."""
    definition = match_of(attrs.evolve(DOMINION, leave="forbidden", bouts=BOUTS))
    state = new_state()
    given: list[commands.Command] = [commands.OpenMatch(0, "big", definition, "seed", "secret")]
    given += [commands.RegisterPlayer(0, f"p{n:05d}", f"Player {n}") for n in range(players)]
    for command in [*given, commands.StartMatch(0)]:
        outcome = step(state, command)
        assert not isinstance(outcome, Refused), outcome
    return state


def play(state: MatchState, chance: random.Random) -> None:
    """Every table of the bout ends."""
    for table_id in list(state.tables):
        scores = (chance.randrange(40), chance.randrange(40))
        evolve(state, events.HandScored(0, table_id, 1, 1, scores, scores))
        evolve(state, events.RoundEnded(0, table_id, (1, 2), (0, 0)))


def next_bout(state: MatchState) -> float:
    """Rank everybody, pair them and seat them; the seconds the first two took."""
    start = time.process_time()
    ranking = ranked_in_stage(state, list(state.entrants.values()))
    evolve(state, events.BoutEnded(0, state.current.bout_no, tuple(ranking), (), ()))
    seated = seat_bout(state, 0, state.current.bout_no + 1)
    seconds = time.process_time() - start
    assert not seated.rematch
    evolve(state, seated)
    return seconds


def exact(state: MatchState) -> float:
    """The seconds of an exact matching of the field as it is ranked now: all pairs that have not met."""
    ranking = ranked_in_stage(state, list(state.entrants.values()))
    met = dominion.opponents_met(state.current.games)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(ranking)))
    graph.add_edges_from(
        [
            (a, b, (a - b) ** 2)
            for a, one in enumerate(ranking)
            for b in range(a + 1, len(ranking))
            if ranking[b] not in met[one]
        ]
    )
    more = len(ranking) ** 2 + 1
    start = time.process_time()
    pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda w: more - w)
    seconds = time.process_time() - start
    assert 2 * len(pairs) == len(ranking)
    return seconds


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", rounds=5, players=10_000, exact=500)
    pin(0, 0)
    large, small, chance = a_field(args.players), a_field(args.exact), random.Random(1)
    gc.collect()
    gc.freeze()
    ours, theirs = [], []
    while large.current.bout_no < BOUTS:
        for state in (large, small):
            play(state, chance)
        if large.current.bout_no >= BOUTS - args.rounds:
            theirs.append(exact(small))
        ours.append(next_bout(large))
        next_bout(small)
        if theirs:
            say(f"bout {large.current.bout_no}: {ours[-1]:.2f} s, exact matching of {args.exact} {theirs[-1]:.2f} s")
    compared = ours[-len(theirs) :]
    result = spread([one / other for one, other in zip(compared, theirs, strict=True)])
    finish(
        "pairing",
        ok=result["median"] <= BAR,
        ratio=result["median"],
        bar=f"at most {BAR}",
        parts={"spread": result, "seconds": spread(compared), "exact_seconds": spread(theirs)},
        file=args.json,
    )


if __name__ == "__main__":
    main()
