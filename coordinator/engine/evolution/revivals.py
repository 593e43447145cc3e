"""How eliminated players come back."""

from types import MappingProxyType

from coordinator.engine import events, timers
from coordinator.engine.in_and_out import come_in, put_out
from coordinator.engine.state import Changes, MatchState, Offer


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


CHANGES: Changes = MappingProxyType(
    {
        events.RevivalOffered: _revival_offered,
        events.PlayerRevived: _player_revived,
        events.RevivalsClosed: _revivals_closed,
    }
)
