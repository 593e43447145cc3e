"""What becomes of each command: events, or a refusal that names the field and changes nothing.

What is asked of a match stands here by subject, as its events do; what is asked of a ladder, and what directors ask,
stands in their rooms.
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine import commands
from coordinator.engine.decisions import hands, match, players, revivals, tables
from coordinator.engine.directing import correcting, disqualifying, penalties, reseating
from coordinator.engine.directing import director_commands as words
from coordinator.engine.ladder import asking, incidents, meeting, results, rulings
from coordinator.engine.ladder import ladder_commands as asked
from coordinator.engine.once import newest_once, once
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState

_DECIDE: dict[type, Callable[[MatchState, Any], Decision]] = {
    commands.OpenMatch: match.open_match,
    commands.TellTime: match.tell_time,
    commands.StartMatch: match.start,
    commands.PauseMatch: match.pause,
    commands.ResumeMatch: match.resume,
    commands.FireTimer: match.fire_timer,
    commands.ConfirmAward: match.confirm_award,
    commands.RegisterPlayer: players.register,
    commands.WithdrawPlayer: players.withdraw,
    commands.NotePresence: players.note_presence,
    commands.JoinMatch: newest_once(players.join),
    commands.LeaveMatch: newest_once(players.leave),
    commands.PlaceTables: tables.place,
    commands.LoseServer: tables.lose_server,
    commands.ReleaseTables: tables.release,
    commands.AbortRound: tables.abort_round,
    commands.RecordActions: hands.record_actions,
    commands.EndHand: hands.end_hand,
    commands.Revive: revivals.revive,
    commands.DeclineRevival: revivals.decline,
    asked.IssueChallenge: once(asking.issue),
    asked.AcceptTime: once(asking.accept),
    asked.ProposeTimes: once(asking.propose),
    asked.CancelChallenge: asking.cancel,
    asked.CheckIn: meeting.check_in,
    asked.GiveLineUp: meeting.give_lineup,
    asked.SayReady: meeting.say_ready,
    asked.ChooseRight: meeting.choose,
    asked.ReportResult: results.report,
    asked.AppealResult: results.appeal,
    asked.RaiseDispute: results.dispute,
    asked.ConfirmDispute: results.confirm,
    asked.NoteIncident: incidents.note,
    asked.RuleOutcome: once(rulings.decide_outcome),
    asked.RuleBoard: once(rulings.decide_board),
    asked.RuleFalseReport: once(rulings.false_report),
    asked.PlaceTeam: once(rulings.place),
    asked.ExtendDeadline: once(rulings.extend),
    asked.ChangeRoster: once(rulings.change_roster),
    asked.CloseLadder: rulings.close,
    words.GivePenalty: penalties.give,
    words.DisqualifyPlayer: once(disqualifying.disqualify),
    words.ReinstatePlayer: once(disqualifying.reinstate),
    words.CorrectHand: once(correcting.correct),
    words.SeatAnew: reseating.reseat,
}


def decide(state: MatchState, command: commands.Command) -> Decision:
    """Answer a command with the events it leads to at first, or refuse it. The state stays as it is."""
    if state.status == "new" and type(command) is not commands.OpenMatch:
        return Refused("unknown_match", "no such match is open", field="match_id")
    return _DECIDE[type(command)](state, command)
