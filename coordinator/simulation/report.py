"""What many courses of a match have in common: the report of a simulation, for programs and for people."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from coordinator.engine.definition import Stage
from coordinator.engine.formats import timeline_of
from coordinator.engine.target_advisor import HIGH, LOW, MOST_HANDS, MOST_TARGET, advise_target, percent
from coordinator.simulation.evening import Played, TourneyPlan
from coordinator.simulation.facts import StageFacts
from coordinator.simulation.figures import curve, kendall_tau, share, spread
from coordinator.simulation.hands import kind_for, target_model
from coordinator.simulation.ladder_report import ladder_report
from coordinator.simulation.many import Plan, Run, seated

Report = dict[str, Any]


def report(plan: Plan, runs: Sequence[Run]) -> Report:
    """The report as data."""
    over = [run for run in runs if run.ending == "over"]
    lasting = [(run.facts.ended_at or 0) - run.facts.started_at for run in runs]
    ladder = ladder_report(plan, runs, max(lasting))
    left = [run.facts.left if ladder is None else run.contests.answering for run in runs]
    return {
        "match": plan.definition.id,
        "players": plan.players,
        "runs": len(runs),
        "seed": plan.seed,
        "model": _model(plan),
        "endings": {ending: sum(run.ending == ending for run in runs) for ending in ("over", "halted", "unfinished")},
        "halted": sorted({run.facts.halted for run in runs if run.facts.halted is not None}),
        "duration_s": spread([ms / 1000 for ms in lasting]),
        "hands": spread([sum(stage.hands for stage in run.facts.stages) for run in runs], 1),
        "hands_per_player": spread(
            [run.facts.hands_of.get(player, 0) for run in runs for player in seated(plan, run)], 1
        ),
        "waiting_share": spread([each for run in runs for each in _waiting(run)]) if ladder is None else None,
        "peak_tables": spread([max((number for _, number in run.facts.tables), default=0) for run in runs], 1),
        "byes": _byes(runs) if ladder is None else None,
        "meetings": _meetings([stage for run in runs for stage in run.facts.stages]) if ladder is None else None,
        "revivals": spread([run.facts.revivals for run in runs], 1),
        "walked_out": spread([run.facts.walked_out for run in runs], 1),
        "strength": _strength(plan, over),
        "ladder": ladder,
        "stages": [_stage(plan, runs, stage_no) for stage_no in range(len(plan.definition.stages))],
        "curves": {
            "tables": curve([run.facts.tables for run in runs], max(lasting)),
            "players_left": curve(left, max(lasting)),
        },
        "durations_s": [ms / 1000 for ms in lasting],
    }


def evening_report(plan: TourneyPlan, evenings: Sequence[tuple[Run, Sequence[Played]]]) -> Report:
    """The report of a tourney's starts as a whole, and with it those of its matches by name."""
    matches: Report = {}
    for match in plan.tourney.matches:
        runs = [each.run for _, played in evenings for each in played if each.name == match.id]
        if runs:
            matches[match.id] = report(plan.of_match(match.id, max(len(run.skills) for run in runs)), runs)
    return report(plan.whole, [whole for whole, _ in evenings]) | {"matches": matches}


def _model(plan: Plan) -> Report:
    told = attrs.asdict(plan.habits)
    definition = plan.definition
    return {
        **told,
        "late": plan.late,
        "tables": plan.tables,
        "stages": {
            stage.id: {
                "hands": kind_for(definition, stage, plan.habits.hands),
                "hand_ms": plan.habits.median_ms(stage),
            }
            for stage in definition.stages
        },
    }


def _waiting(run: Run) -> Iterable[float]:
    """The share of the time that each player was in the match without playing."""
    facts = run.facts
    for player_id, present in facts.present_ms.items():
        if present:
            yield 1 - min(present, facts.seated_ms.get(player_id, 0)) / present


def _byes(runs: Sequence[Run]) -> Report:
    """How many byes there are, and the most that one player has in a stage (R-BY-01)."""
    all_of = [sum(sum(stage.byes.values()) for stage in run.facts.stages) for run in runs]
    most = [max((max(stage.byes.values(), default=0) for stage in run.facts.stages), default=0) for run in runs]
    return {"per_match": spread(all_of, 1), "most_of_one_player": max(most, default=0)}


def _meetings(stages: Sequence[StageFacts]) -> Report:
    """How often players of a table had met before in the same stage, and how often at their tables just before."""
    all_of = sum(stage.meetings for stage in stages)
    return {
        "pairs": all_of,
        "repeat_share": share(sum(stage.repeats for stage in stages), all_of),
        "repeat_at_once_share": share(sum(stage.repeats_at_once for stage in stages), all_of),
    }


