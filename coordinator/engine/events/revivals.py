"""Eliminated players may come back."""

from typing import Literal

from coordinator.engine.definition import Pack
from coordinator.engine.frozen import frozen


@frozen
class RevivalOffered:
    """An eliminated player may come back until the match clock reads ``due`` (R-RV-01).

    ``score`` is what the player comes back with, unless it is that of one of the ``packs``; ``remaining`` are left
    after the hand.
    """

    t: int
    player_id: str
    offer_no: int
    due: int
    fee: int
    score: int
    remaining: int
    packs: tuple[Pack, ...] = ()


@frozen
class PlayerRevived:
    """A fee was paid and the player waits for a table again (R-RV-01)."""

    t: int
    player_id: str
    offer_no: int
    payment_ref: str
    fee: int
    score: int
    pack: int | None = None


@frozen
class RevivalsClosed:
    """The offers of these players are off: their elimination is final, the best place first (R-RV-01)."""

    t: int
    players: tuple[str, ...]
    places: tuple[int | None, ...]
    offers: tuple[int, ...]
    reason: Literal["declined", "balance", "timeout", "end", "left"]
