"""What becomes of a report: it counts once, whatever is sent again, late, early, wrongly or by the wrong server."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.decisions.hands import PARKED_MAX, SCORE_LIMIT
from coordinator.engine.definition import GameState, PlayerState, Round
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, given, report, score, started, tell

TWO_HANDS = attrs.evolve(DEFAULT, round=Round(hands=2))


@pytest.fixture
def game() -> Game:
    """p1, p2 and p3 play two hands whose scores sum to zero."""
    return started(TWO_HANDS, players=3, zero_sum=True)


def scores(game: Game) -> list[int]:
    return [game.state.entrants[player].score for player in ("p1", "p2", "p3")]


def test_a_hand_counts(game: Game) -> None:
    score(game, p1=30, p2=-10, p3=-20)
    assert scores(game) == [30, -10, -20]
    assert game.orders[-1].hand_no == 2


def test_the_order_in_which_players_are_named_does_not_matter(game: Game) -> None:
    given(game, report(game, {"p3": -20, "p1": 30, "p2": -10}))
    assert game.of(events.HandScored)[0].scores == (30, -10, -20)


def test_the_same_report_again_is_a_duplicate(game: Game) -> None:
    again = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, again)
    assert tell(game, again).code == "duplicate"
    assert scores(game) == [30, -10, -20]


def test_a_duplicate_is_known_after_the_round_and_after_the_match(game: Game) -> None:
    again = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, again)
    last = report(game, {"p1": 0, "p2": 0, "p3": 0})
    given(game, last)
    assert game.state.status == "over"
    assert [tell(game, told).code for told in (again, last)] == ["duplicate", "duplicate"]


def test_another_result_of_a_hand_that_counts_is_parked_and_told_to_a_director(game: Game) -> None:
    first = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, first)
    other = attrs.evolve(first, scores={"p1": 0, "p2": 10, "p3": -10})
    outcome = given(game, other)
    assert outcome.events == (events.ResultParked(1, 1, 1, "ts", (0, 10, -10)),)
    assert [effect.code for effect in outcome.effects if isinstance(effect, fx.RaiseAlarm)] == ["conflict"]
    assert scores(game) == [30, -10, -20]


def test_so_many_results_are_parked_and_no_more(game: Game) -> None:
    """The first ones are for a director to look at; whoever goes on and on fills no journal with them."""
    first = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, first)
    for number in range(1, PARKED_MAX + 1):
        given(game, attrs.evolve(first, scores={"p1": number, "p2": -number, "p3": 0}))
    assert tell(game, attrs.evolve(first, scores={"p1": 99, "p2": -99, "p3": 0})).code == "conflict"
    assert len(game.of(events.ResultParked)) == PARKED_MAX


def test_a_result_of_an_epoch_that_was_never_given_out_is_not_parked(game: Game) -> None:
    first = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, first)
    assert tell(game, attrs.evolve(first, epoch=7, scores={"p1": 1, "p2": -1, "p3": 0})).field == "epoch"
    assert not game.of(events.ResultParked)


def test_a_parked_result_is_parked_once(game: Game) -> None:
    """A server that keeps sending it gets the same verdict, the director no second alarm."""
    first = report(game, {"p1": 30, "p2": -10, "p3": -20})
    given(game, first)
    other = attrs.evolve(first, scores={"p1": 0, "p2": 10, "p3": -10})
    given(game, other)
    assert tell(game, other).code == "conflict"
    given(game, report(game, {"p1": 0, "p2": 0, "p3": 0}))
    assert tell(game, other).code == "conflict"
    assert tell(game, first).code == "duplicate"
    given(game, attrs.evolve(first, scores={"p1": 1, "p2": -1, "p3": 0}))
    assert len(game.of(events.ResultParked)) == 2


def test_a_hand_after_the_round_is_late(game: Game) -> None:
    third = report(game, {"p1": 0, "p2": 0, "p3": 0}, hand_no=3)
    score(game, p1=0, p2=0, p3=0)
    score(game, p1=0, p2=0, p3=0)
    assert tell(game, third).code == "late"


@pytest.mark.parametrize(
    ("wrong", "code", "field"),
    [
        ({"table_id": 99}, "unknown_table", "table_id"),
        ({"hand_no": 2}, "hand_expected", "hand_no"),
        ({"hand_no": 0}, "invalid", "hand_no"),
        ({"hand_no": -1}, "invalid", "hand_no"),
        ({"attempt_no": 2}, "hand_expected", "hand_no"),
        ({"attempt_no": 0}, "stale_attempt", "attempt_no"),
        ({"epoch": 0}, "stale_epoch", "epoch"),
        ({"epoch": 2}, "invalid", "epoch"),
        ({"server_id": "other"}, "stale_epoch", "epoch"),
        ({"scores": {}}, "wrong_players", "scores"),
        ({"scores": {"p1": 0, "p2": 0}}, "wrong_players", "scores"),
        ({"scores": {"p1": 0, "p2": 0, "p4": 0}}, "wrong_players", "scores"),
        ({"scores": {"p1": 0, "p2": 0, "p3": 0, "p4": 0}}, "wrong_players", "scores"),
        ({"scores": {"p1": 1, "p2": 0, "p3": 0}}, "score_sum", "scores"),
        ({"scores": {"p1": SCORE_LIMIT + 1, "p2": -SCORE_LIMIT - 1, "p3": 0}}, "score_range", "scores"),
    ],
)
def test_a_wrong_report_is_refused_by_its_field_and_changes_nothing(
    game: Game, wrong: dict[str, Any], code: str, field: str
) -> None:
    refused = tell(game, attrs.evolve(report(game, {"p1": 0, "p2": 0, "p3": 0}), **wrong))
    assert (refused.code, refused.field) == (code, field)
    assert refused.expected
    assert scores(game) == [0, 0, 0]
    score(game, p1=1, p2=0, p3=-1)
    assert scores(game) == [1, 0, -1]


def test_the_same_is_checked_for_a_hand_that_counts_already(game: Game) -> None:
    first = report(game, {"p1": 0, "p2": 0, "p3": 0})
    given(game, first)
    assert tell(game, attrs.evolve(first, scores={"p1": 0, "p2": 0})).code == "wrong_players"
    assert tell(game, attrs.evolve(first, hand_no=0)).code == "invalid"


def test_sums_are_free_where_the_game_is_not_zero_sum() -> None:
    game = started(TWO_HANDS, players=3)
    score(game, p1=5, p2=5, p3=5)
    assert scores(game) == [5, 5, 5]


def test_multiples_are_multiplied_by_the_base_of_the_hand() -> None:
    """R-SC-03: a drawn hand has multiple 0 and gives 0; what was reported is what a repeat is compared with."""
    stage = attrs.evolve(TWO_HANDS, report="multiple", initial_game_state=GameState(100))
    game = started(stage, players=3, zero_sum=True)
    first = report(game, {"p1": 8, "p2": -4, "p3": -4})
    given(game, first)
    assert scores(game) == [800, -400, -400]
    assert tell(game, first).code == "duplicate"
    score(game, p1=0, p2=0, p3=0)
    assert scores(game) == [800, -400, -400]


def stacks(**of: int) -> Game:
    """A table with minimum payment at which the players happen to have these points."""
    stage = attrs.evolve(DEFAULT, round=Round(hands=9), min_payment=True, initial_player_state=PlayerState(1_000_000))
    game = started(stage, players=3, zero_sum=True)
    for player, stack in of.items():
        game.state.entrants[player].score = stack
    return game


def test_nobody_pays_more_than_it_has() -> None:
    """R-MP-01, computed: the landlord has 100 and owes 80 to each of two."""
    game = stacks(p1=100, p2=500, p3=500)
    score(game, p1=-160, p2=80, p3=80)
    assert scores(game) == [0, 550, 550]


def test_nobody_wins_more_from_a_payer_than_it_has() -> None:
    """R-MP-01, computed: the landlord wins with 30 against two who owe 200 each."""
    game = stacks(p1=30, p2=1000, p3=1000)
    score(game, p1=400, p2=-200, p3=-200)
    assert scores(game) == [90, 970, 970]


def test_the_winner_may_be_capped_in_total() -> None:
    """R-MP-01, winner_cap."""
    stage = attrs.evolve(DEFAULT, min_payment=True, winner_cap="total", initial_player_state=PlayerState(30))
    game = started(stage, players=3, zero_sum=True)
    score(game, p1=400, p2=-200, p3=-200)
    assert scores(game) == [60, 15, 15]


def test_an_empty_stack_pays_nothing() -> None:
    """R-MP-01, edge."""
    game = stacks(p1=0, p2=500, p3=-20)
    score(game, p1=-100, p2=150, p3=-50)
    assert scores(game) == [0, 500, -20]


@pytest.mark.parametrize(("fee", "winner", "house"), [(Fraction(5), 115, 5), (Fraction(1, 10), 108, 12)])
def test_the_platform_takes_its_fee_out_of_the_payment(fee: Fraction, winner: int, house: int) -> None:
    """R-MP-01: an amount, or a rate of the payment rounded down."""
    stage = attrs.evolve(DEFAULT, table_size=2, min_payment=True, platform_fee=fee)
    game = started(attrs.evolve(stage, initial_player_state=PlayerState(120)), players=2, zero_sum=True)
    score(game, p1=140, p2=-140)
    (hand,) = game.of(events.HandScored)
    assert (hand.reported, hand.scores, hand.house) == ((140, -140), (winner, -120), house)


def test_minimum_payment_needs_to_know_who_pays() -> None:
    """R-MP-01: in a game that is not zero-sum such a hand is refused by its sum, not answered with a crash."""
    game = started(attrs.evolve(DEFAULT, min_payment=True), players=3)
    refused = tell(game, report(game, {"p1": 5, "p2": 5, "p3": 5}))
    assert (refused.code, refused.field) == ("score_sum", "scores")


def test_a_total_that_no_peer_could_keep_is_refused(game: Game) -> None:
    score(game, p1=SCORE_LIMIT, p2=-SCORE_LIMIT, p3=0)
    assert tell(game, report(game, {"p1": 1, "p2": 0, "p3": -1})).code == "score_range"
    score(game, p1=-1, p2=1, p3=0)
    assert scores(game)[0] == SCORE_LIMIT - 1


def test_no_hand_can_end_at_a_table_that_waits_for_a_server() -> None:
    game = Game(started(TWO_HANDS, players=3).definition)
    game.servers = False
    game.register(3)
    early = c.EndHand(0, "ts", 1, 0, 1, 1, {"p1": 0, "p2": 0, "p3": 0})
    assert tell(game, early).code in {"stale_epoch", "hand_expected"}
    assert scores(game) == [0, 0, 0]
