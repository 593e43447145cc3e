"""Every effect of a tourney: what the outside must now do or hear. None leaves before its event is on disk."""

from typing import Literal

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.effects import RaiseAlarm, SendDues
from coordinator.engine.frozen import frozen
from coordinator.engine.tourney.events import CancelReason, FieldPlayer

__all__ = [
    "LaunchMatch",
    "PlanNext",
    "RaiseAlarm",
    "SendDues",
    "SetWakeUp",
    "TellCancelled",
    "TellClosed",
    "TellInstance",
    "TellLaunched",
    "TellTakenBack",
    "TourneyEffect",
]


@frozen
class PlanNext:
    """Ask the calendar when this start point fires next after an instant; a ``PlanStart`` command answers."""

    start_point: str
    after: int


@frozen
class SetWakeUp:
    """Fire this timer when the calendar reaches ``at_ms``, Unix time in milliseconds."""

    timer_id: str
    at_ms: int


@frozen
class LaunchMatch:
    """Open this match, enter its players in this order, start it. Done again it changes nothing."""

    match_id: str
    definition: MatchDefinition
    seed: str
    secret: str
    players: tuple[FieldPlayer, ...]


@frozen
class TellInstance:
    """Tell lobbies that an instance takes registrations."""

    instance_id: str


@frozen
class TellCancelled:
    """Tell lobbies that an instance is off."""

    instance_id: str
    reason: CancelReason
    players: tuple[str, ...]


@frozen
class TellTakenBack:
    """Tell lobbies of a player who was taken out at the start without having asked, and why."""

    instance_id: str
    player_id: str
    reason: Literal["playing", "too_few"]


@frozen
class TellLaunched:
    """Tell lobbies that a match was opened, and who is in it."""

    match_id: str
    definition_id: str
    commitment: str
    players: tuple[str, ...]


@frozen
class TellClosed:
    """Tell lobbies that the last match of an instance is over."""

    instance_id: str


TourneyEffect = (
    PlanNext
    | SetWakeUp
    | LaunchMatch
    | TellInstance
    | TellCancelled
    | TellTakenBack
    | TellLaunched
    | TellClosed
    | SendDues
    | RaiseAlarm
)
