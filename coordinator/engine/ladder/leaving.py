"""A team leaves a ladder that runs: first its challenges end, one after the other, then its rank is empty.

What the rules leave open (R-BL-01 knows only how a team comes): leaving is giving up. A match that was played and is
not contested counts as it was played; everything else that is open goes to the other team. The teams below move up.
"""

from coordinator.engine.commands import LeaveMatch
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.looking import ladder_of, provisional, running, unknown_team
from coordinator.engine.ladder.meeting import Events, awarded
from coordinator.engine.ladder.records import Challenge
from coordinator.engine.ladder.results import settle, won
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState


def leave(state: MatchState, command: LeaveMatch) -> tuple[ev.TeamLeaves, ...] | Refused:
    """R-ST-02: where the ladder lets teams go. Asked twice, it has left once."""
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    if command.player_id in ladder.left:
        return ()
    unknown = unknown_team(state, command.player_id, "player_id")
    if unknown is not None:
        return unknown
    if state.stage_rules.leave != "allowed":
        message = "this ladder does not let teams leave while it runs (R-ST-02)"
        return Refused("leave_forbidden", message, "player_id", "a withdrawal before the ladder starts")
    return (ev.TeamLeaves(command.t, command.player_id),)


def gives_up(state: MatchState, t: int, team: str) -> Events:
    """The end of the next open challenge of a team that leaves; without any it is gone."""
    ladder = ladder_of(state)
    record = ladder.teams[team]
    number = record.out_challenge or record.in_challenge
    if number is None:
        return (ev.TeamLeft(t, team),)
    return _ended(state, ladder.challenges[number], t, team)


def _ended(state: MatchState, challenge: Challenge, t: int, team: str) -> Events:
    other = challenge.other(team)
    if not challenge.tables or challenge.state not in ("played", "reported", "disputed"):
        return awarded(state, challenge, t, other, "left")
    if challenge.state == "disputed" or provisional(challenge):
        return won(state, challenge, t, other, "left")
    return settle(state, challenge, t)
