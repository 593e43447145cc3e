"""The one order in which a command is carried out: a match and what stands above matches follow it alike."""

from collections.abc import Callable, Iterable
from typing import TypeVar

State = TypeVar("State")
Event = TypeVar("Event")
Effect = TypeVar("Effect")


def carry_out(
    state: State,
    decided: Iterable[Event],
    evolve: Callable[[State, Event], None],
    effects: Callable[[State, Event], Iterable[Effect]],
    follow: Callable[[State, Event], Iterable[Event]],
) -> tuple[tuple[Event, ...], tuple[Effect, ...]]:
    """Apply the events that were decided and all that follow from them; the events and their effects in order."""
    happened = list(decided)
    leaving: list[Effect] = []
    for event in happened:  # which grows meanwhile by what follows
        evolve(state, event)
        leaving += effects(state, event)
        happened += follow(state, event)
    return tuple(happened), tuple(leaving)
