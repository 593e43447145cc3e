"""What is wrong with who is cut after a bout, and with who advances from a table (R-SW-02, R-KO)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_PLAYERS
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, plainly
from coordinator.engine.definition import Cut, Stage
from coordinator.engine.field_flow import MOST_BOUTS
from coordinator.engine.formats import format_of


def cut_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-SW-02: cuts by bout, where the field is cut at all."""
    rule = "R-SW-02"
    if format_of(stage).elimination not in ("table", "field"):
        if stage.cut is not None:
            yield not_here(f"{path}.cut", f"{named(stage)} is not cut after bouts", rule)
        if stage.cuts:
            yield not_here(f"{path}.cuts", f"{named(stage)} is not cut after bouts", rule)
        return
    if stage.cut is not None:
        yield from _cut(stage.cut, f"{path}.cut")
    for number, cut in enumerate(stage.cuts):
        yield from _cut(cut, f"{path}.cuts[{number}]")
    if isinstance(stage.bouts, int) and stage.bouts >= 1:
        given, bouts = len(stage.cuts), stage.bouts
        if given > bouts or (0 < given < bouts and stage.cut is None):
            expected = "one for each bout, or cut for those without their own"
            yield Mistake(f"{path}.cuts", f"{given} cuts for {bouts} bouts", expected, rule=rule)
    elif len(stage.cuts) > MOST_BOUTS:
        yield Mistake(f"{path}.cuts", f"{len(stage.cuts)} cuts", f"at most {MOST_BOUTS}", rule=rule)
    percents = any(cut.mode == "percent" for cut in (stage.cut or Cut(), *stage.cuts))
    if stage.percent_round != "out_floor" and not percents:
        yield not_here(f"{path}.percent_round", "no cut is by percent", rule)


def _cut(cut: Cut, at: str) -> Iterator[Mistake]:
    rule, value = "R-SW-02", cut.value
    if cut.mode == "percent":
        if not 0 <= value <= 100:
            yield Mistake(f"{at}.value", f"a cut of {plainly(value)} percent", "a number from 0 to 100", rule=rule)
    elif cut.mode == "none":
        if value != 0:
            message = f"a cut of mode none has no value, this says {plainly(value)}"
            yield Mistake(f"{at}.value", message, "another mode", 'mode = "fixed"', rule)
    else:
        least = 1 if cut.mode == "keep" else 0
        if value.denominator != 1 or not least <= value <= MOST_PLAYERS:
            verb = "keeps" if cut.mode == "keep" else "costs"
            expected = f"a whole number from {least} to {MOST_PLAYERS}"
            yield Mistake(f"{at}.value", f"the cut {verb} {plainly(value)} players", expected, rule=rule)


def advance_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-KO-02, R-KO-04: how many of a table go on, which only a knockout asks."""
    take, size = stage.advance_per_table, stage.table_size
    if stage.format != "knockout":
        message = f"{named(stage)} does not eliminate at the table"
        if take != 1:
            yield not_here(f"{path}.advance_per_table", message, "R-KO-02")
        if stage.half_rounding != "floor":
            yield not_here(f"{path}.half_rounding", message, "R-KO-04")
        if stage.align_to_table:
            yield not_here(f"{path}.align_to_table", message, "R-KO-04")
        return
    if take != "half" and not 1 <= take < size:
        message = f"{take} of {size} advance from each table"
        yield Mistake(
            f"{path}.advance_per_table",
            message,
            f'a whole number from 1 to {size - 1}, or "half"',
            rule="R-KO-02",
        )
    if stage.half_rounding != "floor" and (take != "half" or size % 2 == 0):
        message = "rounding matters only where half of an odd table advances"
        yield Mistake(f"{path}.half_rounding", message, 'advance_per_table = "half"', rule="R-KO-04")
