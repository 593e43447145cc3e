"""Coming back after an elimination: what it costs, how long it is offered, and when there is a place (R-RV).

Proves R-RV-01, R-RV-02, R-RV-03, R-RV-04, R-RV-05, R-RV-06.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import (
    BaseGrowth,
    Elimination,
    End,
    Grouping,
    Island,
    Pack,
    PlayerState,
    Revival,
    Stage,
)
from coordinator.engine.revival import exponential_fee, fee_of, linear_fee, list_fee, window_open
from tests.cases.vectors import vector
from tests.engine.playing import Game
from tests.engine.stages import MELEE, given, match_of, places, score, seats, started, tell

LIST = Revival("list", fees=(100, 200))
WITH_REVIVAL = attrs.evolve(
    MELEE,
    table_size=2,
    initial_player_state=PlayerState(100),
    grouping=Grouping(shuttle_size=2),
    elimination=Elimination(absolute=0),
    end=End(remaining_below=2),
    revival=LIST,
)


def offers(game: Game) -> list[fx.TellOffered]:
    return [effect for effect in game.effects if isinstance(effect, fx.TellOffered)]


def fallen(stage: Stage = WITH_REVIVAL, field: int = 4) -> tuple[Game, str, str]:
    """A game in which one of the first table has fallen below the line, with the winner and the loser."""
    game = started(stage, players=field)
    winner, loser = seats(game)[0][:2]
    score(game, **{winner: 150, loser: -150})
    return game, winner, loser


# --- fees


def test_av_103_the_fee_from_a_list() -> None:
    """R-RV-02."""
    asked, expected = vector("AV-103")
    assert [list_fee(asked["fees"], number) for number in asked["revival_no"]] == expected["fee"]


def test_av_104_the_fee_grows_by_player_count() -> None:
    """R-RV-03."""
    asked, expected = vector("AV-104")
    fees = [linear_fee(asked["base_fee"], asked["slope"], entrants, left) for entrants, left in asked["N_n"]]
    assert fees == expected["fee"]


def test_av_105_the_fee_grows_exponentially() -> None:
    """R-RV-04."""
    asked, expected = vector("AV-105")
    fees = [exponential_fee(asked["base_fee"], asked["slope"], entrants, left) for entrants, left in asked["N_n"]]
    assert fees == expected["fee"]


def test_av_106_the_window_closes_by_players_or_by_time() -> None:
    """R-RV-06."""
    asked, expected = vector("AV-106")
    by_players = Revival("list", until_players=asked["until_players"])
    by_time = Revival("list", until_ms=asked["until_s"] * 1000)
    assert [window_open(by_players, left, 0) for left in asked["remaining"]] == expected["open_by_players"]
    open_ = [window_open(by_time, 100, int(seconds * 1000)) for seconds in asked["elapsed"]]
    assert open_ == expected["open_by_time"]


def test_av_117_an_offer_that_cannot_be_paid_is_withdrawn() -> None:
    """R-RV-01, over a field of 100 of whom 60 are left."""
    asked, expected = vector("AV-117")
    rule = Revival("linear", base_fee=100, offer_ms=asked["offer_s"] * 1000)
    assert fee_of(rule, 0, 100, 60) == asked["fee"]
    assert asked["balance"] < asked["fee"]
    game, _, loser = fallen()
    outcome = given(game, c.DeclineRevival(game.t, loser, offers(game)[0].offer_no, "balance"))
    (closed,) = [event for event in outcome.events if isinstance(event, events.RevivalsClosed)]
    assert (closed.players, closed.reason) == ((loser,), "balance")
    assert expected == {"offer": "withdrawn", "final": game.state.entrants[loser].state}


@drawn(
    st.integers(1, 10**6),
    st.fractions(0, 9, max_denominator=4),
    st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
)
def test_both_laws_begin_and_end_alike_and_the_exponential_is_never_dearer(
    base: int, slope: Fraction, field: tuple[int, int]
) -> None:
    entrants, left = field
    assert linear_fee(base, slope, entrants, entrants) == exponential_fee(base, slope, entrants, entrants) == base
    assert linear_fee(base, slope, entrants, 0) == exponential_fee(base, slope, entrants, 0)
    assert base <= exponential_fee(base, slope, entrants, left) <= linear_fee(base, slope, entrants, left)


@pytest.mark.parametrize("half", [1, 7, 500_000])
def test_a_root_that_comes_out_even_is_not_rounded_up(half: int) -> None:
    assert exponential_fee(10, 3, 2 * half, half) == 20


# --- offers


def test_who_falls_is_offered_to_come_back_and_counts_as_out() -> None:
    game, _, loser = fallen()
    (offer,) = offers(game)
    assert (offer.player_id, offer.fee, offer.fee_kind, offer.item_id) == (loser, 100, "coin", None)
    assert (offer.remaining, offer.score, offer.timeout_ms) == (3, 100, 15_000)
    assert loser not in game.state.current.active
    assert game.state.entrants[loser].place is None
    assert not game.of(events.PlayersEliminated)


def test_a_paid_fee_brings_the_player_back_once() -> None:
    game, _, loser = fallen()
    paid = c.Revive(game.t, loser, offers(game)[0].offer_no, "pay-1")
    given(game, paid)
    assert loser in game.state.current.active
    assert game.state.entrants[loser].score == 100
    assert given(game, paid).events == (), "the same payment again is the same answer"
    refused = tell(game, attrs.evolve(paid, offer_no=99))
    assert refused.code == "payment_used"


def test_an_offer_is_gone_when_its_time_is_over() -> None:
    game, _, loser = fallen()
    offer = offers(game)[0]
    game.t += 14_999
    game.fire_due()
    assert loser in game.state.current.offers
    game.t += 1
    game.fire_due()
    assert game.state.entrants[loser].place == 4
    assert tell(game, c.Revive(game.t, loser, offer.offer_no, "late")).code == "no_offer"


def test_a_list_that_is_used_up_puts_out_for_good() -> None:
    """R-RV-02: revived twice, and no third time."""
    game = started(WITH_REVIVAL, players=4)
    loser = seats(game)[0][0]
    for fee in (100, 200):
        at = next(table for table in seats(game) if loser in table)
        (other,) = [player for player in at if player != loser]
        score(game, **{loser: -150, other: 150})
        offer = offers(game)[-1]
        assert (offer.player_id, offer.fee) == (loser, fee)
        given(game, c.Revive(game.t, loser, offer.offer_no, f"pay {fee}"))
        while not any(loser in table for table in seats(game)):
            for table in seats(game):
                score(game, **dict.fromkeys(table, 0))
    at = next(table for table in seats(game) if loser in table)
    (other,) = [player for player in at if player != loser]
    score(game, **{loser: -150, other: 150})
    assert len(offers(game)) == 2
    assert game.state.entrants[loser].place == 4


def test_the_place_is_given_when_the_elimination_is_final() -> None:
    """R-RV-01: who waits with the answer stands above who has given it."""
    game = started(attrs.evolve(WITH_REVIVAL, grouping=Grouping(shuttle_size=8)), players=8)
    first, second = seats(game)[:2]
    score(game, **{first[0]: 150, first[1]: -150})
    score(game, **{second[0]: 150, second[1]: -150})
    numbers = {offer.player_id: offer.offer_no for offer in offers(game)}
    given(game, c.DeclineRevival(game.t, second[1], numbers[second[1]]))
    given(game, c.DeclineRevival(game.t, first[1], numbers[first[1]]))
    assert [game.state.entrants[player].place for player in (second[1], first[1])] == [8, 7]


def test_the_end_waits_for_an_open_offer() -> None:
    """R-ME-04: too few for a table, and one who may come back."""
    stage = attrs.evolve(WITH_REVIVAL, table_size=3, end=End(remaining_below=2), grouping=Grouping(shuttle_size=3))
    game = started(stage, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 75, two: 75, three: -150})
    assert game.state.status == "running"
    given(game, c.Revive(game.t, three, offers(game)[0].offer_no, "pay"))
    assert len(seats(game)) == 1, "and the table is full again"


def test_without_an_answer_the_end_comes_with_the_timeout() -> None:
    stage = attrs.evolve(WITH_REVIVAL, table_size=3, grouping=Grouping(shuttle_size=3))
    game = started(stage, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 80, two: 70, three: -150})
    game.t += 15_000
    game.fire_due()
    assert game.state.status == "over"
    assert places(game) == {one: 1, two: 2, three: 3}


def test_a_revival_does_not_undo_an_end_that_was_met() -> None:
    """R-RV-01: the last elimination ends the stage, so nobody is offered anything, and open offers end below it."""
    stage = attrs.evolve(WITH_REVIVAL, end=End(remaining_below=3), grouping=Grouping(shuttle_size=4))
    game = started(stage, players=4)
    first, second = seats(game)
    score(game, **{first[0]: 150, first[1]: -150})
    offer = offers(game)[0]
    score(game, **{second[0]: 150, second[1]: -150})
    assert len(offers(game)) == 1
    assert [game.state.entrants[player].place for player in (first[1], second[1])] == [4, 3]
    assert tell(game, c.Revive(game.t, first[1], offer.offer_no, "pay")).code == "no_offer"


def test_an_open_offer_outlives_its_window() -> None:
    """R-RV-06."""
    game, _, loser = fallen(attrs.evolve(WITH_REVIVAL, revival=attrs.evolve(LIST, until_ms=1000)))
    game.t += 5000
    game.fire_due()
    given(game, c.Revive(game.t, loser, offers(game)[0].offer_no, "pay"))
    assert loser in game.state.current.active


def test_a_closed_window_puts_out_for_good() -> None:
    """R-RV-06."""
    game, _, loser = fallen(attrs.evolve(WITH_REVIVAL, revival=attrs.evolve(LIST, until_players=4)))
    assert offers(game) == []
    assert game.state.entrants[loser].place == 4


def test_packs_are_chosen_from() -> None:
    """R-RV-05: a pack has its own score and cost."""
    stage = attrs.evolve(
        WITH_REVIVAL,
        format="island",
        leave="allowed",
        join="any_time",
        end=End(),
        island=Island(60_000),
        revival=Revival("direct", packs=(Pack(1000, 50), Pack(2500, 110))),
    )
    game, _, loser = fallen(stage)
    offer = offers(game)[0]
    assert offer.packs == ((1000, 50), (2500, 110))
    assert tell(game, c.Revive(game.t, loser, offer.offer_no, "pay", 3)).code == "wrong_pack"
    given(game, c.Revive(game.t, loser, offer.offer_no, "pay", 2))
    (revived,) = game.of(events.PlayerRevived)
    assert (revived.fee, revived.score) == (110, 2500)


# --- what is refused


@pytest.mark.parametrize(
    ("change", "path", "rule"),
    [
        ({"revival": Revival("direct", packs=(Pack(1, 1),))}, "revival.mode", "R-RV-05"),
        ({"revival": Revival("linear")}, "revival.base_fee", "R-RV-03"),
        ({"revival": Revival("list", base_fee=5)}, "revival.base_fee", "R-RV-03"),
        ({"revival": Revival("list", fee_kind="item")}, "revival.item_id", "R-RV-01"),
        ({"revival": Revival("list", fees=(-1,))}, "revival.fees[0]", "R-RV-02"),
        ({"revival": Revival("list", offer_ms=0)}, "revival.offer_ms", "R-RV-01"),
        ({"revival": Revival("list", until_players=0)}, "revival.until_players", "R-RV-06"),
    ],
)
def test_a_revival_that_makes_no_sense_is_refused(change: dict[str, Any], path: str, rule: str) -> None:
    wrong = definition_mistakes(
        match_of(attrs.evolve(WITH_REVIVAL, base_growth=BaseGrowth("arith"), **change), players=8)
    )
    assert [(mistake.path, mistake.rule) for mistake in wrong] == [(f"phases[0].stages[0].{path}", rule)]
