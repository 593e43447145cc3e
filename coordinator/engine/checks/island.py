"""What is wrong with an island, and with islands among other stages (R-IS-01 to R-IS-05)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from coordinator.engine.checks.limits import MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside, outside_time
from coordinator.engine.checks.rewards import reward_mistakes
from coordinator.engine.definition import Island, MatchDefinition, Stage
from coordinator.engine.formats.island import utc_time_of_day
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
