"""What is wrong with bouts by the clock (R-CS-01)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_HANDS
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, outside_time, outside_wait
from coordinator.engine.definition import Clock, Stage
from coordinator.engine.formats import timeline_of


def clock_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-CS-01: bouts by the clock, and what they leave no room for."""
    rule, at, clock = "R-CS-01", f"{path}.clock", stage.clock
    if timeline_of(stage) != "clock":
        if clock != Clock():
            yield not_here(at, f"{named(stage)} does not go by the clock", rule)
        return
    yield from outside_time(f"{at}.bout_ms", clock.bout_ms, rule)
    yield from outside_wait(f"{at}.grace_ms", clock.grace_ms, rule)
    if clock.unfinished_board == "finish" and clock.grace_ms != Clock().grace_ms:
        yield not_here(f"{at}.grace_ms", "boards that are played to their end need no grace", rule)
    if clock.boards_per_bout is not None:
        yield from outside(f"{at}.boards_per_bout", clock.boards_per_bout, 1, MOST_HANDS, rule)
        if stage.round.hands not in (1, clock.boards_per_bout):
            message = f"round.hands says {stage.round.hands} and boards_per_bout {clock.boards_per_bout}"
            yield Mistake(f"{path}.round.hands", message, "one of the two", "round = { hands = 1 }", rule)
    name = named(stage)
    if stage.scoring != "duplicate":
        message = f"{name} compares the same boards everywhere"
        yield Mistake(f"{path}.scoring", message, '"duplicate"', 'scoring = "duplicate"', rule)
    if stage.base_growth.kind != "none":
        yield not_here(f"{path}.base_growth", "the same board has the same base score at every table", rule)
    if stage.min_payment:
        yield not_here(f"{path}.min_payment", "what a board is worth does not depend on who has how much", rule)
    if stage.bye_delta != 0:
        yield not_here(f"{path}.bye_delta", f"a bye has no effect on the score in {name}", rule)
    if stage.round_carry_pct != 100:
        yield not_here(f"{path}.round_carry_pct", f"{name} averages over all boards played", rule)
    if stage.tie_chain is not None:
        yield not_here(f"{path}.tie_chain", "equal averages go by more boards, then by registration", "R-DU-04")
