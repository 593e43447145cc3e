"""What is wrong with the bouts of a stage, and with sitting one out (R-HI-06, R-CA-01)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, plainly
from coordinator.engine.definition import Stage
from coordinator.engine.field_flow import MOST_BOUTS
from coordinator.engine.formats import format_of, timeline_of


def bout_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-HI-06: how many bouts, in a stage that has any."""
    at, bouts, rule = f"{path}.bouts", stage.bouts, "R-HI-06"
    if timeline_of(stage) == "pool":
        if bouts is not None:
            ends = "its duration" if stage.format == "island" else "end.remaining_below"
            yield not_here(at, f"{named(stage)} has no bouts; it ends by {ends}", rule)
    elif format_of(stage).one_table:
        if bouts not in (None, 1):
            yield Mistake(at, "a default stage plays one round at one table", "1", "leave bouts out", "R-DF-01")
    elif timeline_of(stage) == "clock" and bouts == "until_done":
        message = "bouts by the clock are counted"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "bouts = 12", "R-CS-01")
    elif format_of(stage).duels and bouts == "until_done":
        message = "a Dominion Swiss says how many bouts it has before it starts, or leaves that to the field"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "leave bouts out", "R-DM-02")
    elif stage.format == "swiss_shift" and not isinstance(bouts, int):
        message = "a Swiss shift needs to know how many bouts it has"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "bouts = 3", "R-SW-01")
    if isinstance(bouts, int) and timeline_of(stage) != "pool":
        yield from outside(at, bouts, 1, MOST_BOUTS, rule)


def bye_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-CA-01: what sitting out is worth, in the unit of the scoring."""
    rule = "R-CA-01"
    if stage.bye_points is not None:
        if stage.scoring != "placement":
            message = "bye points count only where scoring is by placement"
            yield Mistake(f"{path}.bye_points", message, "bye_delta", rule=rule)
        elif not 0 <= stage.bye_points <= MOST_SCORE:
            message = f"{plainly(stage.bye_points)} bye points"
            yield Mistake(f"{path}.bye_points", message, "a number of at least 0", rule=rule)
    if stage.bye_delta != 0:
        if stage.scoring != "total":
            message = "a bye delta counts only where scoring is by total"
            yield Mistake(f"{path}.bye_delta", message, "bye_points", rule=rule)
        elif format_of(stage).duels:
            yield not_here(f"{path}.bye_delta", "a bye is worth main_points.default_win", "R-DM-03")
        elif not format_of(stage).reranks:
            yield not_here(f"{path}.bye_delta", f"nobody sits out in {named(stage)}", rule)
        yield from outside(f"{path}.bye_delta", stage.bye_delta, -MOST_SCORE, MOST_SCORE, rule)
