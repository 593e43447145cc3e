"""What becomes of each command: events, or a refusal that names the field and changes nothing.

Implements R-HI-02, R-RC-01, R-RC-02.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from coordinator.engine import coming_and_going, commands, deals, events, payment, scoring
from coordinator.engine.definition import Stage
from coordinator.engine.definition_check import problems
from coordinator.engine.directing import correcting, disqualifying, penalties, reseating
from coordinator.engine.directing import director_commands as words
from coordinator.engine.dues import another_lobby
from coordinator.engine.field_flow import why_not
from coordinator.engine.formats import format_of
from coordinator.engine.formats.island import needs_wall_clock
from coordinator.engine.hand_report import in_seat_order, partners_differ
from coordinator.engine.interruption import waits_for_its_server
from coordinator.engine.ladder import asking, entering, incidents, leaving, meeting, results, rulings
from coordinator.engine.ladder import ladder_commands as asked
from coordinator.engine.ladder.looking import is_ladder
from coordinator.engine.numbers import MOST_EXACT, exact
from coordinator.engine.once import newest_once, once
from coordinator.engine.refusal import Refused
from coordinator.engine.stage_rules import is_final, last_late_bout
from coordinator.engine.state import ClosedTable, Entrant, MatchState, Table
from coordinator.engine.timelines import clock
from coordinator.engine.timelines.pairs import retire

Decision = tuple[events.Event, ...] | Refused

SIDES = ("NS", "EW", "NS", "EW")
"""The sides of a bridge table, seat by seat."""

SCORE_LIMIT = MOST_EXACT
"""Largest magnitude of a player's score."""

PARKED_MAX = 16
"""Results of one table that are parked for a director; whoever tells more of them is not the one to be believed."""

LOG_ACTIONS = 4_096
LOG_BYTES = 65_536
"""What the log of a hand may hold: no more than the order to repeat the hand can carry (R-RC-02)."""
_SURELY_FITS = LOG_BYTES // 258
"""So many actions fit however long they are: texts of 64 characters of 4 bytes, and 2 bytes to tell their length."""


def decide(state: MatchState, command: commands.Command) -> Decision:
    """Answer a command with the events it leads to at first, or refuse it. The state stays as it is."""
    if state.status == "new" and type(command) is not commands.OpenMatch:
        return Refused("unknown_match", "no such match is open", field="match_id")
    return _DECIDE[type(command)](state, command)


def _open_match(state: MatchState, command: commands.OpenMatch) -> Decision:
    if state.status != "new":
        return Refused("match_exists", f"match {command.match_id!r} is open already", field="match_id")
    wrong = problems(command.definition)
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
        ),
    )


def _register_player(state: MatchState, command: commands.RegisterPlayer) -> Decision:
    """R-HI-02: enter a player; the one that fills the match starts it. Asked twice, the first entry stands."""
    if is_ladder(state):
        return entering.register(state, command)
    if command.player_id in state.disqualified:
        return _DISQUALIFIED
    if command.roster:
        return Refused("not_a_ladder", "only a team of a ladder has a roster", "roster", "nothing")
    if command.player_id in state.entrants:
        known = state.entrants[command.player_id]
        if state.status == "running" and (known.state == "left" or known.leaving) and clock.takes_entrants(state):
            anew = state.next_reg_seq if known.state == "left" else None
            return (events.EntrantAdmitted(command.t, command.player_id, known.score, anew),)
        return () if not _has_left(state, command.player_id) else _LEFT
    if state.status == "running" and clock.takes_entrants(state):  # R-CS-01
        return (
            events.PlayerRegistered(
                command.player_id, command.name, state.next_reg_seq, lobby=another_lobby(command.lobby, state.lobby)
            ),
            events.EntrantAdmitted(command.t, command.player_id, state.stage_rules.initial_player_state.score),
        )
    if _joins_bouts(state):
        return _enter_late(state, command)
    if state.status != "registering":
        return Refused("match_closed", "registration is closed", field="match_id", expected="a match that registers")
    lobby = another_lobby(command.lobby, state.lobby)
    entered = events.PlayerRegistered(command.player_id, command.name, state.next_reg_seq, command.carried, lobby)
    start = state.rules.start
    if start.mode == "when_full" and len(state.entrants) + 1 == start.full_count:
        return (entered, events.MatchStarted(command.t))
    return (entered,)


