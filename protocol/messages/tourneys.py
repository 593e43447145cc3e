"""What a lobby and the coordinator say to each other about tourneys: starts, entries, and what is owed (R-HI)."""

from typing import Annotated, Literal

from msgspec import Meta

from protocol.messages.fields import Count, Identity, Known, Label, Name, Number, Players, Score, frozen


@frozen
class Enter:
    """Register a player for a start of a tourney (R-HI-02). Answered with :class:`EntryTaken`.

    ``at`` is an instance, or a start point (``tourney.start_point``, or the tourney alone where it has one) for its
    next instance that takes players. Asked again for the same player it is answered with the same number.
    ``payment_ref`` is the lobby's own name of the payment, where entering costs a fee.
    """

    at: Known
    player_id: Identity
    name: Name
    ref: Number
    payment_ref: Known | None = None
    rating: Score | None = None
    type: Literal["enter"] = "enter"


@frozen
class WithdrawEntry:
    """Take a player out before the start. A fee comes back as a :class:`Refund`."""

    instance_id: Known
    player_id: Known
    ref: Number
    type: Literal["withdraw_entry"] = "withdraw_entry"


@frozen
class ListInstances:
    """Ask what can be entered and what runs. Answered with :class:`Instances`."""

    ref: Number
    tourney_id: Known | None = None
    type: Literal["list_instances"] = "list_instances"


@frozen
class EntryTaken:
    """The player is registered; ``match`` is the match as things stand, ``start_at`` Unix time in milliseconds."""

    ref: Count
    instance_id: Known
    player_id: Known
    reg_seq: Number
    match: Label
    start_at: Count | None
    type: Literal["entry_taken"] = "entry_taken"


@frozen
class OfferRow:
    """One match of a start, and what entering it takes. Without limits the fields are null."""

    match: Label
    fee: Count
    fee_kind: Literal["coin", "item"]
    item_id: Label | None
    places: Count | None
    rating_from: Score | None
    rating_to: Score | None
    members_only: bool


@frozen
class InstanceRow:
    """One firing of a start point. Times are Unix milliseconds; ``start_at`` null: it starts when it is full.

    ``entered`` of ``places`` players are registered; null: as many as come. It starts with ``min_players`` at least.
    """

    instance_id: Known
    tourney_id: Known
    start_point: Label
    title: Label
    status: Literal["planned", "registering", "running", "over", "cancelled"]
    start_at: Count | None
    opens_at: Count
    register_until: Count | None
    withdraw_until: Count | None
    entered: Count
    min_players: Count
    places: Count | None
    offers: Annotated[list[OfferRow], Meta(max_length=100)]


@frozen
class Instances:
    """What can be entered and what runs, in the order of planning."""

    ref: Number
    rows: Annotated[list[InstanceRow], Meta(max_length=1000)]
    type: Literal["instances"] = "instances"


@frozen
class InstanceOpen:
    """Registration for a start is open."""

    instance: InstanceRow
    type: Literal["instance_open"] = "instance_open"


@frozen
class InstanceCancelled:
    """A start is off, for these players too. What they paid comes back as refunds."""

    instance_id: Known
    reason: Literal["too_few", "late", "by_operator"]
    players: Players
    type: Literal["instance_cancelled"] = "instance_cancelled"


@frozen
class EntryRemoved:
    """At the start a player was left out: still in another match, or of a match that too few came for."""

    instance_id: Known
    player_id: Known
    reason: Literal["playing", "too_few"]
    type: Literal["entry_removed"] = "entry_removed"


@frozen
class InstanceOver:
    """The last match of a start is over."""

    instance_id: Known
    type: Literal["instance_over"] = "instance_over"
