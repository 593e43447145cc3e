"""The causes behind most cases, looked for everywhere: an action asked for twice, and one value with two meanings."""

import pickle
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, dominion
from coordinator.engine.definition import (
    Clock,
    Duplicate,
    Elimination,
    GameState,
    Grouping,
    Island,
    MainPoints,
    PlayerState,
    Revival,
    Stage,
)
from coordinator.engine.dominion import GameRecord
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, DOMINION, ISLAND, KNOCKOUT, MELEE, SWISS, match_of

FORMATS: dict[str, tuple[Stage, int]] = {
    "knockout": (attrs.evolve(KNOCKOUT, bouts="until_done"), 9),
    "swiss_shift": (attrs.evolve(SWISS, bouts=3), 10),
    "swiss_1v1": (attrs.evolve(DOMINION, bouts=4), 7),
    "continuous_swiss": (
        attrs.evolve(CLOCKED, clock=Clock(bout_ms=5000, grace_ms=500), duplicate=Duplicate(required_boards=1)),
        9,
    ),
    "melee": (
        attrs.evolve(
            MELEE, grouping=Grouping(shuttle_size=6, max_wait_ms=500), revival=Revival("list", fees=(5,), offer_ms=900)
        ),
        12,
    ),
    "island": (
        attrs.evolve(
            ISLAND,
            initial_player_state=PlayerState(3000),
            initial_game_state=GameState(100),
            elimination=Elimination(absolute=0),
            grouping=Grouping(shuttle_size=6, max_wait_ms=500),
            island=Island(20_000, loop=True, loop_count=2),
        ),
        12,
    ),
}


@attrs.define
class Twice(Game):
    """Gives every command a second time at once; nothing may come of it."""

    refused: dict[str, int] = attrs.field(factory=dict)

    def do(self, command: commands.Command) -> Outcome | Refused:
        """Give a command, and again: what happened happens no second time."""
        outcome = Game.do(self, command)
        before = pickle.dumps(self.state)
        story = len(self.events)
        again = Game.do(self, command)
        assert isinstance(again, Refused) or again.events == (), command
        assert pickle.dumps(self.state) == before, command
        assert len(self.events) == story
        if isinstance(again, Refused):
            assert again.code, command
            self.refused[type(command).__name__] = self.refused.get(type(command).__name__, 0) + 1
        return outcome


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_is_asked_twice_happens_once(name: str) -> None:
    stage, players = FORMATS[name]
    game = Twice(match_of(stage, players=players, zero_sum=True), seed=5, ms_per_hand=300).register(players)
    for number in range(1, 40):
        game.play(1)
        if game.state.status != "running":
            break
        some = f"p{number % (players + 2) + 1}"
        asked: list[Any] = [
            commands.LeaveMatch(game.t, some),
            commands.JoinMatch(game.t, some, some),
            commands.WithdrawPlayer(game.t, f"p{number % 5 + 1}"),
            commands.StartMatch(game.t),
        ]
        asked += [
            commands.Revive(game.t, player, offer.offer_no, f"paid {offer.offer_no}")
            for player, offer in game.state.current.offers.items()
        ]
        game.do(asked[number % len(asked)])
    assert isinstance(game, Twice)
    assert game.refused["EndHand"] > 3
    assert game.refused["PlaceTables"] > 1


def test_nothing_to_nothing_a_bye_an_absence_and_a_silent_table_are_four_things() -> None:
    """R-DM-03, R-DM-05: a drawn 0:0 counts everywhere, a bye for the sum alone, what nobody played for nothing."""
    games = [
        GameRecord(1, "A", "B", "played", 0, 0),
        GameRecord(1, "C", None, "bye"),
        GameRecord(1, "D", "E", "void"),
        GameRecord(1, "F", "G", "drop_both"),
    ]
    means = dominion.table(list("ABCDEFGH"), games, MainPoints(), {"H": 1}).means()
    assert [means[player].main_sum for player in "ABCDEFGH"] == [2, 2, 3, 0, 0, -1, -1, 0]
    assert [means[player].main_mean for player in "ABCDEFGH"] == [2, 2, 0, 0, 0, 0, 0, 0]
    met = dominion.opponents_met(games)
    assert sorted(met) == ["A", "B", "F", "G"], "who left a game has met the other, a silent table is no meeting"
