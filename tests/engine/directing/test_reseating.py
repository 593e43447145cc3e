"""Seating anew: everybody, with what stands and what does not."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.definition import CarryOut, Cut, Grouping
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import CorrectHand, GivePenalty, SeatAnew
from coordinator.engine.match import Outcome
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, DOMINION, KNOCKOUT, MELEE, SWISS, given, match_of, report, seats, tell

DRAWN = attrs.evolve(SWISS, table_size=2, bouts=3, grouping=Grouping(kind="random"))
RANKED = attrs.evolve(SWISS, table_size=2, bouts=3, grouping=Grouping(kind="swiss"))


def waiting(stage: Any, players: int, **words: Any) -> Game:
    """A match whose first tables wait for a table server."""
    return Game(match_of(stage, players=players, **words), servers=False).register(players)


def place(game: Game) -> None:
    """A table server takes all tables that wait."""
    homeless = [table.table_id for table in game.state.tables.values() if table.server_id is None]
    given(game, c.PlaceTables(game.t, tuple(c.Placement(table_id, "ts", "life") for table_id in homeless)))


def play_bout(game: Game, **worth: int) -> None:
    """Everybody has a hand with these scores, 0 where nothing is said."""
    place(game)
    for at in seats(game):
        given(game, report(game, {player: worth.get(player, 0) for player in at}))


def reseat(game: Game, key: str = "anew") -> Outcome:
    return given(game, SeatAnew(game.t, key, ""))


@pytest.mark.parametrize(
    "stage",
    [
        DRAWN,
        attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done"),
        DOMINION,
        attrs.evolve(CLOCKED, table_size=2),
        attrs.evolve(MELEE, table_size=2, grouping=Grouping(shuttle_size=2)),
    ],
    ids=lambda stage: stage.format,
)
def test_a_complete_new_seating_in_every_format(stage: Any) -> None:
    game = waiting(stage, 8)
    before = dict(game.state.tables)
    reseat(game)
    assert sorted(player for at in seats(game) for player in at) == sorted(game.state.entrants)
    assert not before.keys() & game.state.tables.keys()
    assert {entrant.table_id for entrant in game.state.entrants.values()} == game.state.tables.keys()
    assert game.state.current.bout_no == 1 if stage.format != "melee" else game.state.current.bout_no >= 1
    found = [effect for effect in game.effects if isinstance(effect, fx.FindServers)]
    assert found[-1].table_ids == tuple(game.state.tables)[-len(found[-1].table_ids) :]
    play_bout(game)


def test_draws_are_fresh() -> None:
    game = waiting(DRAWN, 8)
    first = seats(game)
    drawn = {str(sorted(map(sorted, first)))}
    for number in range(4):
        reseat(game, key=f"{number}")
        drawn.add(str(sorted(map(sorted, seats(game)))))
    assert len(drawn) > 1


def test_byes_are_given_anew_and_worth_nothing_twice() -> None:
    """R-BY-01, R-CA-01."""
    game = waiting(attrs.evolve(DRAWN, bye_delta=40), 5)
    for number in range(5):
        reseat(game, key=f"{number}")
        [resting] = game.state.current.byes
        assert game.state.current.byes_had.get(resting) == 1
        assert sum(game.state.current.byes_had.values()) == 1
        assert {p: e.score for p, e in game.state.entrants.items() if e.score} == {resting: 40}


def test_the_ranks_are_those_of_now() -> None:
    game = waiting(RANKED, 4)
    play_bout(game, p1=9, p2=5, p3=3, p4=1)
    assert seats(game) == [["p1", "p2"], ["p3", "p4"]]
    given(game, GivePenalty(game.t, "p1", -7, "k", "late"))
    reseat(game)
    assert game.of(ev.FieldReranked)[0].ranking == ("p2", "p3", "p1", "p4")
    assert seats(game) == [["p2", "p3"], ["p1", "p4"]]
    assert game.state.entrants["p1"].score == 2


def test_equals_keep_the_order_that_their_hands_decided() -> None:
    """R-TB-01: the last hands belong to the bout before, which is over."""
    game = waiting(attrs.evolve(RANKED, tie_chain=("last_hand", "registration")), 4)
    play_bout(game, p1=1, p2=-1)
    before = list(game.state.current.active)
    reseat(game)
    assert list(game.state.current.active) == before


def test_a_score_is_carried_into_a_bout_once() -> None:
    """R-CA-02."""
    game = waiting(attrs.evolve(RANKED, round_carry_pct=50), 4)
    play_bout(game, p1=80, p2=40)
    assert game.state.entrants["p1"].score == 40
    reseat(game)
    assert [game.state.entrants[player].score for player in ("p1", "p2")] == [40, 20]


def test_the_time_of_a_bout_begins_again() -> None:
    """R-CS-01."""
    game = waiting(attrs.evolve(CLOCKED, table_size=2), 4)
    game.t = 60_000
    reseat(game)
    assert game.state.timers[timers.bout_timer(0)] == 60_000 + 20 * 60_000


def test_the_next_bout_counts_on() -> None:
    game = waiting(attrs.evolve(RANKED, cut=Cut("fixed", Fraction(0)), carry_out=CarryOut("none")), 4)
    reseat(game)
    play_bout(game)
    reseat(game, key="second")
    assert [event.bout_no for event in game.of(events.TablesSeated)] == [1, 1, 2, 2]


def test_one_hand_in_play_is_enough_to_refuse_it() -> None:
    game = waiting(DRAWN, 8)
    given(game, c.PlaceTables(0, (c.Placement(1, "ts", "life"),)))
    refused = tell(game, SeatAnew(0, "k", ""))
    assert (refused.code, refused.field) == ("seating_in_play", "match_id")
    given(game, c.LoseServer(0, "ts", "life"))
    assert tell(game, SeatAnew(0, "k", "")).code == "seating_in_play", "it will be repeated"


def test_a_table_that_has_parted_already_stays_so() -> None:
    game = waiting(DRAWN, 8)
    given(game, c.PlaceTables(0, (c.Placement(1, "ts", "life"),)))
    given(game, report(game, dict.fromkeys(game.state.tables[1].seats, 0)))
    assert tell(game, SeatAnew(0, "k", "")).code == "seating_in_play"
    given(game, CorrectHand(0, 1, 1, dict.fromkeys(game.state.closed_tables[1].seats, 1), ""))


def test_said_twice_under_one_key_it_is_done_once() -> None:
    game = waiting(DRAWN, 8)
    reseat(game, key="k")
    at = seats(game)
    assert reseat(game, key="k").events == ()
    assert seats(game) == at
    assert tell(game, GivePenalty(0, "p1", -1, "k", "")).code == "key_used"


def test_before_the_start_nobody_sits() -> None:
    game = Game(match_of(DRAWN, players=8)).register(3)
    assert tell(game, SeatAnew(0, "k", "")).code == "not_started"
