"""A match in a line, as lists show it."""

import json

import msgspec

from coordinator.journal.records import FinishedEntry
from coordinator.shell.desk import Desk
from coordinator.shell.view import MatchSummary


def status_of(desk: Desk) -> str:
    """The status of a match as people see it: one that failed is halted for them."""
    return desk.state.status if desk.failure is None else "halted"


def summary_of(desk: Desk) -> MatchSummary:
    """The line about a match."""
    state = desk.state
    stage = state.stage
    rules = state.stage_rules if stage is not None else None
    registering = state.status == "registering"
    return {
        "match_id": state.match_id,
        "definition": state.rules.id,
        "title": state.rules.title or state.rules.id,
        "game": state.rules.game,
        "status": status_of(desk),
        "stage_id": rules.id if rules is not None else None,
        "stage_title": (rules.title or rules.id) if rules is not None else None,
        "format": rules.format if rules is not None else None,
        "bout_no": stage.bout_no if stage is not None else 0,
        "players": len(state.entrants),
        "remaining": len(state.entrants) if registering or stage is None else len(stage.active),
        "hands": state.hands,
        "base_score": stage.base_score if stage is not None else 0,
    }


def packed(summary: MatchSummary) -> bytes:
    """A line as the journal keeps it."""
    return json.dumps(summary, ensure_ascii=False, separators=(",", ":")).encode()


def unpacked(entry: FinishedEntry) -> MatchSummary:
    """The line that :func:`packed` wrote; fields that a newer version added to lines it does not have.

    A line that was altered is blank but for what is known otherwise: it is for lists alone, and a match is its records.
    """
    blank: MatchSummary = {**_BLANK, "match_id": entry.match_id, "status": entry.status}
    try:
        line = msgspec.json.decode(entry.summary, type=dict[str, object])
        return msgspec.convert({**blank, **line}, MatchSummary)
    except (msgspec.MsgspecError, RecursionError):
        return blank


_BLANK: MatchSummary = {
    "match_id": "",
    "definition": "",
    "title": "",
    "game": "",
    "status": "over",
    "stage_id": None,
    "stage_title": None,
    "format": None,
    "bout_no": 0,
    "players": 0,
    "remaining": 0,
    "hands": 0,
    "base_score": 0,
}
