"""The kinds of journals in a store: that of a match, and that of a tourney, which stands above matches (R-HI-01).

Both are records of commands with their events under the same rule. What tells them apart is the name of the stream; the
names of their commands and events never coincide, so that a record is read without asking whose it is.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, get_args

import attrs

from coordinator.engine import RULES_VERSION, match
from coordinator.engine.commands import Command
from coordinator.engine.events import Event
from coordinator.engine.state import MatchState
from coordinator.engine.tourney import tourney
from coordinator.engine.tourney.commands import TourneyCommand
from coordinator.engine.tourney.events import TourneyEvent
from coordinator.engine.tourney.state import TourneyState
from coordinator.journal.shapes import Shape, shape_of

TOURNEY_PREFIX: Final = "tourney:"
"""What the stream of a tourney begins with, and no id of a match."""


@attrs.frozen
class Kind:
    """The rules a journal is folded and decided by, and the shape of the state it leads to."""

    new_state: Callable[[], Any]
    step: Callable[[Any, Any], Any]
    evolve: Callable[[Any, Any], None]
    effects: Callable[[Any, Any], tuple[Any, ...]]
    state: Shape[Any]
    fields: int

    @property
    def layout(self) -> str:
        """What a snapshot must have been written with to be of use: the same rules and the same fields."""
        return f"{RULES_VERSION}-{self.state.fingerprint}"


MATCH: Final = Kind(
    match.new_state,
    match.step,
    match.evolve,
    match.effects,
    shape_of(MatchState),
    len(attrs.fields(MatchState)),
)
TOURNEY: Final = Kind(
    tourney.new_tourney,
    tourney.step,
    tourney.evolve,
    tourney.effects,
    shape_of(TourneyState),
    len(attrs.fields(TourneyState)),
)

AnyCommand = Command | TourneyCommand
AnyEvent = Event | TourneyEvent

COMMANDS: Final[Mapping[str, Shape[Any]]] = MappingProxyType(
    {kind.__name__: shape_of(kind) for kind in get_args(AnyCommand)}
)
EVENTS: Final[Mapping[str, Shape[Any]]] = MappingProxyType(
    {kind.__name__: shape_of(kind) for kind in get_args(AnyEvent)}
)


def kind_of(stream: str) -> Kind:
    """The kind of a journal by its name in the store."""
    return TOURNEY if stream.startswith(TOURNEY_PREFIX) else MATCH


def stream_of(tourney_id: str) -> str:
    """Where the journal of a tourney stands in the store."""
    return TOURNEY_PREFIX + tourney_id
