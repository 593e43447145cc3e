"""Why a player sits where, sits out, or waits on when tables are formed. The state is that before the event."""

from collections.abc import Sequence

from coordinator.engine import dominion, events
from coordinator.engine.deals import draw_key
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.stage_rules import bye_worth
from coordinator.engine.state import MatchState
from coordinator.reasons.ranked import seating, standing
from coordinator.reasons.reason import Drawn, Reason, Rival, Value

NAMED = 8
"""So many names at most stand in a list of inputs."""


def tables_seated(state: MatchState, event: events.TablesSeated, player_id: str) -> list[Reason]:
    """A seat, a bye, or left over by the shuttle."""
    for table_id, seats in enumerate(event.tables, start=event.first_table_id):
        if player_id in seats:
            if timeline_of(state.stage_rules) == "pool":
                return [_from_the_pool(state, event, player_id, table_id, seats)]
            return [_in_a_bout(state, event, player_id, table_id, seats)]
    if player_id in event.byes:
        return [_bye(state, event, player_id)]
    if player_id in state.current.pool:
        return [_left_over(state, event, player_id)]
    return []


def drawn(state: MatchState, event: events.TablesSeated) -> Drawn | None:
    """The chance that went into these tables; None where none did."""
    if event.draw_counter == state.draw_counter:
        return None
    return Drawn(state.seed, state.draw_counter, event.draw_counter)


def _in_a_bout(
    state: MatchState, event: events.TablesSeated, player_id: str, table_id: int, seats: Sequence[str]
) -> Reason:
    rules = state.stage_rules
    kind = rules.grouping.kind or format_of(rules).grouping(event.bout_no)
    field = _field(state, event)
    number, size = table_id - event.first_table_id + 1, len(seats)
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "bout_no": event.bout_no,
        "table_id": table_id,
        "seat_no": seats.index(player_id) + 1,
        "mates": [other for other in seats if other != player_id],
        "grouping": kind,
        "players": len(field),
        "tables": len(event.tables),
    }
    where = f"seat {inputs['seat_no']} of table {table_id}"
    compared = _mates(state, seats, player_id)
    if format_of(rules).duels and not (kind == "random" and event.bout_no == 1):
        return _paired(state, event, player_id, seats, inputs, where, compared)
    rank = field.index(player_id) + 1
    if kind == "random":
        rule = "R-DM-09" if format_of(rules).duels else "R-GR-04"
        says = f"{where}: the {len(field)} players were shuffled and cut into tables of {size}"
        draw = drawn(state, event)
        return Reason("seat", event.t, (rule, "R-HI-06"), says, inputs | {"key": draw_key(state.seed)}, draw=draw)
    if kind == "direct":
        says = f"{where}: everybody sits at the one table, in the order of entry ({rank} of {len(field)})"
        return Reason("seat", event.t, ("R-GR-05", "R-DF-01"), says, inputs | {"rank": rank}, compared)
    inputs["rank"] = rank
    if kind == "swiss":
        first, last = (number - 1) * size + 1, number * size
        says = f"{where}: rank {rank} of {len(field)}; table {number} of the bout takes ranks {first} to {last}"
        rule = {"swiss_shift": "R-SW-03", "continuous_swiss": "R-CS-01"}.get(rules.format, "R-GR-01")
        chosen = (rule,) if rule == "R-GR-01" else (rule, "R-GR-01")
        return Reason("seat", event.t, chosen, says, inputs, compared, drawn(state, event))
    row, column = divmod(rank - 1, len(event.tables))
    turned = rules.grouping.direction == "serpentine" and row % 2 == 1
    way = "backwards" if turned else "forwards"
    says = (
        f"{where}: rank {rank} of {len(field)} stands in row {row + 1} of the snake, place {column + 1}, "
        f"and the row runs {way}, to table {number} of the bout"
    )
    rule = "R-GR-03" if kind == "ui" else "R-GR-02"
    return Reason("seat", event.t, (rule,), says, inputs | {"row": row + 1}, compared, drawn(state, event))


def _field(state: MatchState, event: events.TablesSeated) -> list[str]:
    """Those who play in a bout, in the order they are seated by."""
    resting = dict.fromkeys(event.byes)
    return [player_id for player_id in state.current.active if player_id not in resting]


def _paired(
    state: MatchState,
    event: events.TablesSeated,
    player_id: str,
    seats: Sequence[str],
    inputs: dict[str, Value],
    where: str,
    compared: tuple[Rival, ...],
) -> Reason:
    """R-DM-10."""
    met = dominion.opponents_met(state.current.games)
    ranked = _field(state, event)
    [opponent] = [other for other in seats if other != player_id]
    rank, other_rank = ranked.index(player_id) + 1, ranked.index(opponent) + 1
    had = list(met.get(player_id, ()))
    again = opponent in had
    nearer = [other for at, other in enumerate(ranked, start=1) if 0 < abs(at - rank) < abs(other_rank - rank)]
    passed = [other for other in nearer if other in had]
    inputs |= {
        "rank": rank,
        "opponent": opponent,
        "opponent_rank": other_rank,
        "met_before": had[:NAMED],
        "nearer_in_rank": nearer[:NAMED],
        "nearer_and_met": passed[:NAMED],
        "rematch": again,
    }
    why = "the nearest in rank not met yet that leaves everybody else an opponent"
    if again:
        why = "a rematch, since no complete pairing without one was left"
    elif state.stage_rules.rematch == "allow":
        why = "its neighbour in rank, rematches being allowed"
    says = f"{where}: rank {rank} meets rank {other_rank}, {why}"
    return Reason("seat", event.t, ("R-DM-10", "R-DM-05"), says, inputs, compared, drawn(state, event))


