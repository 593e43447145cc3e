"""What the outside must do or hear after an event: read right after the event was applied, in a fixed order.

Implements R-HI-04.
"""

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from coordinator.engine import boards, deals, events, timers
from coordinator.engine import effects as fx
from coordinator.engine.directing import telling as directing
from coordinator.engine.dominion import possible_bouts
from coordinator.engine.dues import rewarded
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.ladder import changes, telling
from coordinator.engine.payouts import dues_of
from coordinator.engine.stage_rules import bouts_planned
from coordinator.engine.state import MatchState, Payout, Table
from coordinator.engine.waiting import shuttle_set, wait_reason

Effects = tuple[fx.Effect, ...]

_STANDINGS: Effects = (fx.PublishStandings(),)


def effects(state: MatchState, event: events.Event) -> Effects:
    """The effects of one event."""
    rule = _EFFECTS.get(type(event))
    return rule(state, event) if rule is not None else ()


def seat_players(state: MatchState, table: Table) -> fx.SeatPlayers:
    """The order that opens a table at its present owner; of phase and stage the stage has the last word (R-HI-04)."""
    rules = state.stage_rules
    attributes = {**state.rules.phase_of(table.stage_no).game_attrs, **rules.game_attrs}
    if rules.ladder is not None:
        attributes |= {"replay": rules.ladder.replay}
    entrants = state.entrants
    return fx.SeatPlayers(
        table.server_id or "",
        table.table_id,
        table.epoch,
        state.rules.game,
        rules.id,
        table.bout_no,
        tuple([(player_id, entrants[player_id].name, entrants[player_id].score) for player_id in table.seats])
        if state.ladder is None
        else tuple([(player_id, player_id, 0) for player_id in table.seats]),
        attributes,
    )


def final_places(state: MatchState) -> tuple[tuple[str, int, str | None], ...]:
    """The result of a match that is over: (player_id, score, stage the player was eliminated in or None) by place."""
    entrants = state.entrants
    return tuple([(p, entrants[p].score, entrants[p].out_in) for p in state.ranking])


def start_hand(state: MatchState, table: Table) -> fx.StartHand:
    """The order that starts the hand in play at its present owner."""
    rules = state.stage_rules
    board_no = boards.board_of(rules, table.bout_no, table.hand_no) if timeline_of(rules) == "clock" else None
    dealt_by = deals.table_name(table.table_id, table.redeals)
    if board_no is not None:
        dealt_by = boards.board_name(rules, board_no)
    if state.ladder is not None:  # both rooms of a match play the same boards (R-BL-14)
        board_no, dealt_by = table.hand_no, changes.boards_of(state, table)
    return fx.StartHand(
        table.server_id or "",
        table.table_id,
        table.epoch,
        table.hand_no,
        table.attempt_no,
        table.base_score,
        deals.deal_of(state.secret, state.match_id, dealt_by, table.hand_no),
        tuple(table.log),
        board_no,
    )


def _stage_opened(state: MatchState, event: events.StageOpened) -> Effects:
    if state.ladder is not None:
        return (*telling.started(state), *_STANDINGS)
    rules, pool = state.stage_rules, tuple(state.current.pool)
    raised = fx.RaiseBase(rules.id, 0, state.current.base_score)
    # An island may wait long for its first table.
    waiting = [fx.TellWaiting(rules.id, pool, "reseating")] if rules.island is not None and pool else []
    told = (*waiting, *_beyond_fresh_bouts(state))
    return (raised, *told, *[_timer(state, timer_id) for timer_id in _stage_timers(state)], *_STANDINGS)


def _beyond_fresh_bouts(state: MatchState) -> Effects:
    """R-DM-10: the organiser hears before the first bout that the last ones can only be rematches."""
    rules, players = state.stage_rules, state.current.entrants
    planned = bouts_planned(rules, players) or 0
    if not format_of(rules).duels or rules.rematch == "allow" or planned <= possible_bouts(players):
        return ()
    possible = possible_bouts(players)
    message = f"{planned} bouts for {players} players: beyond {possible} there are only rematches (R-DM-10)"
    return (fx.RaiseAlarm("rematches_ahead", message),)


