"""What happened in a match, told in sentences for people; built from events once they are on disk."""

from collections import deque
from collections.abc import Callable
from typing import Any

import attrs

from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.formats import timeline_of
from coordinator.engine.match import Outcome
from coordinator.engine.state import MatchState
from coordinator.shell.director_lines import DIRECTOR_LINES
from coordinator.shell.ladder_lines import LADDER_LINES
from coordinator.shell.lines import Line, name_of, names_of, scores_of
from coordinator.shell.view import MatchEventView

LINES_KEPT = 200
NAMED = 4
"""So many players a sentence names; others are counted."""


@attrs.frozen
class _Repeated:
    """Hands that are played again, as they were ordered: their tables go on, and the state will not tell any more."""

    t: int
    orders: tuple[fx.StartHand, ...]


class Chronicle:
    """The newest events of one match; they become sentences when somebody reads them."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, events.Event | _Repeated]] = deque(maxlen=LINES_KEPT)
        self._no = 0

    def note(self, outcome: Outcome) -> None:
        """Keep what is worth telling of an outcome."""
        for event in outcome.events:
            if type(event) in _TELL:
                self._no += 1
                self._kept.append((self._no, event))
            elif isinstance(event, events.HandsRepeated):
                self._no += 1
                orders = [effect for effect in outcome.effects if isinstance(effect, fx.StartHand)]
                again = tuple([order for order in orders if order.table_id in event.table_ids])
                self._kept.append((self._no, _Repeated(event.t, again)))

    def newest_first(self, state: MatchState, zero_ms: int = 0) -> list[MatchEventView]:
        """The sentences, the newest first. The state may be ahead of them. zero_ms: the match clock's first reading."""
        lines: list[MatchEventView] = []
        for no, event in self._kept:
            t_ms = max(0, getattr(event, "t", 0) - zero_ms)
            for kind, text in _TELL[type(event)](state, event):
                lines.append({"no": no, "t_ms": t_ms, "kind": kind, "text": text})
        lines.reverse()
        return lines


def _go_on(players: int) -> str:
    return "1 goes on" if players == 1 else f"{players:,} go on"


def _match_opened(state: MatchState, event: events.MatchOpened) -> list[Line]:
    return [("match", "registration is open")]


def _match_started(state: MatchState, event: events.MatchStarted) -> list[Line]:
    first = state.rules.stages[0]
    if timeline_of(first) == "clock" and first.clock.late_entry:
        return [("match", "the match begins, registration stays open")]
    return [("match", "registration is closed, the match begins")]


def _stage_opened(state: MatchState, event: events.StageOpened) -> list[Line]:
    stage = state.rules.stages[event.stage_no]
    return [("stage", f"{stage.title or stage.id}: {len(event.players)} players begin")]


def _tables_seated(state: MatchState, event: events.TablesSeated) -> list[Line]:
    tables = len(event.tables)
    text = f"seating {event.bout_no}: {tables} {'table' if tables == 1 else 'tables'}"
    if event.rematch:
        text += "; not all could be fresh, so some meet again"
    if event.byes:
        text += f"; bye for {names_of(state, event.byes, NAMED)}"
    return [("bout", text)]


def _tables_orphaned(state: MatchState, event: events.TablesOrphaned) -> list[Line]:
    tables = ", ".join(map(str, event.table_ids[:8])) + (" …" if len(event.table_ids) > 8 else "")
    one = len(event.table_ids) == 1
    if event.reason == "aborted":
        given_back = f"table {tables} and it moves" if one else f"tables {tables} and they move"
        return [("server", f"table server {event.server_id} gives back {given_back}")]
    moving = f"table {tables} moves" if one else f"tables {tables} move"
    if event.reason == "seat_gone":
        return [("server", f"a player is gone: table server {event.server_id} gives back table {tables}")]
    if event.reason == "drained":
        return [("server", f"table server {event.server_id} drains; {moving}")]
    return [("server", f"table server {event.server_id} lost; {moving}")]


_INSTEAD = {
    "void": "it counts for nothing",
    "average": "everybody gets the average of the board",
    "let_stand": "the hands before it stand",
}
"""What becomes of an interrupted hand that is not played again."""


