"""Players come into a match and its stages, and leave them."""

from typing import Literal

from coordinator.engine.frozen import frozen


@frozen
class PlayerRegistered:
    """The player is in, with the number that ends every tie chain (R-TB-02) and the score carried into the match.

    ``lobby`` is who entered the player, where that is not who opened the match.
    """

    player_id: str
    name: str
    reg_seq: int
    carried: int = 0
    lobby: str = ""


@frozen
class PlayerWithdrawn:
    """The player left before the match started."""

    player_id: str


@frozen
class PresenceNoted:
    """A player went away or came back, in a stage that puts out who is away at its end (R-RC-01)."""

    t: int
    player_id: str
    present: bool


@frozen
class LateEntered:
    """A player came late and plays from the bout ``from_bout`` on (R-DM-11); ``lobby`` as for PlayerRegistered."""

    t: int
    player_id: str
    name: str
    reg_seq: int
    from_bout: int
    lobby: str = ""


@frozen
class EntrantAdmitted:
    """A player came from the waiting room into the running stage and plays from the next bout on (R-CS-01).

    ``reg_seq`` is the new number of somebody who had left (R-TB-02).
    """

    t: int
    player_id: str
    score: int
    reg_seq: int | None = None


@frozen
class PlayerJoined:
    """A player came into a running stage with this score, or waits for the next one (R-IS-02); ``lobby`` as for
    PlayerRegistered."""

    t: int
    player_id: str
    name: str
    reg_seq: int
    score: int
    next_stage: bool = False
    lobby: str = ""


@frozen
class LeavePromised:
    """A seated player will leave when the bout is over (R-CS-01)."""

    t: int
    player_id: str


@frozen
class LeaveNoted:
    """A player who sits at a table will leave when the hand has ended (R-IS-03)."""

    t: int
    player_id: str


@frozen
class EntrantsLeft:
    """These players left a stage that lets players go; what they played stands (R-CS-01)."""

    t: int
    players: tuple[str, ...]


@frozen
class PlayersLeft:
    """These players left the stage; ``units`` is what each score was worth (R-IS-03)."""

    t: int
    players: tuple[str, ...]
    scores: tuple[int, ...]
    units: tuple[int, ...]
    reason: Literal["asked", "rest_over"]


@frozen
class PlayerRetired:
    """A player left a running stage for good and stays ranked (R-DM-05)."""

    t: int
    player_id: str


@frozen
class RestsEnded:
    """These players rest no longer and wait for the next table (R-IS-05)."""

    t: int
    players: tuple[str, ...]


@frozen
class PlayersEliminated:
    """Out of the match. A place is None until the end of the bout makes it certain (R-KO-02)."""

    t: int
    players: tuple[str, ...]
    places: tuple[int | None, ...]
