"""The part of a report that only ladders have: challenges, locks, forfeits, ratings, and how the order came about."""

from collections.abc import Sequence
from typing import Any

from coordinator.simulation.figures import curve, kendall_tau, share, spread
from coordinator.simulation.many import Plan, Run

PLAYED_OUT = ("result", "ruling")
"""How challenges end that are not forfeited; a cancelled one is neither."""


def ladder_report(plan: Plan, runs: Sequence[Run], last_ms: int) -> dict[str, Any] | None:
    """What became of the challenges; None where the match is no ladder."""
    if plan.ladder_ms is None:
        return None
    contests = [run.contests for run in runs]
    ended = {how: sum(each.ended.get(how, 0) for each in contests) for how in _ways(runs)}
    over = sum(ended.values())
    matches = sum(each.matches for each in contests)
    return {
        "open_s": plan.ladder_ms / 1000,
        "challenges": spread([each.issued for each in contests], 1),
        "matches": spread([each.matches for each in contests], 1),
        "matches_per_team": spread([run.contests.matches_of.get(team, 0) for run in runs for team in run.skills], 1),
        "ended": {how: share(count, over) for how, count in ended.items()},
        "forfeited_share": share(sum(n for how, n in ended.items() if how not in (*PLAYED_OUT, "cancelled")), over),
        "swapped_share": share(sum(each.swaps for each in contests), over),
        "wishes": sum(each.wishes for each in contests),
        "locked_share": share(sum(each.locked for each in contests), sum(each.wishes for each in contests)),
        "locked_s": spread([ms / 1000 for each in contests for ms in each.locked_ms]),
        "repeat_share": share(sum(each.repeats for each in contests), matches),
        "provisional_share": share(sum(each.provisional for each in contests), plan.players * len(runs)),
        "fell_silent": spread([plan.players - _answering(run) for run in runs], 1),
        "open": curve([each.open for each in contests], last_ms),
        "order": _order(plan, runs, last_ms),
    }


def _ways(runs: Sequence[Run]) -> list[str]:
    return sorted({how for run in runs for how in run.contests.ended})


def _answering(run: Run) -> int:
    return run.contests.answering[-1][1]


def _order(plan: Plan, runs: Sequence[Run], last_ms: int) -> dict[str, list[float]] | None:
    """Kendall's tau between ranks and skill as time goes on; None where nobody is stronger than anybody."""
    if plan.habits.skill == "none":
        return None
    return curve([_taus(run) for run in runs], last_ms)


def _taus(run: Run) -> list[tuple[int, float]]:
    return [(t, kendall_tau([run.skills[team] for team in ranks]) or 0.0) for t, ranks in run.contests.ranks]
