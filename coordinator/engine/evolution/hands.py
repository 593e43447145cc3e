"""How hands start, are interrupted, played again, and count.

Implements R-HI-08.
"""

from types import MappingProxyType

from coordinator.engine import boards, events
from coordinator.engine.state import Changes, MatchState


def _hands_started(state: MatchState, event: events.HandsStarted) -> None:
    """The base score of a hand is that of its start, whatever happens while it runs (R-HI-08)."""
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.hand_no += 1
        table.attempt_no = 1
        table.in_hand = True
        table.base_score = event.base_score
        table.heard_at = event.t
        table.redeals = 0
        if table.log:
            table.log = []


def _hands_repeated(state: MatchState, event: events.HandsRepeated) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.attempt_no += 1
        table.in_hand = True
        table.interrupted = False
        table.heard_at = event.t


def _hands_redealt(state: MatchState, event: events.HandsRedealt) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.redeals += 1
        table.log = []


def _actions_recorded(state: MatchState, event: events.ActionsRecorded) -> None:
    table = state.tables[event.table_id]
    table.log.extend(event.actions)
    table.heard_at = event.t


def _hand_scored(state: MatchState, event: events.HandScored) -> None:
    table, entrants = state.tables[event.table_id], state.entrants
    seats, totals = table.seats, table.totals
    for seat, score in enumerate(event.scores):
        totals[seat] += score
        if state.ladder is None:  # where players of teams sit, who are no entrants
            entrant = entrants[seats[seat]]
            entrant.score += score
            entrant.last_hand = score
    table.results.append((event.attempt_no, event.reported))
    table.scores.append(event.reported if event.scores == event.reported else event.scores)
    if event.dropped:
        table.dropped = event.dropped
    table.in_hand = False
    table.heard_at = event.t
    state.current.hands += 1
    state.hands += 1


def _hand_voided(state: MatchState, event: events.HandVoided) -> None:
    """A void hand is played with no result; where the finished hands stand alone, it never was."""
    table = state.tables[event.table_id]
    table.interrupted = False
    table.log = []
    state.current.voided[event.table_id] = None
    if event.policy == "let_stand":
        return
    table.results.append((table.attempt_no, ()))
    table.scores.append(())
    if event.policy == "average":
        boards.average(state, table)


def _result_parked(state: MatchState, event: events.ResultParked) -> None:
    """No score changes; told again, the same result is not parked a second time."""
    table = state.tables.get(event.table_id) or state.closed_tables[event.table_id]
    table.parked.append((event.hand_no, event.reported))


def _boards_voided(state: MatchState, event: events.BoardsVoided) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.in_hand = False
        table.interrupted = False


def _board_compared(state: MatchState, event: events.BoardCompared) -> None:
    boards.enter(state, event)


CHANGES: Changes = MappingProxyType(
    {
        events.HandsStarted: _hands_started,
        events.HandsRepeated: _hands_repeated,
        events.HandsRedealt: _hands_redealt,
        events.ActionsRecorded: _actions_recorded,
        events.HandScored: _hand_scored,
        events.HandVoided: _hand_voided,
        events.ResultParked: _result_parked,
        events.BoardsVoided: _boards_voided,
        events.BoardCompared: _board_compared,
    }
)
