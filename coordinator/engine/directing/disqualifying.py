"""Who is excluded, and who is taken in again.

Whether somebody is disqualified is asked of the state each time something is ranked or shown, and written nowhere else.
The table the player sits at parts on its finished hands, as one does that gives up an interrupted hand (R-RC-02).
"""

from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_commands import DisqualifyPlayer, ReinstatePlayer
from coordinator.engine.directing.looking import refused_by_match
from coordinator.engine.formats import timeline_of
from coordinator.engine.refusal import Decision, Refused, unknown_player
from coordinator.engine.state import Disqualification, Entrant, MatchState
from coordinator.engine.timelines import pool, revivals


def disqualify(state: MatchState, command: DisqualifyPlayer) -> Decision:
    """At once, whatever the player does just now. Asked twice, the first stands."""
    wrong = refused_by_match(state)
    if wrong is not None:
        return wrong
    player_id = command.player_id
    entrant = state.entrants.get(player_id)
    if entrant is None:
        return unknown_player(player_id)
    if player_id in state.disqualified:
        return ()
    stage, island = state.current, state.stage_rules.island is not None
    was_in = player_id in stage.active
    standing = len(stage.active) + len(stage.offers)
    if was_in and standing == 1 and not island:
        return Refused("last_player", "nobody else is in", "player_id", "a match that somebody is left in")
    placed = was_in and timeline_of(state.stage_rules) == "pool" and not island
    done = ev.PlayerDisqualified(command.t, player_id, command.reason, was_in, standing if placed else None)
    if entrant.state == "offered":
        return (revivals.closed(state, command.t, (player_id,), "left"), done)
    if entrant.state == "joining":
        return (pool.left(state, command.t, (entrant,), "asked"), done)
    return (done,)


def reinstate(state: MatchState, command: ReinstatePlayer) -> Decision:
    """Into the stage again as long as that moves nothing that has been decided since. Asked twice, it is done once."""
    wrong = refused_by_match(state)
    if wrong is not None:
        return wrong
    entrant = state.entrants.get(command.player_id)
    if entrant is None:
        return unknown_player(command.player_id)
    known = state.disqualified.get(command.player_id)
    if known is None:
        return ()
    back = known.was_in and _may_play_on(state, entrant, known)
    return (ev.PlayerReinstated(command.t, command.player_id, command.reason, back),)


def _may_play_on(state: MatchState, entrant: Entrant, known: Disqualification) -> bool:
    """In bouts until the bout ends; in a pool until somebody else is placed; by the clock and on an island until the
    stage ends."""
    stage, rules = state.current, state.stage_rules
    if (known.stage_no, known.run) != (stage.stage_no, stage.run) or stage.finished:
        return False
    timeline = timeline_of(rules)
    if timeline == "bouts":
        return known.bout_no == stage.bout_no
    if timeline == "pool" and rules.island is None:
        return entrant.place == len(stage.active) + len(stage.offers) + 1
    return True
