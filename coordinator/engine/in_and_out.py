"""What several events do alike to an entrant: out of the stage, into the waiting pool."""

from coordinator.engine import timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.state import Entrant, MatchState


def put_out(entrant: Entrant, stage_id: str, place: int | None) -> None:
    """Out of the stage; the place is None until it is certain."""
    entrant.state = "out"
    entrant.out_in = stage_id
    entrant.place = place


def set_shuttle_timer(state: MatchState) -> None:
    """R-ME-04: the shuttle waits for whoever has waited longest, if enough wait for a table."""
    stage, rules = state.current, state.stage_rules
    if timeline_of(rules) != "pool":
        return
    timer_id = timers.shuttle_timer(stage.stage_no)
    if len(stage.pool) < rules.table_size or stage.draining:
        state.timers.pop(timer_id, None)
    elif timer_id not in state.timers:
        longest = state.entrants[next(iter(stage.pool))]
        state.timers[timer_id] = longest.waiting_since + rules.grouping.max_wait_ms


def come_in(state: MatchState, entrant: Entrant, score: int, t: int) -> None:
    """Into the waiting pool with a fresh score."""
    stage = state.current
    entrant.state = "waiting"
    entrant.score = score
    entrant.penalty = 0
    entrant.last_hand = 0
    entrant.waiting_since = t
    stage.active[entrant.player_id] = None
    stage.pool[entrant.player_id] = None
    set_shuttle_timer(state)
