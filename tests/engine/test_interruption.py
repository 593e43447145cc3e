"""What becomes of interrupted hands (R-RC-02), of tables that are let go, of a clock that stands still (R-RC-01).

Proves R-RC-01.
"""

from typing import Any, get_args

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.deals import deal_of
from coordinator.engine.definition import (
    BaseGrowth,
    Cause,
    Duplicate,
    End,
    GameState,
    Grouping,
    Interruption,
    Policy,
    Round,
    Stage,
)
from coordinator.engine.refusal import Refused
from tests.engine.playing import Game
from tests.engine.stages import CLOCKED, DEFAULT, MELEE, SWISS, given, match_of, report, score, started, tell

THREE = attrs.evolve(DEFAULT, round=Round(hands=3))


def declaring(cause: Any, policy: Any) -> Interruption:
    """Everything is repeated but for this cause."""
    return attrs.evolve(Interruption(), **{cause: policy})


def interrupted(policy: Any, cause: Any = "server_lost", stage: Stage = THREE, players: int = 3) -> Game:
    """A table in the middle of its second hand, of which two actions are known, loses its server for this cause."""
    declared = declaring(cause, policy)
    game = started(attrs.evolve(stage, interruption=declared), players=players)
    score(game, p1=4, p2=-1, p3=-3)
    given(game, c.RecordActions(0, "ts", 1, 1, 2, 1, 0, (7, "pass")))
    if cause in ("aborted", "seat_gone"):
        given(game, c.AbortRound(0, "ts", 1, 1, cause if cause == "seat_gone" else "the room burns"))
    else:
        given(game, c.LoseServer(0, "ts", "life", cause))
    return game


@pytest.mark.parametrize("cause", ["server_lost", "restart", "outage", "aborted", "seat_gone"])
def test_a_hand_is_repeated_with_its_deal_and_log_unless_the_stage_says_otherwise(cause: str) -> None:
    game = interrupted("repeat", cause)
    first, again = list(game.orders)[-2:]
    assert (again.hand_no, again.attempt_no, again.epoch, again.log) == (2, 2, 2, (7, "pass"))
    assert again.deal == first.deal


@pytest.mark.parametrize("cause", ["server_lost", "restart", "outage", "aborted", "seat_gone"])
def test_each_cause_has_a_policy_of_its_own(cause: Any) -> None:
    """The policy of one cause is not that of another."""
    game = interrupted("void", cause)
    assert [event.policy for event in game.of(events.HandVoided)] == ["void"]
    other = "aborted" if cause != "aborted" else "outage"
    declared = declaring(other, "void")
    calm = started(attrs.evolve(THREE, interruption=declared), players=3)
    if cause in ("aborted", "seat_gone"):
        given(calm, c.AbortRound(0, "ts", 1, 1, cause))
    else:
        given(calm, c.LoseServer(0, "ts", "life", cause))
    assert calm.of(events.HandVoided) == []


CAUSES = get_args(Cause)
POLICIES = get_args(Policy)
BOARDS = attrs.evolve(
    CLOCKED,
    round=Round(hands=3),
    duplicate=Duplicate(scale="imp", required_boards=1, min_results=1),
)
"""Three boards, which other tables play too: only of such a one is there an average."""
REFUSED = {("resume", "aborted"), ("resume", "seat_gone")}
"""The hand was given back: nobody has it any more."""


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_holds_for_every_cause(policy: Any, cause: Any) -> None:
    """R-RC-02: what is declared for a cause is what becomes of the second hand, of which two actions are known."""
    stage = BOARDS if policy == "average" else THREE
    declared = attrs.evolve(stage, interruption=declaring(cause, policy))
    if (policy, cause) in REFUSED:
        found = definition_mistakes(match_of(declared, players=3))
        assert [mistake.path.rpartition(".")[2] for mistake in found] == [cause]
        return
    game = interrupted(policy, cause, stage)
    order, ended = game.orders[-1], game.state.status == "over"
    first = game.orders[-2]
    then = (order.hand_no, order.attempt_no, order.log, order.deal == first.deal)
    became = [event.policy for event in game.of(events.HandVoided)]
    match policy:
        case "repeat":
            assert (then, became, ended) == ((2, 2, (7, "pass"), True), [], False)
        case "redeal":
            assert (then, became, ended) == ((2, 2, (), False), [], False)
        case "resume":
            assert ((order.hand_no, order.attempt_no), became, ended) == ((2, 1), [], False)
            assert game.of(events.TablesOrphaned) == [], "the hand stays where it is"
        case "void" | "average":
            assert (then, became, ended) == ((3, 1, (), False), [policy], False)
        case "let_stand":
            assert (became, ended) == (["let_stand"], True)


