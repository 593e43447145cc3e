"""How players join an island and leave it while it runs.

Implements R-IS-02, R-IS-03.
"""

from coordinator.engine import commands, events
from coordinator.engine.dues import another_lobby
from coordinator.engine.formats.island import next_stage, returning_score
from coordinator.engine.refusal import Decision, Refused, unknown_player
from coordinator.engine.state import MatchState
from coordinator.engine.timelines import pool, revivals


def join(state: MatchState, command: commands.JoinMatch) -> Decision:
    """R-IS-02: into the waiting pool, or into the next stage when this one is about to end. Asked twice, once in."""
    if state.status != "running":
        return _no_more()
    stage, rules = state.current, state.stage_rules
    if rules.join == "none":
        return Refused("join_forbidden", "nobody may join this stage once it runs (R-ST-02)", "match_id", "an island")
    entrant = state.entrants.get(command.player_id)
    if entrant is not None:
        if entrant.state == "resting":
            return (events.RestsEnded(command.t, (command.player_id,)),)
        if command.player_id in stage.leaving:
            return Refused("leaving", "the player leaves when the hand has ended", "player_id", "a player who has left")
        if entrant.state not in ("left", "out"):
            return ()
    # Whoever left and registers again stands behind those who stayed (R-TB-02).
    number = state.next_reg_seq if entrant is None or entrant.state == "left" else entrant.reg_seq
    name = command.name if entrant is None else entrant.name
    lobby = another_lobby(command.lobby, state.lobby) if entrant is None else ""
    if stage.draining:
        following = next_stage(state.rules, stage.stage_no, stage.run)
        if following is None:
            return _no_more()
        score = returning_score(state.rules.stages[following[0]], None)
        return (events.PlayerJoined(command.t, command.player_id, name, number, score, True, lobby),)
    if command.player_id in stage.fallen:
        return Refused("eliminated", "the player is out of this stage", "player_id", "the next stage")
    score = returning_score(rules, stage.gone.get(command.player_id))
    return (events.PlayerJoined(command.t, command.player_id, name, number, score, lobby=lobby),)


def leave(state: MatchState, command: commands.LeaveMatch) -> Decision:
    """R-IS-03: out of the stage at once, from a running hand when it has ended. Asked twice, the first stands."""
    entrant = state.entrants.get(command.player_id)
    if entrant is None:
        return unknown_player(command.player_id)
    if state.status == "registering":
        return (events.PlayerWithdrawn(command.player_id),)
    if state.status != "running":
        return _no_more()
    if state.stage_rules.leave == "forbidden" or state.stage_rules.island is None:
        return Refused(
            "leave_forbidden",
            "the match has started and its format does not let players leave (R-ST-02)",
            field="player_id",
            expected="a withdrawal before the match starts",
        )
    if entrant.state == "left" or command.player_id in state.current.leaving:
        return ()
    if entrant.state == "out":
        return Refused("eliminated", "the player is out of this stage already", "player_id", "a player who is in")
    if entrant.state == "offered":
        return (revivals.closed(state, command.t, (command.player_id,), "left"),)
    if entrant.state != "playing":
        return (pool.left(state, command.t, (entrant,), "asked"),)
    assert entrant.table_id is not None, "who plays sits at a table"
    table = state.tables[entrant.table_id]
    noted = events.LeaveNoted(command.t, command.player_id)
    if table.in_hand or table.interrupted:
        return (noted,)
    return (noted, *pool.end_round(state, table, command.t))


def _no_more() -> Refused:
    return Refused("match_closed", "the match takes nobody in or out any more", "match_id", "a match that runs")
