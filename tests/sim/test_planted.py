"""The judge is judged: what is planted is noticed, and nothing of it stays behind."""

import pytest

from tests.sim.plan import draw_plan
from tests.sim.planted import PLANTED
from tests.sim.world import Verdict, play

FEW_SEEDS = 30

NOTICED = {
    "acknowledge before sync": "nothing_leaves_before_it_is_durable",
    "attempt forgotten at replay": "replay_equals_live",
    "clock runs while down": "downtime_costs_nothing",
    "no duplicate check": "frames_come_once_in_order",
    "gap accepted": "frames_come_once_in_order",
    "lost server not missed": "no_table_is_forgotten",
    "repeat without new attempt": "only_the_newest_attempt_counts",
}
"""The quickest of them and the promise they break; `scripts/prove faults` plants all."""


def first_failure(name: str) -> Verdict:
    """The first run in which something is noticed."""
    for seed in range(FEW_SEEDS):
        with PLANTED[name]():
            verdict = play(draw_plan(seed))
        if verdict.violation is not None:
            return verdict
    raise AssertionError(f"{name!r} is not noticed within {FEW_SEEDS} seeds")


@pytest.mark.parametrize("name", NOTICED)
def test_a_planted_fault_is_noticed_as_what_it_is(name: str) -> None:
    verdict = first_failure(name)
    assert verdict.violation is not None
    assert verdict.violation.invariant == NOTICED[name], verdict.violation


def test_a_planted_fault_is_taken_out_again() -> None:
    clean = play(draw_plan(1))
    with PLANTED["gap accepted"]():
        play(draw_plan(1))
    assert clean.violation is None
    assert play(draw_plan(1)).trace == clean.trace


def test_there_are_at_least_twenty_kinds() -> None:
    assert len(PLANTED) >= 20
