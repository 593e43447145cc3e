"""What a lobby and the coordinator say to each other about a ladder, where a team is a player of the match (R-BL)."""

from typing import Annotated, Literal

from msgspec import Meta

from protocol.messages.fields import Count, Identity, Key, Known, Label, Number, Players, Reason, Score, frozen


@frozen
class ProposedTime:
    """A start in Unix milliseconds. ``mutual``: agreed otherwise by both teams, so day and hour are free (R-BL-07)."""

    at_ms: Count
    mutual: bool = False


Times = Annotated[list[ProposedTime], Meta(max_length=16)]


@frozen
class IssueChallenge:
    """Challenge a team of a higher rank, with as many times as the ladder asks for. Answered with :class:`Challenged`.

    Asked again in the same words while it is unanswered, it is answered with the same number; under its ``key``, which
    is the asker's own name of the request, also when the challenge has gone on or is over.
    """

    match_id: Known
    team: Known
    defender: Known
    slots: Times
    ref: Number
    key: Key | None = None
    type: Literal["challenge"] = "challenge"


@frozen
class AcceptTime:
    """Take one of the times the other side offers, counted from 1; the match is fixed (R-BL-06).

    Asked again under its ``key`` it takes no time of an offer that was made since.
    """

    match_id: Known
    challenge_no: Number
    team: Known
    slot: Number
    ref: Number
    key: Key | None = None
    type: Literal["accept_time"] = "accept_time"


@frozen
class ProposeTimes:
    """Offer other times: the defender's answer, or by either side for a match that was not played (R-BL-06).

    Asked again under its ``key`` it offers nothing anew, whatever became of the offer.
    """

    match_id: Known
    challenge_no: Number
    team: Known
    slots: Times
    ref: Number
    key: Key | None = None
    type: Literal["propose_times"] = "propose_times"


@frozen
class CancelChallenge:
    """Take a challenge back before the defender has reacted (R-BL-06)."""

    match_id: Known
    challenge_no: Number
    team: Known
    ref: Number
    type: Literal["cancel_challenge"] = "cancel_challenge"


@frozen
class CheckIn:
    """Prove that the team is there, in the hour around the agreed time (R-BL-09)."""

    match_id: Known
    challenge_no: Number
    team: Known
    ref: Number
    type: Literal["check_in"] = "check_in"


@frozen
class LineUp:
    """Name the four players of a team, the pair of the open room first; again to substitute one (R-BL-10)."""

    match_id: Known
    challenge_no: Number
    team: Known
    players: Annotated[list[Identity], Meta(max_length=16)]
    ref: Number
    type: Literal["line_up"] = "line_up"


@frozen
class Ready:
    """The team is complete and can start; the match begins at its time when both have said so (R-BL-09)."""

    match_id: Known
    challenge_no: Number
    team: Known
    ref: Number
    type: Literal["ready"] = "ready"


@frozen
class ChooseRight:
    """Exercise the right that :class:`RightOpened` told of; a choice is final (R-RC-04)."""

    match_id: Known
    challenge_no: Number
    team: Known
    right_no: Number
    choice: Literal["redo", "reschedule", "claim_win", "continue"]
    ref: Number
    type: Literal["choose_right"] = "choose_right"


@frozen
class ReportResult:
    """Submit a result: ``imps`` names both teams, or ``failed`` the one that did not play (R-BL-12)."""

    match_id: Known
    challenge_no: Number
    team: Known
    imps: Annotated[dict[Known, Score], Meta(max_length=2)]
    ref: Number
    failed: Known | None = None
    type: Literal["report_result"] = "report_result"


@frozen
class Appeal:
    """Contest what the other side has reported; a referee decides (R-BL-12)."""

    match_id: Known
    challenge_no: Number
    team: Known
    text: Reason
    ref: Number
    type: Literal["appeal"] = "appeal"


@frozen
class RaiseDispute:
    """Dispute boards before the match ends; the others go on and the result is provisional (R-BL-13)."""

    match_id: Known
    challenge_no: Number
    team: Known
    boards: Annotated[list[Number], Meta(min_length=1, max_length=128)]
    text: Reason
    ref: Number
    type: Literal["raise_dispute"] = "raise_dispute"


@frozen
class ConfirmDispute:
    """Confirm a dispute of the other side, by its number in the match counted from 1 (R-BL-13)."""

    match_id: Known
    challenge_no: Number
    team: Known
    dispute_no: Number
    ref: Number
    type: Literal["confirm_dispute"] = "confirm_dispute"


@frozen
class ListTargets:
    """Ask whom a team may challenge now. Answered with :class:`Targets`."""

    match_id: Known
    team: Known
    ref: Number
    type: Literal["list_targets"] = "list_targets"


@frozen
class Challenged:
    """The challenge stands; its number names it from now on."""

    ref: Count
    match_id: Known
    challenge_no: Number
    type: Literal["challenged"] = "challenged"


@frozen
class Targets:
    """Whom a team may challenge now, the highest rank first: exactly those a challenge to whom is accepted."""

    ref: Count
    match_id: Known
    team: Known
    rank: Number
    targets: Players
    type: Literal["targets"] = "targets"


@frozen
class ChallengeState:
    """How a challenge stands, all of it, whenever it has changed. Times are Unix milliseconds (R-BL-06).

    ``offered_by`` has offered ``slots`` that the other side may accept. ``imps`` are those of challenger and defender,
    by the boards that were played, from the end of the match on; ``provisional`` while boards are in dispute.
    ``how`` says why it is over: result, cancelled, no_reply, no_pick, not_done, late, claimed, failed,
    left or ruling.
    """

    match_id: Known
    challenge_no: Number
    challenger: Known
    defender: Known
    state: Literal[
        "issued",
        "countered",
        "fixed",
        "playing",
        "void",
        "played",
        "reported",
        "disputed",
        "cancelled",
        "forfeit_challenger",
        "forfeit_defender",
        "final",
    ]
    due_ms: Count
    slots: Times
    offered_by: Known | None
    at_ms: Count | None
    challenger_players: Players
    defender_players: Players
    challenger_ready: bool
    defender_ready: bool
    imps: Annotated[list[Count], Meta(max_length=2)]
    winner: Known | None
    how: Label | None
    provisional: bool
    type: Literal["challenge_state"] = "challenge_state"


@frozen
class RightOpened:
    """A team has a choice (R-RC-04); told to lobbies and to the table servers of the match.

    ``room`` 1 is the open room, 2 the closed one, None before play; ``tables`` are those of the match.
    """

    match_id: Known
    challenge_no: Number
    right_no: Number
    team: Known
    trigger: Literal["deviation", "disconnect", "lineup"]
    options: list[Literal["redo", "reschedule", "claim_win", "continue"]]
    room: Number | None
    tables: Annotated[list[Number], Meta(max_length=2)]
    type: Literal["right_opened"] = "right_opened"


@frozen
class RankedTeam:
    """One line of the ranks; ``matches`` are the rated ones."""

    team: Known
    rating: Score
    matches: Count


@frozen
class LadderRanks:
    """The ranks of a ladder from the first on, whenever they or a rating changed."""

    match_id: Known
    teams: Annotated[list[RankedTeam], Meta(max_length=1000)]
    type: Literal["ladder_ranks"] = "ladder_ranks"


LadderRequest = (
    IssueChallenge
    | AcceptTime
    | ProposeTimes
    | CancelChallenge
    | CheckIn
    | LineUp
    | Ready
    | ChooseRight
    | ReportResult
    | Appeal
    | RaiseDispute
    | ConfirmDispute
    | ListTargets
)


LadderNotice = ChallengeState | RightOpened | LadderRanks
