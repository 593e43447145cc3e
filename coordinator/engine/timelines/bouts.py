"""Bouts: group all, every table plays one round, rank, cut, again (R-HI-06).

Default, knockout and Swiss shift run on it, and Dominion Swiss with what :mod:`coordinator.engine.timelines.pairs` does
differently. A bout is over because its last table has ended; no count says so.

Implements R-HI-06.
"""

from collections.abc import Sequence

from coordinator.engine import cut, events, grouping, ranking
from coordinator.engine.deals import draw_key
from coordinator.engine.definition import Stage
from coordinator.engine.draw import Draw
from coordinator.engine.events import Events
from coordinator.engine.formats import format_of
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import (
    base_now,
    bouts_planned,
    is_final,
    rank_columns,
    ranked_in_stage,
    round_is_over,
    scored_quantity,
    still_in,
    tie_chain,
)
from coordinator.engine.state import MatchState, Table
from coordinator.engine.timelines import pairs
from coordinator.engine.timelines.parting import parted


def open_stage(state: MatchState, t: int) -> Events:
    """Seat the first bout, or halt where the format cannot take the field (R-DF-01)."""
    rules, entrants = state.stage_rules, state.current.entrants
    if format_of(rules).one_table and entrants != rules.table_size and not _short_final(state):
        reason = f"stage {rules.id!r} seats exactly {rules.table_size} and {entrants} came (R-DF-01)"
        return (events.MatchHalted(t, reason),)
    return next_bout(state, t)


def next_bout(state: MatchState, t: int) -> Events:
    """Seat the next bout, or end the stage when no full table can be formed (R-BY-01)."""
    if len(state.current.active) < _seats(state):
        return (end_stage(state, t),)
    return (seat_bout(state, t, state.current.bout_no + 1),)


def seat_bout(state: MatchState, t: int, bout_no: int) -> events.TablesSeated:
    """Group those still in, who are enough for a table."""
    stage, rules, size = state.current, state.stage_rules, _seats(state)
    if format_of(rules).duels:
        return pairs.seat_bout(state, t, bout_no)
    players = list(stage.active)
    kind = rules.grouping.kind or format_of(rules).grouping(bout_no)
    draw = Draw(draw_key(state.seed), state.draw_counter)
    had = stage.byes_had
    if kind == "random":
        stay, byes = grouping.draw_byes(players, size, had, {}, draw)
    else:
        stay, byes = grouping.split_byes(players, size, had, {})
    tables = _group(kind, stay, rules, draw, size)
    if rules.grouping.seat_order == "random":
        tables = [draw.shuffle(table) for table in tables]
    elif rules.grouping.seat_order == "rank":
        tables = _in_rank_order(tables, players)
    return events.TablesSeated(t, bout_no, state.next_table_id, tuple(map(tuple, tables)), tuple(byes), draw.counter)


def hand_scored(state: MatchState, event: events.HandScored) -> Events:
    """Start the next hand, or end the round with its places and points."""
    rules, table = state.stage_rules, state.tables[event.table_id]
    if not round_is_over(rules, table) and not event.dropped:
        return (events.HandsStarted(event.t, (event.table_id,), base_now(state, event.t)),)
    return end_round(state, table, event.t, dropped=event.dropped)


def hand_voided(state: MatchState, table: Table, t: int) -> Events:
    """A hand was played for nothing: the round may be over with it, else the table waits for a server."""
    return end_round(state, table, t) if round_is_over(state.stage_rules, table) else ()


def end_round(
    state: MatchState, table: Table, t: int, *, settled: bool = False, dropped: tuple[str, ...] = ()
) -> Events:
    """R-HI-07: part the players of a table; in a knockout those who are out hear it at once (R-KO-02)."""
    rules = state.stage_rules
    if format_of(rules).duels:
        return (pairs.end_round(state, table, t, dropped, settled=settled),)
    if tie_chain(state.rules, rules)[-1] == "swiss_rank":
        final = pairs.places_of_final(state, table, dropped)
        return (events.RoundEnded(t, table.table_id, final, (0,) * len(final), settled, dropped),)
    ended = parted(state, table, t, settled=settled)
    lost = [table.seats[seat] for seat in out_at_table(rules, state.current.bout_no, ended.places)]
    losers = tuple(player_id for player_id in lost if state.entrants[player_id].state != "out")
    if not losers:
        return (ended,)
    return (events.PlayersEliminated(t, losers, (None,) * len(losers)), ended)


def round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    """End the bout with its last table."""
    if state.tables:
        return ()
    return (_end_bout(state, event.t),)


def bout_ended(state: MatchState, event: events.BoutEnded) -> Events:
    """Seat the next bout, or end the stage."""
    if _is_over(state):
        return (end_stage(state, event.t),)
    return next_bout(state, event.t)


def end_stage(state: MatchState, t: int) -> events.StageEnded:
    """R-HI-05: the ranking of everybody who ever entered: survivors in order, then the eliminated by their places."""
    stage, rules = state.current, state.stage_rules
    if format_of(rules).duels:
        return pairs.end_stage(state, t)
    if format_of(rules).one_table and stage.bout_places:
        survivors = sorted(stage.active, key=stage.bout_places.__getitem__)
        if any(state.entrants[player_id].penalty for player_id in survivors):  # which no table has looked at
            survivors.sort(key=lambda player_id: -scored_quantity(rules, state.entrants[player_id]))
    elif stage.bout_no == 0:
        survivors = list(stage.active)
    else:
        survivors = ranked_in_stage(state, still_in(state))
    return events.StageEnded(t, tuple(survivors) + eliminated_in(state), len(survivors))


