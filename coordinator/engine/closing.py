"""Tables whose round is over are remembered for a while, so that a report told again gets its stored verdict.

A match may run for months. It remembers what was closed within an hour, so that neither its memory nor its snapshots
grow with all that was ever played.
"""

from coordinator.engine.state import ClosedTable, MatchState, Table

KEPT_MS = 3_600_000
"""How long a closed table is remembered at least, by the match clock."""

FIRST_SWEEP = 1024


def close(state: MatchState, table: Table, t: int) -> None:
    """Take a table out of play and remember it; now and then forget those of long ago."""
    del state.tables[table.table_id]
    state.closed_tables[table.table_id] = ClosedTable(
        table.seats, table.server_id, table.epoch, table.results, table.parked, table.dropped, t
    )
    if len(state.closed_tables) >= state.sweep_at:
        _sweep(state, t)


def _sweep(state: MatchState, t: int) -> None:
    """It looks at all there are, and the next one comes when they are twice as many: so much for each table."""
    open_ = () if state.ladder is None else state.ladder.challenges.values()
    # Boards of a match that has no result yet are still to be compared.
    needed = dict.fromkeys(table_id for challenge in open_ for table_id in challenge.tables)
    if state.stage is not None:  # whose open bout a director may still put right
        needed |= dict.fromkeys(state.stage.parted)
    state.closed_tables = {
        table_id: closed
        for table_id, closed in state.closed_tables.items()
        if closed.closed_at > t - KEPT_MS or table_id in needed
    }
    state.sweep_at = max(FIRST_SWEEP, 2 * len(state.closed_tables))
