"""A match opens, starts, stands still and ends."""

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.dues import Due
from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.wall_time import Offset


@frozen
class MatchOpened:
    """Registration is open. ``commitment`` is the published hash of ``secret``, ``lobby`` who asked for the match."""

    match_id: str
    definition: MatchDefinition
    seed: str
    secret: str
    commitment: str
    zone: tuple[Offset, ...] = ()
    lobby: str = ""
    owes_payouts: bool = False


@frozen
class TimeTold:
    """The wall clock said ``wall_ms`` at this match time."""

    t: int
    wall_ms: int


@frozen
class MatchStarted:
    """Registration is closed."""

    t: int


@frozen
class MatchPaused:
    """The match clock stands still: no tick, no time-out, no bout ends by time until it goes on."""

    t: int
    reason: str


@frozen
class MatchResumed:
    """The match clock goes on where it stood; nobody has lost time."""

    t: int


@frozen
class TimerFired:
    """A timer was due and is spent."""

    t: int
    timer_id: str


@frozen
class MatchHalted:
    """The match cannot go on by its rules; ``reason`` says why."""

    t: int
    reason: str


@frozen
class MatchEnded:
    """Everybody has a place. The secret of the deals is public from now on. ``awards`` are what the places win in a
    match that a lobby opened (R-HI-03); each is told to its lobby until the lobby confirms it."""

    t: int
    ranking: tuple[str, ...]
    awards: tuple[Due, ...] = ()


@frozen
class AwardConfirmed:
    """The lobby has it."""

    t: int
    key: str


@frozen
class KeyUsed:
    """A request was carried out that counts once under its key; ``words`` are what the key stands for from now on."""

    t: int
    key: str
    words: str