def eliminated_in(state: MatchState) -> tuple[str, ...]:
    """Those the stage in play has put out, best place first."""
    stage_id = state.stage_rules.id
    gone = [
        (entrant.place, entrant.player_id)
        for entrant in state.entrants.values()
        if entrant.out_in == stage_id and entrant.place is not None
    ]
    return tuple(player_id for _, player_id in sorted(gone))


def _group(kind: str, stay: list[str], rules: Stage, draw: Draw, size: int) -> list[list[str]]:
    if kind == "swiss":
        return grouping.swiss(stay, rules.table_size)
    if kind == "snake":
        return grouping.snake(stay, rules.table_size, rules.grouping.direction)
    if kind == "ui":
        return grouping.ui(stay, rules.table_size)
    if kind == "direct":
        return grouping.direct(stay, size)
    return grouping.random(stay, rules.table_size, draw)


def _in_rank_order(tables: list[list[str]], ranked: Sequence[str]) -> list[list[str]]:
    position = {player_id: index for index, player_id in enumerate(ranked)}
    return [sorted(table, key=position.__getitem__) for table in tables]


def reranks(rules: Stage) -> bool:
    """Whether those who stay are put in the order of their ranks after a bout."""
    return format_of(rules).reranks if rules.rerank is None else rules.rerank


def by_table(rules: Stage, bout_no: int) -> bool:
    """Whether a bout puts out by place at the table, not by rank over the field (R-KO-01)."""
    return format_of(rules).elimination == "table" and rules.cut_of(bout_no).mode == "none"


def out_at_table(rules: Stage, bout_no: int, places: Sequence[int]) -> list[int]:
    """The seats a table's own end puts out for certain; the middle of an odd half waits for the other tables."""
    if not by_table(rules, bout_no):
        return []
    if rules.advance_per_table == "half":
        last_in = (rules.table_size + 1) // 2
    else:
        last_in = rules.advance_per_table
    return [seat for seat, place in enumerate(places) if place > last_in]


def _end_bout(state: MatchState, t: int) -> events.BoutEnded:
    stage, rules = state.current, state.stage_rules
    bout_no = stage.bout_no
    order, last = ranked_in_stage(state, still_in(state)), _disqualified_in_bout(state)
    if not by_table(rules, bout_no):
        the_cut = rules.cut_of(bout_no)
        count = 0
        if the_cut.mode != "none":  # the disqualified are the first to go
            field = len(order) + len(last)
            count = max(0, cut.cut_count(field, the_cut.mode, exact(the_cut.value), rules.percent_round) - len(last))
        stays, out = order[: len(order) - count], order[len(order) - count :]
    else:
        stays, out = _knocked_out(state, order, last)
    out = out + last
    places = list(range(len(stays) + 1, len(stays) + 1 + len(out)))
    if not reranks(rules):
        still = dict.fromkeys(stays)
        stays = [player_id for player_id in stage.active if player_id in still]
    return events.BoutEnded(t, bout_no, tuple(stays), tuple(out), tuple(places))


def _disqualified_in_bout(state: MatchState) -> list[str]:
    """Those who have no place yet and take the last ones of the bout; in a Dominion Swiss places come with its end."""
    rules = state.stage_rules
    if not state.disqualified or format_of(rules).duels:
        return []
    entrants = [state.entrants[player_id] for player_id in state.disqualified]
    out = [entrant for entrant in entrants if entrant.out_in == rules.id and entrant.place is None]
    return ranked_in_stage(state, out)


def _knocked_out(state: MatchState, order: list[str], last: list[str]) -> tuple[list[str], list[str]]:
    """R-KO-02 to R-KO-05: who of the ranked stays, and the others by their places, without those who are last."""
    stage, rules = state.current, state.stage_rules
    at_table = stage.bout_places
    stays = order
    if rules.advance_per_table == "half" and rules.table_size % 2:
        middle = (rules.table_size + 1) // 2
        middles = [player_id for player_id in order if at_table.get(player_id) == middle]
        lost = dict.fromkeys(middles[len(cut.middle_advances(middles, rules.half_rounding)) :])
        stays = [player_id for player_id in order if player_id not in lost]
    trimmed: list[str] = []
    if rules.align_to_table:
        keep = cut.align_to_table(len(stays), rules.table_size)
        stays, trimmed = stays[:keep], stays[keep:]
    still = dict.fromkeys(stays)
    still.update(dict.fromkeys(trimmed))
    elsewhere = {**still, **dict.fromkeys(last)}
    gone = [state.entrants[player_id] for player_id in at_table if player_id not in elsewhere]
    places = ranking.places_of_eliminated(
        len(still),
        [entrant.player_id for entrant in gone],
        [at_table[entrant.player_id] for entrant in gone],
        rank_columns(state.rules, rules, gone),
        [entrant.reg_seq for entrant in gone],
    )
    return stays, trimmed + list(places)


def _is_over(state: MatchState) -> bool:
    """Whether the stage ends with the bout just ended (R-KO-01, R-SW-01, R-SW-02)."""
    stage, rules = state.current, state.stage_rules
    bouts = bouts_planned(rules, stage.entrants)
    if len(stage.active) < rules.table_size:
        return True
    if bouts is None:
        return stage.tables_in_bout == 1 and not stage.byes
    return stage.bout_no >= bouts


def _seats(state: MatchState) -> int:
    """How many sit at a table."""
    return max(2, len(state.current.active)) if _short_final(state) else state.stage_rules.table_size


def _short_final(state: MatchState) -> bool:
    """R-DM-01, R-DM-12: the final of a Dominion Swiss is played by all who came when too few did. So is any other that
    a disqualification has left short, if it is not played by sides."""
    rules = state.stage_rules
    may = is_final(state.rules, rules) or (format_of(rules).one_table and state.disqualified and not rules.round.sides)
    return bool(may) and state.current.entrants < rules.table_size
