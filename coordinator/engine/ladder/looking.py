"""Looking things up in a ladder: its challenges, who may speak for them, and what was played."""

from coordinator.engine.definition import Ladder
from coordinator.engine.ladder import disputes, imps
from coordinator.engine.ladder.records import Challenge, Finished, LadderState
from coordinator.engine.ladder.wall_time import clock_ms, week_began
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState


def ladder_rules(state: MatchState) -> Ladder:
    """The ladder's own words in its definition."""
    rules = state.rules.stages[0].ladder
    assert rules is not None, "asked only of a ladder"
    return rules


def ladder_of(state: MatchState) -> LadderState:
    """The state of a ladder that has started."""
    assert state.ladder is not None, "a ladder that runs has its state"
    return state.ladder


def is_ladder(state: MatchState) -> bool:
    """Whether this match is a ladder, also before it has started."""
    return state.definition is not None and state.definition.stages[0].ladder is not None


def running(state: MatchState) -> LadderState | Refused:
    """The ladder in play."""
    if not is_ladder(state):
        return Refused("not_a_ladder", "this match is no ladder", "match_id", "a match of format ladder")
    if state.ladder is None:
        return Refused("not_started", "the ladder has not started", "match_id", "a ladder that runs")
    if state.status != "running":
        return Refused("match_closed", "the ladder is over", "match_id", "a ladder that runs")
    return state.ladder


def open_challenge(state: MatchState, challenge_no: int, team: str | None = None) -> Challenge | Refused:
    """An open challenge, and that ``team`` is one of its two."""
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    challenge = ladder.challenges.get(challenge_no)
    if challenge is None:
        if challenge_no < ladder.next_challenge_no:
            return Refused("challenge_over", "the challenge is over", "challenge_no", "an open challenge")
        return Refused(
            "unknown_challenge", f"there is no challenge {challenge_no}", "challenge_no", "an open challenge"
        )
    if team is not None and team not in (challenge.challenger, challenge.defender):
        expected = f"{challenge.challenger} or {challenge.defender}"
        return Refused("not_allowed", f"{team!r} has no part in this challenge", "team", expected)
    return challenge


def newest_between(state: MatchState, challenger: str, defender: str) -> int:
    """The number of the newest challenge of one team to another, open or over; there has been one."""
    ladder = ladder_of(state)
    issued: list[Challenge | Finished] = [*ladder.finished, *ladder.challenges.values()]
    return max(each.challenge_no for each in issued if (each.challenger, each.defender) == (challenger, defender))


def unknown_team(state: MatchState, team: str, field: str = "team") -> Refused | None:
    """Refuse a team that has no rank on the ladder."""
    if team in ladder_of(state).ranks:
        return None
    return Refused("unknown_player", f"{team!r} is not on this ladder", field, "a registered team")


def running_with(state: MatchState, team: str) -> LadderState | Refused:
    """The ladder in play, and that it has this team."""
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    return unknown_team(state, team) or ladder


def not_allowed(challenge: Challenge, what: str, expected: str) -> Refused:
    """Refuse what the state of a challenge has no room for (R-BL-06)."""
    return Refused("not_allowed", f"{what}: the challenge is {challenge.state}", "challenge_no", expected)


def top_phase_start(state: MatchState, t: int) -> int:
    """R-BL-03: when the week of ``t`` began, by the calendar of the ladder's place or counted from its start."""
    rules = ladder_rules(state)
    if rules.week_ms is not None:
        began = state.current.opened_at
        return began + (t - began) // rules.week_ms * rules.week_ms
    return week_began(state.zone, t, rules.week_starts, 0)


def hours(rules: Ladder) -> tuple[int, int]:
    """R-BL-07: from when to before when a match may start, in milliseconds since midnight."""
    first, last = clock_ms(rules.hours.first), clock_ms(rules.hours.last)
    assert first is not None, "a checked definition has times of day"
    assert last is not None, "a checked definition has times of day"
    return first, last


def boards_played(state: MatchState, challenge: Challenge) -> tuple[int, ...]:
    """R-BL-14: the challenger's IMPs on each board of the match, rulings included; empty before it began."""
    if not challenge.tables:
        return ()
    rooms = []
    for table_id in challenge.tables:
        table = state.tables.get(table_id) or state.closed_tables[table_id]
        # North sits at seat 1; partners share a result. A void board has none.
        rooms.append([reported[0] if reported else None for _, reported in table.results])
    open_room, closed_room = rooms
    return tuple(imps.board_imps(open_room, closed_room, challenge.ruled, ladder_rules(state).imp_scale))


def score(state: MatchState, challenge: Challenge) -> tuple[int, int]:
    """R-BL-14: the IMPs of challenger and defender."""
    return imps.match_score(boards_played(state, challenge))


def provisional(challenge: Challenge) -> bool:
    """R-BL-13: whether a disputed board still waits for its ruling."""
    return any(disputes.is_open(dispute) for dispute in challenge.disputes)