def _time_told(state: MatchState, event: events.TimeTold) -> Effects:
    """The wall clock ends an island at another match time than was thought (R-IS-01)."""
    if state.stage is None or timers.end_timer(state.stage.stage_no) not in state.timers:
        return ()
    return (_timer(state, timers.end_timer(state.stage.stage_no)),)


def _match_started(state: MatchState, event: events.MatchStarted) -> Effects:
    return (fx.TellStarted(len(state.entrants)),)


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
        out.append(_timer(state, timers.shuttle_timer(state.current.stage_no)))
        # Later ones heard it when their table parted, and those of an island when they came.
        if event.bout_no == 1 and state.current.pool and state.stage_rules.island is None:
            out.append(fx.TellWaiting(stage_id, tuple(state.current.pool), "reseating"))
    if timeline_of(state.stage_rules) == "clock":
        out.append(_timer(state, timers.bout_timer(state.current.stage_no)))
    return (*out, *_STANDINGS)


def _tables_placed(state: MatchState, event: events.TablesPlaced) -> Effects:
    """The players of a table that had lost its server were told to wait, so they are told again where they sit."""
    placed = [state.tables[table_id] for table_id in event.table_ids]
    stage_id = state.stage_rules.id
    return (
        *[seat_players(state, table) for table in placed],
        *[_timer(state, timers.table_timer(table.table_id)) for table in placed],
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
        *_STANDINGS,
    )


def _match_paused(state: MatchState, event: events.MatchPaused) -> Effects:
    return (fx.TellPaused(event.reason), *_STANDINGS)


def _match_resumed(state: MatchState, event: events.MatchResumed) -> Effects:
    return (fx.TellPaused(None), *_STANDINGS)


def _hand_voided(state: MatchState, event: events.HandVoided) -> Effects:
    message = f"table {event.table_id}: an interrupted hand is not played again ({event.policy})"
    return (fx.RaiseAlarm("hand_void", message, event.table_id),)


def _hands_started(state: MatchState, event: events.HandsStarted) -> Effects:
    return tuple([start_hand(state, state.tables[table_id]) for table_id in event.table_ids])


def _hand_scored(state: MatchState, event: events.HandScored) -> Effects:
    return _STANDINGS


def _result_parked(state: MatchState, event: events.ResultParked) -> Effects:
    message = f"table {event.table_id}, hand {event.hand_no}: another result came from {event.server_id}"
    return (fx.RaiseAlarm("conflict", message, event.table_id),)


def _base_raised(state: MatchState, event: events.BaseRaised) -> Effects:
    raised = fx.RaiseBase(state.stage_rules.id, event.tick, event.base_score)
    if state.stage_rules.base_growth.by == "hands":
        return (raised,)
    return (raised, _timer(state, timers.base_timer(state.current.stage_no)))


