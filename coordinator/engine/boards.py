"""The boards of a bout: which board a hand is, whom a new result is compared with, and what that makes of the averages.

One more result of a board touches the results of that board and no others, and at most ``closes_at`` of them (R-DU-02).

Implements R-DU-01.
"""

from coordinator.engine import duplicate, events
from coordinator.engine.definition import Stage
from coordinator.engine.directing.director_events import BoardRevised, HandCorrected
from coordinator.engine.numbers import Number, exact
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
    closed = len(results) >= rule.closes_at
    return events.BoardCompared(event.t, board_no, table.table_id, event.scores, _datums(rules, results), closed)


def _datums(rules: Stage, results: list[tuple[int, ...]]) -> tuple[Number, ...]:
    """R-DU-02: by direction."""
    rule = rules.duplicate
    drop = duplicate.trim_each_end(len(results), rule.datum.trim_fraction, rule.datum.trim_fixed)
    lanes = duplicate.lanes(rule.directions, len(results[0]))
    return tuple(
        duplicate.datum([result[lanes.index(lane)] for result in results], drop, rule.datum.round)
        for lane in range(max(lanes) + 1)
    )


def seats_of(state: MatchState, table_id: int) -> tuple[str, ...]:
    """Who sits, or sat, at a table."""
    table = state.tables.get(table_id)
    return state.closed_tables[table_id].seats if table is None else table.seats


def revised(state: MatchState, event: HandCorrected) -> BoardRevised:
    """R-DU-02: the datums with one result corrected; a closed board keeps those it has."""
    rules, seats = state.stage_rules, seats_of(state, event.table_id)
    board_no = board_of(rules, state.current.bout_no, event.hand_no)
    board = state.current.boards[board_no]
    datums = board.datums
    if not board.closed:
        datums = _datums(rules, [event.scores if row.seats == seats else row.scores for row in board.rows])
    return BoardRevised(event.t, board_no, event.table_id, event.scores, event.before, datums)


def revise(state: MatchState, event: BoardRevised) -> None:
    """Give everybody on the board what the corrected result makes of theirs."""
    rule, board = state.stage_rules.duplicate, state.current.boards[event.board_no]
    seats = seats_of(state, event.table_id)
    lanes = duplicate.lanes(rule.directions, len(seats))
    if board.closed:
        row = BoardRow(seats, event.scores, _worth(event.before, lanes, event.datums, rule.scale))
        _award(state.entrants, row, lanes, event.datums, rule.scale)
        return
    next(row for row in board.rows if row.seats == seats).scores = event.scores
    board.datums = event.datums
    if len(board.rows) >= rule.min_results:
        for each in board.rows:
            _award(state.entrants, each, lanes, event.datums, rule.scale)


def enter(state: MatchState, event: events.BoardCompared) -> None:
    """Add a result to its board and give everybody on it what the new datum makes of their results."""
    stage, rule = state.current, state.stage_rules.duplicate
    row = BoardRow(state.tables[event.table_id].seats, event.scores)
    board = stage.boards.get(event.board_no)
    if board is None:
        board = stage.boards[event.board_no] = Board(event.board_no)
    lanes = duplicate.lanes(rule.directions, len(row.seats))
    if board.closed:
        _award(state.entrants, row, lanes, event.datums, rule.scale)
        return
    board.rows.append(row)
    for player_id in row.seats:
        state.entrants[player_id].open_boards += 1
    if len(board.rows) >= rule.min_results:
        for each in board.rows:
            _award(state.entrants, each, lanes, event.datums, rule.scale)
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
    datums: tuple[Number, ...],
    scale: duplicate.Scale,
) -> None:
    worth = _worth(row.scores, lanes, datums, scale)
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


def _worth(
    scores: tuple[int, ...], lanes: tuple[int, ...], datums: tuple[Number, ...], scale: duplicate.Scale
) -> tuple[Number, ...]:
    return tuple(duplicate.points(score - datums[lane], scale) for score, lane in zip(scores, lanes, strict=True))
