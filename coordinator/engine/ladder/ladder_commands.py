"""What is asked of a ladder: by teams through a lobby, by table servers, and by the referees as rulings.

A ``key`` makes a request count once (:mod:`coordinator.engine.once`).
"""

from typing import Literal

from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.rights import Option
from coordinator.engine.ladder.slots import Slot


@frozen
class IssueChallenge:
    """Challenge a team of a higher rank, with the times proposed (R-BL-02 to R-BL-07)."""

    t: int
    team: str
    defender: str
    slots: tuple[Slot, ...]
    key: str | None = None


@frozen
class AcceptTime:
    """Take one of the times the other side has offered, counted from 1 (R-BL-06)."""

    t: int
    challenge_no: int
    team: str
    slot: int
    key: str | None = None


@frozen
class ProposeTimes:
    """Offer other times: the defender's answer, or to agree anew on a match that was not played (R-BL-06)."""

    t: int
    challenge_no: int
    team: str
    slots: tuple[Slot, ...]
    key: str | None = None


@frozen
class CancelChallenge:
    """Take a challenge back before the defender has reacted (R-BL-06)."""

    t: int
    challenge_no: int
    team: str


@frozen
class CheckIn:
    """Prove that a team is there (R-BL-09)."""

    t: int
    challenge_no: int
    team: str


@frozen
class GiveLineUp:
    """Name the four players of a team, the pair of the open room first; again to substitute (R-BL-10)."""

    t: int
    challenge_no: int
    team: str
    players: tuple[str, ...]


@frozen
class SayReady:
    """A team is complete and can start; who says so with a right open lets it go (R-BL-09, R-RC-04)."""

    t: int
    challenge_no: int
    team: str


@frozen
class ChooseRight:
    """Exercise a right (R-RC-04)."""

    t: int
    challenge_no: int
    team: str
    right_no: int
    choice: Option


@frozen
class ReportResult:
    """Submit a result: the IMPs of both teams by name, or the team that failed to play (R-BL-12)."""

    t: int
    challenge_no: int
    team: str
    imps: dict[str, int]
    failed: str | None = None


@frozen
class AppealResult:
    """Contest what the other side has reported (R-BL-12)."""

    t: int
    challenge_no: int
    team: str
    text: str


@frozen
class RaiseDispute:
    """Dispute boards before the match ends (R-BL-13)."""

    t: int
    challenge_no: int
    team: str
    boards: tuple[int, ...]
    text: str


@frozen
class ConfirmDispute:
    """Confirm a dispute of the other side, by its number counted from 1 (R-BL-13)."""

    t: int
    challenge_no: int
    team: str
    dispute_no: int


@frozen
class NoteIncident:
    """What a table server saw of a player (R-RC-02 to R-RC-04).

    ``drop`` is a disconnect that needs a re-entry, ``seamless`` one that does not, ``deviation`` another course than
    the log's in a repeated board, ``acted`` the first regular action after play could go on. ``incident_no`` counts
    the incidents of a table from 1, so that one told twice is noted once.
    """

    t: int
    server_id: str
    table_id: int
    epoch: int
    incident_no: int
    kind: Literal["drop", "seamless", "deviation", "acted"]
    player_id: str


@frozen
class RuleOutcome:
    """A referee decides a challenge: its winner, or with None that it comes to nothing."""

    t: int
    challenge_no: int
    winner: str | None
    reason: str
    key: str | None = None


@frozen
class RuleBoard:
    """A referee decides a disputed board: IMPs of the challenger, or with None that it stands as played (R-BL-13)."""

    t: int
    challenge_no: int
    board_no: int
    imps: int | None
    reason: str
    key: str | None = None


@frozen
class RuleFalseReport:
    """A referee has found a result falsified: the team drops to the last rank (R-BL-12)."""

    t: int
    team: str
    reason: str
    key: str | None = None


@frozen
class PlaceTeam:
    """A referee puts a team on a rank, for instance after a forfeit that was not its fault (R-BL-08)."""

    t: int
    team: str
    rank: int
    reason: str
    key: str | None = None


@frozen
class ExtendDeadline:
    """A referee gives a challenge more time (R-BL-08)."""

    t: int
    challenge_no: int
    by_ms: int
    reason: str
    key: str | None = None


@frozen
class ChangeRoster:
    """The referees have verified a change of a team's players (R-BL-11)."""

    t: int
    team: str
    leaving: tuple[str, ...]
    coming: tuple[str, ...]
    key: str | None = None


@frozen
class CloseLadder:
    """A director closes the ladder: no new challenges, and when the open ones are over the ranks are final."""

    t: int


LadderCommand = (
    IssueChallenge
    | AcceptTime
    | ProposeTimes
    | CancelChallenge
    | CheckIn
    | GiveLineUp
    | SayReady
    | ChooseRight
    | ReportResult
    | AppealResult
    | RaiseDispute
    | ConfirmDispute
    | NoteIncident
    | RuleOutcome
    | RuleBoard
    | RuleFalseReport
    | PlaceTeam
    | ExtendDeadline
    | ChangeRoster
    | CloseLadder
)
