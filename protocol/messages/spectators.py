"""What a spectator and the coordinator say to each other."""

from typing import Annotated, Literal

from msgspec import Meta

from protocol.messages.fields import Count, Known, Label, Name, Number, Score, frozen


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


FromSpectator = Subscribe


ToSpectator = Standings
