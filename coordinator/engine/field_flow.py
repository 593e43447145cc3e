"""How many players reach each stage of a match, known before anybody plays.

Every rule that moves a count is exact or bounded, so a field is followed as an interval from stage to stage:
only a melee makes it wider than one number, by the players its last hand may put out together (R-ME-05), and a stage by
the clock, to which players come late (R-CS-01).
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import attrs

from coordinator.engine import cut
from coordinator.engine.checks.limits import MOST_PLAYERS, MOST_TEAMS
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import bouts_planned, is_final

Counts: TypeAlias = tuple[int, int]
"""The least and the greatest number of players."""

MOST_BOUTS = 1_000
"""A stage of more bouts than this is taken for one that does not end."""

_WIDEST = 4_096
"""Intervals up to this width are followed count by count, wider ones at even steps and at both ends."""


@attrs.frozen
class StageField:
    """How many players enter a stage and how many it sends on, each as (least, greatest)."""

    stage_id: str
    entrants: Counts
    leaves: Counts


@attrs.frozen
class _Unplayable:
    """Why a stage cannot take its field; ``message`` completes "cannot be played with N players:"."""

    stage_no: int
    message: str
    rule: str


def flow(definition: MatchDefinition, players: int) -> list[StageField]:
    """The field of each stage when ``players`` start; the list ends before a stage that cannot be played."""
    return [step for step in _follow(definition, players) if isinstance(step, StageField)]


def why_not(definition: MatchDefinition, players: int) -> Mistake | None:
    """R-DF-01, R-BY-01: why ``players`` cannot play this match to its end, or None if they can.

    Every possible course of the match is asked: a stage that only some courses can fill is a mistake too.
    """
    start = f"{definition.id!r} cannot be played with {_players(players)}: "
    for step in _follow(definition, players):
        if isinstance(step, _Unplayable):
            path, _ = definition.placed()[step.stage_no]
            return Mistake(path, f"{start}{step.message} ({step.rule})", rule=step.rule)
    if players < definition.start.min_players:
        least = definition.start.min_players
        return Mistake("start.min_players", f"{start}it asks for at least {least} (R-HI-02)", rule="R-HI-02")
    return None


def field_per_bout(stage: Stage, players: int) -> tuple[int, ...]:
    """How many players take part in each bout of a stage, byes included; empty for a stage without bouts."""
    if timeline_of(stage) != "bouts":
        return ()
    return tuple(count for count, _ in _bouts(stage, players))


def rounds_played(stage: Stage, players: int) -> int | None:
    """R-HI-06, R-KO-01: the rounds all tables of a stage play; None where the cards decide (melee)."""
    if timeline_of(stage) != "bouts":
        return None
    return sum(count // stage.table_size for count, _ in _bouts(stage, players))


def _follow(definition: MatchDefinition, players: int) -> Iterator[StageField | _Unplayable]:
    entrants = (players, players)
    source = ""
    for stage_no, stage in enumerate(definition.stages):
        refused = _cannot_start(definition, stage, stage_no, entrants, source)
        if refused is not None:
            yield refused
            return
        leaves = _leaves(stage, entrants)
        if leaves is None:
            yield _Unplayable(stage_no, f"stage {stage.id!r} would not end within {MOST_BOUTS} bouts", "R-HI-06")
            return
        yield StageField(stage.id, entrants, leaves)
        entrants, source = leaves, stage.id


def _cannot_start(
    definition: MatchDefinition, stage: Stage, stage_no: int, entrants: Counts, source: str
) -> _Unplayable | None:
    size = stage.table_size
    come = f"{source!r} would send {_counts(entrants)}" if source else f"{_counts(entrants)} would enter"
    if is_final(definition, stage):  # fewer than its seats may come to the final of a Dominion Swiss (R-DM-01)
        if entrants[1] > size:
            return _Unplayable(stage_no, f"stage {stage.id!r} seats at most {size} and {come}", "R-DM-12")
    elif format_of(stage).one_table:
        if entrants != (size, size):
            return _Unplayable(stage_no, f"stage {stage.id!r} seats exactly {size} and {come}", "R-DF-01")
    elif timeline_of(stage) == "challenge":
        if entrants[1] > MOST_TEAMS:
            return _Unplayable(stage_no, f"stage {stage.id!r} takes at most {MOST_TEAMS} teams and {come}", "R-BL-01")
        if entrants[0] < 2:
            return _Unplayable(stage_no, f"stage {stage.id!r} needs at least 2 teams and {come}", "R-BL-01")
    elif stage.format != "island" and entrants[0] < size:
        return _Unplayable(stage_no, f"stage {stage.id!r} needs at least {size} and {come}", "R-BY-01")
    return None


def _leaves(stage: Stage, entrants: Counts) -> Counts | None:
    if timeline_of(stage) == "pool":
        ends = [_leave_pool(stage, players) for players in entrants]
        return min(lo for lo, _ in ends), max(hi for _, hi in ends)
    if timeline_of(stage) == "clock":
        return _leave_clock(stage, entrants)
    if timeline_of(stage) == "challenge":  # R-BL-01: new teams enter at the bottom
        return entrants[0], MOST_TEAMS if stage.join == "any_time" else entrants[1]
    if format_of(stage).duels:
        return _leave_dominion(stage, entrants)
    sent = []
    for players in _sample(entrants):
        last = players
        for _, stay in _bouts(stage, players):
            last = stay
        if last < 0:
            return None
        sent.append(last)
    return min(sent), max(sent)


def _leave_pool(stage: Stage, players: int) -> Counts:
    """R-ME-05: fewer than ``remaining_below`` are left, at worst a whole table fewer than the hand before.

    Those who do not fill a table cannot go on either, whatever the limit says (R-ME-04). Nobody knows how many come to
    an island and stay (R-IS-01).
    """
    if stage.format == "island":
        return 0, MOST_PLAYERS
    limit = max(stage.end.remaining_below or 0, stage.table_size)
    if players < limit:
        lo = hi = players
    else:
        lo, hi = max(1, limit - stage.table_size), limit - 1
        if stage.end.max_ms is not None:
            hi = players
    most = stage.end.advance_count
    return (lo, hi) if most is None else (min(lo, most), min(hi, most))


def _leave_clock(stage: Stage, entrants: Counts) -> Counts:
    """R-CS-01: everybody, late entrants included, or as many as may go on. Who leaves by choice is not foreseen."""
    lo, hi = entrants
    if stage.end.advance_count is not None:
        return min(lo, stage.end.advance_count), stage.end.advance_count
    return lo, max(hi, MOST_PLAYERS) if stage.clock.late_entry else hi


def _leave_dominion(stage: Stage, entrants: Counts) -> Counts:
    """R-DM-01: the top few of those who are present; fewer where players may leave, more where they may come late."""
    lo = 0 if stage.leave == "allowed" else entrants[0]
    hi = MOST_PLAYERS if stage.join == "any_time" else entrants[1]
    return (lo, hi) if stage.top_cut is None else (min(lo, stage.top_cut), min(hi, stage.top_cut))


def _bouts(stage: Stage, players: int) -> Iterator[tuple[int, int]]:
    """Each bout's field and what is left of it; what is left is -1 when the stage would never end."""
    bouts = stage.bouts if stage.bouts is not None else format_of(stage).bouts
    if format_of(stage).duels:
        bouts = bouts_planned(stage, players)
    bout_no = 0
    while players >= stage.table_size:
        bout_no += 1
        stay = _after_bout(stage, bout_no, players)
        final = players == stage.table_size
        done = final if bouts == "until_done" else bouts is None or bout_no >= bouts
        stuck = (stay == players and bout_no > len(stage.cuts)) or bout_no >= MOST_BOUTS
        endless = bouts == "until_done" and not done and stuck
        yield players, -1 if endless else stay
        if done or endless:
            return
        players = stay


def _after_bout(stage: Stage, bout_no: int, players: int) -> int:
    the_cut = stage.cut_of(bout_no)
    if the_cut.mode != "none":
        return players - cut.cut_count(players, the_cut.mode, exact(the_cut.value), stage.percent_round)
    if format_of(stage).elimination != "table":
        return players
    tables, byes = divmod(players, stage.table_size)
    stay = byes + cut.advance_count(stage.table_size, tables, stage.advance_per_table, stage.half_rounding)
    return cut.align_to_table(stay, stage.table_size) if stage.align_to_table else stay


def _sample(counts: Counts) -> Iterable[int]:
    lo, hi = counts
    width = hi - lo + 1
    if width <= _WIDEST:
        return range(lo, hi + 1)
    return [*range(lo, hi, width // _WIDEST + 1), hi]


def _counts(counts: Counts) -> str:
    lo, hi = counts
    return str(lo) if lo == hi else f"{lo} to {hi}"


def _players(players: int) -> str:
    return "1 player" if players == 1 else f"{players} players"
