"""What is told of players who come and go."""

from types import MappingProxyType

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.payouts import send_dues
from coordinator.engine.state import MatchState
from coordinator.engine.waiting import shuttle_set, wait_reason


def _late_entered(state: MatchState, event: events.LateEntered) -> Effects:
    return (fx.TellWaiting(state.stage_rules.id, (event.player_id,), wait_reason(state)), *STANDINGS)


def _entrant_admitted(state: MatchState, event: events.EntrantAdmitted) -> Effects:
    if state.entrants[event.player_id].state != "waiting":
        return ()  # one who stays after all, and sits at a table
    return (fx.TellWaiting(state.stage_rules.id, (event.player_id,), "next_bout"), *STANDINGS)


def _player_joined(state: MatchState, event: events.PlayerJoined) -> Effects:
    stage_id, players = state.stage_rules.id, (event.player_id,)
    if event.next_stage:
        return (fx.TellWaiting(stage_id, players, "next_stage"), *STANDINGS)
    return (fx.TellWaiting(stage_id, players, "reseating"), *shuttle_set(state, 1), *STANDINGS)


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> Effects:
    return STANDINGS


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
    return (*out, *send_dues(state, state.payouts[before:]), *STANDINGS)


def _player_retired(state: MatchState, event: events.PlayerRetired) -> Effects:
    score = state.entrants[event.player_id].score
    return (fx.TellEliminated(state.stage_rules.id, event.player_id, None, score), *STANDINGS)


def _rests_ended(state: MatchState, event: events.RestsEnded) -> Effects:
    cancelled = [fx.CancelTimer(timers.rest_timer(state.entrants[player_id].reg_seq)) for player_id in event.players]
    waiting = fx.TellWaiting(state.stage_rules.id, event.players, wait_reason(state))
    return (*cancelled, waiting, *shuttle_set(state, len(event.players)), *STANDINGS)


def _players_eliminated(state: MatchState, event: events.PlayersEliminated) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    return tuple(
        [
            fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
            for player_id, place in zip(event.players, event.places, strict=True)
        ]
    )


TELLS: Tells = MappingProxyType(
    {
        events.LateEntered: _late_entered,
        events.EntrantAdmitted: _entrant_admitted,
        events.PlayerJoined: _player_joined,
        events.EntrantsLeft: _entrants_left,
        events.PlayersLeft: _players_left,
        events.PlayerRetired: _player_retired,
        events.RestsEnded: _rests_ended,
        events.PlayersEliminated: _players_eliminated,
    }
)
