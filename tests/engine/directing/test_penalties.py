"""Points that no hand has won or lost: where they count, how they are carried, and what they never do."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.commands import RegisterPlayer, Revive
from coordinator.engine.definition import (
    CarryOut,
    Cut,
    Elimination,
    End,
    Grouping,
    PlayerState,
    Revival,
    Round,
    Stage,
)
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import GivePenalty
from coordinator.engine.match import Outcome
from coordinator.engine.numbers import MOST_EXACT
from coordinator.engine.stage_rules import dominion_table, ranked_in_stage
from tests.engine.ladder_play import LadderGame, ladder_match
from tests.engine.playing import Game
from tests.engine.stages import (
    CLOCKED,
    DEFAULT,
    DOMINION,
    KNOCKOUT,
    MELEE,
    SWISS,
    given,
    match_of,
    places,
    score,
    started,
    tell,
)

THREE_BOUTS = attrs.evolve(SWISS, table_size=2, bouts=3, grouping=Grouping(kind="swiss"))


def penalty(game: Game, player: str, points: int, key: str = "", reason: str = "") -> GivePenalty:
    return GivePenalty(game.t, player, points, key or f"{player} {points} {len(game.given)}", reason)


def booked(game: Game, player: str, points: int) -> Outcome:
    return given(game, penalty(game, player, points))


def ranked(game: Game) -> list[str]:
    return ranked_in_stage(game.state, [game.state.entrants[player] for player in game.state.current.active])


def test_before_the_start_it_counts_in_the_first_stage_from_its_beginning() -> None:
    game = Game(match_of(THREE_BOUTS, players=4)).register(3)
    booked(game, "p3", -10)
    given(game, RegisterPlayer(0, "p4", "Player 4"))
    assert game.of(events.StageOpened)[0].scores == (0, 0, -10, 0)
    assert ranked(game)[-1] == "p3"


@pytest.mark.parametrize("before_the_start", [True, False])
@pytest.mark.parametrize(
    "stage",
    [attrs.evolve(THREE_BOUTS, scoring="placement"), attrs.evolve(CLOCKED, table_size=2), DOMINION],
    ids=["placement", "duplicate", "main points"],
)
def test_where_a_stage_ranks_by_points_it_counts_among_them(stage: Stage, before_the_start: bool) -> None:
    game = Game(match_of(stage, players=4)).register(3)
    if before_the_start:
        booked(game, "p1", -1)
    given(game, RegisterPlayer(0, "p4", "Player 4"))
    if not before_the_start:
        booked(game, "p1", -1)
    entrant = game.state.entrants["p1"]
    assert (entrant.score, entrant.points, entrant.penalty) == (0, -1, -1)
    if stage.scoring != "duplicate":  # where an average needs a board
        assert ranked(game)[-1] == "p1"


def test_a_dominion_swiss_counts_it_in_the_sum_of_main_points_and_in_no_mean() -> None:
    game = started(DOMINION, players=4)
    before = dominion_table(game.state).means()["p2"]
    booked(game, "p2", -3)
    after = dominion_table(game.state).means()["p2"]
    assert after == attrs.evolve(before, main_sum=before.main_sum - 3)


def test_it_is_carried_as_the_score_it_is_part_of() -> None:
    """R-CA-02, R-CA-03: half of it into the next bout, and by the formula into the next stage."""
    first = attrs.evolve(SWISS, table_size=2, bouts=2, round_carry_pct=50, carry_out=CarryOut("divide", divisor=3))
    game = started(first, attrs.evolve(DEFAULT, table_size=2), players=2)
    booked(game, "p1", 40)
    score(game, p1=0, p2=0)
    assert game.state.entrants["p1"].score == 20
    score(game, p1=10, p2=-10)
    assert game.of(events.StageOpened)[1].scores == (10, 0)
    assert [game.state.entrants[player].penalty for player in ("p1", "p2")] == [0, 0], "the new stage has its own"


def test_a_cut_sees_it() -> None:
    game = started(attrs.evolve(THREE_BOUTS, cut=Cut("fixed", Fraction(1))), players=4)
    booked(game, "p1", -50)
    score(game, p1=30, p2=-30)
    score(game, p3=0, p4=0)
    assert game.of(events.BoutEnded)[0].out == ("p2",), "with -30 against -20"
    booked(game, "p3", -21)
    assert ranked(game)[-1] == "p3"


def test_it_puts_nobody_out_before_a_hand_ends() -> None:
    """R-ME-02."""
    stage = attrs.evolve(MELEE, elimination=Elimination(absolute=0), hands_per_seating=None, end=End(remaining_below=3))
    game = started(stage, players=9)
    booked(game, "p1", -2000)
    assert "p1" in game.state.current.active
    [at] = [table.seats for table in game.state.tables.values() if "p1" in table.seats]
    score(game, **dict.fromkeys(at, 0))
    assert game.of(events.PlayersEliminated)[0].players == ("p1",)


def test_one_table_that_is_the_whole_stage_ranks_by_it() -> None:
    """R-DF-01, R-RT-01: the target looks at the hands alone, the ranking of the stage at all that was scored."""
    duel = attrs.evolve(DEFAULT, table_size=2, round=Round("target", target=50, max_hands=3))
    game = started(duel, players=2)
    booked(game, "p1", -101)
    score(game, p1=50, p2=-50)
    assert game.of(events.RoundEnded)[0].places == (1, 2)
    assert places(game) == {"p2": 1, "p1": 2}, "-50 against -51"


def test_a_fresh_start_is_fresh() -> None:
    stage = attrs.evolve(
        MELEE,
        elimination=Elimination(absolute=0),
        revival=Revival("list", fees=(5, 5)),
        initial_player_state=PlayerState(100),
    )
    game = started(stage, players=9)
    booked(game, "p1", -500)
    [at] = [table.seats for table in game.state.tables.values() if "p1" in table.seats]
    score(game, **dict.fromkeys(at, 0))
    given(game, Revive(game.t, "p1", 1, "paid"))
    entrant = game.state.entrants["p1"]
    assert (entrant.score, entrant.penalty) == (100, 0)


def test_said_twice_under_one_key_it_is_booked_once() -> None:
    game = started(THREE_BOUTS, players=4)
    given(game, penalty(game, "p1", -5, key="k"))
    assert given(game, penalty(game, "p1", -5, key="k", reason="another reason")).events == ()
    assert game.state.entrants["p1"].score == -5
    for other in (penalty(game, "p1", -6, key="k"), penalty(game, "p2", -5, key="k")):
        refused = tell(game, other)
        assert (refused.code, refused.field) == ("key_used", "key")


def test_the_opposite_takes_it_back() -> None:
    game = started(THREE_BOUTS, players=4)
    booked(game, "p1", -5)
    booked(game, "p1", 5)
    assert (game.state.entrants["p1"].score, game.state.entrants["p1"].penalty) == (0, 0)


@pytest.mark.parametrize("points", [0, MOST_EXACT + 1, -MOST_EXACT - 1])
def test_numbers_that_are_no_penalty(points: int) -> None:
    refused = tell(game := started(THREE_BOUTS, players=4), penalty(game, "p1", points))
    assert (refused.code, refused.field) == ("score_range", "points")


def test_a_total_stays_within_what_peers_keep_exactly() -> None:
    game = started(THREE_BOUTS, players=4)
    booked(game, "p1", MOST_EXACT)
    refused = tell(game, penalty(game, "p1", 1))
    assert (refused.code, refused.field) == ("score_range", "points")


def test_nobody_it_could_still_move() -> None:
    swiss = Grouping(kind="swiss")
    game = started(attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done", grouping=swiss), players=4)
    assert tell(game, penalty(game, "nobody", -1)).code == "unknown_player"
    score(game, p1=1, p2=-1)
    loser = game.of(events.PlayersEliminated)[0].players[0]
    booked(game, loser, -1)  # whose place the end of the bout will tell
    score(game, p3=1, p4=-1)
    refused = tell(game, penalty(game, loser, -1))
    assert (refused.code, refused.field) == ("eliminated", "player_id")


def test_a_match_that_is_over_and_a_ladder() -> None:
    game = started(attrs.evolve(DEFAULT, table_size=2), players=2)
    score(game, p1=1, p2=-1)
    assert tell(game, penalty(game, "p1", -1)).code == "match_over"
    ladder: Any = LadderGame(ladder_match()).begin("A", "B")
    refused = ladder.refused(GivePenalty(ladder.t, "A", -1, "k", ""))
    assert (refused.code, refused.field) == ("is_a_ladder", "kind")


def test_the_event_says_what_was_booked() -> None:
    game = started(THREE_BOUTS, players=4)
    given(game, penalty(game, "p1", -5, key="k", reason="late"))
    assert game.of(ev.PenaltyGiven) == [ev.PenaltyGiven(0, "p1", -5, "k", "late")]
