"""Every message of the wire, as attrs classes: the single source for checking, documentation and schema.

A frame is one binary WebSocket message holding the msgpack array ``[seq, ack, [message, ...]]``; each message
is a map with a ``type`` and the fields named here. Unknown fields are ignored, so an old peer survives a new
field; an unknown type is answered with an error. The limits in the annotations are checked while decoding,
before anything else sees the message.

Messages are grouped by subject, a module each; here stands who may say and hear which. The roles that connect are
*table* (a table server), *lobby* (the platform's front), *spectator* and *director* (who rules on matches); one
session may hold several.

``ref`` is the sender's own number for a request, counted up from 1; its one answer carries it back. A ``ref``
of 0 marks a notice: nothing is answered unless it is refused.
"""

from protocol.messages.awards import *
from protocol.messages.directors import *
from protocol.messages.fields import *
from protocol.messages.ladders import *
from protocol.messages.matches import *
from protocol.messages.session import *
from protocol.messages.spectators import *
from protocol.messages.tables import *
from protocol.messages.tourneys import *

FromLobby = (
    OpenMatch
    | Register
    | Withdraw
    | StartMatch
    | Join
    | Leave
    | Revive
    | DeclineRevival
    | Enter
    | WithdrawEntry
    | ListInstances
    | Received
    | LadderRequest
)
ToLobby = (
    MatchOpened
    | Entered
    | MatchStarted
    | Seated
    | Waiting
    | Eliminated
    | MatchOver
    | RevivalOffer
    | CashedOut
    | StageReward
    | Challenged
    | Targets
    | LadderNotice
    | EntryTaken
    | Instances
    | InstanceOpen
    | InstanceCancelled
    | EntryRemoved
    | InstanceOver
    | Award
    | Refund
    | MatchPaused
    | MatchResumed
    | Ruled
)
ToCoordinator = FromPeer | FromTable | FromLobby | FromDirector | FromSpectator
FromCoordinator = ToPeer | ToTable | ToLobby | ToSpectator
Message = ToCoordinator | FromCoordinator
