"""Tables change hands: a server is lost, a round given back, a hand repeated with the same cards (R-HI-08, R-RC-02).

Proves R-HI-08, R-RC-02.
"""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import BaseGrowth, GameState, Round
from coordinator.engine.match import Outcome
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, SWISS, given, report, score, started, table_of, tell

GROWING = attrs.evolve(
    DEFAULT,
    round=Round(hands=3),
    initial_game_state=GameState(100),
    base_growth=BaseGrowth("arith", every_ms=1000, add=50),
)


def place(game: Game, *table_ids: int, server: str = "ts", life: str = "life") -> Outcome:
    return given(game, c.PlaceTables(game.t, tuple(c.Placement(number, server, life) for number in table_ids)))


@pytest.fixture
def game() -> Game:
    """Three players at one table in the second hand, of which three actions are known."""
    game = started(GROWING, players=3)
    score(game, p1=1, p2=0, p3=-1)
    given(game, c.RecordActions(0, "ts", 1, 1, 2, 1, 0, (7, "pass", 9)))
    game.servers = False
    return game


def test_a_table_without_a_server_waits_for_one() -> None:
    game = Game(started(SWISS, players=6).definition)
    game.servers = False
    game.register(6)
    assert [effect.table_ids for effect in game.effects if isinstance(effect, fx.FindServers)] == [(1, 2)]
    assert game.of(events.HandsStarted) == []
    place(game, 2)
    assert [table.server_id for table in game.state.tables.values()] == [None, "ts"]
    assert [order.table_id for order in game.orders] == [2]


def test_a_lost_server_loses_all_tables_of_its_life() -> None:
    game = started(SWISS, players=9)
    game.servers = False
    outcome = given(game, c.LoseServer(0, "ts", "life"))
    assert outcome.events == (events.TablesOrphaned(0, (1, 2, 3), "ts", "server_lost"),)
    kinds = [type(effect) for effect in outcome.effects]
    assert kinds.count(fx.CloseTable) == 3
    assert fx.FindServers((1, 2, 3), "dou_dizhu") in outcome.effects
    waiting = next(effect for effect in outcome.effects if isinstance(effect, fx.TellWaiting))
    assert (len(waiting.players), waiting.reason) == (9, "no_table_server")


def test_a_lost_server_that_holds_nothing_is_no_event(game: Game) -> None:
    assert given(game, c.LoseServer(0, "elsewhere", "life")).events == ()


def test_the_hand_is_repeated_with_the_same_cards_base_and_log(game: Game) -> None:
    """R-RC-02: epoch + 1, attempt + 1; everything else is as it was, though the base has risen meanwhile."""
    before = game.orders[-1]
    game.t = 5000
    game.fire_due()
    given(game, c.LoseServer(5000, "ts", "life"))
    outcome = place(game, 1, server="other", life="new")
    assert [type(event) for event in outcome.events] == [events.TablesPlaced, events.HandsRepeated]
    again = game.orders[-1]
    assert (before.epoch, before.attempt_no, before.log) == (1, 1, ())
    assert again == attrs.evolve(before, server_id="other", epoch=2, attempt_no=2, log=(7, "pass", 9))
    assert again.base_score == 100
    score(game, p1=0, p2=0, p3=0)
    assert game.orders[-1].base_score == 350
    assert game.orders[-1].deal != again.deal
    assert game.orders[-1].log == ()


def test_the_new_server_is_told_the_scores_as_they_stand(game: Game) -> None:
    given(game, c.LoseServer(0, "ts", "life"))
    outcome = place(game, 1)
    seat = next(effect for effect in outcome.effects if isinstance(effect, fx.SeatPlayers))
    assert [(player, stack) for player, _, stack in seat.seats] == [("p1", 1), ("p2", 0), ("p3", -1)]
    assert seat.epoch == 2


