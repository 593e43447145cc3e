"""R-IS-01: an island. Players come and go as they like, tables run on their own, and when its time is over those who
are present are ranked, paid and taken over into the next island, which may be the same one again.

Time alone ends it: an empty island waits for players.

Implements R-IS-01.
"""

import re

from coordinator.engine.definition import Island, MatchDefinition, Stage
from coordinator.engine.formats.format import Format

ISLAND = Format(name="island", timeline="pool", groupings=("random",), elimination="score")


def entry_score(stage: Stage) -> int:
    """R-IS-02: what a newcomer starts with; in every other format what everybody starts with."""
    island = stage.island
    if island is None or island.entry_score is None:
        return stage.initial_player_state.score
    return island.entry_score


def returning_score(stage: Stage, kept: int | None) -> int:
    """R-IS-02: what a player starts with who left this stage with the score ``kept``; None: who is new to it."""
    island = stage.island
    if kept is None or island is None or island.rejoin == "fresh":
        return entry_score(stage)
    return kept


def cashed_out(island: Island, score: int) -> int:
    """R-IS-03: the whole units of currency a score is worth to a player who leaves, never less than 0."""
    if island.leave_processing != "cash_out":
        return 0
    return max(0, score) // island.exchange_rate


def next_stage(definition: MatchDefinition, stage_no: int, run: int) -> tuple[int, int] | None:
    """R-IS-01: the stage that follows, as its number and which run of it; None after the last.

    Runs count from 1. An island that loops follows itself until its count is reached, then comes the one it names as
    ``next``, or else the one that stands after it.
    """
    island = definition.stages[stage_no].island
    if island is not None and island.loop and (island.loop_count is None or run < island.loop_count):
        return stage_no, run + 1
    if island is not None and island.next is not None:
        return next(number for number, stage in enumerate(definition.stages) if stage.id == island.next), 1
    return (stage_no + 1, 1) if stage_no + 1 < len(definition.stages) else None


_TIME_OF_DAY = re.compile(r"(?P<h>[01]\d|2[0-3]):(?P<m>[0-5]\d)(?:Z|(?P<sign>[+-])(?P<oh>0\d|1[0-4]):(?P<om>[0-5]\d))")
_MINUTE_MS, _DAY_MS = 60_000, 86_400_000


def utc_time_of_day(text: str) -> int | None:
    """The milliseconds after midnight UTC of a time of day like "21:00+08:00" or "13:00Z"; None if it is none."""
    found = _TIME_OF_DAY.fullmatch(text)
    if found is None:
        return None
    minutes = 60 * int(found["h"]) + int(found["m"])
    if found["sign"]:
        ahead = 60 * int(found["oh"]) + int(found["om"])
        minutes -= ahead if found["sign"] == "+" else -ahead
    return minutes * _MINUTE_MS % _DAY_MS


def next_time_of_day(text: str, wall_ms: int) -> int:
    """R-IS-01: the Unix time of the first such time of day after ``wall_ms``."""
    of_day = utc_time_of_day(text)
    assert of_day is not None, "a checked island names a time of day"
    return wall_ms + _DAY_MS - (wall_ms - of_day) % _DAY_MS


def needs_wall_clock(definition: MatchDefinition) -> bool:
    """R-IS-01: whether anything of a match ends by the wall clock, so that it must be told the time."""
    return any(stage.island is not None and stage.island.end_at is not None for stage in definition.stages)
