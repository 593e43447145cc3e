"""Challenges: a match is played when two teams agreed on a time, and the ranks are what the challenges make of them.

Deadlines run over days and by the wall clock, whether a coordinator runs or not: what passed while none ran has passed
and is carried out in its order at the next start. Only minutes in which nobody could speak are given back: lateness at
the agreed time is then judged after as many minutes more (R-BL-09), and a silent table has its time again (R-HI-06).
"""

from collections.abc import Callable
from typing import Any

from coordinator.engine import events, timers
from coordinator.engine.events import Events
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder import lateness, leaving, results
from coordinator.engine.ladder.changes import was_away
from coordinator.engine.ladder.looking import boards_played, ladder_of, ladder_rules, provisional
from coordinator.engine.ladder.meeting import awarded
from coordinator.engine.ladder.records import Challenge
from coordinator.engine.stage_rules import base_now, round_is_over
from coordinator.engine.state import MatchState, Table


def open_stage(state: MatchState, t: int) -> Events:
    """Nothing is played until two teams agree on it."""
    return ()


def hand_scored(state: MatchState, event: events.HandScored) -> Events:
    """R-BL-14: the next board of the room, or its end."""
    table = state.tables[event.table_id]
    if round_is_over(state.stage_rules, table):
        return end_round(state, table, event.t)
    return (events.HandsStarted(event.t, (table.table_id,), base_now(state, event.t)),)


def hand_voided(state: MatchState, table: Table, t: int) -> Events:
    """R-BL-14: a void board counts nothing; the room may be over with it, else it waits for a server."""
    return end_round(state, table, t) if round_is_over(state.stage_rules, table) else ()


def end_round(state: MatchState, table: Table, t: int, *, settled: bool = False) -> Events:
    """Close a room; boards it has not played are void."""
    nothing = (0,) * len(table.seats)
    return (events.RoundEnded(t, table.table_id, nothing, nothing, settled),)


def round_ended(state: MatchState, event: events.RoundEnded) -> Events:
    """With the second room the match is played; who sat there may have another match to begin."""
    challenge = _whose_room(state, event.table_id)
    out: list[events.Event] = []
    if challenge is not None and not any(table_id in state.tables for table_id in challenge.tables):
        out.append(results.played(state, challenge, event.t))
    if any(not _goes_on(state, table_id) for table_id in state.tables):
        return tuple(out)  # it closes in the same breath; with the last of them others may begin
    return (*out, *_next_start(state, event.t))


def _whose_room(state: MatchState, table_id: int) -> Challenge | None:
    return next((each for each in ladder_of(state).challenges.values() if table_id in each.tables), None)


def _goes_on(state: MatchState, table_id: int) -> bool:
    challenge = _whose_room(state, table_id)
    return challenge is not None and challenge.state == "playing"


def _next_start(state: MatchState, t: int) -> Events:
    """The first match that waits for nothing any more. One at a time: the next may share players with it."""
    for waiting in ladder_of(state).challenges.values():
        starts = maybe_start(state, waiting, t)
        if starts:
            return starts
    return ()


def timer_fired(state: MatchState, kind: str, number: int, event: events.TimerFired) -> Events:
    """A deadline has passed."""
    if kind == "end":
        return (events.DrainStarted(event.t, "time"),)
    challenge = ladder_of(state).challenges[number]
    return _ON_TIME[kind](state, challenge, event.t)


def drain_started(state: MatchState, t: int) -> Events:
    """No new challenges; with the last open one the ladder is over."""
    ladder = ladder_of(state)
    if ladder.challenges:
        return ()
    # Who left stands below all who stayed, the last to leave first.
    return (events.StageEnded(t, (*ladder.ranks, *reversed(ladder.left)), len(ladder.ranks)),)


