"""What is told of hands: their actions as they are played, and their results.

Implements R-RC-02.
"""

from collections.abc import Sequence
from itertools import chain

from coordinator.engine import commands, events, payment, scoring
from coordinator.engine.decisions.tables import owned, unknown_table
from coordinator.engine.definition import Stage
from coordinator.engine.formats import format_of
from coordinator.engine.hand_report import in_seat_order, partners_differ
from coordinator.engine.numbers import MOST_EXACT, exact
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.stage_rules import is_final
from coordinator.engine.state import ClosedTable, Entrant, MatchState, Table

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


def record_actions(state: MatchState, command: commands.RecordActions) -> Decision:
    """R-RC-02: keep the log of the running attempt, without gaps and without rewriting what is known."""
    table = owned(state, command.table_id, command.server_id, command.epoch)
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


def end_hand(state: MatchState, command: commands.EndHand) -> Decision:
    """A hand counts once: the verdict of a repeated report is the stored one, a different one is parked."""
    if command.hand_no < 1:
        return Refused("invalid", "hands are numbered from 1", "hand_no", "at least 1")
    table = state.tables.get(command.table_id)
    if table is None:
        return _end_hand_of_closed(state, command)
    if command.hand_no <= len(table.results):
        return _told_before(table, command)
    wrong = _out_of_turn(table, command)
    if wrong is not None:
        return wrong
    reported = in_seat_order(table.seats, command.scores)
    return reported if isinstance(reported, Refused) else _scored(state, table, command, reported)


def _out_of_turn(table: Table, command: commands.EndHand) -> Refused | None:
    """Why this is not the hand in play, told by its table server."""
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
    return None


def _scored(state: MatchState, table: Table, command: commands.EndHand, reported: tuple[int, ...]) -> Decision:
    """What the hand in play counts for; ``reported`` is in seat order."""
    rules, entrants = state.stage_rules, state.entrants
    hand = (command.t, command.table_id, command.hand_no, command.attempt_no)
    dropped = command.dropped
    if dropped:
        wrong = _wrongly_dropped(state, table, dropped)
        if wrong is not None:
            return wrong
        dropped = tuple(player_id for player_id in table.seats if player_id in dropped)
        if format_of(rules).duels:  # a game that was left is worth main points and nothing else (R-DM-04)
            nothing = (0,) * len(reported)
            return (events.HandScored(*hand, reported, nothing, dropped=dropped),)
    # Minimum payment asks who pays whom, which only a sum of 0 answers.
    if (state.rules.zero_sum or rules.min_payment) and sum(reported) != 0:
        return Refused("score_sum", f"the scores sum to {sum(reported)}", "scores", "a sum of 0")
    if rules.scoring == "duplicate":
        wrong = partners_differ(rules.duplicate.directions, reported)
        if wrong is not None:
            return wrong
    if state.ladder is not None:  # whose tables seat the players of teams, not the teams
        wrong = partners_differ(SIDES, reported)
        return wrong if wrong is not None else (events.HandScored(*hand, reported, reported),)
    scores, house = _settle(rules, table, reported, entrants)
    for player_id, score in zip(table.seats, scores, strict=True):
        if abs(entrants[player_id].score + score) > SCORE_LIMIT:
            expected = f"totals within {SCORE_LIMIT} either way"
            return Refused("score_range", "a total would be too large", "scores", expected)
    return (events.HandScored(*hand, reported, scores, house, dropped),)


def _wrongly_dropped(state: MatchState, table: Table, dropped: tuple[str, ...]) -> Refused | None:
    """R-DM-03, R-DM-12: only players of the table drop, and only from the games of a Dominion Swiss and its final."""
    rules = state.stage_rules
    if not format_of(rules).duels and not is_final(state.rules, rules):
        return Refused("invalid", "nobody drops from a hand of this stage", "dropped", "an empty list")
    if len(dict.fromkeys(dropped)) != len(dropped) or any(player_id not in table.seats for player_id in dropped):
        expected = f"some of {', '.join(table.seats)}, each once"
        return Refused("wrong_players", "dropped does not name players of this table", "dropped", expected)
    return None


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


def _end_hand_of_closed(state: MatchState, command: commands.EndHand) -> Decision:
    """The verdict of a hand that counted is remembered for a while after its table is closed."""
    closed = state.closed_tables.get(command.table_id)
    if closed is None:
        if 1 <= command.table_id < state.next_table_id:
            message = "the table was closed long ago; what it had reported by then counts"
            return Refused("late", message, "table_id", "a table in play")
        return unknown_table(command.table_id)
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


def _hand_expected(table: Table) -> Refused:
    return Refused(
        "hand_expected",
        "this hand is not in play",
        "hand_no",
        f"hand {table.hand_no}, attempt {table.attempt_no}",
    )