def _players_eliminated(state: MatchState, event: events.PlayersEliminated) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    return tuple(
        [
            fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
            for player_id, place in zip(event.players, event.places, strict=True)
        ]
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
        out += [_timer(state, timers.rest_timer(entrant.reg_seq)) for entrant in resting]
    if in_pool and not stage.draining and len(stage.pool) - len(waiting) < rules.table_size <= len(stage.pool):
        out.append(_timer(state, timers.shuttle_timer(stage.stage_no)))
    if event.settled:
        message = f"table {event.table_id} fell silent and was settled on its last reported hand (R-HI-06)"
        out.append(fx.RaiseAlarm("table_silent", message, event.table_id))
    return (*out, *_STANDINGS)


def _bout_ended(state: MatchState, event: events.BoutEnded) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    out: list[fx.Effect] = [
        fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
        for player_id, place in zip(event.out, event.out_places, strict=True)
    ]
    if timeline_of(state.stage_rules) == "clock":
        out.append(fx.CancelTimer(timers.grace_timer(state.current.stage_no)))
    return (*out, *_STANDINGS)


def _entrant_admitted(state: MatchState, event: events.EntrantAdmitted) -> Effects:
    if state.entrants[event.player_id].state != "waiting":
        return ()  # one who stays after all, and sits at a table
    return (fx.TellWaiting(state.stage_rules.id, (event.player_id,), "next_bout"), *_STANDINGS)


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> Effects:
    return _STANDINGS


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> Effects:
    timer_id = timers.grace_timer(state.current.stage_no)
    return (_timer(state, timer_id),) if timer_id in state.timers else ()


def _stage_ended(state: MatchState, event: events.StageEnded) -> Effects:
    """Those whom only the end of the stage puts out hear it now; the others have heard it."""
    stage_id, entrants = state.stage_rules.id, state.entrants
    newly = event.ranking[event.advancing : state.current.survivors]
    if format_of(state.stage_rules).duels:  # which tells nobody a place before
        newly = tuple([player_id for player_id in event.ranking if entrants[player_id].state == "out"])
    elif timeline_of(state.stage_rules) == "clock":  # nor does it, to somebody disqualified
        newly = event.ranking[event.advancing :]
    late = [
        fx.TellEliminated(stage_id, player_id, entrants[player_id].place, entrants[player_id].score)
        for player_id in newly
    ]
    awards = len(list(rewarded(state.stage_rules.rewards, event.ranking)))
    won = state.payouts[len(state.payouts) - awards :]
    told = [fx.TellRewarded(due.stage_id, due.player_id, due.place or 0, due.items, due.payout_no) for due in won]
    owed = _owed(state, won) if state.owes_payouts else told
    return (*late, *owed, *[fx.CancelTimer(timer_id) for timer_id in _stage_timers(state)], *_STANDINGS)


def _owed(state: MatchState, payouts: Sequence[Payout]) -> Effects:
    dues = dues_of(state, payouts)
    return (fx.SendDues(dues),) if dues else ()


def _timer_fired(state: MatchState, event: events.TimerFired) -> Effects:
    return (_timer(state, event.timer_id),) if event.timer_id in state.timers else ()


def _drain_started(state: MatchState, event: events.DrainStarted) -> Effects:
    stage_no = state.current.stage_no
    out: list[fx.Effect] = [
        fx.CancelTimer(timers.shuttle_timer(stage_no)),
        fx.CancelTimer(timers.end_timer(stage_no)),
    ]
    if timers.drain_timer(stage_no) in state.timers:
        out.append(_timer(state, timers.drain_timer(stage_no)))
    if state.current.pool:
        out.append(fx.TellWaiting(state.stage_rules.id, tuple(state.current.pool), "quota_reached"))
    return tuple(out)


def _match_ended(state: MatchState, event: events.MatchEnded) -> Effects:
    """The awards first, so that a lobby that has heard the places has heard all of them."""
    owed = (fx.SendDues(event.awards),) if event.awards else ()
    return (*owed, fx.TellOver(final_places(state)), *_STANDINGS)


def _late_entered(state: MatchState, event: events.LateEntered) -> Effects:
    return (fx.TellWaiting(state.stage_rules.id, (event.player_id,), wait_reason(state)), *_STANDINGS)


def _player_retired(state: MatchState, event: events.PlayerRetired) -> Effects:
    score = state.entrants[event.player_id].score
    return (fx.TellEliminated(state.stage_rules.id, event.player_id, None, score), *_STANDINGS)


def _match_halted(state: MatchState, event: events.MatchHalted) -> Effects:
    stopped = [fx.CancelTimer(timer_id) for timer_id in _stage_timers(state)]
    return (fx.RaiseAlarm("match_halted", event.reason), *stopped, *_STANDINGS)


def _timer(state: MatchState, timer_id: str) -> fx.SetTimer | fx.CancelTimer:
    due = state.timers.get(timer_id)
    return fx.CancelTimer(timer_id) if due is None else fx.SetTimer(timer_id, due)


def _stage_timers(state: MatchState) -> list[str]:
    """The timers the stage in play may have beside those of its tables."""
    stage, rules = state.current, state.stage_rules
    found = [timers.base_timer(stage.stage_no)] if rules.base_growth.kind != "none" else []
    if timeline_of(rules) == "pool" and not stage.draining:
        found += [timers.shuttle_timer(stage.stage_no), timers.end_timer(stage.stage_no)]
    if rules.island is not None and stage.draining:
        found.append(timers.drain_timer(stage.stage_no))
    if state.ladder is not None:
        found.append(timers.end_timer(stage.stage_no))
    if timeline_of(rules) == "clock":
        found += [timers.bout_timer(stage.stage_no), timers.grace_timer(stage.stage_no)]
    return found


def offer_of(state: MatchState, player_id: str) -> fx.TellOffered:
    """The open offer of a player, as a lobby is told of it; the time left is that of a fresh offer."""
    stage, rules = state.current, state.stage_rules
    offer, rule = stage.offers[player_id], rules.revival
    assert rule is not None, "an offer is made where the stage has revival"
    packs = tuple([(pack.score, pack.cost) for pack in offer.packs])
    what = (rule.fee_kind, rule.item_id, offer.fee, offer.score, packs)
    return fx.TellOffered(rules.id, player_id, offer.offer_no, *what, len(stage.active), rule.offer_ms)


def _player_joined(state: MatchState, event: events.PlayerJoined) -> Effects:
    stage_id, players = state.stage_rules.id, (event.player_id,)
    if event.next_stage:
        return (fx.TellWaiting(stage_id, players, "next_stage"), *_STANDINGS)
    return (fx.TellWaiting(stage_id, players, "reseating"), *shuttle_set(state, 1), *_STANDINGS)


def _players_left(state: MatchState, event: events.PlayersLeft) -> Effects:
    stage_no, stage_id = state.current.stage_no, state.stage_rules.id
    out: list[fx.Effect] = []
    before = payout_no = len(state.payouts) - sum(units > 0 for units in event.units)
    for player_id, score, units in zip(event.players, event.scores, event.units, strict=True):
        payout_no += units > 0
        if state.stage_rules.island is not None and state.stage_rules.island.rest_ms is not None:
            out.append(fx.CancelTimer(timers.rest_timer(state.entrants[player_id].reg_seq)))
        out.append(fx.TellLeft(stage_id, player_id, score, units, event.reason, payout_no if units else None))
    if timers.shuttle_timer(stage_no) not in state.timers:
        out.append(fx.CancelTimer(timers.shuttle_timer(stage_no)))
    return (*out, *_owed(state, state.payouts[before:]), *_STANDINGS)


def _rests_ended(state: MatchState, event: events.RestsEnded) -> Effects:
    cancelled = [fx.CancelTimer(timers.rest_timer(state.entrants[player_id].reg_seq)) for player_id in event.players]
    waiting = fx.TellWaiting(state.stage_rules.id, event.players, wait_reason(state))
    return (*cancelled, waiting, *shuttle_set(state, len(event.players)), *_STANDINGS)


def _revival_offered(state: MatchState, event: events.RevivalOffered) -> Effects:
    # Those of the same hand are told the same number, whoever of them comes first.
    offered = attrs.evolve(offer_of(state, event.player_id), remaining=event.remaining)
    return (_timer(state, timers.offer_timer(event.offer_no)), offered, *_STANDINGS)


def _player_revived(state: MatchState, event: events.PlayerRevived) -> Effects:
    waiting = fx.TellWaiting(state.stage_rules.id, (event.player_id,), wait_reason(state))
    return (fx.CancelTimer(timers.offer_timer(event.offer_no)), waiting, *shuttle_set(state, 1), *_STANDINGS)


def _revivals_closed(state: MatchState, event: events.RevivalsClosed) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    cancelled = [fx.CancelTimer(timers.offer_timer(offer_no)) for offer_no in event.offers]
    told = [
        fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
        for player_id, place in zip(event.players, event.places, strict=True)
    ]
    return (*cancelled, *told, *_STANDINGS)


_EFFECTS: dict[type, Callable[[MatchState, Any], Effects]] = {
    **directing.EFFECTS,
    **telling.TELLS,
    events.TimeTold: _time_told,
    events.MatchStarted: _match_started,
    events.StageOpened: _stage_opened,
    events.TablesSeated: _tables_seated,
    events.TablesPlaced: _tables_placed,
    events.TablesOrphaned: _tables_orphaned,
    events.HandsStarted: _hands_started,
    events.HandsRepeated: _hands_started,
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
    events.PlayerJoined: _player_joined,
    events.PlayersLeft: _players_left,
    events.RestsEnded: _rests_ended,
    events.RevivalOffered: _revival_offered,
    events.PlayerRevived: _player_revived,
    events.RevivalsClosed: _revivals_closed,
    events.EntrantAdmitted: _entrant_admitted,
    events.EntrantsLeft: _entrants_left,
    events.BoutTimeUp: _bout_time_up,
    events.LateEntered: _late_entered,
    events.PlayerRetired: _player_retired,
    events.HandVoided: _hand_voided,
    events.MatchPaused: _match_paused,
    events.MatchResumed: _match_resumed,
}