def test_a_redealt_hand_has_fresh_cards_and_no_log_and_every_time_others() -> None:
    game = interrupted("redeal")
    given(game, c.LoseServer(0, "ts", "life"))
    first, second, third = list(game.orders)[-3:]
    assert len({first.deal, second.deal, third.deal}) == 3
    assert (second.hand_no, second.attempt_no, second.log) == (2, 2, ())
    assert second.deal == deal_of(game.state.secret, "m", "t1r1", 2)
    assert third.deal == deal_of(game.state.secret, "m", "t1r2", 2)
    score(game, p1=0, p2=0, p3=0)
    assert game.orders[-1].deal == deal_of(game.state.secret, "m", "t1", 3), "the next hand is dealt as ever"


def test_a_hand_to_be_resumed_stays_with_its_server() -> None:
    game = interrupted("resume")
    assert game.of(events.TablesOrphaned) == []
    score(game, p1=1, p2=0, p3=-1)
    assert game.state.hands == 2


def test_a_server_without_its_memory_resumes_nothing() -> None:
    game = started(attrs.evolve(THREE, interruption=Interruption(server_lost="resume")), players=3)
    given(game, c.LoseServer(0, "ts", "life", "server_lost", forgotten=True))
    assert game.orders[-1].attempt_no == 2


def test_a_void_hand_counts_as_played_for_nothing() -> None:
    game = interrupted("void")
    assert {p: e.score for p, e in game.state.entrants.items()} == {"p1": 4, "p2": -1, "p3": -3}
    assert (game.orders[-1].hand_no, game.orders[-1].attempt_no, game.orders[-1].log) == (3, 1, ())
    late = report(game, {"p1": 1, "p2": 0, "p3": -1}, hand_no=2, attempt_no=1, epoch=1)
    assert tell(game, late).code == "late"
    score(game, p1=1, p2=0, p3=-1)
    assert game.state.status == "over"
    assert game.state.ranking == ("p1", "p2", "p3")


def test_the_last_hand_of_a_round_may_be_void() -> None:
    game = started(attrs.evolve(DEFAULT, interruption=Interruption(server_lost="void")), players=3)
    given(game, c.LoseServer(0, "ts", "life"))
    assert game.state.status == "over"
    assert game.state.ranking == ("p1", "p2", "p3"), "by registration, as nothing was played"


def test_where_the_finished_hands_stand_the_round_is_over() -> None:
    game = interrupted("let_stand")
    assert game.state.status == "over"
    assert [entrant.score for entrant in game.state.entrants.values()] == [4, -1, -3]


def test_a_melee_goes_on_after_a_void_hand() -> None:
    stage = attrs.evolve(MELEE, interruption=Interruption(server_lost="void"))
    game = started(stage, players=9)
    given(game, c.LoseServer(0, "ts", "life"))
    assert len(game.of(events.HandVoided)) == 3
    assert game.state.status == "running"
    assert len(game.state.tables) == 3, "a seating of one hand is over, and the next shuttle leaves"
    assert len(game.of(events.RoundEnded)) == 3


def test_the_average_of_a_board_is_par() -> None:
    """R-DU-01: a board that could not be finished is worth as much as the datum, and counts as a board."""
    imps = attrs.evolve(
        CLOCKED,
        round=Round(hands=2),
        interruption=Interruption(outage="average"),
        duplicate=Duplicate(scale="imp", required_boards=1, min_results=1),
    )
    game = started(imps, players=3)
    given(game, c.LoseServer(0, "ts", "life", "outage"))
    assert [(e.boards, e.points, e.open_boards) for e in game.state.entrants.values()] == [(1, 0, 0)] * 3
    assert (game.orders[-1].hand_no, game.orders[-1].board_no) == (2, 2)


