"""How each event changes the state. Nothing here refuses, asks or decides; unknown situations are our bugs."""

from collections.abc import Callable
from typing import Any

from coordinator.engine import carry, events, timers
from coordinator.engine.dominion import GameRecord
from coordinator.engine.formats import timeline_of
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import bye_worth, next_base_at
from coordinator.engine.state import ClosedTable, Entrant, HandResult, MatchState, StageState, Table
from coordinator.engine.timelines.pairs import game_of


def evolve(state: MatchState, event: events.Event) -> None:
    """Apply one event to the state that owns it."""
    _EVOLVE[type(event)](state, event)


def _match_opened(state: MatchState, event: events.MatchOpened) -> None:
    state.match_id = event.match_id
    state.definition = event.definition
    state.seed = event.seed
    state.secret = event.secret
    state.commitment = event.commitment
    state.status = "registering"


def _player_registered(state: MatchState, event: events.PlayerRegistered) -> None:
    state.entrants[event.player_id] = Entrant(event.player_id, event.name, event.reg_seq)
    state.next_reg_seq = event.reg_seq + 1


def _player_withdrawn(state: MatchState, event: events.PlayerWithdrawn) -> None:
    del state.entrants[event.player_id]


def _match_started(state: MatchState, event: events.MatchStarted) -> None:
    state.status = "running"


def _stage_opened(state: MatchState, event: events.StageOpened) -> None:
    rules = state.rules.stages[event.stage_no]
    base = rules.initial_game_state.base_score
    state.stage = stage = StageState(
        stage_no=event.stage_no,
        opened_at=event.t,
        active=dict.fromkeys(event.players),
        base_score=base,
        entrants=len(event.players),
    )
    entrants = state.entrants
    for player_id, score in zip(event.players, event.scores, strict=True):
        entrant = entrants[player_id]
        entrant.state = "waiting"
        entrant.score = score
        entrant.points = 0
        entrant.last_hand = 0
        entrant.seatings = 0
        entrant.waiting_since = event.t
        entrant.mates = ()
    state.base_curve.append((event.t, base))
    if timeline_of(rules) == "pool":
        stage.pool = dict.fromkeys(event.players)
        _set_shuttle_timer(state)
        if rules.end.max_ms is not None:
            state.timers[timers.end_timer(event.stage_no)] = event.t + rules.end.max_ms
    _set_base_timer(state)


def _tables_seated(state: MatchState, event: events.TablesSeated) -> None:
    stage, rules, entrants = state.current, state.stage_rules, state.entrants
    if event.bout_no > 1 and rules.round_carry_pct != 100:
        for player_id in stage.active:
            entrants[player_id].score = carry.round_carry(entrants[player_id].score, rules.round_carry_pct)
    stage.bout_no = event.bout_no
    stage.tables_in_bout = len(event.tables)
    stage.byes = event.byes
    stage.bout_places = {}
    in_pool = timeline_of(rules) == "pool"
    table_id = event.first_table_id
    for seats in event.tables:
        state.tables[table_id] = Table(table_id, stage.stage_no, event.bout_no, seats, [0] * len(seats))
        for player_id in seats:
            entrant = entrants[player_id]
            entrant.state = "playing"
            entrant.table_id = table_id
            if in_pool:
                entrant.seatings += 1
                entrant.mates = seats
                del stage.pool[player_id]
            else:
                entrant.last_hand = 0  # ties look at this round's last hand, even if it has none (R-TB-01)
        table_id += 1
    if in_pool:
        # A fresh dict: one that has lost its first keys takes ever longer to find the first that is left.
        stage.pool = dict(stage.pool)
    state.next_table_id = table_id
    state.draw_counter = event.draw_counter
    if event.byes:
        score, points = bye_worth(rules)
        for player_id in event.byes:
            entrant = entrants[player_id]
            entrant.state = "bye"
            stage.byes_had[player_id] = stage.byes_had.get(player_id, 0) + 1
            entrant.score += score
            entrant.points = exact(entrant.points + points)
            entrant.last_hand = 0
            if rules.format == "swiss_1v1":
                stage.games.append(GameRecord(event.bout_no, player_id, None, "bye"))
    _set_shuttle_timer(state)


