"""What happens on a ladder, told in sentences for people."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.state import MatchState
from coordinator.shell.lines import Line, name_of, signed
from coordinator.shell.view import EventKind

_HOW: Mapping[str, str] = MappingProxyType(
    {
        "no_reply": "there was no answer in time",
        "no_pick": "the challenger picked no time",
        "not_done": "it was not played and reported in time",
        "late": "the other team was late",
        "claimed": "the other team claimed the win",
        "failed": "the other team failed to play",
        "left": "the other team left the ladder",
        "ruling": "by ruling",
    }
)


def _challenge_issued(state: MatchState, event: ev.ChallengeIssued) -> list[Line]:
    who, whom = name_of(state, event.challenger), name_of(state, event.defender)
    return [("match", f"challenge {event.challenge_no}: {who} challenges {whom}")]


def _times_proposed(state: MatchState, event: ev.TimesProposed) -> list[Line]:
    return [("match", f"challenge {event.challenge_no}: {name_of(state, event.team)} offers other times")]


def _time_fixed(state: MatchState, event: ev.TimeFixed) -> list[Line]:
    return [("match", f"challenge {event.challenge_no}: {name_of(state, event.team)} accepts a time")]


def _right_opened(state: MatchState, event: ev.RightOpened) -> list[Line]:
    options = " or ".join(option.replace("_", " ") for option in event.options)
    name = name_of(state, event.team)
    return [("alarm", f"challenge {event.challenge_no}: after a {event.trigger} {name} may {options}")]


def _right_settled(state: MatchState, event: ev.RightSettled) -> list[Line]:
    name = name_of(state, event.team)
    if event.state == "CHOSEN":
        choice = (event.choice or "continue").replace("_", " ")
        return [("match", f"challenge {event.challenge_no}: {name} chooses to {choice}")]
    if event.state == "WAIVED":
        return [("match", f"challenge {event.challenge_no}: {name} goes on and lets its right go")]
    return [("match", f"challenge {event.challenge_no}: the line-up was put right")]


def _both_late(state: MatchState, event: ev.BothLate) -> list[Line]:
    return [("match", f"challenge {event.challenge_no}: both teams were late and agree on another time")]


def _rooms_opened(state: MatchState, event: ev.RoomsOpened) -> list[Line]:
    first = event.first_table_id
    return [("bout", f"challenge {event.challenge_no}: the match begins at tables {first} and {first + 1}")]


def _match_played(state: MatchState, event: ev.MatchPlayed) -> list[Line]:
    return [("bout", f"challenge {event.challenge_no}: played, {event.imps[0]} to {event.imps[1]} IMPs")]


def _match_voided(state: MatchState, event: ev.MatchVoided) -> list[Line]:
    return [("repeat", f"challenge {event.challenge_no}: the match is void and will be played again")]


def _result_reported(state: MatchState, event: ev.ResultReported) -> list[Line]:
    name, told = name_of(state, event.team), event.report
    if told.failed is not None:
        failed = name_of(state, told.failed)
        return [("match", f"challenge {event.challenge_no}: {name} reports that {failed} failed to play")]
    kind: EventKind = "alarm" if event.differs else "match"
    more = ", which is not what was played" if event.differs else ""
    score = f"{told.challenger_imps} to {told.defender_imps}"
    return [(kind, f"challenge {event.challenge_no}: {name} reports {score}{more}")]


def _result_appealed(state: MatchState, event: ev.ResultAppealed) -> list[Line]:
    return [("alarm", f"challenge {event.challenge_no}: {name_of(state, event.team)} appeals: {event.text}")]


def _dispute_raised(state: MatchState, event: ev.DisputeRaised) -> list[Line]:
    boards = ", ".join(map(str, event.boards))
    name = name_of(state, event.team)
    return [("alarm", f"challenge {event.challenge_no}: {name} disputes board {boards}: {event.text}")]


def _board_ruled(state: MatchState, event: ev.BoardRuled) -> list[Line]:
    worth = "stands as played" if event.imps is None else f"is worth {signed(event.imps)} to the challenger"
    return [("match", f"challenge {event.challenge_no}: board {event.board_no} {worth} by ruling")]


def _challenge_ended(state: MatchState, event: ev.ChallengeEnded) -> list[Line]:
    number = f"challenge {event.challenge_no}"
    if event.winner is None:
        return [
            ("out", f"{number} is taken back" if event.how == "cancelled" else f"{number} comes to nothing by ruling")
        ]
    name = name_of(state, event.winner)
    why = f"{event.imps[0]} to {event.imps[1]} IMPs" if event.how == "result" else _HOW[event.how]
    moved = "the ranks are exchanged" if event.swapped else "the ranks stay"
    return [("out", f"{number}: {name} wins, {why}; {moved}")]


def _team_placed(state: MatchState, event: ev.TeamPlaced) -> list[Line]:
    why = "for a false report" if event.false_report else "by ruling"
    return [("alarm", f"{name_of(state, event.team)} is put on rank {event.rank} {why}")]


def _team_entered(state: MatchState, event: ev.TeamEntered) -> list[Line]:
    return [("match", f"{name_of(state, event.team)} enters at the bottom of the ladder")]


def _team_left(state: MatchState, event: ev.TeamLeft) -> list[Line]:
    return [("out", f"{name_of(state, event.team)} has left the ladder; the teams below move up")]


def _deadline_extended(state: MatchState, event: ev.DeadlineExtended) -> list[Line]:
    return [("match", f"challenge {event.challenge_no} has more time by ruling")]


def _roster_changed(state: MatchState, event: ev.RosterChanged) -> list[Line]:
    return [("match", f"{name_of(state, event.team)}: {event.coming} takes the place of {event.leaving}")]


LADDER_LINES: Mapping[type, Callable[[MatchState, Any], list[Line]]] = MappingProxyType(
    {
        ev.ChallengeIssued: _challenge_issued,
        ev.TimesProposed: _times_proposed,
        ev.TimeFixed: _time_fixed,
        ev.RightOpened: _right_opened,
        ev.RightSettled: _right_settled,
        ev.BothLate: _both_late,
        ev.RoomsOpened: _rooms_opened,
        ev.MatchPlayed: _match_played,
        ev.MatchVoided: _match_voided,
        ev.ResultReported: _result_reported,
        ev.ResultAppealed: _result_appealed,
        ev.DisputeRaised: _dispute_raised,
        ev.BoardRuled: _board_ruled,
        ev.ChallengeEnded: _challenge_ended,
        ev.TeamPlaced: _team_placed,
        ev.TeamEntered: _team_entered,
        ev.TeamLeft: _team_left,
        ev.DeadlineExtended: _deadline_extended,
        ev.RosterChanged: _roster_changed,
    }
)
