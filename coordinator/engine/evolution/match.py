"""How a match opens, runs, stands still and ends."""

from types import MappingProxyType

from coordinator.engine import events, timers
from coordinator.engine.evolution.stages import set_calendar_timer
from coordinator.engine.in_and_out import set_shuttle_timer
from coordinator.engine.ladder import changes as ladder
from coordinator.engine.once import remember
from coordinator.engine.state import Changes, MatchState


def _match_opened(state: MatchState, event: events.MatchOpened) -> None:
    state.match_id = event.match_id
    state.definition = event.definition
    state.seed = event.seed
    state.secret = event.secret
    state.commitment = event.commitment
    state.zone = event.zone
    state.lobby = event.lobby
    state.owes_payouts = event.owes_payouts
    state.status = "registering"


def _time_told(state: MatchState, event: events.TimeTold) -> None:
    state.wall_zero_ms = event.wall_ms - event.t
    if state.status == "running":
        set_calendar_timer(state, event.t)


def _match_started(state: MatchState, event: events.MatchStarted) -> None:
    state.status = "running"


def _match_paused(state: MatchState, event: events.MatchPaused) -> None:
    state.paused = event.reason


def _match_resumed(state: MatchState, event: events.MatchResumed) -> None:
    state.paused = None


def _timer_fired(state: MatchState, event: events.TimerFired) -> None:
    fired_at = state.timers.pop(event.timer_id)
    kind, number = timers.kind_of(event.timer_id)
    if kind == "table":
        # One timer a table, armed again when it finds the table alive, costs nothing per hand.
        table = state.tables[number]
        timeout = state.stage_rules.table_timeout_ms
        due = table.heard_at + timeout
        if state.ladder is not None and ladder.was_away(fired_at, event.t):
            due = event.t + timeout  # the wall clock went on while nobody could be heard
        if due > event.t:
            state.timers[event.timer_id] = due
    elif kind == "shuttle":
        # The one it was set for may have left the pool; who waits longest now may wait some more.
        set_shuttle_timer(state)
        if state.timers.get(event.timer_id, 0) <= event.t:
            state.timers.pop(event.timer_id, None)


def _award_confirmed(state: MatchState, event: events.AwardConfirmed) -> None:
    del state.dues[event.key]
    state.confirmed[event.key] = None


def _key_used(state: MatchState, event: events.KeyUsed) -> None:
    remember(state, event.key, event.words)


def _match_halted(state: MatchState, event: events.MatchHalted) -> None:
    state.status = "halted"
    state.halted = event.reason
    state.timers.clear()


def _match_ended(state: MatchState, event: events.MatchEnded) -> None:
    state.status = "over"
    state.ranking = event.ranking
    for index, player_id in enumerate(event.ranking):
        entrant = state.entrants[player_id]
        entrant.place = index + 1
        entrant.table_id = None
        if entrant.state != "out":
            entrant.state = "done"
    state.timers.clear()
    state.dues.update({due.key: due for due in event.awards})


CHANGES: Changes = MappingProxyType(
    {
        events.MatchOpened: _match_opened,
        events.TimeTold: _time_told,
        events.MatchStarted: _match_started,
        events.MatchPaused: _match_paused,
        events.MatchResumed: _match_resumed,
        events.TimerFired: _timer_fired,
        events.AwardConfirmed: _award_confirmed,
        events.KeyUsed: _key_used,
        events.MatchHalted: _match_halted,
        events.MatchEnded: _match_ended,
    }
)
