"""Challenges and their times: what teams may ask until a match is fixed (R-BL-02 to R-BL-07)."""

from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder import locks, weekly, windows
from coordinator.engine.ladder.deadlines import pick_by
from coordinator.engine.ladder.looking import (
    hours,
    ladder_rules,
    not_allowed,
    open_challenge,
    running,
    top_phase_start,
    unknown_team,
)
from coordinator.engine.ladder.negotiation import next_state
from coordinator.engine.ladder.records import LadderState
from coordinator.engine.ladder.slots import Slot, allowed_hour, in_time
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def issue(state: MatchState, command: ask.IssueChallenge) -> Decision:
    """R-BL-06: challenge a team. Asked twice in the same words, the first challenge stands."""
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    for team, field in ((command.team, "team"), (command.defender, "defender")):
        unknown = unknown_team(state, team, field)
        if unknown is not None:
            return unknown
    own = ladder.teams[command.team].out_challenge
    if own is not None:
        before = ladder.challenges[own]
        if before.defender == command.defender and before.state == "issued" and before.slots == command.slots:
            return ()
    refused = why_not(state, ladder, command.team, command.defender, command.t)
    if refused is not None:
        return refused
    rules = ladder_rules(state)
    due = command.t + rules.complete_ms
    wrong = _wrong_slots(state, command.slots, command.t, due, exactly=rules.slots)
    if wrong is not None:
        return wrong
    return (
        ev.ChallengeIssued(
            command.t,
            ladder.next_challenge_no,
            command.team,
            command.defender,
            command.slots,
            min(command.t + rules.reply_ms, due),
            due,
            to_first=ladder.rank(command.defender) == 1,
        ),
    )


def why_not(state: MatchState, ladder: LadderState, team: str, defender: str, t: int) -> Refused | None:
    """Why a team may not challenge another now, in one place for the answer and for the list (R-BL-02 to R-BL-04)."""
    if state.current.draining:
        return Refused("match_closed", "the ladder takes no more challenges", "match_id", "an open ladder")
    rank, target = ladder.rank(team), ladder.rank(defender)
    within = windows.targets(rank, ladder_rules(state).windows)
    if target not in within:
        expected = f"a team of rank {', '.join(map(str, within))}" if within else "nobody: the first rank defends"
        return Refused("out_of_window", f"rank {rank} may not challenge rank {target} (R-BL-02)", "defender", expected)
    ends = top_phase(state, ladder, t)
    if ends is not None and not weekly.may_challenge_first(rank, target):
        message = "the second and the third rank settle first who challenges rank 1 (R-BL-03)"
        return Refused("top_phase", message, "defender", f"from {ends} on, or once rank 1 is challenged")
    stuck = locks.locked(ladder.teams[team].out_challenge, ladder.teams[defender].in_challenge)
    if stuck == "challenger":
        number = ladder.teams[team].out_challenge
        return Refused("locked", f"{team} has challenge {number} open already (R-BL-04)", "team", "one at a time")
    if stuck == "defender":
        number = ladder.teams[defender].in_challenge
        return Refused("locked", f"{defender} defends challenge {number} already (R-BL-04)", "defender", "a free team")
    return None


def targets(state: MatchState, team: str, t: int) -> tuple[str, ...]:
    """Whom a team may challenge now, the highest rank first: exactly those whom :func:`issue` would accept."""
    ladder = state.ladder
    if ladder is None or team not in ladder.teams or state.status != "running":
        return ()
    within = [ladder.ranks[rank - 1] for rank in windows.targets(ladder.rank(team), ladder_rules(state).windows)]
    return tuple(other for other in within if why_not(state, ladder, team, other, t) is None)


def top_phase(state: MatchState, ladder: LadderState, t: int) -> int | None:
    """R-BL-03: when the top phase that runs at ``t`` ends at the latest; None: there is none."""
    return weekly.top_phase_ends(
        t,
        top_phase_start(state, t),
        ladder_rules(state).top_phase_ms,
        ladder.first_challenged_at,
        first_is_challenged=ladder.teams[ladder.ranks[0]].in_challenge is not None,
    )


