"""A match is opened, started, told the time, paused and resumed; timers fire, awards are confirmed."""

from coordinator.engine import commands, deals, events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.field_flow import why_not
from coordinator.engine.formats.island import needs_wall_clock
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def open_match(state: MatchState, command: commands.OpenMatch) -> Decision:
    """R-HI-03: a definition without mistakes, whose full field, if it names one, gets through all stages."""
    if state.status != "new":
        return Refused("match_exists", f"match {command.match_id!r} is open already", field="match_id")
    wrong = definition_mistakes(command.definition)
    if wrong:
        first = wrong[0]
        return Refused("definition_refused", first.message, field=first.path, expected=first.expected)
    start = command.definition.start
    if start.mode == "when_full" and start.full_count is not None:
        reason = why_not(command.definition, start.full_count)
        if reason is not None:
            return Refused("field_too_small", reason.message, field="full_count", expected=reason.expected)
    return (
        events.MatchOpened(
            command.match_id,
            command.definition,
            command.seed,
            command.secret,
            deals.commitment(command.secret),
            command.zone,
            command.lobby,
            command.owes_payouts,
        ),
    )


def start(state: MatchState, command: commands.StartMatch) -> Decision:
    """R-HI-02: by a word, with a field that is large enough and gets through all stages."""
    if state.status != "registering":
        return Refused("already_started", "the match has started already", field="match_id")
    players = len(state.entrants)
    needed = state.rules.start.min_players
    if players < needed:
        return Refused("field_too_small", f"{players} are registered", "match_id", f"at least {needed} players")
    reason = why_not(state.rules, players)
    if reason is not None:
        return Refused("field_too_small", reason.message, field="match_id", expected=reason.expected)
    return (events.MatchStarted(command.t),)


def tell_time(state: MatchState, command: commands.TellTime) -> Decision:
    """R-IS-01: a match that looks at the wall clock is told again whenever its own clock stood still."""
    return (events.TimeTold(command.t, command.wall_ms),) if needs_wall_clock(state.rules) else ()


def pause(state: MatchState, command: commands.PauseMatch) -> Decision:
    """Asked twice, the first reason stands."""
    if state.status != "running":
        return Refused("not_started", "only a match in play can pause", "match_id", "a match that runs")
    return () if state.paused is not None else (events.MatchPaused(command.t, command.reason),)


def resume(state: MatchState, command: commands.ResumeMatch) -> Decision:
    """Nothing happens to a match that is not paused."""
    return () if state.paused is None else (events.MatchResumed(command.t),)


def fire_timer(state: MatchState, command: commands.FireTimer) -> Decision:
    """A timer that is spent, or was set anew meanwhile, fires for nothing."""
    due = state.timers.get(command.timer_id)
    if due is None or due > command.t:
        return Refused("not_due", f"timer {command.timer_id!r} is not due", field="timer_id")
    return (events.TimerFired(command.t, command.timer_id),)


def confirm_award(state: MatchState, command: commands.ConfirmAward) -> Decision:
    """R-HI-03: a lobby has paid; said again it changes nothing."""
    if command.key in state.confirmed:
        return ()
    if command.key not in state.dues:
        return Refused("unknown_due", f"nothing is owed under {command.key!r}", "key", "the key of an award or refund")
    return (events.AwardConfirmed(command.t, command.key),)
