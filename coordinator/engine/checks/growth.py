"""What is wrong with a base score that rises (R-ME-03)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_PCT, MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import outside, outside_time, plainly
from coordinator.engine.definition import BaseGrowth, Stage


def growth_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ME-03: each kind of growth with its own words and no others."""
    rule, at, growth = "R-ME-03", f"{path}.base_growth", stage.base_growth
    own = {"none": (), "arith": ("add", "add_step"), "geometric": ("ratio",), "table": ("values",)}[growth.kind]
    plain = BaseGrowth()
    for word, kind in (("add", "arith"), ("add_step", "arith"), ("ratio", "geometric"), ("values", "table")):
        if word not in own and getattr(growth, word) != getattr(plain, word):
            yield Mistake(f"{at}.{word}", f"{word} belongs to growth of kind {kind}", f'kind = "{kind}"', rule=rule)
    if growth.kind == "none":
        if growth.max_base is not None:
            yield Mistake(f"{at}.max_base", "a base score that does not rise needs no cap", "a kind", rule=rule)
        return
    yield from _ticks(growth, at)
    yield from _law(stage, at)
    if growth.max_base is not None:
        base0 = stage.initial_game_state.base_score
        yield from outside(f"{at}.max_base", growth.max_base, base0, MOST_SCORE, rule)


def _ticks(growth: BaseGrowth, at: str) -> Iterator[Mistake]:
    rule, plain = "R-ME-03", BaseGrowth()
    if growth.by == "time":
        yield from outside_time(f"{at}.every_ms", growth.every_ms, rule)
        if growth.every_hands != plain.every_hands:
            yield Mistake(f"{at}.every_hands", "ticks by time do not count hands", 'by = "hands"', rule=rule)
    else:
        yield from outside(f"{at}.every_hands", growth.every_hands, 1, MOST_PLAYERS, rule)
        if growth.every_ms != plain.every_ms:
            yield Mistake(f"{at}.every_ms", "ticks by hands do not count time", 'by = "time"', rule=rule)


def _law(stage: Stage, at: str) -> Iterator[Mistake]:
    rule, growth, base0 = "R-ME-03", stage.base_growth, stage.initial_game_state.base_score
    if growth.kind == "arith":
        if growth.add is not None:
            yield from outside(f"{at}.add", growth.add, 0, MOST_SCORE, rule)
        yield from outside(f"{at}.add_step", growth.add_step, 0, MOST_SCORE, rule)
        if growth.add_step == 0 and (base0 // 2 if growth.add is None else growth.add) == 0:
            message = f"nothing is added to the base score of {base0}"
            yield Mistake(f"{at}.add", message, "a whole number above 0", "add = 1", rule)
    elif growth.kind == "geometric":
        if not 1 <= growth.ratio <= MOST_PCT:
            message = f"a ratio of {plainly(growth.ratio)} does not raise the base score"
            yield Mistake(f"{at}.ratio", message, f"a number from 1 to {MOST_PCT}", "ratio = 1.1", rule)
    else:
        if not growth.values:
            message = "growth by table needs its values"
            yield Mistake(f"{at}.values", message, "a list of base scores", f"values = [{base0}, {2 * base0}]", rule)
        for number, value in enumerate(growth.values):
            yield from outside(f"{at}.values[{number}]", value, 1, MOST_SCORE, rule)
        if growth.values and growth.values[0] != base0:
            message = f"the table starts at {growth.values[0]}, the stage at a base score of {base0}"
            yield Mistake(f"{at}.values[0]", message, str(base0), "let both say the same", rule)
