"""Why a player's place is what it is, and why a player is out. The state is that before the event."""

from collections.abc import Sequence

from coordinator.engine import cut, events, growth, scoring
from coordinator.engine.definition import Stage
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.numbers import exact
from coordinator.engine.stage_rules import placement_points, still_in
from coordinator.engine.state import MatchState
from coordinator.engine.timelines.bouts import by_table, reranks
from coordinator.reasons import awards, challenges
from coordinator.reasons.directed import booked, last_of_bout
from coordinator.reasons.ranked import at_table, by_entry, standing, who_is_away_last
from coordinator.reasons.reason import Reason, Rival, Value

ORDINARY = "R-HI-07"


def round_ended(state: MatchState, event: events.RoundEnded, player_id: str) -> list[Reason]:
    """The place at a table, and why the player waits then."""
    table, rules = state.tables[event.table_id], state.stage_rules
    if player_id not in table.seats or state.ladder is not None:
        return []
    seat = table.seats.index(player_id)
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "bout_no": table.bout_no,
        "table_id": table.table_id,
        "hands": len(table.results),
        "total": table.totals[seat],
        "place": event.places[seat],
        "points": event.points[seat],
        "settled": event.settled,
    }
    if event.dropped:
        inputs["dropped"] = list(event.dropped)
    inputs |= booked(state.entrants[player_id])
    values = at_table(state, table, event.dropped)
    compared = tuple(
        values.rival(state, player_id, other, event.places[seat] < place)
        for other, place in zip(table.seats, event.places, strict=True)
        if other != player_id
    )
    says = f"place {event.places[seat]} of {len(table.seats)} at table {table.table_id} with {table.totals[seat]:+d}"
    found = [Reason("table", event.t, _round_rules(rules, event), says + _worth(rules, event, seat), inputs, compared)]
    return found + _waits(state, event, player_id)


def _round_rules(rules: Stage, event: events.RoundEnded) -> tuple[str, ...]:
    if format_of(rules).duels:
        return ("R-DM-03", "R-DM-04")
    first = "R-HI-06" if event.settled else ("R-RT-01" if rules.round.type == "target" else "R-RF-01")
    more = ("R-SC-02",) if rules.scoring == "placement" else ("R-SC-01",)
    return (first, ORDINARY, *more, "R-TB-01", "R-TB-02")


def _worth(rules: Stage, event: events.RoundEnded, seat: int) -> str:
    if format_of(rules).duels:
        return f", {event.points[seat]} main points"
    if rules.scoring != "placement":
        return ""
    shared = scoring.award_points(event.places, [0] * len(event.places), placement_points(rules), "break")
    how = "" if exact(event.points[seat]) == exact(shared[seat]) else ", shared with an equal"
    return f", worth {event.points[seat]} points{how}"


def _waits(state: MatchState, event: events.RoundEnded, player_id: str) -> list[Reason]:
    """Why there is no next hand at once."""
    stage, rules, entrant = state.current, state.stage_rules, state.entrants[player_id]
    if entrant.state in ("out", "offered"):
        return []
    others = len(state.tables) - 1
    inputs: dict[str, Value] = {"stage": rules.id, "tables_running": others}
    timeline = timeline_of(rules)
    if timeline == "clock":
        says = "waits for the next bout, which begins when the time of this one is up"
        return [Reason("wait", event.t, ("R-CS-01",), says, inputs)]
    if timeline == "bouts":
        if not others:
            return []
        says = f"waits for {others} other tables: a bout is over when its last table has ended"
        return [Reason("wait", event.t, ("R-HI-06",), says, inputs)]
    if stage.draining:
        says = "waits for the end of the stage: no new table is formed, running hands count"
        return [Reason("wait", event.t, ("R-ME-05",), says, inputs)]
    if rules.island is not None and rules.island.rest_ms is not None and player_id not in stage.leaving:
        says = f"rests for at most {rules.island.rest_ms / 1000:g} s before the next table"
        return [Reason("wait", event.t, ("R-IS-05",), says, inputs | {"rest_ms": rules.island.rest_ms})]
    shuttle = rules.grouping.shuttle_size or 3 * rules.table_size
    said = f"waits for the next shuttle: {len(stage.pool)} waited before this table parted, {shuttle} are enough"
    inputs |= {"waiting": len(stage.pool), "shuttle_size": shuttle}
    return [Reason("wait", event.t, ("R-ME-04",), said, inputs)]


