"""Teams come onto a ladder with their rosters: before it starts, or later at its bottom (R-BL-01, R-BL-10)."""

from collections.abc import Sequence

from coordinator.engine import events
from coordinator.engine.checks.limits import MOST_TEAMS
from coordinator.engine.commands import RegisterPlayer
from coordinator.engine.dues import another_lobby
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.looking import ladder_rules
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState

MOST_REGISTERED = 32
"""Players on one roster."""


def register(state: MatchState, command: RegisterPlayer) -> Decision:
    """Enter a team with its roster. Asked twice in the same words, it is in once."""
    known = state.rosters.get(command.player_id)
    if known is not None:
        if known == command.roster:
            return ()
        message = "the team is registered with other players"
        return Refused(
            "wrong_match_words", message, "roster", "the same players, or a change by the referees (R-BL-11)"
        )
    wrong = _wrong_roster(state, command)
    if wrong is not None:
        return wrong
    if len(state.entrants) >= MOST_TEAMS:
        return Refused("match_full", f"the ladder has {MOST_TEAMS} teams", "match_id", "another ladder")
    named = ev.RosterNamed(command.player_id, command.roster)
    lobby = another_lobby(command.lobby, state.lobby)
    registered = events.PlayerRegistered(command.player_id, command.name, state.next_reg_seq, lobby=lobby)
    # A team that left comes back as who it was, under its own number.
    entered = (named,) if command.player_id in state.entrants else (registered, named)
    if state.status == "registering":
        start = state.rules.start
        full = start.mode == "when_full" and len(state.entrants) + 1 == start.full_count
        return (*entered, events.MatchStarted(command.t)) if full else entered
    if state.status != "running" or state.current.draining or state.stage_rules.join == "none":
        return Refused("match_closed", "the ladder takes no more teams", "match_id", "an open ladder")
    return (*entered, ev.TeamEntered(command.t, command.player_id))


def _wrong_roster(state: MatchState, command: RegisterPlayer) -> Refused | None:
    least, names = ladder_rules(state).min_registered, command.roster
    if not least <= len(names) <= MOST_REGISTERED or len(dict.fromkeys(names)) != len(names):
        message = f"a team needs {least} players of its own to be fielded (R-BL-10)"
        return Refused("roster_refused", message, "roster", f"{least} to {MOST_REGISTERED} different players")
    for team, others in state.rosters.items():
        shared = [name for name in names if name in others]
        if shared:
            message = f"{shared[0]!r} is registered for {team}"
            return Refused("roster_refused", message, "roster", "players of no other team")
    return None


def first_ranks(initial: Sequence[str], registered: Sequence[str]) -> tuple[str, ...]:
    """R-BL-01: the ranking of the earlier event, then everybody else in the order of registration."""
    named = [team for team in initial if team in registered]
    return (*named, *[team for team in registered if team not in named])
