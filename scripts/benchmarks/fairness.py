"""Fairness of the draw: meeting again in pools, byes and waits, and Dominion pairing against an exact matching.

Nothing is timed. Pools: every departure of simulated melees is drawn again as a plain shuffle of the same players with
the same past, and the pairs that meet again are counted in both; departures in which not even a long search finds half
as many as a shuffle are told apart, since there the field does not allow more. Byes and waits: how far they lie apart
between players who were in a stage throughout. Pairing: the sum of squared rank distances of a bout against the least
there is.
"""

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import attrs
import rustworkx

from coordinator.engine import dominion, events
from coordinator.engine.definition import (
    BaseGrowth,
    Elimination,
    End,
    GameState,
    Grouping,
    MatchDefinition,
    PlayerState,
    Stage,
)
from coordinator.engine.draw import Draw
from coordinator.engine.grouping import keep_apart
from coordinator.engine.match import Outcome
from coordinator.engine.state import MatchState
from coordinator.simulation.course import Course
from coordinator.simulation.facts import Facts
from coordinator.simulation.habits import Habits
from coordinator.simulation.players import Invented
from scripts.benchmarks._report import finish, options, say
from tests.engine.stages import DEFAULT, match_of

POOL_BAR, BYE_BAR, PAIRING_BAR = 2.0, 1, 2.0
SEARCHES, SHUFFLES = 30, 10
Met = Mapping[str, set[str]]


@attrs.frozen
class Pools:
    """What one kind of pool is: seats at a table, players, shuttle, hands of a seating, and when it ends."""

    size: int
    players: int
    shuttle: int
    hands: int
    below: int


POOLS = (Pools(3, 90, 9, 3, 45), Pools(3, 90, 18, 3, 30), Pools(2, 60, 6, 3, 20), Pools(4, 120, 24, 3, 60))


def a_stage(name: str, **more: Any) -> Stage:
    """A stage of this format."""
    return attrs.evolve(DEFAULT, **{"id": "stage", "format": name, "initial_game_state": GameState(50), **more})


def a_match(stage: Stage, players: int) -> MatchDefinition:
    """A match of one stage."""
    return match_of(stage, players=players, zero_sum=True)


def play(definition: MatchDefinition, players: int, seed: int, watch: Any) -> Course:
    """One simulated course; ``watch`` sees everything that happens."""
    names = [f"p{number:03}" for number in range(players)]
    people = Invented(definition, Habits(), random.Random(seed), dict.fromkeys(names, 0.0))
    course = Course(definition, [(name, name) for name in names], people, str(seed), watch=watch)
    ending = course.run()
    assert ending == "over", ending
    return course


# ------------------------------------------------------------------------------------------------------ pools


@attrs.define
class Meetings:
    """Pairs that met again at the tables of a pool, in the draw and in plain shuffles of the same pools.

    ``allowed`` are those of departures in which a search found at most half of what a shuffle brings.
    """

    rng: random.Random
    pairs: int = 0
    ours: int = 0
    shuffled: float = 0.0
    ours_allowed: int = 0
    shuffled_allowed: float = 0.0
    at_once: int = 0
    at_once_shuffled: float = 0.0
    met: dict[str, set[str]] = attrs.field(factory=dict)
    last: dict[str, int] = attrs.field(factory=dict)

    def watch(self, t: int, state: MatchState, outcome: Outcome) -> None:
        """Look at every departure."""
        for event in outcome.events:
            if isinstance(event, events.TablesSeated):
                if event.bout_no > 1:
                    self._compare([list(seats) for seats in event.tables])
                for table_id, seats in enumerate(event.tables, start=event.first_table_id):
                    for player in seats:
                        self.met.setdefault(player, set()).update(seats)
                        self.last[player] = table_id

    def _compare(self, tables: list[list[str]]) -> None:
        size, pool = len(tables[0]), [player for table in tables for player in table]
        plain = [self._shuffled(pool, size) for _ in range(SHUFFLES)]
        ours, mean = again(tables, self.met), sum(again(each, self.met) for each in plain) / SHUFFLES
        self.pairs += sum(1 for table in tables for _ in combinations(table, 2))
        self.ours += ours
        self.shuffled += mean
        self.at_once += self._at_once(tables)
        self.at_once_shuffled += sum(map(self._at_once, plain)) / SHUFFLES
        if min(ours, self._search(pool, size)) <= mean / 2:
            self.ours_allowed += ours
            self.shuffled_allowed += mean

    def _shuffled(self, pool: Sequence[str], size: int) -> list[list[str]]:
        order = self.rng.sample(pool, len(pool))
        return [order[first : first + size] for first in range(0, len(order), size)]

    def _search(self, pool: Sequence[str], size: int) -> int:
        """The fewest that many searches with the whole past before their eyes find."""
        draw = Draw(f"{self.rng.getrandbits(64):016x}")
        fewest = len(pool) * size
        for _ in range(SEARCHES):
            found = keep_apart(self._shuffled(pool, size), lambda one, other: int(other in self.met.get(one, ())), draw)
            fewest = min(fewest, again(found, self.met))
            if fewest == 0:
                break
        return fewest

    def _at_once(self, tables: list[list[str]]) -> int:
        last = self.last
        return sum(last.get(one) == last.get(other, -1) for table in tables for one, other in combinations(table, 2))


