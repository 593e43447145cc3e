"""How the events of a ladder change its state. Nothing here refuses or decides."""

from types import MappingProxyType
from typing import Any

import attrs

from coordinator.engine import timers
from coordinator.engine.ladder import disputes, outcome, rights, roster
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.deadlines import fires_at
from coordinator.engine.ladder.entering import first_ranks
from coordinator.engine.ladder.incidents import room_key
from coordinator.engine.ladder.looking import ladder_of, ladder_rules
from coordinator.engine.ladder.negotiation import Step, next_state
from coordinator.engine.ladder.records import Challenge, Finished, LadderState, Team
from coordinator.engine.state import Changes, MatchState, Table

AWAY_MS = 60_000
"""A timer so late fires in a coordinator that was away, not in a busy one."""


def open_ladder(state: MatchState, teams: tuple[str, ...], t: int) -> None:
    """R-BL-01: the ranks at the start, and the end if one is declared."""
    rules = ladder_rules(state)
    ranks = first_ranks(rules.initial_rank, teams)
    state.ladder = LadderState(ranks, {team: Team() for team in ranks})
    if rules.duration_ms is not None:
        state.timers[timers.end_timer(0)] = t + rules.duration_ms


def boards_of(state: MatchState, table: Table) -> str:
    """R-BL-14: what the deals of a match depend on: its challenge, and which attempt at it this is."""
    challenge = ladder_of(state).challenges[table.bout_no]
    return f"c{challenge.challenge_no}.{challenge.play_no}"


def was_away(due: int, t: int) -> bool:
    """Whether nobody could say anything when a timer of minutes was due, because the coordinator did not run."""
    return t - due > AWAY_MS


def _challenge(state: MatchState, event: Any) -> Challenge:
    return ladder_of(state).challenges[event.challenge_no]


def _move(challenge: Challenge, step: Step) -> None:
    after = next_state(challenge.state, step)
    assert after is not None, f"{step} was decided for a challenge that is {challenge.state}"
    challenge.state = after


def _forget(state: MatchState, challenge_no: int, *names: timers.ChallengeKind) -> None:
    for name in names:
        state.timers.pop(timers.challenge_timer(name, challenge_no), None)


def _set(state: MatchState, challenge_no: int, name: timers.ChallengeKind, at: int) -> None:
    state.timers[timers.challenge_timer(name, challenge_no)] = at


def _roster_named(state: MatchState, event: ev.RosterNamed) -> None:
    state.rosters[event.team] = event.roster


def _team_entered(state: MatchState, event: ev.TeamEntered) -> None:
    """R-RA-01: who comes back has the rating it left with."""
    ladder, entrant = ladder_of(state), state.entrants[event.team]
    ladder.ranks = (*ladder.ranks, event.team)
    entrant.state = "waiting"
    state.current.active[event.team] = None
    if event.team in ladder.teams:
        ladder.left = tuple([team for team in ladder.left if team != event.team])
        return
    ladder.teams[event.team] = Team()
    entrant.score = state.stage_rules.initial_player_state.score
    state.current.entrants += 1


def _team_leaves(state: MatchState, event: ev.TeamLeaves) -> None:
    ladder_of(state).teams[event.team].leaving = True


def _team_left(state: MatchState, event: ev.TeamLeft) -> None:
    """Its players are free for other teams."""
    ladder, entrant = ladder_of(state), state.entrants[event.team]
    ladder.ranks = tuple([team for team in ladder.ranks if team != event.team])
    ladder.left = (*ladder.left, event.team)
    ladder.teams[event.team].leaving = False
    entrant.state = "left"
    del state.current.active[event.team]
    del state.rosters[event.team]


def _challenge_issued(state: MatchState, event: ev.ChallengeIssued) -> None:
    ladder = ladder_of(state)
    ladder.challenges[event.challenge_no] = Challenge(
        event.challenge_no,
        event.challenger,
        event.defender,
        event.due,
        event.slots,
        event.challenger,
    )
    ladder.next_challenge_no = event.challenge_no + 1
    ladder.teams[event.challenger].out_challenge = event.challenge_no
    ladder.teams[event.defender].in_challenge = event.challenge_no
    if event.to_first:
        ladder.first_challenged_at = event.t
    _set(state, event.challenge_no, "reply", fires_at(event.reply_by))
    _set(state, event.challenge_no, "complete", fires_at(event.due))


def _times_proposed(state: MatchState, event: ev.TimesProposed) -> None:
    challenge = _challenge(state, event)
    _move(challenge, "counter" if challenge.state == "issued" else "propose")
    challenge.slots = event.slots
    challenge.offered_by = event.team
    if event.pick_by is not None:
        _forget(state, event.challenge_no, "reply")
        _set(state, event.challenge_no, "pick", fires_at(event.pick_by))


