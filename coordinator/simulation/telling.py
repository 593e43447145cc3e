"""The report of a simulation for people: rows of a name and what was found."""

from collections.abc import Iterator, Mapping
from typing import Any

Row = tuple[str, str]
Spread = Mapping[str, float]
DAY_S = 86_400
TWO_DAYS_S = 2 * DAY_S


def rows(report: Mapping[str, Any]) -> Iterator[Row]:
    """The report in rows, the match as a whole first, then each stage."""
    endings = report["endings"]
    ladder = report["ladder"]
    who = "players" if ladder is None else "teams"
    yield "match", f"{report['match']}, {report['players']} {who}, {_times(report['runs'])} with seed {report['seed']}"
    for ending in ("halted", "unfinished"):
        if endings[ending]:
            why = f": {'; '.join(report['halted'])}" if ending == "halted" else ""
            yield ending, f"{_times(endings[ending])}{why}"
    yield "duration", _spread(report["duration_s"], duration)
    yield "hands per player", _spread(report["hands_per_player"], _count)
    if ladder is None:
        yield "waiting", _spread(report["waiting_share"], share)
    yield "tables at once", f"at most {_count(report['peak_tables']['max'])}"
    if ladder is None:
        yield from _of_tables(report)
    else:
        yield from _of_challenges(ladder)
    for name, key in (("revivals", "revivals"), ("leave early", "walked_out")):
        if report[key]["max"]:
            yield name, f"{_count(report[key]['mean'])} a match"
    strength = report["strength"]
    if strength is not None:
        won, chance = share(strength["strongest_wins"]), share(strength["by_chance"])
        yield "the strongest wins", f"{won} of the matches ({chance} by chance)"
        if strength["kendall_tau"] is not None:
            yield "ranking and skill", f"Kendall's tau {strength['kendall_tau']['mean']:.2f}"
    for stage in report["stages"]:
        yield from _stage(report, stage)
    for name, match in report.get("matches", {}).items():
        yield f"match {name}", f"{match['players']} players, lasts {_spread(match['duration_s'], duration)}"
        for measure, found in rows(match):
            if measure not in ("match", "duration", "hands per player"):
                yield f"{name}: {measure}", found


def _of_tables(report: Mapping[str, Any]) -> Iterator[Row]:
    byes = report["byes"]
    yield (
        "byes",
        f"{_count(byes['per_match']['mean'])} a match, at most {byes['most_of_one_player']} for a player in a stage",
    )
    yield "meeting again", _meetings(report["meetings"])


def _of_challenges(ladder: Mapping[str, Any]) -> Iterator[Row]:
    """What a ladder has instead of byes and waits."""
    yield "challenges", f"{_count(ladder['challenges']['mean'])}, open for {duration(ladder['open_s'])}"
    yield "matches per team", _spread(ladder["matches_per_team"], _count)
    yield "forfeited", f"{share(ladder['forfeited_share'])} of the challenges"
    if ladder["locked_s"] is not None:
        yield "a challenge locks", _spread(ladder["locked_s"], duration)
    yield "locked", f"{share(ladder['locked_share'])} of the times a team looked for somebody to challenge"
    yield "meeting again", f"{share(ladder['repeat_share'])} of the matches"
    yield "provisional", f"{share(ladder['provisional_share'])} of the teams at the end"
    if ladder["fell_silent"]["max"]:
        yield "fall silent", f"{_count(ladder['fell_silent']['mean'])} teams"


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min" if seconds < TWO_DAYS_S else f"{seconds / DAY_S:.1f} days"


def share(part: float | None) -> str:
    """A share in percent."""
    return "none" if part is None else f"{100 * part:.1f} %"


def _stage(report: Mapping[str, Any], stage: Mapping[str, Any]) -> Iterator[Row]:
    name = f"stage {stage['id']}"
    if not stage["played"]:
        yield name, "never reached"
        return
    model = report["model"]["stages"][stage["id"]]
    lasts = _spread(stage["duration_s"], duration) if stage["duration_s"] is not None else "never over"
    yield name, f"{stage['format']}, {_count(stage['entrants']['mean'])} enter, lasts {lasts}"
    yield (
        f"{name}: hands",
        f"{_count(stage['hands']['mean'])} at {_count(stage['tables']['mean'])} tables, "
        f"kind {model['hands']}, median {duration(model['hand_ms'] / 1000)}",
    )
    if stage["meetings"] is not None:
        yield f"{name}: meeting again", _meetings(stage["meetings"])
    target = stage.get("target")
    if target is not None:
        told = ", ".join(f"{exact:.2f}" for exact in target["p_pct"])
        found = ", ".join("none" if each is None else f"{100 * each:.1f}" for each in target["reached"])
        yield f"{name}: target", f"{target['target']} reached by hand, exactly: {told} %; here: {found} %"
        least = "none up to 500" if target["b_min"] is None else str(target["b_min"])
        yield f"{name}: R-RT-02", "holds" if target["ok"] else "; ".join(target["warnings"])
        yield f"{name}: hands enough", least
    invalid = stage.get("invalid_hands")
    if invalid is not None:
        told = ", ".join(share(each["share"]) for each in invalid["by_hand"])
        yield f"{name}: invalid hands", f"{share(invalid['share'])} could no longer change who is cut (by hand: {told})"


def _meetings(meetings: Mapping[str, Any]) -> str:
    again, at_once = share(meetings["repeat_share"]), share(meetings["repeat_at_once_share"])
    return f"{again} of all pairs at a table, {at_once} at once"


def _spread(found: Spread, say: Any) -> str:
    return f"median {say(found['median'])}, 95 % up to {say(found['p95'])}"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
