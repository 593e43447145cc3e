"""What a director has decided of a match, and what follows from it alone."""

from fractions import Fraction

from coordinator.engine.frozen import frozen


@frozen
class PenaltyGiven:
    """Points were booked for a player, to whatever the stage ranks by."""

    t: int
    player_id: str
    points: int
    key: str
    reason: str


@frozen
class PlayerDisqualified:
    """A player is excluded. ``was_in``: and was in the stage until now; the place is None where it comes later."""

    t: int
    player_id: str
    reason: str
    was_in: bool
    place: int | None


@frozen
class PlayerReinstated:
    """A player is disqualified no more. ``back``: and is in the stage again, as if nothing had been."""

    t: int
    player_id: str
    reason: str
    back: bool


@frozen
class HandCorrected:
    """A hand counts for these scores in seat order, and no more for those ``before``, which are none if it was void or
    never ended."""

    t: int
    table_id: int
    hand_no: int
    scores: tuple[int, ...]
    before: tuple[int, ...]
    reason: str


@frozen
class BoardRevised:
    """A result of a board was corrected: its datums by direction with the new one (R-DU-02)."""

    t: int
    board_no: int
    table_id: int
    scores: tuple[int, ...]
    before: tuple[int, ...]
    datums: tuple[int | Fraction, ...]


@frozen
class RoundRevised:
    """A round that is over in an open bout, worked out anew: who of its players are in again, and who are out now.

    ``places`` and ``points`` are in seat order; ``dropped`` are those who left the game (R-DM-03).
    """

    t: int
    table_id: int
    places: tuple[int, ...]
    points: tuple[int | Fraction, ...]
    dropped: tuple[str, ...]
    back: tuple[str, ...]
    out: tuple[str, ...]


@frozen
class SeatingTakenBack:
    """No hand of this seating had started; its tables are gone, its byes are worth nothing, and another one follows."""

    t: int
    key: str
    reason: str


@frozen
class FieldReranked:
    """The players still in stand in this order now, from which the bout is seated anew."""

    t: int
    ranking: tuple[str, ...]


DirectorEvent = (
    PenaltyGiven
    | PlayerDisqualified
    | PlayerReinstated
    | HandCorrected
    | BoardRevised
    | RoundRevised
    | SeatingTakenBack
    | FieldReranked
)
