"""Bouts of pairs: what a Dominion Swiss does differently from other bouts (R-DM-09 to R-DM-12).

A bout is paired fresh by rank, a game may be left by either side, and players may leave for good or come late.

Implements R-DM-11, R-DM-12.
"""

from collections.abc import Mapping

from coordinator.engine import dominion, events, grouping, pairing
from coordinator.engine.deals import draw_key
from coordinator.engine.dominion import GameRecord
from coordinator.engine.draw import Draw
from coordinator.engine.events import Events
from coordinator.engine.formats import format_of
from coordinator.engine.stage_rules import bouts_planned, ranked_in_stage
from coordinator.engine.state import MatchState, Table


def seat_bout(state: MatchState, t: int, bout_no: int) -> events.TablesSeated:
    """R-DM-09, R-DM-10, R-BY-01: draw or pair a bout."""
    stage, rules = state.current, state.stage_rules
    players = list(stage.active)
    draw = Draw(draw_key(state.seed), state.draw_counter)
    had, missed = stage.byes_had, {player: first - 1 for player, first in stage.joined.items()}
    met = dominion.opponents_met(stage.games)
    kind = rules.grouping.kind or format_of(rules).grouping(bout_no)
    if kind == "random" and bout_no == 1:
        pairs, byes = pairing.neighbours(draw.shuffle(players))
    elif kind == "random":
        stay, byes = grouping.draw_byes(players, 2, had, missed, draw)
        pairs, _ = pairing.neighbours(draw.shuffle(stay))
    else:
        another = bout_no < (bouts_planned(rules, stage.entrants) or 0)
        pairs, byes = pair_by_rank(players, met, had, missed, avoid=rules.rematch == "avoid", another=another)
    again = any(other in met.get(one, ()) for one, other in pairs)
    tables = [draw.shuffle(pair) for pair in pairs] if rules.grouping.seat_order == "random" else pairs
    seats = tuple(map(tuple, tables))
    return events.TablesSeated(t, bout_no, state.next_table_id, seats, tuple(byes), draw.counter, again)


def pair_by_rank(
    ranked: list[str],
    met: Mapping[str, Mapping[str, None]],
    had: dict[str, int],
    missed: dict[str, int],
    *,
    avoid: bool = True,
    another: bool = False,
) -> tuple[list[tuple[str, str]], list[str]]:
    """R-DM-10, R-BY-01: the pairs of a ranked field and who sits out.

    met: whom each has met. had, missed: the byes each has had, and the bouts missed before joining. avoid: nobody meets
    twice while that can be. another: this is not the last bout.
    """
    stay, byes = grouping.split_byes(ranked, 2, had, missed)
    if not avoid:
        return pairing.neighbours(stay)[0], byes
    next_byes = _may_sit_out_next(ranked, byes, had, missed) if another else None
    return list(pairing.by_rank(stay, met, resting=byes, next_byes=next_byes).pairs), byes


def _may_sit_out_next(
    players: list[str], byes: list[str], had: dict[str, int], missed: dict[str, int]
) -> tuple[str, ...]:
    """Those who have the fewest byes after this bout, if the field leaves somebody over (R-BY-01)."""
    if len(players) % 2 == 0:
        return ()
    counts = {player: had.get(player, 0) + missed.get(player, 0) + (player in byes) for player in players}
    fewest = min(counts.values())
    return tuple(player for player in players if counts[player] == fewest)


def game_of(table: Table, dropped: tuple[str, ...]) -> GameRecord:
    """The record that the game at a table leaves (R-DM-03)."""
    a, b = table.seats
    status = dominion.status_of((a, b), dropped, played=bool(table.results))
    vp_a, vp_b = table.totals if status == "played" else (0, 0)
    return GameRecord(table.bout_no, a, b, status, vp_a, vp_b)


def end_round(
    state: MatchState, table: Table, t: int, dropped: tuple[str, ...], *, settled: bool = False
) -> events.RoundEnded:
    """R-DM-03: part two players with their main points; a table that never reported parts them without a game."""
    dropped = _dropped(state, table, dropped)
    points = dominion.main_of(game_of(table, dropped), state.stage_rules.main_points)
    places = _places(table.totals, [state.entrants[player].reg_seq for player in table.seats], table.seats, dropped)
    return events.RoundEnded(t, table.table_id, places, points, settled, dropped)


def places_of_final(state: MatchState, table: Table, dropped: tuple[str, ...]) -> tuple[int, ...]:
    """R-DM-12: the places of a final; finalists tied in it keep the order they came in, who dropped is last."""
    entered = {player: number for number, player in enumerate(state.current.active)}
    came = [entered.get(player, len(entered)) for player in table.seats]
    return _places(table.totals, came, table.seats, _dropped(state, table, dropped))


def _dropped(state: MatchState, table: Table, dropped: tuple[str, ...]) -> tuple[str, ...]:
    """Who left a game, in seat order: of themselves, or disqualified."""
    return tuple(player for player in table.seats if player in dropped or player in state.disqualified)


def retire(state: MatchState, t: int, player_id: str) -> Events:
    """R-DM-05, R-DM-11: a player leaves for good; a game in play is settled at once as left by that side."""
    table_id = state.entrants[player_id].table_id
    retired = events.PlayerRetired(t, player_id)
    if table_id is None:
        return (retired,)
    return (retired, end_round(state, state.tables[table_id], t, (player_id,)))


def end_stage(state: MatchState, t: int) -> events.StageEnded:
    """R-DM-01: the top few who are present go on; everybody who ever entered is ranked, those who left included."""
    stage, rules = state.current, state.stage_rules
    order = ranked_in_stage(state, list(state.entrants.values()))
    last = stage.stage_no == len(state.rules.stages) - 1
    if last and rules.top_cut is None:
        return events.StageEnded(t, tuple(order), len(order))
    present = [player for player in order if player in stage.active]
    going_on = present[: rules.top_cut]
    ahead = dict.fromkeys(going_on)
    return events.StageEnded(t, (*going_on, *[p for p in order if p not in ahead]), len(going_on))


def _places(totals: list[int], entered: list[int], seats: tuple[str, ...], dropped: tuple[str, ...]) -> tuple[int, ...]:
    order = sorted(range(len(seats)), key=lambda seat: (seats[seat] in dropped, -totals[seat], entered[seat]))
    places = [0] * len(seats)
    for place, seat in enumerate(order, start=1):
        places[seat] = place
    return tuple(places)
