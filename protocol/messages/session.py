"""What every program and the coordinator say to each other about their session."""

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from protocol.messages.fields import VERSIONS, Count, Identity, Label, Number, Role, Sentence, frozen


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


ToPeer = ProofWanted | Welcome | Ok | HistoryBegin | HistoryEnd | Error | Bye


FromPeer = Hello | Proof | Bye