def _tables_placed(state: MatchState, event: events.TablesPlaced) -> None:
    timeout = state.stage_rules.table_timeout_ms
    for table_id, server_id, life in zip(event.table_ids, event.server_ids, event.lives, strict=True):
        table = state.tables[table_id]
        table.server_id = server_id
        table.life = life
        table.epoch += 1
        table.heard_at = event.t
        state.timers[timers.table_timer(table_id)] = event.t + timeout


def _tables_orphaned(state: MatchState, event: events.TablesOrphaned) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.server_id = None
        table.life = ""
        table.interrupted = table.in_hand or table.interrupted
        table.in_hand = False
        state.timers.pop(timers.table_timer(table_id), None)


def _hands_started(state: MatchState, event: events.HandsStarted) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.hand_no += 1
        table.attempt_no = 1
        table.in_hand = True
        table.base_score = event.base_score
        table.heard_at = event.t
        if table.log:
            table.log = []


def _hands_repeated(state: MatchState, event: events.HandsRepeated) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.attempt_no += 1
        table.in_hand = True
        table.interrupted = False
        table.heard_at = event.t


def _actions_recorded(state: MatchState, event: events.ActionsRecorded) -> None:
    table = state.tables[event.table_id]
    table.log.extend(event.actions)
    table.heard_at = event.t


def _hand_scored(state: MatchState, event: events.HandScored) -> None:
    table, entrants = state.tables[event.table_id], state.entrants
    seats, totals = table.seats, table.totals
    for seat, score in enumerate(event.scores):
        entrant = entrants[seats[seat]]
        entrant.score += score
        entrant.last_hand = score
        totals[seat] += score
    table.results.append(HandResult(event.attempt_no, event.reported, event.dropped))
    table.in_hand = False
    table.heard_at = event.t
    state.current.hands += 1
    state.hands += 1


def _result_parked(state: MatchState, event: events.ResultParked) -> None:
    """No score changes; told again, the same result is not parked a second time."""
    table = state.tables.get(event.table_id) or state.closed_tables[event.table_id]
    table.parked.append((event.hand_no, event.reported))


def _base_raised(state: MatchState, event: events.BaseRaised) -> None:
    stage = state.current
    stage.tick = event.tick
    if event.base_score != stage.base_score:
        stage.base_score = event.base_score
        state.base_curve.append((event.t, event.base_score))
    _set_base_timer(state)


def _players_eliminated(state: MatchState, event: events.PlayersEliminated) -> None:
    active, stage_id = state.current.active, state.stage_rules.id
    for player_id, place in zip(event.players, event.places, strict=True):
        _put_out(state.entrants[player_id], stage_id, place)
        del active[player_id]


def _round_ended(state: MatchState, event: events.RoundEnded) -> None:
    stage, rules = state.current, state.stage_rules
    table = state.tables.pop(event.table_id)
    if rules.format == "swiss_1v1":
        stage.games.append(game_of(table, event.dropped))
    state.closed_tables[event.table_id] = ClosedTable(
        table.seats, table.server_id, table.epoch, table.results, table.parked
    )
    state.timers.pop(timers.table_timer(event.table_id), None)
    pool = stage.pool if timeline_of(rules) == "pool" else None
    for player_id, place, points in zip(table.seats, event.places, event.points, strict=True):
        entrant = state.entrants[player_id]
        entrant.table_id = None
        if points:
            entrant.points = exact(entrant.points + points)
        stage.bout_places[player_id] = place
        if entrant.state != "out":
            entrant.state = "waiting"
            entrant.waiting_since = event.t
            if pool is not None:
                pool[player_id] = None
    if pool is not None:
        stage.bout_places = {}
        _set_shuttle_timer(state)