def _mates(state: MatchState, seats: Sequence[str], player_id: str) -> tuple[Rival, ...]:
    """The others of a table, by what the ranking that seats them looks at."""
    entrants = [state.entrants[other] for other in seats]
    values = seating(state, entrants)
    order = list(state.current.active)
    own = order.index(player_id)
    return tuple(
        values.rival(state, player_id, other, own < order.index(other)) for other in seats if other != player_id
    )


def _from_the_pool(
    state: MatchState, event: events.TablesSeated, player_id: str, table_id: int, seats: Sequence[str]
) -> Reason:
    """R-ME-04, R-AS-01."""
    rules, inputs, why = state.stage_rules, *_departure(state, event)
    where = f"seat {seats.index(player_id) + 1} of table {table_id}"
    inputs |= {
        "table_id": table_id,
        "seat_no": seats.index(player_id) + 1,
        "mates": [other for other in seats if other != player_id],
        "mates_before": [other for other in state.entrants[player_id].mates if other != player_id],
    }
    waited = (event.t - state.entrants[player_id].waiting_since) / 1000
    if rules.regroup == "swiss" and state.current.bout_no:
        says = f"{where} after {waited:.1f} s: the shuttle left since {why}, and its players were seated by score"
        return Reason("seat", event.t, ("R-AS-01", "R-ME-04"), says, inputs, _mates_by_score(state, seats, player_id))
    apart = ", old table-mates being kept apart" if state.current.bout_no else ""
    says = f"{where} after {waited:.1f} s: the shuttle left since {why}, and its players were shuffled{apart}"
    return Reason("seat", event.t, ("R-ME-04", "R-GR-04"), says, inputs, draw=drawn(state, event))


def _mates_by_score(state: MatchState, seats: Sequence[str], player_id: str) -> tuple[Rival, ...]:
    values = standing(state, [state.entrants[other] for other in seats])
    own = seats.index(player_id)
    return tuple(
        values.rival(state, player_id, other, own < at) for at, other in enumerate(seats) if other != player_id
    )


def _left_over(state: MatchState, event: events.TablesSeated, player_id: str) -> Reason:
    """R-ME-04: the remainder waits on."""
    inputs, why = _departure(state, event)
    left = [other for other in state.current.pool if not any(other in seats for seats in event.tables)]
    says = f"waits on: the shuttle left since {why}, and {len(left)} did not fill a table"
    return Reason("wait", event.t, ("R-ME-04",), says, inputs | {"left_over": left[:NAMED]}, draw=drawn(state, event))


def _departure(state: MatchState, event: events.TablesSeated) -> tuple[dict[str, Value], str]:
    """What made the shuttle leave, as inputs and in words."""
    stage, rules = state.current, state.stage_rules
    pool, size = list(stage.pool), rules.table_size
    shuttle = rules.grouping.shuttle_size or 3 * size
    waited = event.t - state.entrants[pool[0]].waiting_since
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "waiting": len(pool),
        "shuttle_size": shuttle,
        "longest_wait_ms": waited,
        "max_wait_ms": rules.grouping.max_wait_ms,
        "tables_running": len(state.tables),
        "tables": len(event.tables),
    }
    if len(pool) >= shuttle:
        return inputs, f"{len(pool)} waited and {shuttle} are enough"
    if waited >= rules.grouping.max_wait_ms:
        return inputs, f"somebody had waited {waited / 1000:.1f} s"
    return inputs, "no table was running"


def _bye(state: MatchState, event: events.TablesSeated, player_id: str) -> Reason:
    """R-BY-01, R-CA-01."""
    stage, rules = state.current, state.stage_rules
    field = list(stage.active)
    size = rules.table_size
    had = stage.byes_had

    def load(other: str) -> int:
        return had.get(other, 0) + max(0, stage.joined.get(other, 1) - 1)

    own = load(player_id)
    same = [other for other in field if load(other) == own]
    score, points = bye_worth(rules)
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "bout_no": event.bout_no,
        "players": len(field),
        "table_size": size,
        "byes": list(event.byes)[:NAMED],
        "byes_had": had.get(player_id, 0),
        "bouts_missed": max(0, stage.joined.get(player_id, 1) - 1),
        "fewest": min(map(load, field)),
        "rank": field.index(player_id) + 1,
        "worth_score": score,
        "worth_points": points,
    }
    if len(field) < size:
        says = f"sits out: {len(field)} players do not fill a table of {size}"
        return Reason("bye", event.t, ("R-BY-01",), says, inputs)
    kind = rules.grouping.kind or format_of(rules).grouping(event.bout_no)
    fewest = f"of the {len(same)} players with {own} byes" if own else f"of the {len(same)} players without a bye"
    says = f"sits out: {len(field)} players leave {len(event.byes)} over at tables of {size}; {fewest} "
    if kind == "random":
        says += "the lot chose"
        return Reason("bye", event.t, ("R-BY-01", "R-CA-01"), says, inputs, draw=drawn(state, event))
    says += f"the lowest ranked do, and this is rank {inputs['rank']}"
    near = [other for other in same if other == player_id or other not in event.byes][-3:]
    if player_id not in near:
        near.append(player_id)
    values = seating(state, [state.entrants[other] for other in near])
    order = field.index(player_id)
    compared = tuple(
        values.rival(state, player_id, other, order < field.index(other)) for other in near if other != player_id
    )
    return Reason("bye", event.t, ("R-BY-01", "R-CA-01"), says, inputs, compared)
