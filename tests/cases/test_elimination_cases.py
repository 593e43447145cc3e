"""Cases from real life about a melee: out on one hand, stacks that run dry, absent players and pots."""

import json
import random
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine.definition import (
    BaseGrowth,
    Elimination,
    End,
    GameState,
    Grouping,
    PlayerState,
    Revival,
    Round,
    Stage,
)
from coordinator.engine.payment import settle
from protocol import messages as m
from tests.cases.case_data import DATA
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, MELEE, given, match_of, report, score, seats, started, table_of, tell
from tests.shell.premises import premises
from tests.shell.programs import open_match
from tests.shell.programs import report as told

STACKS = attrs.evolve(
    MELEE,
    table_size=4,
    grouping=Grouping(shuttle_size=4, max_wait_ms=1),
    initial_player_state=PlayerState(10_000),
    elimination=Elimination(absolute=0, compare="le"),
    hands_per_seating="until_elimination",
)
"""A melee in which out is who has nothing left."""


def vectors(name: str) -> list[dict[str, Any]]:
    """The vectors of a data file."""
    found: list[dict[str, Any]] = json.loads((DATA / name).read_text(encoding="utf-8"))["vectors"]
    return found


def after_every_hand(game: Game) -> int:
    """The points of everybody, those who are out included."""
    return sum(entrant.score for entrant in game.state.entrants.values())


@pytest.mark.parametrize("smaller_first", [False, True])
def test_case_153_of_two_out_on_one_hand_the_larger_stack_is_higher(smaller_first: bool) -> None:
    """R-ME-05: whatever their seats, their registration and the order in which a report names them."""
    [vector] = [v for v in vectors("prizes/tie_and_bust_vectors.json") if "out_together" in v]
    stack = {each["p"]: each["start_of_hand"] for each in vector["out_together"]}
    game = started(STACKS, players=vector["field"])
    names = dict(zip("XBAY" if smaller_first else "XABY", seats(game)[0], strict=True))
    first = {names[name]: stack[name] - 10_000 for name in stack}
    score(game, **{names["X"]: -sum(first.values()), **first, names["Y"]: 0})
    second = {names[name]: -stack[name] for name in sorted(stack, reverse=smaller_first)}
    score(game, **second, **{names["X"]: sum(stack.values()), names["Y"]: 0})
    places = {name: game.state.entrants[names[name]].place for name in stack}
    assert places == vector["ranks"]


def test_case_158_a_payer_pays_exactly_what_it_has() -> None:
    """R-MP-01: three shares of one stack, whole by largest remainder, ties to the lower seat."""
    for stack, shares in ((100, [34, 33, 33]), (50, [17, 17, 16]), (1, [1, 0, 0])):
        stage = attrs.evolve(DEFAULT, table_size=4, min_payment=True, initial_player_state=PlayerState(1000))
        assert settle([stack, 1000, 1000, 1000], [-210, 70, 70, 70]) == ([-stack, *shares], 0)
        game = started(attrs.evolve(stage, round=Round(hands=2)), players=4, zero_sum=True)
        payer, *others = seats(game)[0]
        score(game, **{payer: stack - 1000, others[0]: 1000 - stack, others[1]: 0, others[2]: 0})
        before = {player: game.state.entrants[player].score for player in others}
        score(game, **{payer: -210, **dict.fromkeys(others, 70)})
        assert [game.state.entrants[player].score - before[player] for player in others] == shares
        assert (game.state.entrants[payer].score, after_every_hand(game)) == (0, 4000)


def test_case_161_who_has_nothing_is_out_and_gets_no_hand() -> None:
    """R-ME-02, R-MP-01: the line is looked at when a hand ends, and a loss ends at the stack."""
    stage = attrs.evolve(
        MELEE,
        initial_player_state=PlayerState(60),
        grouping=Grouping(shuttle_size=3, max_wait_ms=1),
        min_payment=True,
    )
    game = started(stage, players=9, zero_sum=True)
    broke, winner, poor = seats(game)[0]
    score(game, **{broke: -100, winner: 100, poor: 0})
    entrants = game.state.entrants
    assert [entrants[player].score for player in (broke, winner, poor)] == [0, 120, 60]
    assert (entrants[broke].state, entrants[broke].table_id) == ("out", None)
    ready = tell(game, commands.JoinMatch(game.t, broke, broke))
    assert (ready.code, ready.expected) == ("join_forbidden", "an island")
    seated = [player for event in game.of(events.TablesSeated)[1:] for table in event.tables for player in table]
    assert broke not in seated
    assert entrants[poor].state in ("waiting", "playing"), "60 is above the line of 25, though below the base"


@pytest.mark.parametrize(("left", "stays"), [(25, True), (24, False)])
def test_case_161_the_line_of_a_base_of_100_is_25(left: int, stays: bool) -> None:
    game = started(MELEE, players=9)
    player, other, third = seats(game)[0]
    score(game, **{player: left - 1000, other: 1000 - left, third: 0})
    assert (game.state.entrants[player].state != "out") is stays


