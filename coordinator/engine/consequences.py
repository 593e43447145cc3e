"""What the rules say must follow from an event that has just been applied. Pure: it reads the state and answers."""

from collections.abc import Callable
from typing import Any

from coordinator.engine import carry, events, timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.stage_rules import base_at_tick, base_now, scored_quantity, tick_now
from coordinator.engine.state import MatchState
from coordinator.engine.timelines import bouts, pool

Events = tuple[events.Event, ...]


def follow(state: MatchState, event: events.Event) -> Events:
    """The events that must come next, in order; empty when nothing follows."""
    rule = _FOLLOW.get(type(event))
    return rule(state, event) if rule is not None else ()


def _in_pool(state: MatchState) -> bool:
    return timeline_of(state.stage_rules) == "pool"


def _match_started(state: MatchState, event: events.MatchStarted) -> Events:
    initial = state.rules.stages[0].initial_player_state.score
    players = tuple(state.entrants)
    return (events.StageOpened(event.t, 0, players, (initial,) * len(players)),)


def _stage_opened(state: MatchState, event: events.StageOpened) -> Events:
    return pool.open_stage(state, event.t) if _in_pool(state) else bouts.open_stage(state, event.t)


def _tables_placed(state: MatchState, event: events.TablesPlaced) -> Events:
    """A placed table plays: its interrupted hand again, or its next one."""
    fresh = tuple(table_id for table_id in event.table_ids if not state.tables[table_id].interrupted)
    again = tuple(table_id for table_id in event.table_ids if state.tables[table_id].interrupted)
    out: list[events.Event] = []
    if fresh:
        out.append(events.HandsStarted(event.t, fresh, base_now(state, event.t)))
    if again:
        out.append(events.HandsRepeated(event.t, again))
    return tuple(out)


def _hand_scored(state: MatchState, event: events.HandScored) -> Events:
    """A tick that came meanwhile is told first (R-ME-03)."""
    rules = state.stage_rules
    next_up = (pool.hand_scored if timeline_of(rules) == "pool" else bouts.hand_scored)(state, event)
    if rules.base_growth.kind == "none":
        return next_up
    return _raised(state, event.t) + next_up


def _raised(state: MatchState, t: int) -> Events:
    tick = tick_now(state, t)
    if tick <= state.current.tick:
        return ()
    return (events.BaseRaised(t, tick, base_at_tick(state.stage_rules, tick)),)


def _round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    return pool.next_seating(state, event.t) if _in_pool(state) else bouts.round_ended(state, event)


def _bout_ended(state: MatchState, event: events.BoutEnded) -> Events:
    return bouts.bout_ended(state, event)


def _drain_started(state: MatchState, event: events.DrainStarted) -> Events:
    return pool.drain_started(state, event)


def _stage_ended(state: MatchState, event: events.StageEnded) -> Events:
    """R-CA-03: carry into the next stage; after the last one everybody has a place (R-HI-05)."""
    stages, stage_no = state.rules.stages, state.current.stage_no
    if stage_no == len(stages) - 1:
        placed = {e.place: e.player_id for e in state.entrants.values() if e.out_in is not None and e.place is not None}
        going_on = event.ranking[: event.advancing]
        on = dict.fromkeys(going_on)  # those who left a last stage for good are ranked among the others
        rest = tuple(placed[place] for place in sorted(placed) if placed[place] not in on)
        return (events.MatchEnded(event.t, going_on + rest),)
    rule = stages[stage_no].carry_out
    players = event.ranking[: event.advancing]
    carried = carry.stage_carry(
        [scored_quantity(stages[stage_no], state.entrants[player_id]) for player_id in players],
        rule.mode,
        divisor=rule.divisor,
        coef=rule.coef,
        cap=rule.cap,
        base=rule.base,
    )
    initial = stages[stage_no + 1].initial_player_state.score
    return (events.StageOpened(event.t, stage_no + 1, players, tuple(initial + value for value in carried)),)


def _timer_fired(state: MatchState, event: events.TimerFired) -> Events:
    kind, number = timers.kind_of(event.timer_id)
    if kind == "base":
        return _raised(state, event.t)
    if kind == "shuttle":
        return pool.next_seating(state, event.t)
    if kind == "end":
        return (events.DrainStarted(event.t, "time"),)
    if event.timer_id in state.timers:
        return ()  # the table was alive; its timer is armed again
    table = state.tables[number]
    if _in_pool(state):
        return pool.end_round(state, table, event.t, settled=True)
    return bouts.end_round(state, table, event.t, settled=True)


_FOLLOW: dict[type, Callable[[MatchState, Any], Events]] = {
    events.MatchStarted: _match_started,
    events.StageOpened: _stage_opened,
    events.TablesPlaced: _tables_placed,
    events.HandScored: _hand_scored,
    events.RoundEnded: _round_ended,
    events.BoutEnded: _bout_ended,
    events.DrainStarted: _drain_started,
    events.StageEnded: _stage_ended,
    events.TimerFired: _timer_fired,
}
