"""Seating anew: a whole bout, or a pool's whole stage, before a hand of it has started.

Nobody rises from a table that plays, so the new seating is complete: fresh draws, byes given anew, and the order of the
ranks as it is now, penalties included.
"""

import attrs

from coordinator.engine import events, timers
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import SeatAnew
from coordinator.engine.directing.looking import refused_by_match
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.numbers import exact
from coordinator.engine.once import remember, said_before
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.stage_rules import bye_worth, rank_columns, ranked_in_stage
from coordinator.engine.state import MatchState
from coordinator.engine.timelines import bouts, clock, pool

WORDS = "seating anew"


def reseat(state: MatchState, command: SeatAnew) -> Decision:
    """All tables of the seating must still wait for a table server. Said twice under one key, it is done once."""
    wrong = refused_by_match(state)
    if wrong is not None:
        return wrong
    before = said_before(state, command.key, WORDS)
    if before is not None:
        return before
    stage, tables = state.current, state.tables.values()
    whole = stage.hands == 0 if timeline_of(state.stage_rules) == "pool" else len(tables) == stage.tables_in_bout
    if not tables or not whole or any(table.hand_no for table in tables):
        expected = "a seating whose tables all wait for a table server"
        return Refused("seating_in_play", "a hand of this seating has started", "match_id", expected)
    return (ev.SeatingTakenBack(command.t, command.key, command.reason),)


def take_back(state: MatchState, event: ev.SeatingTakenBack) -> None:
    """Everybody rises, and who sat out has had no bye. What a score was carried by stays carried (R-CA-02)."""
    stage, rules, entrants = state.current, state.stage_rules, state.entrants
    in_pool = timeline_of(rules) == "pool"
    for table in state.tables.values():
        for player_id in table.seats:
            entrant = entrants[player_id]
            entrant.state, entrant.table_id = "waiting", None
            if in_pool:
                entrant.seatings, entrant.mates, entrant.mates_before = 0, (), ()
    state.tables.clear()
    score, points = bye_worth(rules)
    for player_id in stage.byes:
        entrant = entrants[player_id]
        entrant.score -= score
        entrant.points = exact(entrant.points - points)
        stage.byes_had[player_id] -= 1
        if entrant.state == "bye":
            entrant.state = "waiting"
    stage.games = [game for game in stage.games if game.bout_no != stage.bout_no]
    stage.byes = ()
    if in_pool:
        waiting = [entrants[player_id] for player_id in stage.active if entrants[player_id].state == "waiting"]
        waiting.sort(key=lambda entrant: entrant.waiting_since)
        stage.pool = {entrant.player_id: None for entrant in waiting}
        stage.bout_no = 0
    state.timers.pop(seating_timer(state), None)
    remember(state, event.key, WORDS)


def seating_timer(state: MatchState) -> str:
    """What the seating has set and the next one sets anew: when the shuttle leaves, or when the bout is over."""
    name = timers.shuttle_timer if timeline_of(state.stage_rules) == "pool" else timers.bout_timer
    return name(state.current.stage_no)


def taken_back(state: MatchState, event: ev.SeatingTakenBack) -> tuple[events.Event, ...]:
    """Seat again, from the ranks as they are now where the stage seats by ranks."""
    stage, rules = state.current, state.stage_rules
    if timeline_of(rules) == "pool":
        return pool.next_seating(state, event.t)
    by_rank = bouts.reranks(rules) or timeline_of(rules) == "clock"
    if by_rank and stage.bout_no > 1:
        return (ev.FieldReranked(event.t, _ranks_now(state)),)
    return seated_anew(state, event.t)


def seated_anew(state: MatchState, t: int) -> tuple[events.Event, ...]:
    """The bout once more."""
    timeline = clock if timeline_of(state.stage_rules) == "clock" else bouts
    return (timeline.seat_bout(state, t, state.current.bout_no),)


def _ranks_now(state: MatchState) -> tuple[str, ...]:
    """Equals keep their order: the hands that decided between them belong to the bout before."""
    rules = state.stage_rules
    field = [state.entrants[player_id] for player_id in state.current.active]
    if format_of(rules).duels:
        return tuple(ranked_in_stage(state, field))
    columns = rank_columns(state.rules, attrs.evolve(rules, tie_chain=("registration",)), field)
    keys = list(zip(*[[-value for value in column] for column in columns], strict=True))
    return tuple(field[row].player_id for row in sorted(range(len(field)), key=keys.__getitem__))
