"""A peer's conversation, which outlives its sockets: numbering, acknowledging and resuming, without any I/O.

Both ends run this file. It knows no socket, no clock and no task. Three verbs: give it the payloads that came
(:meth:`Session.receive`), queue what shall be said (:meth:`Session.queue`), take the payloads to be sent
(:meth:`Session.take_frame`).

Theory of operation
    Each direction numbers its frames 1, 2, 3 ... within one session. Every frame carries the number of the
    newest frame its sender has received, which acknowledges all before it. A sender keeps what is not
    acknowledged. After a loss the peer's hello and the coordinator's welcome tell each other the last number
    received; both ends then hand out again, bit for bit, what the other one missed. Number 0 is outside: the
    handshake, bare acknowledgements, and *volatile* messages of which only the newest counts and which are
    never sent again.

    A session is never repaired. When the other end asks for frames that are gone, when too much has piled up,
    when the coordinator restarted, a new session takes its place and the snapshot is told. The coordinator
    makes a new object with a new id for that; the peer starts its one object again
    (:meth:`Session.welcomed`).

Rules of this file
    Numbers change only here. Nothing is counted as received before all of its frame has been read.
"""

import enum
from typing import Final, Literal, cast

from protocol.codec import (
    DEFAULT_READ_LIMITS,
    FRAME_BYTES_MAX,
    FRAME_MESSAGES_MAX,
    FRAME_OVERHEAD_MAX,
    Direction,
    ReadLimits,
    build_frame,
    decode_frame,
    decode_message,
)
from protocol.errors import WireError
from protocol.messages import VERSIONS, Bye, Error, Hello, Message, Proof, ProofWanted, Welcome

BAD_MESSAGES_MAX: Final = 64
"""Most bad messages in one frame that are answered one by one; with more the frame is refused as a whole."""

Resumed = Literal["nothing_missed", "gap", "snapshot"]
Answer = Literal["new"] | Resumed
_OPENERS: Final = frozenset({ProofWanted, Hello, Proof, Welcome})
_BROKEN: Final = 4000


class Side(enum.Enum):
    """Which end of the wire a session is."""

    COORDINATOR = "coordinator"
    PEER = "peer"


def read_hello(payload: bytes, limits: ReadLimits = DEFAULT_READ_LIMITS) -> Hello:
    """The hello in a socket's first frame. Raises :class:`WireError`: ``hello_first`` (4001), ``version``
    (4015), or what reading it found, then always with a close code.
    """
    message = _read_alone(payload, Direction.TO_COORDINATOR, limits)
    if not isinstance(message, Hello):
        raise WireError("hello_first", field="type", expected="hello")
    if not any(version in VERSIONS for version in message.versions):
        ours = ", ".join(map(str, VERSIONS))
        raise WireError("version", field="versions", expected=f"one of {ours}", ref=0)
    return message


def read_proof(payload: bytes) -> Proof:
    """The proof in a socket's second frame. Raises :class:`WireError` with a close code for anything else."""
    message = _read_alone(payload, Direction.TO_COORDINATOR, DEFAULT_READ_LIMITS)
    if not isinstance(message, Proof):
        raise WireError("bad_token", "a proof must follow the challenge", field="type", expected="proof")
    return message


def read_answer(payload: bytes) -> ProofWanted | Welcome | Error | Bye:
    """The coordinator's answer to a hello or a proof. Raises :class:`WireError` with a close code for anything else."""
    message = _read_alone(payload, Direction.FROM_COORDINATOR, DEFAULT_READ_LIMITS)
    if not isinstance(message, ProofWanted | Welcome | Error | Bye):
        raise WireError("malformed", "the answer to a hello must come first", field="type", close_code=_BROKEN)
    return message


def _read_alone(payload: bytes, direction: Direction, limits: ReadLimits) -> Message:
    frame = decode_frame(payload)
    if frame.seq or frame.ack or len(frame.raws) != 1:
        code = "hello_first" if direction is Direction.TO_COORDINATOR else "malformed"
        raise WireError(
            code,
            "the first frame holds one message and no numbers",
            expected="[0, 0, [message]]",
            close_code=_BROKEN,
        )
    try:
        return decode_message(frame.raws[0], direction, limits)
    except WireError as error:
        raise WireError(
            error.code,
            error.message,
            field=error.field,
            expected=error.expected,
            ref=error.ref,
            close_code=error.close_code or _BROKEN,
        ) from None


