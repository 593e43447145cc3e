"""What the outside must do or hear after an event: read right after the event was applied, in a fixed order.

The modules are those of :mod:`coordinator.engine.events`: an event and what is told of it have the same place.
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine.announcements import hands, match, players, revivals, stages, tables
from coordinator.engine.directing import telling as directing
from coordinator.engine.effects import Effects
from coordinator.engine.events import Event
from coordinator.engine.ladder import telling as ladder
from coordinator.engine.state import MatchState

_EFFECTS: dict[type, Callable[[MatchState, Any], Effects]] = {
    **match.TELLS,
    **stages.TELLS,
    **tables.TELLS,
    **hands.TELLS,
    **players.TELLS,
    **revivals.TELLS,
    **ladder.TELLS,
    **directing.TELLS,
}


def effects(state: MatchState, event: Event) -> Effects:
    """The effects of one event."""
    rule = _EFFECTS.get(type(event))
    return rule(state, event) if rule is not None else ()
