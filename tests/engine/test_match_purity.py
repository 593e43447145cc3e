"""Deciding only looks: the state before and after is the same, whatever is asked and whatever the answer is."""

import copy
import gc
import sys
from collections.abc import Callable, Iterator

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.definition import BaseGrowth, Cut, End, Round
from coordinator.engine.match import Outcome, decide, effects, follow, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from tests.engine.playing import Game
from tests.engine.stages import KNOCKOUT, MELEE, SWISS, match_of, report, started

FIELDS = {
    "melee": attrs.evolve(MELEE, base_growth=BaseGrowth("arith", by="hands", every_hands=2, add=300)),
    "knockout": attrs.evolve(KNOCKOUT, scoring="placement", advance_per_table="half"),
    "swiss_shift": attrs.evolve(SWISS, bouts=3, round=Round(hands=2), cut=Cut("percent"), round_carry_pct=50),
}


@pytest.fixture(params=FIELDS, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    """A match in the middle of its life."""
    return Game(match_of(FIELDS[request.param], players=14, zero_sum=True)).register(14).play(hands=5)


def questions(game: Game) -> Iterator[c.Command]:
    """One of each command, those that are accepted and those that are not."""
    table = next(iter(game.state.tables.values()))
    at = (table.server_id or "", table.table_id, table.epoch)
    right = report(game, dict.fromkeys(table.seats, 0))
    yield c.OpenMatch(0, "m", game.definition, "s", "s")
    yield c.RegisterPlayer(0, "p1", "Again")
    yield c.RegisterPlayer(0, "late", "Late")
    yield c.WithdrawPlayer(0, "p1")
    yield c.StartMatch(0)
    yield c.PlaceTables(0, (c.Placement(table.table_id, "other", "life"),))
    yield c.LoseServer(0, "ts", "life")
    yield c.AbortRound(0, *at, "why not")
    yield c.RecordActions(0, *at, table.hand_no, table.attempt_no, 0, (1, "two"))
    yield c.RecordActions(0, *at, table.hand_no, table.attempt_no, 9, (1, "two"))
    yield right
    yield attrs.evolve(right, scores={})
    yield attrs.evolve(right, table_id=1, hand_no=1)
    for timer_id, due in game.state.timers.items():
        yield c.FireTimer(due, timer_id)
    yield c.FireTimer(0, "shuttle/0")


def test_deciding_changes_nothing(game: Game) -> None:
    before = copy.deepcopy(game.state)
    answers = [decide(game.state, question) for question in questions(game)]
    assert game.state == before
    assert any(isinstance(answer, Refused) for answer in answers)
    assert any(not isinstance(answer, Refused) and answer for answer in answers)


def test_asking_again_gives_the_same_answer(game: Game) -> None:
    assert [decide(game.state, q) for q in questions(game)] == [decide(game.state, q) for q in questions(game)]


def test_a_refused_step_changes_nothing(game: Game) -> None:
    refused = [q for q in questions(game) if isinstance(decide(game.state, q), Refused)]
    before = copy.deepcopy(game.state)
    for question in refused:
        assert isinstance(step(game.state, question), Refused)
    assert game.state == before


@pytest.mark.parametrize("look", [effects, follow])
def test_telling_what_comes_of_an_event_changes_nothing(
    game: Game, look: Callable[[MatchState, events.Event], object]
) -> None:
    for question in questions(game):
        state = copy.deepcopy(game.state)
        outcome = step(state, question)
        if isinstance(outcome, Outcome) and outcome.events:
            last = outcome.events[-1]
            before = copy.deepcopy(state)
            assert look(state, last) == look(state, last)
            assert state == before


def test_what_was_decided_keeps_nothing_of_the_state(game: Game) -> None:
    """Events are values: what happens later does not change them."""
    told = repr(game.events)
    count = len(game.events)
    game.play()
    assert repr(game.events[:count]) == told


def test_a_state_is_nobody_elses() -> None:
    one, other = new_state(), new_state()
    step(one, c.OpenMatch(0, "m", match_of(MELEE), "s", "s"))
    assert other == new_state()


def work(field: int) -> int:
    """Calls made for one hand of a melee in which nothing else happens; the draw of a shuttle is not among them."""
    game = started(attrs.evolve(MELEE, hands_per_seating=2, end=End(remaining_below=3)), players=field)
    table = next(iter(game.state.tables.values()))
    told = report(game, dict.fromkeys(table.seats, 0))
    calls = 0

    def count(_frame: object, what: str, _arg: object) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    gc.disable()  # a collection may call back in the middle of it
    sys.setprofile(count)
    try:
        step(game.state, told)
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls


def test_the_work_of_a_hand_does_not_grow_with_the_field() -> None:
    assert work(9) == work(3000)
