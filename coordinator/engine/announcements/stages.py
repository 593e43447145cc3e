"""What is told when a stage opens, rises, ends its bouts, drains and ends."""

from types import MappingProxyType

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.announcements.timing import stage_timers, timer
from coordinator.engine.dominion import possible_bouts
from coordinator.engine.dues import rewarded
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.ladder import telling
from coordinator.engine.payouts import send_dues
from coordinator.engine.stage_rules import bouts_planned
from coordinator.engine.state import MatchState


def _stage_opened(state: MatchState, event: events.StageOpened) -> Effects:
    if state.ladder is not None:
        return (*telling.started(state), *STANDINGS)
    rules, pool = state.stage_rules, tuple(state.current.pool)
    raised = fx.RaiseBase(rules.id, 0, state.current.base_score)
    # An island may wait long for its first table.
    waiting = [fx.TellWaiting(rules.id, pool, "reseating")] if rules.island is not None and pool else []
    told = (*waiting, *_beyond_fresh_bouts(state))
    return (raised, *told, *[timer(state, timer_id) for timer_id in stage_timers(state)], *STANDINGS)


def _base_raised(state: MatchState, event: events.BaseRaised) -> Effects:
    raised = fx.RaiseBase(state.stage_rules.id, event.tick, event.base_score)
    if state.stage_rules.base_growth.by == "hands":
        return (raised,)
    return (raised, timer(state, timers.base_timer(state.current.stage_no)))


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> Effects:
    timer_id = timers.grace_timer(state.current.stage_no)
    return (timer(state, timer_id),) if timer_id in state.timers else ()


def _bout_ended(state: MatchState, event: events.BoutEnded) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    out: list[fx.Effect] = [
        fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
        for player_id, place in zip(event.out, event.out_places, strict=True)
    ]
    if timeline_of(state.stage_rules) == "clock":
        out.append(fx.CancelTimer(timers.grace_timer(state.current.stage_no)))
    return (*out, *STANDINGS)


def _drain_started(state: MatchState, event: events.DrainStarted) -> Effects:
    stage_no = state.current.stage_no
    out: list[fx.Effect] = [
        fx.CancelTimer(timers.shuttle_timer(stage_no)),
        fx.CancelTimer(timers.end_timer(stage_no)),
    ]
    if timers.drain_timer(stage_no) in state.timers:
        out.append(timer(state, timers.drain_timer(stage_no)))
    if state.current.pool:
        out.append(fx.TellWaiting(state.stage_rules.id, tuple(state.current.pool), "quota_reached"))
    return tuple(out)


def _stage_ended(state: MatchState, event: events.StageEnded) -> Effects:
    """Those whom only the end of the stage puts out hear it now; the others have heard it."""
    stage_id, entrants = state.stage_rules.id, state.entrants
    newly = event.ranking[event.advancing : state.current.survivors]
    if format_of(state.stage_rules).duels:  # which tells nobody a place before
        newly = tuple([player_id for player_id in event.ranking if entrants[player_id].state == "out"])
    elif timeline_of(state.stage_rules) == "clock":  # nor does it, to somebody disqualified
        newly = event.ranking[event.advancing :]
    late = [
        fx.TellEliminated(stage_id, player_id, entrants[player_id].place, entrants[player_id].score)
        for player_id in newly
    ]
    awards = len(list(rewarded(state.stage_rules.rewards, event.ranking)))
    won = state.payouts[len(state.payouts) - awards :]
    told = [fx.TellRewarded(due.stage_id, due.player_id, due.place or 0, due.items, due.payout_no) for due in won]
    owed = send_dues(state, won) if state.owes_payouts else told
    return (*late, *owed, *[fx.CancelTimer(timer_id) for timer_id in stage_timers(state)], *STANDINGS)


def _beyond_fresh_bouts(state: MatchState) -> Effects:
    """R-DM-10: the organiser hears before the first bout that the last ones can only be rematches."""
    rules, players = state.stage_rules, state.current.entrants
    planned = bouts_planned(rules, players) or 0
    if not format_of(rules).duels or rules.rematch == "allow" or planned <= possible_bouts(players):
        return ()
    possible = possible_bouts(players)
    message = f"{planned} bouts for {players} players: beyond {possible} there are only rematches (R-DM-10)"
    return (fx.RaiseAlarm("rematches_ahead", message),)


TELLS: Tells = MappingProxyType(
    {
        events.StageOpened: _stage_opened,
        events.BaseRaised: _base_raised,
        events.BoutTimeUp: _bout_time_up,
        events.BoutEnded: _bout_ended,
        events.DrainStarted: _drain_started,
        events.StageEnded: _stage_ended,
    }
)
