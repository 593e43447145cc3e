"""How a director's events change the state, and what must follow from them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from coordinator.engine import boards, events, timers
from coordinator.engine.directing import correcting, penalties, reseating, revising
from coordinator.engine.directing import director_events as ev
from coordinator.engine.events import Events
from coordinator.engine.formats import timeline_of
from coordinator.engine.in_and_out import put_out, set_shuttle_timer
from coordinator.engine.state import Changes, Disqualification, MatchState
from coordinator.engine.timelines import pool
from coordinator.engine.timelines.in_play import in_play


def _player_disqualified(state: MatchState, event: ev.PlayerDisqualified) -> None:
    stage, rules = state.current, state.stage_rules
    at = (stage.stage_no, stage.run, stage.bout_no)
    state.disqualified[event.player_id] = Disqualification(event.reason, event.was_in, *at)
    if not event.was_in:
        return
    entrant = state.entrants[event.player_id]
    put_out(entrant, rules.id, event.place)
    entrant.leaving = False
    del stage.active[event.player_id]
    stage.pool.pop(event.player_id, None)
    stage.leaving.pop(event.player_id, None)
    if stage.resting.pop(entrant.reg_seq, None) is not None:
        state.timers.pop(timers.rest_timer(entrant.reg_seq), None)
    if rules.island is not None:
        stage.fallen[event.player_id] = None
    set_shuttle_timer(state)


def _player_reinstated(state: MatchState, event: ev.PlayerReinstated) -> None:
    del state.disqualified[event.player_id]
    if not event.back:
        return
    stage, entrant = state.current, state.entrants[event.player_id]
    entrant.state = "bye" if event.player_id in stage.byes else "waiting"
    entrant.place = entrant.out_in = None
    stage.active[event.player_id] = None
    stage.fallen.pop(event.player_id, None)
    if timeline_of(state.stage_rules) == "pool":
        entrant.waiting_since = event.t
        stage.pool[event.player_id] = None
        set_shuttle_timer(state)


def _board_revised(state: MatchState, event: ev.BoardRevised) -> None:
    boards.revise(state, event)


def _field_reranked(state: MatchState, event: ev.FieldReranked) -> None:
    state.current.active = dict.fromkeys(event.ranking)


CHANGES: Changes = MappingProxyType(
    {
        ev.PenaltyGiven: penalties.book,
        ev.PlayerDisqualified: _player_disqualified,
        ev.PlayerReinstated: _player_reinstated,
        ev.HandCorrected: correcting.enter,
        ev.BoardRevised: _board_revised,
        ev.RoundRevised: revising.revise,
        ev.SeatingTakenBack: reseating.take_back,
        ev.FieldReranked: _field_reranked,
    }
)


def _after_disqualification(state: MatchState, event: ev.PlayerDisqualified) -> Events:
    """The table of the player parts. Where there is none, a pool goes on without, and a round is worked out anew."""
    timeline, table_id = timeline_of(state.stage_rules), state.entrants[event.player_id].table_id
    if table_id is not None:
        table = state.tables[table_id]
        if table.in_hand or table.interrupted:
            return (events.HandVoided(event.t, table_id, "let_stand"),)
        return in_play(state).end_round(state, table, event.t)  # between two hands, or before the first
    if timeline == "pool":
        return pool.next_seating(state, event.t) if event.was_in else ()
    return revising.rounds_of(state, event.t, event.player_id)


def _after_reinstatement(state: MatchState, event: ev.PlayerReinstated) -> Events:
    if timeline_of(state.stage_rules) == "pool":
        return pool.next_seating(state, event.t) if event.back else ()
    return revising.rounds_of(state, event.t, event.player_id)


def _after_correction(state: MatchState, event: ev.HandCorrected) -> Events:
    revised = (boards.revised(state, event),) if timeline_of(state.stage_rules) == "clock" else ()
    if event.table_id in state.tables:
        return revised
    return (*revised, *revising.round_of(state, event.t, event.table_id))


def _after_reranking(state: MatchState, event: ev.FieldReranked) -> Events:
    return reseating.seated_anew(state, event.t)


FOLLOWS: Mapping[type, Callable[[MatchState, Any], Events]] = MappingProxyType(
    {
        ev.PlayerDisqualified: _after_disqualification,
        ev.PlayerReinstated: _after_reinstatement,
        ev.HandCorrected: _after_correction,
        ev.SeatingTakenBack: reseating.taken_back,
        ev.FieldReranked: _after_reranking,
    }
)
