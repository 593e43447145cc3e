"""What is wrong with scores that are carried over (R-CA-02 to R-CA-04)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_PCT, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, plainly
from coordinator.engine.definition import CarryOut, Stage
from coordinator.engine.formats import format_of


def carry_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-CA-02, R-CA-03: what goes into the next round, and what into the next stage."""
    pct = stage.round_carry_pct
    yield from outside(f"{path}.round_carry_pct", pct, 0, MOST_PCT, "R-CA-02")
    if pct != 100 and not format_of(stage).reranks:
        yield not_here(f"{path}.round_carry_pct", f"{named(stage)} carries nothing between rounds", "R-CA-02")
    if pct != 100 and format_of(stage).duels:
        yield not_here(f"{path}.round_carry_pct", "a Dominion Swiss counts every bout in full", "R-DM-05")
    yield from carry_out_mistakes(stage.carry_out, f"{path}.carry_out")


def carry_out_mistakes(carry: CarryOut, at: str) -> Iterator[Mistake]:
    """R-CA-03, R-CA-04: a carry-over with the words of its own mode and no others."""
    plain = CarryOut()
    words = (("divisor", ("divide",)), ("coef", ("sqrt",)), ("base", ("sqrt_median",)))
    for word, modes in words:
        if carry.mode not in modes and getattr(carry, word) != getattr(plain, word):
            message = f"{word} belongs to carry of mode {modes[0]}"
            yield Mistake(f"{at}.{word}", message, f'mode = "{modes[0]}"', rule="R-CA-03")
    if carry.mode == "divide":
        yield from outside(f"{at}.divisor", carry.divisor, 1, MOST_SCORE, "R-CA-03")
    elif carry.mode == "sqrt" and not 0 < carry.coef <= MOST_SCORE:
        yield Mistake(
            f"{at}.coef",
            f"a coefficient of {plainly(carry.coef)}",
            "a number above 0",
            "coef = 1.0",
            "R-CA-03",
        )
    elif carry.mode == "sqrt_median":
        yield from outside(f"{at}.base", carry.base, 1, MOST_SCORE, "R-CA-03")
    if carry.cap is not None:
        yield from outside(f"{at}.cap", carry.cap, 1, MOST_SCORE, "R-CA-04")
