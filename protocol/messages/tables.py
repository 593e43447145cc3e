"""What a table server and the coordinator say to each other."""

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from protocol.messages.fields import Actions_, Count, Known, Label, Name, Number, Score, Scores, Sentence, frozen


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


FromTable = HandStarted | Actions | HandEnded | SeatPresence | RoundAborted | Capacity | Incident


ToTable = Seat | StartHand | Verdict | BaseScore | CloseTable
