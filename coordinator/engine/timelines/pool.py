"""The pool: tables run on their own and their players wait for the next shuttle (R-ME-01 to R-ME-05, R-AS-01).

A table is dissolved when its seating is over; the pool departs when enough wait, when somebody has waited long enough,
or when no table runs. When the end condition is met no new table is formed, running hands finish and count, and the
ranking is issued with the last of them.

Implements R-ME-05, R-IS-04.
"""

from collections.abc import Iterable
from typing import Literal

from coordinator.engine import events, grouping, growth, ranking, rounds
from coordinator.engine.deals import draw_key
from coordinator.engine.draw import Draw
from coordinator.engine.events import Events
from coordinator.engine.formats.island import cashed_out
from coordinator.engine.numbers import Number
from coordinator.engine.stage_rules import (
    base_now,
    rank_players,
    still_in,
)
from coordinator.engine.state import Entrant, MatchState, Table
from coordinator.engine.timelines import revivals
from coordinator.engine.timelines.bouts import eliminated_in
from coordinator.engine.timelines.parting import parted

_JUST_NOW = 16
"""So many earlier meetings weigh as much as one at the table just left."""

Leaving = Literal["asked", "rest_over"]
"""Why somebody leaves: on the player's own word, or because a rest was over without one (R-IS-05)."""


def open_stage(state: MatchState, t: int) -> Events:
    """Seat the first shuttle, or end at once where few enough came (R-ME-05)."""
    return next_seating(state, t)


def next_seating(state: MatchState, t: int) -> Events:
    """What the waiting pool does now: nothing, depart (R-ME-04), or end the stage."""
    stage, rules = state.current, state.stage_rules
    if stage.finished or _somebody_goes(state):
        return ()
    if stage.draining or _few_enough(state, len(stage.active)):
        if not stage.draining:
            return (events.DrainStarted(t, "remaining"),)
        return () if state.tables else (end_stage(state, t),)
    size = rules.table_size
    if len(stage.pool) < size:
        # Who may yet be revived is waited for (R-ME-04), and an island ends by its time alone (R-IS-01).
        return () if state.tables or stage.offers or rules.island is not None else (end_stage(state, t),)
    waited = t - state.entrants[next(iter(stage.pool))].waiting_since
    shuttle = rules.grouping.shuttle_size or 3 * size
    if not grouping.shuttle_departure(stage.pool, size, shuttle, len(state.tables), waited, rules.grouping.max_wait_ms):
        return ()
    if any(_is_parting(state, state.tables[table_id]) for table_id in stage.voided):
        return ()  # several tables part at once, and the last of them decides
    return (_depart(state, t),)


def hand_scored(state: MatchState, event: events.HandScored) -> Events:
    """R-ME-02, R-AS-01: eliminate, dissolve or play on, in this order."""
    stage, rules, table = state.current, state.stage_rules, state.tables[event.table_id]
    out: list[events.Event] = []
    losers = [] if stage.draining else _below_the_line(state, table, event)
    left = len(stage.active)
    enough = _few_enough(state, left - len(losers))
    if losers:
        out += revivals.put_out(state, event.t, losers, ending=enough)
    parting = bool(losers) or any(player_id in stage.leaving for player_id in table.seats)
    if stage.draining:
        out.append(parted(state, table, event.t))
    elif enough:
        out.append(events.DrainStarted(event.t, "remaining"))  # which dissolves this table with all idle ones
    elif rounds.seating_over(len(table.results), rules.seating_hands, parting):
        out.append(parted(state, table, event.t))
    else:
        out.append(events.HandsStarted(event.t, (event.table_id,), base_now(state, event.t)))
    return tuple(out)


def hand_voided(state: MatchState, table: Table, t: int) -> Events:
    """A hand was played for nothing: dissolve the table where it was the last one, else it waits for a server."""
    return (parted(state, table, t),) if _is_parting(state, table) else ()


def _is_parting(state: MatchState, table: Table) -> bool:
    """Whether a table whose hand was played for nothing is dissolved: on the hands before it, or since it was the last
    one."""
    stage, rules = state.current, state.stage_rules
    somebody_leaves = any(player_id in stage.leaving for player_id in table.seats)
    ended = rounds.seating_over(len(table.results), rules.seating_hands, somebody_leaves)
    return stage.draining or ended or table.hand_no > len(table.results)


def end_round(state: MatchState, table: Table, t: int, *, settled: bool = False) -> Events:
    """Dissolve one table on its last reported hand."""
    return (parted(state, table, t, settled=settled),)


def round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    """Seat who waits. Who has asked to leave an island goes before anybody is seated again (R-IS-03)."""
    leaving, seats = state.current.leaving, state.closed_tables[event.table_id].seats
    going = tuple(state.entrants[player_id] for player_id in seats if player_id in leaving)
    return (left(state, event.t, going, "asked"),) if going else next_seating(state, event.t)


def left(state: MatchState, t: int, going: tuple[Entrant, ...], reason: Leaving) -> events.PlayersLeft:
    """R-IS-03: what those who leave now take with them."""
    rule = state.stage_rules.island
    assert rule is not None, "only an island lets players leave"
    # Who waits for the next stage has no score in this one.
    scores = tuple(0 if entrant.state == "joining" else entrant.score for entrant in going)
    units = tuple(cashed_out(rule, score) for score in scores)
    return events.PlayersLeft(t, tuple(entrant.player_id for entrant in going), scores, units, reason)