def _time_fixed(state: MatchState, event: ev.TimeFixed) -> None:
    challenge = _challenge(state, event)
    _move(challenge, "accept")
    challenge.at = event.at
    challenge.late_by = event.late_by
    challenge.offered_by = None
    challenge.ready = {}
    challenge.checked_in = {}
    _forget(state, event.challenge_no, "reply", "pick")
    _set(state, event.challenge_no, "start", event.at)
    _set(state, event.challenge_no, "late", fires_at(event.late_by))


def _team_checked_in(state: MatchState, event: ev.TeamCheckedIn) -> None:
    _challenge(state, event).checked_in[event.team] = event.t


def _line_up_given(state: MatchState, event: ev.LineUpGiven) -> None:
    _challenge(state, event).lineups[event.team] = event.players


def _team_ready(state: MatchState, event: ev.TeamReady) -> None:
    _challenge(state, event).ready[event.team] = event.t


def _right_opened(state: MatchState, event: ev.RightOpened) -> None:
    challenge = _challenge(state, event)
    challenge.rights_opened = event.right_no
    challenge.rights[event.team] = rights.Right(
        event.right_no, event.team, event.trigger, event.options, room=event.room
    )


def _right_settled(state: MatchState, event: ev.RightSettled) -> None:
    challenge = _challenge(state, event)
    right = challenge.rights[event.team]
    challenge.rights[event.team] = attrs.evolve(right, state=event.state, choice=event.choice)


def _both_late(state: MatchState, event: ev.BothLate) -> None:
    challenge = _challenge(state, event)
    challenge.at = challenge.late_by = None
    challenge.ready = {}
    _forget(state, event.challenge_no, "start", "late")


def _lateness_put_off(state: MatchState, event: ev.LatenessPutOff) -> None:
    _challenge(state, event).late_by = event.late_by
    _set(state, event.challenge_no, "late", fires_at(event.late_by))


def _rooms_opened(state: MatchState, event: ev.RoomsOpened) -> None:
    challenge, stage = _challenge(state, event), state.current
    _move(challenge, "start")
    challenge.play_no = event.play_no
    challenge.tables = tuple(range(event.first_table_id, event.first_table_id + len(event.rooms)))
    challenge.drops = {}
    challenge.heard = {}
    for table_id, seats in zip(challenge.tables, event.rooms, strict=True):
        state.tables[table_id] = Table(table_id, stage.stage_no, event.challenge_no, seats, [0] * len(seats))
    state.next_table_id = event.first_table_id + len(event.rooms)
    _playing(state, challenge, "playing")
    _forget(state, event.challenge_no, "start", "late")


def _match_played(state: MatchState, event: ev.MatchPlayed) -> None:
    challenge = _challenge(state, event)
    _move(challenge, "all_boards_played")
    _playing(state, challenge, "waiting")


def _match_voided(state: MatchState, event: ev.MatchVoided) -> None:
    """Disconnects and disputes are those of the match that counts no more; deviations too."""
    challenge = _challenge(state, event)
    _playing(state, challenge, "waiting")
    _move(challenge, "reschedule")
    challenge.due = event.due
    challenge.at = challenge.late_by = None
    challenge.tables = ()
    challenge.ready = {}
    challenge.slots = ()
    challenge.drops = {}
    challenge.deviations = {}
    challenge.disputes = []
    challenge.ruled = {}
    _forget(state, event.challenge_no, "start", "late")
    _set(state, event.challenge_no, "complete", fires_at(event.due))


def _result_reported(state: MatchState, event: ev.ResultReported) -> None:
    challenge = _challenge(state, event)
    first = not challenge.reports
    _move(challenge, "report")
    challenge.reports[event.team] = event.report
    _forget(state, event.challenge_no, "complete", "start", "late")
    if first:
        _set(state, event.challenge_no, "appeal", fires_at(event.t + ladder_rules(state).appeal_ms))


def _result_appealed(state: MatchState, event: ev.ResultAppealed) -> None:
    _move(_challenge(state, event), "appeal")
    _forget(state, event.challenge_no, "appeal")


def _dispute_raised(state: MatchState, event: ev.DisputeRaised) -> None:
    raised = disputes.Dispute(event.team, event.boards, event.boards, event.text)
    _challenge(state, event).disputes.append(raised)


