"""Many runs, and what they amount to: promises broken, branches taken, time simulated."""

import time
from collections import Counter
from collections.abc import Callable, Iterable

import attrs

from tests.sim.invariants import INVARIANTS
from tests.sim.plan import draw_plan
from tests.sim.shrinking import shrink
from tests.sim.world import Verdict, play

OFTEN_ENOUGH = 20
"""So many times each interesting branch must be taken in a campaign."""

CAMPAIGN = 1000
"""Runs from which on a campaign is judged by its branches."""

BRANCHES = (
    "a damaged snapshot", "a repeat with a log", "a repeated hand", "a torn tail", "an award told again",
    "ended by its disk", "kill when acknowledged", "kill when hello", "kill when over", "kill when queued",
    "kill when recovered", "kill when released", "kill when reported", "kill when seated", "kill when snapshot told",
    "kill when synced", "kill when written", "nonsense read", "replaced by a newer process", "stop",
    "resumed gap", "resumed nothing_missed", "resumed snapshot", "taken over", "session overflow",
    "slow consumer", "silent peer", "clock jump", "join done", "late done", "leave done", "rejoin done",
    "withdraw done", "penalty done", "disqualify done", "reinstate done", "in again", "correct done", "reseat done",
    "a round revised", "refused eliminated", "refused round_closed", "refused seating_in_play",
    "revival done", "revival declined", "revival refused", "refused duplicate", "refused stale_attempt",
    "refused stale_epoch", "refused late", "refused not_your_table", "refused score_sum", "refused wrong_players",
    "refused unknown_table", "refused hand_expected", "refused no_offer", "a contradiction parked", "table settled",
    "let go", "read back",
)  # fmt: skip
"""What every campaign must have been through."""


@attrs.define
class Campaign:
    """The sum of many runs."""

    runs: int = 0
    failed: list[Verdict] = attrs.field(factory=list)
    simulated_s: float = 0.0
    wall_s: float = 0.0
    events: int = 0
    records: int = 0
    branches: Counter[str] = attrs.field(factory=Counter)
    looked: Counter[str] = attrs.field(factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """One more run."""
        self.runs += 1
        self.simulated_s += verdict.simulated_s
        self.events += verdict.events
        self.records += verdict.records
        self.branches += verdict.branches
        self.looked += verdict.looked
        if verdict.violation is not None:
            self.failed.append(verdict)

    @property
    def seldom(self) -> dict[str, int]:
        """Branches that were not taken often enough for what was run."""
        return {name: self.branches[name] for name in BRANCHES if self.branches[name] < OFTEN_ENOUGH}

    @property
    def unseen(self) -> list[str]:
        """Invariants that were never looked at."""
        return [name for name in INVARIANTS if not self.looked[name]]


def run_campaign(seeds: Iterable[int], tell: Callable[[str], None]) -> Campaign:
    """Play these seeds; each failure is told with its shortest history and how to repeat it."""
    campaign, began = Campaign(), time.perf_counter()
    for seed in seeds:
        verdict = play(draw_plan(seed))
        campaign.add(verdict)
        if verdict.violation is not None:
            tell_failure(verdict, tell)
        if campaign.runs % 100 == 0:
            tell(f"{campaign.runs} runs, {len(campaign.failed)} failed, {campaign.simulated_s / 3600:.1f} hours")
    campaign.wall_s = time.perf_counter() - began
    return campaign


def tell_failure(verdict: Verdict, tell: Callable[[str], None]) -> None:
    """A failure for people: the promise, the shortest history found, the command."""
    shortest = shrink(verdict, play)
    assert shortest.violation is not None
    kept = ",".join(str(step.no) for step in shortest.plan.steps) or "none"
    tell(f"seed {verdict.plan.seed}: {INVARIANTS[shortest.violation.invariant]}")
    tell(f"  {shortest.violation.invariant}: {shortest.violation.told}")
    tell(f"  {len(shortest.plan.steps)} of {len(verdict.plan.steps)} steps are enough:")
    for step in shortest.plan.steps:
        tell(f"    {step}")
    tell("  the end of its history:")
    for line in shortest.history[-20:]:
        tell(f"    {line[:200]}")
    tell(f"  repeat it: scripts/prove sim --seed {verdict.plan.seed} --steps {kept}")