def _hands_redealt(state: MatchState, event: events.HandsRedealt) -> list[Line]:
    return [("hand", f"table {table_id}: the interrupted hand is dealt afresh") for table_id in event.table_ids]


def _hand_voided(state: MatchState, event: events.HandVoided) -> list[Line]:
    return [("hand", f"table {event.table_id}: the interrupted hand is not repeated, {_INSTEAD[event.policy]}")]


def _match_paused(state: MatchState, event: events.MatchPaused) -> list[Line]:
    return [("server", f"the clock stands still: {event.reason}")]


def _match_resumed(state: MatchState, event: events.MatchResumed) -> list[Line]:
    return [("server", "the clock goes on")]


def _presence_noted(state: MatchState, event: events.PresenceNoted) -> list[Line]:
    name = state.entrants[event.player_id].name
    return [("server", f"{name} is back" if event.present else f"{name} is away")]


def _repeated(state: MatchState, happened: _Repeated) -> list[Line]:
    return [
        (
            "repeat",
            f"table {order.table_id} on {order.server_id}: "
            f"hand {order.hand_no} is repeated, same deal, {len(order.log)} actions again",
        )
        for order in happened.orders[:20]
    ]


def _hand_scored(state: MatchState, event: events.HandScored) -> list[Line]:
    scores = scores_of(state, event.table_id, event.scores)
    again = f" (attempt {event.attempt_no})" if event.attempt_no > 1 else ""
    return [("hand", f"table {event.table_id}, hand {event.hand_no}{again}: {scores}")]


def _result_parked(state: MatchState, event: events.ResultParked) -> list[Line]:
    told = scores_of(state, event.table_id, event.reported)
    where = f"table {event.table_id}, hand {event.hand_no}"
    return [("alarm", f"{where}: a second, different result was parked: {told}")]


def _base_raised(state: MatchState, event: events.BaseRaised) -> list[Line]:
    return [("base", f"the base score rises to {event.base_score:,}")]


def _players_eliminated(state: MatchState, event: events.PlayersEliminated) -> list[Line]:
    places = [
        f"{name_of(state, p)} is out in place {n}" if n else f"{name_of(state, p)} is out"
        for p, n in zip(event.players, event.places, strict=True)
    ]
    return [("out", ", ".join(places))]


def _round_ended(state: MatchState, event: events.RoundEnded) -> list[Line]:
    if event.dropped:
        return [("out", f"table {event.table_id}: {names_of(state, event.dropped, NAMED)} dropped out of the game")]
    if not event.settled:
        return []
    return [("alarm", f"table {event.table_id} fell silent and was settled on its last reported hand")]


def _bout_ended(state: MatchState, event: events.BoutEnded) -> list[Line]:
    text = f"bout {event.bout_no} is over, {_go_on(len(event.ranking))}"
    if event.out:
        text += f"; out: {names_of(state, event.out, NAMED)}"
    return [("bout", text)]


def _drain_started(state: MatchState, event: events.DrainStarted) -> list[Line]:
    if event.reason == "closed":
        return [("stage", "the ladder is closed: open challenges run to their ends")]
    why = "few enough are left" if event.reason == "remaining" else "time is up"
    return [("stage", f"{why}: running hands finish")]


def _stage_ended(state: MatchState, event: events.StageEnded) -> list[Line]:
    leader = name_of(state, event.ranking[0]) if event.ranking else "nobody"
    return [("stage", f"the stage is over, {_go_on(event.advancing)}, {leader} leads")]


def _match_ended(state: MatchState, event: events.MatchEnded) -> list[Line]:
    return [("match", f"the match is over: {name_of(state, event.ranking[0])} wins")] if event.ranking else []


def _late_entered(state: MatchState, event: events.LateEntered) -> list[Line]:
    return [("match", f"{name_of(state, event.player_id)} comes late and plays from bout {event.from_bout} on")]


def _player_retired(state: MatchState, event: events.PlayerRetired) -> list[Line]:
    return [("out", f"{name_of(state, event.player_id)} leaves for good and stays ranked")]


def _match_halted(state: MatchState, event: events.MatchHalted) -> list[Line]:
    return [("alarm", f"the match is halted: {event.reason}")]