def _strength(plan: Plan, over: Sequence[Run]) -> Report | None:
    """How far the places follow strength; None where nobody is stronger than anybody, or no course has ended."""
    ranked = [run for run in over if run.facts.ranking]
    if plan.habits.skill == "none" or not ranked:
        return None
    wins, places, taus = 0, [], []
    by_skill: dict[int, list[int]] = {}
    for run in ranked:
        strongest_first = sorted(run.skills, key=run.skills.__getitem__, reverse=True)
        place = {player_id: number for number, player_id in enumerate(run.facts.ranking, start=1)}
        wins += run.facts.ranking[0] == strongest_first[0]
        if strongest_first[0] in place:
            places.append(place[strongest_first[0]])
        tau = kendall_tau([run.skills[player_id] for player_id in run.facts.ranking])
        if tau is not None:
            taus.append(tau)
        for rank, player_id in enumerate(strongest_first, start=1):
            if player_id in place:
                by_skill.setdefault(rank, []).append(place[player_id])
    return {
        "strongest_wins": share(wins, len(ranked)),
        "by_chance": share(1, plan.players),
        "place_of_strongest": spread(places, 1),
        "kendall_tau": spread(taus),
        "mean_place_by_skill": [
            [rank, round(sum(reached) / len(reached), 2)] for rank, reached in sorted(by_skill.items())
        ],
    }


def _stage(plan: Plan, runs: Sequence[Run], stage_no: int) -> Report:
    rules = plan.definition.stages[stage_no]
    played = [stage for run in runs for stage in run.facts.stages if stage.stage_no == stage_no]
    ended = [stage for stage in played if stage.ended_at is not None]
    told: Report = {
        "id": rules.id,
        "format": rules.format,
        "played": len(played),
        "entrants": spread([stage.entrants for stage in played], 1),
        "duration_s": spread([((stage.ended_at or 0) - stage.opened_at) / 1000 for stage in ended]),
        "seatings": spread([stage.seatings for stage in played], 1),
        "tables": spread([stage.tables for stage in played], 1),
        "hands": spread([stage.hands for stage in played], 1),
        "meetings": _meetings(played) if rules.ladder is None else None,
    }
    if rules.round.type == "target":
        told["target"] = _target(plan, rules, played)
    invalid = _invalid(rules, played)
    if invalid is not None:
        told["invalid_hands"] = invalid
    return told


def _target(plan: Plan, rules: Stage, played: Sequence[StageFacts]) -> Report | None:
    """R-RT-02, R-RT-03: the exact chances of the target round, and how its rounds went here."""
    target, most = rules.round.target, rules.round.max_hands
    if target is None or most is None or target > MOST_TARGET or most > MOST_HANDS:
        return None
    model = target_model(plan.definition)
    advice = advise_target(target, most, model=model)
    ends: dict[int, int] = {}
    for stage in played:
        for (hands, reached), count in stage.rounds.items():
            if reached:
                ends[hands] = ends.get(hands, 0) + count
    rounds = sum(count for stage in played for count in stage.rounds.values())
    reached_by = [sum(count for hands, count in ends.items() if hands <= number) for number in range(1, most + 1)]
    return {
        "target": target,
        "max_hands": most,
        "low": LOW,
        "high": HIGH,
        "model": model,
        "p": [float(chance) for chance in advice.chances],
        "p_pct": [float(percent(chance)) for chance in advice.chances],
        "b_min": advice.b_min,
        "ok": advice.ok,
        "warnings": list(advice.warnings),
        "rounds": rounds,
        "reached": [share(count, rounds) for count in reached_by],
    }


def _invalid(rules: Stage, played: Sequence[StageFacts]) -> Report | None:
    """R-RF-01: the hands that could no longer change who is cut; None where no bout of fixed hands cuts anybody."""
    if rules.round.type != "fixed_hands" or timeline_of(rules) != "bouts":
        return None
    hands = max((len(stage.settled) for stage in played), default=0)
    if not hands:
        return None
    by_hand = []
    for number in range(hands):
        counted = [stage.settled[number] for stage in played if number < len(stage.settled)]
        by_hand.append((sum(each for each, _ in counted), sum(beyond for _, beyond in counted)))
    return {
        "by_hand": [
            {"hand_no": number, "played": all_of, "invalid": beyond, "share": share(beyond, all_of)}
            for number, (all_of, beyond) in enumerate(by_hand, start=1)
        ],
        "share": share(sum(beyond for _, beyond in by_hand), sum(all_of for all_of, _ in by_hand)),
    }
