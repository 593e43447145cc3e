"""Putting a result right, as long as its bout is open: that of a hand that counted, or of one that never came to count.

What was reported stays as it was, so that a table server which says it again hears the same verdict.
"""

from coordinator.engine import boards
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import CorrectHand
from coordinator.engine.directing.looking import refused_by_match
from coordinator.engine.hand_report import in_seat_order, partners_differ
from coordinator.engine.numbers import MOST_EXACT
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def correct(state: MatchState, command: CorrectHand) -> Decision:
    """The scores are what the hand counts for, multiples and payments done. Said twice, they are the same scores."""
    wrong = refused_by_match(state)
    if wrong is not None:
        return wrong
    if not 1 <= command.table_id < state.next_table_id:
        expected = "a table that was seated"
        return Refused("unknown_table", f"no table {command.table_id} in this match", "table_id", expected)
    scores = scores_of(state, command.table_id)
    if scores is None:
        message = "the bout of this table is over and its cut is made"
        return Refused("round_closed", message, "table_id", "a table of the open bout; a penalty can still be given")
    parted = state.current.parted.get(command.table_id)
    last = len(scores) if parted is None else parted.hand_no
    if not 1 <= command.hand_no <= last:
        return Refused("no_such_hand", f"no hand {command.hand_no} has ended here", "hand_no", f"from 1 to {last}")
    seats = boards.seats_of(state, command.table_id)
    counts = in_seat_order(seats, command.scores)
    if isinstance(counts, Refused):
        return counts
    before = scores[command.hand_no - 1] if command.hand_no <= len(scores) else ()
    wrong = _wrong_scores(state, seats, counts, before)
    if wrong is not None:
        return wrong
    if counts == before and not (parted is not None and parted.dropped):
        return ()
    at = (command.t, command.table_id, command.hand_no)
    return (ev.HandCorrected(*at, counts, before, command.reason),)


def scores_of(state: MatchState, table_id: int) -> list[tuple[int, ...]] | None:
    """What the hands of a table count for; None where nothing can be corrected any more."""
    table = state.tables.get(table_id)
    if table is not None:
        return table.scores
    parted = state.current.parted.get(table_id)
    return None if parted is None else parted.scores


def _wrong_scores(
    state: MatchState, seats: tuple[str, ...], counts: tuple[int, ...], before: tuple[int, ...]
) -> Refused | None:
    rules = state.stage_rules
    kept = sum(before)  # below 0 where the house has its part of the payments (R-MP-01)
    if (state.rules.zero_sum or rules.min_payment) and sum(counts) != kept:
        return Refused("score_sum", f"the scores sum to {sum(counts)}", "scores", f"a sum of {kept}")
    if rules.scoring == "duplicate":
        if not before:
            return Refused("no_such_hand", "this board has no result", "hand_no", "a board that was compared")
        differ = partners_differ(rules.duplicate.directions, counts)
        if differ is not None:
            return differ
    for player_id, new, old in zip(seats, counts, before or (0,) * len(counts), strict=True):
        if abs(state.entrants[player_id].score + new - old) > MOST_EXACT:
            expected = f"totals within {MOST_EXACT} either way"
            return Refused("score_range", "a total would be too large", "scores", expected)
    return None


def enter(state: MatchState, event: ev.HandCorrected) -> None:
    """The hand counts for its new scores, for the players' totals and for the last hand of the round."""
    scores = scores_of(state, event.table_id)
    assert scores is not None, "only an open round is corrected"
    open_table = state.tables.get(event.table_id)
    seats = boards.seats_of(state, event.table_id)
    if event.hand_no <= len(scores):
        scores[event.hand_no - 1] = event.scores
    else:
        scores.append(event.scores)
        state.closed_tables[event.table_id].results.append((1, ()))
    last = max(number for number, each in enumerate(scores, start=1) if each)
    before = event.before or (0,) * len(event.scores)
    for seat, player_id in enumerate(seats):
        entrant = state.entrants[player_id]
        entrant.score += event.scores[seat] - before[seat]
        if event.hand_no == last:
            entrant.last_hand = event.scores[seat]
        if open_table is not None:
            open_table.totals[seat] += event.scores[seat] - before[seat]
    if open_table is None:
        state.current.parted[event.table_id].dropped = ()  # who is said to have left the game has played it
