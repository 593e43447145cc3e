"""After and about play: reports, appeals, disputes, and what a challenge ends with (R-BL-12 to R-BL-14)."""

from coordinator.engine.ladder import imps, outcome, rating, reporting
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.looking import (
    boards_played,
    ladder_of,
    ladder_rules,
    not_allowed,
    open_challenge,
    provisional,
    score,
)
from coordinator.engine.ladder.meeting import Events, awarded, close_rooms
from coordinator.engine.ladder.records import Challenge, HowEnded
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def report(state: MatchState, command: ask.ReportResult) -> Decision:
    """R-BL-12: either side submits the result, naming both teams; swapped sides are caught here."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if command.failed is not None:
        return _report_failure(challenge, command, command.failed)
    if challenge.state not in ("played", "reported", "disputed") or not challenge.tables:
        return not_allowed(challenge, "nothing has been played to report", "a match that is over")
    teams = (challenge.challenger, challenge.defender)
    if sorted(command.imps) != sorted(teams) or min(command.imps.values()) < 0:
        expected = f"the IMPs of {teams[0]} and of {teams[1]}, at least 0"
        return Refused("wrong_teams", "a report names both teams with their IMPs (R-BL-12)", "imps", expected)
    told = reporting.Report(command.t, command.imps[teams[0]], command.imps[teams[1]])
    before = challenge.reports.get(command.team)
    if before is not None and reporting.agree(before, told):
        return ()
    played = score(state, challenge)
    verdict = reporting.verdict(told, *played)
    if verdict == "swapped":
        expected = f"{teams[0]} {played[0]}, {teams[1]} {played[1]}"
        return Refused("sides_swapped", "the two teams are swapped (R-BL-12)", "imps", expected)
    return (ev.ResultReported(command.t, command.challenge_no, command.team, told, differs=verdict == "differs"),)


def _report_failure(challenge: Challenge, command: ask.ReportResult, failed: str) -> Decision:
    """R-BL-12: a match that was not played; the side that failed to play forfeits, unless the other appeals."""
    if failed not in (challenge.challenger, challenge.defender):
        expected = f"{challenge.challenger} or {challenge.defender}"
        return Refused("wrong_teams", f"{failed!r} has no part in this challenge", "failed", expected)
    told = reporting.Report(command.t, 0, 0, failed)
    before = challenge.reports.get(command.team)
    if before is not None and reporting.agree(before, told):
        return ()
    unplayed = challenge.state == "fixed" and (challenge.at is None or command.t > challenge.at)
    if not unplayed and not (challenge.state in ("reported", "disputed") and not challenge.tables):
        return not_allowed(challenge, "a match fails only after its agreed time", "a match that was to be played")
    return (ev.ResultReported(command.t, command.challenge_no, command.team, told),)


def appeal(state: MatchState, command: ask.AppealResult) -> Decision:
    """R-BL-12: the side that has not made the report contests it; a referee decides."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if challenge.state == "disputed":
        return ()
    if challenge.state != "reported":
        return not_allowed(challenge, "nothing is reported", "a reported result")
    if challenge.other(command.team) not in challenge.reports:
        return Refused("not_allowed", "nobody appeals against a report of its own", "team", "the other team")
    return (ev.ResultAppealed(command.t, command.challenge_no, command.team, command.text),)


def dispute(state: MatchState, command: ask.RaiseDispute) -> Decision:
    """R-BL-13: boards are disputed before the match ends; the others go on."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    boards = tuple(dict.fromkeys(command.boards))
    for known in challenge.disputes:
        if (known.raised_by, known.boards, known.text) == (command.team, boards, command.text):
            return ()
    if challenge.state in ("played", "reported", "disputed"):
        return Refused("too_late", "the match is over (R-BL-13)", "challenge_no", "a dispute before the match ends")
    if challenge.state != "playing":
        return not_allowed(challenge, "nothing is in play", "a match in play")
    begun = max(state.tables[n].hand_no for n in challenge.tables if n in state.tables)
    if not boards or not all(1 <= board <= begun for board in boards):
        return Refused("no_such_board", "these boards have not been played", "boards", f"boards from 1 to {begun}")
    return (ev.DisputeRaised(command.t, command.challenge_no, command.team, boards, command.text),)


def confirm(state: MatchState, command: ask.ConfirmDispute) -> Decision:
    """R-BL-13: without confirmation a dispute goes to the referee all the same."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if not 1 <= command.dispute_no <= len(challenge.disputes):
        expected = f"a number from 1 to {len(challenge.disputes)}"
        return Refused("unknown_dispute", "there is no such dispute", "dispute_no", expected)
    known = challenge.disputes[command.dispute_no - 1]
    if known.raised_by == command.team:
        return Refused("not_allowed", "nobody confirms a dispute of its own", "team", challenge.other(command.team))
    if known.confirmed_by is not None:
        return ()
    return (ev.DisputeConfirmed(command.t, command.challenge_no, command.team, command.dispute_no),)


def played(state: MatchState, challenge: Challenge, t: int) -> ev.MatchPlayed:
    """R-BL-14: both rooms are done."""
    return ev.MatchPlayed(t, challenge.challenge_no, score(state, challenge))


def reported(state: MatchState, challenge: Challenge, t: int, team: str) -> Events:
    """R-BL-12: the same from both sides is final at once; contrary words about who failed go to the referee."""
    own, other = challenge.reports[team], challenge.reports.get(challenge.other(team))
    if own.failed is not None:
        if own.failed == team or reporting.agree(own, other):
            return settle(state, challenge, t)
        if other is not None and challenge.state == "reported":
            return (ev.ResultAppealed(t, challenge.challenge_no, team, "the other side is said to have failed"),)
        return ()
    true = reporting.verdict(own, *score(state, challenge)) == "true"
    if true and reporting.agree(own, other) and not provisional(challenge) and challenge.state == "reported":
        return settle(state, challenge, t)
    return ()


def settle(state: MatchState, challenge: Challenge, t: int, how: HowEnded = "result", reason: str = "") -> Events:
    """R-BL-05, R-BL-12: nobody has appealed in time. What counts are the boards, or who failed to play them."""
    failed = [told.failed for told in challenge.reports.values() if told.failed is not None]
    if failed and not challenge.tables:
        return awarded(state, challenge, t, challenge.other(failed[-1]), "failed")
    side = outcome.winner_by_imps(*score(state, challenge))
    winner = challenge.challenger if side == "challenger" else challenge.defender
    return won(state, challenge, t, winner, how, reason)


def won(state: MatchState, challenge: Challenge, t: int, winner: str, how: HowEnded, reason: str = "") -> Events:
    """R-BL-05, R-RA: a match that was played has a winner: ranks may be exchanged, both ratings move."""
    ladder, rules = ladder_of(state), ladder_rules(state)
    loser = challenge.other(winner)
    before = {team: rating.Standing(state.entrants[team].score, ladder.teams[team].matches) for team in (winner, loser)}
    after = dict(zip((winner, loser), rating.after_match(before[winner], before[loser], rules.rating), strict=True))
    boards = boards_played(state, challenge)
    ended = ev.ChallengeEnded(
        t,
        challenge.challenge_no,
        "final",
        how,
        winner,
        imps=imps.match_score(boards),
        boards=boards,
        swapped=winner == challenge.challenger and ladder.rank(winner) > ladder.rank(loser),
        ratings=(after[challenge.challenger], after[challenge.defender]),
        reason=reason,
    )
    return (ended, *close_rooms(state, challenge, t))
