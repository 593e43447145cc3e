"""Whatever is defined and whatever is asked, in any order: what must hold in every match holds."""

import os
import subprocess
import sys
from pathlib import Path

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coordinator.engine import effects as fx
from coordinator.engine.definition import BaseGrowth, End, Grouping, MatchDefinition
from tests.engine.stages import DEFAULT, KNOCKOUT, MELEE, SWISS, match_of
from tests.engine.tossing import MOVES, Tossed, dominion_matches, island_matches, matches, told_again

SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(st.one_of(matches(), dominion_matches()), MOVES)
def test_a_match_survives_whatever_is_asked_of_it(definition: MatchDefinition, moves: list[tuple[str, int]]) -> None:
    tossed = Tossed(definition).open()
    for word, number in moves:
        tossed.toss(word, number)
    tossed.finish()

    state = tossed.state
    assert state.status == "over"
    assert sorted(state.ranking) == sorted(state.entrants)
    places = [entrant.place for entrant in state.entrants.values()]
    assert sorted(place or 0 for place in places) == list(range(1, len(places) + 1))
    assert [state.entrants[player].place for player in state.ranking] == list(range(1, len(places) + 1))
    assert (state.timers, tossed.timers, state.tables) == ({}, {}, {})

    # Everybody hears the place once: those who fell out when it was certain, all of them at the end.
    fell = {player: entrant.place for player, entrant in state.entrants.items() if entrant.state == "out"}
    assert tossed.final_notices == fell
    (over,) = [effect for effect in tossed.told if isinstance(effect, fx.TellOver)]
    assert [player for player, _, _ in over.places] == list(state.ranking)

    told_again(tossed)


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(island_matches(), MOVES)
def test_an_island_survives_whatever_is_asked_of_it(definition: MatchDefinition, moves: list[tuple[str, int]]) -> None:
    """R-IS-01: it ends by time alone, and its ranking are those who were there."""
    tossed = Tossed(definition).open()
    for word, number in moves:
        tossed.toss(word, number)
    tossed.finish()
    state = tossed.state
    assert state.status == "over"
    assert [state.entrants[player].place for player in state.ranking] == list(range(1, len(state.ranking) + 1))
    present = sorted(player for player, entrant in state.entrants.items() if entrant.state == "done")
    assert sorted(state.ranking) == present
    assert all(entrant.place is None for entrant in state.entrants.values() if entrant.state != "done")
    assert tossed.final_notices == {}
    assert (state.timers, tossed.timers, state.tables) == ({}, {}, {})
    assert [due.payout_no for due in state.payouts] == list(range(1, len(state.payouts) + 1))
    told_again(tossed)


SCRIPT = """
import random
from tests.engine.playing import Game
from tests.engine.test_match_properties import SHOWN
from hashlib import sha256
for definition, players in SHOWN:
    game = Game(definition, seed=5, ms_per_hand=300).register(players).play()
    assert game.state.status == "over"
    print(sha256(repr((game.events, game.effects)).encode()).hexdigest())
"""


GROWING = BaseGrowth("arith", every_ms=2000, add=50)
TO_NINE = attrs.evolve(MELEE, base_growth=GROWING, end=End(remaining_below=13, advance_count=9))
SHOWN = [
    (match_of(TO_NINE, attrs.evolve(KNOCKOUT, bouts=1), DEFAULT, players=41), 41),
    (match_of(attrs.evolve(SWISS, bouts=4, grouping=Grouping(kind="random")), players=23), 23),
    (match_of(attrs.evolve(KNOCKOUT, table_size=4, advance_per_table="half"), players=37), 37),
]
"""Matches of all formats, with their players."""


def test_the_order_of_hashes_decides_nothing() -> None:
    """The same matches in two processes whose strings hash differently."""
    root = Path(__file__).parents[2]
    told = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    ]
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == len(SHOWN)


def test_another_seed_is_another_draw() -> None:
    definition = SHOWN[0][0]
    one, other = (Tossed(definition).open(seed).story for seed in ("one", "other"))
    assert one != other