def test_the_players_of_a_moved_table_hear_that_they_play_again(game: Game) -> None:
    """They were told to wait for a table server."""
    given(game, c.LoseServer(0, "ts", "life"))
    assert fx.TellSeated("final", 1, 1, (("p1", "p2", "p3"),)) in place(game, 1).effects
    told_at_first = [effect for effect in game.effects if isinstance(effect, fx.TellSeated)]
    assert len(told_at_first) == 2


def test_a_hand_may_be_repeated_more_than_once(game: Game) -> None:
    for attempt in (2, 3, 4):
        given(game, c.LoseServer(0, "ts", "life"))
        place(game, 1)
        assert (game.orders[-1].epoch, game.orders[-1].attempt_no, game.orders[-1].hand_no) == (attempt, attempt, 2)
    assert len(game.state.tables[1].results) == 1


def test_a_table_lost_while_it_waits_for_nothing_is_not_lost_twice(game: Game) -> None:
    given(game, c.LoseServer(0, "ts", "life"))
    assert given(game, c.LoseServer(0, "ts", "life")).events == ()


def test_the_loss_of_an_old_life_leaves_the_new_one_alone(game: Game) -> None:
    given(game, c.LoseServer(0, "ts", "life"))
    place(game, 1, life="second life")
    assert given(game, c.LoseServer(0, "ts", "life")).events == ()
    assert table_of(game, "p1").in_hand


def test_what_the_former_owner_still_says_is_stale(game: Game) -> None:
    old = report(game, {"p1": 5, "p2": 0, "p3": -5})
    given(game, c.LoseServer(0, "ts", "life"))
    assert tell(game, old).code == "stale_epoch"
    place(game, 1, server="other")
    assert tell(game, old).code == "stale_epoch"
    assert tell(game, attrs.evolve(old, server_id="other", epoch=2)).code == "stale_attempt"
    assert game.state.entrants["p1"].score == 1


def test_the_interrupted_attempt_stays_stale_after_its_repeat_counts(game: Game) -> None:
    """The first server comes back late with its own end of the hand: an attempt that does not count is no conflict."""
    old = report(game, {"p1": 5, "p2": 0, "p3": -5})
    given(game, c.LoseServer(0, "ts", "life"))
    place(game, 1, server="other")
    score(game, p1=0, p2=2, p3=-2)
    assert tell(game, old).code == "stale_attempt"
    assert game.of(events.ResultParked) == []


def test_a_result_that_counted_before_the_move_is_a_duplicate_after_it(game: Game) -> None:
    """The verdict was lost with the connection; the first server asks again."""
    first = report(game, {"p1": 1, "p2": 0, "p3": -1}, hand_no=1, attempt_no=1)
    given(game, c.LoseServer(0, "ts", "life"))
    assert tell(game, first).code == "duplicate"
    place(game, 1, server="other")
    assert tell(game, first).code == "duplicate"


def test_a_round_given_back_is_placed_again(game: Game) -> None:
    outcome = given(game, c.AbortRound(0, "ts", 1, 1, "power cut"))
    assert outcome.events == (events.TablesOrphaned(0, (1,), "ts", "aborted"),)
    assert fx.CloseTable("ts", 1, 1, "moved") in outcome.effects
    place(game, 1, server="other")
    score(game, p1=0, p2=0, p3=0)
    score(game, p1=0, p2=0, p3=0)
    assert game.state.status == "over"


@pytest.mark.parametrize(
    ("server", "table", "epoch", "code"),
    [("other", 1, 1, "not_your_table"), ("ts", 9, 1, "unknown_table"), ("ts", 1, 0, "not_your_table")],
)
def test_only_the_owner_gives_a_round_back(game: Game, server: str, table: int, epoch: int, code: str) -> None:
    assert tell(game, c.AbortRound(0, server, table, epoch, "")).code == code
    assert table_of(game, "p1").in_hand


