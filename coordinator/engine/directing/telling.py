"""What the outside must do or hear after a director's events: read right after they were applied."""

from types import MappingProxyType

from coordinator.engine import boards, timers
from coordinator.engine import effects as fx
from coordinator.engine.directing import director_events as ev
from coordinator.engine.directing.director_effects import TellRuled
from coordinator.engine.directing.reseating import seating_timer
from coordinator.engine.effects import STANDINGS, Effects, Tells
from coordinator.engine.formats import timeline_of
from coordinator.engine.state import MatchState
from coordinator.engine.waiting import shuttle_set, wait_reason


def _penalty_given(state: MatchState, event: ev.PenaltyGiven) -> Effects:
    told = TellRuled("penalty", event.reason, player_id=event.player_id, points=event.points)
    return (told, *STANDINGS)


def _player_disqualified(state: MatchState, event: ev.PlayerDisqualified) -> Effects:
    told = TellRuled("disqualify", event.reason, player_id=event.player_id)
    if not event.was_in:
        return (told, *STANDINGS)
    entrant, rules = state.entrants[event.player_id], state.stage_rules
    out: list[fx.Effect] = [fx.TellEliminated(rules.id, event.player_id, event.place, entrant.score)]
    if rules.island is not None and rules.island.rest_ms is not None:
        out.append(fx.CancelTimer(timers.rest_timer(entrant.reg_seq)))
    shuttle = timers.shuttle_timer(state.current.stage_no)
    if timeline_of(rules) == "pool" and shuttle not in state.timers:
        out.append(fx.CancelTimer(shuttle))
    return (told, *out, *STANDINGS)


def _player_reinstated(state: MatchState, event: ev.PlayerReinstated) -> Effects:
    told = TellRuled("reinstate", event.reason, player_id=event.player_id)
    if not event.back:
        return (told, *STANDINGS)
    why: fx.WaitReason = "bye" if event.player_id in state.current.byes else wait_reason(state)
    waiting = fx.TellWaiting(state.stage_rules.id, (event.player_id,), why)
    return (told, waiting, *shuttle_set(state, 1), *STANDINGS)


def _hand_corrected(state: MatchState, event: ev.HandCorrected) -> Effects:
    scores = tuple(zip(boards.seats_of(state, event.table_id), event.scores, strict=True))
    told = TellRuled("correct", event.reason, table_id=event.table_id, hand_no=event.hand_no, scores=scores)
    return (told, *STANDINGS)


def _round_revised(state: MatchState, event: ev.RoundRevised) -> Effects:
    stage_id, entrants = state.stage_rules.id, state.entrants
    waiting = (fx.TellWaiting(stage_id, event.back, wait_reason(state)),) if event.back else ()
    out = [fx.TellEliminated(stage_id, player_id, None, entrants[player_id].score) for player_id in event.out]
    return (*waiting, *out, *STANDINGS)


def _seating_taken_back(state: MatchState, event: ev.SeatingTakenBack) -> Effects:
    """Who sits where, or waits, is told by the seating that follows; that of an island tells nobody that they wait."""
    told, rules, pool = TellRuled("reseat", event.reason), state.stage_rules, tuple(state.current.pool)
    waiting = (fx.TellWaiting(rules.id, pool, wait_reason(state)),) if pool and rules.island is not None else ()
    return (told, fx.CancelTimer(seating_timer(state)), *waiting)


TELLS: Tells = MappingProxyType(
    {
        ev.PenaltyGiven: _penalty_given,
        ev.PlayerDisqualified: _player_disqualified,
        ev.PlayerReinstated: _player_reinstated,
        ev.HandCorrected: _hand_corrected,
        ev.RoundRevised: _round_revised,
        ev.SeatingTakenBack: _seating_taken_back,
    }
)
