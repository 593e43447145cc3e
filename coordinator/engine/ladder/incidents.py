"""What table servers see of players: disconnects, other courses, and play going on (R-RC-02 to R-RC-04)."""

from coordinator.engine.ladder import deviation, drops
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.looking import ladder_rules, running
from coordinator.engine.ladder.meeting import opened
from coordinator.engine.ladder.records import Challenge
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState


def note(state: MatchState, command: ask.NoteIncident) -> Decision:
    """Count a disconnect or deviation and open the right it gives; or let a right go because play went on.

    A restart of the coordinator or of a table server is no disconnect of the players and counts nothing.
    """
    ladder = running(state)
    if isinstance(ladder, Refused):
        return ladder
    table = state.tables.get(command.table_id)
    if table is None:
        return Refused("unknown_table", f"no table {command.table_id} is open", "table_id", "a table in play")
    if table.server_id != command.server_id or table.epoch != command.epoch:
        return Refused("not_your_table", "the table has another owner now", "table_id", f"epoch {table.epoch}")
    if command.player_id not in table.seats:
        expected = ", ".join(table.seats)
        return Refused("wrong_players", f"{command.player_id!r} does not sit there", "player_id", expected)
    challenge = ladder.challenges[table.bout_no]
    epoch, heard = challenge.heard.get(command.table_id, (0, 0))
    if epoch == command.epoch and command.incident_no <= heard:
        return ()
    team = side_of(challenge, command.player_id)
    room = challenge.tables.index(command.table_id) + 1
    noted = ev.IncidentNoted(
        command.t,
        challenge.challenge_no,
        command.table_id,
        command.epoch,
        command.incident_no,
        command.kind,
        team,
        room,
    )
    return (noted, *_consequence(state, challenge, noted))


def side_of(challenge: Challenge, player_id: str) -> str:
    """The team a fielded player plays for in this match."""
    if player_id in challenge.lineups.get(challenge.challenger, ()):
        return challenge.challenger
    return challenge.defender


def room_key(room: int, team: str) -> str:
    """R-RC-03: disconnects are counted by room and side."""
    return f"{room}/{team}"


def _consequence(state: MatchState, challenge: Challenge, noted: ev.IncidentNoted) -> tuple[ev.LadderEvent, ...]:
    other = challenge.other(noted.team)
    if noted.kind == "drop":
        count = challenge.drops.get(room_key(noted.room, noted.team), 0) + 1
        if drops.opens_right(count, ladder_rules(state).drop_limit):
            return (opened(challenge, noted.t, other, "disconnect", drops.OPTIONS, noted.room),)
    elif noted.kind == "deviation":
        options = deviation.options(challenge.deviations.get(noted.team, 0) + 1)
        return (opened(challenge, noted.t, other, "deviation", options, noted.room),)
    elif noted.kind == "acted":
        right = challenge.rights.get(noted.team)
        # Play in the other room says nothing about this one.
        if right is not None and right.state == "OPEN" and right.room == noted.room:
            return (ev.RightSettled(noted.t, challenge.challenge_no, noted.team, "WAIVED", "continue"),)
    return ()
