"""What is told when tables are formed, find an owner, lose it, and part."""

from types import MappingProxyType

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.announcements.orders import seat_players
from coordinator.engine.announcements.timing import timer
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.formats import timeline_of
from coordinator.engine.ladder import telling
from coordinator.engine.state import MatchState
from coordinator.engine.waiting import wait_reason


def _tables_seated(state: MatchState, event: events.TablesSeated) -> Effects:
    stage_id = state.stage_rules.id
    table_ids = tuple(range(event.first_table_id, event.first_table_id + len(event.tables)))
    out: list[fx.Effect] = [
        fx.TellSeated(stage_id, event.bout_no, event.first_table_id, event.tables),
    ]
    if table_ids:
        out.append(fx.FindServers(table_ids, state.rules.game))
    if event.byes:
        out.append(fx.TellWaiting(stage_id, event.byes, "bye"))
    if timeline_of(state.stage_rules) == "pool":
        out.append(timer(state, timers.shuttle_timer(state.current.stage_no)))
        # Later ones heard it when their table parted, and those of an island when they came.
        if event.bout_no == 1 and state.current.pool and state.stage_rules.island is None:
            out.append(fx.TellWaiting(stage_id, tuple(state.current.pool), "reseating"))
    if timeline_of(state.stage_rules) == "clock":
        out.append(timer(state, timers.bout_timer(state.current.stage_no)))
    return (*out, *STANDINGS)


def _tables_placed(state: MatchState, event: events.TablesPlaced) -> Effects:
    """The players of a table that had lost its server were told to wait, so they are told again where they sit."""
    placed = [state.tables[table_id] for table_id in event.table_ids]
    stage_id = state.stage_rules.id
    return (
        *[seat_players(state, table) for table in placed],
        *[timer(state, timers.table_timer(table.table_id)) for table in placed],
        *[fx.TellSeated(stage_id, t.bout_no, t.table_id, (t.seats,)) for t in placed if t.epoch > 1],
    )


def _tables_orphaned(state: MatchState, event: events.TablesOrphaned) -> Effects:
    players = tuple(player_id for table_id in event.table_ids for player_id in state.tables[table_id].seats)
    closed = [
        fx.CloseTable(event.server_id, table_id, state.tables[table_id].epoch, "moved") for table_id in event.table_ids
    ]
    return (
        *closed,
        *[fx.CancelTimer(timers.table_timer(table_id)) for table_id in event.table_ids],
        fx.TellWaiting(state.stage_rules.id, players, "no_table_server"),
        fx.FindServers(event.table_ids, state.rules.game),
        *STANDINGS,
    )


def _round_ended(state: MatchState, event: events.RoundEnded) -> Effects:
    if state.ladder is not None:
        return telling.room_ended(state, event)
    closed, stage, rules = state.closed_tables[event.table_id], state.current, state.stage_rules
    in_pool = timeline_of(rules) == "pool"
    out: list[fx.Effect] = []
    if closed.server_id is not None:
        out.append(fx.CloseTable(closed.server_id, event.table_id, closed.epoch, "round_over"))
        if not event.settled:  # else its timer is spent
            out.append(fx.CancelTimer(timers.table_timer(event.table_id)))
    there = [p for p in closed.seats if p not in stage.leaving]
    waiting = tuple([player_id for player_id in there if state.entrants[player_id].state == "waiting"])
    if waiting:
        out.append(fx.TellWaiting(rules.id, waiting, wait_reason(state)))
    resting = [state.entrants[player_id] for player_id in there if state.entrants[player_id].state == "resting"]
    if resting:
        out.append(fx.TellWaiting(rules.id, tuple([entrant.player_id for entrant in resting]), "resting"))
        out += [timer(state, timers.rest_timer(entrant.reg_seq)) for entrant in resting]
    if in_pool and not stage.draining and len(stage.pool) - len(waiting) < rules.table_size <= len(stage.pool):
        out.append(timer(state, timers.shuttle_timer(stage.stage_no)))
    if event.settled:
        message = f"table {event.table_id} fell silent and was settled on its last reported hand (R-HI-06)"
        out.append(fx.RaiseAlarm("table_silent", message, event.table_id))
    return (*out, *STANDINGS)


TELLS: Tells = MappingProxyType(
    {
        events.TablesSeated: _tables_seated,
        events.TablesPlaced: _tables_placed,
        events.TablesOrphaned: _tables_orphaned,
        events.RoundEnded: _round_ended,
    }
)
