"""What a lobby and the coordinator say to each other about what is owed to players until it is confirmed (R-HI-03)."""

from typing import Literal

from protocol.messages.fields import Count, Key, Known, Label, Number, frozen


@frozen
class Received:
    """What was told with this key is paid out and kept: an :class:`Award`, a :class:`Refund`, a :class:`StageReward` or
    a :class:`CashedOut`. It need not be told again.
    """

    key: Key
    ref: Number
    type: Literal["received"] = "received"


@frozen
class Award:
    """What a place in a match wins (R-HI-03). Told until :class:`Received` confirms it; one ``key`` is paid once."""

    key: Key
    match_id: Known
    player_id: Known
    place: Number
    items: dict[Label, Count]
    type: Literal["award"] = "award"


@frozen
class Refund:
    """A fee goes back to a player. Told until :class:`Received` confirms it; one ``key`` is paid once."""

    key: Key
    instance_id: Known
    player_id: Known
    fee_kind: Literal["coin", "item"]
    item_id: Label | None
    amount: Count
    payment_ref: Known | None
    reason: Literal["asked", "playing", "too_few", "late", "by_operator"]
    type: Literal["refund"] = "refund"
