"""Table servers are given tables, lose them, and give them back."""

from coordinator.engine import commands, events
from coordinator.engine.interruption import waits_for_its_server
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState, Table


def place(state: MatchState, command: commands.PlaceTables) -> Decision:
    """All of the tables, or none: each must be without an owner."""
    named: dict[int, None] = {}
    for placement in command.placements:
        table = state.tables.get(placement.table_id)
        if table is None:
            return unknown_table(placement.table_id)
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


def lose_server(state: MatchState, command: commands.LoseServer) -> Decision:
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


def release(state: MatchState, command: commands.ReleaseTables) -> Decision:
    """Those of the tables that the server still holds; asked twice, nothing more happens."""
    held = [table for n in dict.fromkeys(command.table_ids) if (table := state.tables.get(n)) is not None]
    mine = tuple([t.table_id for t in held if t.server_id == command.server_id and not t.released])
    return (events.TablesReleased(command.t, mine),) if mine else ()


def abort_round(state: MatchState, command: commands.AbortRound) -> Decision:
    """The owner of a table gives it back: it is without an owner like one whose server is gone (R-RC-02)."""
    table = owned(state, command.table_id, command.server_id, command.epoch)
    if isinstance(table, Refused):
        return table
    cause = "seat_gone" if command.reason == "seat_gone" else "aborted"
    return (events.TablesOrphaned(command.t, (command.table_id,), command.server_id, cause),)


def owned(state: MatchState, table_id: int, server_id: str, epoch: int | None) -> Table | Refused:
    """The table, if it belongs to this server, in this epoch where one is named."""
    table = state.tables.get(table_id)
    if table is None:
        return unknown_table(table_id)
    if table.server_id != server_id or epoch not in (None, table.epoch):
        return Refused("not_your_table", "the table has another owner now", "table_id", f"epoch {table.epoch}")
    return table


def unknown_table(table_id: int) -> Refused:
    """For a table that was never seated, or that is closed."""
    return Refused("unknown_table", f"no table {table_id} in this match", "table_id", "a table that was seated")
