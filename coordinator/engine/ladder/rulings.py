"""What referees and directors decide. Nothing here happens by itself (R-BL-08, R-BL-11 to R-BL-13)."""

from coordinator.engine import events
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder import roster
from coordinator.engine.ladder.looking import ladder_rules, open_challenge, running, running_with
from coordinator.engine.ladder.meeting import awarded, close_rooms
from coordinator.engine.ladder.results import won
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def decide_outcome(state: MatchState, command: ask.RuleOutcome) -> Decision:
    """End a challenge: a played match is won and rated, another one is forfeited, without a winner it is nothing."""
    challenge = open_challenge(state, command.challenge_no, command.winner)
    if isinstance(challenge, Refused):
        return challenge
    t, reason = command.t, command.reason
    if command.winner is None:
        ended = ev.ChallengeEnded(t, command.challenge_no, "cancelled", "ruling", None, reason=reason)
        return (ended, *close_rooms(state, challenge, t))
    if challenge.tables and challenge.state in ("played", "reported", "disputed"):
        return won(state, challenge, t, command.winner, "ruling", reason)
    return awarded(state, challenge, t, command.winner, "ruling", reason)


def decide_board(state: MatchState, command: ask.RuleBoard) -> Decision:
    """R-BL-13: the IMPs of a board, or that it stands; with the last one the result is no more provisional."""
    challenge = open_challenge(state, command.challenge_no)
    if isinstance(challenge, Refused):
        return challenge
    if not any(command.board_no in known.open_boards for known in challenge.disputes):
        return Refused("no_such_board", "this board is not in dispute", "board_no", "a board in dispute")
    most = len(ladder_rules(state).imp_scale)
    if command.imps is not None and abs(command.imps) > most:
        return Refused("score_range", f"{command.imps} IMPs on one board", "imps", f"at most {most} either way")
    return (ev.BoardRuled(command.t, command.challenge_no, command.board_no, command.imps, command.reason),)


def false_report(state: MatchState, command: ask.RuleFalseReport) -> Decision:
    """R-BL-12: a falsified result costs all ranks. Told twice, it is the same place."""
    ladder = running_with(state, command.team)
    if isinstance(ladder, Refused):
        return ladder
    return (ev.TeamPlaced(command.t, command.team, len(ladder.ranks), True, command.reason),)


def place(state: MatchState, command: ask.PlaceTeam) -> Decision:
    """R-BL-08: put right what the letter of a deadline did."""
    ladder = running_with(state, command.team)
    if isinstance(ladder, Refused):
        return ladder
    if not 1 <= command.rank <= len(ladder.ranks):
        return Refused("no_such_rank", f"there is no rank {command.rank}", "rank", f"1 to {len(ladder.ranks)}")
    if ladder.rank(command.team) == command.rank:
        return ()
    return (ev.TeamPlaced(command.t, command.team, command.rank, False, command.reason),)


def extend(state: MatchState, command: ask.ExtendDeadline) -> Decision:
    """R-BL-08: more time to play and to report."""
    challenge = open_challenge(state, command.challenge_no)
    if isinstance(challenge, Refused):
        return challenge
    most = ladder_rules(state).complete_ms * 10
    if not 1 <= command.by_ms <= most:
        return Refused("bad_extension", f"{command.by_ms} milliseconds", "by_ms", f"1 to {most}")
    due = challenge.due + command.by_ms
    return (ev.DeadlineExtended(command.t, command.challenge_no, due, command.reason),)


def change_roster(state: MatchState, command: ask.ChangeRoster) -> Decision:
    """R-BL-11: one player for one player, and only so often in the whole event."""
    ladder = running_with(state, command.team)
    if isinstance(ladder, Refused):
        return ladder
    made = ladder.teams[command.team].roster_changes
    wrong = roster.refused(made, command.leaving, command.coming, ladder_rules(state).roster_changes)
    if wrong is not None:
        return Refused("roster_change_refused", "the roster cannot be changed so (R-BL-11)", "coming", wrong)
    names = state.rosters[command.team]
    (leaving,), (coming,) = command.leaving, command.coming
    if leaving not in names:
        return Refused("unknown_player", f"{leaving!r} is not registered for the team", "leaving", ", ".join(names))
    if coming in names:
        return Refused("roster_change_refused", f"{coming!r} is registered already", "coming", "a new player")
    return (ev.RosterChanged(command.t, command.team, leaving, coming),)


def close(state: MatchState, command: ask.CloseLadder) -> Decision:
    """No new challenges; the open ones run to their ends. Asked twice, it is closed once."""
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    return () if state.current.draining else (events.DrainStarted(command.t, "closed"),)
