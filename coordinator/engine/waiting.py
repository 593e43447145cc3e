"""Why somebody waits, and what ends it."""

from coordinator.engine import effects as fx
from coordinator.engine import timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.state import MatchState


def wait_reason(state: MatchState) -> fx.WaitReason:
    """Why a player who is neither seated nor on a bye waits."""
    if state.current.draining:
        return "quota_reached"
    if timeline_of(state.stage_rules) == "clock":
        return "next_bout"
    return "reseating" if timeline_of(state.stage_rules) == "pool" else "other_tables"


def shuttle_set(state: MatchState, came: int) -> tuple[fx.SetTimer, ...]:
    """The shuttle's timer, if those who came make it run."""
    stage, size = state.current, state.stage_rules.table_size
    if (
        timeline_of(state.stage_rules) != "pool"
        or stage.draining
        or not len(stage.pool) - came < size <= len(stage.pool)
    ):
        return ()
    timer_id = timers.shuttle_timer(stage.stage_no)
    return (fx.SetTimer(timer_id, state.timers[timer_id]),)