def drain_started(state: MatchState, event: events.DrainStarted) -> Events:
    """Dissolve the tables that have not begun; with none left the stage is over (R-ME-05)."""
    return go_on_draining(state, event.t)


def go_on_draining(state: MatchState, t: int) -> Events:
    """What a stage that has begun to drain does next: nobody rests, no offer stays open, idle tables part.

    An end condition that is met is not undone by a revival (R-RV-01). With the policy ``snapshot`` an island cuts all
    its tables at once and their last settled hands count (R-IS-04).
    """
    stage, rules = state.current, state.stage_rules
    if stage.resting:
        return (events.RestsEnded(t, tuple(stage.resting.values())),)
    if stage.offers:
        return (revivals.closed(state, t, tuple(stage.offers), "end"),)
    if rules.island is not None and rules.island.end_policy == "snapshot":
        return cut_tables(state, t)
    idle = [table for table in state.tables.values() if not table.in_hand and not table.interrupted]
    if idle:
        return tuple(parted(state, table, t) for table in idle)
    return () if state.tables else (end_stage(state, t),)


def cut_tables(state: MatchState, t: int) -> Events:
    """R-IS-04: part every table on its last settled hand; with none left the stage is over."""
    if not state.tables:
        return (end_stage(state, t),)
    return tuple(parted(state, table, t) for table in state.tables.values())


def end_stage(state: MatchState, t: int) -> events.StageEnded:
    """R-ME-05: survivors by score, then the eliminated in reverse order of elimination.

    An island ranks those who are present and nobody else (R-IS-01). Where the definition says so, who is away when the
    stage ends does not go on and stands behind those who are there (R-RC-01).
    """
    rules = state.stage_rules
    survivors = rank_players(state.rules, rules, still_in(state))
    if rules.offline_out_at_stage_end:
        survivors.sort(key=lambda player_id: player_id in state.away)
    here = sum(player_id not in state.away for player_id in survivors) if rules.offline_out_at_stage_end else 0
    advancing = here or len(survivors)  # where nobody is left to go on, being away costs nothing
    if rules.end.advance_count is not None:
        advancing = min(advancing, rules.end.advance_count)
    out = () if rules.island is not None else eliminated_in(state)
    return events.StageEnded(t, tuple(survivors) + out, advancing)


def _somebody_goes(state: MatchState) -> bool:
    """Whether somebody who has asked to leave has risen from the table and goes before anything else happens."""
    return any(state.entrants[player_id].table_id is None for player_id in state.current.leaving)


def _few_enough(state: MatchState, remaining: int) -> bool:
    limit = state.stage_rules.end.remaining_below
    return limit is not None and remaining < limit


def _below_the_line(state: MatchState, table: Table, event: events.HandScored) -> list[ranking.Batched]:
    """R-ME-02: the players of a table whose score is below the line of the hand's own frozen base."""
    rule = state.stage_rules.elimination
    if rule is None:
        return []
    line: Number = growth.elim_line(table.base_score, rule.ratio_of_base, rule.absolute)
    batch: list[ranking.Batched] = []
    for player_id, score in zip(table.seats, event.scores, strict=True):
        entrant = state.entrants[player_id]
        if growth.is_out(entrant.score, line, rule.compare):
            batch.append((player_id, entrant.score, entrant.score - score, entrant.reg_seq))
    return batch


def _depart(state: MatchState, t: int) -> events.TablesSeated:
    """R-ME-04: seat the shuttle, by lot or, where an ASS regroups by near score, in rank order (R-AS-01, R-GR-05)."""
    stage, rules, entrants = state.current, state.stage_rules, state.entrants
    size, pool = rules.table_size, list(stage.pool)
    draw = Draw(draw_key(state.seed), state.draw_counter)
    if rules.regroup == "swiss" and stage.bout_no:
        # The last joined of those who do not fill a table wait on.
        tables = grouping.swiss(_ranked(state, pool[: len(pool) // size * size]), size)
    else:
        met = (lambda one, other: other in entrants[one].mates) if stage.bout_no else None
        tables, _ = grouping.depart(pool, size, draw, met)
        if stage.bout_no:
            tables = grouping.keep_apart(tables, lambda one, other: _old_mates(entrants[one], entrants[other]), draw)
    if rules.grouping.seat_order == "random":
        tables = [draw.shuffle(table) for table in tables]
    elif rules.grouping.seat_order == "rank":
        tables = [_ranked(state, table) for table in tables]
    return events.TablesSeated(t, stage.bout_no + 1, state.next_table_id, tuple(map(tuple, tables)), (), draw.counter)


def _old_mates(one: Entrant, other: Entrant) -> int:
    """R-ME-04: how much two players should be kept apart: most if they come from one table, less if from one before."""
    return _weight(one, other.player_id) + _weight(other, one.player_id)


def _weight(entrant: Entrant, other: str) -> int:
    if other in entrant.mates:
        return _JUST_NOW
    return entrant.mates_before.count(other)


def _ranked(state: MatchState, players: Iterable[str]) -> list[str]:
    return rank_players(state.rules, state.stage_rules, [state.entrants[player_id] for player_id in players])
