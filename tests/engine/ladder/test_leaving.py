"""A team leaves a ladder that runs: what is open goes to the other side, and those below move up."""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine.definition import Round
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from tests.engine.ladder_play import LADDER, LadderGame, roster
from tests.engine.stages import match_of

TWO_BOARDS = match_of(attrs.evolve(LADDER, round=Round(hands=2)), zero_sum=True)


def begun() -> LadderGame:
    return LadderGame(TWO_BOARDS).begin("t1", "t2", "t3", "t4", "t5")


def left(game: LadderGame, team: str) -> list[ev.ChallengeEnded]:
    """The team goes; the challenges that end with it."""
    outcome = game.ok(c.LeaveMatch(game.t, team))
    return [event for event in outcome.events if isinstance(event, ev.ChallengeEnded)]


def played(game: LadderGame, points: list[int]) -> int:
    """t4 has met t3; so much did t4 gain on each board."""
    number = game.playing("t4", "t3")
    game.play(number, points)
    return number


def test_the_teams_below_move_up_and_the_others_stay() -> None:
    game = begun()
    assert left(game, "t2") == []
    assert game.ranks == ("t1", "t3", "t4", "t5")
    assert game.state.entrants["t2"].state == "left"


def test_what_is_open_goes_to_the_other_side_and_is_not_rated() -> None:
    """R-BL-05: the challenger that is left alone takes the rank of the team that goes; the defender keeps its own."""
    game = begun()
    game.fixed("t4", "t3")
    game.fixed("t5", "t4")
    ended = left(game, "t4")
    assert [(each.winner, each.how, each.ratings) for each in ended] == [("t3", "left", ()), ("t5", "left", ())]
    assert game.ranks == ("t1", "t2", "t3", "t5")
    assert game.state.ladder is not None
    assert not game.state.ladder.challenges
    assert not game.state.timers


def test_a_match_in_play_ends_with_its_rooms() -> None:
    game = begun()
    game.playing("t4", "t3")
    assert len(game.state.tables) == 2
    assert [each.winner for each in left(game, "t3")] == ["t4"]
    assert not game.state.tables
    assert game.ranks == ("t1", "t2", "t4", "t5")


@pytest.mark.parametrize(("points", "winner"), [([0, 0], "t3"), ([500, 500], "t4")])
def test_what_was_played_and_is_not_contested_counts(points: list[int], winner: str) -> None:
    """R-BL-14: as the boards say, whichever of the two goes."""
    game = begun()
    played(game, points)
    (ended,) = left(game, "t3")
    assert (ended.winner, ended.how, len(ended.ratings)) == (winner, "result", 2)
    assert "t3" not in game.ranks


def test_what_is_contested_is_lost_with_its_rating() -> None:
    game = begun()
    number = played(game, [500, 0])
    game.report(number, "t4", 11, 0)
    game.ok(ask.AppealResult(game.t, number, "t3", "they peeked"))
    (ended,) = left(game, "t4")
    assert (ended.winner, ended.how, len(ended.ratings)) == ("t3", "left", 2)


def test_no_other_match_of_a_team_that_goes_begins() -> None:
    """Its players are free with the end of one match, and would be seated for the next."""
    game = begun()
    first, second = game.fixed("t4", "t3"), game.fixed("t5", "t4")
    for number in (first, second):
        game.lined_up(number)
        for side in (game.challenge(number).challenger, game.challenge(number).defender):
            game.ok(ask.SayReady(game.t, number, side))
    when = game.challenge(first).at
    assert when is not None
    game.until(when)
    assert [game.challenge(number).state for number in (first, second)] == ["playing", "fixed"]
    assert len(left(game, "t4")) == 2
    assert not game.state.tables


def test_who_left_has_no_part_any_more() -> None:
    game = begun()
    left(game, "t3")
    slots = game.slots()
    assert game.refused(ask.IssueChallenge(game.t, "t3", "t2", slots)).code == "unknown_player"
    assert game.refused(ask.IssueChallenge(game.t, "t4", "t3", slots)).code == "unknown_player"
    assert game.refused(ask.PlaceTeam(game.t, "t3", 1, "")).code == "unknown_player"
    game.ok(ask.IssueChallenge(game.t, "t4", "t2", slots))


def test_asked_twice_it_has_left_once() -> None:
    game = begun()
    left(game, "t3")
    assert game.ok(c.LeaveMatch(game.t, "t3")).events == ()
    assert game.refused(c.LeaveMatch(game.t, "t9")).code == "unknown_player"


def test_it_comes_back_at_the_bottom_with_its_rating() -> None:
    """R-BL-01, R-RA-01: the same entrant, whose matches still count."""
    game = begun()
    played(game, [500, 0])
    left(game, "t4")
    rated, matches = game.rating("t4")
    assert (rated > 1600, matches) == (True, 1)
    game.ok(c.RegisterPlayer(game.t, "t4", "Team t4", roster=(*roster("t4")[:4], "new")))
    assert game.ranks == ("t1", "t2", "t3", "t5", "t4")
    assert game.rating("t4") == (rated, 1)
    entrant = game.state.entrants["t4"]
    assert (entrant.reg_seq, entrant.state) == (4, "waiting")


def test_its_players_are_free_for_other_teams() -> None:
    """R-BL-10: nobody is registered for two teams at a time."""
    game = begun()
    refused = game.refused(c.RegisterPlayer(game.t, "t6", "Team t6", roster=roster("t3")))
    assert refused.code == "roster_refused"
    left(game, "t3")
    game.ok(c.RegisterPlayer(game.t, "t6", "Team t6", roster=roster("t3")))
    assert game.ranks == ("t1", "t2", "t4", "t5", "t6")


def test_at_the_end_it_stands_behind_all_who_stayed() -> None:
    game = begun()
    for team in ("t1", "t4"):
        left(game, team)
    game.ok(ask.CloseLadder(game.t))
    assert game.state.status == "over"
    assert game.state.ranking == ("t2", "t3", "t5", "t4", "t1")


def test_a_ladder_that_takes_no_more_challenges_ends_with_the_last_that_is_given_up() -> None:
    game = begun()
    game.fixed("t4", "t3")
    game.ok(ask.CloseLadder(game.t))
    assert not game.state.ranking
    left(game, "t4")
    assert game.state.ranking == ("t1", "t2", "t3", "t5", "t4")


def test_where_leaving_is_forbidden_nobody_leaves() -> None:
    """R-ST-02."""
    game = LadderGame(match_of(attrs.evolve(LADDER, leave="forbidden"), zero_sum=True)).begin("t1", "t2")
    assert game.refused(c.LeaveMatch(game.t, "t1")).code == "leave_forbidden"
