"""Which events say something about a player, and who explains them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from coordinator.engine import events
from coordinator.engine.directing import director_events as director
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.state import MatchState
from coordinator.reasons import challenges, directed, endings, moves, seats
from coordinator.reasons.reason import Reason

Explain = Callable[[MatchState, Any, str], list[Reason]]

EXPLAINED: Final[Mapping[type, Explain]] = MappingProxyType(
    {
        events.PlayerRegistered: moves.registered,
        events.PlayerWithdrawn: moves.withdrawn,
        events.StageOpened: moves.stage_opened,
        events.LateEntered: moves.late_entered,
        events.EntrantAdmitted: moves.admitted,
        events.PlayerJoined: moves.joined,
        events.PlayersLeft: moves.left,
        events.EntrantsLeft: moves.entrants_left,
        events.PlayerRetired: moves.retired,
        events.RestsEnded: moves.rests_ended,
        events.TablesOrphaned: moves.orphaned,
        events.MatchPaused: moves.paused,
        events.HandVoided: endings.hand_voided,
        events.DrainStarted: moves.drain_started,
        events.BoutTimeUp: moves.time_up,
        events.BoardsVoided: moves.voided,
        events.RevivalOffered: moves.offered,
        events.PlayerRevived: moves.revived,
        events.RevivalsClosed: moves.revivals_closed,
        events.TablesSeated: seats.tables_seated,
        events.RoundEnded: endings.round_ended,
        events.PlayersEliminated: endings.players_eliminated,
        events.BoutEnded: endings.bout_ended,
        events.StageEnded: endings.stage_ended,
        events.MatchEnded: endings.match_ended,
        events.AwardConfirmed: endings.award_confirmed,
        director.PenaltyGiven: directed.penalty_given,
        director.PlayerDisqualified: directed.disqualified,
        director.PlayerReinstated: directed.reinstated,
        director.HandCorrected: directed.corrected,
        director.RoundRevised: directed.round_revised,
        director.SeatingTakenBack: directed.seating_taken_back,
        ev.TeamEntered: challenges.entered,
        ev.TeamLeft: challenges.team_left,
        ev.ChallengeIssued: challenges.issued,
        ev.RoomsOpened: challenges.rooms_opened,
        ev.ChallengeEnded: challenges.ended,
        ev.TeamPlaced: challenges.placed,
    }
)

SILENT: Final = (
    events.MatchOpened,
    events.KeyUsed,
    events.MatchStarted,
    events.MatchHalted,
    events.TablesPlaced,
    events.HandsStarted,
    events.HandsRepeated,
    events.ActionsRecorded,
    events.HandScored,
    events.ResultParked,
    events.BaseRaised,
    events.TimerFired,
    events.LeaveNoted,
    events.LeavePromised,
    events.BoardCompared,
    events.TimeTold,
    events.HandsRedealt,
    events.TablesReleased,
    events.MatchResumed,
    events.PresenceNoted,
    *challenges.SILENT,
    *directed.SILENT,
)
"""Events that decide nothing about a single player that one could ask the reason of."""


def reasons_of(state: MatchState, event: events.Event, player_id: str) -> list[Reason]:
    """Why this event did to a player what it did; the state is that before the event."""
    explain = EXPLAINED.get(type(event))
    return [] if explain is None else explain(state, event, player_id)
