"""From a run that failed to the shortest one that fails the same way: steps are left out as long as that holds."""

from collections.abc import Callable

from tests.sim.plan import Plan
from tests.sim.world import Verdict

RUNS_MOST = 120
"""More runs than this are not spent on one failure."""


def shrink(failed: Verdict, play: Callable[[Plan], Verdict]) -> Verdict:
    """The failure with the fewest steps that was found; it breaks the same promise."""
    assert failed.violation is not None, "only a failure can be shrunk"
    invariant, best, runs = failed.violation.invariant, failed, 0
    size = max(1, len(failed.plan.steps) // 2)
    while size and runs < RUNS_MOST:
        at = 0
        while at < len(best.plan.steps) and runs < RUNS_MOST:
            numbers = [step.no for step in best.plan.steps]
            runs += 1
            tried = play(best.plan.keeping(tuple(numbers[:at] + numbers[at + size :])))
            if tried.violation is not None and tried.violation.invariant == invariant:
                best = tried
            else:
                at += size
        size //= 2
    return best