class Session:
    """One end of a session.

    ``session``, ``epoch`` and ``life`` are the names both ends know it by: the coordinator gives them when it
    makes the session, the peer has them from the welcome. ``window_frames`` and ``window_bytes`` bound what
    is kept for the other end, sent or not; beyond them :attr:`overflow` is true, for good.
    ``message_bytes_max`` is the largest frame the other end takes, ``receive_bytes_max`` the largest one
    taken from it, ``read_limits`` what its messages may hold.

    With ``prompt_acks`` a frame is acknowledged as soon as it was read. Without, its reader says with
    :meth:`settle` when; the other end may run ahead of that by ``unsettled_max`` frames. ``credit`` is how many frames
    may wait for their acknowledgement before no further one is built: what comes meanwhile shares the next.
    """

    __slots__ = (
        "_acked",
        "_direction",
        "_held_bytes",
        "_kept",
        "_last",
        "_next",
        "_prompt_acks",
        "_ready",
        "_ready_bytes",
        "_volatile",
        "ack_due",
        "claimed_ahead",
        "credit",
        "epoch",
        "life",
        "message_bytes_max",
        "overflow",
        "read_limits",
        "receive_bytes_max",
        "received",
        "session",
        "settled",
        "side",
        "unsettled_max",
        "window_bytes",
        "window_frames",
    )

    def __init__(
        self,
        side: Side,
        *,
        session: str | None = None,
        epoch: str | None = None,
        life: str = "",
        window_frames: int = 512,
        window_bytes: int = 1 << 20,
        message_bytes_max: int = FRAME_BYTES_MAX,
        receive_bytes_max: int = FRAME_BYTES_MAX,
        read_limits: ReadLimits = DEFAULT_READ_LIMITS,
        prompt_acks: bool = True,
        unsettled_max: int = 1024,
        credit: int | None = None,
    ) -> None:
        self.side = side
        self.session = session
        self.epoch = epoch
        self.life = life
        self.window_frames = window_frames
        self.window_bytes = window_bytes
        self.message_bytes_max = message_bytes_max
        self.receive_bytes_max = receive_bytes_max
        self.read_limits = read_limits
        self.unsettled_max = unsettled_max
        self.credit = credit
        self._prompt_acks = prompt_acks
        self._direction = Direction.TO_COORDINATOR if side is Side.COORDINATOR else Direction.FROM_COORDINATOR
        self.claimed_ahead = False
        """The other end said it has frames that were never sent: one of the two has lost its memory. An
        alarm.
        """
        self._start()

    def _start(self) -> None:
        self.received = 0
        """Number of the newest frame received."""
        self.settled = 0
        """Number of the newest frame that may be acknowledged."""
        self.ack_due = False
        """A frame may be acknowledged that no frame sent has acknowledged yet."""
        self.overflow = False
        """More is kept than the window allows: cut the socket, forget the session, tell the snapshot next
        time.
        """
        self._last = 0  # number of the newest frame built
        self._acked = 0  # number of the newest frame the other end is known to have
        self._next = 1  # number of the next frame to hand out; behind _last while frames are sent again
        self._kept: dict[int, bytes] = {}  # frames _acked + 1 .. _last
        self._ready: list[bytes] = []  # messages that are in no frame yet
        self._ready_bytes = 0
        self._held_bytes = 0  # bytes in _kept
        self._volatile: dict[object, bytes] = {}

    # --- sending --------------------------------------------------------------------------------------------

    @property
    def unacknowledged(self) -> int:
        """How many frames the other end has not acknowledged."""
        return len(self._kept)

    @property
    def room_bytes(self) -> int:
        """How many more bytes the window takes; below 0 in a session that is over."""
        return self.window_bytes - self._ready_bytes - self._held_bytes

    @property
    def is_empty(self) -> bool:
        """Whether the other end has everything that was queued."""
        return not (self._kept or self._ready)

    @property
    def pending(self) -> bool:
        """Whether :meth:`take_frame` has something to hand out."""
        return bool(self._next <= self._last or (self._ready and self._has_credit) or self._volatile)

    @property
    def _has_credit(self) -> bool:
        return self.credit is None or len(self._kept) < self.credit

    def queue(self, encoded: bytes) -> None:
        """Say this message, in order, once, through any number of sockets.

        Raises :class:`WireError` ``too_large`` when no frame can carry it. May set :attr:`overflow`.
        """
        size = len(encoded)
        if size + FRAME_OVERHEAD_MAX > self.message_bytes_max:
            raise WireError("too_large", expected=f"at most {self.message_bytes_max - FRAME_OVERHEAD_MAX} bytes")
        self._ready.append(encoded)
        self._ready_bytes += size
        if self._ready_bytes + self._held_bytes > self.window_bytes:
            self.overflow = True

    def queue_volatile(self, key: object, encoded: bytes) -> None:
        """Say this message if a socket is there; it replaces what waits under the same ``key``."""
        self._volatile[key] = encoded

    def take_frame(self) -> bytes | None:
        """The next payload to send, with the newest acknowledgement, or None. Call again until None.

        What is handed out counts as sent; if the socket is lost, resuming brings it back. Frames that are
        sent again come out as they were built; then everything ready goes into one frame, or several when the
        limits demand it.
        """
        if self._next <= self._last:
            frame = self._kept[self._next]
            self._next += 1
            return frame
        if self._ready and self._has_credit:
            batch = self._batch()
            self._last += 1
            self._next += 1
            frame = build_frame(self._last, self.settled, batch)
            self._kept[self._last] = frame
            self._held_bytes += len(frame)
            if len(self._kept) > self.window_frames or self._ready_bytes + self._held_bytes > self.window_bytes:
                self.overflow = True
        elif self._volatile:
            frame = build_frame(0, self.settled, self._volatile_batch())
        else:
            return None
        self.ack_due = False
        return frame

    def take_ack(self) -> bytes | None:
        """A payload that only acknowledges, or None when nothing is to be acknowledged."""
        if not self.ack_due:
            return None
        self.ack_due = False
        return build_frame(0, self.settled, ())

    def _batch(self) -> list[bytes]:
        """As many ready messages as one frame carries."""
        room = self.message_bytes_max - FRAME_OVERHEAD_MAX
        ready = self._ready
        if self._ready_bytes <= room and len(ready) <= FRAME_MESSAGES_MAX:
            self._ready = []
            self._ready_bytes = 0
            return ready
        size = count = 0
        for encoded in ready[:FRAME_MESSAGES_MAX]:
            if count and size + len(encoded) > room:
                break
            size += len(encoded)
            count += 1
        self._ready = ready[count:]
        self._ready_bytes -= size
        return ready[:count]

    def _volatile_batch(self) -> list[bytes]:
        room = self.message_bytes_max - FRAME_OVERHEAD_MAX
        batch: list[bytes] = []
        size = 0
        for key in list(self._volatile)[:FRAME_MESSAGES_MAX]:
            size += len(self._volatile[key])
            if batch and size > room:
                break
            batch.append(self._volatile.pop(key))
        return batch

    # --- receiving ------------------------------------------------------------------------------------------

    def receive(self, payload: bytes) -> list[Message | WireError]:
        """What a payload says: its messages in order; a bad one is given as the error to answer it with.

        A frame that was received before says nothing. Raises :class:`WireError` with a close code when the
        socket must go: the frame cannot be read, one is missing before it (4010), too many before it are not
        settled (4014), it acknowledges what was never sent.
        """
        seq, ack, raws = decode_frame(payload, self.receive_bytes_max)
        if ack > self._acked:
            self._acknowledged(ack)
        if seq:
            if seq <= self.received:
                self.ack_due = True
                return []
            if seq > self.received + 1:
                raise WireError("gap", field="seq", expected=f"frame {self.received + 1}")
            if seq > self.settled + self.unsettled_max:
                raise WireError("too_many_unacknowledged", field="seq", expected=f"at most {self.unsettled_max}")
        messages: list[Message | WireError] = []
        direction = self._direction
        bad = 0
        for raw in raws:
            try:
                message: Message | WireError = decode_message(raw, direction, self.read_limits)
            except WireError as error:
                message = error
                bad += 1
                if bad > BAD_MESSAGES_MAX:
                    raise WireError(
                        "malformed",
                        f"more than {BAD_MESSAGES_MAX} bad messages in one frame",
                        close_code=_BROKEN,
                    ) from None
            if type(message) in _OPENERS:
                raise WireError("second_hello", field="type")
            messages.append(message)
        if seq:
            self.received = seq
            if self._prompt_acks:
                self.settle(seq)
        return messages

    def settle(self, seq: int) -> None:
        """All that the frames up to this number asked for is done and kept: they may be acknowledged."""
        if seq > self.settled:
            self.settled = seq
            self.ack_due = True

    def _acknowledged(self, ack: int) -> None:
        # Beyond the next frame to hand out is right: the other end may have it from an older socket.
        if ack > self._last:
            raise WireError(
                "malformed",
                "frames are acknowledged that were never sent",
                field="ack",
                expected=f"at most {self._last}",
                close_code=_BROKEN,
            )
        kept = self._kept
        for number in range(self._acked + 1, ack + 1):
            self._held_bytes -= len(kept.pop(number))
        self._acked = ack
        self._next = max(self._next, ack + 1)

    # --- resuming: the coordinator's end --------------------------------------------------------------------

    def resume(self, hello: Hello) -> Resumed:
        """What to answer to a hello that may name this session.

        After ``nothing_missed`` and ``gap`` send :meth:`welcome`, then everything from :meth:`take_frame`.
        After ``snapshot`` this session is over: make a new one. :attr:`claimed_ahead` then tells whether the
        peer named frames that were never sent.
        """
        if (
            self.overflow
            or hello.session != self.session
            or hello.epoch != self.epoch
            or hello.life != self.life
            or hello.last_seq < self._acked
        ):
            return "snapshot"
        if hello.last_seq > self._last:
            self.claimed_ahead = True
            return "snapshot"
        self._acknowledged(hello.last_seq)
        self._next = hello.last_seq + 1
        # The welcome says what was received.
        self.ack_due = False
        return "gap" if self._kept or self._ready else "nothing_missed"

    def welcome(self, resumed: Answer, *, software: str = "", proof: str = "") -> Welcome:
        """The answer that opens this session, or lets it go on."""
        return Welcome(
            version=VERSIONS[0],
            session=cast("str", self.session),
            epoch=cast("str", self.epoch),
            resumed=resumed,
            ack=self.settled,
            max_message=self.receive_bytes_max,
            software=software,
            proof=proof,
        )

    # --- resuming: the peer's end ---------------------------------------------------------------------------

    def welcomed(self, welcome: Welcome) -> bool:
        """Take the coordinator's answer to the hello. True when the session goes on; False when a new one
        began.

        In a new one nothing of the old one is sent again: what still matters must be queued anew. Raises
        :class:`WireError` (4000) when the answer contradicts what this end knows; :meth:`forget` and dial
        again.
        """
        self.message_bytes_max = min(FRAME_BYTES_MAX, welcome.max_message)
        if welcome.resumed in ("new", "snapshot"):
            self._start()
            self.session = welcome.session
            self.epoch = welcome.epoch
            return False
        if (welcome.session, welcome.epoch) != (self.session, self.epoch):
            raise WireError("malformed", "another session was resumed", field="session", close_code=_BROKEN)
        if welcome.ack < self._acked:
            raise WireError(
                "malformed",
                "the coordinator has lost frames it had acknowledged",
                field="ack",
                expected=f"at least {self._acked}",
                close_code=_BROKEN,
            )
        self._acknowledged(welcome.ack)
        self._next = welcome.ack + 1
        self.ack_due = False
        return True

    def forget(self) -> None:
        """Start over as if no session had ever been: the next hello asks for a new one."""
        self._start()
        self.session = None
        self.epoch = None
