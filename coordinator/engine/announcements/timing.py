"""What is told of the timers of a stage."""

from coordinator.engine import effects as fx
from coordinator.engine import timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.state import MatchState


def timer(state: MatchState, timer_id: str) -> fx.SetTimer | fx.CancelTimer:
    """A timer as it is set now, or that it is not."""
    due = state.timers.get(timer_id)
    return fx.CancelTimer(timer_id) if due is None else fx.SetTimer(timer_id, due)


def stage_timers(state: MatchState) -> list[str]:
    """The timers the stage in play may have beside those of its tables."""
    stage, rules = state.current, state.stage_rules
    found = [timers.base_timer(stage.stage_no)] if rules.base_growth.kind != "none" else []
    if timeline_of(rules) == "pool" and not stage.draining:
        found += [timers.shuttle_timer(stage.stage_no), timers.end_timer(stage.stage_no)]
    if rules.island is not None and stage.draining:
        found.append(timers.drain_timer(stage.stage_no))
    if state.ladder is not None:
        found.append(timers.end_timer(stage.stage_no))
    if timeline_of(rules) == "clock":
        found += [timers.bout_timer(stage.stage_no), timers.grace_timer(stage.stage_no)]
    return found
