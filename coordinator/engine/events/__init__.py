"""Every event: what was decided. Past tense, frozen, journaled; the state of a match is a fold over its events.

They stand by subject, a module each; what a ladder and directors add stands in their rooms. ``t`` is the match clock in
milliseconds, see :mod:`coordinator.engine.commands`.
"""

from coordinator.engine.directing.director_events import DirectorEvent
from coordinator.engine.events.hands import *
from coordinator.engine.events.match import *
from coordinator.engine.events.players import *
from coordinator.engine.events.revivals import *
from coordinator.engine.events.stages import *
from coordinator.engine.events.tables import *
from coordinator.engine.ladder.ladder_events import LadderEvent

Event = (
    MatchOpened
    | TimeTold
    | MatchStarted
    | MatchPaused
    | MatchResumed
    | TimerFired
    | MatchHalted
    | MatchEnded
    | AwardConfirmed
    | KeyUsed
    | StageOpened
    | BaseRaised
    | BoutTimeUp
    | BoutEnded
    | DrainStarted
    | StageEnded
    | TablesSeated
    | TablesPlaced
    | TablesOrphaned
    | TablesReleased
    | RoundEnded
    | HandsStarted
    | ActionsRecorded
    | HandScored
    | ResultParked
    | BoardCompared
    | HandsRepeated
    | HandsRedealt
    | HandVoided
    | BoardsVoided
    | PlayerRegistered
    | PlayerWithdrawn
    | PresenceNoted
    | LateEntered
    | EntrantAdmitted
    | PlayerJoined
    | LeavePromised
    | LeaveNoted
    | EntrantsLeft
    | PlayersLeft
    | PlayerRetired
    | RestsEnded
    | PlayersEliminated
    | RevivalOffered
    | PlayerRevived
    | RevivalsClosed
    | LadderEvent
    | DirectorEvent
)
Events = tuple[Event, ...]
