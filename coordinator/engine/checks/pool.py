"""What is wrong with a melee: the line below which players are out, its end, its seatings (R-ME, R-AS-01)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_HANDS, MOST_PCT, MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, outside_time, plainly
from coordinator.engine.definition import Elimination, End, Stage
from coordinator.engine.formats import format_of, timeline_of


def elimination_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ME-02: one line, and one that somebody can fall below."""
    at, line = f"{path}.elimination", stage.elimination
    if format_of(stage).elimination != "score":
        if line is not None:
            message = f"{named(stage)} does not eliminate by score"
            yield Mistake(at, message, "no elimination", "leave elimination out", "R-ST-02")
        return
    rule, expected = "R-ME-02", "exactly one of ratio_of_base and absolute"
    if line is None and stage.format == "island":
        return
    if line is None:
        message = "a melee needs a line below which players are out"
        yield Mistake(at, message, expected, "elimination = { ratio_of_base = 0.25 }", rule)
        return
    if (line.ratio_of_base is None) == (line.absolute is None):
        given = "neither" if line.ratio_of_base is None else "both"
        yield Mistake(at, f"the line is given by {given} of its two words", expected, "ratio_of_base = 0.25", rule)
    if line.ratio_of_base is not None and not 0 < line.ratio_of_base <= MOST_PCT:
        message = f"{plainly(line.ratio_of_base)} times the base score is no line"
        yield Mistake(f"{at}.ratio_of_base", message, f"a number above 0, at most {MOST_PCT}", rule=rule)
    if line.absolute is not None:
        yield from outside(f"{at}.absolute", line.absolute, -MOST_SCORE, MOST_SCORE, rule)
        yield from _out_of_reach(stage, line, f"{at}.absolute")


def _out_of_reach(stage: Stage, line: Elimination, at: str) -> Iterator[Mistake]:
    """R-ME-02, R-MP-01: a line that nobody can fall below, in a melee that would never end (R-ME-01)."""
    if not stage.min_payment or stage.end.max_ms is not None or stage.format != "melee" or line.absolute is None:
        return
    least = 0 if line.compare == "le" else 1
    if line.absolute < least:
        message = f"nobody pays more than there is to pay with, so nobody is ever below {line.absolute}"
        yield Mistake(at, message, f"{least} or more, or end.max_s", "ratio_of_base = 0.25", "R-ME-02")


def end_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ME-05: when a melee ends; other formats have ends of their own."""
    at, end, rule = f"{path}.end", stage.end, "R-ME-05"
    if timeline_of(stage) == "clock":
        if (end.remaining_below, end.max_ms) != (None, None):
            yield not_here(at, f"{named(stage)} ends by its bouts; only advance_count is its own", rule)
        if end.advance_count is not None:
            yield from outside(f"{at}.advance_count", end.advance_count, 1, MOST_PLAYERS, rule)
        return
    if stage.format != "melee":
        if end != End():
            yield not_here(at, f"{named(stage)} ends by its bouts; end belongs to a melee", rule)
        return
    if end.remaining_below is None:
        message = "a melee needs to know below how many players it ends"
        yield Mistake(f"{at}.remaining_below", message, "a number of players", "remaining_below = 19", rule)
    else:
        yield from outside(f"{at}.remaining_below", end.remaining_below, 2, MOST_PLAYERS, rule)
    if end.advance_count is not None:
        yield from outside(f"{at}.advance_count", end.advance_count, 1, MOST_PLAYERS, rule)
    if end.max_ms is not None:
        yield from outside_time(f"{at}.max_ms", end.max_ms, rule)


def seating_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-AS-01: how long a seating of a melee lasts."""
    rule, at, hands = "R-AS-01", f"{path}.hands_per_seating", stage.hands_per_seating
    if stage.format != "melee":
        if hands is not None:
            yield not_here(at, "only a melee counts hands per seating", rule)
        if stage.regroup != "random":
            yield not_here(f"{path}.regroup", "only a melee regroups between bouts of its own", rule)
        return
    if isinstance(hands, int):
        yield from outside(at, hands, 1, MOST_HANDS, rule)
    if hands is not None and stage.round.type == "fixed_hands" and stage.round.hands not in (1, hands):
        message = f"round.hands says {stage.round.hands} and hands_per_seating {hands}"
        yield Mistake(f"{path}.round.hands", message, "one of the two", "round = { hands = 1 }", rule)
