"""How players come into a match and its stages, and how they leave."""

from types import MappingProxyType

from coordinator.engine import events, payouts, timers
from coordinator.engine.in_and_out import come_in, put_out, set_shuttle_timer
from coordinator.engine.state import Changes, Entrant, MatchState, Payout


def _player_registered(state: MatchState, event: events.PlayerRegistered) -> None:
    state.entrants[event.player_id] = Entrant(event.player_id, event.name, event.reg_seq, score=event.carried)
    state.next_reg_seq = event.reg_seq + 1
    _entered_by(state, event.player_id, event.lobby)


def _player_withdrawn(state: MatchState, event: events.PlayerWithdrawn) -> None:
    del state.entrants[event.player_id]
    state.lobbies.pop(event.player_id, None)
    state.rosters.pop(event.player_id, None)


def _late_entered(state: MatchState, event: events.LateEntered) -> None:
    stage, rules = state.current, state.stage_rules
    state.entrants[event.player_id] = Entrant(
        event.player_id,
        event.name,
        event.reg_seq,
        state="waiting",
        score=rules.initial_player_state.score,
        points=rules.main_points.absent * (event.from_bout - 1),
        waiting_since=event.t,
    )
    state.next_reg_seq = event.reg_seq + 1
    _entered_by(state, event.player_id, event.lobby)
    stage.active[event.player_id] = None
    stage.joined[event.player_id] = event.from_bout


def _entrant_admitted(state: MatchState, event: events.EntrantAdmitted) -> None:
    """A new player, or one who left or was about to leave and comes back with what was played before."""
    stage, entrant = state.current, state.entrants[event.player_id]
    entrant.leaving = False
    if event.reg_seq is not None:
        _register_anew(state, entrant, event.reg_seq)
    if entrant.state in ("registered", "left"):
        stage.entrants += entrant.state == "registered"
        entrant.state = "waiting"
        entrant.score = event.score
        entrant.waiting_since = event.t
        stage.active[event.player_id] = None


def _player_joined(state: MatchState, event: events.PlayerJoined) -> None:
    stage = state.current
    entrant = state.entrants.get(event.player_id)
    if entrant is None:
        entrant = state.entrants[event.player_id] = Entrant(event.player_id, event.name, event.reg_seq)
        state.next_reg_seq = event.reg_seq + 1
        _entered_by(state, event.player_id, event.lobby)
    elif entrant.reg_seq != event.reg_seq:
        _register_anew(state, entrant, event.reg_seq)
    entrant.place = entrant.out_in = None
    if event.next_stage:
        entrant.state = "joining"
        stage.joining[event.player_id] = None
        return
    if event.player_id not in stage.gone:
        stage.entrants += 1
        entrant.revivals = 0
    stage.gone.pop(event.player_id, None)
    entrant.points = 0
    entrant.seatings = 0
    entrant.mates = ()
    entrant.mates_before = ()
    come_in(state, entrant, event.score, event.t)


def _presence_noted(state: MatchState, event: events.PresenceNoted) -> None:
    if event.present:
        state.away.pop(event.player_id, None)
    else:
        state.away[event.player_id] = None


def _leave_promised(state: MatchState, event: events.LeavePromised) -> None:
    state.entrants[event.player_id].leaving = True


def _leave_noted(state: MatchState, event: events.LeaveNoted) -> None:
    state.current.leaving[event.player_id] = None


def _entrants_left(state: MatchState, event: events.EntrantsLeft) -> None:
    active = state.current.active
    for player_id in event.players:
        entrant = state.entrants[player_id]
        entrant.leaving = False
        entrant.state = "left"
        del active[player_id]


def _players_left(state: MatchState, event: events.PlayersLeft) -> None:
    stage, stage_id = state.current, state.stage_rules.id
    for player_id, score, units in zip(event.players, event.scores, event.units, strict=True):
        entrant = state.entrants[player_id]
        if entrant.state == "joining":
            del stage.joining[player_id]
        else:
            stage.gone[player_id] = score
        if entrant.state == "resting":
            del stage.resting[entrant.reg_seq]
            state.timers.pop(timers.rest_timer(entrant.reg_seq), None)
        entrant.state = "left"
        stage.active.pop(player_id, None)
        stage.pool.pop(player_id, None)
        stage.leaving.pop(player_id, None)
        if units:
            number = len(state.payouts) + 1
            payouts.owe(state, Payout(number, stage_id, player_id, score, units, reason=event.reason))
    set_shuttle_timer(state)


def _player_retired(state: MatchState, event: events.PlayerRetired) -> None:
    """The place comes with the end of the stage; the seat, if there is one, with the end of the round."""
    put_out(state.entrants[event.player_id], state.stage_rules.id, None)
    del state.current.active[event.player_id]


def _rests_ended(state: MatchState, event: events.RestsEnded) -> None:
    stage = state.current
    for player_id in event.players:
        entrant = state.entrants[player_id]
        del stage.resting[entrant.reg_seq]
        state.timers.pop(timers.rest_timer(entrant.reg_seq), None)
        entrant.state = "waiting"
        entrant.waiting_since = event.t
        stage.pool[player_id] = None
    set_shuttle_timer(state)


def _players_eliminated(state: MatchState, event: events.PlayersEliminated) -> None:
    stage, rules = state.current, state.stage_rules
    for player_id, place in zip(event.players, event.places, strict=True):
        put_out(state.entrants[player_id], rules.id, place)
        del stage.active[player_id]
        stage.leaving.pop(player_id, None)
        if rules.island is not None:
            stage.fallen[player_id] = None


def _entered_by(state: MatchState, player_id: str, lobby: str) -> None:
    if lobby:
        state.lobbies[player_id] = lobby


def _register_anew(state: MatchState, entrant: Entrant, reg_seq: int) -> None:
    """R-TB-02: a new number, and with it the last place in the order of registration."""
    entrant.reg_seq = reg_seq
    state.next_reg_seq = reg_seq + 1
    del state.entrants[entrant.player_id]
    state.entrants[entrant.player_id] = entrant


CHANGES: Changes = MappingProxyType(
    {
        events.PlayerRegistered: _player_registered,
        events.PlayerWithdrawn: _player_withdrawn,
        events.LateEntered: _late_entered,
        events.EntrantAdmitted: _entrant_admitted,
        events.PlayerJoined: _player_joined,
        events.PresenceNoted: _presence_noted,
        events.LeavePromised: _leave_promised,
        events.LeaveNoted: _leave_noted,
        events.EntrantsLeft: _entrants_left,
        events.PlayersLeft: _players_left,
        events.PlayerRetired: _player_retired,
        events.RestsEnded: _rests_ended,
        events.PlayersEliminated: _players_eliminated,
    }
)
