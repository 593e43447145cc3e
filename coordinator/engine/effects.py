"""Every effect: what the outside must now do or hear. Verb first, frozen. None leaves before its event is on disk."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from coordinator.engine.directing.director_effects import TellRuled
from coordinator.engine.dues import Due
from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.ladder_effects import LadderEffect
from coordinator.engine.state import MatchState

WaitReason = Literal[
    "reseating", "other_tables", "quota_reached", "bye", "no_table_server", "resting", "next_stage", "next_bout"
]


@frozen
class FindServers:
    """These tables need a table server that plays ``game``; the answer comes back as a ``PlaceTables`` command."""

    table_ids: tuple[int, ...]
    game: str


@frozen
class SeatPlayers:
    """Open a table at its server. ``seats`` are (player_id, name, score) from seat 1 on."""

    server_id: str
    table_id: int
    epoch: int
    game: str
    stage_id: str
    bout_no: int
    seats: tuple[tuple[str, str, int], ...]
    game_attrs: dict[str, str]


@frozen
class StartHand:
    """Order a hand: its deal, its frozen base score, for a repeat the log to play again, and its board if it is one."""

    server_id: str
    table_id: int
    epoch: int
    hand_no: int
    attempt_no: int
    base_score: int
    deal: str
    log: tuple[int | str, ...]
    board_no: int | None = None


@frozen
class CloseTable:
    """Tell a server that a table is no longer its own."""

    server_id: str
    table_id: int
    epoch: int
    reason: Literal["round_over", "moved", "match_over"]


@frozen
class RaiseBase:
    """Push the new base score to every table of the stage."""

    stage_id: str
    tick: int
    base_score: int


@frozen
class SetTimer:
    """Fire this timer when the match clock reaches ``at_ms``; an earlier setting of the same timer is replaced."""

    timer_id: str
    at_ms: int


@frozen
class CancelTimer:
    """Forget this timer."""

    timer_id: str


@frozen
class TellStarted:
    """Tell lobbies that registration is closed."""

    players: int


@frozen
class TellSeated:
    """Tell lobbies who sits where."""

    stage_id: str
    bout_no: int
    first_table_id: int
    tables: tuple[tuple[str, ...], ...]


@frozen
class TellWaiting:
    """Tell lobbies who waits, and why."""

    stage_id: str
    players: tuple[str, ...]
    reason: WaitReason


@frozen
class TellEliminated:
    """Tell lobbies that a player is out; the place is None until it is certain."""

    stage_id: str
    player_id: str
    place: int | None
    score: int


@frozen
class TellOver:
    """Tell lobbies the final result: (player_id, score, stage the player was eliminated in or None) by place."""

    places: tuple[tuple[str, int, str | None], ...]


@frozen
class PublishStandings:
    """The standings moved."""


@frozen
class RaiseAlarm:
    """Something a director or operator must look at."""

    code: str
    message: str
    table_id: int | None = None


@frozen
class TellOffered:
    """Offer lobbies a revival: the fee in coins or items, or packs of (score, cost) to choose from (R-RV-01)."""

    stage_id: str
    player_id: str
    offer_no: int
    fee_kind: Literal["coin", "item"]
    item_id: str | None
    fee: int
    score: int
    packs: tuple[tuple[int, int], ...]
    remaining: int
    timeout_ms: int


@frozen
class TellLeft:
    """Tell lobbies that a player left, and the units the score was worth; ``payout_no`` None where nothing is due."""

    stage_id: str
    player_id: str
    score: int
    units: int
    reason: Literal["asked", "rest_over"]
    payout_no: int | None


@frozen
class TellRewarded:
    """Tell lobbies what the place of a player in an island wins (R-IS-01)."""

    stage_id: str
    player_id: str
    place: int
    items: dict[str, int]
    payout_no: int


@frozen
class SendDues:
    """Hand awards and refunds to their lobbies, again and again until they are confirmed (R-HI-03)."""

    dues: tuple[Due, ...]


@frozen
class TellPaused:
    """Tell lobbies and table servers that the match clock stands still and why; ``reason`` None: it goes on."""

    reason: str | None


Effect = (
    FindServers
    | SeatPlayers
    | StartHand
    | CloseTable
    | RaiseBase
    | SetTimer
    | CancelTimer
    | TellStarted
    | TellSeated
    | TellWaiting
    | TellEliminated
    | TellOver
    | PublishStandings
    | RaiseAlarm
    | TellOffered
    | TellLeft
    | TellRewarded
    | LadderEffect
    | TellRuled
    | TellPaused
    | SendDues
)
Effects = tuple[Effect, ...]
Tells = Mapping[type, Callable[[MatchState, Any], Effects]]
"""What events have for effects: by the class of each, what says it of the state after it."""

STANDINGS: Effects = (PublishStandings(),)
"""Most of what happens moves the standings: they are published last, when all else is told."""
