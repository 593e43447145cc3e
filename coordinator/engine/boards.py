"""The boards of a bout: which board a hand is, whom a new result is compared with, and what that makes of the averages.

One more result of a board touches the results of that board and no others, and at most ``closes_at`` of them (R-DU-02).

Implements R-DU-01.
"""

from coordinator.engine import duplicate, events
from coordinator.engine.definition import Stage
from coordinator.engine.numbers import exact
from coordinator.engine.state import Board, BoardRow, Entrant, MatchState, StageState, Table


def board_of(rules: Stage, bout_no: int, hand_no: int) -> int:
    """R-CS-01: the number of the board that every table plays as this hand of this bout, counted through the stage."""
    return (bout_no - 1) * rules.bout_boards + hand_no


def board_name(rules: Stage, board_no: int) -> str:
    """What the deal of a board depends on instead of a table, so that all tables get the same cards (R-DU-01)."""
    return f"{rules.id}/b{board_no}"


def compare(state: MatchState, table: Table, event: events.HandScored) -> events.BoardCompared:
    """R-DU-01, R-DU-02: the datum of each direction with one more result; a closed board keeps the one it has."""
    rules = state.stage_rules
    rule = rules.duplicate
    board_no = board_of(rules, table.bout_no, event.hand_no)
    board = state.current.boards.get(board_no)
    if board is not None and board.closed:
        return events.BoardCompared(event.t, board_no, table.table_id, event.scores, board.datums, True)
    results = [row.scores for row in board.rows] if board is not None else []
    results.append(event.scores)
    drop = duplicate.trim_each_end(len(results), rule.datum.trim_fraction, rule.datum.trim_fixed)
    lanes = duplicate.lanes(rule.directions, len(table.seats))
    datums = [
        duplicate.datum([result[lanes.index(lane)] for result in results], drop, rule.datum.round)
        for lane in range(max(lanes) + 1)
    ]
    closed = len(results) >= rule.closes_at
    return events.BoardCompared(event.t, board_no, table.table_id, event.scores, tuple(datums), closed)


def enter(state: MatchState, event: events.BoardCompared) -> None:
    """Add a result to its board and give everybody on it what the new datum makes of their results."""
    stage, rule = state.current, state.stage_rules.duplicate
    row = BoardRow(state.tables[event.table_id].seats, event.scores)
    board = stage.boards.get(event.board_no)
    if board is None:
        board = stage.boards[event.board_no] = Board(event.board_no)
    lanes = duplicate.lanes(rule.directions, len(row.seats))
    if board.closed:
        _award(state.entrants, row, lanes, event, rule.scale)
        return
    board.rows.append(row)
    for player_id in row.seats:
        state.entrants[player_id].open_boards += 1
    if len(board.rows) >= rule.min_results:
        for each in board.rows:
            _award(state.entrants, each, lanes, event, rule.scale)
    board.datums = event.datums
    if event.closed:
        close(state, board)


def average(state: MatchState, table: Table) -> None:
    """A board that could not be played to its end is worth a result that equals the datum (R-DU-01): par, no points."""
    worth = duplicate.points(0, state.stage_rules.duplicate.scale)
    for player_id in table.seats:
        entrant = state.entrants[player_id]
        entrant.boards += 1
        entrant.points = exact(entrant.points + worth)


def close(state: MatchState, board: Board) -> None:
    """R-DU-02: the points of a board are final; a board that too few have played stays without."""
    for row in board.rows:
        for player_id in row.seats:
            state.entrants[player_id].open_boards -= 1
    board.rows = []
    board.closed = True


def close_bout(state: MatchState, stage: StageState) -> None:
    """No result of this bout's boards can come any more."""
    for board in stage.boards.values():
        close(state, board)
    stage.boards = {}


def _award(
    entrants: dict[str, Entrant],
    row: BoardRow,
    lanes: tuple[int, ...],
    event: events.BoardCompared,
    scale: duplicate.Scale,
) -> None:
    worth = tuple(
        duplicate.points(score - event.datums[lane], scale) for score, lane in zip(row.scores, lanes, strict=True)
    )
    if worth == row.points:
        return
    before = row.points
    for seat, player_id in enumerate(row.seats):
        entrant = entrants[player_id]
        if before is None:
            entrant.boards += 1
            entrant.points = exact(entrant.points + worth[seat])
        else:
            entrant.points = exact(entrant.points + worth[seat] - before[seat])
    row.points = worth
