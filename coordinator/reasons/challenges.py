"""Why a team of a ladder plays, wins, loses, and stands on its rank."""

from coordinator.engine import events
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.state import MatchState
from coordinator.reasons.reason import Reason

_HOW = {
    "result": ("more IMPs win, equal ones are the defender's", ("R-BL-05", "R-BL-12")),
    "cancelled": ("the challenger took it back before the defender reacted", ("R-BL-06",)),
    "no_reply": ("the defender did not answer in time", ("R-BL-08",)),
    "no_pick": ("the challenger picked none of the defender's times", ("R-BL-06",)),
    "not_done": ("it was not played and reported in time", ("R-BL-08",)),
    "late": ("one team was ready in time and the other was not", ("R-BL-09",)),
    "claimed": ("the other side chose to claim the win", ("R-RC-04",)),
    "failed": ("a team was reported not to have played", ("R-BL-12",)),
    "left": ("the other side left the ladder", ("R-ST-02",)),
    "ruling": ("a referee has ruled", ("R-BL-12",)),
}

SILENT = (
    ev.RosterNamed,
    ev.TeamLeaves,
    ev.TimesProposed,
    ev.TimeFixed,
    ev.TeamCheckedIn,
    ev.LineUpGiven,
    ev.TeamReady,
    ev.RightOpened,
    ev.RightSettled,
    ev.BothLate,
    ev.LatenessPutOff,
    ev.MatchPlayed,
    ev.MatchVoided,
    ev.ResultReported,
    ev.ResultAppealed,
    ev.DisputeRaised,
    ev.DisputeConfirmed,
    ev.BoardRuled,
    ev.IncidentNoted,
    ev.DeadlineExtended,
    ev.RosterChanged,
)
"""Steps on the way of a challenge, whose end says what became of its teams."""


def entered(state: MatchState, event: ev.TeamEntered, player_id: str) -> list[Reason]:
    """A team that comes while the ladder runs, or comes back."""
    if event.team != player_id or state.ladder is None:
        return []
    rank = len(state.ladder.ranks) + 1
    says = f"enters at the bottom, on rank {rank}"
    return [Reason("entry", event.t, ("R-BL-01",), says, {"rank": rank})]


def team_left(state: MatchState, event: ev.TeamLeft, player_id: str) -> list[Reason]:
    """A team that leaves, and those below it."""
    assert state.ladder is not None
    if event.team == player_id:
        says = f"leaves the ladder, of which it had rank {state.ladder.rank(player_id)}"
        return [Reason("left", event.t, ("R-ST-02",), says)]
    if player_id not in state.ladder.ranks or state.ladder.rank(player_id) < state.ladder.rank(event.team):
        return []
    rank = state.ladder.rank(player_id) - 1
    says = f"moves up to rank {rank}: {event.team} above it has left"
    return [Reason("place", event.t, ("R-ST-02",), says, {"rank": rank, "left": event.team})]


def issued(state: MatchState, event: ev.ChallengeIssued, player_id: str) -> list[Reason]:
    """A challenge that locks a team."""
    if player_id not in (event.challenger, event.defender) or state.ladder is None:
        return []
    ranks = {"rank": state.ladder.rank(event.challenger), "target": state.ladder.rank(event.defender)}
    verb = f"challenges {event.defender}" if player_id == event.challenger else f"is challenged by {event.challenger}"
    says = f"{verb}: rank {ranks['rank']} may challenge rank {ranks['target']}"
    return [Reason("wait", event.t, ("R-BL-02", "R-BL-04"), says, {"challenge": event.challenge_no, **ranks})]


def rooms_opened(state: MatchState, event: ev.RoomsOpened, player_id: str) -> list[Reason]:
    """Where a fielded player sits, and where a team's players do."""
    assert state.ladder is not None
    challenge = state.ladder.challenges[event.challenge_no]
    inputs = {"challenge": event.challenge_no}
    for number, seats in enumerate(event.rooms, start=event.first_table_id):
        if player_id in seats:
            says = f"seat {seats.index(player_id) + 1} of table {number}, by the line-up"
            return [Reason("seat", event.t, ("R-BL-10", "R-BL-14"), says, {**inputs, "table": number})]
    if player_id not in (challenge.challenger, challenge.defender):
        return []
    says = f"plays at tables {event.first_table_id} and {event.first_table_id + 1}: both teams were ready at the time"
    return [Reason("seat", event.t, ("R-BL-09", "R-BL-14"), says, {**inputs, "play": event.play_no})]


def ended(state: MatchState, event: ev.ChallengeEnded, player_id: str) -> list[Reason]:
    """What a challenge did to a team's rank and rating."""
    ladder = state.ladder
    assert ladder is not None
    challenge = ladder.challenges[event.challenge_no]
    if player_id not in (challenge.challenger, challenge.defender):
        return []
    why, rules = _HOW[event.how]
    won = event.winner == player_id
    outcome = "comes to nothing" if event.winner is None else "wins" if won else "loses"
    other = challenge.other(player_id)
    rank = ladder.rank(other) if event.swapped else ladder.rank(player_id)
    says = f"{outcome} challenge {event.challenge_no} against {other}: {why}; rank {rank}"
    inputs: dict[str, int | str | None] = {"challenge": event.challenge_no, "winner": event.winner, "rank": rank}
    if event.imps:
        inputs |= {"challenger_imps": event.imps[0], "defender_imps": event.imps[1]}
    if event.ratings:
        rules = (*rules, "R-RA-02", "R-RA-03")
        inputs |= {"rating": event.ratings[0 if player_id == challenge.challenger else 1]}
    return [Reason("place", event.t, rules, says, inputs)]


def placed(state: MatchState, event: ev.TeamPlaced, player_id: str) -> list[Reason]:
    """A rank that a referee gave."""
    if event.team != player_id:
        return []
    rule = "R-BL-12" if event.false_report else "R-BL-08"
    why = "for a false report" if event.false_report else "by ruling"
    return [Reason("place", event.t, (rule,), f"is put on rank {event.rank} {why}", {"reason": event.reason})]


def final(event: events.StageEnded, player_id: str) -> list[Reason]:
    """The last rank: what the challenges have made of it."""
    rank = event.ranking.index(player_id) + 1
    says = f"rank {rank} of {len(event.ranking)}, as the challenges left it"
    return [Reason("advance", event.t, ("R-BL-05",), says, {"rank": rank, "ranked": len(event.ranking)})]