def hand_voided(state: MatchState, event: events.HandVoided, player_id: str) -> list[Reason]:
    """R-RC-02: what the stage says of hands that nobody will finish."""
    table = state.tables[event.table_id]
    if player_id not in table.seats:
        return []
    what = {
        "void": "is worth nothing",
        "average": "is worth the average of its board",
        "let_stand": "is left out, and the table parts on the hands before it",
    }[event.policy]
    inputs: dict[str, Value] = {"table_id": table.table_id, "hand_no": table.hand_no, "policy": event.policy}
    says = f"the interrupted hand {table.hand_no} of table {table.table_id} will not be played again: it {what}"
    return [Reason("table", event.t, ("R-RC-02",), says, inputs)]


def players_eliminated(state: MatchState, event: events.PlayersEliminated, player_id: str) -> list[Reason]:
    """Below the line (R-ME-02), or among the last of a knockout's table (R-KO-02)."""
    if player_id not in event.players:
        return []
    rules, entrant = state.stage_rules, state.entrants[player_id]
    assert entrant.table_id is not None, "who is out at once sits at a table"
    table = state.tables[entrant.table_id]
    place = event.places[event.players.index(player_id)]
    inputs: dict[str, Value] = {"stage": rules.id, "table_id": table.table_id, "place": place}
    if timeline_of(rules) != "pool":
        take = rules.advance_per_table
        inputs |= {"advance_per_table": take, "table_size": len(table.seats)}
        says = f"out: {_take(take)} of each table go on; the place follows at the end of the bout"
        rule = "R-KO-02" if take != "half" else "R-KO-03" if len(table.seats) % 2 == 0 else "R-KO-04"
        return [Reason("out", event.t, (rule,), says, inputs)]
    says, more = below_the_line(state, player_id)
    found = Reason("out", event.t, ("R-ME-02",), f"out: {says}", inputs | more)
    if place is None:
        return [found]
    batch = [other for other in event.players if other != player_id]
    values = batch_values(state, event.players)
    compared = tuple(values[player_id, other] for other in batch)
    says = f"place {place}: {len(state.current.active)} were left before this hand"
    if batch:
        says += f", and {len(batch)} more went with it"
    told: dict[str, Value] = {"place": place, "left_before": len(state.current.active), "batch": list(event.players)}
    return [found, Reason("place", event.t, ("R-ME-05",), says, told, compared)]


def below_the_line(state: MatchState, player_id: str) -> tuple[str, dict[str, Value]]:
    """R-ME-02: the comparison that puts a player of a pool out."""
    rules, entrant = state.stage_rules, state.entrants[player_id]
    rule = rules.elimination
    assert rule is not None, "a stage by score has a line"
    assert entrant.table_id is not None, "who falls sits at a table"
    base = state.tables[entrant.table_id].base_score
    line = growth.elim_line(base, rule.ratio_of_base, rule.absolute)
    inputs: dict[str, Value] = {"score": entrant.score, "line": line, "base_score": base, "compare": rule.compare}
    if rule.ratio_of_base is not None:
        inputs["ratio_of_base"] = rule.ratio_of_base
    than = "below" if rule.compare == "lt" else "not above"
    whence = f"{rule.ratio_of_base} of the base score {base} of the hand" if rule.absolute is None else "a fixed line"
    return f"the score {entrant.score} is {than} {line}, {whence}", inputs


def batch_values(state: MatchState, batch: Sequence[str]) -> dict[tuple[str, str], Rival]:
    """R-ME-05: those of one hand, by score after it, score before it, registration; the best place first."""
    names = ("score", "score_before", "registration")
    values = {}
    for other in batch:
        entrant = state.entrants[other]
        values[other] = (entrant.score, entrant.score - entrant.last_hand, entrant.reg_seq)
    found = {}
    for own in batch:
        for other in batch:
            if own != other:
                differs = next(n for n, a, b in zip(names, values[own], values[other], strict=True) if a != b)
                found[own, other] = Rival(
                    other,
                    state.entrants[other].name,
                    batch.index(own) < batch.index(other),
                    differs,
                    dict(zip(names, values[own], strict=True)),
                    dict(zip(names, values[other], strict=True)),
                )
    return found


