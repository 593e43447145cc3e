"""The only entrance to the rules of what stands above a match (R-HI-01, R-HI-02).

The same verbs as :mod:`coordinator.engine.match`: :func:`decide`, :func:`evolve`, :func:`effects` and :func:`follow`,
which :func:`step` calls in their one order. A tourney has a state and a journal of its own, for what happens before a
match exists and between matches.
"""

from coordinator.engine.frozen import frozen
from coordinator.engine.refusal import Refused
from coordinator.engine.stepping import carry_out
from coordinator.engine.tourney.announcements import effects, launch, next_starts
from coordinator.engine.tourney.commands import TourneyCommand
from coordinator.engine.tourney.consequences import follow
from coordinator.engine.tourney.decisions import decide
from coordinator.engine.tourney.effects import TourneyEffect
from coordinator.engine.tourney.events import TourneyEvent
from coordinator.engine.tourney.evolution import evolve
from coordinator.engine.tourney.state import TourneyState

__all__ = [
    "TourneyOutcome",
    "decide",
    "effects",
    "evolve",
    "follow",
    "launch",
    "new_tourney",
    "next_starts",
    "step",
]


@frozen
class TourneyOutcome:
    """What one command led to: its events in order and their effects in order."""

    events: tuple[TourneyEvent, ...]
    effects: tuple[TourneyEffect, ...]


def new_tourney() -> TourneyState:
    """The state of a tourney that is not open yet."""
    return TourneyState()


def step(state: TourneyState, command: TourneyCommand) -> TourneyOutcome | Refused:
    """Decide a command and apply all that follows from it. A refusal leaves the state as it was."""
    decided = decide(state, command)
    if isinstance(decided, Refused):
        return decided
    return TourneyOutcome(*carry_out(state, decided, evolve, effects, follow))
