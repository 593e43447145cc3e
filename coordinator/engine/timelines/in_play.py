"""The timeline that the stage in play goes by, as whoever needs one of its answers asks it."""

from typing import Protocol

from coordinator.engine import events
from coordinator.engine.events import Events
from coordinator.engine.formats import Timeline, timeline_of
from coordinator.engine.state import MatchState, Table
from coordinator.engine.timelines import bouts, challenge, clock, pool


class Answers(Protocol):
    """What every timeline says of the stage that goes by it."""

    def open_stage(self, state: MatchState, t: int) -> Events: ...
    def hand_scored(self, state: MatchState, event: events.HandScored) -> Events: ...
    def hand_voided(self, state: MatchState, table: Table, t: int) -> Events: ...
    def round_ended(self, state: MatchState, event: events.RoundEnded) -> Events: ...
    def end_round(self, state: MatchState, table: Table, t: int, *, settled: bool = ...) -> Events: ...


_TIMELINES: dict[Timeline, Answers] = {"bouts": bouts, "pool": pool, "clock": clock, "challenge": challenge}


def in_play(state: MatchState) -> Answers:
    """The timeline of the stage in play."""
    return _TIMELINES[timeline_of(state.stage_rules)]
