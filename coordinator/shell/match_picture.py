"""A match as the page and the API see it: read from its state, never stored beside it."""

from collections.abc import Iterator, Sequence

from coordinator.engine import stage_rules, timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.state import MatchState, Table
from coordinator.shell import view
from coordinator.shell.desk import Desk
from coordinator.shell.standings import duplicate_text, points_text, rating_text, state_text
from coordinator.shell.summaries import summary_of


def zero_of(desk: Desk) -> int:
    """The first reading of the match clock that people are shown as 0: a ladder's own counts from 1970."""
    state = desk.state
    if state.definition is None or state.definition.stages[0].ladder is None:
        return 0
    return desk.now_ms() if state.stage is None else state.stage.opened_at


def whole(desk: Desk, order: Sequence[str], happened: list[view.MatchEventView], rows: int) -> view.MatchView:
    """All that is told of a match, at most ``rows`` lines of each list; ``order`` are its players as they stand."""
    state, stage, now = desk.state, desk.state.stage, desk.now_ms()
    playing = stage is not None and not stage.finished and state.status == "running"
    return {
        **summary_of(desk),
        "halted": desk.failure or state.halted,
        "stages": _stages(state),
        "bouts": stage_rules.bouts_planned(state.stage_rules, state.current.entrants) if playing else None,
        "waiting": len(stage.pool) if stage is not None else 0,
        "byes": [state.entrants[player_id].name for player_id in stage.byes[:rows]] if stage is not None else [],
        "draining": stage is not None and stage.draining and not stage.finished,
        "base_scores": [base for _, base in state.base_curve],
        "base_curve": [(t_ms, base) for t_ms, base in state.base_curve],
        "t_ms": _reading(desk) - zero_of(desk),
        "clock": _clock(state, now) if playing else _nothing_due(),
        "standings": [standing(state, rank, p) for rank, p in enumerate(order[:rows], start=1)],
        "standings_total": len(order),
        "tables": [_table(state, table) for table in list(state.tables.values())[:rows]],
        "tables_total": len(state.tables),
        "places": [_place(state, place, p) for place, p in enumerate(state.ranking[:rows], start=1)],
        "events": happened,
        "deal_commitment": state.commitment,
        "secret": state.secret if state.status == "over" else None,
        "owed": len(state.dues),
    }


def player(state: MatchState, rank: int, player_id: str) -> view.PlayerView:
    """One player of a match, who stands at this rank."""
    entrant = state.entrants[player_id]
    line = standing(state, rank, player_id)
    return {
        "player_id": player_id,
        "name": entrant.name,
        "reg_seq": entrant.reg_seq,
        "state": line["state"],
        "score": entrant.score,
        "points": line["points"],
        "rank": rank,
        "table_id": entrant.table_id,
        "place": entrant.place,
        "out_in": entrant.out_in,
    }


def _stages(state: MatchState) -> list[view.StageView]:
    now = -1 if state.stage is None else state.stage.stage_no
    over = state.status == "over"
    found: list[view.StageView] = []
    for number, stage in enumerate(state.rules.stages):
        progress: view.StageProgress = "done" if over or number < now else "now" if number == now else "next"
        phase = state.rules.phase_of(number)
        found.append(
            {
                "id": stage.id,
                "title": stage.title or stage.id,
                "format": stage.format,
                "phase": phase.title or phase.id,
                "state": progress,
            }
        )
    return found


def _reading(desk: Desk) -> int:
    """What the match clock reads; of a match that is over, what it read at the end of its last round."""
    closed = desk.state.closed_tables
    if desk.state.status == "over" and closed:
        return max(table.closed_at for table in closed.values())
    return desk.now_ms()


def _clock(state: MatchState, t_ms: int) -> view.ClockView:
    """What happens next by itself."""
    stage, rules = state.current, state.stage_rules
    growth = rules.base_growth
    rises_by_hands = growth.kind != "none" and growth.by == "hands" and not stage.draining
    if rises_by_hands and stage_rules.base_at_tick(rules, stage.tick + 1) != stage.base_score:
        hands = growth.every_hands - stage.hands % growth.every_hands
        return {"label": "base rises", "in_ms": None, "in_hands": hands}
    for label, due in _coming(state):
        if due is not None:
            return {"label": label, "in_ms": max(0, due - t_ms), "in_hands": None}
    return _nothing_due()


def _nothing_due() -> view.ClockView:
    return {"label": None, "in_ms": None, "in_hands": None}


def _coming(state: MatchState) -> Iterator[tuple[view.ClockLabel, int | None]]:
    """What may fall due by the match clock, and when; of several the first is told."""
    stage_no, due = state.current.stage_no, state.timers.get
    if not state.current.draining:
        yield "base rises", due(timers.base_timer(stage_no))
    if timeline_of(state.stage_rules) == "pool":
        yield "shuttle leaves", due(timers.shuttle_timer(stage_no))
    yield "bout ends", due(timers.bout_timer(stage_no))
    yield "boards are cut", due(timers.grace_timer(stage_no))
    if state.ladder is not None:
        kinds = timers.CHALLENGE_KINDS
        deadlines = [at for timer_id, at in state.timers.items() if timers.kind_of(timer_id)[0] in kinds]
        yield "next deadline", min(deadlines, default=None)
    yield "stage ends", due(timers.end_timer(stage_no))


def standing(state: MatchState, rank: int, player_id: str) -> view.StandingView:
    """One line of the standings."""
    entrant = state.entrants[player_id]
    placement = state.stage is not None and stage_rules.by_points(state.stage_rules)
    points = rating_text(state, player_id) or duplicate_text(state, entrant) or points_text(entrant, placement)
    return {
        "rank": rank,
        "player_id": player_id,
        "name": entrant.name,
        "score": entrant.score,
        "points": points,
        "state": state_text(state, entrant),
        "table_id": entrant.table_id,
    }


def _table(state: MatchState, table: Table) -> view.TableView:
    entrants = state.entrants
    return {
        "table_id": table.table_id,
        "server_id": table.server_id,
        "epoch": table.epoch,
        "hand_no": table.hand_no,
        "attempt_no": table.attempt_no,
        "in_hand": table.in_hand,
        "interrupted": table.interrupted,
        "base_score": table.base_score,
        "actions": len(table.log),
        "players": [
            {"player_id": p, "name": entrants[p].name if p in entrants else p, "score": score}
            for p, score in zip(table.seats, table.totals, strict=True)
        ],
    }


def _place(state: MatchState, place: int, player_id: str) -> view.PlaceView:
    entrant = state.entrants[player_id]
    return {
        "place": place,
        "player_id": player_id,
        "name": entrant.name,
        "score": entrant.score,
        "out_in": entrant.out_in,
        "disqualified": player_id in state.disqualified,
    }
