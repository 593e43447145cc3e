"""What the outside hears after an event of a ladder: read right after the event was applied, in a fixed order."""

from types import MappingProxyType
from typing import Any

from coordinator.engine import effects as fx
from coordinator.engine import events, timers
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.ladder import ladder_effects as tell
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder import lateness
from coordinator.engine.ladder.looking import ladder_of, provisional, score
from coordinator.engine.ladder.records import Challenge, Finished
from coordinator.engine.ladder.rights import Right
from coordinator.engine.state import MatchState


def challenge_told(state: MatchState, challenge: Challenge) -> tell.TellChallenge:
    """An open challenge as lobbies are told of it."""
    sides = (challenge.challenger, challenge.defender)
    begun = challenge.state in ("played", "reported", "disputed") and bool(challenge.tables)
    return tell.TellChallenge(
        challenge.challenge_no,
        challenge.challenger,
        challenge.defender,
        challenge.state,
        challenge.due,
        challenge.slots,
        challenge.offered_by,
        challenge.at,
        tuple([challenge.lineups.get(team, ()) for team in sides]),
        tuple([team in challenge.ready for team in sides]),
        score(state, challenge) if begun else (),
        None,
        None,
        provisional(challenge),
    )


def finished_told(finished: Finished) -> tell.TellChallenge:
    """A challenge that is over as lobbies are told of it."""
    return tell.TellChallenge(
        finished.challenge_no,
        finished.challenger,
        finished.defender,
        finished.state,
        finished.ended_at,
        (),
        None,
        None,
        ((), ()),
        (False, False),
        finished.imps,
        finished.winner,
        finished.how,
        False,
    )


def right_told(state: MatchState, challenge: Challenge, right: Right) -> tell.TellRight:
    """An open right as lobbies and the table servers of its match are told of it."""
    playing = [state.tables[n] for n in challenge.tables if n in state.tables]
    here = [table for table in playing if table.server_id is not None]
    return tell.TellRight(
        challenge.challenge_no,
        right.right_no,
        right.team,
        right.trigger,
        right.options,
        right.room,
        tuple([table.server_id or "" for table in here]),
        tuple([table.table_id for table in here]),
    )


def ranks_told(state: MatchState) -> tell.TellRanks:
    """The ranks as lobbies are told of them: team, rating and rated matches."""
    ladder = ladder_of(state)
    return tell.TellRanks(
        tuple([(team, state.entrants[team].score, ladder.teams[team].matches) for team in ladder.ranks])
    )


def room_ended(state: MatchState, event: events.RoundEnded) -> Effects:
    """A room closes; its silent end is for people to look at (R-HI-06)."""
    closed = state.closed_tables[event.table_id]
    out: list[fx.Effect] = []
    if closed.server_id is not None:
        out.append(fx.CloseTable(closed.server_id, event.table_id, closed.epoch, "round_over"))
        if not event.settled:
            out.append(fx.CancelTimer(timers.table_timer(event.table_id)))
    if event.settled:
        message = f"table {event.table_id} fell silent; the boards it has not played are void (R-HI-06)"
        out.append(fx.RaiseAlarm("table_silent", message, event.table_id))
    return (*out, *STANDINGS)


def started(state: MatchState) -> Effects:
    """The ranks a ladder begins with, and its end."""
    end = timers.end_timer(0)
    return (ranks_told(state), *([fx.SetTimer(end, state.timers[end])] if end in state.timers else []))


def _timers(state: MatchState, challenge_no: int, *kinds: timers.ChallengeKind) -> Effects:
    out: list[fx.Effect] = []
    for kind in kinds:
        timer_id = timers.challenge_timer(kind, challenge_no)
        due = state.timers.get(timer_id)
        out.append(fx.CancelTimer(timer_id) if due is None else fx.SetTimer(timer_id, due))
    return tuple(out)


def _told(state: MatchState, event: Any, *kinds: timers.ChallengeKind) -> Effects:
    challenge = ladder_of(state).challenges[event.challenge_no]
    return (*_timers(state, event.challenge_no, *kinds), challenge_told(state, challenge), *STANDINGS)


def _challenge_issued(state: MatchState, event: ev.ChallengeIssued) -> Effects:
    return _told(state, event, "reply", "complete")


def _times_proposed(state: MatchState, event: ev.TimesProposed) -> Effects:
    return _told(state, event, *(("reply", "pick") if event.pick_by is not None else ()))


def _time_fixed(state: MatchState, event: ev.TimeFixed) -> Effects:
    return _told(state, event, "reply", "pick", "start", "late")


def _plainly(state: MatchState, event: Any) -> Effects:
    return _told(state, event)


