"""What a lobby and the coordinator say to each other about a match and those who play in it."""

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from protocol.messages.fields import (
    Count,
    Identity,
    Key,
    Known,
    Label,
    Name,
    Number,
    Players,
    Score,
    Secret,
    Sentence,
    frozen,
)


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

    Answered with :class:`Entered`, asked again for a player who is in with the same number. ``key`` is the lobby's own
    name of the request: asked again under the key of the player's newest one, nothing happens twice.
    """

    match_id: Known
    player_id: Identity
    name: Name
    ref: Number
    key: Key | None = None
    type: Literal["join"] = "join"


@frozen
class Leave:
    """Take a player out of a running match whose format allows it; during a hand it takes effect when the hand ends.

    ``key`` as of a :class:`Join`: asked again it does not take out, and pay, a player who has come back since.
    """

    match_id: Known
    player_id: Known
    ref: Number
    key: Key | None = None
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
    """A player has left; ``units`` of currency are due for the score. A ``payout_no`` told twice is paid once.

    With a ``key`` it is the lobby that entered the player which owes them, and it is told until :class:`Received`
    confirms it; other lobbies hear that the player has left, without a number and with nothing to pay.
    """

    match_id: Known
    stage_id: Label
    player_id: Known
    score: Score
    units: Count
    reason: Literal["asked", "rest_over"]
    payout_no: Number | None
    key: Key | None = None
    type: Literal["cashed_out"] = "cashed_out"


@frozen
class StageReward:
    """What a place in an island wins, at the end of the stage. A ``payout_no`` told twice is paid once.

    With a ``key`` it is told to the lobby that entered the player, until :class:`Received` confirms it.
    """

    match_id: Known
    stage_id: Label
    player_id: Known
    place: Number
    items: dict[Label, Count]
    payout_no: Number
    key: Key | None = None
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