def _joins_bouts(state: MatchState) -> bool:
    """R-DM-11: whether a stage in bouts takes players while it runs."""
    if state.status != "running":
        return False
    rules = state.stage_rules
    return format_of(rules).timeline == "bouts" and rules.join == "any_time"


_DISQUALIFIED = Refused("disqualified", "the player is disqualified", "player_id", "a player who may play")

_LEFT = Refused("match_closed", "the player has left this match for good", "player_id", "a player who never left")


def _has_left(state: MatchState, player_id: str) -> bool:
    """R-DM-11: whether a player left a running Dominion Swiss."""
    if state.stage is None or not format_of(state.stage_rules).duels:
        return False
    entrant = state.entrants[player_id]
    return entrant.state == "out" and entrant.out_in == state.stage_rules.id


def _enter_late(state: MatchState, command: commands.RegisterPlayer) -> Decision:
    """R-DM-11: who comes late plays from the next bout on, as long as that is not too late."""
    first, last = state.current.bout_no + 1, last_late_bout(state)
    if first > last:
        return Refused(
            "match_closed", f"late entry has ended with bout {last} (R-DM-11)", "match_id", "an entry before that bout"
        )
    lobby = another_lobby(command.lobby, state.lobby)
    return (events.LateEntered(command.t, command.player_id, command.name, state.next_reg_seq, first, lobby),)


def _withdraw_player(state: MatchState, command: commands.WithdrawPlayer) -> Decision:
    if command.player_id not in state.entrants:
        return Refused("unknown_player", f"{command.player_id!r} is not registered", field="player_id")
    if state.status == "registering":
        return (events.PlayerWithdrawn(command.player_id),)
    if state.status == "running":
        return _leave_match(state, commands.LeaveMatch(command.t, command.player_id))
    return Refused(
        "leave_forbidden",
        "the match has started and its format does not let players leave (R-ST-02)",
        field="player_id",
        expected="a withdrawal before the match starts",
    )


def _join_match(state: MatchState, command: commands.JoinMatch) -> Decision:
    """R-IS-02: before the start a player who joins is registered like any other."""
    if state.status == "registering" or _joins_bouts(state) or is_ladder(state):
        return _register_player(state, commands.RegisterPlayer(command.t, command.player_id, command.name))
    if command.player_id in state.disqualified:
        return _DISQUALIFIED
    return coming_and_going.join(state, command)


def _leave_match(state: MatchState, command: commands.LeaveMatch) -> Decision:
    """An island lets players go after the hand (R-IS-03), a stage by the clock after the bout (R-CS-01), a Dominion
    Swiss at once (R-DM-11)."""
    if is_ladder(state) and state.status == "running":
        return leaving.leave(state, command)
    entrant = state.entrants.get(command.player_id)
    if entrant is not None and state.status == "running":
        if format_of(state.stage_rules).timeline == "clock":
            return _leave_between_bouts(command, entrant)
        if format_of(state.stage_rules).timeline == "bouts" and state.stage_rules.leave == "allowed":
            return () if entrant.state == "out" else retire(state, command.t, command.player_id)
    return coming_and_going.leave(state, command)


def _leave_between_bouts(command: commands.LeaveMatch, entrant: Entrant) -> Decision:
    """R-CS-01: who sits at a table goes when the bout is over, everybody else at once."""
    if entrant.leaving or entrant.state not in ("waiting", "bye", "playing"):
        return ()
    if entrant.table_id is not None:
        return (events.LeavePromised(command.t, command.player_id),)
    return (events.EntrantsLeft(command.t, (command.player_id,)),)


def _tell_time(state: MatchState, command: commands.TellTime) -> Decision:
    """R-IS-01: a match that looks at the wall clock is told again whenever its own clock stood still."""
    return (events.TimeTold(command.t, command.wall_ms),) if needs_wall_clock(state.rules) else ()


def _start_match(state: MatchState, command: commands.StartMatch) -> Decision:
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


def _place_tables(state: MatchState, command: commands.PlaceTables) -> Decision:
    named: dict[int, None] = {}
    for placement in command.placements:
        table = state.tables.get(placement.table_id)
        if table is None:
            return _unknown_table(placement.table_id)
        if table.server_id is not None or placement.table_id in named:
            return Refused("not_allowed", f"table {placement.table_id} has an owner", "table_id", "a table without one")
        named[placement.table_id] = None
    if not command.placements:
        return ()
    return (
        events.TablesPlaced(
            command.t,
            tuple(placement.table_id for placement in command.placements),
            tuple(placement.server_id for placement in command.placements),
            tuple(placement.life for placement in command.placements),
        ),
    )


