"""Points that no hand has won or lost. They count in whatever the stage ranks by, from now on and as scores do: carried
with it, and gone where somebody starts afresh. They put nobody out: a line is looked at when a hand ends (R-ME-02)."""

from coordinator.engine.definition import Stage
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import GivePenalty
from coordinator.engine.directing.looking import refused_by_match
from coordinator.engine.numbers import MOST_EXACT, exact
from coordinator.engine.once import remember, said_before
from coordinator.engine.refusal import Decision, Refused, unknown_player
from coordinator.engine.stage_rules import by_points, scored_quantity
from coordinator.engine.state import Entrant, MatchState


def words_of(said: GivePenalty | ev.PenaltyGiven) -> str:
    """A penalty in words, its reason aside."""
    return f"a penalty of {said.points:+d} for {said.player_id}"


def give(state: MatchState, command: GivePenalty) -> Decision:
    """From registration on, for as long as the player's place is open. Said twice under one key, it is booked once."""
    wrong = refused_by_match(state, registering=True)
    if wrong is not None:
        return wrong
    before = said_before(state, command.key, words_of(command))
    if before is not None:
        return before
    entrant, points = state.entrants.get(command.player_id), command.points
    if entrant is None:
        return unknown_player(command.player_id)
    if not _place_is_open(state, entrant):
        return Refused("eliminated", "the player's place is final", "player_id", "a player whose place is open")
    sum_now = scored_quantity(counting_stage(state), entrant)
    if points == 0 or abs(points) > MOST_EXACT or not -MOST_EXACT <= sum_now + points <= MOST_EXACT:
        expected = f"not 0, and totals within {MOST_EXACT} either way"
        return Refused("score_range", f"a penalty of {points}", "points", expected)
    return (ev.PenaltyGiven(command.t, command.player_id, points, command.key, command.reason),)


def book(state: MatchState, event: ev.PenaltyGiven) -> None:
    """Where the stage ranks by it. Before the start that is the first stage."""
    entrant = state.entrants[event.player_id]
    if by_points(counting_stage(state)):
        entrant.points = exact(entrant.points + event.points)
    else:
        entrant.score += event.points
    entrant.penalty += event.points
    remember(state, event.key, words_of(event))


def counting_stage(state: MatchState) -> Stage:
    """The stage a penalty counts in."""
    return state.rules.stages[0] if state.stage is None else state.stage_rules


def _place_is_open(state: MatchState, entrant: Entrant) -> bool:
    """Whether anything said now can still move the player's place."""
    if state.stage is None:
        return True
    rules = state.stage_rules
    if entrant.state == "out":
        return entrant.place is None and entrant.out_in == rules.id and rules.island is None
    if entrant.state == "left":
        return rules.island is None
    return entrant.state not in ("done", "joining")
