"""Every command to a tourney: what somebody, or a timer, asks of it. Imperative, frozen, journaled.

``t`` is the calendar: Unix time in milliseconds, never falling. A tourney lives by the calendar, a match by a clock of
its own.
"""

from fractions import Fraction

from coordinator.engine.frozen import frozen
from coordinator.engine.tourney.definition import TourneyDefinition
from coordinator.engine.tourney.events import FieldPlayer


@frozen
class OpenTourney:
    """Take up a tourney. ``seed`` feeds the draws of its matches, ``secret`` their deals."""

    t: int
    definition: TourneyDefinition
    seed: str
    secret: str


@frozen
class RedefineTourney:
    """The organiser changed the definition: it holds for all that nobody has registered for yet."""

    t: int
    definition: TourneyDefinition


@frozen
class RetireTourney:
    """The definition is gone: nothing more is planned, and what players have registered for goes on."""

    t: int


@frozen
class PlanStart:
    """The calendar's answer: the start point fires next at this instant, which has this label."""

    t: int
    start_point: str
    label: str
    start_at: int


@frozen
class EnterPlayer:
    """Register a player for an instance, or for the next one of a start point (R-HI-02).

    ``at`` names the instance, the start point (``tourney.start_point``) or the tourney. ``payment_ref`` names the fee
    that was charged and makes it count once, ``lobby`` who asks and is told of awards and refunds. ``busy_in`` is a
    running match the player is still in.
    """

    t: int
    at: str
    player_id: str
    name: str
    lobby: str
    payment_ref: str | None = None
    rating: int | None = None
    busy_in: str | None = None


@frozen
class WithdrawEntry:
    """Take a player out before the start; the fee goes back."""

    t: int
    instance_id: str
    player_id: str


@frozen
class CancelInstance:
    """An operator calls off what has not begun, or cannot go on; all fees go back."""

    t: int
    instance_id: str


@frozen
class FireStartTimer:
    """A timer of the calendar is due. ``busy`` are those of the instance who are still in a running match."""

    t: int
    timer_id: str
    busy: tuple[str, ...] = ()


@frozen
class EndTourneyMatch:
    """A match has its places: who they went to, the best first, with the score that may be carried on.

    ``late`` are those who came while it ran, by whichever lobby. The ``disqualified`` keep their places, win nothing
    and go nowhere.
    """

    t: int
    match_id: str
    ranking: tuple[tuple[str, int | Fraction], ...]
    late: tuple[FieldPlayer, ...] = ()
    disqualified: tuple[str, ...] = ()


@frozen
class HaltTourneyMatch:
    """A match cannot go on by its rules."""

    t: int
    match_id: str
    reason: str


@frozen
class ConfirmDue:
    """The lobby has an award or a refund, and will not ask for it again."""

    t: int
    key: str


TourneyCommand = (
    OpenTourney
    | RedefineTourney
    | RetireTourney
    | PlanStart
    | EnterPlayer
    | WithdrawEntry
    | CancelInstance
    | FireStartTimer
    | EndTourneyMatch
    | HaltTourneyMatch
    | ConfirmDue
)
