"""What happened on a ladder. Journaled like every event; times are Unix milliseconds."""

from typing import Literal

from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.negotiation import State
from coordinator.engine.ladder.records import HowEnded
from coordinator.engine.ladder.reporting import Report
from coordinator.engine.ladder.rights import Option, Trigger
from coordinator.engine.ladder.slots import Slot


@frozen
class RosterNamed:
    """The players who are registered for a team (R-BL-10)."""

    team: str
    roster: tuple[str, ...]


@frozen
class TeamEntered:
    """A team that registered while the ladder runs, or came back to it, stands at its bottom (R-BL-01)."""

    t: int
    team: str


@frozen
class TeamLeaves:
    """A team gives up; its challenges end, then it has left."""

    t: int
    team: str


@frozen
class TeamLeft:
    """A team has no rank any more; those below it move up."""

    t: int
    team: str


@frozen
class ChallengeIssued:
    """A challenge locks its two teams to each other (R-BL-04); it must be answered by ``reply_by`` (R-BL-08)."""

    t: int
    challenge_no: int
    challenger: str
    defender: str
    slots: tuple[Slot, ...]
    reply_by: int
    due: int
    to_first: bool = False


@frozen
class TimesProposed:
    """Other times are on offer; the challenger must pick one by ``pick_by`` when they are the defender's answer."""

    t: int
    challenge_no: int
    team: str
    slots: tuple[Slot, ...]
    pick_by: int | None


@frozen
class TimeFixed:
    """The match will be played ``at``; who is not ready by ``late_by`` is late (R-BL-09)."""

    t: int
    challenge_no: int
    team: str
    at: int
    late_by: int


@frozen
class TeamCheckedIn:
    """A team proved its presence (R-BL-09)."""

    t: int
    challenge_no: int
    team: str


@frozen
class LineUpGiven:
    """A team named its players, or substituted one (R-BL-10)."""

    t: int
    challenge_no: int
    team: str
    players: tuple[str, ...]


@frozen
class TeamReady:
    """A team is complete and can start (R-BL-09)."""

    t: int
    challenge_no: int
    team: str


@frozen
class RightOpened:
    """A team has a choice; an open one of the same team is replaced (R-RC-04)."""

    t: int
    challenge_no: int
    right_no: int
    team: str
    trigger: Trigger
    options: tuple[Option, ...]
    room: int | None


@frozen
class RightSettled:
    """A right was exercised, let go, or has lost its reason (R-RC-04, R-RC-05)."""

    t: int
    challenge_no: int
    team: str
    state: Literal["CHOSEN", "WAIVED", "CLOSED"]
    choice: Option | None


@frozen
class BothLate:
    """Neither team was ready in time: the match is not played and they agree anew (R-BL-09)."""

    t: int
    challenge_no: int


@frozen
class LatenessPutOff:
    """The coordinator itself was away when teams had to be ready; they have until ``late_by``."""

    t: int
    challenge_no: int
    late_by: int


@frozen
class RoomsOpened:
    """The match begins: the line-ups are frozen, both rooms play the same boards with the sides crossed (R-BL-14)."""

    t: int
    challenge_no: int
    play_no: int
    first_table_id: int
    rooms: tuple[tuple[str, ...], ...]


@frozen
class MatchPlayed:
    """Both rooms are done. ``imps`` are challenger's and defender's, provisional while boards are disputed."""

    t: int
    challenge_no: int
    imps: tuple[int, ...]


@frozen
class MatchVoided:
    """The match will be played again at another time, with fresh boards, by ``due`` (R-RC-04)."""

    t: int
    challenge_no: int
    due: int


@frozen
class ResultReported:
    """A side submitted a result (R-BL-12). ``differs``: not what was played, which the referees are told."""

    t: int
    challenge_no: int
    team: str
    report: Report
    differs: bool = False


@frozen
class ResultAppealed:
    """The other side contests a report; a referee decides (R-BL-12)."""

    t: int
    challenge_no: int
    team: str
    text: str


@frozen
class DisputeRaised:
    """Boards are in dispute and the result provisional (R-BL-13)."""

    t: int
    challenge_no: int
    team: str
    boards: tuple[int, ...]
    text: str


@frozen
class DisputeConfirmed:
    """The other side confirms a dispute (R-BL-13)."""

    t: int
    challenge_no: int
    team: str
    dispute_no: int


@frozen
class BoardRuled:
    """A referee decided a board; ``imps`` None: it stands as it was played (R-BL-13)."""

    t: int
    challenge_no: int
    board_no: int
    imps: int | None
    reason: str


@frozen
class IncidentNoted:
    """Something a table server saw of a team in one room (R-RC-02, R-RC-03)."""

    t: int
    challenge_no: int
    table_id: int
    epoch: int
    incident_no: int
    kind: Literal["drop", "deviation", "acted", "seamless"]
    team: str
    room: int


@frozen
class ChallengeEnded:
    """A challenge is over and its locks are open (R-BL-04, R-BL-05).

    ``swapped``: the two teams have exchanged their ranks. ``ratings`` are the new ones of challenger and defender,
    empty where the match is not rated (R-RA-03).
    """

    t: int
    challenge_no: int
    state: State
    how: HowEnded
    winner: str | None
    imps: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()
    swapped: bool = False
    ratings: tuple[int, ...] = ()
    reason: str = ""


@frozen
class TeamPlaced:
    """A referee put a team on a rank (R-BL-08, R-BL-12)."""

    t: int
    team: str
    rank: int
    false_report: bool
    reason: str


@frozen
class DeadlineExtended:
    """A referee gave a challenge time until ``due`` (R-BL-08)."""

    t: int
    challenge_no: int
    due: int
    reason: str


@frozen
class RosterChanged:
    """One player of a team's roster was replaced by another (R-BL-11)."""

    t: int
    team: str
    leaving: str
    coming: str


LadderEvent = (
    RosterNamed
    | TeamEntered
    | TeamLeaves
    | TeamLeft
    | ChallengeIssued
    | TimesProposed
    | TimeFixed
    | TeamCheckedIn
    | LineUpGiven
    | TeamReady
    | RightOpened
    | RightSettled
    | BothLate
    | LatenessPutOff
    | RoomsOpened
    | MatchPlayed
    | MatchVoided
    | ResultReported
    | ResultAppealed
    | DisputeRaised
    | DisputeConfirmed
    | BoardRuled
    | IncidentNoted
    | ChallengeEnded
    | TeamPlaced
    | DeadlineExtended
    | RosterChanged
)