def test_case_161_whoever_may_come_back_pays_first() -> None:
    stage = attrs.evolve(MELEE, revival=Revival("list", fees=(10,)), grouping=Grouping(shuttle_size=3, max_wait_ms=1))
    game = started(stage, players=9)
    broke, winner, third = seats(game)[0]
    score(game, **{broke: -1000, winner: 1000, third: 0})
    assert tell(game, commands.JoinMatch(game.t, broke, broke)).code == "join_forbidden"
    assert game.state.entrants[broke].state == "offered"
    offer = game.state.current.offers[broke]
    given(game, commands.Revive(game.t, broke, offer.offer_no, "paid"))
    assert (game.state.entrants[broke].state, game.state.entrants[broke].score) != ("offered", 0)


def test_case_162_a_survivor_keeps_what_it_has_won() -> None:
    stage = attrs.evolve(
        STACKS, table_size=3, initial_player_state=PlayerState(900), grouping=Grouping(shuttle_size=3, max_wait_ms=1)
    )
    game = started(stage, players=9, zero_sum=True)
    total = after_every_hand(game)
    survivor, *losers = seats(game)[0]
    score(game, **{survivor: 1800, **dict.fromkeys(losers, -900)})
    assert after_every_hand(game) == total == 8100
    game.t += 1
    for at_table in seats(game):  # no survivor of these may be reset either
        score(game, **{at_table[0]: -900, at_table[1]: 0, at_table[2]: 900})
        game.t += 1
        game.fire_due()
    assert game.state.entrants[survivor].score == 2700
    scores = {player: points for e in game.effects if hasattr(e, "seats") for player, _, points in e.seats}
    assert scores[survivor] == 2700, "the table server is told so too"
    assert after_every_hand(game) == total


def test_case_162_the_sum_is_constant_to_the_end() -> None:
    game = started(attrs.evolve(STACKS, table_size=3), players=27, zero_sum=True)
    luck = random.Random(162)
    while game.state.status == "running":
        at_table = luck.choice(seats(game))
        worth = luck.choice((1000, 3000, 9000))
        winner = luck.choice(at_table)
        score(game, **{player: 2 * worth if player == winner else -worth for player in at_table})
        assert after_every_hand(game) == 270_000
        game.t += 1
        game.fire_due()


RISING = attrs.evolve(
    MELEE,
    initial_player_state=PlayerState(100),
    initial_game_state=GameState(10),
    base_growth=BaseGrowth("geometric", by="hands", every_hands=1, ratio=2),  # type: ignore[arg-type]
    hands_per_seating="until_elimination",
    end=End(remaining_below=2),
    grouping=Grouping(shuttle_size=3),
)


async def test_case_163_an_absent_player_pays_on_and_may_come_back(mock_clock: Any) -> None:
    """R-RC-01: the table server plays for who is away; nothing stands still for it, and nothing frees the seat."""
    async with premises({"rising": match_of(RISING, players=3, zero_sum=True)}) as house:
        server, lobby = await house.table_server(), await house.lobby()
        await open_match(lobby, "m", "rising", 3)
        seat, hand = await server.next(m.Seat), await server.next(m.StartHand)
        absent = seat.seats[0].player_id
        bases = [hand.base_score]
        assert (await server.ask(m.SeatPresence("m", hand.table_id, absent, False, ref=1))).type == "ok"
        for _ in range(2):
            await server.say(told(seat, hand, -2 * hand.base_score, hand.base_score, hand.base_score))
            hand = await server.next(m.StartHand)
            bases.append(hand.base_score)
        assert bases == [10, 20, 40]
        entrant = house.desk("m").state.entrants[absent]
        assert (entrant.score, entrant.state, entrant.table_id) == (40, "playing", hand.table_id)
        await server.ask(m.SeatPresence("m", hand.table_id, absent, True, ref=1))
        assert table_seats(house) == [who.player_id for who in seat.seats], "the seat was kept"
        await server.say(told(seat, hand, -40, 20, 20))
        out = await lobby.next(m.Eliminated)
        assert (out.player_id, out.place) == (absent, 3), "present or not: below the line is out"


def table_seats(house: Any) -> list[str]:
    """Who sits at the one open table."""
    [table] = house.desk("m").state.tables.values()
    return list(table.seats)


def test_case_168_a_pot_is_paid_by_everybody_the_winner_included() -> None:
    """The table server counts pots and place bonuses (R-SC-03); a sum that is not 0 is refused and changes nothing."""
    [vector] = vectors("mahjong/uma_oka_vectors.json")
    stage: Stage = attrs.evolve(DEFAULT, table_size=4, initial_player_state=PlayerState(vector["start"]))
    game = started(stage, players=4, zero_sum=True)
    at_table = seats(game)[0]
    ante = vector["oka"] // 4
    out_of_nothing = dict(zip(at_table, vector["delta"], strict=True))
    out_of_nothing[at_table[0]] += ante
    refused = tell(game, report(game, out_of_nothing))
    assert (refused.code, refused.field, refused.expected) == ("score_sum", "scores", "a sum of 0")
    assert table_of(game, at_table[0]).in_hand
    score(game, **dict(zip(at_table, vector["delta"], strict=True)))
    won = [game.state.entrants[player].score - vector["start"] for player in at_table]
    assert won == vector["delta"] == [30_000, 0, -10_000, -20_000]
    assert won[0] - vector["uma"][0] == vector["oka"] - ante == 15_000