def maybe_start(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-09, R-BL-14: both teams ready and no right open, two rooms open with the sides crossed."""
    teams = (challenge.challenger, challenge.defender)
    if challenge.state != "fixed" or challenge.at is None or t < challenge.at:
        return ()
    if any(team not in challenge.ready or team not in challenge.lineups for team in teams):
        return ()
    if any(right.state == "OPEN" for right in challenge.rights.values()):
        return ()
    if any(ladder_of(state).teams[team].leaving for team in teams):
        return ()
    fielded = [player for team in teams for player in challenge.lineups[team]]
    if any(player in table.seats for table in state.tables.values() for player in fielded):
        return ()  # nobody sits at two tables: it begins when they are free
    a, b, c, d = challenge.lineups[challenge.challenger]
    w, x, y, z = challenge.lineups[challenge.defender]
    rooms = ((a, w, b, x), (y, c, z, d))
    number = challenge.challenge_no
    return (ev.RoomsOpened(t, number, challenge.play_no + 1, state.next_table_id, rooms),)


def _reply(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-08: a defender that does not answer forfeits."""
    return awarded(state, challenge, t, challenge.challenger, "no_reply")


def _pick(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-06: a challenger that picks none of the defender's times has given up."""
    return awarded(state, challenge, t, challenge.defender, "no_pick")


def _complete(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-08: not played, or not reported, in time: the challenger forfeits, whoever's fault it is."""
    return awarded(state, challenge, t, challenge.defender, "not_done")


def _start(state: MatchState, challenge: Challenge, t: int) -> Events:
    return maybe_start(state, challenge, t)


def _late(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-09: the punctual side wins; of two late ones neither. Who has not objected plays (R-RC-04)."""
    at, late_by = challenge.at, challenge.late_by
    assert at is not None, "a match with a time has its lateness"
    assert late_by is not None, "a match with a time has its lateness"
    ready, late_ms = challenge.ready, ladder_rules(state).late_ms
    judgement = lateness.judge(
        at, ready.get(challenge.challenger), ready.get(challenge.defender), max(late_ms, late_by - at)
    )
    if judgement == "both_ready":
        silent = [right for right in challenge.rights.values() if right.state == "OPEN"]
        return tuple(ev.RightSettled(t, challenge.challenge_no, right.team, "WAIVED", "continue") for right in silent)
    if was_away(late_by, t):
        return (ev.LatenessPutOff(t, challenge.challenge_no, t + late_ms),)
    if judgement == "both_late":
        return (ev.BothLate(t, challenge.challenge_no),)
    winner = challenge.defender if judgement == "late_challenger" else challenge.challenger
    return awarded(state, challenge, t, winner, "late")


def _appeal(state: MatchState, challenge: Challenge, t: int) -> Events:
    """R-BL-12: nobody has appealed; what is in dispute waits for its ruling (R-BL-13)."""
    return () if provisional(challenge) else results.settle(state, challenge, t)


_ON_TIME: dict[str, Callable[[MatchState, Challenge, int], Events]] = {
    "reply": _reply,
    "pick": _pick,
    "complete": _complete,
    "start": _start,
    "late": _late,
    "appeal": _appeal,
}


def _maybe_start(state: MatchState, event: Any) -> Events:
    challenge = ladder_of(state).challenges.get(event.challenge_no)
    return () if challenge is None else maybe_start(state, challenge, event.t)


def _rooms_opened(state: MatchState, event: ev.RoomsOpened) -> Events:
    """Others may have waited for the same players to be free."""
    return _next_start(state, event.t)


def _result_reported(state: MatchState, event: ev.ResultReported) -> Events:
    return results.reported(state, ladder_of(state).challenges[event.challenge_no], event.t, event.team)


def _board_ruled(state: MatchState, event: ev.BoardRuled) -> Events:
    """R-BL-13: the last ruling settles a result whose time for appeals has passed meanwhile."""
    challenge = ladder_of(state).challenges[event.challenge_no]
    waiting = timers.challenge_timer("appeal", event.challenge_no) in state.timers
    if challenge.state != "reported" or waiting or provisional(challenge) or not boards_played(state, challenge):
        return ()
    return results.settle(state, challenge, event.t)


def _challenge_ended(state: MatchState, event: ev.ChallengeEnded) -> Events:
    """The next thing that a team gives up which leaves; the last end of a ladder that takes no more challenges."""
    ended, teams = ladder_of(state).finished[-1], ladder_of(state).teams
    for team in (ended.challenger, ended.defender):
        if teams[team].leaving:
            return leaving.gives_up(state, event.t, team)
    return drain_started(state, event.t) if state.current.draining else ()


def _team_leaves(state: MatchState, event: ev.TeamLeaves) -> Events:
    return leaving.gives_up(state, event.t, event.team)


def _team_left(state: MatchState, event: ev.TeamLeft) -> Events:
    return drain_started(state, event.t) if state.current.draining else ()


FOLLOWS: dict[type, Callable[[MatchState, Any], Events]] = {
    ev.TeamLeaves: _team_leaves,
    ev.TeamLeft: _team_left,
    ev.LineUpGiven: _maybe_start,
    ev.TeamReady: _maybe_start,
    ev.RightSettled: _maybe_start,
    ev.RoomsOpened: _rooms_opened,
    ev.ResultReported: _result_reported,
    ev.BoardRuled: _board_ruled,
    ev.ChallengeEnded: _challenge_ended,
}
