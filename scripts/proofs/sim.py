"""The simulator: coordinator, table servers and platform in one deterministic loop, faults and an auditor by seed."""

import argparse

from scripts.proofs._report import begin, finish, say
from tests.sim.campaign import CAMPAIGN, run_campaign, tell_failure
from tests.sim.invariants import INVARIANTS
from tests.sim.plan import draw_plan
from tests.sim.world import play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=CAMPAIGN, help="runs, each with a seed of its own (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (%(default)s)")
    parser.add_argument("--seed", type=int, help="one run of this seed, told as it went")
    parser.add_argument("--steps", help="with --seed: these steps of its plan only, as numbers with commas, or none")
    options = parser.parse_args()
    if options.seed is not None:
        _repeat(options.seed, options.steps)
    begin("sim", seed=options.first, seeds=options.seeds)
    campaign = run_campaign(range(options.first, options.first + options.seeds), say)
    judged = options.seeds >= CAMPAIGN
    short = campaign.seldom if judged else {}
    finish(
        "sim",
        ok=not campaign.failed and not short and not (judged and campaign.unseen),
        seeds=campaign.runs,
        violations=len(campaign.failed),
        failing_seeds=[verdict.plan.seed for verdict in campaign.failed][:20],
        invariants=len(INVARIANTS),
        looked_at=sum(campaign.looked.values()),
        simulated_hours=round(campaign.simulated_s / 3600, 1),
        events_per_s=round(campaign.events / campaign.wall_s),
        records=campaign.records,
        wall_s=round(campaign.wall_s, 1),
        branches_judged=judged,
        branches_seldom=short,
    )


def _repeat(seed: int, steps: str | None) -> None:
    begin("sim", seed=seed)
    plan = draw_plan(seed)
    if steps is not None:
        plan = plan.keeping(tuple(int(number) for number in steps.split(",")) if steps != "none" else ())
    say(str(plan.settings))
    for step in plan.steps:
        say(str(step))
    verdict = play(plan)
    for line in verdict.history:
        say(line)
    if verdict.violation is not None and steps is None:
        tell_failure(verdict, say)
    finish(
        "sim",
        ok=verdict.violation is None,
        seeds=1,
        violations=int(verdict.violation is not None),
        violation=None if verdict.violation is None else f"{verdict.violation.invariant}: {verdict.violation.told}",
        trace=verdict.trace,
        simulated_hours=round(verdict.simulated_s / 3600, 3),
    )


if __name__ == "__main__":
    main()
