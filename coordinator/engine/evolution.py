"""How each event changes the state. Nothing here refuses, asks or decides; unknown situations are our bugs.

Implements R-HI-08, R-IS-05.
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine import boards, carry, closing, events, once, timers
from coordinator.engine.definition import Island
from coordinator.engine.directing import changes as directing
from coordinator.engine.dominion import GameRecord
from coordinator.engine.dues import rewarded
from coordinator.engine.formats import format_of, island, timeline_of
from coordinator.engine.in_and_out import come_in, put_out, set_shuttle_timer, start_rest
from coordinator.engine.ladder import changes
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import by_points, bye_worth, next_base_at
from coordinator.engine.state import (
    Entrant,
    MatchState,
    Offer,
    PartedRound,
    Payout,
    StageState,
    Table,
)
from coordinator.engine.timelines.pairs import game_of

_SEATINGS_KEPT = 6
"""So many seatings before the latest a player's table-mates are remembered from."""


def evolve(state: MatchState, event: events.Event) -> None:
    """Apply one event to the state that owns it."""
    _EVOLVE[type(event)](state, event)


def _match_opened(state: MatchState, event: events.MatchOpened) -> None:
    state.match_id = event.match_id
    state.definition = event.definition
    state.seed = event.seed
    state.secret = event.secret
    state.commitment = event.commitment
    state.zone = event.zone
    state.lobby = event.lobby
    state.status = "registering"


def _player_registered(state: MatchState, event: events.PlayerRegistered) -> None:
    state.entrants[event.player_id] = Entrant(event.player_id, event.name, event.reg_seq, score=event.carried)
    state.next_reg_seq = event.reg_seq + 1
    _entered_by(state, event.player_id, event.lobby)


def _entered_by(state: MatchState, player_id: str, lobby: str) -> None:
    if lobby:
        state.lobbies[player_id] = lobby


def _player_withdrawn(state: MatchState, event: events.PlayerWithdrawn) -> None:
    del state.entrants[event.player_id]
    state.lobbies.pop(event.player_id, None)
    state.rosters.pop(event.player_id, None)


def _match_started(state: MatchState, event: events.MatchStarted) -> None:
    state.status = "running"


def _stage_opened(state: MatchState, event: events.StageOpened) -> None:
    rules = state.rules.stages[event.stage_no]
    base = rules.initial_game_state.base_score
    first = state.stage is None
    state.stage = stage = StageState(
        stage_no=event.stage_no,
        opened_at=event.t,
        active=dict.fromkeys(event.players),
        base_score=base,
        entrants=len(event.players),
        run=event.run,
    )
    entrants = state.entrants
    for player_id, score in zip(event.players, event.scores, strict=True):
        entrant = entrants[player_id]
        entrant.state = "waiting"
        entrant.score = score
        if not first:
            entrant.penalty = 0
        entrant.points = entrant.penalty if by_points(rules) else 0
        entrant.last_hand = 0
        entrant.seatings = 0
        entrant.waiting_since = event.t
        entrant.mates = ()
        entrant.mates_before = ()
        entrant.revivals = 0
        entrant.boards = 0
    if timeline_of(rules) != "challenge":  # whose base score is that of every board
        state.base_curve.append((event.t, base))
    if timeline_of(rules) == "pool":
        stage.pool = dict.fromkeys(event.players)
        set_shuttle_timer(state)
        if rules.end.max_ms is not None:
            state.timers[timers.end_timer(event.stage_no)] = event.t + rules.end.max_ms
        if rules.island is not None:
            _set_island_end(state, rules.island, event.t)
    _set_base_timer(state)
    if timeline_of(rules) == "challenge":
        changes.open_ladder(state, event.players, event.t)


