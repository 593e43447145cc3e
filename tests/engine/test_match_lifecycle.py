"""A match from its opening to its start: registration, withdrawal, the full field and the fields that cannot play.

Proves R-HI-02, R-HI-04, R-HI-07.
"""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.definition import Phase, Round
from coordinator.engine.match import new_state, step
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import DEFAULT, KNOCKOUT, MELEE, SWISS, given, match_of, players, seats, started, tell


def registering(*stages: object, **more: object) -> Game:
    return Game(match_of(*(stages or (SWISS,)), **more))  # type: ignore[arg-type]


def enter(game: Game, player: str) -> None:
    given(game, c.RegisterPlayer(game.t, player, player.upper()))


@pytest.mark.parametrize(
    "command",
    [
        c.RegisterPlayer(0, "p1", "P1"),
        c.WithdrawPlayer(0, "p1"),
        c.StartMatch(0),
        c.PlaceTables(0, ()),
        c.LoseServer(0, "ts", "life"),
        c.FireTimer(0, "base/0"),
        c.EndHand(0, "ts", 1, 1, 1, 1, {}),
    ],
)
def test_nothing_can_be_asked_of_a_match_that_was_never_opened(command: c.Command) -> None:
    state = new_state()
    outcome = step(state, command)
    assert isinstance(outcome, Refused)
    assert outcome.code == "unknown_match"
    assert state == new_state()


def test_a_match_is_opened_once() -> None:
    game = registering()
    assert tell(game, c.OpenMatch(0, "m", game.definition, "other", "other")).code == "match_exists"
    assert game.state.seed == "1"


def test_the_hash_of_the_secret_is_known_before_the_first_deal() -> None:
    opened = registering().of(events.MatchOpened)[0]
    assert len(opened.commitment) == 64
    assert opened.secret not in opened.commitment


def test_registration_numbers_follow_the_order_of_entry() -> None:
    """R-TB-02."""
    game = registering()
    for player in ("ann", "ben", "cat"):
        enter(game, player)
    assert {e.player_id: e.reg_seq for e in game.state.entrants.values()} == {"ann": 1, "ben": 2, "cat": 3}


def test_registering_twice_changes_nothing() -> None:
    game = registering()
    enter(game, "ann")
    outcome = given(game, c.RegisterPlayer(5, "ann", "Another name"))
    assert (outcome.events, outcome.effects) == ((), ())
    assert (game.state.entrants["ann"].name, game.state.entrants["ann"].reg_seq) == ("ANN", 1)


def test_who_comes_back_takes_a_new_number() -> None:
    """R-TB-02, edge: re-registration takes a new number."""
    game = registering()
    for player in ("ann", "ben"):
        enter(game, player)
    given(game, c.WithdrawPlayer(0, "ann"))
    assert list(game.state.entrants) == ["ben"]
    enter(game, "ann")
    assert game.state.entrants["ann"].reg_seq == 3


def test_who_is_not_in_cannot_withdraw() -> None:
    assert tell(registering(), c.WithdrawPlayer(0, "ann")).code == "unknown_player"


@pytest.mark.parametrize("stage", [DEFAULT, KNOCKOUT, SWISS, MELEE], ids=lambda stage: stage.format)
def test_nobody_leaves_once_the_match_runs(stage: object) -> None:
    """R-ST-02: leave is forbidden in all four formats."""
    game = started(stage, players=3)  # type: ignore[arg-type]
    assert tell(game, c.WithdrawPlayer(0, "p1")).code == "leave_forbidden"
    assert "p1" in game.state.entrants


def test_the_last_free_place_starts_the_match() -> None:
    """R-HI-02, when_full."""
    game = registering(SWISS, players=6)
    for player in players(range(1, 6)):
        enter(game, player)
    assert game.of(events.MatchStarted) == []
    enter(game, "p6")
    assert game.state.status == "running"
    assert [fx.TellStarted(6)] == [effect for effect in game.effects if isinstance(effect, fx.TellStarted)]
    assert len(seats(game)) == 2


def test_a_withdrawal_makes_room_again() -> None:
    game = registering(SWISS, players=3)
    for player in ("p1", "p2"):
        enter(game, player)
    given(game, c.WithdrawPlayer(0, "p1"))
    enter(game, "p3")
    assert game.state.status == "registering"
    enter(game, "p4")
    assert seats(game) == [["p2", "p3", "p4"]]