def bout_ended(state: MatchState, event: events.BoutEnded, player_id: str) -> list[Reason]:
    """On with a rank, or out with a place."""
    rules = state.stage_rules
    if format_of(rules).one_table:
        return []  # the end of the stage, which comes with that of its only bout, tells the rank
    if player_id in event.ranking:
        rank = event.ranking.index(player_id) + 1
        reranked = reranks(rules) or timeline_of(rules) == "clock"
        values = standing(state, still_in(state)) if reranked else by_entry(state, still_in(state))
        near = values.neighbours(state, event.ranking, player_id)
        inputs: dict[str, Value] = {"stage": rules.id, "bout_no": event.bout_no, "rank": rank}
        inputs |= {"stay": len(event.ranking), "out": len(event.out)} | booked(state.entrants[player_id])
        says = f"goes on as rank {rank} of {len(event.ranking)}"
        if event.out:
            says += f"; {len(event.out)} are out"
        return [Reason("advance", event.t, _bout_rules(rules, event.bout_no), says, inputs, near)]
    if player_id not in event.out:
        return []
    if player_id in state.disqualified:
        return last_of_bout(state, event, player_id)
    place = event.out_places[event.out.index(player_id)]
    if by_table(rules, event.bout_no):
        return [_out_at_table(state, event, player_id, place)]
    return [_cut(state, event, player_id, place)]


def _bout_rules(rules: Stage, bout_no: int) -> tuple[str, ...]:
    if format_of(rules).duels:
        return ("R-DM-05",)
    if timeline_of(rules) == "clock":
        return ("R-CS-01", "R-DU-04")
    if format_of(rules).elimination == "table":
        return ("R-KO-01", "R-SC-02" if rules.scoring == "placement" else "R-SC-01", "R-TB-03")
    return ("R-SW-01", "R-SC-02" if rules.scoring == "placement" else "R-SC-01", "R-TB-03")


def _cut(state: MatchState, event: events.BoutEnded, player_id: str, place: int) -> Reason:
    """R-SW-02: by rank over the whole field."""
    rules = state.stage_rules
    the_cut = rules.cut_of(event.bout_no)
    field = len(event.ranking) + len(event.out)
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "bout_no": event.bout_no,
        "place": place,
        "players": field,
        "out": len(event.out),
        "cut_mode": the_cut.mode,
        "cut_value": exact(the_cut.value),
    }
    inputs |= booked(state.entrants[player_id])
    how = {"fixed": f"{the_cut.value} go", "percent": f"{the_cut.value} % go", "keep": f"{the_cut.value} stay"}
    says = (
        f"out in place {place}: of {field} players {how.get(the_cut.mode, '')}, so that rank {place} is below the line"
    )
    values = standing(state, still_in(state))
    last_in = values.rival(state, player_id, event.ranking[-1], False) if event.ranking else None
    near = values.neighbours(state, (*event.ranking, *event.out), player_id)
    known = {rival.player_id for rival in near}
    compared = near if last_in is None or last_in.player_id in known else (last_in, *near)
    return Reason("out", event.t, ("R-SW-02", "R-SW-01", "R-TB-03"), says, inputs, compared)


def _out_at_table(state: MatchState, event: events.BoutEnded, player_id: str, place: int) -> Reason:
    """R-KO-02 to R-KO-05: the place of somebody whom a knockout bout puts out."""
    stage, rules = state.current, state.stage_rules
    own = stage.bout_places.get(player_id)
    inputs: dict[str, Value] = {
        "stage": rules.id,
        "bout_no": event.bout_no,
        "place": place,
        "place_at_table": own,
        "stay": len(event.ranking),
        "out": len(event.out),
    }
    inputs |= booked(state.entrants[player_id])
    entrants = [state.entrants[other] for other in (*event.ranking, *event.out)]
    values = standing(state, entrants)
    middle = (rules.table_size + 1) // 2
    half = rules.advance_per_table == "half" and rules.table_size % 2 == 1
    if half and own == middle:
        middles = [other for other in (*event.ranking, *event.out) if stage.bout_places.get(other) == middle]
        stay = len(cut.middle_advances(middles, rules.half_rounding))
        inputs |= {"middles": len(middles), "middles_stay": stay}
        says = f"out in place {place}: of the {len(middles)} middles of their tables {stay} go on"
        compared = values.neighbours(state, middles, player_id)
        return Reason("out", event.t, ("R-KO-04", "R-KO-05"), says, inputs, compared)
    if own is None or own <= (middle if half else _last_in(rules)):
        says = f"out in place {place}: the last are trimmed until the tables are full"
        return Reason("out", event.t, ("R-KO-04",), says, inputs, values.neighbours(state, event.out, player_id))
    says = f"place {place}: {len(event.ranking)} stay; those who are out stand by place at their tables, this one {own}"
    same = [other for other in event.out if stage.bout_places.get(other) == own]
    return Reason("place", event.t, ("R-KO-05",), says, inputs, values.neighbours(state, same, player_id))