def _set_island_end(state: MatchState, rule: Island, t: int) -> None:
    """R-IS-01: so long after its opening, or at the next time of day it names."""
    if rule.duration_ms is not None:
        state.timers[timers.end_timer(state.current.stage_no)] = t + rule.duration_ms
        return
    assert rule.end_at is not None, "a checked island says when it ends"
    assert state.wall_zero_ms is not None, "a match that looks at the wall clock is told the time before it starts"
    state.current.ends_at_wall_ms = island.next_time_of_day(rule.end_at, state.wall_zero_ms + t)
    _set_calendar_timers(state, t)


def _set_calendar_timers(state: MatchState, t: int) -> None:
    """R-IS-01: what the wall clock decides falls due at this match time, at once if it has passed meanwhile."""
    stage, zero = state.current, state.wall_zero_ms
    if stage.ends_at_wall_ms is not None and zero is not None and not stage.draining and not stage.finished:
        state.timers[timers.end_timer(stage.stage_no)] = max(t, stage.ends_at_wall_ms - zero)


def _time_told(state: MatchState, event: events.TimeTold) -> None:
    state.wall_zero_ms = event.wall_ms - event.t
    if state.status == "running":
        _set_calendar_timers(state, event.t)


def _tables_seated(state: MatchState, event: events.TablesSeated) -> None:
    stage, rules, entrants = state.current, state.stage_rules, state.entrants
    anew = event.bout_no == stage.bout_no  # a director's word; the score was carried into the bout before it
    if event.bout_no > 1 and rules.round_carry_pct != 100 and not anew:
        for player_id in stage.active:
            entrants[player_id].score = carry.round_carry(entrants[player_id].score, rules.round_carry_pct)
    stage.bout_no = event.bout_no
    stage.tables_in_bout = len(event.tables)
    stage.byes = event.byes
    stage.bout_places = {}
    stage.parted = {}
    if timeline_of(rules) == "clock":
        stage.time_up = False
        state.timers[timers.bout_timer(stage.stage_no)] = event.t + rules.clock.bout_ms
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
                if entrant.mates:
                    earlier = [other for other in entrant.mates if other != player_id]
                    entrant.mates_before = (*earlier, *entrant.mates_before)[: _SEATINGS_KEPT * (len(seats) - 1)]
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
            if format_of(rules).duels:
                stage.games.append(GameRecord(event.bout_no, player_id, None, "bye"))
    set_shuttle_timer(state)


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


def _hands_redealt(state: MatchState, event: events.HandsRedealt) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.redeals += 1
        table.log = []


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


def _match_paused(state: MatchState, event: events.MatchPaused) -> None:
    state.paused = event.reason


def _match_resumed(state: MatchState, event: events.MatchResumed) -> None:
    state.paused = None


def _presence_noted(state: MatchState, event: events.PresenceNoted) -> None:
    if event.present:
        state.away.pop(event.player_id, None)
    else:
        state.away[event.player_id] = None


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
    stage, rules = state.current, state.stage_rules
    for player_id, place in zip(event.players, event.places, strict=True):
        put_out(state.entrants[player_id], rules.id, place)
        del stage.active[player_id]
        stage.leaving.pop(player_id, None)
        if rules.island is not None:
            stage.fallen[player_id] = None


def _round_ended(state: MatchState, event: events.RoundEnded) -> None:
    stage, rules = state.current, state.stage_rules
    table = state.tables[event.table_id]
    if format_of(rules).duels:
        stage.games.append(game_of(table, event.dropped))
    closing.close(state, table, event.t)
    stage.voided.pop(event.table_id, None)
    state.timers.pop(timers.table_timer(event.table_id), None)
    if state.ladder is not None:
        return
    pool = stage.pool if timeline_of(rules) == "pool" else None
    if pool is None:
        left = tuple([player_id for player_id in event.dropped if player_id not in state.disqualified])
        stage.parted[event.table_id] = PartedRound(table.hand_no, table.scores, event.places, event.points, left)
    for player_id, place, points in zip(table.seats, event.places, event.points, strict=True):
        entrant = state.entrants[player_id]
        entrant.table_id = None
        if points:
            entrant.points = exact(entrant.points + points)
        stage.bout_places[player_id] = place
        if entrant.state not in ("out", "offered"):
            entrant.state = "waiting"
            entrant.waiting_since = event.t
            if _rests(state, player_id):
                start_rest(state, entrant, event.t)
            elif pool is not None and player_id not in stage.leaving:
                pool[player_id] = None
    if pool is not None:
        stage.bout_places = {}
        set_shuttle_timer(state)