def test_a_table_has_one_owner() -> None:
    game = started(SWISS, players=6)
    assert tell(game, c.PlaceTables(0, (c.Placement(1, "other", "life"),))).code == "not_allowed"
    assert game.state.tables[1].server_id == "ts"


def test_a_table_is_not_given_twice_in_one_go(game: Game) -> None:
    given(game, c.LoseServer(0, "ts", "life"))
    twice = (c.Placement(1, "one", "life"), c.Placement(1, "other", "life"))
    assert tell(game, c.PlaceTables(0, twice)).code == "not_allowed"
    assert game.state.tables[1].server_id is None
    assert game.state.tables[1].epoch == 1


def test_one_wrong_placement_refuses_them_all() -> None:
    game = Game(started(SWISS, players=6).definition)
    game.servers = False
    game.register(6)
    mixed = (c.Placement(1, "ts", "life"), c.Placement(7, "ts", "life"))
    assert tell(game, c.PlaceTables(0, mixed)).code == "unknown_table"
    assert game.state.tables[1].server_id is None


# --- the log of a hand ----------------------------------------------------------------------------------------------


def actions(game: Game, first: int, *told: int | str, **wrong: object) -> c.RecordActions:
    table = table_of(game, "p1")
    command = c.RecordActions(0, "ts", 1, table.epoch, table.hand_no, table.attempt_no, first, told)
    return attrs.evolve(command, **wrong)  # type: ignore[arg-type]


def log(game: Game) -> list[int | str]:
    return table_of(game, "p1").log


def test_the_log_grows(game: Game) -> None:
    given(game, actions(game, 3, 11, 12))
    assert log(game) == [7, "pass", 9, 11, 12]


def test_what_is_known_already_is_taken_once(game: Game) -> None:
    given(game, actions(game, 1, "pass", 9, 10))
    assert log(game) == [7, "pass", 9, 10]
    assert given(game, actions(game, 0, 7, "pass")).events == ()
    assert given(game, actions(game, 4)).events == ()


def test_a_gap_is_refused_with_what_is_known(game: Game) -> None:
    refused = tell(game, actions(game, 4, 1))
    assert (refused.code, refused.field) == ("log_gap", "first")
    assert (refused.expected or "").startswith("3")
    assert log(game) == [7, "pass", 9]


def test_before_its_beginning_there_is_no_log(game: Game) -> None:
    assert tell(game, actions(game, -1, 9)).code == "log_gap"


def test_the_past_is_not_rewritten(game: Game) -> None:
    assert tell(game, actions(game, 1, "bid", 9, 10)).code == "log_gap"
    assert log(game) == [7, "pass", 9]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"server_id": "other"}, "not_your_table"),
        ({"epoch": 2}, "not_your_table"),
        ({"hand_no": 1}, "hand_expected"),
        ({"hand_no": 3}, "hand_expected"),
        ({"attempt_no": 2}, "hand_expected"),
        ({"table_id": 5}, "unknown_table"),
    ],
)
def test_only_the_attempt_in_play_is_logged(game: Game, wrong: dict[str, object], code: str) -> None:
    assert tell(game, actions(game, 3, 10, **wrong)).code == code
    assert log(game) == [7, "pass", 9]


def test_a_repeat_plays_the_log_again_and_goes_on(game: Game) -> None:
    """R-RC-02: the new server sends the log it was given, which is known, and then what is new."""
    given(game, c.LoseServer(0, "ts", "life"))
    place(game, 1)
    assert given(game, actions(game, 0, 7, "pass", 9)).events == ()
    given(game, actions(game, 3, 4))
    given(game, c.LoseServer(0, "ts", "life"))
    place(game, 1)
    assert game.orders[-1].log == (7, "pass", 9, 4)


def test_the_log_of_a_hand_ends_with_it(game: Game) -> None:
    score(game, p1=0, p2=0, p3=0)
    assert log(game) == []
    given(game, actions(game, 0, 1))
    assert log(game) == [1]
