"""Every message of the wire, as attrs classes: the single source for checking, documentation and schema.

A frame is one binary WebSocket message holding the msgpack array ``[seq, ack, [message, ...]]``; each message
is a map with a ``type`` and the fields named here. Unknown fields are ignored, so an old peer survives a new
field; an unknown type is answered with an error. The limits in the annotations are checked while decoding,
before anything else sees the message.

Messages are grouped by sender. The roles that connect are *table* (a table server), *lobby* (the platform's
front), *spectator* and *director* (who rules on matches); one session may hold several.

``ref`` is the sender's own number for a request, counted up from 1; its one answer carries it back. A ``ref``
of 0 marks a notice: nothing is answered unless it is refused.

Messages are frozen, and mypy is who says so: guarding against assignment at run time would make every
``__init__`` three times as dear.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

if TYPE_CHECKING:
    from attrs import frozen
else:
    frozen = attrs.define(unsafe_hash=True)

SUBPROTOCOL = "coordinator.msgpack.v1"
"""The WebSocket subprotocol both ends must agree on."""

VERSIONS = (1,)
"""Message versions this package speaks, best first."""

INT53 = 2**53 - 1
"""Largest magnitude of any number on the wire: the integers that JavaScript keeps exactly."""

Count = Annotated[int, Meta(ge=0, le=INT53)]
Number = Annotated[int, Meta(ge=1, le=INT53)]
Score = Annotated[int, Meta(ge=-INT53, le=INT53)]
Identity = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]*(?!\n)$")]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Label = Annotated[str, Meta(max_length=64)]
Sentence = Annotated[str, Meta(max_length=500)]
Secret = Annotated[str, Meta(max_length=256)]
Role = Literal["table", "lobby", "spectator", "director"]
Action = Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=-INT53, le=INT53)]
Actions_ = Annotated[list[Action], Meta(max_length=4096)]
Key = Annotated[str, Meta(min_length=1, max_length=128)]
"""What makes an award, a refund or a director's word count once."""
Known = Annotated[str, Meta(min_length=1, max_length=64)]
"""An identity that must exist already: it is looked up and never stored, so its letters need no check of their own."""
Scores = Annotated[dict[Known, Score], Meta(min_length=1, max_length=64)]
Players = Annotated[list[Known], Meta(max_length=4096)]


# --- both ways, any role ------------------------------------------------------------------------------------


@frozen
class Hello:
    """First message of every socket, in an unnumbered frame; answered with :class:`Welcome` or an error.

    ``identity`` names the peer (a table server's id, a lobby's id); ``life`` is a random word made once per
    process start: a peer that comes back with another life has lost its memory. ``session``, ``epoch`` and
    ``last_seq`` are what the last :class:`Welcome` said and the last numbered frame received; they ask for
    the session to go on. ``nonce``, a random word, asks to be challenged: with a token the answer is
    :class:`ProofWanted`.
    """

    identity: Identity
    roles: Annotated[list[Role], Meta(min_length=1, max_length=4)]
    life: Identity
    versions: Annotated[list[Count], Meta(min_length=1, max_length=16)] = attrs.field(factory=lambda: list(VERSIONS))
    nonce: Label | None = None
    software: Label = ""
    games: Annotated[list[Label], Meta(max_length=64)] = attrs.field(factory=list)
    capacity: Count = 0
    session: Identity | None = None
    epoch: Identity | None = None
    last_seq: Count = 0
    type: Literal["hello"] = "hello"


@frozen
class Proof:
    """The answer to :class:`ProofWanted`, alone in an unnumbered frame: see :mod:`protocol.auth`."""

    proof: Label
    type: Literal["proof"] = "proof"


@frozen
class Error:
    """A refusal: ``code`` is a key of :data:`protocol.errors.CODES`, ``field`` names what is wrong."""

    code: Label
    message: Sentence
    ref: Count = 0
    field: Label | None = None
    expected: Sentence | None = None
    type: Literal["error"] = "error"


@frozen
class Bye:
    """Said before a wanted close: why, and after how many milliseconds a redial is welcome (None: never)."""

    code: Label
    message: Sentence = ""
    retry_after_ms: Count | None = None
    type: Literal["bye"] = "bye"