def _bout_ended(state: MatchState, event: events.BoutEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    for player_id, place in zip(event.out, event.out_places, strict=True):
        put_out(state.entrants[player_id], stage_id, place)
    stage.active = dict.fromkeys(event.ranking)
    stage.parted = {}
    for player_id in stage.byes:  # those who played wait since their round ended
        entrant = state.entrants[player_id]
        if entrant.state == "bye":
            entrant.state = "waiting"
    if timeline_of(state.stage_rules) == "clock":
        boards.close_bout(state, stage)
        state.timers.pop(timers.grace_timer(stage.stage_no), None)


def _drain_started(state: MatchState, event: events.DrainStarted) -> None:
    stage = state.current
    stage.draining = True
    for timer_id in (timers.shuttle_timer(stage.stage_no), timers.end_timer(stage.stage_no)):
        state.timers.pop(timer_id, None)
    rule = state.stage_rules.island
    if rule is not None and rule.end_policy == "drain":
        state.timers[timers.drain_timer(stage.stage_no)] = event.t + rule.drain_max_ms


def _stage_ended(state: MatchState, event: events.StageEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    stage.finished = True
    stage.ranking = event.ranking
    stage.survivors = sum(state.entrants[player_id].state != "out" for player_id in event.ranking)
    stage.advancing = event.advancing
    for index, player_id in enumerate(event.ranking):
        entrant = state.entrants[player_id]
        if entrant.state == "out":
            entrant.place = index + 1
        elif index < event.advancing:
            entrant.state = "waiting"
        else:
            put_out(entrant, stage_id, index + 1)
    on = event.ranking[: event.advancing]
    stage.active = dict.fromkeys([player_id for player_id in on if state.entrants[player_id].state != "out"])
    stage.pool = {}
    stage.byes = ()
    state.timers.clear()
    for place, player_id, items in rewarded(state.stage_rules.rewards, event.ranking):
        score = state.entrants[player_id].score
        state.payouts.append(Payout(len(state.payouts) + 1, stage_id, player_id, score, place=place, items=items))


def _timer_fired(state: MatchState, event: events.TimerFired) -> None:
    fired_at = state.timers.pop(event.timer_id)
    kind, number = timers.kind_of(event.timer_id)
    if kind == "table":
        # One timer a table, armed again when it finds the table alive, costs nothing per hand.
        table = state.tables[number]
        timeout = state.stage_rules.table_timeout_ms
        due = table.heard_at + timeout
        if state.ladder is not None and changes.was_away(fired_at, event.t):
            due = event.t + timeout  # the wall clock went on while nobody could be heard
        if due > event.t:
            state.timers[event.timer_id] = due
    elif kind == "shuttle":
        # The one it was set for may have left the pool; who waits longest now may wait some more.
        set_shuttle_timer(state)
        if state.timers.get(event.timer_id, 0) <= event.t:
            state.timers.pop(event.timer_id, None)


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
    state.dues = {due.key: due for due in event.awards}


def _award_confirmed(state: MatchState, event: events.AwardConfirmed) -> None:
    del state.dues[event.key]
    state.confirmed[event.key] = None


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
    _entered_by(state, event.player_id, event.lobby)
    stage.active[event.player_id] = None
    stage.joined[event.player_id] = event.from_bout


def _player_retired(state: MatchState, event: events.PlayerRetired) -> None:
    """The place comes with the end of the stage; the seat, if there is one, with the end of the round."""
    put_out(state.entrants[event.player_id], state.stage_rules.id, None)
    del state.current.active[event.player_id]


def _match_halted(state: MatchState, event: events.MatchHalted) -> None:
    state.status = "halted"
    state.halted = event.reason
    state.timers.clear()


def _entrant_admitted(state: MatchState, event: events.EntrantAdmitted) -> None:
    """A new player, or one who left or was about to leave and comes back with what was played before."""
    stage, entrant = state.current, state.entrants[event.player_id]
    entrant.leaving = False
    if event.reg_seq is not None:
        _register_anew(state, entrant, event.reg_seq)
    if entrant.state in ("registered", "left"):
        stage.entrants += entrant.state == "registered"
        entrant.state = "waiting"
        entrant.score = event.score
        entrant.waiting_since = event.t
        stage.active[event.player_id] = None


def _register_anew(state: MatchState, entrant: Entrant, reg_seq: int) -> None:
    """R-TB-02: a new number, and with it the last place in the order of registration."""
    entrant.reg_seq = reg_seq
    state.next_reg_seq = reg_seq + 1
    del state.entrants[entrant.player_id]
    state.entrants[entrant.player_id] = entrant


def _leave_promised(state: MatchState, event: events.LeavePromised) -> None:
    state.entrants[event.player_id].leaving = True


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> None:
    active = state.current.active
    for player_id in event.players:
        entrant = state.entrants[player_id]
        entrant.leaving = False
        entrant.state = "left"
        del active[player_id]


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> None:
    stage, clock = state.current, state.stage_rules.clock
    stage.time_up = True
    unfinished = any(table.in_hand or table.interrupted for table in state.tables.values())
    if unfinished and clock.unfinished_board == "void":
        state.timers[timers.grace_timer(stage.stage_no)] = event.t + clock.grace_ms


def _boards_voided(state: MatchState, event: events.BoardsVoided) -> None:
    for table_id in event.table_ids:
        table = state.tables[table_id]
        table.in_hand = False
        table.interrupted = False


def _board_compared(state: MatchState, event: events.BoardCompared) -> None:
    boards.enter(state, event)


def _set_base_timer(state: MatchState) -> None:
    timer_id, due = timers.base_timer(state.current.stage_no), next_base_at(state)
    if due is None:
        state.timers.pop(timer_id, None)
    else:
        state.timers[timer_id] = due


def _player_joined(state: MatchState, event: events.PlayerJoined) -> None:
    stage = state.current
    entrant = state.entrants.get(event.player_id)
    if entrant is None:
        entrant = state.entrants[event.player_id] = Entrant(event.player_id, event.name, event.reg_seq)
        state.next_reg_seq = event.reg_seq + 1
        _entered_by(state, event.player_id, event.lobby)
    elif entrant.reg_seq != event.reg_seq:
        _register_anew(state, entrant, event.reg_seq)
    entrant.place = entrant.out_in = None
    if event.next_stage:
        entrant.state = "joining"
        stage.joining[event.player_id] = None
        return
    if event.player_id not in stage.gone:
        stage.entrants += 1
        entrant.revivals = 0
    stage.gone.pop(event.player_id, None)
    entrant.points = 0
    entrant.seatings = 0
    entrant.mates = ()
    entrant.mates_before = ()
    come_in(state, entrant, event.score, event.t)


def _leave_noted(state: MatchState, event: events.LeaveNoted) -> None:
    state.current.leaving[event.player_id] = None


def _players_left(state: MatchState, event: events.PlayersLeft) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    for player_id, score, units in zip(event.players, event.scores, event.units, strict=True):
        entrant = state.entrants[player_id]
        if entrant.state == "joining":
            del stage.joining[player_id]
        else:
            stage.gone[player_id] = score
        if entrant.state == "resting":
            del stage.resting[entrant.reg_seq]
            state.timers.pop(timers.rest_timer(entrant.reg_seq), None)
        entrant.state = "left"
        stage.active.pop(player_id, None)
        stage.pool.pop(player_id, None)
        stage.leaving.pop(player_id, None)
        if units:
            number = len(state.payouts) + 1
            state.payouts.append(Payout(number, stage_id, player_id, score, units, reason=event.reason))
    set_shuttle_timer(state)


def _rests_ended(state: MatchState, event: events.RestsEnded) -> None:
    stage = state.current
    for player_id in event.players:
        entrant = state.entrants[player_id]
        del stage.resting[entrant.reg_seq]
        state.timers.pop(timers.rest_timer(entrant.reg_seq), None)
        entrant.state = "waiting"
        entrant.waiting_since = event.t
        stage.pool[player_id] = None
    set_shuttle_timer(state)


def _revival_offered(state: MatchState, event: events.RevivalOffered) -> None:
    stage = state.current
    state.entrants[event.player_id].state = "offered"
    del stage.active[event.player_id]
    stage.offers[event.player_id] = Offer(event.offer_no, event.due, event.fee, event.score, event.packs)
    state.next_offer_no = event.offer_no + 1
    state.timers[timers.offer_timer(event.offer_no)] = event.due


def _player_revived(state: MatchState, event: events.PlayerRevived) -> None:
    _drop_offer(state, event.player_id)
    state.payments[event.payment_ref] = (event.player_id, event.offer_no)
    entrant = state.entrants[event.player_id]
    entrant.revivals += 1
    come_in(state, entrant, event.score, event.t)


def _revivals_closed(state: MatchState, event: events.RevivalsClosed) -> None:
    stage, rules = state.current, state.stage_rules
    for player_id, place in zip(event.players, event.places, strict=True):
        _drop_offer(state, player_id)
        put_out(state.entrants[player_id], rules.id, place)
        if rules.island is not None:
            stage.fallen[player_id] = None


def _drop_offer(state: MatchState, player_id: str) -> None:
    offer = state.current.offers.pop(player_id)
    state.timers.pop(timers.offer_timer(offer.offer_no), None)


def _rests(state: MatchState, player_id: str) -> bool:
    """R-IS-05: whether a player whose table has parted rests before the next one."""
    stage, rule = state.current, state.stage_rules.island
    return rule is not None and rule.rest_ms is not None and not stage.draining and player_id not in stage.leaving


_EVOLVE: dict[type, Callable[[MatchState, Any], None]] = {
    **changes.CHANGES,
    **directing.CHANGES,
    events.MatchOpened: _match_opened,
    events.PlayerRegistered: _player_registered,
    events.PlayerWithdrawn: _player_withdrawn,
    events.TimeTold: _time_told,
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
    events.AwardConfirmed: _award_confirmed,
    events.KeyUsed: once.note,
    events.MatchHalted: _match_halted,
    events.PlayerJoined: _player_joined,
    events.LeaveNoted: _leave_noted,
    events.PlayersLeft: _players_left,
    events.RestsEnded: _rests_ended,
    events.RevivalOffered: _revival_offered,
    events.PlayerRevived: _player_revived,
    events.RevivalsClosed: _revivals_closed,
    events.EntrantAdmitted: _entrant_admitted,
    events.LeavePromised: _leave_promised,
    events.EntrantsLeft: _entrants_left,
    events.BoutTimeUp: _bout_time_up,
    events.BoardsVoided: _boards_voided,
    events.BoardCompared: _board_compared,
    events.LateEntered: _late_entered,
    events.PlayerRetired: _player_retired,
    events.TablesReleased: _tables_released,
    events.HandsRedealt: _hands_redealt,
    events.HandVoided: _hand_voided,
    events.MatchPaused: _match_paused,
    events.MatchResumed: _match_resumed,
    events.PresenceNoted: _presence_noted,
}