def _right_opened(state: MatchState, event: ev.RightOpened) -> Effects:
    challenge = ladder_of(state).challenges[event.challenge_no]
    return (right_told(state, challenge, challenge.rights[event.team]),)


def _both_late(state: MatchState, event: ev.BothLate) -> Effects:
    return _told(state, event, "start", "late")


def _lateness_put_off(state: MatchState, event: ev.LatenessPutOff) -> Effects:
    message = f"challenge {event.challenge_no}: nobody could be ready while the coordinator was away (R-BL-09)"
    return (*_timers(state, event.challenge_no, "late"), fx.RaiseAlarm("lateness_put_off", message))


def _rooms_opened(state: MatchState, event: ev.RoomsOpened) -> Effects:
    tables = tuple(range(event.first_table_id, event.first_table_id + len(event.rooms)))
    seated = fx.TellSeated(state.stage_rules.id, event.challenge_no, event.first_table_id, event.rooms)
    told = _told(state, event, "start", "late")
    return (*told[:-1], seated, fx.FindServers(tables, state.rules.game), *STANDINGS)


def _match_voided(state: MatchState, event: ev.MatchVoided) -> Effects:
    return _told(state, event, "start", "late", "complete")


def _result_reported(state: MatchState, event: ev.ResultReported) -> Effects:
    told = _told(state, event, "complete", "start", "late", "appeal")
    if not event.differs:
        return told
    said, played = event.report, told_score(state, event.challenge_no)
    message = (
        f"challenge {event.challenge_no}: {event.team} reports {said.challenger_imps}:{said.defender_imps}, "
        f"played was {played[0]}:{played[1]} (R-BL-12)"
    )
    return (*told, fx.RaiseAlarm("report_differs", message))


def told_score(state: MatchState, challenge_no: int) -> tuple[int, int]:
    """The IMPs of challenger and defender of an open challenge."""
    return score(state, ladder_of(state).challenges[challenge_no])


def _result_appealed(state: MatchState, event: ev.ResultAppealed) -> Effects:
    challenge = ladder_of(state).challenges[event.challenge_no]
    checked = (challenge.checked_in.get(challenge.challenger), challenge.checked_in.get(challenge.defender))
    favoured = lateness.favoured(*checked)
    message = f"challenge {event.challenge_no}: {event.team} appeals: {event.text}"
    if favoured is not None:
        team = challenge.challenger if favoured == "challenger" else challenge.defender
        message += f"; only {team} has checked in, which favours it (R-BL-09)"
    return (*_told(state, event, "appeal"), fx.RaiseAlarm("appeal", message[:500]))


def _dispute_raised(state: MatchState, event: ev.DisputeRaised) -> Effects:
    boards = ", ".join(map(str, event.boards))
    message = f"challenge {event.challenge_no}: {event.team} disputes board {boards}: {event.text}"
    return (*_told(state, event), fx.RaiseAlarm("dispute", message[:500]))


def _challenge_ended(state: MatchState, event: ev.ChallengeEnded) -> Effects:
    out: list[fx.Effect] = [*_timers(state, event.challenge_no, *timers.CHALLENGE_KINDS)]
    out.append(finished_told(ladder_of(state).finished[-1]))
    if event.swapped or event.ratings:
        out.append(ranks_told(state))
    return (*out, *STANDINGS)


def _ranks(state: MatchState, event: ev.TeamPlaced | ev.TeamEntered | ev.TeamLeft) -> Effects:
    return (ranks_told(state), *STANDINGS)


def _deadline_extended(state: MatchState, event: ev.DeadlineExtended) -> Effects:
    return _told(state, event, "complete")


TELLS: Tells = MappingProxyType(
    {
        ev.TeamEntered: _ranks,
        ev.TeamLeft: _ranks,
        ev.ChallengeIssued: _challenge_issued,
        ev.TimesProposed: _times_proposed,
        ev.TimeFixed: _time_fixed,
        ev.TeamCheckedIn: _plainly,
        ev.LineUpGiven: _plainly,
        ev.TeamReady: _plainly,
        ev.RightOpened: _right_opened,
        ev.RightSettled: _plainly,
        ev.BothLate: _both_late,
        ev.LatenessPutOff: _lateness_put_off,
        ev.RoomsOpened: _rooms_opened,
        ev.MatchPlayed: _plainly,
        ev.MatchVoided: _match_voided,
        ev.ResultReported: _result_reported,
        ev.ResultAppealed: _result_appealed,
        ev.DisputeRaised: _dispute_raised,
        ev.DisputeConfirmed: _plainly,
        ev.BoardRuled: _plainly,
        ev.ChallengeEnded: _challenge_ended,
        ev.TeamPlaced: _ranks,
        ev.DeadlineExtended: _deadline_extended,
    }
)
