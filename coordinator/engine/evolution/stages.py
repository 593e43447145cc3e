"""How a stage opens, rises, ends its bouts, drains and ends."""

from types import MappingProxyType

from coordinator.engine import boards, events, timers
from coordinator.engine.definition import Island
from coordinator.engine.dues import rewarded
from coordinator.engine.formats import island, timeline_of
from coordinator.engine.in_and_out import put_out, set_shuttle_timer
from coordinator.engine.ladder import changes as ladder
from coordinator.engine.payouts import owe
from coordinator.engine.stage_rules import by_points, next_base_at
from coordinator.engine.state import Changes, Entrant, MatchState, Payout, StageState


def _stage_opened(state: MatchState, event: events.StageOpened) -> None:
    rules = state.rules.stages[event.stage_no]
    base = rules.initial_game_state.base_score
    first = state.stage is None
    state.stage = stage = StageState(
        stage_no=event.stage_no,
        opened_at=event.t,
        active=dict.fromkeys(event.players),
        base_score=base,
        entrants=len(event.players),
        run=event.run,
    )
    for player_id, score in zip(event.players, event.scores, strict=True):
        entrant = state.entrants[player_id]
        if not first:
            entrant.penalty = 0
        _begin(entrant, score, entrant.penalty if by_points(rules) else 0, event.t)
    if timeline_of(rules) != "challenge":  # whose base score is that of every board
        state.base_curve.append((event.t, base))
    if timeline_of(rules) == "pool":
        stage.pool = dict.fromkeys(event.players)
        set_shuttle_timer(state)
        if rules.end.max_ms is not None:
            state.timers[timers.end_timer(event.stage_no)] = event.t + rules.end.max_ms
        if rules.island is not None:
            _set_island_end(state, rules.island, event.t)
    _set_base_timer(state)
    if timeline_of(rules) == "challenge":
        ladder.open_ladder(state, event.players, event.t)


def _begin(entrant: Entrant, score: int, points: int, t: int) -> None:
    """Everything that is counted in a stage begins anew."""
    entrant.state = "waiting"
    entrant.score = score
    entrant.points = points
    entrant.last_hand = 0
    entrant.seatings = 0
    entrant.waiting_since = t
    entrant.mates = ()
    entrant.mates_before = ()
    entrant.revivals = 0
    entrant.boards = 0


def _set_island_end(state: MatchState, rule: Island, t: int) -> None:
    """R-IS-01: so long after its opening, or at the next time of day it names."""
    if rule.duration_ms is not None:
        state.timers[timers.end_timer(state.current.stage_no)] = t + rule.duration_ms
        return
    assert rule.end_at is not None, "a checked island says when it ends"
    assert state.wall_zero_ms is not None, "a match that looks at the wall clock is told the time before it starts"
    state.current.ends_at_wall_ms = island.next_time_of_day(rule.end_at, state.wall_zero_ms + t)
    set_calendar_timer(state, t)


def set_calendar_timer(state: MatchState, t: int) -> None:
    """R-IS-01: what the wall clock decides falls due at this match time, at once if it has passed meanwhile."""
    stage, zero = state.current, state.wall_zero_ms
    if stage.ends_at_wall_ms is not None and zero is not None and not stage.draining and not stage.finished:
        state.timers[timers.end_timer(stage.stage_no)] = max(t, stage.ends_at_wall_ms - zero)


def _base_raised(state: MatchState, event: events.BaseRaised) -> None:
    stage = state.current
    stage.tick = event.tick
    if event.base_score != stage.base_score:
        stage.base_score = event.base_score
        state.base_curve.append((event.t, event.base_score))
    _set_base_timer(state)


def _set_base_timer(state: MatchState) -> None:
    timer_id, due = timers.base_timer(state.current.stage_no), next_base_at(state)
    if due is None:
        state.timers.pop(timer_id, None)
    else:
        state.timers[timer_id] = due


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> None:
    stage, clock = state.current, state.stage_rules.clock
    stage.time_up = True
    unfinished = any(table.in_hand or table.interrupted for table in state.tables.values())
    if unfinished and clock.unfinished_board == "void":
        state.timers[timers.grace_timer(stage.stage_no)] = event.t + clock.grace_ms


def _bout_ended(state: MatchState, event: events.BoutEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    for player_id, place in zip(event.out, event.out_places, strict=True):
        put_out(state.entrants[player_id], stage_id, place)
    stage.active = dict.fromkeys(event.ranking)
    stage.parted = {}
    for player_id in stage.byes:  # those who played wait since their round ended
        entrant = state.entrants[player_id]
        if entrant.state == "bye":
            entrant.state = "waiting"
    if timeline_of(state.stage_rules) == "clock":
        boards.close_bout(state, stage)
        state.timers.pop(timers.grace_timer(stage.stage_no), None)


def _drain_started(state: MatchState, event: events.DrainStarted) -> None:
    stage = state.current
    stage.draining = True
    for timer_id in (timers.shuttle_timer(stage.stage_no), timers.end_timer(stage.stage_no)):
        state.timers.pop(timer_id, None)
    rule = state.stage_rules.island
    if rule is not None and rule.end_policy == "drain":
        state.timers[timers.drain_timer(stage.stage_no)] = event.t + rule.drain_max_ms


def _stage_ended(state: MatchState, event: events.StageEnded) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    stage.finished = True
    stage.ranking = event.ranking
    stage.survivors = sum(state.entrants[player_id].state != "out" for player_id in event.ranking)
    stage.advancing = event.advancing
    for index, player_id in enumerate(event.ranking):
        entrant = state.entrants[player_id]
        if entrant.state == "out":
            entrant.place = index + 1
        elif index < event.advancing:
            entrant.state = "waiting"
        else:
            put_out(entrant, stage_id, index + 1)
    on = event.ranking[: event.advancing]
    stage.active = dict.fromkeys([player_id for player_id in on if state.entrants[player_id].state != "out"])
    stage.pool = {}
    stage.byes = ()
    state.timers.clear()
    for place, player_id, items in rewarded(state.stage_rules.rewards, event.ranking):
        score = state.entrants[player_id].score
        owe(state, Payout(len(state.payouts) + 1, stage_id, player_id, score, place=place, items=items))


CHANGES: Changes = MappingProxyType(
    {
        events.StageOpened: _stage_opened,
        events.BaseRaised: _base_raised,
        events.BoutTimeUp: _bout_time_up,
        events.BoutEnded: _bout_ended,
        events.DrainStarted: _drain_started,
        events.StageEnded: _stage_ended,
    }
)
