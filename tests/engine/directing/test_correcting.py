"""Results put right: what follows from one, until when, and what is refused."""

from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.definition import Duplicate, Grouping, Interruption, Round
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import CorrectHand
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, DOMINION, KNOCKOUT, MELEE, SWISS, given, report, score, started, tell

IN_ORDER = Grouping(kind="swiss")
CUP = attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done", grouping=IN_ORDER)
BOUTS = attrs.evolve(SWISS, table_size=2, bouts=2, grouping=IN_ORDER)


def correction(game: Game, table_id: int = 1, hand_no: int = 1, **scores: int) -> CorrectHand:
    return CorrectHand(game.t, table_id, hand_no, scores, "")


def correct(game: Game, table_id: int = 1, hand_no: int = 1, **scores: int) -> Outcome:
    return given(game, correction(game, table_id, hand_no, **scores))


def scores_of(game: Game, *players: str) -> list[int]:
    return [game.state.entrants[player].score for player in players]


def test_a_hand_of_a_table_in_play_counts_for_its_new_scores() -> None:
    game = started(attrs.evolve(BOUTS, round=Round(hands=2)), players=2)
    score(game, p1=7, p2=-7)
    correct(game, p1=-2, p2=2)
    assert scores_of(game, "p1", "p2") == [-2, 2]
    assert game.state.tables[1].totals == [-2, 2]
    assert [game.state.entrants[player].last_hand for player in ("p1", "p2")] == [-2, 2]
    score(game, p1=1, p2=-1)
    assert game.of(events.RoundEnded)[0].places == (2, 1)


def test_an_earlier_hand_leaves_the_last_one_to_break_ties() -> None:
    """R-TB-01."""
    game = started(attrs.evolve(BOUTS, round=Round(hands=3)), players=2)
    score(game, p1=7, p2=-7)
    score(game, p1=4, p2=-4)
    correct(game, hand_no=1, p1=-4, p2=4)
    assert scores_of(game, "p1", "p2") == [0, 0]
    assert [game.state.entrants[player].last_hand for player in ("p1", "p2")] == [4, -4]


def test_placement_points_follow_the_places() -> None:
    """R-SC-02."""
    game = started(attrs.evolve(BOUTS, scoring="placement", placement_points=(5, 2)), players=4)
    score(game, p1=7, p2=-7)
    correct(game, p1=-1, p2=1)
    assert [game.state.entrants[player].points for player in ("p1", "p2")] == [2, 5]
    correct(game, p1=1, p2=-1)
    assert [game.state.entrants[player].points for player in ("p1", "p2")] == [5, 2]


def test_the_other_one_goes_on() -> None:
    """R-KO-02."""
    game = started(CUP, players=4)
    score(game, p1=3, p2=-3)
    correct(game, p1=-3, p2=3)
    assert list(game.state.current.active) == ["p3", "p4", "p2"]
    assert game.of(ev.RoundRevised)[0].back == ("p2",)
    assert game.of(ev.RoundRevised)[0].out == ("p1",)
    score(game, p3=1, p4=-1)
    assert game.of(events.BoutEnded)[0].ranking == ("p2", "p3")
    assert game.of(events.BoutEnded)[0].out == ("p4", "p1")


def test_once_the_cut_is_made_there_is_a_penalty_left() -> None:
    game = started(CUP, players=4)
    score(game, p1=3, p2=-3)
    score(game, p3=1, p4=-1)
    refused = tell(game, correction(game, p1=-3, p2=3))
    assert (refused.code, refused.field) == ("round_closed", "table_id")
    assert "penalty" in (refused.expected or "")


def test_a_parked_result_is_chosen_by_correcting_to_it() -> None:
    game = started(BOUTS, players=4)
    told = report(game, {"p1": 3, "p2": -3})
    given(game, told)
    other = attrs.evolve(told, scores={"p1": -3, "p2": 3})
    given(game, other)
    assert game.of(events.ResultParked)
    correct(game, p1=-3, p2=3)
    assert scores_of(game, "p1", "p2") == [-3, 3]
    again, parked = game.do(told), game.do(other)
    assert isinstance(again, Refused)
    assert isinstance(parked, Refused)
    assert (again.code, parked.code) == ("duplicate", "conflict"), "verdicts are about reports and stay"


def test_a_void_hand_may_be_given_a_result() -> None:
    declared = attrs.evolve(Interruption(), aborted="void")
    game = started(attrs.evolve(BOUTS, round=Round(hands=2), interruption=declared), players=2)
    given(game, c.AbortRound(0, "ts", 1, 1, "the room burns"))
    correct(game, p1=6, p2=-6)
    assert scores_of(game, "p1", "p2") == [6, -6]


