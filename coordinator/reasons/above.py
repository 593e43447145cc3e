"""Why a tourney let a player into one of its matches, and what the place there wins (R-HI-01 to R-HI-03)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from coordinator.engine.dues import rewarded
from coordinator.engine.tourney import events, naming
from coordinator.engine.tourney.state import TourneyState
from coordinator.reasons import awards
from coordinator.reasons.reason import Reason, Value

Explain = Callable[[TourneyState, Any, str, str], list[Reason]]


def reasons_above(state: TourneyState, event: events.TourneyEvent, match_id: str, player_id: str) -> list[Reason]:
    """What this event says about a player in a match of the tourney; the state is that before the event."""
    explain = _EXPLAINED.get(type(event))
    return [] if explain is None else explain(state, event, match_id, player_id)


def _opened(state: TourneyState, event: events.TourneyMatchOpened, match_id: str, player_id: str) -> list[Reason]:
    """Dealt to the match at the start, or come through a link from another one."""
    player = next((each for each in event.players if each.player_id == player_id), None)
    if event.match_id != match_id or player is None:
        return []
    instance = state.instances[event.instance_id]
    definition = state.rules_of(instance)
    number = [each.player_id for each in event.players].index(player_id) + 1
    inputs: dict[str, Value] = {"instance": event.instance_id, "match": event.name, "number": number}
    if not definition.feeding(event.name):
        entry = instance.entries[player_id]
        inputs |= {"registered": entry.reg_seq, "fee": entry.fee, "lobby": entry.lobby}
        says = f"plays {event.name}: registered for {event.instance_id} with number {entry.reg_seq}"
        alike = [name for name in state.point_of(instance).opens if _same_entry(definition, name, event.name)]
        if len(alike) > 1:
            says += f"; {', '.join(alike)} have the same conditions and are dealt their players in turn"
        return [Reason("entry", event.t, ("R-HI-02", "R-HI-03"), says, inputs)]
    for link in definition.feeding(event.name):
        feeder = state.matches.get(naming.match_id(definition, event.series, link.from_match))
        places = [] if feeder is None else [w for w, _ in feeder.ranking if w not in feeder.disqualified]
        if player_id in places[: link.n]:
            place = places.index(player_id) + 1
            inputs |= {"from": link.from_match, "place": place, "n": link.n, "carried": player.carried}
            says = f"comes from {link.from_match} as number {place} of the best {link.n}, with {player.carried}"
            return [Reason("entry", event.t, ("R-HI-01", "R-CA-03"), says, inputs)]
    return []


def _same_entry(definition: Any, one: str, other: str) -> bool:
    return bool(definition.match(one).entry == definition.match(other).entry)


def _ended(state: TourneyState, event: events.TourneyMatchEnded, match_id: str, player_id: str) -> list[Reason]:
    """Who wins nothing; what somebody wins is told with the award itself."""
    if event.match_id != match_id:
        return []
    match = state.matches[match_id]
    prizes = state.rules_of(match).match(match.name).prizes
    ranking = [who for who, _ in event.ranking]
    due = [who for _, who, _ in rewarded(prizes, ranking) if who not in event.disqualified]
    return [] if player_id in due else awards.of_match(event.t, prizes, ranking, (), player_id, event.disqualified)


def _owed(state: TourneyState, event: events.DuesOwed, match_id: str, player_id: str) -> list[Reason]:
    dues = [due for due in event.dues if due.source == match_id]
    if not any(due.player_id == player_id for due in dues):
        return []
    match = state.matches[match_id]
    prizes = state.rules_of(match).match(match.name).prizes
    ranking = [who for who, _ in match.ranking]
    return awards.of_match(event.t, prizes, ranking, dues, player_id, match.disqualified)


def _confirmed(state: TourneyState, event: events.DueConfirmed, match_id: str, player_id: str) -> list[Reason]:
    due = state.dues[event.key]
    return awards.confirmed(event.t, due) if (due.source, due.player_id) == (match_id, player_id) else []


_EXPLAINED: Final[Mapping[type, Explain]] = MappingProxyType(
    {
        events.TourneyMatchOpened: _opened,
        events.TourneyMatchEnded: _ended,
        events.DuesOwed: _owed,
        events.DueConfirmed: _confirmed,
    }
)