def test_registration_is_closed_while_the_match_runs_and_afterwards() -> None:
    game = started(DEFAULT, players=3)
    assert tell(game, c.RegisterPlayer(0, "late", "Late")).code == "match_closed"
    game.play()
    assert game.state.status == "over"
    assert tell(game, c.RegisterPlayer(0, "late", "Late")).code == "match_closed"


def test_a_player_of_a_running_match_may_ask_again() -> None:
    """The answer to a repeated registration is the first one, whatever has happened since."""
    game = started(DEFAULT, players=3)
    assert given(game, c.RegisterPlayer(0, "p2", "P2")).events == ()


def test_a_match_starts_once() -> None:
    game = started(DEFAULT, players=3)
    assert tell(game, c.StartMatch(0)).code == "already_started"
    game.play()
    assert tell(game, c.StartMatch(0)).code == "already_started"


@pytest.mark.parametrize(
    ("stage", "field", "expected"),
    [
        (DEFAULT, 2, "3"),
        (DEFAULT, 4, "3"),
        (SWISS, 2, "3"),
        (KNOCKOUT, 2, "3"),
        (MELEE, 2, "3"),
    ],
    ids=lambda value: getattr(value, "format", value),
)
def test_a_field_that_cannot_be_played_is_refused_with_the_reason(stage: object, field: int, expected: str) -> None:
    """R-DF-01, R-BY-01."""
    game = registering(stage)
    for player in players(range(1, field + 1)):
        enter(game, player)
    refused = tell(game, c.StartMatch(0))
    assert refused.code == "field_too_small"
    assert expected in refused.message
    assert str(field) in refused.message
    assert game.state.status == "registering"


def test_too_few_for_the_organiser_are_refused() -> None:
    """R-HI-02, min_players."""
    game = registering(SWISS)
    enter(game, "p1")
    refused = tell(game, c.StartMatch(0))
    assert (refused.code, refused.expected) == ("field_too_small", "at least 2 players")


def test_a_later_stage_nobody_can_play_is_refused_before_the_first() -> None:
    """R-DF-01: a Swiss shift that keeps all six cannot feed a final of three."""
    game = registering(SWISS, DEFAULT)
    for player in players(range(1, 7)):
        enter(game, player)
    refused = tell(game, c.StartMatch(0))
    assert refused.code == "field_too_small"
    assert "final" in refused.message


def test_a_match_that_starts_full_with_an_unplayable_field_is_not_even_opened() -> None:
    state = new_state()
    outcome = step(state, c.OpenMatch(0, "m", match_of(DEFAULT, players=4), "s", "s"))
    assert isinstance(outcome, Refused)
    assert state == new_state()


def test_stages_follow_one_another_across_phases() -> None:
    """R-HI-04: a phase names attributes, the stage's own win."""
    first = Phase("first", (SWISS,), game_attrs={"variant": "classic", "seconds": "20"})
    final = Phase("second", (attrs.evolve(DEFAULT, game_attrs={"seconds": "9"}),), game_attrs={"seconds": "30"})
    game = Game(match_of(players=3, phases=(first, final))).register(3).play()
    sat = [effect for effect in game.effects if isinstance(effect, fx.SeatPlayers)]
    assert [(order.stage_id, order.game_attrs) for order in sat] == [
        ("swiss", {"variant": "classic", "seconds": "20"}),
        ("final", {"seconds": "9"}),
    ]
    assert game.state.status == "over"


def test_a_round_is_a_series_of_hands_by_the_same_players() -> None:
    """R-HI-07, R-RF-01: three hands, then the table parts."""
    game = started(attrs.evolve(SWISS, round=Round(hands=3)), players=3).play()
    assert [event.hand_no for event in game.of(events.HandScored)] == [1, 2, 3]
    assert len(game.of(events.TablesSeated)) == 1
    assert len(game.of(events.RoundEnded)) == 1


def test_the_end_names_everybody_once_and_sets_nothing_off_any_more() -> None:
    game = started(SWISS, players=7).play()
    (over,) = [effect for effect in game.effects if isinstance(effect, fx.TellOver)]
    assert sorted(player for player, _, _ in over.places) == sorted(game.state.entrants)
    assert game.state.timers == {}
    assert game.state.tables == {}
    assert [entrant.place for entrant in game.state.entrants.values()].count(None) == 0