def _dispute_confirmed(state: MatchState, event: ev.DisputeConfirmed) -> None:
    known = _challenge(state, event).disputes
    known[event.dispute_no - 1] = attrs.evolve(known[event.dispute_no - 1], confirmed_by=event.team)


def _board_ruled(state: MatchState, event: ev.BoardRuled) -> None:
    challenge = _challenge(state, event)
    challenge.disputes = [disputes.ruled(known, event.board_no) for known in challenge.disputes]
    if event.imps is not None:
        challenge.ruled[event.board_no] = event.imps


def _incident_noted(state: MatchState, event: ev.IncidentNoted) -> None:
    challenge = _challenge(state, event)
    challenge.heard[event.table_id] = (event.epoch, event.incident_no)
    state.tables[event.table_id].heard_at = event.t
    if event.kind == "drop":
        key = room_key(event.room, event.team)
        challenge.drops[key] = challenge.drops.get(key, 0) + 1
    elif event.kind == "deviation":
        challenge.deviations[event.team] = challenge.deviations.get(event.team, 0) + 1


def _challenge_ended(state: MatchState, event: ev.ChallengeEnded) -> None:
    ladder = ladder_of(state)
    challenge = ladder.challenges.pop(event.challenge_no)
    _playing(state, challenge, "waiting")
    ladder.teams[challenge.challenger].out_challenge = None
    ladder.teams[challenge.defender].in_challenge = None
    ladder.finished.append(
        Finished(
            event.challenge_no,
            challenge.challenger,
            challenge.defender,
            event.state,
            event.how,
            event.t,
            event.winner,
            event.imps,
            event.boards,
            event.swapped,
        )
    )
    if event.swapped:
        ladder.ranks = outcome.after_win(ladder.ranks, challenge.challenger, challenge.defender)
    if event.ratings:
        for team, value in zip((challenge.challenger, challenge.defender), event.ratings, strict=True):
            state.entrants[team].score = value
            ladder.teams[team].matches += 1
    _forget(state, event.challenge_no, *timers.CHALLENGE_KINDS)


def _team_placed(state: MatchState, event: ev.TeamPlaced) -> None:
    ladder = ladder_of(state)
    ladder.ranks = outcome.to_rank(ladder.ranks, event.team, event.rank)


def _deadline_extended(state: MatchState, event: ev.DeadlineExtended) -> None:
    _challenge(state, event).due = event.due
    if timers.challenge_timer("complete", event.challenge_no) in state.timers:
        _set(state, event.challenge_no, "complete", fires_at(event.due))


def _roster_changed(state: MatchState, event: ev.RosterChanged) -> None:
    state.rosters[event.team] = roster.changed(state.rosters[event.team], event.leaving, event.coming)
    ladder_of(state).teams[event.team].roster_changes += 1


def _playing(state: MatchState, challenge: Challenge, word: Any) -> None:
    """A team of two challenges plays as long as one of them is played."""
    ladder = ladder_of(state)
    for team in (challenge.challenger, challenge.defender):
        locks = (ladder.teams[team].out_challenge, ladder.teams[team].in_challenge)
        others = [ladder.challenges[n] for n in locks if n in ladder.challenges and n != challenge.challenge_no]
        state.entrants[team].state = "playing" if any(each.state == "playing" for each in others) else word


CHANGES: Changes = MappingProxyType(
    {
        ev.RosterNamed: _roster_named,
        ev.TeamEntered: _team_entered,
        ev.TeamLeaves: _team_leaves,
        ev.TeamLeft: _team_left,
        ev.ChallengeIssued: _challenge_issued,
        ev.TimesProposed: _times_proposed,
        ev.TimeFixed: _time_fixed,
        ev.TeamCheckedIn: _team_checked_in,
        ev.LineUpGiven: _line_up_given,
        ev.TeamReady: _team_ready,
        ev.RightOpened: _right_opened,
        ev.RightSettled: _right_settled,
        ev.BothLate: _both_late,
        ev.LatenessPutOff: _lateness_put_off,
        ev.RoomsOpened: _rooms_opened,
        ev.MatchPlayed: _match_played,
        ev.MatchVoided: _match_voided,
        ev.ResultReported: _result_reported,
        ev.ResultAppealed: _result_appealed,
        ev.DisputeRaised: _dispute_raised,
        ev.DisputeConfirmed: _dispute_confirmed,
        ev.BoardRuled: _board_ruled,
        ev.IncidentNoted: _incident_noted,
        ev.ChallengeEnded: _challenge_ended,
        ev.TeamPlaced: _team_placed,
        ev.DeadlineExtended: _deadline_extended,
        ev.RosterChanged: _roster_changed,
    }
)
