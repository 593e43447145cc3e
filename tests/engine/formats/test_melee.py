"""Melees as matches, with and without auto shift selection: the line, the base, the shuttle, the drain and the end.

Proves R-ME-01, R-ME-05.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import BaseGrowth, Elimination, End, GameState, Grouping, PlayerState, Stage
from tests.engine.playing import Game
from tests.engine.stages import (
    DEFAULT,
    MELEE,
    given,
    number,
    places,
    players,
    report,
    score,
    seats,
    started,
    still_in,
    table_of,
    tell,
)


def melee(field: int, below: int = 3, **more: Any) -> Game:
    return started(attrs.evolve(MELEE, end=End(remaining_below=below), **more), players=field)


def knock_out(game: Game, player: str) -> None:
    """The player's table ends a hand in which this player loses everything to the others."""
    others = [mate for mate in table_of(game, player).seats if mate != player]
    score(game, **{player: -1000}, **dict.fromkeys(others, 1000 // len(others)))


def nothing_happens(game: Game, at_table: list[str]) -> None:
    """The table ends a hand that nobody wins."""
    score(game, **dict.fromkeys(at_table, 0))


def out(game: Game) -> dict[str, int | None]:
    gone = game.of(events.PlayersEliminated)
    return {player: place for event in gone for player, place in zip(event.players, event.places, strict=True)}


# --- the line -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "stays", "goes"),
    [
        (Elimination(ratio_of_base=Fraction(1, 4)), 25, 24),
        (Elimination(ratio_of_base=Fraction(1, 4), compare="le"), 26, 25),
        (Elimination(absolute=0), 0, -1),
        (Elimination(absolute=0, compare="le"), 1, 0),
        (Elimination(absolute=300), 300, 299),
    ],
)
def test_on_which_side_of_the_line(line: Elimination, stays: int, goes: int) -> None:
    """R-ME-02: base 100."""
    game = melee(9, elimination=line)
    one, two, three = seats(game)[0]
    score(game, **{one: stays - 1000, two: goes - 1000, three: 0})
    assert list(out(game)) == [two]
    assert one in still_in(game)


def test_the_line_of_a_hand_is_that_of_its_own_base() -> None:
    """R-ME-02, edge: the base goes from 100 to 1000 while the hand runs; 200 is above 25 and stays."""
    growth = BaseGrowth("arith", every_ms=1000, add=900)
    game = melee(9, base_growth=growth)
    one, two, three = seats(game)[0]
    game.t = 1000
    game.fire_due()
    assert game.state.current.base_score == 1000
    score(game, **{one: -800, two: 400, three: 400})
    assert out(game) == {}


def test_a_tick_puts_nobody_out() -> None:
    """R-ME-02, edge: those who wait have 1000, the line rises to 2500 and they are still in until they play."""
    growth = BaseGrowth("arith", every_ms=1000, add=9900)
    game = melee(10, base_growth=growth)
    (waiting,) = game.state.current.pool
    game.t = 1000
    game.fire_due()
    assert game.state.current.base_score == 10_000
    assert (out(game), waiting in still_in(game)) == ({}, True)


def test_all_of_a_table_are_out_in_one_hand() -> None:
    """R-ME-01, edge: the last three places of 99, by score, then by what they had before, then by registration."""
    game = melee(99)
    one, two, three = sorted(seats(game)[0], key=number)
    score(game, **{one: -980, two: -990, three: -980})
    assert out(game) == {one: 97, three: 98, two: 99}
    assert len(still_in(game)) == 96


def test_of_two_equals_the_one_who_had_more_before_stands_higher() -> None:
    """R-ME-05: the batch goes by score after, then score before the hand."""
    game = melee(3, below=2, hands_per_seating="until_elimination")
    score(game, p1=-200, p2=300, p3=-100)
    score(game, p1=-800, p2=2000, p3=-900)
    assert out(game) == {"p3": 2, "p1": 3}


# --- the base -------------------------------------------------------------------------------------------------------


def test_every_tick_is_pushed_once_with_its_number() -> None:
    """R-ME-03."""
    game = melee(9, base_growth=BaseGrowth("arith", every_ms=1000, add=50, add_step=10))
    for game.t in range(0, 6001, 500):
        game.fire_due()
    pushed = [(e.tick, e.base_score) for e in game.effects if isinstance(e, fx.RaiseBase)]
    assert pushed == list(enumerate((100, 150, 210, 280, 360, 450, 550)))


def test_after_a_pause_the_base_is_that_of_the_tick_and_not_of_the_steps() -> None:
    """R-ME-03: recomputed from the tick, in one go."""
    game = melee(9, base_growth=BaseGrowth("geometric", every_ms=1000, ratio=Fraction(11, 10)))
    game.t = 6000
    game.fire_due()
    (raised,) = game.of(events.BaseRaised)
    assert (raised.tick, raised.base_score) == (6, 177)
    assert game.state.timers["base/0"] == 7000


def test_a_base_that_rises_slowly_rises_all_the_same() -> None:
    """R-ME-03: 10 * 1.01**k first shows a whole point after ten ticks; the ticks before must not be the last."""
    growth = BaseGrowth("geometric", every_ms=1000, ratio=Fraction(101, 100))
    game = melee(9, base_growth=growth, initial_game_state=GameState(10))
    for game.t in range(0, 20_001, 1000):
        game.fire_due()
    assert game.state.current.base_score == 12
    assert fx.RaiseBase("melee", 10, 11) in game.effects


def test_a_table_of_bases_may_pause_and_stays_at_its_last_value() -> None:
    """R-ME-03."""
    growth = BaseGrowth("table", every_ms=1000, values=(100, 100, 100, 100, 400))
    game = melee(9, base_growth=growth)
    for game.t in range(0, 9001, 1000):
        game.fire_due()
    assert game.state.current.base_score == 400
    assert "base/0" not in game.state.timers


def test_the_base_stops_at_its_cap_and_so_does_its_timer() -> None:
    """R-ME-03, max_base."""
    game = melee(9, base_growth=BaseGrowth("arith", every_ms=1000, add=70, max_base=200))
    for game.t in range(0, 9001, 1000):
        game.fire_due()
    assert [e.base_score for e in game.of(events.BaseRaised)] == [170, 200]
    assert "base/0" not in game.state.timers


def test_no_base_is_larger_than_what_every_peer_keeps_exactly() -> None:
    game = melee(9, base_growth=BaseGrowth("geometric", every_ms=1000, ratio=Fraction(1000)))
    for game.t in range(0, 60_001, 1000):
        game.fire_due()
    assert max(e.base_score for e in game.effects if isinstance(e, fx.RaiseBase)) == 2**53 - 1


def test_the_base_rises_by_hands() -> None:
    """R-ME-03, by = "hands": every third scored hand of the stage."""
    game = melee(9, base_growth=BaseGrowth("arith", by="hands", every_hands=3, add=10))
    game.play(hands=7)
    assert [(e.tick, e.base_score) for e in game.of(events.BaseRaised)] == [(1, 110), (2, 120)]


# --- the shuttle ----------------------------------------------------------------------------------------------------


def test_everybody_is_seated_at_once_and_the_rest_waits() -> None:
    game = melee(11)
    assert (len(seats(game)), len(game.state.current.pool)) == (3, 2)
    seated = [player for table in seats(game) for player in table]
    assert sorted([*seated, *game.state.current.pool], key=number) == players(range(1, 12))


def test_finished_players_wait_until_the_shuttle_is_full() -> None:
    """R-ME-04."""
    game = melee(18)
    first, second, third, *_ = seats(game)
    nothing_happens(game, first)
    nothing_happens(game, second)
    assert len(game.of(events.TablesSeated)) == 1
    nothing_happens(game, third)
    departed = game.of(events.TablesSeated)[1]
    assert sorted(p for table in departed.tables for p in table) == sorted(first + second + third)


def test_the_longest_waiting_is_never_left_behind() -> None:
    """R-ME-04: with 10 at tables of three one waits on; it is not the one who waited longest."""
    for seed in range(12):
        game = Game(started(MELEE, players=19).definition, seed=seed).register(19)
        (longest,) = game.state.current.pool
        for at_table in seats(game)[:3]:
            game.t += 1
            nothing_happens(game, at_table)
        assert longest in [player for table in game.of(events.TablesSeated)[1].tables for player in table]
        assert len(game.state.current.pool) == 1


def test_nobody_waits_longer_than_the_organiser_allows() -> None:
    """R-ME-04, max_wait_s: three wait for a shuttle of nine and leave after 30 seconds."""
    game = melee(18)
    game.t = 5000
    nothing_happens(game, seats(game)[0])
    assert game.state.timers["shuttle/0"] == 35_000
    assert tell(game, c.FireTimer(34_999, "shuttle/0")).code == "not_due"
    game.t = 35_000
    game.fire_due()
    assert [seated.t for seated in game.of(events.TablesSeated)] == [0, 35_000]


def test_too_few_to_fill_a_table_wait_on_after_the_time_is_over() -> None:
    """R-ME-04: the oldest has waited long enough and the pool still fills no table."""
    game = melee(19)
    game.t = 60_000
    game.fire_due()
    assert len(game.of(events.TablesSeated)) == 1
    nothing_happens(game, seats(game)[0])
    # Now four wait, the oldest for a minute: they need not wait for the shuttle.
    assert len(game.of(events.TablesSeated)) == 2
    assert len(game.state.current.pool) == 1


def test_table_mates_are_parted_where_the_draw_can() -> None:
    """R-ME-04, soft rule: of nine from three tables a draw without a former pair is found."""
    game = melee(18)
    former = seats(game)[:3]
    for at_table in former:
        nothing_happens(game, at_table)
    pairs = sum(
        one in table and other in table
        for table in game.of(events.TablesSeated)[1].tables
        for at_table in former
        for one in at_table
        for other in at_table
        if one < other
    )
    assert pairs <= 2


def test_a_pool_too_small_to_seat_ends_the_stage() -> None:
    """R-ME-04, edge: two are left at tables of three, although the stage would go on until one is left."""
    game = melee(3, below=2, hands_per_seating="until_elimination")
    knock_out(game, "p3")
    assert game.state.status == "over"
    assert places(game)["p3"] == 3
    assert sorted(places(game).values()) == [1, 2, 3]


# --- auto shift selection -------------------------------------------------------------------------------------------


def test_a_table_stays_together_until_somebody_is_out() -> None:
    """R-AS-01, until_elimination."""
    game = melee(9, hands_per_seating="until_elimination")
    at_table = seats(game)[0]
    for _ in range(12):
        nothing_happens(game, at_table)
    assert seats(game)[0] == at_table
    knock_out(game, at_table[0])
    assert at_table[1] in game.state.current.pool
    assert at_table[0] not in game.state.current.pool


def test_rich_tables_are_regrouped_by_near_score() -> None:
    """R-AS-01, regroup = "swiss": the nine who wait sit down in the order of their scores."""
    game = melee(18, hands_per_seating=1, regroup="swiss")
    for richness, at_table in enumerate(seats(game)[:3]):
        score(game, **{player: 10 * richness + seat for seat, player in enumerate(at_table)})
    new = game.of(events.TablesSeated)[1].tables
    scores = [game.state.entrants[player].score for table in new for player in table]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("order", ["rank", "random"])
def test_seats_follow_the_organiser_in_a_melee_too(order: Any) -> None:
    """R-GR-05: drawn tables seated by rank, near-score tables seated by lot."""
    regroup = "random" if order == "rank" else "swiss"
    grouping = Grouping(shuttle_size=30, seat_order=order)
    game = melee(60, grouping=grouping, regroup=regroup)
    for richness, at_table in enumerate(seats(game)[:10]):
        score(game, **{player: 10 * richness + seat for seat, player in enumerate(at_table)})
    new = game.of(events.TablesSeated)[1].tables
    by_rank = [sorted(table, key=lambda p: -game.state.entrants[p].score) == list(table) for table in new]
    assert all(by_rank) == (order == "rank")


# --- the end --------------------------------------------------------------------------------------------------------


def test_running_hands_finish_and_cost_nobody_the_place() -> None:
    """R-ME-05: with 8 left below 9, the other two tables end their hands; whoever falls to -500 is still a survivor."""
    game = melee(9, below=9)
    first, second, third = seats(game)
    knock_out(game, first[0])
    assert game.state.current.draining
    one, two, three = second
    score(game, **{one: -1500, two: 700, three: 800})
    assert out(game) == {first[0]: 9}
    assert len(still_in(game)) == 8
    nothing_happens(game, third)
    assert game.state.status == "over"
    assert places(game)[one] == 8
    assert places(game)[three] == 1


def test_no_table_is_formed_once_the_end_is_near() -> None:
    """R-ME-05: whoever waits and whoever comes from a running hand waits for the ranking, and hears why."""
    game = melee(10, below=10)
    (waiting,) = game.state.current.pool
    first, second, third = seats(game)
    knock_out(game, first[0])
    told = [(e.players, e.reason) for e in game.effects if isinstance(e, fx.TellWaiting)]
    assert ((waiting,), "quota_reached") in told
    nothing_happens(game, second)
    assert fx.TellWaiting("melee", tuple(second), "quota_reached") in game.effects
    nothing_happens(game, third)
    assert len(game.of(events.TablesSeated)) == 1
    assert game.state.status == "over"


def test_seats_taken_but_not_begun_are_given_up() -> None:
    """R-ME-05: a table without a server has started no hand; the drain dissolves it and its players are survivors."""
    game = melee(9, below=9)
    first, second, third = seats(game)
    game.servers = False
    for at_table in (first, second, third):
        nothing_happens(game, at_table)
    assert [table.server_id for table in game.state.tables.values()] == [None, None, None]
    begun, *idle = game.state.tables
    given(game, c.PlaceTables(0, (c.Placement(begun, "ts", "life"),)))
    knock_out(game, game.state.tables[begun].seats[0])
    assert game.state.status == "over"
    assert [event.table_id for event in game.of(events.RoundEnded)][-3:] == [begun, *idle]
    assert tell(game, c.PlaceTables(0, (c.Placement(idle[0], "ts", "life"),))).code == "unknown_table"
    assert sorted(places(game).values()) == list(range(1, 10))


def test_an_interrupted_hand_of_a_draining_stage_is_repeated() -> None:
    """R-HI-08, R-ME-05: it has begun, so it is played to its end and counts."""
    game = melee(6, below=6)
    first, second = seats(game)
    moved = table_of(game, second[0])
    game.servers = False
    given(game, c.AbortRound(0, "ts", moved.table_id, 1, "out of order"))
    knock_out(game, first[0])
    assert game.of(events.StageEnded) == []
    given(game, c.PlaceTables(0, (c.Placement(moved.table_id, "other", "life"),)))
    score(game, **dict(zip(second, (5, -5, 0), strict=True)))
    assert game.state.status == "over"
    assert game.state.entrants[second[0]].score == 1005


def test_a_stage_may_end_by_the_clock() -> None:
    """R-ME-05, end.max_s: at its time nobody is seated any more, running hands count."""
    stage = attrs.evolve(MELEE, end=End(remaining_below=3, max_ms=60_000))
    game = started(stage, players=6)
    first, second = seats(game)
    game.t = 60_000
    game.fire_due()
    assert game.of(events.DrainStarted) == [events.DrainStarted(60_000, "time")]
    for at_table in (first, second):
        nothing_happens(game, at_table)
    assert game.state.status == "over"
    assert places(game) == {f"p{n}": n for n in range(1, 7)}


def test_fewer_than_the_limit_never_begin_to_play() -> None:
    """R-ME-05: five come to a stage that ends below nine: it is over at once, ranked by registration."""
    game = melee(5, below=9)
    assert game.of(events.TablesSeated) == []
    assert places(game) == {f"p{n}": n for n in range(1, 6)}


def test_survivors_by_score_then_the_eliminated_in_reverse() -> None:
    """R-ME-05."""
    game = melee(9, below=8)
    first, second, third = seats(game)
    knock_out(game, first[0])
    knock_out(game, second[0])
    score(game, **dict(zip(third, (30, -40, 10), strict=True)))
    final = places(game)
    assert (final[second[0]], final[first[0]]) == (8, 9)
    by_score = sorted(still_in(game), key=lambda p: (-game.state.entrants[p].score, game.state.entrants[p].reg_seq))
    assert [final[player] for player in by_score] == list(range(1, 8))
    assert {final[player] for player in (*first[1:], *second[1:])} == {1, 2, 3, 4}


def to_the_final(advance: int | None) -> tuple[Stage, Stage]:
    first = attrs.evolve(MELEE, end=End(remaining_below=9, advance_count=advance))
    return first, attrs.evolve(DEFAULT, id="final")


def test_of_the_survivors_only_the_first_advance() -> None:
    """R-ME-05, advance_count: stop below nine, three go on; the others are out as survivors in rank order."""
    game = started(*to_the_final(3), players=9)
    for at_table in seats(game)[1:]:
        nothing_happens(game, at_table)
    game.play(hands=1)
    while game.of(events.StageEnded) == []:
        game.play(hands=1)
    ended = game.of(events.StageEnded)[0]
    late = [e for e in game.effects if isinstance(e, fx.TellEliminated) and e.player_id in ended.ranking[3:]]
    survivors = len(ended.ranking) - len(out(game))
    assert [(e.player_id, e.place) for e in late if e.player_id not in out(game)] == [
        (player, place) for place, player in enumerate(ended.ranking[3:survivors], start=4)
    ]
    game.play()
    assert sorted(places(game).values()) == list(range(1, 10))
    assert [player for player, place in places(game).items() if place > 3] == list(ended.ranking[3:])


def test_an_advance_count_of_the_last_stage_leaves_nobody_without_a_place() -> None:
    """R-HI-05, R-ME-05: the ranking covers everybody who entered, those cut at the end included."""
    stage = attrs.evolve(MELEE, end=End(remaining_below=9, advance_count=3))
    game = started(stage, players=9)
    first, second, third = seats(game)
    knock_out(game, first[0])
    nothing_happens(game, second)
    nothing_happens(game, third)
    assert sorted(places(game).values()) == list(range(1, 10))
    assert {entrant.place for entrant in game.state.entrants.values()} == set(range(1, 10))


def test_nobody_left_at_all() -> None:
    """R-ME-01, edge: the last table loses all three; they are placed and the match is over."""
    game = melee(3, initial_player_state=PlayerState(100))
    score(game, p1=-90, p2=-80, p3=-100)
    assert places(game) == {"p2": 1, "p1": 2, "p3": 3}


@pytest.mark.parametrize("field", [3, 4, 10, 31, 60])
@pytest.mark.parametrize("hands", [1, 3, "until_elimination"])
def test_a_melee_ends_and_everybody_has_a_place(field: int, hands: Any) -> None:
    growth = BaseGrowth("arith", by="hands", every_hands=4, add=50)
    game = Game(melee(field, hands_per_seating=hands, base_growth=growth).definition, seed=field).register(field).play()
    assert game.state.status == "over"
    assert sorted(places(game).values()) == list(range(1, field + 1))


def test_hand_ends_of_one_instant_count_in_the_order_they_arrive() -> None:
    """R-ME-05, ambiguity: the limit may be passed by more than one."""
    game = melee(12, below=12)
    first, second, *_ = seats(game)
    last = report(game, dict(zip(second, (-1000, -1000, 2000), strict=True)))
    score(game, **dict(zip(first, (-1000, -1000, 2000), strict=True)))
    given(game, last)
    assert len(still_in(game)) == 10
    assert set(out(game)) == set(first[:2])
