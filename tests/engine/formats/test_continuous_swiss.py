"""Continuous Swiss: bouts by the clock, the same boards everywhere, players who come and go (R-CS-01, R-DU).

Proves R-CS-01, R-DU-01.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import duplicate, events
from coordinator.engine import effects as fx
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.deals import deal_of
from coordinator.engine.definition import Clock, Datum, Duplicate, End, Round, Stage
from coordinator.engine.field_flow import flow
from tests.engine.playing import Game
from tests.engine.stages import (
    CLOCKED,
    SWISS,
    given,
    match_of,
    number,
    places,
    report,
    score,
    score_all,
    seats,
    started,
    table_of,
    tell,
)

BOUT = CLOCKED.clock.bout_ms
GRACE = CLOCKED.clock.grace_ms
PAIRS = attrs.evolve(CLOCKED, table_size=2, round=Round(hands=2), table_timeout_ms=10 * BOUT)
RAW = Duplicate(scale="raw", datum=Datum(trim_fraction=Fraction(0)), required_boards=1)


def clocked(**other: Any) -> Stage:
    return attrs.evolve(PAIRS, **other)


def ring(game: Game, after: int = BOUT) -> None:
    """So much later all timers that are due have fired."""
    game.t += after
    game.fire_due()


def orders(game: Game) -> list[fx.StartHand]:
    return [effect for effect in game.effects if isinstance(effect, fx.StartHand)]


def points(game: Game, *players: str) -> list[int | Fraction]:
    return [game.state.entrants[player].points for player in players]


def play_bout(game: Game) -> None:
    """Every table plays all its boards; the lower number wins by a little."""
    while any(table.in_hand for table in game.state.tables.values()):
        for table in list(game.state.tables.values()):
            if table.in_hand:
                score(game, **{player: 100 - number(player) for player in table.seats})


# --- the clock ------------------------------------------------------------------------------------------------------


def test_a_bout_lasts_its_time_even_when_all_are_done() -> None:
    game = started(PAIRS, players=4)
    play_bout(game)
    assert game.state.tables == {}
    assert {entrant.state for entrant in game.state.entrants.values()} == {"waiting"}
    ring(game, BOUT - 1)
    assert game.state.current.bout_no == 1
    ring(game, 1)
    assert game.state.current.bout_no == 2
    assert [seated.t for seated in game.of(events.TablesSeated)] == [0, BOUT]


def test_those_who_are_done_hear_that_they_wait_for_the_clock() -> None:
    game = started(PAIRS, players=2)
    play_bout(game)
    waits = [effect for effect in game.effects if isinstance(effect, fx.TellWaiting)]
    assert waits[-1] == fx.TellWaiting("boards", ("p1", "p2"), "next_bout")


def test_the_stage_ends_with_its_bouts_which_are_twelve() -> None:
    game = started(clocked(bouts=None), players=4).play()
    assert len(game.of(events.BoutEnded)) == 12
    assert game.state.status == "over"


def test_a_table_between_two_boards_parts_when_the_time_is_up() -> None:
    game = Game(match_of(PAIRS, players=4), servers=False).register(4)
    ring(game)
    assert game.of(events.BoardsVoided) == []
    assert game.state.current.bout_no == 2


def test_a_board_in_play_has_its_grace_and_is_then_void() -> None:
    game = started(PAIRS, players=4)
    late = report(game, {"p1": 5, "p2": -5})
    ring(game)
    assert game.state.current.bout_no == 1
    assert sorted(game.state.timers) == ["grace/0", "table/1", "table/2"]
    ring(game, GRACE - 1)
    assert len(seats(game)) == 2
    ring(game, 1)
    (voided,) = game.of(events.BoardsVoided)
    assert voided == events.BoardsVoided(BOUT + GRACE, (1, 2))
    assert game.state.current.bout_no == 2
    refused = tell(game, attrs.evolve(late, t=game.t))
    assert refused.code == "late"
    assert [entrant.boards for entrant in game.state.entrants.values()] == [0] * 4


def test_a_board_that_ends_within_its_grace_counts_and_no_other_starts() -> None:
    game = started(PAIRS, players=4)
    ring(game)
    score(game, p1=5, p2=-5)
    assert "p1" not in [player for table in seats(game) for player in table]
    score(game, p3=7, p4=-7)
    assert game.state.current.bout_no == 2
    assert [seated.t for seated in game.of(events.TablesSeated)] == [0, BOUT], "the next bout follows at once"
    assert [entrant.boards for entrant in game.state.entrants.values()] == [1] * 4
    assert "grace/0" not in game.state.timers


def test_no_grace_cuts_at_once() -> None:
    game = started(clocked(clock=Clock(bout_ms=BOUT, grace_ms=0)), players=4)
    ring(game)
    assert game.of(events.BoardsVoided)
    assert game.state.current.bout_no == 2


def test_finish_waits_for_the_last_board() -> None:
    game = started(clocked(clock=Clock(bout_ms=BOUT, unfinished_board="finish")), players=4)
    ring(game)
    ring(game, BOUT // 2)
    assert game.state.current.bout_no == 1
    score(game, p1=1, p2=-1)
    score(game, p3=1, p4=-1)
    assert game.state.current.bout_no == 2
    assert game.state.timers["bout/0"] == game.t + BOUT, "every bout has its full time"


def test_an_interrupted_board_has_the_grace_too() -> None:
    game = started(PAIRS, players=2)
    game.servers = False
    given(game, c.LoseServer(game.t, "ts", "life"))
    ring(game)
    assert len(seats(game)) == 1
    ring(game, GRACE)
    assert game.state.current.bout_no == 2
    assert game.of(events.BoardsVoided)[0].table_ids == (1,)


def test_a_silent_table_is_settled() -> None:
    stage = clocked(clock=Clock(bout_ms=BOUT, unfinished_board="finish"), table_timeout_ms=BOUT + 5)
    game = started(stage, players=2)
    ring(game, BOUT)
    ring(game, 5)
    assert game.of(events.RoundEnded)[0].settled
    assert game.state.current.bout_no == 2


# --- the boards -----------------------------------------------------------------------------------------------------


def test_every_table_is_dealt_the_same_boards() -> None:
    game = started(PAIRS, players=6)
    play_bout(game)
    ring(game)
    dealt = {(hand.table_id, hand.board_no): hand.deal for hand in orders(game)}
    assert sorted(dealt) == [*((t, b) for t in (1, 2, 3) for b in (1, 2)), (4, 3), (5, 3), (6, 3)]
    for board in (1, 2, 3):
        assert len({deal for (_, on), deal in dealt.items() if on == board}) == 1
    assert len(set(dealt.values())) == 3
    assert dealt[5, 3] == deal_of("secret 1", "m", "boards/b3", 1), "as anybody can verify"


def test_points_follow_the_datum_as_results_come_in() -> None:
    game = started(clocked(duplicate=RAW), players=6)
    score(game, p1=10, p2=-10)
    assert points(game, "p1", "p2") == [0, 0], "one result is compared with nothing"
    assert game.state.entrants["p1"].boards == 0, "and does not count yet"
    score(game, p3=30, p4=-30)
    assert points(game, "p1", "p2", "p3", "p4") == [-10, 10, 10, -10]
    score(game, p5=20, p6=-20)
    assert points(game, "p1", "p3", "p5") == [-10, 10, 0]
    assert [entrant.boards for entrant in game.state.entrants.values()] == [1] * 6


def test_directions_are_compared_with_their_own_datum() -> None:
    """R-DU-01: without partners each seat is a direction, whatever the others do."""
    game = started(clocked(duplicate=RAW), players=4)
    score(game, p1=10, p2=500)
    score(game, p3=30, p4=-700)
    assert points(game, "p1", "p3") == [-10, 10]
    assert points(game, "p2", "p4") == [600, -600]


def test_partners_share_the_result_of_their_direction() -> None:
    """R-DU-01."""
    rule = attrs.evolve(RAW, directions=("NS", "EW", "NS", "EW"))
    game = started(clocked(table_size=4, duplicate=rule), players=8)
    wrong = tell(game, report(game, {"p1": 50, "p2": -50, "p3": 40, "p4": -40}))
    assert (wrong.code, wrong.field) == ("invalid", "scores")
    score(game, p1=50, p2=-50, p3=50, p4=-50)
    score(game, p5=-10, p6=10, p7=-10, p8=10)
    assert points(game, "p1", "p2", "p3", "p4") == [30, -30, 30, -30]
    assert points(game, "p5", "p6", "p7", "p8") == [-30, 30, -30, 30]


def test_points_are_provisional_until_the_bout_is_over() -> None:
    """R-DU-02."""
    game = started(PAIRS, players=4)
    play_bout(game)
    assert [entrant.open_boards for entrant in game.state.entrants.values()] == [2] * 4
    ring(game)
    assert [entrant.open_boards for entrant in game.state.entrants.values()] == [0] * 4


def test_a_board_closes_with_so_many_results_and_keeps_its_datum() -> None:
    """R-DU-02: later ones are compared with it and move nobody else."""
    game = started(clocked(duplicate=attrs.evolve(RAW, closes_at=2)), players=6)
    score(game, p1=10, p2=-10)
    score(game, p3=30, p4=-30)
    assert game.state.entrants["p1"].open_boards == 0
    score(game, p5=500, p6=-500)
    assert points(game, "p1", "p3", "p5", "p6") == [-10, 10, 480, -480]
    assert [game.state.entrants[player].boards for player in ("p1", "p5")] == [1, 1]
    assert game.of(events.BoardCompared)[-1].datums == (20, -20)


def test_a_result_costs_no_more_than_its_board_may_hold() -> None:
    game = started(clocked(duplicate=attrs.evolve(RAW, closes_at=3)), players=40)
    score_all(game, lambda player: number(player) % 7)
    (board,) = [board for board in game.state.current.boards.values() if board.board_no == 1]
    assert (board.closed, board.rows) == (True, [])


def test_a_board_that_too_few_have_played_is_worth_nothing() -> None:
    """R-DU-02: min_results."""
    game = started(PAIRS, players=2).play()
    assert [entrant.boards for entrant in game.state.entrants.values()] == [0, 0]
    one = started(clocked(duplicate=attrs.evolve(RAW, min_results=1)), players=2).play()
    assert [(e.boards, e.points) for e in one.state.entrants.values()] == [(6, 0), (6, 0)], "no difference to oneself"


# --- who sits with whom, and byes -----------------------------------------------------------------------------------


def test_near_averages_sit_together_and_newcomers_count_as_0() -> None:
    game = started(clocked(duplicate=RAW), players=4)
    score(game, p1=10, p2=-10)
    score(game, p3=30, p4=-30)
    given(game, c.RegisterPlayer(game.t, "new", "New"))
    given(game, c.RegisterPlayer(game.t, "newer", "Newer"))
    score(game, p1=0, p2=0)
    score(game, p3=0, p4=0)
    ring(game)
    # Averages: p2 and p3 have +5, p1 and p4 −5; the newcomers stand between them.
    assert seats(game) == [["p2", "p3"], ["new", "newer"], ["p1", "p4"]]


def test_a_bye_has_no_effect_and_goes_to_the_lowest_without_one() -> None:
    game = started(clocked(bouts=5), players=5)
    byes: list[str] = []
    for _ in range(5):
        byes += game.state.current.byes
        before = {player: (e.points, e.boards) for player, e in game.state.entrants.items()}
        (sitting_out,) = game.state.current.byes
        play_bout(game)
        entrant = game.state.entrants[sitting_out]
        assert (entrant.points, entrant.boards) == before[sitting_out]
        ring(game)
    assert sorted(byes) == ["p1", "p2", "p3", "p4", "p5"]


def test_too_few_for_a_table_wait_for_more() -> None:
    game = started(PAIRS, players=2)
    given(game, c.WithdrawPlayer(game.t, "p1"))
    play_bout(game)
    ring(game)
    assert game.state.current.byes == ("p2",)
    assert game.state.tables == {}
    given(game, c.RegisterPlayer(game.t, "p3", "Three"))
    ring(game)
    assert seats(game) == [["p2", "p3"]]


def test_when_all_have_left_the_stage_ends() -> None:
    game = started(PAIRS, players=2)
    given(game, c.WithdrawPlayer(game.t, "p1"))
    given(game, c.WithdrawPlayer(game.t, "p2"))
    play_bout(game)
    ring(game)
    assert game.state.status == "over"


# --- coming and going -----------------------------------------------------------------------------------------------


def test_who_comes_late_waits_for_the_next_bout_and_hears_it() -> None:
    game = started(PAIRS, players=4)
    outcome = given(game, c.RegisterPlayer(5, "late", "Late"))
    assert outcome.events[0] == events.PlayerRegistered("late", "Late", 5)
    assert fx.TellWaiting("boards", ("late",), "next_bout") in outcome.effects
    assert game.state.entrants["late"].state == "waiting"


def test_nobody_comes_once_the_last_bout_has_begun() -> None:
    game = started(clocked(bouts=1), players=4)
    assert tell(game, c.RegisterPlayer(5, "late", "Late")).code == "match_closed"


def test_late_entry_may_be_off() -> None:
    game = started(clocked(clock=Clock(bout_ms=BOUT, late_entry=False)), players=4)
    assert tell(game, c.RegisterPlayer(5, "late", "Late")).code == "match_closed"


def test_who_sits_leaves_when_the_bout_is_over() -> None:
    game = started(PAIRS, players=4)
    assert given(game, c.WithdrawPlayer(0, "p1")).events == (events.LeavePromised(0, "p1"),)
    assert given(game, c.WithdrawPlayer(0, "p1")).events == ()
    assert table_of(game, "p1").in_hand
    play_bout(game)
    ring(game)
    assert game.state.entrants["p1"].state == "left"
    assert game.state.current.byes == ("p4",)
    assert given(game, c.WithdrawPlayer(game.t, "p1")).events == ()


def test_who_waits_leaves_at_once() -> None:
    game = started(PAIRS, players=5)
    assert given(game, c.WithdrawPlayer(0, "p5")).events == (events.EntrantsLeft(0, ("p5",)),)


def test_who_left_may_come_back_with_what_was_played() -> None:
    game = started(clocked(duplicate=RAW), players=4)
    given(game, c.WithdrawPlayer(0, "p1"))
    score(game, p1=10, p2=-10)
    score(game, p3=30, p4=-30)
    given(game, c.RegisterPlayer(1, "p2", "Two"))
    score_all(game, lambda player: 0)
    ring(game)
    assert game.state.entrants["p1"].state == "left"
    given(game, c.RegisterPlayer(game.t, "p1", "One"))
    entrant = game.state.entrants["p1"]
    assert (entrant.state, entrant.points, entrant.boards, entrant.reg_seq) == ("waiting", -10, 2, 5)


def test_who_changes_their_mind_stays() -> None:
    game = started(PAIRS, players=2)
    given(game, c.WithdrawPlayer(0, "p1"))
    outcome = given(game, c.RegisterPlayer(0, "p1", "One"))
    assert outcome.effects == ()
    play_bout(game)
    ring(game)
    assert seats(game) == [["p1", "p2"]]


# --- the ranking ----------------------------------------------------------------------------------------------------


def test_all_are_ranked_by_average_those_who_left_too() -> None:
    game = started(clocked(bouts=2, duplicate=RAW), players=4)
    given(game, c.WithdrawPlayer(0, "p3"))
    score(game, p1=10, p2=-10)
    score(game, p3=30, p4=-30)
    score_all(game, lambda player: 0)
    ring(game)
    game.play()
    assert places(game)["p3"] <= 2
    assert sorted(places(game).values()) == [1, 2, 3, 4]


def test_too_few_boards_are_no_result() -> None:
    """R-DU-05: whoever comes last played fewer, whatever the average."""
    game = started(clocked(bouts=2, duplicate=attrs.evolve(RAW, required_boards=3)), players=4)
    play_bout(game)
    given(game, c.RegisterPlayer(game.t, "late", "Late"))
    given(game, c.RegisterPlayer(game.t, "later", "Later"))
    ring(game)
    for table in list(game.state.tables.values()):
        worth = {player: 1000 if player.startswith("late") else 0 for player in table.seats}
        score(game, **worth)
        score(game, **worth)
    ring(game)
    assert [places(game)["late"], places(game)["later"]] == [5, 6]


def test_the_best_who_are_still_there_go_on() -> None:
    stage = clocked(bouts=1, duplicate=RAW, end=End(advance_count=2))
    game = started(stage, attrs.evolve(SWISS, table_size=2), players=4)
    given(game, c.WithdrawPlayer(0, "p3"))
    score(game, p1=10, p2=-10)
    score(game, p3=30, p4=-30)
    score_all(game, lambda player: 0)
    ring(game)
    # p2 and p3 have +5, p1 and p4 −5; p3 has left.
    assert list(game.state.current.active) == ["p2", "p1"]
    assert [game.state.entrants[player].place for player in ("p3", "p4")] == [3, 4]


@pytest.mark.parametrize("players", [2, 7, 30])
def test_it_plays_to_its_end_with_every_field(players: int) -> None:
    game = Game(match_of(PAIRS, players=players), ms_per_hand=40_000).register(players).play()
    assert game.state.status == "over"
    assert sorted(places(game).values()) == list(range(1, players + 1))


def test_the_totals_are_those_of_the_score_sheet() -> None:
    """R-DU-04: every average worked out again from nothing but the hands that were scored."""
    game = Game(match_of(clocked(bouts=4), players=14), ms_per_hand=15_000).register(14).play()
    seats_of = {}
    for seated in game.of(events.TablesSeated):
        for table_id, at_table in enumerate(seated.tables, start=seated.first_table_id):
            seats_of[table_id] = (seated.bout_no, at_table)
    boards: dict[int, list[tuple[tuple[str, ...], tuple[int, ...]]]] = {}
    for hand in game.of(events.HandScored):
        bout_no, at_table = seats_of[hand.table_id]
        boards.setdefault(2 * (bout_no - 1) + hand.hand_no, []).append((at_table, hand.scores))
    sheet: dict[str, list[int | Fraction]] = {player: [] for player in game.state.entrants}
    for results in boards.values():
        if len(results) < 2:
            continue
        for seat in (0, 1):
            column = [scores[seat] for _, scores in results]
            datum = duplicate.datum(column, len(column) // 4)
            for at_table, scores in results:
                sheet[at_table[seat]].append(duplicate.points(scores[seat] - datum, "sp"))
    assert sheet == {player: sheet[player] for player in game.state.entrants}
    for player, entrant in game.state.entrants.items():
        assert (entrant.points, entrant.boards) == (sum(sheet[player]), len(sheet[player]))


# --- what a definition may say --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"leave": "forbidden"}, "leave"),
        ({"scoring": "total"}, "scoring"),
        ({"bouts": "until_done"}, "bouts"),
        ({"bye_delta": 5}, "bye_delta"),
        ({"min_payment": True}, "min_payment"),
        ({"round_carry_pct": 50}, "round_carry_pct"),
        ({"tie_chain": ("registration",)}, "tie_chain"),
        ({"round": Round("target", target=5, max_hands=3)}, "round.type"),
        ({"clock": Clock(bout_ms=0)}, "clock.bout_ms"),
        ({"clock": Clock(boards_per_bout=3)}, "round.hands"),
        ({"clock": Clock(unfinished_board="finish", grace_ms=5)}, "clock.grace_ms"),
        ({"end": End(remaining_below=5)}, "end"),
        ({"duplicate": Duplicate()}, "duplicate.required_boards"),
        ({"duplicate": Duplicate(required_boards=7)}, "duplicate.required_boards"),
        ({"duplicate": Duplicate(required_boards=1, closes_at=1)}, "duplicate.closes_at"),
        ({"duplicate": Duplicate(required_boards=1, directions=("NS",))}, "duplicate.directions"),
        ({"duplicate": Duplicate(required_boards=1, datum=Datum(Fraction(1, 2)))}, "duplicate.datum.trim_fraction"),
        ({"duplicate": Duplicate(required_boards=1, datum=Datum(Fraction(0), 1))}, "duplicate.datum.trim_fixed"),
        ({"duplicate": Duplicate(required_boards=1, datum=Datum(round=5))}, "duplicate.datum.round"),
    ],
)
def test_what_contradicts_the_format_is_refused(change: dict[str, Any], path: str) -> None:
    found = [mistake.path for mistake in definition_mistakes(match_of(clocked(**change)))]
    assert f"phases[0].stages[0].{path}" in found


@pytest.mark.parametrize("change", [{"scoring": "duplicate"}, {"clock": Clock(bout_ms=5)}, {"duplicate": RAW}])
def test_other_formats_know_no_boards(change: dict[str, Any]) -> None:
    (found,) = [mistake.path for mistake in definition_mistakes(match_of(attrs.evolve(SWISS, **change)))]
    assert found == f"phases[0].stages[0].{next(iter(change))}"


def test_the_field_of_the_next_stage_is_known_where_it_is_limited() -> None:
    limited = clocked(end=End(advance_count=6))
    after = attrs.evolve(SWISS, table_size=3)
    assert [step.leaves for step in flow(match_of(limited, after, players=20), 20)] == [(6, 6), (6, 6)]
