"""What a director asks of a match. A ``key`` makes a word count once that would count again when it is said again."""

from coordinator.engine.frozen import frozen


@frozen
class GivePenalty:
    """Book points for a player; the opposite number takes them back."""

    t: int
    player_id: str
    points: int
    key: str
    reason: str


@frozen
class DisqualifyPlayer:
    """Exclude a player from the rest of the match."""

    t: int
    player_id: str
    reason: str
    key: str | None = None


@frozen
class ReinstatePlayer:
    """Take a disqualification back."""

    t: int
    player_id: str
    reason: str
    key: str | None = None


@frozen
class CorrectHand:
    """Say what a hand counts for, by player, whatever was reported of it."""

    t: int
    table_id: int
    hand_no: int
    scores: dict[str, int]
    reason: str
    key: str | None = None


@frozen
class SeatAnew:
    """Take a seating back of which no hand has started, and seat again."""

    t: int
    key: str
    reason: str


DirectorCommand = GivePenalty | DisqualifyPlayer | ReinstatePlayer | CorrectHand | SeatAnew
