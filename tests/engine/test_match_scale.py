"""Nothing done for a hand, a join or a leave grows with the field: calls and looks are counted, time is not."""

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine.definition import Clock, Duplicate, End, Round, Stage
from coordinator.engine.match import Outcome, step
from coordinator.engine.state import MatchState
from tests.engine.island_play import island
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, DOMINION, KNOCKOUT, MELEE, SWISS, report, started

SMALL, LARGE = 36, 720

Ask = Callable[[Game], c.Command]


class Watched(dict[Any, Any]):
    """A dict that counts the entries somebody walks through."""

    walked = 0

    def __iter__(self) -> Iterator[Any]:
        for key in super().__iter__():
            Watched.walked += 1
            yield key

    def keys(self) -> Any:
        return list(self)

    def values(self) -> Any:
        return [super(Watched, self).__getitem__(key) for key in self]

    def items(self) -> Any:
        return [(key, super(Watched, self).__getitem__(key)) for key in self]


def watched(state: MatchState) -> None:
    """Every dict of a state that may be as large as the field."""
    for owner in (state, state.current):
        for field in attrs.fields(type(owner)):
            value = getattr(owner, field.name)
            if type(value) is dict:
                setattr(owner, field.name, Watched(value))


def work(stage: Stage, ask: Ask, field: int) -> tuple[int, int]:
    """Calls made and entries walked through to answer one command."""
    game = started(stage, players=field)
    command = ask(game)
    watched(game.state)
    Watched.walked = calls = 0

    def count(_frame: object, what: str, _arg: object) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    gc.disable()  # a collection may call back in the middle of it
    sys.setprofile(count)
    try:
        outcome = step(game.state, command)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert isinstance(outcome, Outcome), outcome
    assert outcome.events
    return calls, Watched.walked


def hand(game: Game) -> c.Command:
    """The first table ends a hand in which nobody wins anything."""
    return report(game, dict.fromkeys(next(iter(game.state.tables.values())).seats, 0))


def decisive(game: Game) -> c.Command:
    """The first table ends a hand that costs one of its players everything."""
    one, *rest = next(iter(game.state.tables.values())).seats
    return report(game, {one: -5000, **dict.fromkeys(rest, 5000 // len(rest))})


def comes(game: Game) -> c.Command:
    return c.JoinMatch(game.t, "late", "Late")


def seated_leaves(game: Game) -> c.Command:
    return c.LeaveMatch(game.t, next(iter(game.state.tables.values())).seats[0])


def waiting_leaves(game: Game) -> c.Command:
    """Somebody who waits leaves; two came too late for a table."""
    step(game.state, c.JoinMatch(game.t, "one", "One"))
    step(game.state, c.JoinMatch(game.t, "two", "Two"))
    return c.LeaveMatch(game.t, "one")


def sits_out_and_leaves(game: Game) -> c.Command:
    step(game.state, c.RegisterPlayer(game.t, "late", "Late"))
    return c.LeaveMatch(game.t, "late")


def registers(game: Game) -> c.Command:
    return c.RegisterPlayer(game.t, "late", "Late")


LONG = attrs.evolve(CLOCKED, round=Round(hands=3), clock=Clock(), duplicate=Duplicate(required_boards=1, min_results=1))
HOUR = island(rest_ms=None)
CASES: dict[str, tuple[Stage, Ask]] = {
    "a hand of a melee": (attrs.evolve(MELEE, hands_per_seating=2), hand),
    "a seating of a melee ends": (MELEE, hand),
    "somebody falls in a melee": (attrs.evolve(MELEE, end=End(remaining_below=3)), decisive),
    "a table of a knockout ends": (KNOCKOUT, decisive),
    "a table of a half knockout ends": (attrs.evolve(KNOCKOUT, advance_per_table="half"), decisive),
    "a table of a Swiss shift ends": (attrs.evolve(SWISS, bouts=3, scoring="placement"), decisive),
    "a hand of an island": (HOUR, hand),
    "somebody joins an island": (HOUR, comes),
    "somebody at a table of an island leaves": (HOUR, seated_leaves),
    "somebody who waits on an island leaves": (HOUR, waiting_leaves),
    "somebody who rests": (island(rest_ms=1000), hand),
    "a board by the clock": (LONG, hand),
    "somebody comes late by the clock": (LONG, registers),
    "somebody leaves by the clock": (LONG, sits_out_and_leaves),
    "a game of a Dominion Swiss": (attrs.evolve(DOMINION, bouts=3), decisive),
    "somebody comes late to a Dominion Swiss": (attrs.evolve(DOMINION, bouts=3), registers),
    "somebody retires from a Dominion Swiss": (attrs.evolve(DOMINION, bouts=3), seated_leaves),
}


@pytest.mark.parametrize("case", CASES)
def test_the_work_does_not_grow_with_the_field(case: str) -> None:
    stage, ask = CASES[case]
    work(stage, ask, SMALL)  # what is remembered on the first time costs more
    assert work(stage, ask, SMALL) == work(stage, ask, LARGE)


def test_what_does_grow_is_noticed() -> None:
    """Opening the stage walks through everybody, and the measure says so."""

    def start(field: int) -> int:
        game = started(SWISS, players=field)
        watched(game.state)
        Watched.walked = 0
        _ = list(game.state.entrants.values()), dict(game.state.current.active)
        return Watched.walked

    assert start(LARGE) - start(SMALL) == 2 * (LARGE - SMALL)
