"""How each event changes the state. Nothing here refuses, asks or decides; unknown situations are our bugs.

The modules beside this one are those of :mod:`coordinator.engine.events`: an event and its change have the same place.
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine.directing import changes as directing
from coordinator.engine.events import Event
from coordinator.engine.evolution import hands, match, players, revivals, stages, tables
from coordinator.engine.ladder import changes as ladder
from coordinator.engine.state import MatchState

_EVOLVE: dict[type, Callable[[MatchState, Any], None]] = {
    **match.CHANGES,
    **stages.CHANGES,
    **tables.CHANGES,
    **hands.CHANGES,
    **players.CHANGES,
    **revivals.CHANGES,
    **ladder.CHANGES,
    **directing.CHANGES,
}


def evolve(state: MatchState, event: Event) -> None:
    """Apply one event to the state that owns it."""
    _EVOLVE[type(event)](state, event)
