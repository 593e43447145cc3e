"""The simulator itself: it plays every format, plays the same again, and its short campaign breaks no promise."""

import subprocess
import sys
from pathlib import Path

import pytest

from coordinator.engine.formats import FORMATS
from tests.sim.books import MatchBooks
from tests.sim.campaign import Campaign
from tests.sim.invariants import INVARIANTS
from tests.sim.plan import draw_plan
from tests.sim.planted import PLANTED
from tests.sim.recipes import RECIPES
from tests.sim.shrinking import shrink
from tests.sim.world import play

ROOT = Path(__file__).parents[2]
TRACE = "from tests.sim.plan import draw_plan; from tests.sim.world import play; print(play(draw_plan(5)).trace)"


def test_every_format_is_played() -> None:
    """Mend: draw a match of the new format in tests/sim/recipes.py.

    A ladder is played by teams over months of the wall clock; random ladders are tossed about in tests/engine/ladder.
    """
    assert set(FORMATS) - {"ladder"} <= set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_two_seeds_of_each_format_break_no_promise(name: str) -> None:
    campaign = Campaign()
    for seed in (101, 102):
        campaign.add(play(draw_plan(seed, only=name)))
    assert [verdict.violation for verdict in campaign.failed] == []
    assert campaign.records > 0
    assert campaign.looked["everything_ends"] >= 2


def test_the_same_seed_is_the_same_run_on_any_machine() -> None:
    traces = {play(draw_plan(5)).trace for _ in range(2)}
    for hashing in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", TRACE],
            cwd=ROOT,
            env={"PYTHONHASHSEED": hashing, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        traces.add(done.stdout.strip())
    assert len(traces) == 1, traces


def test_another_seed_is_another_run() -> None:
    assert play(draw_plan(5)).trace != play(draw_plan(6)).trace


def test_every_promise_is_looked_at() -> None:
    looked = sum((play(draw_plan(seed)).looked for seed in (3, 4, 5, 6, 9)), start=Campaign().looked)
    assert {name for name in INVARIANTS if not looked[name]} <= {"nonsense_changes_nothing", "ties_are_broken_by_rule"}


def test_a_failure_is_shrunk_to_the_steps_it_needs() -> None:
    with PLANTED["repeat without new attempt"]():
        failed = next(verdict for verdict in (play(draw_plan(seed)) for seed in range(100)) if verdict.violation)
        shortest = shrink(failed, play)
        assert shortest.violation is not None
        assert failed.violation is not None
        assert shortest.violation.invariant == failed.violation.invariant
        assert len(shortest.plan.steps) < len(failed.plan.steps)
        numbers = tuple(step.no for step in shortest.plan.steps)
        assert play(failed.plan.keeping(numbers)).violation == shortest.violation, "the told command repeats it"


def test_the_books_are_of_the_auditor_alone() -> None:
    """A rule of the engine that is wrong must not make the auditor wrong too."""
    source = Path(MatchBooks.feed.__code__.co_filename).read_text(encoding="utf-8")
    for room in ("decisions", "evolution", "consequences", "ranking", "growth", "stage_rules"):
        assert f"coordinator.engine.{room}" not in source
