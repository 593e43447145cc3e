"""What is wrong with how the tables of a stage are formed (R-GR, R-ME-04)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_PLAYERS
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import either, named, not_here, outside, outside_time
from coordinator.engine.definition import Grouping, Stage
from coordinator.engine.formats import format_of, timeline_of

UI_TABLE = 3


def grouping_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-GR-02, R-GR-03, R-ME-04: a kind of grouping that the format knows, with its own words and no others."""
    rule, grouping, name = "R-ST-02", stage.grouping, named(stage)
    at = f"{path}.grouping"
    kinds = dict.fromkeys(format_of(stage).groupings)
    if grouping.kind is not None and grouping.kind not in kinds:
        kind_list = either(kinds)
        yield Mistake(f"{at}.kind", f"{name} does not group by {grouping.kind!r}", kind_list, "", rule)
    if grouping.kind == "ui" and stage.table_size != UI_TABLE:
        message = f"ui grouping is for tables of {UI_TABLE}, these have {stage.table_size}"
        yield Mistake(f"{at}.kind", message, "a table size of 3", 'kind = "snake"', "R-GR-03")
    if grouping.direction != "serpentine" and grouping.kind != "snake":
        yield Mistake(
            f"{at}.direction",
            "only snake grouping has a direction",
            'kind = "snake"',
            "leave it out",
            "R-GR-02",
        )
    if timeline_of(stage) == "pool":
        if grouping.shuttle_size is not None:
            size = grouping.shuttle_size
            yield from outside(f"{at}.shuttle_size", size, stage.table_size, MOST_PLAYERS, "R-ME-04")
        yield from outside_time(f"{at}.max_wait_ms", grouping.max_wait_ms, "R-ME-04")
        return
    if grouping.shuttle_size is not None:
        yield not_here(f"{at}.shuttle_size", "only a melee has a shuttle", "R-ME-04")
    if grouping.max_wait_ms != Grouping().max_wait_ms:
        yield not_here(f"{at}.max_wait_ms", "only in a melee do players wait for a shuttle", "R-ME-04")
