"""Players come into a match, leave it, and are there or not: each format in its own way.

Implements R-HI-02, R-RC-01.
"""

from coordinator.engine import commands, events
from coordinator.engine.decisions import island
from coordinator.engine.decisions.tables import owned
from coordinator.engine.dues import another_lobby
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.ladder import entering, leaving
from coordinator.engine.ladder.looking import is_ladder
from coordinator.engine.refusal import Decision, Refused, unknown_player
from coordinator.engine.stage_rules import last_late_bout
from coordinator.engine.state import Entrant, MatchState
from coordinator.engine.timelines import clock
from coordinator.engine.timelines.pairs import retire

_DISQUALIFIED = Refused("disqualified", "the player is disqualified", "player_id", "a player who may play")
_LEFT = Refused("match_closed", "the player has left this match for good", "player_id", "a player who never left")


def register(state: MatchState, command: commands.RegisterPlayer) -> Decision:
    """R-HI-02: enter a player; the one that fills the match starts it. Asked twice, the first entry stands."""
    if is_ladder(state):
        return entering.register(state, command)
    if command.player_id in state.disqualified:
        return _DISQUALIFIED
    if command.roster:
        return Refused("not_a_ladder", "only a team of a ladder has a roster", "roster", "nothing")
    if command.player_id in state.entrants:
        return _register_again(state, command)
    lobby = another_lobby(command.lobby, state.lobby)
    if state.status == "running" and clock.takes_entrants(state):  # R-CS-01
        return (
            events.PlayerRegistered(command.player_id, command.name, state.next_reg_seq, lobby=lobby),
            events.EntrantAdmitted(command.t, command.player_id, state.stage_rules.initial_player_state.score),
        )
    if _joins_bouts(state):
        return _enter_late(state, command)
    if state.status != "registering":
        return Refused("match_closed", "registration is closed", field="match_id", expected="a match that registers")
    entered = events.PlayerRegistered(command.player_id, command.name, state.next_reg_seq, command.carried, lobby)
    start = state.rules.start
    if start.mode == "when_full" and len(state.entrants) + 1 == start.full_count:
        return (entered, events.MatchStarted(command.t))
    return (entered,)


def _register_again(state: MatchState, command: commands.RegisterPlayer) -> Decision:
    """Who has left a stage by the clock comes back, with a new number if that is done (R-TB-02)."""
    known = state.entrants[command.player_id]
    if state.status == "running" and (known.state == "left" or known.leaving) and clock.takes_entrants(state):
        anew = state.next_reg_seq if known.state == "left" else None
        return (events.EntrantAdmitted(command.t, command.player_id, known.score, anew),)
    return _LEFT if _has_left(state, command.player_id) else ()


def _joins_bouts(state: MatchState) -> bool:
    """R-DM-11: whether a stage in bouts takes players while it runs."""
    if state.status != "running":
        return False
    rules = state.stage_rules
    return timeline_of(rules) == "bouts" and rules.join == "any_time"


def _has_left(state: MatchState, player_id: str) -> bool:
    """R-DM-11: whether a player left a running Dominion Swiss."""
    if state.stage is None or not format_of(state.stage_rules).duels:
        return False
    entrant = state.entrants[player_id]
    return entrant.state == "out" and entrant.out_in == state.stage_rules.id


def _enter_late(state: MatchState, command: commands.RegisterPlayer) -> Decision:
    """R-DM-11: who comes late plays from the next bout on, as long as that is not too late."""
    first, last = state.current.bout_no + 1, last_late_bout(state)
    if first > last:
        return Refused(
            "match_closed", f"late entry has ended with bout {last} (R-DM-11)", "match_id", "an entry before that bout"
        )
    lobby = another_lobby(command.lobby, state.lobby)
    return (events.LateEntered(command.t, command.player_id, command.name, state.next_reg_seq, first, lobby),)


def withdraw(state: MatchState, command: commands.WithdrawPlayer) -> Decision:
    """Before the start always; afterwards it is leaving, where the format lets players leave (R-ST-02)."""
    if command.player_id not in state.entrants:
        return unknown_player(command.player_id)
    if state.status == "registering":
        return (events.PlayerWithdrawn(command.player_id),)
    if state.status == "running":
        return leave(state, commands.LeaveMatch(command.t, command.player_id))
    return Refused(
        "leave_forbidden",
        "the match has started and its format does not let players leave (R-ST-02)",
        field="player_id",
        expected="a withdrawal before the match starts",
    )


def join(state: MatchState, command: commands.JoinMatch) -> Decision:
    """R-IS-02: before the start a player who joins is registered like any other."""
    if state.status == "registering" or _joins_bouts(state) or is_ladder(state):
        return register(state, commands.RegisterPlayer(command.t, command.player_id, command.name, lobby=command.lobby))
    if command.player_id in state.disqualified:
        return _DISQUALIFIED
    return island.join(state, command)


def leave(state: MatchState, command: commands.LeaveMatch) -> Decision:
    """An island lets players go after the hand (R-IS-03), a stage by the clock after the bout (R-CS-01), a Dominion
    Swiss at once (R-DM-11)."""
    if is_ladder(state) and state.status == "running":
        return leaving.leave(state, command)
    entrant = state.entrants.get(command.player_id)
    if entrant is not None and state.status == "running":
        if timeline_of(state.stage_rules) == "clock":
            return _leave_between_bouts(command, entrant)
        if timeline_of(state.stage_rules) == "bouts" and state.stage_rules.leave == "allowed":
            return () if entrant.state == "out" else retire(state, command.t, command.player_id)
    return island.leave(state, command)


def _leave_between_bouts(command: commands.LeaveMatch, entrant: Entrant) -> Decision:
    """R-CS-01: who sits at a table goes when the bout is over, everybody else at once."""
    if entrant.leaving or entrant.state not in ("waiting", "bye", "playing"):
        return ()
    if entrant.table_id is not None:
        return (events.LeavePromised(command.t, command.player_id),)
    return (events.EntrantsLeft(command.t, (command.player_id,)),)


def note_presence(state: MatchState, command: commands.NotePresence) -> Decision:
    """R-RC-01: presence decides no hand; it is kept only where a stage asks for it at its end."""
    if state.stage is None or state.stage.finished or not state.stage_rules.offline_out_at_stage_end:
        return ()
    table = owned(state, command.table_id, command.server_id, None)
    if isinstance(table, Refused):
        return table
    if command.player_id not in table.seats:
        return Refused("wrong_players", "the player does not sit here", "player_id", f"one of {', '.join(table.seats)}")
    if command.present is (command.player_id not in state.away):
        return ()
    return (events.PresenceNoted(command.t, command.player_id, command.present),)
