"""Requests that count once: what is remembered of their keys, and for how long."""

import pytest

from coordinator.engine import once
from coordinator.engine.directing.director_commands import GivePenalty
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.state import MatchState
from coordinator.journal.kinds import MATCH
from coordinator.journal.records import state_bytes, state_from
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, started

MOST = 4


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "KEYS_KEPT", MOST)


def penalised(game: Game, key: str) -> bool:
    """Whether this word counted."""
    outcome = step(game.state, GivePenalty(0, "p1", -1, key, "late"))
    assert isinstance(outcome, Outcome), outcome
    return bool(outcome.events)


@pytest.mark.usefixtures("few")
def test_the_newest_keys_are_remembered_and_no_more() -> None:
    game = started(DEFAULT, players=3)
    assert all(penalised(game, f"k{number}") for number in range(10))
    assert list(game.state.said) == ["k6", "k7", "k8", "k9"]
    assert not any(penalised(game, f"k{number}") for number in range(6, 10))
    assert game.state.entrants["p1"].penalty == -10


@pytest.mark.usefixtures("few")
def test_a_key_that_is_used_anew_is_the_newest() -> None:
    state = new_state()
    for key in ("a", "b", "c", "d", "a", "e"):
        once.remember(state, key, "words")
    assert list(state.said) == ["c", "d", "a", "e"]


def test_a_state_that_is_read_again_has_them_in_their_order() -> None:
    """Else a start would forget other keys than the daemon that ran on."""
    game = started(DEFAULT, players=3)
    for key in ("z", "a", "m"):
        penalised(game, key)
    read = state_from(state_bytes(game.state), MATCH)
    assert isinstance(read, MatchState)
    assert list(read.said) == ["z", "a", "m"]
