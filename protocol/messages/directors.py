"""What a director and the coordinator say to each other."""

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from protocol.messages.fields import Count, Identity, Key, Known, Number, Reason, Score, frozen


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
class Ruling:
    """What a referee or director decides; ``kind`` says which of the other fields it takes.

    Of any match but a ladder: ``penalty`` books ``points`` for ``player_id``, ``disqualify`` excludes the player and
    ``reinstate`` takes that back, ``correct`` says the ``scores`` that ``hand_no`` of ``table_id`` counts for, and
    ``reseat`` seats anew as long as no hand of the seating has started.

    Of a ladder: ``outcome`` ends ``challenge_no`` for the ``winner``, or without one for nobody; ``board`` gives the
    challenger ``imps`` on ``board_no``, or lets it stand; ``false_report`` puts ``team`` on the last rank, ``place`` on
    ``rank``; ``extend`` gives ``challenge_no`` ``by_ms`` more; ``roster`` replaces a player of ``team``; ``close`` ends
    the ladder when its open challenges are over (R-BL-08, R-BL-11 to R-BL-13).

    A ``key`` makes a word count once, however late it is said again; ``penalty``, ``reseat`` and ``extend``, which add
    to what is there, need one.
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


FromDirector = Ruling