def _player_joined(state: MatchState, event: events.PlayerJoined) -> list[Line]:
    where = "waits for the next stage" if event.next_stage else f"joins with {event.score}"
    return [("match", f"{name_of(state, event.player_id)} {where}")]


def _players_left(state: MatchState, event: events.PlayersLeft) -> list[Line]:
    lines: list[Line] = []
    for player_id, score, units in zip(event.players, event.scores, event.units, strict=True):
        worth = f", worth {units}" if units else ""
        how = "has rested too long and leaves" if event.reason == "rest_over" else "leaves"
        lines.append(("out", f"{name_of(state, player_id)} {how} with {score}{worth}"))
    return lines


def _revival_offered(state: MatchState, event: events.RevivalOffered) -> list[Line]:
    price = "for one of several packs" if event.packs else f"for {event.fee}"
    return [("out", f"{name_of(state, event.player_id)} is out and may come back {price}")]


def _player_revived(state: MatchState, event: events.PlayerRevived) -> list[Line]:
    return [("match", f"{name_of(state, event.player_id)} pays {event.fee} and comes back with {event.score}")]


_CLOSED = {
    "declined": "does not come back",
    "balance": "cannot pay for coming back",
    "timeout": "did not come back in time",
    "end": "cannot come back any more",
    "left": "leaves",
}


def _revivals_closed(state: MatchState, event: events.RevivalsClosed) -> list[Line]:
    places = [
        f"{name_of(state, p)} {_CLOSED[event.reason]}" + (f" and is out in place {n}" if n else "")
        for p, n in zip(event.players, event.places, strict=True)
    ]
    return [("out", ", ".join(places))]


def _entrant_admitted(state: MatchState, event: events.EntrantAdmitted) -> list[Line]:
    return [("match", f"{name_of(state, event.player_id)} comes in and plays from the next bout on")]


def _leave_promised(state: MatchState, event: events.LeavePromised) -> list[Line]:
    return [("match", f"{name_of(state, event.player_id)} leaves when the bout is over")]


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> list[Line]:
    verb = "leaves" if len(event.players) == 1 else "leave"
    return [("match", f"{names_of(state, event.players, NAMED)} {verb}")]


def _bout_time_up(state: MatchState, event: events.BoutTimeUp) -> list[Line]:
    return [("bout", f"the time of bout {event.bout_no} is up")]


def _boards_voided(state: MatchState, event: events.BoardsVoided) -> list[Line]:
    tables = ", ".join(map(str, event.table_ids[:8])) + (" …" if len(event.table_ids) > 8 else "")
    noun = "table" if len(event.table_ids) == 1 else "tables"
    return [("bout", f"unfinished boards are void at {noun} {tables}")]


_TELL: dict[type, Callable[[MatchState, Any], list[Line]]] = {
    **LADDER_LINES,
    **DIRECTOR_LINES,
    events.MatchOpened: _match_opened,
    events.MatchStarted: _match_started,
    events.StageOpened: _stage_opened,
    events.TablesSeated: _tables_seated,
    events.TablesOrphaned: _tables_orphaned,
    events.HandsRedealt: _hands_redealt,
    events.HandVoided: _hand_voided,
    events.MatchPaused: _match_paused,
    events.MatchResumed: _match_resumed,
    events.PresenceNoted: _presence_noted,
    _Repeated: _repeated,
    events.HandScored: _hand_scored,
    events.ResultParked: _result_parked,
    events.BaseRaised: _base_raised,
    events.PlayersEliminated: _players_eliminated,
    events.RoundEnded: _round_ended,
    events.BoutEnded: _bout_ended,
    events.DrainStarted: _drain_started,
    events.StageEnded: _stage_ended,
    events.MatchEnded: _match_ended,
    events.MatchHalted: _match_halted,
    events.PlayerJoined: _player_joined,
    events.PlayersLeft: _players_left,
    events.RevivalOffered: _revival_offered,
    events.PlayerRevived: _player_revived,
    events.RevivalsClosed: _revivals_closed,
    events.EntrantAdmitted: _entrant_admitted,
    events.LeavePromised: _leave_promised,
    events.EntrantsLeft: _entrants_left,
    events.BoutTimeUp: _bout_time_up,
    events.BoardsVoided: _boards_voided,
    events.LateEntered: _late_entered,
    events.PlayerRetired: _player_retired,
}