# --- coordinator to anybody ---------------------------------------------------------------------------------


@frozen
class ProofWanted:
    """Asks a peer to prove that it knows its token, without saying it: see :mod:`protocol.auth`.

    ``salt`` in hexadecimal digits, ``nonce`` a random word.
    """

    nonce: Label
    salt: Annotated[str, Meta(max_length=128)]
    iterations: Number
    type: Literal["proof_wanted"] = "proof_wanted"


@frozen
class Welcome:
    """The answer to :class:`Hello`, or to :class:`Proof`.

    ``resumed`` is ``new`` (the coordinator knows nothing of this peer: numbers start at 1 both ways, tables
    the peer remembers are void), ``nothing_missed``, ``gap`` (the missed frames follow) or ``snapshot``
    (numbers start at 1 both ways; what the peer must know follows between :class:`HistoryBegin` and
    :class:`HistoryEnd`). ``new`` and ``snapshot`` come with another ``session`` than before. ``ack`` is the
    last numbered frame the coordinator has from the peer, ``max_message`` the largest frame it takes, in
    bytes. ``proof`` is the coordinator's own, where there was a challenge.
    """

    version: Number
    session: Identity
    epoch: Identity
    resumed: Literal["new", "nothing_missed", "gap", "snapshot"]
    ack: Count
    max_message: Count
    software: Label = ""
    proof: Label = ""
    type: Literal["welcome"] = "welcome"


@frozen
class Ok:
    """The plain answer to a request that was done."""

    ref: Number
    type: Literal["ok"] = "ok"


@frozen
class HistoryBegin:
    """A snapshot starts: tables not told again before :class:`HistoryEnd` are to be forgotten."""

    reason: Label
    type: Literal["history_begin"] = "history_begin"


@frozen
class HistoryEnd:
    """The snapshot is complete."""

    type: Literal["history_end"] = "history_end"


# --- table server to coordinator ----------------------------------------------------------------------------


@frozen
class HandStarted:
    """The table server has dealt this attempt. A notice; it tells the page that play is on."""

    match_id: Known
    table_id: Number
    epoch: Number
    hand_no: Number
    attempt_no: Number
    ref: Count = 0
    type: Literal["hand_started"] = "hand_started"


@frozen
class Actions:
    """The hand's log as it grows: ``actions`` follow its first ``first`` actions (R-RC-02).

    After a snapshot the log is told again from its start, so ``first`` may lie before what is known.
    """

    match_id: Known
    table_id: Number
    epoch: Number
    hand_no: Number
    attempt_no: Number
    first: Count
    actions: Actions_
    ref: Count = 0
    type: Literal["actions"] = "actions"


@frozen
class HandEnded:
    """A finished hand: the hand score, or the multiple, of every player at the table (R-SC-03).

    ``dropped`` are those who left the game before its end, where the format knows that (R-DM-03).
    """

    match_id: Known
    table_id: Number
    epoch: Number
    hand_no: Number
    attempt_no: Number
    scores: Scores
    ref: Number
    dropped: Annotated[list[Known], Meta(max_length=64)] = attrs.field(factory=list)
    type: Literal["hand_ended"] = "hand_ended"


@frozen
class SeatPresence:
    """A player at the table came or went. A notice for the page; it never decides a hand (R-RC-01)."""

    match_id: Known
    table_id: Number
    player_id: Known
    present: bool
    ref: Count = 0
    type: Literal["seat_presence"] = "seat_presence"


@frozen
class RoundAborted:
    """The server cannot go on with this table; it is placed again and the hand is repeated."""

    match_id: Known
    table_id: Number
    epoch: Number
    reason: Sentence
    ref: Number
    type: Literal["round_aborted"] = "round_aborted"


@frozen
class Capacity:
    """How many tables the server can hold from now on. ``drain``: no new tables, running ones may finish."""

    capacity: Count
    drain: bool = False
    ref: Count = 0
    type: Literal["capacity"] = "capacity"