def accept(state: MatchState, command: ask.AcceptTime) -> Decision:
    """R-BL-06: the side that was offered times takes one of them."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    known = 1 <= command.slot <= len(challenge.slots)
    if challenge.offered_by is None and known and challenge.at == challenge.slots[command.slot - 1].at:
        return ()  # the same again
    if next_state(challenge.state, "accept") is None or challenge.offered_by in (None, command.team):
        return not_allowed(challenge, "no time is offered to this team", "a time the other side has offered")
    if not known:
        expected = f"a number from 1 to {len(challenge.slots)}"
        return Refused("no_such_slot", "no such time is on offer", "slot", expected)
    at = challenge.slots[command.slot - 1].at
    if at < command.t:
        return Refused("slot_refused", "this time has passed (R-BL-06)", "slot", "a time that is still to come")
    late_by = at + ladder_rules(state).late_ms
    return (ev.TimeFixed(command.t, command.challenge_no, command.team, at, late_by),)


def propose(state: MatchState, command: ask.ProposeTimes) -> Decision:
    """R-BL-06: the defender returns as many other times; or either side offers some for a match not played."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if challenge.offered_by == command.team and challenge.slots == command.slots and challenge.state != "issued":
        return ()
    rules = ladder_rules(state)
    if challenge.state == "issued":
        if command.team != challenge.defender:
            return not_allowed(challenge, "the challenger has proposed", "the answer of the defender")
        wrong = _wrong_slots(state, command.slots, command.t, challenge.due, exactly=rules.slots)
        if wrong is not None:
            return wrong
        until = pick_by(command.slots, challenge.due)
        if rules.pick_ms is not None:
            until = min(until, command.t + rules.pick_ms)
        return (ev.TimesProposed(command.t, command.challenge_no, command.team, command.slots, until),)
    if next_state(challenge.state, "propose") is None:
        return not_allowed(challenge, "no other times may be offered", "an unanswered challenge, or a match not played")
    wrong = _wrong_slots(state, command.slots, command.t, challenge.due, exactly=None)
    if wrong is not None:
        return wrong
    return (ev.TimesProposed(command.t, command.challenge_no, command.team, command.slots, None),)


def cancel(state: MatchState, command: ask.CancelChallenge) -> Decision:
    """R-BL-06: the challenger may cancel as long as the defender has not reacted, the defender never."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if command.team != challenge.challenger:
        return not_allowed(challenge, "the defender cannot cancel", "an answer")
    if next_state(challenge.state, "challenger_cancel") is None:
        return not_allowed(challenge, "the defender has reacted", "a match, or the ruling of a referee")
    return (ev.ChallengeEnded(command.t, command.challenge_no, "cancelled", "cancelled", None),)


def _wrong_slots(
    state: MatchState, slots: tuple[Slot, ...], t: int, due: int, *, exactly: int | None
) -> Refused | None:
    rules = ladder_rules(state)
    if exactly is not None and len(slots) != exactly:
        return Refused("wrong_slots", f"{len(slots)} times are proposed (R-BL-06)", "slots", f"exactly {exactly}")
    if not 1 <= len(slots) <= rules.slots:
        return Refused("wrong_slots", f"{len(slots)} times are proposed (R-BL-06)", "slots", f"1 to {rules.slots}")
    if len(dict.fromkeys(slot.at for slot in slots)) != len(slots):
        return Refused("wrong_slots", "a time is proposed twice", "slots", "different times")
    first, last = hours(rules)
    for number, slot in enumerate(slots):
        field = f"slots[{number}]"
        if not in_time(slot, t, due):
            message = "the time lies outside the limit of the challenge (R-BL-07)"
            return Refused("slot_refused", message, field, f"from {t} to {due}")
        if not allowed_hour(slot, state.zone, rules.days, first, last):
            expected = f"{', '.join(rules.days)} from {rules.hours.first} to before {rules.hours.last} ({rules.tz})"
            return Refused("slot_refused", "matches do not start at this hour (R-BL-07)", field, expected)
    return None