def _lose_server(state: MatchState, command: commands.LoseServer) -> Decision:
    """A hand that is to be resumed stays with its server, unless that will never go on with it (R-RC-02)."""
    rules = state.stage_rules if state.stage is not None else None
    lost = tuple(
        table.table_id
        for table in state.tables.values()
        if table.server_id == command.server_id
        and table.life == command.life
        and (command.forgotten or rules is None or not waits_for_its_server(rules, table, command.cause))
    )
    return (events.TablesOrphaned(command.t, lost, command.server_id, command.cause),) if lost else ()


def _release_tables(state: MatchState, command: commands.ReleaseTables) -> Decision:
    """Those of the tables that the server still holds; asked twice, nothing more happens."""
    held = [table for n in dict.fromkeys(command.table_ids) if (table := state.tables.get(n)) is not None]
    mine = tuple([t.table_id for t in held if t.server_id == command.server_id and not t.released])
    return (events.TablesReleased(command.t, mine),) if mine else ()


def _pause_match(state: MatchState, command: commands.PauseMatch) -> Decision:
    if state.status != "running":
        return Refused("not_started", "only a match in play can pause", "match_id", "a match that runs")
    return () if state.paused is not None else (events.MatchPaused(command.t, command.reason),)


def _resume_match(state: MatchState, command: commands.ResumeMatch) -> Decision:
    return () if state.paused is None else (events.MatchResumed(command.t),)


def _note_presence(state: MatchState, command: commands.NotePresence) -> Decision:
    """R-RC-01: presence decides no hand; it is kept only where a stage asks for it at its end."""
    if state.stage is None or state.stage.finished or not state.stage_rules.offline_out_at_stage_end:
        return ()
    table = _owned(state, command.table_id, command.server_id, None)
    if isinstance(table, Refused):
        return table
    if command.player_id not in table.seats:
        return Refused("wrong_players", "the player does not sit here", "player_id", f"one of {', '.join(table.seats)}")
    if command.present is (command.player_id not in state.away):
        return ()
    return (events.PresenceNoted(command.t, command.player_id, command.present),)


def _abort_round(state: MatchState, command: commands.AbortRound) -> Decision:
    table = _owned(state, command.table_id, command.server_id, command.epoch)
    if isinstance(table, Refused):
        return table
    cause = "seat_gone" if command.reason == "seat_gone" else "aborted"
    return (events.TablesOrphaned(command.t, (command.table_id,), command.server_id, cause),)


def _record_actions(state: MatchState, command: commands.RecordActions) -> Decision:
    """R-RC-02: keep the log of the running attempt, without gaps and without rewriting what is known."""
    table = _owned(state, command.table_id, command.server_id, command.epoch)
    if isinstance(table, Refused):
        return table
    if not table.in_hand or (command.hand_no, command.attempt_no) != (table.hand_no, table.attempt_no):
        return _hand_expected(table)
    known = len(table.log)
    if not 0 <= command.first <= known:
        return Refused("log_gap", f"actions start at {command.first}", "first", f"{known}, the actions known so far")
    overlap = known - command.first
    if tuple(table.log[command.first :][: len(command.actions)]) != command.actions[:overlap]:
        return Refused("log_gap", "the log was told differently before", "actions", "the actions already recorded")
    new = command.actions[overlap:]
    if known + len(new) > _SURELY_FITS and not _fits_the_log(table.log, new):
        expected = f"at most {LOG_ACTIONS} actions and {LOG_BYTES} bytes in a hand"
        return Refused("log_full", "the log of the hand can take no more", "actions", expected)
    return (events.ActionsRecorded(command.t, command.table_id, new),) if new else ()


def _fits_the_log(log: Sequence[int | str], new: Sequence[int | str]) -> bool:
    if len(log) + len(new) > LOG_ACTIONS:
        return False
    sizes = (9 if isinstance(action, int) else len(action.encode()) + 2 for action in chain(log, new))
    return sum(sizes) <= LOG_BYTES


