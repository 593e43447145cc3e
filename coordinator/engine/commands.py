"""Every command: what somebody, or a timer, asks of a match. Imperative, frozen, journaled beside the events it led to.

``t`` is the match clock in milliseconds: running time since the match was opened. It stands still while no
coordinator runs the match, so a restart costs nobody time. A ladder's is the wall clock: Unix time in milliseconds.
"""

from typing import Literal

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.directing.director_commands import DirectorCommand
from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.ladder_commands import LadderCommand
from coordinator.engine.ladder.wall_time import Offset


@frozen
class OpenMatch:
    """Open a match for registration. ``seed`` feeds every draw, ``secret`` every deal.

    ``zone`` are the offsets of the time zone that a ladder names, as they are known now. ``lobby`` is who asks for it;
    a match that a tourney opens has none, and its tourney pays what its places win. ``owes_payouts``: what an island
    pays is owed to the lobbies until they confirm it.
    """

    t: int
    match_id: str
    definition: MatchDefinition
    seed: str
    secret: str
    zone: tuple[Offset, ...] = ()
    lobby: str = ""
    owes_payouts: bool = False


@frozen
class RegisterPlayer:
    """Enter a player. The last free place starts a match that starts when full (R-HI-02).

    ``carried`` is what the player brings along from the match before this one (R-HI-01, R-CA-03).
    ``roster`` are the players registered for a team of a ladder (R-BL-10). ``lobby`` is who enters the player.
    """

    t: int
    player_id: str
    name: str
    carried: int = 0
    roster: tuple[str, ...] = ()
    lobby: str = ""


@frozen
class WithdrawPlayer:
    """Take a player out between rounds; before the start always, afterwards where ``leave`` allows it."""

    t: int
    player_id: str


@frozen
class TellTime:
    """What the wall clock says at ``t``, as Unix time: for what ends at a time of day (R-IS-01)."""

    t: int
    wall_ms: int


@frozen
class StartMatch:
    """Close registration and open the first stage."""

    t: int


@frozen
class Placement:
    """One table given to one table server in one of its lives."""

    table_id: int
    server_id: str
    life: str


@frozen
class PlaceTables:
    """Give tables without an owner to table servers."""

    t: int
    placements: tuple[Placement, ...]


@frozen
class LoseServer:
    """A table server is gone or has lost its memory: its tables of this life need another owner."""

    t: int
    server_id: str
    life: str
    cause: Literal["server_lost", "restart", "outage"] = "server_lost"
    forgotten: bool = False
    """Nobody will go on with its hands: the server is back without them, or has left for good."""


@frozen
class ReleaseTables:
    """A table server drains: these of its tables are to move, each as soon as no hand is in play at it."""

    t: int
    server_id: str
    table_ids: tuple[int, ...]


@frozen
class PauseMatch:
    """Let the match clock stand still; ``reason`` is for people. A match that is paused stays so."""

    t: int
    reason: str


@frozen
class ResumeMatch:
    """Let the match clock go on."""

    t: int


@frozen
class NotePresence:
    """A table server says that a player went away or came back (R-RC-01)."""

    t: int
    server_id: str
    table_id: int
    player_id: str
    present: bool


@frozen
class AbortRound:
    """A table server gives one table back; the interrupted hand is repeated elsewhere."""

    t: int
    server_id: str
    table_id: int
    epoch: int
    reason: str


@frozen
class RecordActions:
    """The log of a running hand grows by ``actions``, which follow its first ``first`` actions (R-RC-02)."""

    t: int
    server_id: str
    table_id: int
    epoch: int
    hand_no: int
    attempt_no: int
    first: int
    actions: tuple[int | str, ...]


@frozen
class EndHand:
    """A finished hand with the score (or multiple) of every player at the table.

    ``dropped`` are those who left the game before its end (R-DM-03); the scores then count for nobody.
    """

    t: int
    server_id: str
    table_id: int
    epoch: int
    hand_no: int
    attempt_no: int
    scores: dict[str, int]
    dropped: tuple[str, ...] = ()


@frozen
class FireTimer:
    """A timer set by an earlier event is due."""

    t: int
    timer_id: str


@frozen
class JoinMatch:
    """Let a player into the stage in play, now or again; a player who rests goes on (R-IS-02, R-IS-05).

    ``lobby`` is who enters the player. Of two joins in a row with one ``key`` the second is the first asked again.
    """

    t: int
    player_id: str
    name: str
    lobby: str = ""
    key: str | None = None


@frozen
class LeaveMatch:
    """Take a player out of the stage in play, from a running hand as soon as it has ended (R-IS-03).

    ``key`` as of a join.
    """

    t: int
    player_id: str
    key: str | None = None


@frozen
class Revive:
    """A player's revival is paid for: ``payment_ref`` names the payment and makes it count once (R-RV-01).

    ``pack`` is the number of the pack chosen, counted from 1, where packs are on sale (R-RV-05).
    """

    t: int
    player_id: str
    offer_no: int
    payment_ref: str
    pack: int | None = None


@frozen
class DeclineRevival:
    """A player does not take an offer, or cannot pay for it (R-RV-01)."""

    t: int
    player_id: str
    offer_no: int
    reason: Literal["declined", "balance"] = "declined"


@frozen
class ConfirmAward:
    """The lobby has paid an award and will not ask for it again (R-HI-03)."""

    t: int
    key: str


Command = (
    OpenMatch
    | RegisterPlayer
    | WithdrawPlayer
    | TellTime
    | StartMatch
    | PlaceTables
    | LoseServer
    | ReleaseTables
    | PauseMatch
    | ResumeMatch
    | NotePresence
    | AbortRound
    | RecordActions
    | EndHand
    | FireTimer
    | JoinMatch
    | LeaveMatch
    | Revive
    | DeclineRevival
    | ConfirmAward
    | LadderCommand
    | DirectorCommand
)