@pytest.mark.parametrize(
    ("stage", "policy", "cause", "rule"),
    [
        (CLOCKED, "redeal", "server_lost", "R-DU-01"),
        (SWISS, "average", "outage", "R-DU-01"),
        (SWISS, "resume", "aborted", "R-RC-02"),
        (SWISS, "resume", "seat_gone", "R-RC-02"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(stage: Stage, policy: str, cause: str, rule: str) -> None:
    wrong = match_of(attrs.evolve(stage, interruption=declaring(cause, policy)), players=9)
    found = [
        mistake for mistake in definition_mistakes(wrong) if mistake.path.endswith(f"stages[0].interruption.{cause}")
    ]
    assert [mistake.rule for mistake in found] == [rule]


# --- a server that drains -------------------------------------------------------------------------------------------


def test_a_released_table_moves_when_its_hand_has_ended() -> None:
    game = started(THREE, players=3)
    assert given(game, c.ReleaseTables(0, "ts", (1,))).events == (events.TablesReleased(0, (1,)),)
    assert given(game, c.ReleaseTables(0, "ts", (1,))).events == (), "asked twice, nothing more happens"
    score(game, p1=1, p2=0, p3=-1)
    assert [event.reason for event in game.of(events.TablesOrphaned)] == ["drained"]
    hand = game.orders[-1]
    assert (hand.hand_no, hand.attempt_no, hand.epoch) == (2, 1, 2), "no hand was interrupted"
    score(game, p1=1, p2=0, p3=-1)
    score(game, p1=1, p2=0, p3=-1)
    assert game.state.status == "over"


def test_a_released_table_whose_round_ends_does_not_move() -> None:
    game = started(DEFAULT, players=3)
    given(game, c.ReleaseTables(0, "ts", (1, 7)))
    score(game, p1=1, p2=0, p3=-1)
    assert game.of(events.TablesOrphaned) == []


def test_only_a_servers_own_tables_are_released() -> None:
    game = started(THREE, players=3)
    assert given(game, c.ReleaseTables(0, "other", (1,))).events == ()


# --- a clock that stands still --------------------------------------------------------------------------------------


def test_a_match_pauses_once_and_goes_on_once() -> None:
    growing = attrs.evolve(
        THREE, initial_game_state=GameState(100), base_growth=BaseGrowth("arith", every_ms=1000, add=50)
    )
    game = started(growing, players=3)
    assert given(game, c.PauseMatch(500, "a switch died")).effects[0] == fx.TellPaused("a switch died")
    assert game.state.paused == "a switch died"
    assert given(game, c.PauseMatch(500, "again")).events == ()
    assert given(game, c.ResumeMatch(500)).effects[0] == fx.TellPaused(None)
    assert given(game, c.ResumeMatch(500)).events == ()
    assert game.state.paused is None


def test_a_match_that_has_not_started_does_not_pause() -> None:
    game = Game(match_of(DEFAULT, players=3))
    assert tell(game, c.PauseMatch(0, "x")).code == "not_started"


# --- who is away ----------------------------------------------------------------------------------------------------

LOOKS = attrs.evolve(MELEE, offline_out_at_stage_end=True, end=End(remaining_below=4))


def away(game: Game, player: str, *, present: bool = False) -> object:
    table_id = game.state.entrants[player].table_id or 0
    return game.do(c.NotePresence(game.t, "ts", table_id, player, present))


def test_who_is_away_when_a_melee_ends_does_not_go_on() -> None:
    """R-RC-01: the best of three is away, and stands behind the two who are there."""
    game = started(LOOKS, players=6)
    leader = game.state.tables[1].seats[0]
    assert not isinstance(away(game, leader), Refused)
    first, second, third = game.state.tables[1].seats
    score(game, **{first: 2000, second: 10, third: -2010})
    first, second, third = game.state.tables[2].seats
    score(game, **{first: 100, second: -2000, third: -2000})
    ended: events.StageEnded = game.of(events.StageEnded)[-1]
    assert game.state.entrants[leader].score == 3000
    assert (ended.advancing, ended.ranking.index(leader)) == (2, 2)


def test_who_came_back_in_time_was_never_away() -> None:
    game = started(LOOKS, players=6)
    player = game.state.tables[1].seats[0]
    away(game, player)
    away(game, player, present=True)
    assert [event.present for event in game.of(events.PresenceNoted)] == [False, True]
    assert game.state.away == {}


def test_presence_is_not_kept_where_nobody_asks_for_it() -> None:
    game = started(MELEE, players=9)
    assert not isinstance(away(game, "p1"), Refused)
    assert game.of(events.PresenceNoted) == []


def test_only_the_owner_of_a_table_knows_who_is_there() -> None:
    game = started(LOOKS, players=6)
    player = game.state.tables[1].seats[0]
    assert tell(game, c.NotePresence(0, "other", 1, player, False)).code == "not_your_table"
    assert tell(game, c.NotePresence(0, "ts", 1, game.state.tables[2].seats[0], False)).code == "wrong_players"
    assert tell(game, c.NotePresence(0, "ts", 9, player, False)).code == "unknown_table"


def test_only_a_melee_puts_out_who_is_away() -> None:
    wrong = match_of(attrs.evolve(SWISS, offline_out_at_stage_end=True), players=9)
    assert [m.rule for m in definition_mistakes(wrong) if m.path.endswith(".offline_out_at_stage_end")] == ["R-RC-01"]


@pytest.mark.parametrize("policy", ["let_stand", "void"])
def test_tables_of_a_pool_that_part_together_are_seated_again_once(policy: Any) -> None:
    """R-ME-04: the last of them decides when the shuttle leaves, and nobody is seated twice."""
    stage = attrs.evolve(MELEE, hands_per_seating=1, interruption=declaring("server_lost", policy))
    game = started(attrs.evolve(stage, grouping=Grouping(shuttle_size=3)), players=9)
    assert len(game.state.tables) == 3
    given(game, c.LoseServer(0, "ts", "life"))
    assert len(game.of(events.RoundEnded)) == 3
    assert sorted(player for table in game.state.tables.values() for player in table.seats) == [
        f"p{number}" for number in range(1, 10)
    ]
    assert game.state.current.voided == {}