def again(tables: Sequence[Sequence[str]], met: Met) -> int:
    """Pairs at these tables that have met before."""
    return sum(other in met.get(one, ()) for table in tables for one, other in combinations(table, 2))


def pools(rounds: int) -> tuple[float, dict[str, Any]]:
    """How many times as often a plain shuffle brings players together again, at worst over the kinds of pools."""
    told, worst = {}, float("inf")
    for kind in POOLS:
        found = Meetings(random.Random(1))
        for seed in range(rounds):
            found.met.clear()
            found.last.clear()
            stage = a_stage(
                "melee",
                table_size=kind.size,
                grouping=Grouping("random", shuttle_size=kind.shuttle),
                initial_player_state=PlayerState(3000),
                hands_per_seating=kind.hands,
                elimination=Elimination(ratio_of_base=Fraction(1, 4)),
                base_growth=BaseGrowth("arith", every_ms=300_000, add=50),
                end=End(remaining_below=kind.below),
            )
            play(a_match(stage, kind.players), kind.players, seed, found.watch)
        ratio = found.shuffled_allowed / max(1, found.ours_allowed)
        worst = min(worst, ratio)
        name = f"{kind.players} at tables of {kind.size}, shuttle {kind.shuttle}"
        told[name] = {
            "ratio": round(ratio, 2),
            "ratio_everywhere": round(found.shuffled / max(1, found.ours), 2),
            "ratio_at_once": round(found.at_once_shuffled / max(1, found.at_once), 2),
            "again": found.ours,
            "again_shuffled": round(found.shuffled),
            "pairs": found.pairs,
        }
        say(f"pool of {name}: {found.ours} meet again, {found.shuffled:.0f} in shuffles, ratio {ratio:.2f}")
    return worst, told


# -------------------------------------------------------------------------------------------------- byes, waits


def byes(rounds: int) -> tuple[int, dict[str, int]]:
    """R-BY-01: how far the byes of players lie apart who were in a stage throughout, at worst."""
    told: dict[str, int] = {}
    for name, more in {
        "swiss_shift": {"grouping": Grouping("swiss"), "score_processing": "per_round"},
        "swiss_shift, drawn": {"grouping": Grouping("random"), "score_processing": "per_round"},
        "swiss_1v1": {"table_size": 2, "score_processing": "per_round"},
    }.items():
        widest = 0
        for seed in range(rounds):
            for players in (11, 20, 50):
                stage = a_stage(name.split(",")[0], bouts=9, **more)
                definition = a_match(stage, players)
                facts = Facts(definition, "auto")
                play(definition, players, seed, facts.watch)
                had = facts.stages[0].byes
                counts = [had.get(f"p{number:03}", 0) for number in range(players)]
                widest = max(widest, max(counts) - min(counts))
        told[name] = widest
        say(f"byes in {name}: {widest} apart at most")
    return max(told.values()), told


