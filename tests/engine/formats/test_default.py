"""The default stage in a match: one table, its round is the ranking (R-DF-01).

Proves R-DF-01.
"""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.definition import CarryOut, PlayerState, Round
from coordinator.engine.match import new_state, step
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, SWISS, match_of, places, report, score, score_all, seats, started, table_of

MAHJONG = attrs.evolve(DEFAULT, table_size=4, round=Round(hands=4))


def test_worked_example_of_four_hands_of_mahjong() -> None:
    """R-DF-01: totals 88, 40, -20, -108."""
    game = started(MAHJONG, players=4)
    for hand in ((40, 10, -10, -40), (30, 0, 10, -40), (10, 20, -10, -20), (8, 10, -10, -8)):
        assert game.state.status == "running"
        score_all(game, dict(zip(("p1", "p2", "p3", "p4"), hand, strict=True)))
    assert [game.state.entrants[player].score for player in ("p1", "p2", "p3", "p4")] == [88, 40, -20, -108]
    assert places(game) == {"p1": 1, "p2": 2, "p3": 3, "p4": 4}


def test_everybody_sits_at_one_table_in_the_order_of_entry() -> None:
    """R-GR-05."""
    assert seats(started(MAHJONG, players=4)) == [["p1", "p2", "p3", "p4"]]


def test_nobody_is_ever_reseated_or_eliminated() -> None:
    game = started(MAHJONG, players=4).play()
    assert len(game.of(events.TablesSeated)) == 1
    assert game.of(events.PlayersEliminated) == []
    assert {entrant.state for entrant in game.state.entrants.values()} == {"done"}


@pytest.mark.parametrize("field", [3, 5, 8])
def test_a_match_of_another_size_is_a_mistake_of_its_definition(field: int) -> None:
    outcome = step(new_state(), c.OpenMatch(0, "m", match_of(MAHJONG, players=field), "s", "s"))
    assert isinstance(outcome, Refused)
    assert "4" in f"{outcome.message} {outcome.expected}"


def test_equal_totals_are_split_by_the_last_hand_then_by_registration() -> None:
    """R-TB-01, R-TB-02: p2 and p3 end with 10 each, p3 won the last hand; p1 and p4 are equal in both."""
    game = started(attrs.evolve(MAHJONG, round=Round(hands=2)), players=4)
    score_all(game, {"p1": -5, "p2": 10, "p3": 0, "p4": -5})
    score_all(game, {"p1": -5, "p2": 0, "p3": 10, "p4": -5})
    assert places(game) == {"p3": 1, "p2": 2, "p1": 3, "p4": 4}


def test_a_final_counts_what_was_carried_into_it() -> None:
    """R-CA-03: 300 carried in full weigh more than a final won by 200."""
    first = attrs.evolve(SWISS, carry_out=CarryOut("full"))
    game = started(first, attrs.evolve(DEFAULT, initial_player_state=PlayerState(1000)), players=3)
    score(game, p1=-100, p2=100, p3=300)
    assert seats(game) == [["p3", "p2", "p1"]]
    assert [game.state.entrants[p].score for p in ("p3", "p2", "p1")] == [1300, 1100, 1000]
    score(game, p1=200, p2=0, p3=-100)
    # p1 and p3 end with 1200 each; the last hand decides for p1.
    assert places(game) == {"p1": 1, "p3": 2, "p2": 3}


def test_a_target_round_decides_by_itself_alone() -> None:
    """R-RT-01: both sides start at 0 whatever was carried in; the target ends the round at once."""
    first = attrs.evolve(SWISS, table_size=2, carry_out=CarryOut("full"))
    final = attrs.evolve(DEFAULT, table_size=2, round=Round("target", target=100, max_hands=4))
    game = started(first, final, players=2)
    score(game, p1=500, p2=0)
    for one, two in ((40, 0), (0, 70), (30, 0)):
        score(game, p1=one, p2=two)
        assert table_of(game, "p1").in_hand
    score(game, p1=0, p2=35)
    assert places(game) == {"p2": 1, "p1": 2}


def test_both_reach_the_target_in_one_hand() -> None:
    """R-RT-01, edge: the higher score wins."""
    stage = attrs.evolve(DEFAULT, table_size=2, round=Round("target", target=50, max_hands=4))
    game = started(stage, players=2)
    score(game, p1=60, p2=70)
    assert places(game) == {"p2": 1, "p1": 2}


def test_a_started_hand_is_played_to_its_end() -> None:
    """R-HI-08: the ranking moves with the last report and not before."""
    game = started(DEFAULT, players=3)
    before = [entrant.score for entrant in game.state.entrants.values()]
    game.do(c.RecordActions(0, "ts", 1, 1, 1, 1, 0, (4, "pass", 7)))
    assert [entrant.score for entrant in game.state.entrants.values()] == before
    game.do(report(game, {"p1": 1, "p2": 2, "p3": 3}))
    assert places(game) == {"p3": 1, "p2": 2, "p1": 3}


def test_the_same_seed_is_the_same_final() -> None:
    one, other = (Game(match_of(MAHJONG, players=4), seed=3).register(4).play() for _ in range(2))
    assert one.events == other.events