@frozen
class Incident:
    """What a table server saw of a player in a match of a ladder; ``incident_no`` counts those of the table from 1.

    ``drop``: a disconnect that needs a re-entry; ``seamless``: one that did not; ``deviation``: another course than the
    log's in a repeated board; ``acted``: the first call or play after play could go on (R-RC-02 to R-RC-04).
    """

    match_id: Known
    table_id: Number
    epoch: Number
    incident_no: Number
    kind: Literal["drop", "seamless", "deviation", "acted"]
    player_id: Known
    ref: Number
    type: Literal["incident"] = "incident"


# --- coordinator to table server ----------------------------------------------------------------------------


@frozen
class SeatedPlayer:
    """One seat of a table; ``score`` is the player's stage score when the table was seated."""

    seat_no: Number
    player_id: Known
    name: Name
    score: Score


@frozen
class Seat:
    """Open a table: who sits where, in seat order. Hands are started one by one with :class:`StartHand`.

    ``epoch`` rises whenever the table changes owner; every report names it.
    """

    match_id: Known
    table_id: Number
    epoch: Number
    game: Label
    stage_id: Label
    bout_no: Number
    seats: Annotated[list[SeatedPlayer], Meta(min_length=2, max_length=64)]
    game_attrs: dict[Label, Annotated[str, Meta(max_length=256)]]
    type: Literal["seat"] = "seat"


@frozen
class StartHand:
    """Play this hand now, at this base score, with this deal.

    ``deal`` is the seed of the deck (:mod:`protocol.deal`). ``log`` is not empty when an interrupted hand is
    repeated: its actions are played again identically, then play is free (R-RC-02). The base score stays
    frozen for the hand whatever ticks arrive meanwhile (R-HI-08). ``board_no`` is the board where all tables play
    the same ones: same board, same deal (R-CS-01).
    """

    match_id: Known
    table_id: Number
    epoch: Number
    hand_no: Number
    attempt_no: Number
    base_score: Score
    deal: Annotated[str, Meta(min_length=64, max_length=64, pattern=r"^[0-9a-f]{64}(?!\n)$")]
    log: Actions_ = attrs.field(factory=list)
    board_no: Number | None = None
    type: Literal["start_hand"] = "start_hand"


@frozen
class Verdict:
    """The stored answer to a :class:`HandEnded`; only ``scored`` and ``duplicate`` mean that it counts."""

    ref: Number
    match_id: Known
    table_id: Number
    hand_no: Number
    attempt_no: Number
    verdict: Literal["scored", "duplicate", "stale_epoch", "stale_attempt", "late", "conflict", "invalid"]
    field: Label | None = None
    expected: Sentence | None = None
    message: Sentence | None = None
    type: Literal["verdict"] = "verdict"


@frozen
class BaseScore:
    """The base score rose (R-ME-03). For show: a hand's own base score comes with its :class:`StartHand`.

    Sent unnumbered; only the newest counts.
    """

    match_id: Known
    stage_id: Label
    tick: Count
    base_score: Score
    type: Literal["base_score"] = "base_score"


@frozen
class CloseTable:
    """Forget this table: its round is over or it went elsewhere. Its reports are still answered."""

    match_id: Known
    table_id: Number
    epoch: Number
    reason: Literal["round_over", "moved", "match_over"]
    type: Literal["close_table"] = "close_table"


# --- lobby to coordinator -----------------------------------------------------------------------------------


@frozen
class OpenMatch:
    """Open a match of a definition the daemon has loaded. Answered with :class:`MatchOpened`.

    ``match_id`` is the lobby's choice and makes the request happen once: asked again with the same words it
    is answered the same. ``seed`` repeats a draw; without it the coordinator draws one. ``full_count``
    replaces the number of players that fills the match.
    """

    match_id: Identity
    definition: Label
    ref: Number
    seed: Annotated[str, Meta(max_length=128)] | None = None
    full_count: Number | None = None
    type: Literal["open_match"] = "open_match"


@frozen
class Register:
    """Enter a player. Asked again for the same player it is answered with the same registration number.

    While the match runs only where its stage takes players: they play from the next bout on (R-CS-01, R-DM-11).
    Of a ladder a team enters with its ``roster`` of registered players, at the bottom once it runs (R-BL-01, R-BL-10).
    """

    match_id: Known
    player_id: Identity
    name: Name
    ref: Number
    roster: Annotated[list[Identity], Meta(max_length=32)] = attrs.field(factory=list)
    type: Literal["register"] = "register"


