"""What is wrong with a revival (R-RV-01 to R-RV-06)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_HANDS, MOST_PCT, MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_id, named, not_here, outside, outside_time, plainly
from coordinator.engine.definition import Revival, Stage
from coordinator.engine.formats import timeline_of
from coordinator.engine.numbers import MOST_EXACT

_MOST_FEE = MOST_SCORE // (MOST_PCT + 1)
"""A base fee that stays a number of the wire however steep the slope is."""
_MOST_PACKS = 32
"""What one notice can hold."""


def revival_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-RV-01: a revival where somebody is eliminated by score, with the words of its own mode and no others."""
    at, rule = f"{path}.revival", stage.revival
    if rule is None:
        return
    if timeline_of(stage) != "pool":
        yield not_here(at, f"nobody comes back into {named(stage)}", "R-RV-01")
        return
    if stage.elimination is None:
        message = "nobody is eliminated, so nobody can be revived"
        yield Mistake(at, message, "an elimination", "elimination = { absolute = 0 }", "R-RV-01")
    yield from _fee(stage, rule, at)
    yield from _mode(rule, at)
    if rule.max_times is not None:
        yield from outside(f"{at}.max_times", rule.max_times, 1, MOST_HANDS, "R-RV-01")
    yield from outside_time(f"{at}.offer_ms", rule.offer_ms, "R-RV-01")
    if isinstance(rule.score_after, int):
        yield from outside(f"{at}.score_after", rule.score_after, -MOST_EXACT, MOST_EXACT, "R-RV-01")
    if rule.until_players is not None:
        yield from outside(f"{at}.until_players", rule.until_players, 1, MOST_PLAYERS, "R-RV-06")
    if rule.until_ms is not None:
        yield from outside_time(f"{at}.until_ms", rule.until_ms, "R-RV-06")


def _fee(stage: Stage, rule: Revival, at: str) -> Iterator[Mistake]:
    if rule.fee_kind == "item":
        if rule.item_id is None:
            yield Mistake(f"{at}.item_id", "a fee in items needs to say of which", "the id of an item", rule="R-RV-01")
        else:
            yield from bad_id(f"{at}.item_id", rule.item_id)
    elif rule.item_id is not None:
        yield Mistake(f"{at}.item_id", "a fee in coins has no item", 'fee_kind = "item"', rule="R-RV-01")
    if rule.mode == "direct" and stage.format != "island":
        message = f"direct revival is for islands, not for {named(stage)}"
        yield Mistake(f"{at}.mode", message, '"list", "linear" or "exponential"', rule="R-RV-05")


def _mode(rule: Revival, at: str) -> Iterator[Mistake]:
    by_count = ("linear", "exponential")
    plain = Revival("list")
    for word, modes, law in (
        ("fees", ("list",), "R-RV-02"),
        ("base_fee", by_count, "R-RV-03"),
        ("slope", by_count, "R-RV-03"),
        ("packs", ("direct",), "R-RV-05"),
    ):
        if rule.mode not in modes and getattr(rule, word) != getattr(plain, word):
            message = f"{word} belongs to revival of mode {modes[0]}"
            yield Mistake(f"{at}.{word}", message, f'mode = "{modes[0]}"', rule=law)
    if rule.mode in by_count:
        law = "R-RV-03" if rule.mode == "linear" else "R-RV-04"
        if rule.base_fee is None:
            message = "a fee by player count grows from a base fee"
            yield Mistake(f"{at}.base_fee", message, "a whole number from 1", "base_fee = 100", law)
        else:
            yield from outside(f"{at}.base_fee", rule.base_fee, 1, _MOST_FEE, law)
        if not 0 <= rule.slope <= MOST_PCT:
            message = f"a slope of {plainly(rule.slope)}"
            yield Mistake(f"{at}.slope", message, f"a number from 0 to {MOST_PCT}", "slope = 4", law)
    for number, fee in enumerate(rule.fees):
        yield from outside(f"{at}.fees[{number}]", fee, 0, MOST_EXACT, "R-RV-02")
    if rule.mode == "direct" and not rule.packs:
        message = "direct revival needs packs to choose from"
        yield Mistake(f"{at}.packs", message, "a list of packs", "packs = [{ score = 1000, cost = 50 }]", "R-RV-05")
    if len(rule.packs) > _MOST_PACKS:
        yield Mistake(f"{at}.packs", f"{len(rule.packs)} packs", f"at most {_MOST_PACKS}", rule="R-RV-05")
    for number, pack in enumerate(rule.packs):
        yield from outside(f"{at}.packs[{number}].score", pack.score, -MOST_EXACT, MOST_EXACT, "R-RV-05")
        yield from outside(f"{at}.packs[{number}].cost", pack.cost, 0, MOST_EXACT, "R-RV-05")
