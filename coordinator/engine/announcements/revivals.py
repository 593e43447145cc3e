"""What is told of eliminated players who may come back."""

from types import MappingProxyType

import attrs

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.announcements.orders import offer_of
from coordinator.engine.announcements.timing import timer
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.state import MatchState
from coordinator.engine.waiting import shuttle_set, wait_reason


def _revival_offered(state: MatchState, event: events.RevivalOffered) -> Effects:
    # Those of the same hand are told the same number, whoever of them comes first.
    offered = attrs.evolve(offer_of(state, event.player_id), remaining=event.remaining)
    return (timer(state, timers.offer_timer(event.offer_no)), offered, *STANDINGS)


def _player_revived(state: MatchState, event: events.PlayerRevived) -> Effects:
    waiting = fx.TellWaiting(state.stage_rules.id, (event.player_id,), wait_reason(state))
    return (fx.CancelTimer(timers.offer_timer(event.offer_no)), waiting, *shuttle_set(state, 1), *STANDINGS)


def _revivals_closed(state: MatchState, event: events.RevivalsClosed) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    cancelled = [fx.CancelTimer(timers.offer_timer(offer_no)) for offer_no in event.offers]
    told = [
        fx.TellEliminated(stage_id, player_id, place, entrants[player_id].score)
        for player_id, place in zip(event.players, event.places, strict=True)
    ]
    return (*cancelled, *told, *STANDINGS)


TELLS: Tells = MappingProxyType(
    {
        events.RevivalOffered: _revival_offered,
        events.PlayerRevived: _player_revived,
        events.RevivalsClosed: _revivals_closed,
    }
)
