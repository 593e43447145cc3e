"""What a director has decided, told in sentences for people."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from coordinator.engine.directing import director_events as ev
from coordinator.engine.state import MatchState
from coordinator.shell.lines import Line, name_of, names_of, scores_of, signed


def _penalty_given(state: MatchState, event: ev.PenaltyGiven) -> list[Line]:
    return [
        ("ruling", f"a penalty of {signed(event.points)} for {name_of(state, event.player_id)}{_why(event.reason)}")
    ]


def _player_disqualified(state: MatchState, event: ev.PlayerDisqualified) -> list[Line]:
    place = "" if event.place is None else f", in place {event.place}"
    return [("ruling", f"{name_of(state, event.player_id)} is disqualified{place}{_why(event.reason)}")]


def _player_reinstated(state: MatchState, event: ev.PlayerReinstated) -> list[Line]:
    how = "is reinstated and in again" if event.back else "is disqualified no more"
    return [("ruling", f"{name_of(state, event.player_id)} {how}{_why(event.reason)}")]


def _hand_corrected(state: MatchState, event: ev.HandCorrected) -> list[Line]:
    scores = scores_of(state, event.table_id, event.scores)
    where = f"table {event.table_id}, hand {event.hand_no}"
    return [("ruling", f"{where} is corrected: {scores}{_why(event.reason)}")]


def _round_revised(state: MatchState, event: ev.RoundRevised) -> list[Line]:
    lines: list[Line] = []
    if event.back:
        lines.append(("ruling", f"table {event.table_id}: {names_of(state, event.back)} in again"))
    if event.out:
        lines.append(("ruling", f"table {event.table_id}: {names_of(state, event.out)} out instead"))
    return lines


def _seating_taken_back(state: MatchState, event: ev.SeatingTakenBack) -> list[Line]:
    return [("ruling", f"the seating is taken back and made anew{_why(event.reason)}")]


def _why(reason: str) -> str:
    return f": {reason}" if reason else ""


DIRECTOR_LINES: Mapping[type, Callable[[MatchState, Any], list[Line]]] = MappingProxyType(
    {
        ev.PenaltyGiven: _penalty_given,
        ev.PlayerDisqualified: _player_disqualified,
        ev.PlayerReinstated: _player_reinstated,
        ev.HandCorrected: _hand_corrected,
        ev.RoundRevised: _round_revised,
        ev.SeatingTakenBack: _seating_taken_back,
    }
)
