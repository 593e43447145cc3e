"""R-DM-10: what a large field is paired by, judged by an exact minimum-weight matching of the same field."""

import random

import pytest
import rustworkx

from coordinator.engine.pairing import by_rank

Met = dict[str, dict[str, None]]


def exact(ranked: list[str], met: Met) -> list[tuple[int, int]]:
    """The complete pairing without a rematch whose squared rank distances sum to least, as far as there is one."""
    players = len(ranked)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
    graph.add_nodes_from(range(players))
    graph.add_edges_from(
        [
            (one, other, (one - other) ** 2)
            for one in range(players)
            for other in range(one + 1, players)
            if ranked[other] not in met[ranked[one]]
        ]
    )
    return list(rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda w: players**2 + 1 - w))


FIELDS = [(66, 65, False), (66, 65, True), (80, 40, False), (160, 20, True), (300, 14, False)]
"""Players, bouts, and whether the ranking is shuffled between them instead of following the results."""


@pytest.mark.parametrize(("players", "bouts", "shuffled"), FIELDS)
def test_at_most_twice_the_least_sum_and_fresh_whenever_that_can_be(players: int, bouts: int, shuffled: bool) -> None:
    luck = random.Random(players)
    ranked = [f"p{number:03}" for number in range(players)]
    met: Met = {player: {} for player in ranked}
    points = dict.fromkeys(ranked, 0)
    for bout in range(bouts):
        found = by_rank(ranked, met)
        if bout % 6 == 5 or bouts - bout < 9:
            best = exact(ranked, met)
            complete = 2 * len(best) == players
            assert complete or found.rematch
            if complete:  # every one of these fields lies within reach of a repair
                assert not found.rematch
                place = {player: number for number, player in enumerate(ranked)}
                ours = sum((place[one] - place[other]) ** 2 for one, other in found.pairs)
                assert ours <= 2 * sum((one - other) ** 2 for one, other in best)
        for one, other in found.pairs:
            met[one][other] = met[other][one] = None
            points[luck.choice((one, other))] += 1
        if shuffled:
            luck.shuffle(ranked)
        else:
            ranked.sort(key=lambda player: (-points[player], player))
