"""Before the first board: check-in, line-ups, readiness, and the other side's rights (R-BL-09, R-BL-10, R-RC-05)."""

from coordinator.engine.events import HandsRepeated, RoundEnded
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder import lateness, lineup, rights
from coordinator.engine.ladder.looking import ladder_of, ladder_rules, not_allowed, open_challenge
from coordinator.engine.ladder.records import Challenge, HowEnded
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState

Events = tuple[ev.LadderEvent | HandsRepeated | RoundEnded, ...]
Decision = Events | Refused


def check_in(state: MatchState, command: ask.CheckIn) -> Decision:
    """R-BL-09: only in the hour around the agreed time does it prove anything. It is never a duty."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if command.team in challenge.checked_in:
        return ()
    rules = ladder_rules(state)
    if challenge.at is None or challenge.state not in ("fixed", "playing"):
        return not_allowed(challenge, "no match is agreed", "an agreed time")
    if not lateness.checkin_counts(challenge.at, command.t, rules.checkin_before_ms, rules.checkin_after_ms):
        first, last = challenge.at - rules.checkin_before_ms, challenge.at + rules.checkin_after_ms
        return Refused("checkin_closed", "check-in is not open (R-BL-09)", "challenge_no", f"from {first} to {last}")
    return (ev.TeamCheckedIn(command.t, command.challenge_no, command.team),)


def give_lineup(state: MatchState, command: ask.GiveLineUp) -> Decision:
    """R-BL-10: too few of the team's own open a right for the other side, a substitution before the start closes it."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if challenge.state != "fixed":
        return not_allowed(challenge, "line-ups are for a match that is agreed and not begun", "a fixed match")
    other = challenge.other(command.team)
    wrong = lineup.wrong_lineup(command.players, challenge.lineups.get(other, ()))
    if wrong is not None:
        return Refused("wrong_lineup", "these players cannot be fielded (R-BL-10)", "players", wrong)
    if challenge.lineups.get(command.team) == command.players:
        return ()
    given = ev.LineUpGiven(command.t, command.challenge_no, command.team, command.players)
    rules = ladder_rules(state)
    strangers = len(lineup.outsiders(command.players, state.rosters.get(command.team, ())))
    fielded = len(command.players)
    if lineup.right_opens(fielded, fielded - strangers, rules.min_registered, rules.max_unregistered):
        return (given, opened(challenge, command.t, other, "lineup", rights.LINEUP_OPTIONS, None))
    if _open_right(challenge, other, "lineup"):
        return (given, ev.RightSettled(command.t, command.challenge_no, other, "CLOSED", None))
    return (given,)


def say_ready(state: MatchState, command: ask.SayReady) -> Decision:
    """R-BL-09: complete and ready. Who says so again with a right open goes on without it (R-RC-04)."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    if challenge.state == "playing" and command.team in challenge.ready:
        return ()
    if challenge.state != "fixed" or challenge.at is None:
        return not_allowed(challenge, "no match is agreed", "an agreed time")
    if command.team not in challenge.lineups:
        return Refused("no_lineup", "the team has named no players", "team", "a line-up first (R-BL-10)")
    out: list[ev.LadderEvent] = []
    if command.team not in challenge.ready:
        out.append(ev.TeamReady(command.t, command.challenge_no, command.team))
    if _open_right(challenge, command.team, "lineup"):
        out.append(ev.RightSettled(command.t, command.challenge_no, command.team, "WAIVED", "continue"))
    return tuple(out)


def choose(state: MatchState, command: ask.ChooseRight) -> Decision:
    """R-RC-04: only the entitled side, once, among the options; what it chose happens at once."""
    challenge = open_challenge(state, command.challenge_no, command.team)
    if isinstance(challenge, Refused):
        return challenge
    right = challenge.rights.get(command.team)
    if right is not None and right.right_no == command.right_no and right.choice == command.choice:
        return ()  # the same again
    if right is not None and (right.right_no != command.right_no or challenge.state not in ("fixed", "playing")):
        right = None
    code = rights.why_not(right, command.team, command.choice)
    if code is not None or right is None:
        expected = "a right that is open" if right is None or right.state != "OPEN" else ", ".join(right.options)
        return Refused(code or "no_open_right", "this cannot be chosen (R-RC-04)", "choice", expected)
    chosen = ev.RightSettled(command.t, command.challenge_no, command.team, "CHOSEN", command.choice)
    if command.choice == "redo" and right.room is not None:
        table = state.tables.get(challenge.tables[right.room - 1])
        if table is None or not table.in_hand:
            return (chosen,)  # it is repeated by itself, or has been played
        return (chosen, HandsRepeated(command.t, (table.table_id,)))
    if command.choice == "reschedule":
        return (chosen, void(state, challenge, command.t), *close_rooms(state, challenge, command.t))
    if command.choice == "claim_win":
        return (chosen, *awarded(state, challenge, command.t, command.team, "claimed"))
    return (chosen,)


def opened(
    challenge: Challenge,
    t: int,
    team: str,
    trigger: rights.Trigger,
    options: tuple[rights.Option, ...],
    room: int | None,
) -> ev.RightOpened:
    """R-RC-04: a new right of a team; its number is the challenge's own."""
    return ev.RightOpened(t, challenge.challenge_no, challenge.rights_opened + 1, team, trigger, options, room)


def void(state: MatchState, challenge: Challenge, t: int) -> ev.MatchVoided:
    """R-RC-04: the whole match again at another time; the deadline moves."""
    return ev.MatchVoided(t, challenge.challenge_no, challenge.due + ladder_rules(state).replay_extension_ms)


def awarded(state: MatchState, challenge: Challenge, t: int, winner: str, how: HowEnded, reason: str = "") -> Events:
    """R-BL-05, D-29: a challenge that ends without a result: the loser forfeits, and nothing is rated."""
    ladder, lifted = ladder_of(state), winner == challenge.challenger
    ended = ev.ChallengeEnded(
        t,
        challenge.challenge_no,
        "forfeit_defender" if lifted else "forfeit_challenger",
        how,
        winner,
        swapped=lifted and ladder.rank(winner) > ladder.rank(challenge.defender),
        reason=reason,
    )
    return (ended, *close_rooms(state, challenge, t))


def close_rooms(state: MatchState, challenge: Challenge, t: int) -> tuple[RoundEnded, ...]:
    """End the play in the rooms of a match that counts no more."""
    open_ = [state.tables[table_id] for table_id in challenge.tables if table_id in state.tables]
    nothing = (0,) * lineup.FIELDED
    return tuple(RoundEnded(t, table.table_id, nothing, nothing) for table in open_)


def _open_right(challenge: Challenge, team: str, trigger: rights.Trigger) -> bool:
    right = challenge.rights.get(team)
    return right is not None and right.state == "OPEN" and right.trigger == trigger
