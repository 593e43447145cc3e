"""What is wrong with an island, with its rewards, and with a revival (R-IS-01 to R-IS-05, R-RV-01 to R-RV-06)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from coordinator.engine.check_parts import (
    MOST_HANDS,
    MOST_PCT,
    MOST_PLAYERS,
    MOST_SCORE,
    bad_id,
    named,
    not_here,
    outside,
    outside_time,
    plainly,
)
from coordinator.engine.definition import Island, MatchDefinition, Revival, Reward, Stage
from coordinator.engine.formats import timeline_of
from coordinator.engine.formats.island import utc_time_of_day
from coordinator.engine.mistake import Mistake
from coordinator.engine.numbers import MOST_EXACT


def island_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-IS-01: what an island must say about itself, and what nobody else may."""
    at, island = f"{path}.island", stage.island
    if stage.format != "island":
        if island is not None:
            yield not_here(at, f"{named(stage)} is no island", "R-IS-01")
        if stage.rewards:
            message = f"{named(stage)} pays no rewards of its own; those of the match are paid at its end"
            yield not_here(f"{path}.rewards", message, "R-IS-01")
        return
    if island is None:
        message = "an island needs to know how long it lasts"
        yield Mistake(at, message, "a table with duration_s or end_at", "island = { duration_s = 3600 }", "R-IS-01")
        return
    yield from _time(island, at)
    yield from _leaving(island, at)
    yield from _loop(island, at)
    if island.entry_score is not None:
        yield from outside(f"{at}.entry_score", island.entry_score, -MOST_EXACT, MOST_EXACT, "R-IS-02")
    if island.end_policy == "drain":
        yield from outside_time(f"{at}.drain_max_ms", island.drain_max_ms, "R-IS-04")
    elif island.drain_max_ms != Island().drain_max_ms:
        message = "a snapshot cuts running hands at once, so nothing drains"
        yield Mistake(f"{at}.drain_max_ms", message, 'end_policy = "drain"', rule="R-IS-04")
    if island.rest_ms is not None:
        yield from outside_time(f"{at}.rest_ms", island.rest_ms, "R-IS-05")
    yield from reward_mistakes(stage.rewards, f"{path}.rewards")


def _time(island: Island, at: str) -> Iterator[Mistake]:
    rule = "R-IS-01"
    if (island.duration_ms is None) == (island.end_at is None):
        given = "neither" if island.duration_ms is None else "both"
        message = f"the end of the island is given by {given} of its two words"
        yield Mistake(at, message, "duration_s or end_at", "duration_s = 3600", rule)
    if island.duration_ms is not None:
        yield from outside_time(f"{at}.duration_ms", island.duration_ms, rule)
    if island.end_at is not None and utc_time_of_day(island.end_at) is None:
        message = f"{island.end_at[:32]!r} is no time of day"
        yield Mistake(f"{at}.end_at", message, "hours, minutes and the offset from UTC", 'end_at = "21:00+08:00"', rule)


def _leaving(island: Island, at: str) -> Iterator[Mistake]:
    rule = "R-IS-03"
    yield from outside(f"{at}.exchange_rate", island.exchange_rate, 1, MOST_SCORE, rule)
    if island.exchange_rate != 1 and island.leave_processing != "cash_out":
        message = "the exchange rate is for those who cash out"
        yield Mistake(f"{at}.exchange_rate", message, 'leave_processing = "cash_out"', rule=rule)
    if island.rejoin == "keep" and island.leave_processing != "keep":
        message = "who returns can keep only a score that was kept on leaving"
        yield Mistake(f"{at}.rejoin", message, '"fresh"', 'leave_processing = "keep"', "R-IS-02")


def _loop(island: Island, at: str) -> Iterator[Mistake]:
    if island.loop_count is None:
        return
    yield from outside(f"{at}.loop_count", island.loop_count, 1, MOST_PLAYERS, "R-IS-01")
    if not island.loop:
        yield Mistake(f"{at}.loop_count", "an island that does not loop is played once", "loop = true", rule="R-IS-01")


def islands_apart(definition: MatchDefinition) -> Iterator[Mistake]:
    """R-IS-01: only island stages are chained with island stages.

    Others tell places that are final and count on a field that nobody joins and nobody leaves.
    """
    places = definition.placed()
    for (_, before), (path, after) in pairwise(places):
        if (before.format == "island") != (after.format == "island"):
            message = f"{named(after)} follows {named(before)}; only islands are chained with islands"
            yield Mistake(f"{path}.format", message, f'"{before.format}"', "a match of its own", "R-IS-01")
    yield from _ways(places)


def _ways(places: Sequence[tuple[str, Stage]]) -> Iterator[Mistake]:
    """R-IS-01: where each island leads, and that every stage is on the way."""
    numbers = {stage.id: number for number, (_, stage) in enumerate(places)}
    ways: dict[int, int] = {}
    for number, (path, stage) in enumerate(places):
        island, at = stage.island, f"{path}.island.next"
        ways[number] = number + 1
        if island is None or island.next is None:
            continue
        if island.loop and island.loop_count is None:
            message = "an island that loops for ever leads nowhere"
            yield Mistake(at, message, "a loop_count", "loop_count = 3", "R-IS-01")
        found = numbers.get(island.next)
        if found is None or places[found][1].island is None:
            message = f"{island.next[:64]!r} is no island of this match"
            islands = [other.id for _, other in places if other.island is not None]
            yield Mistake(at, message, ", ".join(islands), rule="R-IS-01")
        else:
            ways[number] = found
    reached: dict[int, None] = {}
    number = 0
    while number < len(places) and number not in reached:
        reached[number] = None
        number = ways[number]
    for number, (path, stage) in enumerate(places):
        if number not in reached and ways:
            message = f"no way leads to {stage.id!r}"
            yield Mistake(path, message, "an island before it whose next it is", "leave next out", "R-IS-01")


def reward_mistakes(rewards: Sequence[Reward], at: str) -> Iterator[Mistake]:
    """R-HI-03: bands of places that win something, apart from each other."""
    rule = "R-HI-03"
    for number, reward in enumerate(rewards):
        path = f"{at}[{number}]"
        yield from outside(f"{path}.first", reward.first, 1, MOST_PLAYERS, rule)
        if reward.last < reward.first or reward.last > MOST_PLAYERS:
            expected = f"a place from {reward.first} to {MOST_PLAYERS}"
            yield Mistake(f"{path}.last", f"the band ends at place {reward.last}", expected, rule=rule)
        if not reward.items:
            yield Mistake(f"{path}.items", "the band gives nothing", "something like { coins = 100 }", rule=rule)
        for item, amount in reward.items.items():
            yield from bad_id(f"{path}.items.{item}", item)
            yield from outside(f"{path}.items.{item}", amount, 1, MOST_SCORE, rule)
    for number, (before, after) in enumerate(pairwise(rewards), start=1):
        if after.first <= before.last:
            message = f"place {after.first} already belongs to the band before, which ends at {before.last}"
            yield Mistake(f"{at}[{number}].first", message, f"a place above {before.last}", rule=rule)


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


_MOST_FEE = MOST_SCORE // (MOST_PCT + 1)
"""A base fee that stays a number of the wire however steep the slope is."""
_MOST_PACKS = 32
"""What one notice can hold."""
