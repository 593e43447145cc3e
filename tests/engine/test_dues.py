"""What a match owes for its places, and which lobby is told (R-HI-03)."""

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition, Reward, Round
from coordinator.engine.directing.director_commands import DisqualifyPlayer
from coordinator.engine.dues import awards, match_of
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from tests.engine import stages
from tests.engine.ladder_play import SHANGHAI, ladder_match, roster
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, ISLAND

PRIZES = (Reward(1, 1, {"coins": 10}), Reward(2, 5, {"coins": 4}, shared=True))
TABLE = attrs.evolve(stages.match_of(attrs.evolve(DEFAULT, round=Round(hands=1)), players=3), rewards=PRIZES)


def opened(definition: MatchDefinition, lobby: str = "front") -> MatchState:
    state = new_state()
    done(state, commands.OpenMatch(0, "m", definition, "1", "secret", SHANGHAI, lobby))
    return state


def done(state: MatchState, command: commands.Command) -> Outcome:
    outcome = step(state, command)
    assert isinstance(outcome, Outcome), outcome
    return outcome


def entered(state: MatchState, player: str, lobby: str) -> None:
    done(state, commands.RegisterPlayer(0, player, player.upper(), lobby=lobby))


def played(state: MatchState) -> Outcome:
    """The one hand of the one table; letters decide, a before b."""
    done(state, commands.PlaceTables(0, (commands.Placement(1, "ts", "life"),)))
    scores = {player: -ord(player) for player in state.tables[1].seats}
    return done(state, commands.EndHand(0, "ts", 1, 1, 1, 1, scores))


def test_places_are_owed_with_the_end_to_whom_entered_the_player() -> None:
    state = opened(TABLE)
    for player, lobby in (("a", "front"), ("b", "other"), ("c", "front")):
        entered(state, player, lobby)
    outcome = played(state)
    ended = outcome.events[-1]
    assert isinstance(ended, events.MatchEnded)
    assert [(due.key, due.player_id, due.lobby, due.place, due.items) for due in ended.awards] == [
        ("m/award/1", "a", "front", 1, {"coins": 10}),
        ("m/award/2", "b", "other", 2, {"coins": 2}),
        ("m/award/3", "c", "front", 3, {"coins": 2}),
    ]
    told = [type(effect) for effect in outcome.effects]
    assert told.index(fx.SendDues) < told.index(fx.TellOver), "who has heard the places has heard what they win"


def test_who_is_disqualified_keeps_a_place_and_wins_nothing() -> None:
    state = opened(TABLE)
    for player in "abc":
        entered(state, player, "front")
    done(state, DisqualifyPlayer(0, "a", "sat at two tables"))
    ended = state.ranking
    assert state.status == "over"
    assert [due.player_id for due in state.dues.values()] == [who for who in ended[:3] if who != "a"]


def test_an_award_is_confirmed_once_and_nothing_else_is() -> None:
    state = opened(TABLE)
    for player in "abc":
        entered(state, player, "front")
    too_early = step(state, commands.ConfirmAward(0, "m/award/1"))
    assert isinstance(too_early, Refused)
    played(state)
    assert done(state, commands.ConfirmAward(0, "m/award/1")).events == (events.AwardConfirmed(0, "m/award/1"),)
    assert done(state, commands.ConfirmAward(0, "m/award/1")).events == ()
    assert list(state.dues) == ["m/award/2", "m/award/3"]
    unknown = step(state, commands.ConfirmAward(0, "m/award/4"))
    assert isinstance(unknown, Refused)
    assert (unknown.code, unknown.field) == ("unknown_due", "key")


def test_a_match_of_a_tourney_leaves_its_prizes_to_the_tourney() -> None:
    state = opened(TABLE, lobby="")
    for player in "abc":
        entered(state, player, "")
    ended = played(state).events[-1]
    assert isinstance(ended, events.MatchEnded)
    assert ended.awards == ()


@pytest.mark.parametrize(
    ("definition", "players", "late"),
    [
        (stages.match_of(DOMINION, players=4), 4, commands.RegisterPlayer),
        (stages.match_of(CLOCKED, players=3), 3, commands.RegisterPlayer),
        (stages.match_of(ISLAND, players=3), 3, commands.JoinMatch),
        (stages.match_of(DOMINION, players=4), 4, commands.JoinMatch),
    ],
    ids=["dominion", "continuous swiss", "island", "dominion, by joining"],
)
def test_who_comes_late_is_known_by_the_lobby_that_let_it_in(
    definition: MatchDefinition, players: int, late: type[commands.RegisterPlayer | commands.JoinMatch]
) -> None:
    state = opened(definition)
    for player in "abcd"[:players]:
        entered(state, player, "front")
    assert state.status == "running"
    done(state, late(0, "z", "Z", lobby="other"))
    assert state.lobbies == {"z": "other"}


def test_who_joins_before_the_start_is_known_by_the_lobby_that_joined() -> None:
    state = opened(stages.match_of(ISLAND, players=3))
    entered(state, "a", "front")
    done(state, commands.JoinMatch(0, "z", "Z", lobby="other"))
    assert state.lobbies == {"z": "other"}


def test_a_team_of_a_ladder_is_known_by_its_lobby() -> None:
    state = opened(ladder_match())
    for team, lobby in (("duck", "front"), ("moon", "other")):
        done(state, commands.RegisterPlayer(0, team, team, roster=roster(team), lobby=lobby))
    done(state, commands.StartMatch(0))
    done(state, commands.RegisterPlayer(0, "late", "late", roster=roster("late"), lobby="third"))
    assert state.lobbies == {"moon": "other", "late": "third"}


def test_a_player_who_goes_again_leaves_no_lobby_behind() -> None:
    state = opened(TABLE)
    entered(state, "a", "other")
    done(state, commands.WithdrawPlayer(0, "a"))
    assert state.lobbies == {}
    entered(state, "a", "front")
    assert state.lobbies == {}


def test_the_key_of_an_award_names_its_match() -> None:
    [first, *_] = awards("cup.2026-03-29.final", PRIZES, ["a", "b"], lambda _: "front")
    assert match_of(first.key) == "cup.2026-03-29.final"
    assert match_of("cup.2026-03-29/refund/1") == ""
