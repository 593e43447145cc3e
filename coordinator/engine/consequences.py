"""What the rules say must follow from an event that has just been applied. Pure: it reads the state and answers.

Implements R-HI-05.
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine import carry, events, interruption, timers
from coordinator.engine.directing import changes as directing
from coordinator.engine.dues import Due, awards
from coordinator.engine.events import Events
from coordinator.engine.formats import timeline_of
from coordinator.engine.formats.island import entry_score, next_stage
from coordinator.engine.stage_rules import base_at_tick, base_now, scored_quantity, tick_now
from coordinator.engine.state import MatchState
from coordinator.engine.timelines import bouts, challenge, clock, pool, revivals
from coordinator.engine.timelines.in_play import in_play


def follow(state: MatchState, event: events.Event) -> Events:
    """The events that must come next, in order; empty when nothing follows."""
    rule = _FOLLOW.get(type(event))
    return rule(state, event) if rule is not None else ()


def _match_started(state: MatchState, event: events.MatchStarted) -> Events:
    """R-CA-03: until now a score is what was carried into the match."""
    initial = state.rules.stages[0].initial_player_state.score
    scores = tuple([initial + entrant.score for entrant in state.entrants.values()])
    return (events.StageOpened(event.t, 0, tuple(state.entrants), scores),)


def _stage_opened(state: MatchState, event: events.StageOpened) -> Events:
    return in_play(state).open_stage(state, event.t)


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
    next_up = _rather_move(state, event.table_id, in_play(state).hand_scored(state, event))
    if state.stage_rules.base_growth.kind == "none":
        return next_up
    return _raised(state, event.t) + next_up


def _rather_move(state: MatchState, table_id: int, next_up: Events) -> Events:
    """A released table does not start its next hand but looks for another server, now that no hand is in play."""
    table = state.tables[table_id]
    if not table.released:
        return next_up
    return tuple(
        events.TablesOrphaned(event.t, (table_id,), table.server_id or "", "drained")
        if isinstance(event, events.HandsStarted)
        else event
        for event in next_up
    )


def _tables_orphaned(state: MatchState, event: events.TablesOrphaned) -> Events:
    return interruption.settled_at_once(state, event)


def _hand_voided(state: MatchState, event: events.HandVoided) -> Events:
    table = state.tables[event.table_id]
    if event.policy == "let_stand":
        return in_play(state).end_round(state, table, event.t)
    return in_play(state).hand_voided(state, table, event.t)


def _tables_released(state: MatchState, event: events.TablesReleased) -> Events:
    """A table between two hands moves at once."""
    idle = [table for table in map(state.tables.__getitem__, event.table_ids) if not table.in_hand]
    return tuple(events.TablesOrphaned(event.t, (table.table_id,), table.server_id or "", "drained") for table in idle)


def _raised(state: MatchState, t: int) -> Events:
    tick = tick_now(state, t)
    if tick <= state.current.tick:
        return ()
    return (events.BaseRaised(t, tick, base_at_tick(state.stage_rules, tick)),)


def _round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    return in_play(state).round_ended(state, event)


def _bout_ended(state: MatchState, event: events.BoutEnded) -> Events:
    if timeline_of(state.stage_rules) == "clock":
        return clock.bout_ended(state, event)
    return bouts.bout_ended(state, event)


def _drain_started(state: MatchState, event: events.DrainStarted) -> Events:
    if state.ladder is not None:
        return challenge.drain_started(state, event.t)
    return pool.drain_started(state, event)


def _awards(state: MatchState, ranking: tuple[str, ...]) -> tuple[Due, ...]:
    """R-HI-03: a match that a lobby opened pays what its places win; that of a tourney leaves it to the tourney."""
    if not state.lobby:
        return ()
    return awards(
        state.match_id,
        state.rules.rewards,
        ranking,
        lambda player_id: state.lobbies.get(player_id, state.lobby),
        without=state.disqualified,
    )


def _stage_ended(state: MatchState, event: events.StageEnded) -> Events:
    """R-CA-03: carry into the next stage; after the last one everybody has a place (R-HI-05)."""
    stages, stage_no = state.rules.stages, state.current.stage_no
    following = next_stage(state.rules, stage_no, state.current.run)
    if following is None:
        placed = {e.place: e.player_id for e in state.entrants.values() if e.out_in is not None and e.place is not None}
        going_on = event.ranking[: event.advancing]
        on = dict.fromkeys(going_on)  # those who left a last stage for good are ranked among the others
        rest = tuple(placed[place] for place in sorted(placed) if placed[place] not in on)
        ranking = going_on + rest
        return (events.MatchEnded(event.t, ranking, _awards(state, ranking)),)
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
    next_no, run = following
    initial = stages[next_no].initial_player_state.score
    scores = tuple(initial + value for value in carried)
    # Those who came after the end of an island come in here (R-IS-02).
    late = tuple(state.current.joining)
    scores += (entry_score(stages[next_no]),) * len(late)
    return (events.StageOpened(event.t, next_no, players + late, scores, run),)


def _timer_fired(state: MatchState, event: events.TimerFired) -> Events:
    kind, number = timers.kind_of(event.timer_id)
    if state.ladder is not None and kind != "table":
        return challenge.timer_fired(state, kind, number, event)
    if kind == "base":
        return _raised(state, event.t)
    if kind == "shuttle":
        return pool.next_seating(state, event.t)
    if kind == "bout":
        return (events.BoutTimeUp(event.t, state.current.bout_no),)
    if kind == "grace":
        return clock.grace_is_over(state, event.t)
    if kind == "end":
        return (events.DrainStarted(event.t, "time"),)
    if kind == "drain":
        return pool.cut_tables(state, event.t)
    if kind == "offer":
        return (revivals.closed(state, event.t, revivals.overdue(state, event.t), "timeout"),)
    if kind == "rest":
        going = (state.entrants[state.current.resting[number]],)
        return (pool.left(state, event.t, going, "rest_over"),)
    if event.timer_id in state.timers:
        return ()  # the table was alive; its timer is armed again
    return in_play(state).end_round(state, state.tables[number], event.t, settled=True)  # it fell silent


def _next_seating(state: MatchState, event: events.PlayerJoined | events.PlayersLeft | events.PlayerRevived) -> Events:
    """Who came may fill a table; who went may have been the last one the end waited for."""
    return pool.next_seating(state, event.t)


def _rests_ended(state: MatchState, event: events.RestsEnded) -> Events:
    return pool.go_on_draining(state, event.t) if state.current.draining else pool.next_seating(state, event.t)


def _revivals_closed(state: MatchState, event: events.RevivalsClosed) -> Events:
    """The end of the stage may have waited for these offers (R-ME-04)."""
    if state.current.draining:
        return pool.go_on_draining(state, event.t)
    return () if event.reason == "end" else pool.next_seating(state, event.t)


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> Events:
    return clock.time_is_up(state, event)


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> Events:
    return clock.entrants_left(state, event)


_FOLLOW: dict[type, Callable[[MatchState, Any], Events]] = {
    **challenge.FOLLOWS,
    **directing.FOLLOWS,
    events.MatchStarted: _match_started,
    events.StageOpened: _stage_opened,
    events.TablesPlaced: _tables_placed,
    events.TablesOrphaned: _tables_orphaned,
    events.TablesReleased: _tables_released,
    events.HandVoided: _hand_voided,
    events.HandScored: _hand_scored,
    events.RoundEnded: _round_ended,
    events.BoutEnded: _bout_ended,
    events.DrainStarted: _drain_started,
    events.StageEnded: _stage_ended,
    events.TimerFired: _timer_fired,
    events.PlayerJoined: _next_seating,
    events.PlayersLeft: _next_seating,
    events.RestsEnded: _rests_ended,
    events.PlayerRevived: _next_seating,
    events.RevivalsClosed: _revivals_closed,
    events.BoutTimeUp: _bout_time_up,
    events.EntrantsLeft: _entrants_left,
}
