"""What the outside hears of a ladder."""

from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.negotiation import State
from coordinator.engine.ladder.rights import Option, Trigger
from coordinator.engine.ladder.slots import Slot


@frozen
class TellChallenge:
    """Tell lobbies how a challenge stands, all of it. ``lineups`` and ``ready`` are of challenger and defender."""

    challenge_no: int
    challenger: str
    defender: str
    state: State
    due: int
    slots: tuple[Slot, ...]
    offered_by: str | None
    at: int | None
    lineups: tuple[tuple[str, ...], ...]
    ready: tuple[bool, ...]
    imps: tuple[int, ...]
    winner: str | None
    how: str | None
    provisional: bool


@frozen
class TellRight:
    """Tell lobbies and the table servers of the match that a team has a choice (R-RC-04)."""

    challenge_no: int
    right_no: int
    team: str
    trigger: Trigger
    options: tuple[Option, ...]
    room: int | None
    servers: tuple[str, ...]
    tables: tuple[int, ...]


@frozen
class TellRanks:
    """Tell lobbies the ranks: team, rating, rated matches."""

    teams: tuple[tuple[str, int, int], ...]


LadderEffect = TellChallenge | TellRight | TellRanks
