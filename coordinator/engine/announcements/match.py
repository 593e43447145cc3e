"""What is told when a match opens, runs, stands still and ends."""

from types import MappingProxyType

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.announcements.orders import final_places
from coordinator.engine.announcements.timing import stage_timers, timer
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.state import MatchState


def _time_told(state: MatchState, event: events.TimeTold) -> Effects:
    """The wall clock ends an island at another match time than was thought (R-IS-01)."""
    if state.stage is None or timers.end_timer(state.stage.stage_no) not in state.timers:
        return ()
    return (timer(state, timers.end_timer(state.stage.stage_no)),)


def _match_started(state: MatchState, event: events.MatchStarted) -> Effects:
    return (fx.TellStarted(len(state.entrants)),)


def _match_paused(state: MatchState, event: events.MatchPaused) -> Effects:
    return (fx.TellPaused(event.reason), *STANDINGS)


def _match_resumed(state: MatchState, event: events.MatchResumed) -> Effects:
    return (fx.TellPaused(None), *STANDINGS)


def _timer_fired(state: MatchState, event: events.TimerFired) -> Effects:
    return (timer(state, event.timer_id),) if event.timer_id in state.timers else ()


def _match_halted(state: MatchState, event: events.MatchHalted) -> Effects:
    stopped = [fx.CancelTimer(timer_id) for timer_id in stage_timers(state)]
    return (fx.RaiseAlarm("match_halted", event.reason), *stopped, *STANDINGS)


def _match_ended(state: MatchState, event: events.MatchEnded) -> Effects:
    """The awards first, so that a lobby that has heard the places has heard all of them."""
    owed = (fx.SendDues(event.awards),) if event.awards else ()
    return (*owed, fx.TellOver(final_places(state)), *STANDINGS)


TELLS: Tells = MappingProxyType(
    {
        events.TimeTold: _time_told,
        events.MatchStarted: _match_started,
        events.MatchPaused: _match_paused,
        events.MatchResumed: _match_resumed,
        events.TimerFired: _timer_fired,
        events.MatchHalted: _match_halted,
        events.MatchEnded: _match_ended,
    }
)