@frozen
class Withdraw:
    """Take a player out before the match starts; afterwards the format's leave mechanism decides.

    A player of a continuous Swiss goes when the bout is over (R-CS-01), one of a Dominion Swiss at once and for good
    (R-DM-11).
    """

    match_id: Known
    player_id: Known
    ref: Number
    type: Literal["withdraw"] = "withdraw"


@frozen
class StartMatch:
    """Start a match whose definition waits for a word (``start.mode = "manual"``)."""

    match_id: Known
    ref: Number
    type: Literal["start_match"] = "start_match"


@frozen
class Join:
    """Let a player into a match, at any time where the format allows it; a player who rests goes on.

    Answered with :class:`Entered`, asked again for a player who is in with the same number.
    """

    match_id: Known
    player_id: Identity
    name: Name
    ref: Number
    type: Literal["join"] = "join"


@frozen
class Leave:
    """Take a player out of a running match whose format allows it; during a hand it takes effect when the hand ends."""

    match_id: Known
    player_id: Known
    ref: Number
    type: Literal["leave"] = "leave"


@frozen
class Revive:
    """The fee of an offer is charged: bring the player back.

    ``payment_ref`` is the lobby's own name of the payment. It makes the request happen once: asked again with the same
    words it is answered the same.
    """

    match_id: Known
    player_id: Known
    offer_no: Number
    payment_ref: Known
    ref: Number
    pack: Number | None = None
    type: Literal["revive"] = "revive"


@frozen
class DeclineRevival:
    """A player does not take an offer, or has not enough to pay for it; the elimination is final."""

    match_id: Known
    player_id: Known
    offer_no: Number
    ref: Number
    reason: Literal["declined", "balance"] = "declined"
    type: Literal["decline_revival"] = "decline_revival"


# --- lobby to coordinator: a ladder, where a team is a player of the match (R-BL) ----------------------------


@frozen
class ProposedTime:
    """A start in Unix milliseconds. ``mutual``: agreed otherwise by both teams, so day and hour are free (R-BL-07)."""

    at_ms: Count
    mutual: bool = False


Times = Annotated[list[ProposedTime], Meta(max_length=16)]
Reason = Annotated[str, Meta(max_length=300)]


@frozen
class IssueChallenge:
    """Challenge a team of a higher rank, with as many times as the ladder asks for. Answered with :class:`Challenged`.

    Asked again in the same words while it is unanswered, it is answered with the same number.
    """

    match_id: Known
    team: Known
    defender: Known
    slots: Times
    ref: Number
    type: Literal["challenge"] = "challenge"


@frozen
class AcceptTime:
    """Take one of the times the other side offers, counted from 1; the match is fixed (R-BL-06)."""

    match_id: Known
    challenge_no: Number
    team: Known
    slot: Number
    ref: Number
    type: Literal["accept_time"] = "accept_time"


@frozen
class ProposeTimes:
    """Offer other times: the defender's answer, or by either side for a match that was not played (R-BL-06)."""

    match_id: Known
    challenge_no: Number
    team: Known
    slots: Times
    ref: Number
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


# --- coordinator to lobby: a ladder --------------------------------------------------------------------------


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


@frozen
class Enter:
    """Register a player for a start of a tourney (R-HI-02). Answered with :class:`EntryTaken`.

    ``at`` is an instance, or a start point (``tourney.start_point``, or the tourney alone where it has one) for its
    next instance that takes players. Asked again for the same player it is answered with the same number.
    ``payment_ref`` is the lobby's own name of the payment, where entering costs a fee.
    """

    at: Known
    player_id: Identity
    name: Name
    ref: Number
    payment_ref: Known | None = None
    rating: Score | None = None
    type: Literal["enter"] = "enter"


@frozen
class WithdrawEntry:
    """Take a player out before the start. A fee comes back as a :class:`Refund`."""

    instance_id: Known
    player_id: Known
    ref: Number
    type: Literal["withdraw_entry"] = "withdraw_entry"


@frozen
class ListInstances:
    """Ask what can be entered and what runs. Answered with :class:`Instances`."""

    ref: Number
    tourney_id: Known | None = None
    type: Literal["list_instances"] = "list_instances"


