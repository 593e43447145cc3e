"""The clock: bouts that last a fixed time and follow each other without break (R-CS-01).

A bout is over when its time is up and its last table has ended. At that moment tables between two boards part; a board
in play has its grace, then it is void (or it is played to its end, where the definition says so). A table that is done
early waits for the clock. Who comes from the waiting room meanwhile plays from the next bout on.

Implements R-CS-01.
"""

from coordinator.engine import boards, duplicate, events, grouping
from coordinator.engine.deals import draw_key
from coordinator.engine.draw import Draw
from coordinator.engine.events import Events
from coordinator.engine.formats import timeline_of
from coordinator.engine.stage_rules import base_now, bouts_planned, ranked_in_stage
from coordinator.engine.state import Entrant, MatchState, Table
from coordinator.engine.timelines.parting import parted


def open_stage(state: MatchState, t: int) -> Events:
    """Seat the first bout."""
    return next_bout(state, t)


def next_bout(state: MatchState, t: int) -> Events:
    """R-CS-01: seat near averages together by Swiss blocks, or end the stage after its last bout.

    With fewer players than a table the bout passes and everybody sits out; more may come before the next.
    """
    stage = state.current
    if stage.bout_no >= _bouts(state) or not stage.active:
        return (end_stage(state, t),)
    return (seat_bout(state, t, stage.bout_no + 1),)


def seat_bout(state: MatchState, t: int, bout_no: int) -> events.TablesSeated:
    """R-CS-01: Swiss blocks of those who are here."""
    stage, rules = state.current, state.stage_rules
    ranked = list(stage.active) if stage.bout_no else _seating_order([state.entrants[p] for p in stage.active])
    draw = Draw(draw_key(state.seed), state.draw_counter)
    stay, byes = grouping.split_byes(ranked, rules.table_size, stage.byes_had, {})
    tables = grouping.swiss(stay, rules.table_size)
    if rules.grouping.seat_order == "random":
        tables = [draw.shuffle(table) for table in tables]
    return events.TablesSeated(t, bout_no, state.next_table_id, tuple(map(tuple, tables)), tuple(byes), draw.counter)


def hand_scored(state: MatchState, event: events.HandScored) -> Events:
    """Compare the board, then go on to the next one or part."""
    rules, table = state.stage_rules, state.tables[event.table_id]
    compared = boards.compare(state, table, event)
    if state.current.time_up or len(table.results) >= rules.bout_boards:
        return (compared, parted(state, table, event.t))
    return (compared, events.HandsStarted(event.t, (event.table_id,), base_now(state, event.t)))


def hand_voided(state: MatchState, table: Table, t: int) -> Events:
    """A board was played for nothing, or for the average; the table parts or waits for a server."""
    if state.current.time_up or len(table.results) >= state.stage_rules.bout_boards:
        return (parted(state, table, t),)
    return ()


def end_round(state: MatchState, table: Table, t: int, *, settled: bool = False) -> Events:
    """Part the players of a table on its last reported board."""
    return (parted(state, table, t, settled=settled),)


def time_is_up(state: MatchState, event: events.BoutTimeUp) -> Events:
    """Part the tables that have no board in play; without any table the bout is over."""
    if not state.tables:
        return (_end_bout(state, event.t),)
    idle = [table for table in state.tables.values() if not table.in_hand and not table.interrupted]
    return tuple(parted(state, table, event.t) for table in idle)


def grace_is_over(state: MatchState, t: int) -> Events:
    """R-CS-01: boards still in play are void and never resumed."""
    unfinished = list(state.tables.values())
    if not unfinished:
        return ()
    voided = events.BoardsVoided(t, tuple(table.table_id for table in unfinished))
    return (voided, *[parted(state, table, t) for table in unfinished])


def round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    """End the bout with its last table, if its time is up."""
    if state.tables or not state.current.time_up:
        return ()
    return (_end_bout(state, event.t),)


def bout_ended(state: MatchState, event: events.BoutEnded) -> Events:
    """Let those go who asked for it, then seat the next bout or end the stage."""
    leaving = tuple(player_id for player_id in state.current.active if state.entrants[player_id].leaving)
    if leaving:
        return (events.EntrantsLeft(event.t, leaving),)
    return next_bout(state, event.t)


def entrants_left(state: MatchState, event: events.EntrantsLeft) -> Events:
    """Between two bouts the next one follows; in the middle of one nothing does."""
    if state.tables or not state.current.time_up:
        return ()
    return next_bout(state, event.t)


def end_stage(state: MatchState, t: int) -> events.StageEnded:
    """R-DU-04, R-DU-05: everybody by average, then those without a result.

    Those who left keep the place they earned in the last stage; before it they do not go on. The disqualified stand
    behind everybody.
    """
    rules = state.stage_rules
    last = _disqualified(state)
    played = [e for e in state.entrants.values() if e.state != "out" and e.player_id not in last]
    ranked, short = duplicate.result_order(
        [entrant.points for entrant in played],
        [entrant.boards for entrant in played],
        [entrant.reg_seq for entrant in played],
        rules.duplicate.required_boards or 0,
    )
    no_result = [played[row].player_id for row in short]
    if state.current.stage_no == len(state.rules.stages) - 1:
        everybody = [played[row].player_id for row in ranked] + no_result
        return events.StageEnded(t, (*everybody, *last), len(everybody))
    going_on = [played[row].player_id for row in ranked if played[row].state != "left"][: rules.end.advance_count]
    goes_on = dict.fromkeys(going_on)
    rest = [played[row].player_id for row in ranked if played[row].player_id not in goes_on]
    return events.StageEnded(t, (*going_on, *rest, *no_result, *last), len(going_on))


def _disqualified(state: MatchState) -> tuple[str, ...]:
    """Those who played in the stage in play and are disqualified, the better average first."""
    stage_id, named = state.stage_rules.id, [state.entrants[player_id] for player_id in state.disqualified]
    return tuple(ranked_in_stage(state, [e for e in named if e.state != "out" or e.out_in == stage_id]))


def takes_entrants(state: MatchState) -> bool:
    """R-CS-01: whether somebody who comes now still plays: the last bout is not seated yet."""
    stage = state.stage
    if stage is None or stage.stage_no or stage.finished:
        return False
    rules = state.stage_rules
    return timeline_of(rules) == "clock" and rules.clock.late_entry and stage.bout_no < _bouts(state)


def _bouts(state: MatchState) -> int:
    bouts = bouts_planned(state.stage_rules, state.current.entrants)
    assert bouts is not None, "a checked definition says how many bouts there are"
    return bouts


def _seating_order(entrants: list[Entrant]) -> list[str]:
    """R-CS-01: the current average from high to low, newcomers at 0, then registration."""
    rows = duplicate.seating_order(
        [entrant.points for entrant in entrants],
        [entrant.boards for entrant in entrants],
        [entrant.reg_seq for entrant in entrants],
    )
    return [entrants[row].player_id for row in rows]


def _end_bout(state: MatchState, t: int) -> events.BoutEnded:
    """Everybody stays in; the order is the one the next bout is seated by, so that the field is sorted once a bout."""
    stage = state.current
    seating = _seating_order([state.entrants[player_id] for player_id in stage.active])
    return events.BoutEnded(t, stage.bout_no, tuple(seating), (), ())