def test_a_hand_that_fell_silent_may_be_given_a_result() -> None:
    """R-HI-06."""
    game = started(attrs.evolve(BOUTS, table_timeout_ms=5000), players=4)
    game.t = 4000
    given(game, c.RecordActions(4000, "ts", 2, 1, 1, 1, 0, (1,)))
    game.t = 5000
    game.fire_due()
    assert game.of(events.RoundEnded)[0].settled
    correct(game, p1=-6, p2=6)
    assert scores_of(game, "p1", "p2") == [-6, 6]
    assert game.state.current.bout_places == {"p1": 2, "p2": 1}
    late = game.do(c.EndHand(5000, "ts", 1, 1, 1, 1, {"p1": 1, "p2": -1}))
    assert isinstance(late, Refused)
    assert late.code == "late"


def test_a_game_that_was_left_becomes_an_ordinary_one() -> None:
    """R-DM-03, R-DM-04: 3 and 1 main points, and a margin, in place of 3 and -1 and none."""
    game = started(DOMINION, players=4)
    a, b = game.state.tables[1].seats
    given(game, attrs.evolve(report(game, {a: 0, b: 0}), dropped=(b,)))
    assert [game.state.entrants[player].points for player in (a, b)] == [3, -1]
    correct(game, **{a: 20, b: 14})
    assert [game.state.entrants[player].points for player in (a, b)] == [3, 1]
    [record] = game.state.current.games
    assert (record.status, record.vp_a, record.vp_b) == ("played", 20, 14)


def test_a_margin_alone_is_put_right_too() -> None:
    game = started(DOMINION, players=4)
    a, b = game.state.tables[1].seats
    score(game, **{a: 20, b: 14})
    correct(game, **{a: 20, b: 19})
    assert game.state.current.games[0].vp_b == 19


@pytest.mark.parametrize("closes_at", [2, 40])
def test_everybody_on_the_board_has_what_the_new_datum_makes_of_it(closes_at: int) -> None:
    """R-DU-02: the mean of both results is the datum; a closed board keeps it."""
    rule = Duplicate(scale="raw", required_boards=1, closes_at=closes_at)
    game = started(attrs.evolve(CLOCKED, table_size=2, round=Round(hands=2), duplicate=rule), players=4)
    score(game, p1=4, p2=-4)
    score(game, p3=8, p4=-8)
    assert [game.state.entrants[f"p{n}"].points for n in (1, 2, 3, 4)] == [-2, 2, 2, -2]
    correct(game, p1=10, p2=-10)
    expected = [1, -1, -1, 1] if closes_at == 40 else [4, -4, 2, -2]
    assert [game.state.entrants[f"p{n}"].points for n in (1, 2, 3, 4)] == expected
    refused = tell(game, correction(game, hand_no=2, p1=1, p2=-1))
    assert (refused.code, refused.field) == ("no_such_hand", "hand_no")


def test_in_a_pool_only_an_open_table_is_corrected() -> None:
    stage = attrs.evolve(MELEE, hands_per_seating=2)
    game = started(stage, players=9)
    [at, *_] = game.state.tables.values()
    score(game, **dict.fromkeys(at.seats, 0))
    scores = dict(zip(at.seats, (4, -2, -2), strict=True))
    given(game, CorrectHand(0, at.table_id, 1, scores, ""))
    assert at.totals == [4, -2, -2]
    score(game, **dict.fromkeys(at.seats, 0))
    assert tell(game, CorrectHand(0, at.table_id, 1, scores, "")).code == "round_closed"


def test_said_twice_it_is_the_same_hand() -> None:
    game = started(BOUTS, players=4)
    score(game, p1=3, p2=-3)
    correct(game, p1=1, p2=-1)
    assert correct(game, p1=1, p2=-1).events == ()


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        ({"table_id": 77}, "unknown_table", "table_id"),
        ({"hand_no": 2}, "no_such_hand", "hand_no"),
        ({"hand_no": 0}, "no_such_hand", "hand_no"),
        ({"scores": {"p1": 1}}, "wrong_players", "scores"),
        ({"scores": {"p1": 1, "p3": -1}}, "wrong_players", "scores"),
        ({"scores": {"p1": 1, "p2": -1, "p3": 0}}, "wrong_players", "scores"),
        ({"scores": {"p1": 1, "p2": 1}}, "score_sum", "scores"),
        ({"scores": {"p1": 2**53, "p2": -(2**53)}}, "score_range", "scores"),
    ],
)
def test_what_is_no_correction(words: dict[str, Any], code: str, field: str) -> None:
    game = started(attrs.evolve(BOUTS, round=Round(hands=2)), players=2, zero_sum=True)
    score(game, p1=3, p2=-3)
    refused = tell(game, attrs.evolve(correction(game, p1=1, p2=-1), **words))
    assert (refused.code, refused.field) == (code, field)


def test_partners_share_their_result() -> None:
    """R-DU-01."""
    rule = Duplicate(required_boards=1, directions=("NS", "EW", "NS", "EW"))
    game = started(attrs.evolve(CLOCKED, table_size=4, duplicate=rule), players=4)
    score(game, p1=5, p2=-5, p3=5, p4=-5)
    refused = tell(game, correction(game, p1=5, p2=-5, p3=4, p4=-4))
    assert (refused.code, refused.field) == ("invalid", "scores")