@frozen
class Received:
    """An :class:`Award` or a :class:`Refund` is paid out and kept: it need not be told again."""

    key: Key
    ref: Number
    type: Literal["received"] = "received"


# --- coordinator to lobby -----------------------------------------------------------------------------------


@frozen
class MatchOpened:
    """The match takes registrations. ``deal_commitment``: see :func:`protocol.deal.commitment`.

    With ``ref`` 0 it was opened by a tourney, with the players who are told next.
    """

    ref: Count
    match_id: Known
    definition: Label
    deal_commitment: Label
    type: Literal["match_opened"] = "match_opened"


@frozen
class Entered:
    """The player is in; ``reg_seq``, the registration number, ends every tie chain (R-TB-02).

    With ``ref`` 0 a tourney entered the player.
    """

    ref: Count
    match_id: Known
    player_id: Known
    reg_seq: Number
    type: Literal["entered"] = "entered"


@frozen
class MatchStarted:
    """Registration is closed and the first stage opens; a continuous Swiss takes players further (R-CS-01)."""

    match_id: Known
    players: Count
    type: Literal["match_started"] = "match_started"


@frozen
class Seated:
    """These players sit at this table, in seat order."""

    match_id: Known
    stage_id: Label
    bout_no: Number
    table_id: Number
    players: Players
    type: Literal["seated"] = "seated"


@frozen
class Waiting:
    """These players wait, and why."""

    match_id: Known
    stage_id: Label
    players: Players
    reason: Literal[
        "reseating", "other_tables", "quota_reached", "bye", "no_table_server", "resting", "next_stage", "next_bout"
    ]
    type: Literal["waiting"] = "waiting"


@frozen
class Eliminated:
    """A player is out of the match, with the final place when it is already certain."""

    match_id: Known
    stage_id: Label
    player_id: Known
    place: Number | None
    score: Score
    type: Literal["eliminated"] = "eliminated"


@frozen
class PackRow:
    """One way to come back under direct revival."""

    score: Score
    cost: Count


@frozen
class Ruled:
    """A director has decided something of a match, told to all lobbies; what follows from it is told as always.

    ``points`` is the penalty, ``scores`` what a corrected hand counts for.
    """

    match_id: Known
    kind: Literal["penalty", "disqualify", "reinstate", "correct", "reseat"]
    reason: Reason
    player_id: Known | None = None
    points: Score | None = None
    table_id: Number | None = None
    hand_no: Number | None = None
    scores: Annotated[dict[Known, Score], Meta(max_length=64)] = attrs.field(factory=dict)
    type: Literal["ruled"] = "ruled"


@frozen
class RevivalOffer:
    """An eliminated player may come back within ``timeout_ms``: charge the fee and answer with :class:`Revive`.

    ``score`` is what the player comes back with. Where there are ``packs``, the player chooses one of them and its cost
    takes the place of the fee.
    """

    match_id: Known
    stage_id: Label
    player_id: Known
    offer_no: Number
    fee_kind: Literal["coin", "item"]
    item_id: Label | None
    fee: Count
    packs: Annotated[list[PackRow], Meta(max_length=64)]
    remaining: Count
    score: Score
    timeout_ms: Count
    type: Literal["revival_offer"] = "revival_offer"


@frozen
class CashedOut:
    """A player has left; ``units`` of currency are due for the score. A ``payout_no`` told twice is paid once."""

    match_id: Known
    stage_id: Label
    player_id: Known
    score: Score
    units: Count
    reason: Literal["asked", "rest_over"]
    payout_no: Number | None
    type: Literal["cashed_out"] = "cashed_out"


@frozen
class StageReward:
    """What a place in an island wins, at the end of the stage. A ``payout_no`` told twice is paid once."""

    match_id: Known
    stage_id: Label
    player_id: Known
    place: Number
    items: dict[Label, Count]
    payout_no: Number
    type: Literal["stage_reward"] = "stage_reward"


@frozen
class PlaceRow:
    """One line of a final result. ``out_in``: the stage the player went out in, None for the last one's.

    ``points``: the average of a duplicate stage as text, or ``no result`` (R-DU-05); None elsewhere. ``disqualified``:
    by a director, at the end of the match.
    """

    place: Number
    player_id: Known
    score: Score
    out_in: Label | None
    points: Label | None = None
    disqualified: bool = False


