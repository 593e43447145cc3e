"""Every event of a tourney: what was decided. Past tense, frozen; the state of a tourney is a fold over its events."""

from fractions import Fraction
from typing import Literal

from coordinator.engine.dues import Due
from coordinator.engine.frozen import frozen
from coordinator.engine.tourney.definition import TourneyDefinition

CancelReason = Literal["too_few", "late", "by_operator"]


@frozen
class FieldPlayer:
    """One player of a match that a tourney opens; ``carried`` is the score brought along a link (R-CA-03)."""

    player_id: str
    name: str
    lobby: str
    carried: int = 0


@frozen
class TourneyOpened:
    """The tourney exists."""

    t: int
    definition: TourneyDefinition
    seed: str
    secret: str


@frozen
class TourneyRedefined:
    """Another definition holds from now on; instances with nobody in them are planned anew."""

    t: int
    definition: TourneyDefinition


@frozen
class TourneyRetired:
    """Nothing more is planned; instances with nobody in them are gone."""

    t: int


@frozen
class InstancePlanned:
    """A start point will fire: at ``start_at``, or when it is full where that is None (R-HI-02)."""

    t: int
    instance_id: str
    start_point: str
    series: str
    start_at: int | None


@frozen
class RegistrationOpened:
    """Players may enter the instance."""

    t: int
    instance_id: str


@frozen
class EntryMade:
    """A player is in, for the match named; ``fee`` was paid with ``payment_ref``."""

    t: int
    instance_id: str
    player_id: str
    name: str
    reg_seq: int
    match: str
    lobby: str
    fee: int
    payment_ref: str | None
    rating: int | None


@frozen
class EntryTakenBack:
    """A player is out before the start: on demand, still in another match, or of a match that too few came for."""

    t: int
    instance_id: str
    player_id: str
    reason: Literal["asked", "playing", "too_few"]


@frozen
class InstanceFired:
    """Registration is over; ``fields`` are the players of each match it opens, in the order of registration."""

    t: int
    instance_id: str
    fields: tuple[tuple[str, ...], ...]


@frozen
class InstanceCancelled:
    """Nobody plays; whoever paid gets the fee back."""

    t: int
    instance_id: str
    reason: CancelReason


@frozen
class InstanceClosed:
    """All matches of the instance are over."""

    t: int
    instance_id: str


@frozen
class TourneyMatchOpened:
    """A match has its players and begins. Its name is its idempotency key."""

    t: int
    match_id: str
    name: str
    series: str
    instance_id: str
    players: tuple[FieldPlayer, ...]


@frozen
class TourneyMatchEnded:
    """A match is over, with its places; ``late`` are those who came while it ran."""

    t: int
    match_id: str
    ranking: tuple[tuple[str, int | Fraction], ...]
    late: tuple[FieldPlayer, ...] = ()
    disqualified: tuple[str, ...] = ()


@frozen
class TourneyMatchHalted:
    """A match stands still, or cannot even begin with those who came through its links."""

    t: int
    match_id: str
    name: str
    series: str
    instance_id: str
    reason: str


@frozen
class TourneyMatchCancelled:
    """A match will not take place."""

    t: int
    match_id: str
    name: str
    series: str
    instance_id: str


@frozen
class DuesOwed:
    """Awards or refunds are due; each is told to its lobby until the lobby confirms it."""

    t: int
    dues: tuple[Due, ...]


@frozen
class DueConfirmed:
    """The lobby has it."""

    t: int
    key: str


TourneyEvent = (
    TourneyOpened
    | TourneyRedefined
    | TourneyRetired
    | InstancePlanned
    | RegistrationOpened
    | EntryMade
    | EntryTakenBack
    | InstanceFired
    | InstanceCancelled
    | InstanceClosed
    | TourneyMatchOpened
    | TourneyMatchEnded
    | TourneyMatchHalted
    | TourneyMatchCancelled
    | DuesOwed
    | DueConfirmed
)
