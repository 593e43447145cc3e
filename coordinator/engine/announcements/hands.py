"""What is told when hands start, count, or will not be played again."""

from types import MappingProxyType

from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.announcements.orders import start_hand
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.state import MatchState


def _hands_started(state: MatchState, event: events.HandsStarted) -> Effects:
    return tuple([start_hand(state, state.tables[table_id]) for table_id in event.table_ids])


def _hand_scored(state: MatchState, event: events.HandScored) -> Effects:
    return STANDINGS


def _result_parked(state: MatchState, event: events.ResultParked) -> Effects:
    message = f"table {event.table_id}, hand {event.hand_no}: another result came from {event.server_id}"
    return (fx.RaiseAlarm("conflict", message, event.table_id),)


def _hand_voided(state: MatchState, event: events.HandVoided) -> Effects:
    message = f"table {event.table_id}: an interrupted hand is not played again ({event.policy})"
    return (fx.RaiseAlarm("hand_void", message, event.table_id),)


TELLS: Tells = MappingProxyType(
    {
        events.HandsStarted: _hands_started,
        events.HandsRepeated: _hands_started,
        events.HandScored: _hand_scored,
        events.ResultParked: _result_parked,
        events.HandVoided: _hand_voided,
    }
)