def _end_hand(state: MatchState, command: commands.EndHand) -> Decision:
    """A hand counts once: the verdict of a repeated report is the stored one, a different one is parked."""
    if command.hand_no < 1:
        return Refused("invalid", "hands are numbered from 1", "hand_no", "at least 1")
    table = state.tables.get(command.table_id)
    if table is None:
        return _end_hand_of_closed(state, command)
    if command.hand_no <= len(table.results):
        return _told_before(table, command)
    if command.epoch < table.epoch or table.server_id != command.server_id:
        return Refused("stale_epoch", "the table has another owner now", "epoch", f"epoch {table.epoch}")
    if command.epoch > table.epoch:
        return Refused("invalid", "no such epoch yet", "epoch", f"epoch {table.epoch}")
    if command.hand_no > table.hand_no:
        return _hand_expected(table)
    if command.attempt_no < table.attempt_no:
        return Refused("stale_attempt", "the hand is repeated", "attempt_no", f"attempt {table.attempt_no}")
    if command.attempt_no > table.attempt_no or not table.in_hand:
        return _hand_expected(table)
    reported = in_seat_order(table.seats, command.scores)
    if isinstance(reported, Refused):
        return reported
    rules, entrants = state.stage_rules, state.entrants
    dropped = command.dropped
    if dropped:
        wrong = _wrongly_dropped(state, table, dropped)
        if wrong is not None:
            return wrong
        dropped = tuple(player_id for player_id in table.seats if player_id in dropped)
        if format_of(rules).duels:  # a game that was left is worth main points and nothing else (R-DM-04)
            nothing = (0,) * len(reported)
            at = (command.t, command.table_id, command.hand_no, command.attempt_no)
            return (events.HandScored(*at, reported, nothing, dropped=dropped),)
    # Minimum payment asks who pays whom, which only a sum of 0 answers.
    if (state.rules.zero_sum or rules.min_payment) and sum(reported) != 0:
        return Refused("score_sum", f"the scores sum to {sum(reported)}", "scores", "a sum of 0")
    if rules.scoring == "duplicate":
        wrong = partners_differ(rules.duplicate.directions, reported)
        if wrong is not None:
            return wrong
    if state.ladder is not None:  # whose tables seat the players of teams, not the teams
        wrong = partners_differ(SIDES, reported)
        at = (command.t, command.table_id, command.hand_no, command.attempt_no)
        return wrong if wrong is not None else (events.HandScored(*at, reported, reported),)
    scores, house = _settle(rules, table, reported, entrants)
    for player_id, score in zip(table.seats, scores, strict=True):
        if abs(entrants[player_id].score + score) > SCORE_LIMIT:
            expected = f"totals within {SCORE_LIMIT} either way"
            return Refused("score_range", "a total would be too large", "scores", expected)
    return (
        events.HandScored(
            command.t, command.table_id, command.hand_no, command.attempt_no, reported, scores, house, dropped
        ),
    )


def _wrongly_dropped(state: MatchState, table: Table, dropped: tuple[str, ...]) -> Refused | None:
    """R-DM-03, R-DM-12: only players of the table drop, and only from the games of a Dominion Swiss and its final."""
    rules = state.stage_rules
    if not format_of(rules).duels and not is_final(state.rules, rules):
        return Refused("invalid", "nobody drops from a hand of this stage", "dropped", "an empty list")
    if len(dict.fromkeys(dropped)) != len(dropped) or any(player_id not in table.seats for player_id in dropped):
        expected = f"some of {', '.join(table.seats)}, each once"
        return Refused("wrong_players", "dropped does not name players of this table", "dropped", expected)
    return None


def _fire_timer(state: MatchState, command: commands.FireTimer) -> Decision:
    due = state.timers.get(command.timer_id)
    if due is None or due > command.t:
        return Refused("not_due", f"timer {command.timer_id!r} is not due", field="timer_id")
    return (events.TimerFired(command.t, command.timer_id),)


def _end_hand_of_closed(state: MatchState, command: commands.EndHand) -> Decision:
    closed = state.closed_tables.get(command.table_id)
    if closed is None:
        if 1 <= command.table_id < state.next_table_id:
            message = "the table was closed long ago; what it had reported by then counts"
            return Refused("late", message, "table_id", "a table in play")
        return _unknown_table(command.table_id)
    if command.hand_no <= len(closed.results):
        return _told_before(closed, command)
    return Refused("late", "the round at this table is over", "table_id", "a table in play")


