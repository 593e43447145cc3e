"""What is wrong with a ladder (R-BL, R-RA, R-RC)."""

from collections.abc import Iterator
from itertools import pairwise

from coordinator.engine.checks.limits import MOST_HANDS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_id, named, not_here, outside
from coordinator.engine.definition import BaseGrowth, Ladder, MatchDefinition, Stage
from coordinator.engine.formats import timeline_of
from coordinator.engine.interruption import CAUSES, policy_of
from coordinator.engine.ladder.wall_time import DAY_MS, clock_ms

BRIDGE_TABLE = 4
MOST_BOARDS = 128
MOST_WAIT_MS = 3_660 * DAY_MS
"""Ten years: a ladder lives longer than any other match."""
MOST_RATING = 1_000_000


def ladder_alone(definition: MatchDefinition) -> Iterator[Mistake]:
    """R-BL-01: a ladder stands beside all other matches: it is a match of one stage, and goes by the wall clock."""
    for path, stage in definition.placed():
        if timeline_of(stage) == "challenge" and len(definition.stages) > 1:
            yield Mistake(f"{path}.format", "a ladder is a match of its own", "no other stage", rule="R-BL-01")


def ladder_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-BL-01: what a ladder must say about itself, and what nobody else may."""
    at, ladder = f"{path}.ladder", stage.ladder
    if timeline_of(stage) != "challenge":
        if ladder is not None:
            yield not_here(at, f"{named(stage)} is no ladder", "R-BL-01")
        return
    if ladder is None:
        message = "a ladder needs its table, even an empty one: all numbers of the rules are its defaults"
        yield Mistake(at, message, "a table", "ladder = {}", "R-BL-01")
        return
    yield from _frame(stage, path)
    yield from _times(ladder, at)
    yield from _windows(ladder, at)
    yield from _numbers(ladder, at)
    for number, team in enumerate(ladder.initial_rank):
        yield from bad_id(f"{at}.initial_rank[{number}]", team)
    if len(dict.fromkeys(ladder.initial_rank)) != len(ladder.initial_rank):
        yield Mistake(f"{at}.initial_rank", "a team stands there twice", "each team once", rule="R-BL-01")
    scale = ladder.imp_scale
    if not scale or scale[0] < 1 or any(after <= before for before, after in pairwise(scale)):
        yield Mistake(f"{at}.imp_scale", "the scale does not rise", "whole numbers above 0, rising", rule="R-BL-14")


def _frame(stage: Stage, path: str) -> Iterator[Mistake]:
    """What a bridge match leaves open of the mechanisms of a stage."""
    rule = "R-BL-14"
    if stage.table_size != BRIDGE_TABLE:
        message = f"a room of a match has two pairs, not {stage.table_size} seats"
        yield Mistake(f"{path}.table_size", message, "4", "table_size = 4", rule)
    if stage.round.type != "fixed_hands":
        yield Mistake(f"{path}.round.type", "a match has fixed boards", '"fixed_hands"', rule=rule)
    elif stage.round.hands > MOST_BOARDS:
        yield from outside(f"{path}.round.hands", stage.round.hands, 1, MOST_BOARDS, rule)
    if stage.scoring != "total":
        yield Mistake(f"{path}.scoring", "a match is scored in IMPs", '"total"', 'scoring = "total"', rule)
    if stage.report != "delta":
        yield Mistake(f"{path}.report", "boards are reported in points", '"delta"', 'report = "delta"', rule)
    if stage.base_growth != BaseGrowth():
        yield not_here(f"{path}.base_growth", "a board is worth the same in both rooms", rule)
    for cause in CAUSES:
        if policy_of(stage, cause) == "redeal":
            message = "both rooms play the same boards, so a board is never dealt afresh"
            yield Mistake(f"{path}.interruption.{cause}", message, '"repeat"', f'{cause} = "repeat"', rule)
    if stage.min_payment:
        yield not_here(f"{path}.min_payment", "nobody pays anybody in a match", rule)
    if stage.bouts is not None:
        yield not_here(f"{path}.bouts", "a ladder has challenges instead of bouts", "R-BL-01")
    if stage.tie_chain is not None:
        yield not_here(
            f"{path}.tie_chain", "the ranks of a ladder are strict; equal IMPs are the defender's", "R-BL-05"
        )
    if stage.bye_delta != 0:
        yield not_here(f"{path}.bye_delta", "nobody sits out on a ladder", "R-BL-01")
    if stage.round_carry_pct != 100:
        yield not_here(f"{path}.round_carry_pct", "nothing is carried on a ladder", "R-BL-01")
    if not 0 <= stage.initial_player_state.score <= MOST_RATING:
        rating = stage.initial_player_state.score
        yield from outside(f"{path}.initial_player_state.score", rating, 0, MOST_RATING, "R-RA-01")


def _times(ladder: Ladder, at: str) -> Iterator[Mistake]:
    for word, rule in (
        ("reply_ms", "R-BL-08"),
        ("complete_ms", "R-BL-08"),
        ("pick_ms", "R-BL-06"),
        ("late_ms", "R-BL-09"),
        ("appeal_ms", "R-BL-12"),
        ("replay_extension_ms", "R-RC-04"),
        ("week_ms", "R-BL-03"),
        ("duration_ms", "R-BL-01"),
    ):
        value = getattr(ladder, word)
        if value is not None:
            yield from _wait(f"{at}.{word}", value, rule)
    for word, rule in (("checkin_before_ms", "R-BL-09"), ("checkin_after_ms", "R-BL-09"), ("top_phase_ms", "R-BL-03")):
        if getattr(ladder, word) != 0:
            yield from _wait(f"{at}.{word}", getattr(ladder, word), rule)
    first, last = clock_ms(ladder.hours.first), clock_ms(ladder.hours.last)
    for word, value in (("first", first), ("last", last)):
        if value is None:
            message = f"{getattr(ladder.hours, word)!r} is no time of day"
            yield Mistake(f"{at}.hours.{word}", message, "something like 18:00, at most 24:00", rule="R-BL-07")
    if first is not None and last is not None and first >= last:
        yield Mistake(f"{at}.hours", "the hours end before they begin", "from before to", rule="R-BL-07")
    if not ladder.days:
        yield Mistake(f"{at}.days", "there is no day to play on", "some of mon to sun", rule="R-BL-07")
    elif len(dict.fromkeys(ladder.days)) != len(ladder.days):
        yield Mistake(f"{at}.days", "a day stands there twice", "each day once", rule="R-BL-07")


def _wait(path: str, ms: int, rule: str) -> Iterator[Mistake]:
    if not 1 <= ms <= MOST_WAIT_MS:
        relation = "short" if ms < 1 else "long"
        expected = f"more than 0 seconds, at most {MOST_WAIT_MS // 1000}"
        yield Mistake(path, f"{ms / 1000:g} seconds is too {relation}", expected, rule=rule)


def _windows(ladder: Ladder, at: str) -> Iterator[Mistake]:
    for number, ranks in enumerate(ladder.windows):
        rank, path = number + 2, f"{at}.windows[{number}]"
        if len(dict.fromkeys(ranks)) != len(ranks) or any(not 1 <= target < rank for target in ranks):
            message = f"rank {rank} cannot challenge {', '.join(map(str, ranks))}"
            yield Mistake(path, message, f"different ranks from 1 to {rank - 1}", rule="R-BL-02")


def _numbers(ladder: Ladder, at: str) -> Iterator[Mistake]:
    for word, least, most, rule in (
        ("slots", 1, 16, "R-BL-06"),
        ("min_registered", 0, BRIDGE_TABLE, "R-BL-10"),
        ("max_unregistered", 0, BRIDGE_TABLE, "R-BL-10"),
        ("roster_changes", 0, MOST_HANDS, "R-BL-11"),
        ("drop_limit", 1, MOST_HANDS, "R-RC-03"),
    ):
        yield from outside(f"{at}.{word}", getattr(ladder, word), least, most, rule)
    rating = ladder.rating
    yield from outside(f"{at}.rating.k", rating.k, 1, MOST_RATING, "R-RA-02")
    yield from outside(f"{at}.rating.established_after", rating.established_after, 1, MOST_HANDS, "R-RA-01")
    for word in ("win_value", "prov_value"):
        yield from outside(f"{at}.rating.{word}", getattr(rating, word), 0, MOST_SCORE, "R-RA-03")