def waits(rounds: int) -> dict[str, float]:
    """The share of the time that players of a melee wait between tables: the median and the worst tenth of them."""
    shares: list[float] = []
    for seed in range(rounds):
        stage = a_stage(
            "melee",
            grouping=Grouping("random", shuttle_size=9),
            initial_player_state=PlayerState(3000),
            hands_per_seating=3,
            elimination=Elimination(ratio_of_base=Fraction(1, 4)),
            base_growth=BaseGrowth("arith", every_ms=300_000, add=50),
            end=End(remaining_below=45),
        )
        definition = a_match(stage, 90)
        facts = Facts(definition, "auto")
        facts.close(play(definition, 90, seed, facts.watch).t)
        stayed = max(facts.present_ms.values())
        shares += [
            1 - facts.seated_ms.get(player, 0) / present
            for player, present in facts.present_ms.items()
            if present == stayed
        ]
    shares.sort()
    found = {"median": round(shares[len(shares) // 2], 3), "p90": round(shares[len(shares) * 9 // 10], 3)}
    say(f"waiting in a melee: median {found['median']:.1%}, nine tenths below {found['p90']:.1%}")
    return found


# --------------------------------------------------------------------------------------------------- pairing


@attrs.define
class Pairings:
    """R-DM-10: every bout after the first against the least sum of squared rank distances among fresh pairings."""

    ratios: list[float] = attrs.field(factory=list)
    rematches: int = 0
    avoidable: int = 0
    _ranking: list[str] = attrs.field(factory=list)
    _games: list[dominion.GameRecord] = attrs.field(factory=list)

    def watch(self, t: int, state: MatchState, outcome: Outcome) -> None:
        """Look at every bout that is seated by rank."""
        for event in outcome.events:
            if isinstance(event, events.BoutEnded):
                self._ranking = list(event.ranking)
            elif isinstance(event, events.TablesSeated) and event.bout_no > 1:
                self._compare(event, [game for game in state.current.games if game.bout_no < event.bout_no])

    def _compare(self, event: events.TablesSeated, games: Sequence[dominion.GameRecord]) -> None:
        met = dominion.opponents_met(games)
        ranked = [player for player in self._ranking if player not in event.byes]
        rank = {player: number for number, player in enumerate(ranked)}
        ours = sum((rank[one] - rank[other]) ** 2 for one, other in event.tables)
        again = sum(other in met.get(one, ()) for one, other in event.tables)
        graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph()
        graph.add_nodes_from(range(len(ranked)))
        graph.add_edges_from(
            [
                (a, b, (a - b) ** 2)
                for a, one in enumerate(ranked)
                for b in range(a + 1, len(ranked))
                if ranked[b] not in met.get(one, ())
            ]
        )
        most = len(ranked) ** 2 + 1
        pairs = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda weight: most - weight)
        complete = 2 * len(pairs) == len(ranked)
        self.rematches += again
        self.avoidable += again if complete else 0
        if complete and not again:
            self.ratios.append(ours / sum((a - b) ** 2 for a, b in pairs))


def pairing(rounds: int) -> tuple[float, dict[str, Any]]:
    """The worst bout over many fields, and how many rematches could have been avoided."""
    told: dict[str, Any] = {}
    worst = 0.0
    for players in (12, 31, 64, 120, 300):
        found = Pairings()
        for seed in range(max(1, rounds * 12 // players)):
            stage = a_stage("swiss_1v1", table_size=2, score_processing="per_round", bouts=min(9, players - 1))
            play(a_match(stage, players), players, seed, found.watch)
        highest = max(found.ratios)
        # Up to 64 players the rule itself says which pairing it is, whatever that costs; above it the bar holds.
        if players > 64:
            worst = max(worst, highest)
        told[str(players)] = {
            "mean": round(sum(found.ratios) / len(found.ratios), 3),
            "worst": round(highest, 3),
            "bouts": len(found.ratios),
            "rematches": found.rematches,
            "avoidable_rematches": found.avoidable,
        }
        say(f"pairing {players}: {told[str(players)]}")
    return worst, told


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", rounds=4)
    drawn, in_pools = pools(args.rounds)
    apart, in_byes = byes(args.rounds)
    waiting = waits(args.rounds)
    worst, in_pairing = pairing(args.rounds)
    avoidable = sum(each["avoidable_rematches"] for each in in_pairing.values())
    finish(
        "fairness",
        ok=drawn >= POOL_BAR and apart <= BYE_BAR and worst <= PAIRING_BAR and avoidable == 0,
        ratio=drawn,
        bar=f"pools at least {POOL_BAR}, byes {BYE_BAR} apart, pairing at most {PAIRING_BAR}, no rematch in vain",
        parts={
            "pools": in_pools,
            "byes_apart": in_byes,
            "waiting": waiting,
            "pairing": in_pairing,
            "worst_pairing": round(worst, 3),
        },
        file=args.json,
    )


if __name__ == "__main__":
    main()
