"""The only entrance to the rules of a match.

A command goes in; :func:`decide` answers with events or a refusal and changes nothing; :func:`evolve` applies an
event; :func:`effects` says what the outside must do or hear; :func:`follow` says which events must come next. A desk
calls :func:`step`, which is these four in their one order. Recovery only folds :func:`evolve`, so a newer version of
the rules never changes what was decided.
"""

from coordinator.engine.announcements import effects
from coordinator.engine.commands import Command
from coordinator.engine.consequences import follow
from coordinator.engine.decisions import decide
from coordinator.engine.effects import Effect
from coordinator.engine.events import Event
from coordinator.engine.evolution import evolve
from coordinator.engine.frozen import frozen
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.engine.stepping import carry_out

__all__ = ["Outcome", "decide", "effects", "evolve", "follow", "new_state", "step"]


@frozen
class Outcome:
    """What one command led to: its events in order and their effects in order."""

    events: tuple[Event, ...]
    effects: tuple[Effect, ...]


def new_state() -> MatchState:
    """The state of a match that is not open yet."""
    return MatchState()


def step(state: MatchState, command: Command) -> Outcome | Refused:
    """Decide a command and apply all that follows from it. A refusal leaves the state as it was."""
    decided = decide(state, command)
    if isinstance(decided, Refused):
        return decided
    return Outcome(*carry_out(state, decided, evolve, effects, follow))