@frozen
class MatchOver:
    """The match has ended. Long results come in parts: ``part`` of ``parts``.

    ``deal_secret`` opens the ``deal_commitment`` of :class:`MatchOpened`: from here on every deal can be verified.
    """

    match_id: Known
    part: Number
    parts: Number
    places: Annotated[list[PlaceRow], Meta(max_length=1000)]
    deal_secret: Secret = ""
    type: Literal["match_over"] = "match_over"


@frozen
class EntryTaken:
    """The player is registered; ``match`` is the match as things stand, ``start_at`` Unix time in milliseconds."""

    ref: Count
    instance_id: Known
    player_id: Known
    reg_seq: Number
    match: Label
    start_at: Count | None
    type: Literal["entry_taken"] = "entry_taken"


@frozen
class OfferRow:
    """One match of a start, and what entering it takes. Without limits the fields are null."""

    match: Label
    fee: Count
    fee_kind: Literal["coin", "item"]
    item_id: Label | None
    places: Count | None
    rating_from: Score | None
    rating_to: Score | None
    members_only: bool


@frozen
class InstanceRow:
    """One firing of a start point. Times are Unix milliseconds; ``start_at`` null: it starts when it is full.

    ``entered`` of ``places`` players are registered; null: as many as come. It starts with ``min_players`` at least.
    """

    instance_id: Known
    tourney_id: Known
    start_point: Label
    title: Label
    status: Literal["planned", "registering", "running", "over", "cancelled"]
    start_at: Count | None
    opens_at: Count
    register_until: Count | None
    withdraw_until: Count | None
    entered: Count
    min_players: Count
    places: Count | None
    offers: Annotated[list[OfferRow], Meta(max_length=100)]


@frozen
class Instances:
    """What can be entered and what runs, in the order of planning."""

    ref: Number
    rows: Annotated[list[InstanceRow], Meta(max_length=1000)]
    type: Literal["instances"] = "instances"


@frozen
class InstanceOpen:
    """Registration for a start is open."""

    instance: InstanceRow
    type: Literal["instance_open"] = "instance_open"


@frozen
class InstanceCancelled:
    """A start is off, for these players too. What they paid comes back as refunds."""

    instance_id: Known
    reason: Literal["too_few", "late", "by_operator"]
    players: Players
    type: Literal["instance_cancelled"] = "instance_cancelled"


@frozen
class EntryRemoved:
    """At the start a player was left out: still in another match, or of a match that too few came for."""

    instance_id: Known
    player_id: Known
    reason: Literal["playing", "too_few"]
    type: Literal["entry_removed"] = "entry_removed"


@frozen
class InstanceOver:
    """The last match of a start is over."""

    instance_id: Known
    type: Literal["instance_over"] = "instance_over"


@frozen
class Award:
    """What a place in a match wins (R-HI-03). Told until :class:`Received` confirms it; one ``key`` is paid once."""

    key: Key
    match_id: Known
    player_id: Known
    place: Number
    items: dict[Label, Count]
    type: Literal["award"] = "award"


@frozen
class Refund:
    """A fee goes back to a player. Told until :class:`Received` confirms it; one ``key`` is paid once."""

    key: Key
    instance_id: Known
    player_id: Known
    fee_kind: Literal["coin", "item"]
    item_id: Label | None
    amount: Count
    payment_ref: Known | None
    reason: Literal["asked", "playing", "too_few", "late", "by_operator"]
    type: Literal["refund"] = "refund"


# --- director -----------------------------------------------------------------------------------------------