def _bout_ended(state: MatchState, event: events.BoutEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    for player_id, place in zip(event.out, event.out_places, strict=True):
        _put_out(state.entrants[player_id], stage_id, place)
    stage.active = dict.fromkeys(event.ranking)
    for player_id in stage.byes:  # those who played wait since their round ended
        entrant = state.entrants[player_id]
        if entrant.state == "bye":
            entrant.state = "waiting"


def _drain_started(state: MatchState, event: events.DrainStarted) -> None:
    stage = state.current
    stage.draining = True
    for timer_id in (timers.shuttle_timer(stage.stage_no), timers.end_timer(stage.stage_no)):
        state.timers.pop(timer_id, None)


def _stage_ended(state: MatchState, event: events.StageEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    stage.finished = True
    stage.ranking = event.ranking
    stage.survivors = len(stage.active)
    stage.advancing = event.advancing
    for index, player_id in enumerate(event.ranking):
        entrant = state.entrants[player_id]
        if entrant.state == "out":
            entrant.place = index + 1
        elif index < event.advancing:
            entrant.state = "waiting"
        else:
            _put_out(entrant, stage_id, index + 1)
    on = event.ranking[: event.advancing]
    stage.active = dict.fromkeys([player_id for player_id in on if state.entrants[player_id].state != "out"])
    stage.pool = {}
    stage.byes = ()
    state.timers.clear()


def _timer_fired(state: MatchState, event: events.TimerFired) -> None:
    del state.timers[event.timer_id]
    kind, number = timers.kind_of(event.timer_id)
    if kind == "table":
        # One timer a table, armed again when it finds the table alive, costs nothing per hand.
        table = state.tables[number]
        due = table.heard_at + state.stage_rules.table_timeout_ms
        if due > event.t:
            state.timers[event.timer_id] = due


def _match_ended(state: MatchState, event: events.MatchEnded) -> None:
    state.status = "over"
    state.ranking = event.ranking
    for index, player_id in enumerate(event.ranking):
        entrant = state.entrants[player_id]
        entrant.place = index + 1
        entrant.table_id = None
        if entrant.state != "out":
            entrant.state = "done"
    state.timers.clear()


def _late_entered(state: MatchState, event: events.LateEntered) -> None:
    stage, rules = state.current, state.stage_rules
    state.entrants[event.player_id] = Entrant(
        event.player_id,
        event.name,
        event.reg_seq,
        state="waiting",
        score=rules.initial_player_state.score,
        points=rules.main_points.absent * (event.from_bout - 1),
        waiting_since=event.t,
    )
    state.next_reg_seq = event.reg_seq + 1
    stage.active[event.player_id] = None
    stage.joined[event.player_id] = event.from_bout


def _player_retired(state: MatchState, event: events.PlayerRetired) -> None:
    """The place comes with the end of the stage; the seat, if there is one, with the end of the round."""
    _put_out(state.entrants[event.player_id], state.stage_rules.id, None)
    del state.current.active[event.player_id]


def _match_halted(state: MatchState, event: events.MatchHalted) -> None:
    state.status = "halted"
    state.halted = event.reason
    state.timers.clear()


def _put_out(entrant: Entrant, stage_id: str, place: int | None) -> None:
    entrant.state = "out"
    entrant.out_in = stage_id
    entrant.place = place


def _set_shuttle_timer(state: MatchState) -> None:
    stage, rules = state.current, state.stage_rules
    if timeline_of(rules) != "pool":
        return
    timer_id = timers.shuttle_timer(stage.stage_no)
    if len(stage.pool) < rules.table_size or stage.draining:
        state.timers.pop(timer_id, None)
    else:
        longest = state.entrants[next(iter(stage.pool))]
        state.timers[timer_id] = longest.waiting_since + rules.grouping.max_wait_ms


def _set_base_timer(state: MatchState) -> None:
    timer_id, due = timers.base_timer(state.current.stage_no), next_base_at(state)
    if due is None:
        state.timers.pop(timer_id, None)
    else:
        state.timers[timer_id] = due


_EVOLVE: dict[type, Callable[[MatchState, Any], None]] = {
    events.MatchOpened: _match_opened,
    events.PlayerRegistered: _player_registered,
    events.PlayerWithdrawn: _player_withdrawn,
    events.MatchStarted: _match_started,
    events.StageOpened: _stage_opened,
    events.TablesSeated: _tables_seated,
    events.TablesPlaced: _tables_placed,
    events.TablesOrphaned: _tables_orphaned,
    events.HandsStarted: _hands_started,
    events.HandsRepeated: _hands_repeated,
    events.ActionsRecorded: _actions_recorded,
    events.HandScored: _hand_scored,
    events.ResultParked: _result_parked,
    events.BaseRaised: _base_raised,
    events.PlayersEliminated: _players_eliminated,
    events.RoundEnded: _round_ended,
    events.BoutEnded: _bout_ended,
    events.DrainStarted: _drain_started,
    events.StageEnded: _stage_ended,
    events.TimerFired: _timer_fired,
    events.MatchEnded: _match_ended,
    events.MatchHalted: _match_halted,
    events.LateEntered: _late_entered,
    events.PlayerRetired: _player_retired,
}