def _told_before(table: Table | ClosedTable, command: commands.EndHand) -> Decision:
    """A hand that counts was reported again: the same, by an attempt that does not count, or in conflict."""
    reported = in_seat_order(table.seats, command.scores)
    if isinstance(reported, Refused):
        return reported
    attempt_no, counts = table.results[command.hand_no - 1]
    if not counts:
        return Refused("late", "the hand was interrupted and does not count", "hand_no", "a hand in play")
    dropped = table.dropped if command.hand_no == len(table.results) else ()
    if reported == counts and sorted(command.dropped) == sorted(dropped):
        return Refused("duplicate", "this hand counts already")
    if command.attempt_no < attempt_no:
        return Refused("stale_attempt", "a repeat of the hand counts", "attempt_no", f"attempt {attempt_no}")
    if command.epoch > table.epoch:
        return Refused("invalid", "no such epoch yet", "epoch", f"epoch {table.epoch}")
    if (command.hand_no, reported) in table.parked:
        return Refused("conflict", "this result is parked already, another one counts", "scores", "a director's word")
    if len(table.parked) >= PARKED_MAX:
        return Refused("conflict", "another result counts, and enough others are parked", "scores", "a director's word")
    return (events.ResultParked(command.table_id, command.hand_no, command.attempt_no, command.server_id, reported),)


def _settle(
    rules: Stage, table: Table, reported: tuple[int, ...], entrants: dict[str, Entrant]
) -> tuple[tuple[int, ...], int]:
    """R-SC-03 and R-MP-01: from what was reported to what counts, and what the house takes."""
    scores = reported
    if rules.report == "multiple":
        scores = tuple(scoring.hand_scores(table.base_score, reported))
    if not rules.min_payment:
        return scores, 0
    stacks = [entrants[player_id].score for player_id in table.seats]
    paid, house = payment.settle(stacks, scores, exact(rules.platform_fee), rules.winner_cap)
    return tuple(paid), house


def _owned(state: MatchState, table_id: int, server_id: str, epoch: int | None) -> Table | Refused:
    """The table, if it belongs to this server, in this epoch where one is named."""
    table = state.tables.get(table_id)
    if table is None:
        return _unknown_table(table_id)
    if table.server_id != server_id or epoch not in (None, table.epoch):
        return Refused("not_your_table", "the table has another owner now", "table_id", f"epoch {table.epoch}")
    return table


def _hand_expected(table: Table) -> Refused:
    return Refused(
        "hand_expected",
        "this hand is not in play",
        "hand_no",
        f"hand {table.hand_no}, attempt {table.attempt_no}",
    )


def _unknown_table(table_id: int) -> Refused:
    return Refused("unknown_table", f"no table {table_id} in this match", "table_id", "a table that was seated")


def _confirm_award(state: MatchState, command: commands.ConfirmAward) -> Decision:
    """R-HI-03: a lobby has paid; said again it changes nothing."""
    if command.key in state.confirmed:
        return ()
    if command.key not in state.dues:
        return Refused("unknown_due", f"nothing is owed under {command.key!r}", "key", "the key of an award or refund")
    return (events.AwardConfirmed(command.t, command.key),)


_DECIDE: dict[type, Callable[[MatchState, Any], Decision]] = {
    commands.OpenMatch: _open_match,
    commands.RegisterPlayer: _register_player,
    commands.WithdrawPlayer: _withdraw_player,
    commands.TellTime: _tell_time,
    commands.StartMatch: _start_match,
    commands.PlaceTables: _place_tables,
    commands.LoseServer: _lose_server,
    commands.ReleaseTables: _release_tables,
    commands.PauseMatch: _pause_match,
    commands.ResumeMatch: _resume_match,
    commands.NotePresence: _note_presence,
    commands.AbortRound: _abort_round,
    commands.RecordActions: _record_actions,
    commands.EndHand: _end_hand,
    commands.FireTimer: _fire_timer,
    commands.JoinMatch: newest_once(_join_match),
    commands.LeaveMatch: newest_once(_leave_match),
    commands.Revive: coming_and_going.revive,
    commands.DeclineRevival: coming_and_going.decline,
    commands.ConfirmAward: _confirm_award,
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
