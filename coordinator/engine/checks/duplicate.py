"""What is wrong with boards that are compared (R-DU-01 to R-DU-05)."""

from collections.abc import Iterator
from fractions import Fraction

from coordinator.engine.checks.limits import MOST_HANDS, MOST_PLAYERS
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, plainly
from coordinator.engine.definition import Duplicate, Stage
from coordinator.engine.formats import timeline_of


def duplicate_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-DU-01 to R-DU-05: how boards are compared."""
    at, rule = f"{path}.duplicate", stage.duplicate
    if timeline_of(stage) != "clock":
        if stage.scoring == "duplicate":
            message = f"{named(stage)} does not deal the same boards everywhere"
            yield Mistake(f"{path}.scoring", message, '"total" or "placement"', 'scoring = "total"', "R-DU-01")
        if rule != Duplicate():
            yield not_here(at, f"{named(stage)} does not compare boards", "R-DU-01")
        return
    if not 0 <= rule.datum.trim_fraction < Fraction(1, 2):
        message = f"{plainly(rule.datum.trim_fraction)} at each end leaves nothing to average"
        yield Mistake(f"{at}.datum.trim_fraction", message, "a number from 0 to below 0.5", rule="R-DU-02")
    if rule.datum.trim_fixed is not None:
        yield from outside(f"{at}.datum.trim_fixed", rule.datum.trim_fixed, 0, MOST_HANDS, "R-DU-02")
        if rule.datum.trim_fraction != Duplicate().datum.trim_fraction:
            message = "the datum is trimmed by a share and by a number"
            yield Mistake(f"{at}.datum.trim_fixed", message, "one of the two", "trim_fraction = 0.25", "R-DU-02")
    if rule.datum.round not in (0, 10):
        message = f"a datum is not rounded to {rule.datum.round}"
        yield Mistake(f"{at}.datum.round", message, "0 or 10", "round = 10", "R-DU-02")
    yield from outside(f"{at}.min_results", rule.min_results, 1, MOST_HANDS, "R-DU-02")
    yield from outside(f"{at}.closes_at", rule.closes_at, max(1, rule.min_results), MOST_HANDS, "R-DU-02")
    if rule.required_boards is None:
        message = "how many boards make a result is not said"
        yield Mistake(f"{at}.required_boards", message, "a number of boards", "required_boards = 20", "R-DU-05")
    else:
        yield from outside(f"{at}.required_boards", rule.required_boards, 1, MOST_PLAYERS, "R-DU-05")
        if isinstance(stage.bouts, int) and rule.required_boards > stage.bouts * stage.bout_boards:
            most = stage.bouts * stage.bout_boards
            message = f"{rule.required_boards} boards are required and the stage has {most}"
            yield Mistake(f"{at}.required_boards", message, f"at most {most}", rule="R-DU-05")
    if rule.directions and len(rule.directions) != stage.table_size:
        message = f"{len(rule.directions)} directions for a table of {stage.table_size}"
        names = 'directions = ["NS", "EW", "NS", "EW"]'
        yield Mistake(
            f"{at}.directions", message, "one for each seat", names if stage.table_size == 4 else "", "R-DU-01"
        )