@frozen
class Ruling:
    """What a referee or director decides; ``kind`` says which of the other fields it takes.

    Of any match but a ladder: ``penalty`` books ``points`` for ``player_id``, ``disqualify`` excludes the player and
    ``reinstate`` takes that back, ``correct`` says the ``scores`` that ``hand_no`` of ``table_id`` counts for, and
    ``reseat`` seats anew as long as no hand of the seating has started. A ``key`` makes ``penalty`` and ``reseat``
    count once.

    Of a ladder: ``outcome`` ends ``challenge_no`` for the ``winner``, or without one for nobody; ``board`` gives the
    challenger ``imps`` on ``board_no``, or lets it stand; ``false_report`` puts ``team`` on the last rank, ``place`` on
    ``rank``; ``extend`` gives ``challenge_no`` ``by_ms`` more; ``roster`` replaces a player of ``team``; ``close`` ends
    the ladder when its open challenges are over (R-BL-08, R-BL-11 to R-BL-13).
    """

    match_id: Known
    kind: Literal[
        "outcome",
        "board",
        "false_report",
        "place",
        "extend",
        "roster",
        "close",
        "penalty",
        "disqualify",
        "reinstate",
        "correct",
        "reseat",
    ]
    ref: Number
    challenge_no: Number | None = None
    team: Known | None = None
    winner: Known | None = None
    board_no: Number | None = None
    imps: Score | None = None
    rank: Number | None = None
    by_ms: Count | None = None
    leaving: Annotated[list[Known], Meta(max_length=4)] = attrs.field(factory=list)
    coming: Annotated[list[Identity], Meta(max_length=4)] = attrs.field(factory=list)
    player_id: Known | None = None
    points: Score | None = None
    table_id: Number | None = None
    hand_no: Number | None = None
    scores: Annotated[dict[Known, Score], Meta(max_length=64)] = attrs.field(factory=dict)
    key: Key | None = None
    reason: Reason = ""
    type: Literal["ruling"] = "ruling"


# --- spectator ----------------------------------------------------------------------------------------------


@frozen
class MatchPaused:
    """The match clock stands still, and why: no tick comes and no time runs out. Hands in play go on and count."""

    match_id: Known
    reason: Sentence
    type: Literal["match_paused"] = "match_paused"


@frozen
class MatchResumed:
    """The match clock goes on where it stood."""

    match_id: Known
    type: Literal["match_resumed"] = "match_resumed"


@frozen
class Subscribe:
    """Watch a match: its standings follow whenever they moved, at most once a second."""

    match_id: Known
    ref: Number
    type: Literal["subscribe"] = "subscribe"


@frozen
class StandingRow:
    """One line of the standings. ``points``: the exact placement sum or the average as text, if the stage has one."""

    rank: Number
    player_id: Known
    name: Name
    score: Score
    points: Label | None
    state: Literal[
        "playing",
        "waiting",
        "bye",
        "out",
        "registered",
        "done",
        "offered",
        "resting",
        "joining",
        "left",
        "disqualified",
    ]
    table_id: Number | None


@frozen
class Standings:
    """The published picture at one moment; the first ``rows`` of ``players`` lines."""

    match_id: Known
    stage_id: Label | None
    bout_no: Count
    players: Count
    remaining: Count
    base_score: Score
    hands: Count
    rows: Annotated[list[StandingRow], Meta(max_length=500)]
    type: Literal["standings"] = "standings"


FromTable = HandStarted | Actions | HandEnded | SeatPresence | RoundAborted | Capacity | Incident
ToTable = Seat | StartHand | Verdict | BaseScore | CloseTable
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
FromLobby = (
    OpenMatch
    | Register
    | Withdraw
    | StartMatch
    | Join
    | Leave
    | Revive
    | DeclineRevival
    | Enter
    | WithdrawEntry
    | ListInstances
    | Received
    | LadderRequest
)
ToLobby = (
    MatchOpened
    | Entered
    | MatchStarted
    | Seated
    | Waiting
    | Eliminated
    | MatchOver
    | RevivalOffer
    | CashedOut
    | StageReward
    | Challenged
    | Targets
    | LadderNotice
    | EntryTaken
    | Instances
    | InstanceOpen
    | InstanceCancelled
    | EntryRemoved
    | InstanceOver
    | Award
    | Refund
    | MatchPaused
    | MatchResumed
    | Ruled
)
FromDirector = Ruling
FromSpectator = Subscribe
ToSpectator = Standings
ToPeer = ProofWanted | Welcome | Ok | HistoryBegin | HistoryEnd | Error | Bye
FromPeer = Hello | Proof | Bye
ToCoordinator = FromPeer | FromTable | FromLobby | FromDirector | FromSpectator
FromCoordinator = ToPeer | ToTable | ToLobby | ToSpectator
Message = ToCoordinator | FromCoordinator
