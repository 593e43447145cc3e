"""A round that is over in an open bout, worked out anew after a director's word by the rules it was ended by."""

from coordinator.engine import events
from coordinator.engine.directing import director_events as ev
from coordinator.engine.events import Events
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.in_and_out import put_out
from coordinator.engine.numbers import exact
from coordinator.engine.state import MatchState, Table
from coordinator.engine.timelines import bouts
from coordinator.engine.timelines.pairs import game_of
from coordinator.engine.timelines.parting import parted as parted_by


def rounds_of(state: MatchState, t: int, player_id: str) -> Events:
    """The rounds of the open bout that this player has played, where something comes out differently now."""
    found = [n for n in state.current.parted if player_id in state.closed_tables[n].seats]
    return tuple(event for table_id in found for event in round_of(state, t, table_id))


def round_of(state: MatchState, t: int, table_id: int) -> Events:
    """What the round of a table comes to now, if that is another thing than before."""
    rules, stage = state.stage_rules, state.current
    parted, table = stage.parted[table_id], _as_it_was(state, table_id)
    ended = _ended(state, table, t, parted.dropped)
    by_place = timeline_of(rules) == "bouts" and bouts.by_table(rules, stage.bout_no)
    lost = [table.seats[seat] for seat in bouts.out_at_table(rules, stage.bout_no, ended.places)] if by_place else []
    back = tuple(p for p in table.seats if by_place and p not in lost and _is_out_for_now(state, p))
    out = tuple(p for p in lost if state.entrants[p].state != "out")
    same = (ended.places, ended.points) == (parted.places, parted.points) and not back and not out
    if same and (not format_of(rules).duels or game_of(table, ended.dropped) in stage.games):
        return ()
    return (ev.RoundRevised(t, table_id, ended.places, ended.points, ended.dropped, back, out),)


def revise(state: MatchState, event: ev.RoundRevised) -> None:
    """The players of the table have these places and points now, in the place of those they had."""
    stage, rules = state.current, state.stage_rules
    table, parted = _as_it_was(state, event.table_id), stage.parted[event.table_id]
    for player_id, place, new, old in zip(table.seats, event.places, event.points, parted.points, strict=True):
        entrant = state.entrants[player_id]
        entrant.points = exact(entrant.points + new - old)
        stage.bout_places[player_id] = place
    parted.places, parted.points = event.places, event.points
    if format_of(rules).duels:
        game = game_of(table, event.dropped)
        at = next(n for n, known in enumerate(stage.games) if known.bout_no == game.bout_no and known.a == game.a)
        stage.games[at] = game
    for player_id in event.back:
        entrant = state.entrants[player_id]
        entrant.state, entrant.out_in = "waiting", None
        stage.active[player_id] = None
    for player_id in event.out:
        put_out(state.entrants[player_id], rules.id, None)
        del stage.active[player_id]


def _ended(state: MatchState, table: Table, t: int, dropped: tuple[str, ...]) -> events.RoundEnded:
    if timeline_of(state.stage_rules) == "clock":
        return parted_by(state, table, t)
    *_, ended = bouts.end_round(state, table, t, dropped=dropped)
    assert isinstance(ended, events.RoundEnded), "a round ends with its end"
    return ended


def _is_out_for_now(state: MatchState, player_id: str) -> bool:
    """Out since this bout by the place at the table, which the end of the bout makes final (R-KO-02)."""
    entrant = state.entrants[player_id]
    here = entrant.state == "out" and entrant.out_in == state.stage_rules.id
    return here and entrant.place is None and player_id not in state.disqualified


def _as_it_was(state: MatchState, table_id: int) -> Table:
    """A table when its round was over, with what its hands count for now."""
    stage, closed = state.current, state.closed_tables[table_id]
    scores = [each for each in stage.parted[table_id].scores if each]
    totals = [sum(column) for column in zip(*scores, strict=True)] or [0] * len(closed.seats)
    return Table(table_id, stage.stage_no, stage.bout_no, closed.seats, totals, results=closed.results)
