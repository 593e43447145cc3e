"""Why, after a director has spoken: a penalty is an input, a disqualification a reason, and all that is told is so."""

from typing import Any

import attrs
from hypothesis import HealthCheck, given, settings

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.definition import Grouping
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import (
    CorrectHand,
    DisqualifyPlayer,
    GivePenalty,
    ReinstatePlayer,
    SeatAnew,
)
from coordinator.engine.match import evolve, new_state
from coordinator.reasons.by_event import reasons_of
from coordinator.reasons.reason import Reason
from tests.engine.playing import Game
from tests.engine.stages import KNOCKOUT, SWISS, match_of, report, score, seats, started
from tests.engine.stages import given as accepted
from tests.engine.tossing import MOVES, Tossed, clock_matches, dominion_matches, matches

BOUTS = attrs.evolve(SWISS, table_size=2, bouts=2, grouping=Grouping(kind="swiss"))
CUP = attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done", grouping=Grouping(kind="swiss"))


def answers(story: list[Any], player_id: str) -> list[tuple[Any, Reason]]:
    """Every reason of a player with the event it explains."""
    state, found = new_state(), []
    for event in story:
        found += [(event, reason) for reason in reasons_of(state, event, player_id)]
        evolve(state, event)
    return found


def of(game: Game, player_id: str, kind: type) -> list[Reason]:
    return [reason for event, reason in answers(game.events, player_id) if type(event) is kind]


def test_a_penalty_is_a_reason_and_an_input_of_every_place() -> None:
    game = started(BOUTS, players=4)
    accepted(game, GivePenalty(0, "p1", -50, "k", "late"))
    [told] = of(game, "p1", ev.PenaltyGiven)
    assert told.kind == "penalty"
    assert told.says == "a director books -50 in the score of stage swiss (late)"
    assert told.inputs == {"penalty": -50, "score_before": 0, "reason": "late"}
    assert of(game, "p2", ev.PenaltyGiven) == []
    for _ in range(2):
        for at in seats(game):
            score(game, **dict.fromkeys(at, 0))
    for kind in (events.RoundEnded, events.BoutEnded, events.StageEnded):
        assert of(game, "p1", kind)[0].inputs["penalty"] == -50
        assert "penalty" not in of(game, "p2", kind)[0].inputs


def test_a_disqualification_is_why_somebody_is_out_and_why_a_table_parts() -> None:
    game = started(CUP, players=4)
    accepted(game, DisqualifyPlayer(0, "p1", "foul"))
    assert [reason.says for reason in of(game, "p1", ev.PlayerDisqualified)] == ["disqualified by a director (foul)"]
    [other] = of(game, "p2", ev.PlayerDisqualified)
    assert (other.kind, other.rules) == ("table", ("R-RC-02",))
    assert of(game, "p3", ev.PlayerDisqualified) == []
    first, *_ = of(game, "p2", events.RoundEnded)
    assert [(rival.player_id, rival.ahead, rival.decided_by) for rival in first.compared] == [
        ("p1", True, "disqualified")
    ]
    score(game, p3=1, p4=-1)
    [last] = of(game, "p1", events.BoutEnded)
    assert (last.kind, last.says) == ("place", "place 4: disqualified, so behind everybody who was in")


def test_a_correction_and_what_it_turns_round() -> None:
    game = started(CUP, players=4)
    score(game, p1=3, p2=-3)
    accepted(game, CorrectHand(0, 1, 1, {"p1": -3, "p2": 3}, "swapped"))
    [told] = of(game, "p1", ev.HandCorrected)
    assert told.says == "hand 1 of table 1 counts -3 and no more +3: corrected (swapped)"
    assert [reason.kind for reason in of(game, "p1", ev.RoundRevised)] == ["table", "out"]
    assert [reason.kind for reason in of(game, "p2", ev.RoundRevised)] == ["table", "back"]
    assert of(game, "p3", ev.RoundRevised) == []


def test_a_reinstatement_says_whether_it_is_more_than_a_word() -> None:
    game = started(CUP, players=4)
    accepted(game, DisqualifyPlayer(0, "p1", ""))
    accepted(game, ReinstatePlayer(0, "p1", ""))
    accepted(game, DisqualifyPlayer(0, "p1", ""))
    score(game, p3=1, p4=-1)
    accepted(game, ReinstatePlayer(0, "p1", "an error"))
    assert [reason.inputs["back"] for reason in of(game, "p1", ev.PlayerReinstated)] == [True, False]


def test_a_seating_made_anew_is_told_to_those_it_moves() -> None:
    game = Game(match_of(BOUTS, players=4), servers=False).register(4)
    accepted(game, SeatAnew(0, "k", "the hall is cold"))
    [told] = of(game, "p1", ev.SeatingTakenBack)
    assert told.says == "the seating is taken back before a hand of it has started, and made anew (the hall is cold)"
    assert [reason.kind for reason in of(game, "p1", events.TablesSeated)] == ["seat", "seat"]
    accepted(game, c.PlaceTables(0, (c.Placement(3, "ts", "life"),)))
    accepted(game, report(game, dict.fromkeys(game.state.tables[3].seats, 0)))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(matches() | dominion_matches() | clock_matches(), MOVES)
def test_after_any_words_everything_can_be_asked(definition: Any, moves: list[tuple[str, int]]) -> None:
    tossed = Tossed(definition).open()
    for word, number in moves:
        tossed.toss(word, number)
    tossed.finish()
    for player_id in ("p1", "p2"):
        kinds = [reason.kind for _, reason in answers(tossed.story, player_id) if reason.says and reason.rules]
        assert "place" in kinds