def _last_in(rules: Stage) -> int:
    return rules.table_size // 2 if rules.advance_per_table == "half" else rules.advance_per_table


def _take(take: object) -> str:
    return "half" if take == "half" else f"the first {take}" if take != 1 else "only the first"


def stage_ended(state: MatchState, event: events.StageEnded, player_id: str) -> list[Reason]:
    """The rank in a stage, and what an island pays for it."""
    if player_id not in event.ranking:
        return []
    if state.ladder is not None:
        return challenges.final(event, player_id)
    rules, entrant = state.stage_rules, state.entrants[player_id]
    rank = event.ranking.index(player_id) + 1
    goes_on = rank <= event.advancing
    inputs: dict[str, Value] = {"stage": rules.id, "rank": rank, "ranked": len(event.ranking)}
    inputs |= {"advancing": event.advancing, "score": entrant.score, "points": entrant.points}
    inputs |= booked(entrant)
    found: list[Reason] = []
    if entrant.state != "out":
        says = f"rank {rank} of {len(event.ranking)} in stage {rules.id}"
        says += "" if goes_on else f"; {event.advancing} go on, so this is out"
        near: tuple[Rival, ...] = ()
        if format_of(rules).one_table:
            says += ", as placed at its table"
            if any(state.entrants[other].penalty for other in event.ranking):
                says += " and after the penalties"
        else:
            values = standing(state, [state.entrants[other] for other in event.ranking if _is_in(state, other)])
            if rules.offline_out_at_stage_end:
                values = who_is_away_last(state, values)
            near = values.neighbours(state, event.ranking, player_id)
        found.append(Reason("advance" if goes_on else "out", event.t, _stage_rules(rules), says, inputs, near))
    return found + awards.of_stage(event.t, rules.rewards, event.ranking, player_id, rules.id)


def _is_in(state: MatchState, player_id: str) -> bool:
    return state.entrants[player_id].state != "out"


def _stage_rules(rules: Stage) -> tuple[str, ...]:
    return {
        "melee": ("R-ME-05", "R-TB-03"),
        "island": ("R-IS-01", "R-TB-03"),
        "continuous_swiss": ("R-DU-04", "R-DU-05"),
        "swiss_1v1": ("R-DM-05", "R-DM-01"),
        "default": ("R-DF-01", "R-TB-03"),
    }.get(rules.format, ("R-HI-05", "R-TB-03"))


def match_ended(state: MatchState, event: events.MatchEnded, player_id: str) -> list[Reason]:
    """The final place and what it wins."""
    if player_id not in event.ranking:
        return []
    place = event.ranking.index(player_id) + 1
    out_in = state.entrants[player_id].out_in
    inputs: dict[str, Value] = {"place": place, "ranked": len(event.ranking), "out_in": out_in}
    how = "the ranking of the last stage" if out_in is None else f"fixed when the player was out in stage {out_in}"
    found = [Reason("place", event.t, ("R-HI-05",), f"final place {place} of {len(event.ranking)}: {how}", inputs)]
    if not state.lobby:
        return found  # its tourney says what the places win
    return found + awards.of_match(
        event.t, state.rules.rewards, event.ranking, event.awards, player_id, state.disqualified
    )


def award_confirmed(state: MatchState, event: events.AwardConfirmed, player_id: str) -> list[Reason]:
    """A lobby has paid what the player wins."""
    due = state.dues[event.key]
    return awards.confirmed(event.t, due) if due.player_id == player_id else []
