"""How tables are formed, find an owner, lose it, and part.

Implements R-IS-05.
"""

from types import MappingProxyType

from coordinator.engine import carry, closing, events, timers
from coordinator.engine.dominion import GameRecord
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.in_and_out import set_shuttle_timer
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import bye_worth
from coordinator.engine.state import Changes, Entrant, MatchState, PartedRound, Table
from coordinator.engine.timelines.pairs import game_of

_SEATINGS_KEPT = 6
"""So many seatings before the latest a player's table-mates are remembered from."""


def _tables_seated(state: MatchState, event: events.TablesSeated) -> None:
    stage = state.current
    if event.bout_no != stage.bout_no:  # else a director seats anew, and what is carried into the bout is in it already
        _carry_over(state, event)
    stage.bout_no = event.bout_no
    stage.tables_in_bout = len(event.tables)
    stage.byes = event.byes
    stage.bout_places = {}
    stage.parted = {}
    if timeline_of(state.stage_rules) == "clock":
        stage.time_up = False
        state.timers[timers.bout_timer(stage.stage_no)] = event.t + state.stage_rules.clock.bout_ms
    pool = stage.pool if timeline_of(state.stage_rules) == "pool" else None
    for table_id, seats in enumerate(event.tables, start=event.first_table_id):
        state.tables[table_id] = Table(table_id, stage.stage_no, event.bout_no, seats, [0] * len(seats))
        _seat(state.entrants, pool, table_id, seats)
    state.next_table_id = event.first_table_id + len(event.tables)
    state.draw_counter = event.draw_counter
    _give_byes(state, event)
    if pool is not None:
        # A fresh dict: one that has lost its first keys takes ever longer to find the first that is left.
        stage.pool = dict(pool)
    set_shuttle_timer(state)


def _carry_over(state: MatchState, event: events.TablesSeated) -> None:
    """R-CA-02: into every bout but the first, for everybody still in."""
    pct = state.stage_rules.round_carry_pct
    if event.bout_no > 1 and pct != 100:
        for player_id in state.current.active:
            entrant = state.entrants[player_id]
            entrant.score = carry.round_carry(entrant.score, pct)


def _seat(entrants: dict[str, Entrant], pool: dict[str, None] | None, table_id: int, seats: tuple[str, ...]) -> None:
    """Out of the pool, if they wait in one, and to the table."""
    for player_id in seats:
        entrant = entrants[player_id]
        entrant.state = "playing"
        entrant.table_id = table_id
        if pool is None:
            entrant.last_hand = 0  # ties look at this round's last hand, even if it has none (R-TB-01)
            continue
        entrant.seatings += 1
        if entrant.mates:
            earlier = [other for other in entrant.mates if other != player_id]
            entrant.mates_before = (*earlier, *entrant.mates_before)[: _SEATINGS_KEPT * (len(seats) - 1)]
        entrant.mates = seats
        del pool[player_id]


def _give_byes(state: MatchState, event: events.TablesSeated) -> None:
    """R-CA-01: what sitting out is worth is credited when the bout begins."""
    if not event.byes:
        return
    stage, rules = state.current, state.stage_rules
    score, points = bye_worth(rules)
    for player_id in event.byes:
        entrant = state.entrants[player_id]
        entrant.state = "bye"
        stage.byes_had[player_id] = stage.byes_had.get(player_id, 0) + 1
        entrant.score += score
        entrant.points = exact(entrant.points + points)
        entrant.last_hand = 0
        if format_of(rules).duels:
            stage.games.append(GameRecord(event.bout_no, player_id, None, "bye"))


def _tables_placed(state: MatchState, event: events.TablesPlaced) -> None:
    timeout = state.stage_rules.table_timeout_ms
    for table_id, server_id, life in zip(event.table_ids, event.server_ids, event.lives, strict=True):
        table = state.tables[table_id]
        table.server_id = server_id
        table.life = life
        table.epoch += 1
        table.heard_at = event.t
        state.current.voided.pop(table_id, None)
        state.timers[timers.table_timer(table_id)] = event.t + timeout


def _tables_orphaned(state: MatchState, event: events.TablesOrphaned) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.server_id = None
        table.life = ""
        table.interrupted = table.in_hand or table.interrupted
        table.in_hand = False
        table.released = False
        state.timers.pop(timers.table_timer(table_id), None)


def _tables_released(state: MatchState, event: events.TablesReleased) -> None:
    for table_id in event.table_ids:
        state.tables[table_id].released = True


def _round_ended(state: MatchState, event: events.RoundEnded) -> None:
    stage, rules = state.current, state.stage_rules
    table = state.tables[event.table_id]
    if format_of(rules).duels:
        stage.games.append(game_of(table, event.dropped))
    closing.close(state, table, event.t)
    stage.voided.pop(event.table_id, None)
    state.timers.pop(timers.table_timer(event.table_id), None)
    if state.ladder is not None:  # whose players are no entrants
        return
    in_pool = timeline_of(rules) == "pool"
    if not in_pool:
        left = tuple([player_id for player_id in event.dropped if player_id not in state.disqualified])
        stage.parted[event.table_id] = PartedRound(table.hand_no, table.scores, event.places, event.points, left)
    for player_id, place, points in zip(table.seats, event.places, event.points, strict=True):
        entrant = state.entrants[player_id]
        entrant.table_id = None
        if points:
            entrant.points = exact(entrant.points + points)
        if not in_pool:
            stage.bout_places[player_id] = place
        if entrant.state not in ("out", "offered"):
            _wait(state, entrant, event.t)
    set_shuttle_timer(state)


def _wait(state: MatchState, entrant: Entrant, t: int) -> None:
    """R-IS-05: for the next bout, or in the pool for the next table; on an island that lets players rest, they rest."""
    stage, rule = state.current, state.stage_rules.island
    entrant.state = "waiting"
    entrant.waiting_since = t
    if timeline_of(state.stage_rules) != "pool" or entrant.player_id in stage.leaving:
        return
    if rule is not None and rule.rest_ms is not None and not stage.draining:
        entrant.state = "resting"
        stage.resting[entrant.reg_seq] = entrant.player_id
        state.timers[timers.rest_timer(entrant.reg_seq)] = t + rule.rest_ms
    else:
        stage.pool[entrant.player_id] = None


CHANGES: Changes = MappingProxyType(
    {
        events.TablesSeated: _tables_seated,
        events.TablesPlaced: _tables_placed,
        events.TablesOrphaned: _tables_orphaned,
        events.TablesReleased: _tables_released,
        events.RoundEnded: _round_ended,
    }
)
