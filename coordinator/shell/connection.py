"""One peer's socket, from accept to the last byte. Nothing here ever waits.

Phases go forward only::

    OPENING ──101 sent──▶ OPEN ──Close sent or received──▶ CLOSING ──socket closed──▶ GONE
       └────refused───────────────────────────────────────────▲
    (a lost or aborted socket goes straight to GONE from anywhere)

The handler learns that a connection ended when it leaves OPEN, not when the socket is closed: after
that point neither end can be understood any more, so there is nothing to wait for.
"""

import enum
import logging
import socket
import struct
from http import HTTPStatus
from math import inf
from typing import Protocol

from websockets.frames import CloseCode
from websockets.http11 import Request
from websockets.protocol import State

from coordinator.shell.deadlines import Deadlines
from coordinator.shell.limits import Counters, Limits
from coordinator.shell.opening import OpeningRules, answer
from coordinator.shell.outbox import Outbox
from coordinator.shell.pace import Bucket, per_second
from coordinator.shell.poller import READ, WRITE, Poller
from coordinator.shell.tls import TlsSocket
from coordinator.shell.websocket import TOO_FAST, WireProtocol, build_frame

RECEIVE_BYTES = 65_536
"""Read from one socket per pass; one peer's flood must not make the others wait."""
SILENT = 4008
"""Close code: said nothing for too long, or did not authenticate in time."""
SLOW_CONSUMER = 4013
"""Close code: does not read what it is sent."""
MAX_REASON_BYTES = 123
"""What a Close frame has room for beside its code."""

_GOLDEN = 0.618_033_988_749_894_9
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

_log = logging.getLogger(__name__)


class _Phase(enum.Enum):
    OPENING = enum.auto()
    OPEN = enum.auto()
    CLOSING = enum.auto()
    GONE = enum.auto()


class Handler(Protocol):
    """What is done with connections and messages. All of it is synchronous and must be quick.

    The listener's task calls these, never a method of `Connection`: so sending or closing inside a
    loop over connections is safe. An exception ends the connection it was about with 1011.
    """

    def opened(self, conn: "Connection", /) -> None:
        """The opening handshake of `conn` succeeded."""

    def received(self, conn: "Connection", payload: bytes, /) -> None:
        """`conn` sent one whole binary message."""

    def closed(self, conn: "Connection", code: int, reason: str, /) -> None:
        """`conn` ended; called once for each `opened`, and nothing about `conn` follows.

        `code` is that of whoever closed first; 1005 if the peer gave none, 1006 if the socket ended
        without a Close.
        """

    def batch_done(self, /) -> None:
        """All sockets that were ready have been read: the moment to send what has gathered.

        An exception here is about no connection in particular and ends `Listener.serve`.
        """


class TextReceiver(Protocol):
    """What is done with text messages, on the rare listener that takes them."""

    def __call__(self, conn: "Connection", text: bytes, /) -> None:
        """`conn` sent one whole text message; `text` is valid UTF-8."""


class Owner(Protocol):
    """What a connection needs from its listener."""

    handler: Handler
    on_text: TextReceiver | None
    limits: Limits
    rules: OpeningRules
    counters: Counters
    poller: Poller
    deadlines: Deadlines["Connection"]
    pass_at: float
    """Time at which the current pass over the ready sockets began."""

    def now(self) -> float:
        """Seconds on the clock of all deadlines."""

    def connection_opened(self, conn: "Connection", /) -> None:
        """The opening handshake succeeded."""

    def connection_authenticated(self, conn: "Connection", /) -> None:
        """The peer no longer counts as unauthenticated."""

    def connection_ended(self, conn: "Connection", code: int, reason: str, /) -> None:
        """An opened connection ended; the handler must be told soon, and not from in here."""

    def connection_gone(self, conn: "Connection", /) -> None:
        """The socket is closed."""


class Connection:
    """One WebSocket connection, as the handler sees it; made by `Listener`.

    No method blocks, and none raises because of what the peer or the network did.
    """

    __slots__ = (
        "_give_up_at",
        "_half_close_due",
        "_head",
        "_heard_at",
        "_outbox",
        "_owner",
        "_phase",
        "_ping_at",
        "_pings",
        "_progress_at",
        "_protocol",
        "_receive",
        "_send",
        "_socket",
        "authenticated",
        "closed",
        "conn_id",
        "due",
        "fd",
        "host",
        "peer",
    )

    def __init__(self, owner: Owner, conn_id: int, sock: socket.socket | TlsSocket, peer: str) -> None:
        self.conn_id = conn_id
        """Number of this connection, unique within the listener."""
        self.peer = peer
        """Address of the peer as ``host:port``."""
        self.host = peer.rpartition(":")[0]
        """Address of the peer without the port."""
        self.closed = True
        """Whether messages can no longer be sent; true again as soon as either end says Close."""
        self.authenticated = False
        """Whether `raise_limit` was called."""
        self.due = inf
        """For `Deadlines`."""
        self._owner = owner
        self._socket = sock
        self.fd = sock.fileno()
        """Descriptor of the socket, kept after it was closed."""
        # Bound once: these two are called for every message.
        self._send = sock.send
        self._receive = sock.recv
        limits = owner.limits
        self._protocol = WireProtocol(
            max_message=limits.max_message_before_hello,
            max_fragments=limits.max_fragments,
            accept_text=owner.on_text is not None,
            subprotocols=owner.rules.subprotocols,
            require_subprotocol=owner.rules.require_subprotocol,
            may_ping=self._may_ping,
        )
        self._pings: Bucket | None = None
        """Made with the first ping that comes; a peer that sends none costs nothing."""
        self._phase = _Phase.OPENING
        self._outbox: Outbox | None = None
        """Exists only while the kernel owes us room."""
        self._half_close_due = False
        self._head = bytearray()
        """The opening request as far as it has come."""
        self._heard_at = self._progress_at = owner.pass_at
        self._ping_at = inf
        self._give_up_at = owner.pass_at + limits.open_timeout_s
        owner.deadlines.arm(self, self._give_up_at)

    def __repr__(self) -> str:
        return f"<Connection {self.conn_id} {self.peer} {self._phase.name.lower()}>"

    # What the handler calls.

    @property
    def waiting_bytes(self) -> int:
        """Bytes that this peer has not made room for yet; above the budget it is cut."""
        return 0 if self._outbox is None else self._outbox.waiting_bytes

    @property
    def subprotocol(self) -> str | None:
        """The subprotocol that was agreed on."""
        return self._protocol.subprotocol

    def raise_limit(self) -> None:
        """The peer is authenticated: allow `Limits.max_message` and stop the hello deadline."""
        if self._phase is _Phase.OPEN and not self.authenticated:
            self.authenticated = True
            self._give_up_at = inf
            self._protocol.max_message_size = self._owner.limits.max_message
            self._owner.connection_authenticated(self)

    def send(self, payload: bytes) -> None:
        """Send one binary message."""
        self.send_built(build_frame(payload))

    def send_built(self, frame: bytes) -> None:
        """Send what `build_frame` made, or several such frames joined, which costs one system call."""
        if not self.closed:
            self._write(frame)

    def replace(self, slot: str, frame: bytes) -> None:
        """As `send_built`, but in the place of the last frame of `slot` if that still waits whole."""
        if not self.closed and (self._outbox is None or not self._outbox.replace(slot, frame)):
            self._write(frame, slot)

    def close(self, code: int, reason: str = "") -> None:
        """Start the closing handshake; the socket is closed by force if it takes too long.

        `code` must be one that RFC 6455 lets an endpoint send; `reason` is cut to 123 bytes.
        """
        if self._phase is _Phase.OPENING:
            self.refuse(HTTPStatus.SERVICE_UNAVAILABLE, f"{reason}\n")
        elif not self.closed:
            reason = reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore")
            self._protocol.send_close(code, reason)
            self._leave_open(code, reason)
            self._flush()

    def abort(self) -> None:
        """Close the socket at once; the peer sees a reset."""
        self._reset(CloseCode.ABNORMAL_CLOSURE, "aborted")

    # What the listener calls.

    def readable(self) -> None:
        """The socket has bytes, an end or an error for us."""
        owner = self._owner
        try:
            data = self._receive(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self._lose()
            return
        if not data:
            self._lose()
            return
        owner.counters.bytes_in += len(data)
        self._heard_at = owner.pass_at
        protocol = self._protocol
        if self._phase is _Phase.OPENING:
            self._open(data)
        elif not protocol.eof_sent:
            protocol.feed(data, self._deliver, self._deliver_text)
            if protocol.writes:
                self._answer()

    def writable(self) -> None:
        """The kernel has room again."""
        outbox = self._outbox
        if outbox is None:
            return
        waiting = outbox.waiting_bytes
        try:
            outbox.drain(self._socket.sendmsg)
        except BlockingIOError:
            return
        except OSError:
            self._lose()
            return
        self._owner.counters.bytes_out += waiting - outbox.waiting_bytes
        # A peer that takes bytes is alive, even if our pings still wait behind them.
        self._progress_at = self._heard_at = self._owner.pass_at
        if not outbox:
            self._outbox = None
            self._owner.poller.modify(self.fd, READ)
            if self._half_close_due:
                self._half_close()

    def attend(self, now: float) -> None:
        """Do what time alone has made due, and arm the next look."""
        limits = self._owner.limits
        if now >= self._give_up_at:
            if self._phase is _Phase.OPEN:
                self._owner.counters.silent_peers += 1
                self.close(SILENT, "no hello in time")
            else:
                self._reset(CloseCode.ABNORMAL_CLOSURE, "gave up waiting")
        elif self._phase is _Phase.OPEN:
            if now >= self._heard_at + limits.dead_after_s:
                self._owner.counters.silent_peers += 1
                self.close(SILENT, f"nothing received for {limits.dead_after_s:g} s")
            elif self._outbox is not None and now >= self._progress_at + limits.write_stall_s:
                self._owner.counters.slow_consumers += 1
                self._reset(SLOW_CONSUMER, f"took nothing for {limits.write_stall_s:g} s")
            elif now >= self._ping_at:
                self._ping(now)
        if self._phase is not _Phase.GONE:
            self._arm()

    def refuse(self, status: HTTPStatus, text: str) -> None:
        """Answer the opening request with an error, before or after it has arrived."""
        if self._phase is _Phase.OPENING:
            self._protocol.send_response(self._protocol.reject(status, text))
            self._end_opening()

    def fail(self, error: Exception) -> None:
        """The handler raised `error` about this connection: our bug, told in one line."""
        self._owner.counters.handler_errors += 1
        log_bug(error, f"connection {self.conn_id} of {self.peer}")
        self.close(CloseCode.INTERNAL_ERROR, "internal error")

    def drop(self, code: int, reason: str) -> None:
        """Close the socket and report `code`, unless an end has been reported before."""
        if self._phase is _Phase.GONE:
            return
        self._report_end(code, reason)
        if self._phase is _Phase.OPENING:
            self._owner.counters.refused += 1
        self._phase = _Phase.GONE
        self._outbox = None
        self._protocol.fail(CloseCode.ABNORMAL_CLOSURE)  # a feed that is under way must stop here
        self._owner.poller.unregister(self.fd)
        self._protocol.let_go()
        self._socket.close()
        self._owner.connection_gone(self)

    # Opening.

    def _open(self, data: bytes) -> None:
        limits, protocol, head = self._owner.limits, self._protocol, self._head
        head += data
        if not 0x41 <= head[0] <= 0x5A:
            self._lose()  # a method begins with a capital: this is TLS, or noise
            return
        # Two lines are not headers: the request line and the empty one.
        if len(head) > limits.max_header_bytes or head.count(b"\n") > limits.max_header_lines + 2:
            self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the request is too long\n")
            return
        _, complete, premature = head.partition(b"\r\n\r\n")
        if complete and premature:
            self._lose()  # it speaks before it was answered
            return
        protocol.receive_data(data)
        for request in protocol.events_received():
            if isinstance(request, Request):
                protocol.send_response(answer(protocol, request, self._owner.rules))
        if protocol.state is State.OPEN:
            self._become_open()
        elif protocol.eof_sent:
            self._end_opening()

    def _become_open(self) -> None:
        owner = self._owner
        limits = owner.limits
        self._phase = _Phase.OPEN
        self._head.clear()
        self.closed = False
        self._give_up_at = owner.pass_at + limits.hello_timeout_s
        spread = 0.9 + 0.2 * (self.conn_id * _GOLDEN % 1)
        self._ping_at = owner.pass_at + limits.ping_every_s * spread
        self._arm()
        self._flush()
        if not self.closed:
            owner.connection_opened(self)

    def _end_opening(self) -> None:
        self._owner.counters.refused += 1
        self._start_closing()
        self._flush()

    # Messages in.

    def _deliver(self, payload: bytes) -> None:
        if self._protocol.writes:
            self._flush()  # a pong goes out before the answer to what came after its ping
        self._owner.counters.frames_in += 1
        try:
            self._owner.handler.received(self, payload)
        except Exception as error:
            self.fail(error)

    def _deliver_text(self, text: bytes) -> None:
        if self._protocol.writes:
            self._flush()
        self._owner.counters.frames_in += 1
        on_text = self._owner.on_text
        try:
            if on_text is not None:
                on_text(self, text)
        except Exception as error:
            self.fail(error)

    def _answer(self) -> None:
        """Send what the protocol wants sent after input, and see whether it has closed."""
        protocol = self._protocol
        if self.closed:
            # Nothing may follow our Close, not even the pong to a late ping: only the stream ends.
            self._half_close_due = self._half_close_due or protocol.eof_sent
            protocol.data_to_send()
        elif protocol.state is not State.OPEN:
            if protocol.close_rcvd is not None:
                self._leave_open(protocol.close_rcvd.code, protocol.close_rcvd.reason)
            elif protocol.close_sent is not None:
                if protocol.close_sent.code == TOO_FAST:
                    self._owner.counters.too_fast += 1
                else:
                    self._owner.counters.protocol_errors += 1
                self._leave_open(protocol.close_sent.code, protocol.close_sent.reason)
        self._flush()

    def _may_ping(self) -> bool:
        if self._pings is None:
            self._pings = per_second(self._owner.limits.pings_per_s)
        return self._pings.take(self._owner.pass_at)

    # Bytes out.

    def _flush(self) -> None:
        """Send what the protocol has ready: control frames, an HTTP response, the end of the stream."""
        if self._phase is _Phase.GONE:
            return
        chunks = self._protocol.data_to_send()
        self._half_close_due = self._half_close_due or b"" in chunks
        data = b"".join(chunks)
        if data:
            self._write(data)
        if self._half_close_due and self._outbox is None:
            self._half_close()  # harmless if writing has just found the socket lost

    def _write(self, data: bytes, slot: str | None = None) -> None:
        if self._outbox is not None:
            self._wait(data, 0, slot)
            return
        try:
            sent = self._send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._lose()
            return
        self._owner.counters.bytes_out += sent
        if sent != len(data):
            self._wait(data, sent, slot)

    def _wait(self, frame: bytes, sent: int, slot: str | None) -> None:
        """Keep what the kernel did not take, or cut the peer if that is too much."""
        owner = self._owner
        outbox = self._outbox
        if outbox is None:
            outbox = self._outbox = Outbox(owner.limits.outbox_bytes, owner.limits.outbox_frames)
            owner.poller.modify(self.fd, READ | WRITE)
            self._progress_at = owner.now()
            owner.deadlines.arm(self, self._progress_at + owner.limits.write_stall_s)
        # Once closed, all that can come is the Close itself or a refusal: it waits at any price.
        if self.closed or outbox.fits(len(frame) - sent):
            outbox.append(frame, sent=sent, slot=slot)
            return
        owner.counters.slow_consumers += 1
        # The Close may still reach a peer that only fell behind: it goes right behind the frame that
        # has begun, whatever the budget says.
        if sent:
            outbox.append(frame, sent=sent)
        outbox.drop_unsent()
        reason = "slow consumer"
        self._protocol.send_close(SLOW_CONSUMER, reason)
        self._leave_open(SLOW_CONSUMER, reason)
        for chunk in self._protocol.data_to_send():
            outbox.append(chunk)

    def _ping(self, now: float) -> None:
        self._ping_at = now + self._owner.limits.ping_every_s
        self._protocol.send_ping(b"")
        self._flush()

    def _half_close(self) -> None:
        self._half_close_due = False
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            self._lose()

    # Ending.

    def _leave_open(self, code: int, reason: str) -> None:
        self._report_end(code, reason)
        self._start_closing()

    def _start_closing(self) -> None:
        self.closed = True
        self._phase = _Phase.CLOSING
        self._give_up_at = self._owner.now() + self._owner.limits.close_timeout_s
        self._arm()

    def _report_end(self, code: int, reason: str) -> None:
        if self._phase is _Phase.OPEN:
            self.closed = True
            self._owner.connection_ended(self, code, reason)

    def _lose(self) -> None:
        """The TCP connection is over, one way or another."""
        self.drop(CloseCode.ABNORMAL_CLOSURE, "connection lost")

    def _reset(self, code: int, reason: str) -> None:
        if self._phase is not _Phase.GONE:
            # Without this the kernel would go on to offer the unsent bytes to a peer we gave up.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self.drop(code, reason)

    def _arm(self) -> None:
        due = self._give_up_at
        if self._phase is _Phase.OPEN:
            limits = self._owner.limits
            due = min(due, self._ping_at, self._heard_at + limits.dead_after_s)
            if self._outbox is not None:
                due = min(due, self._progress_at + limits.write_stall_s)
        self._owner.deadlines.arm(self, due)


def log_bug(error: Exception, about: str) -> None:
    """Say in one line what came out of our own code, and where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "?" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    _log.error("handler failed: %s at %s (%s)", ascii(f"{type(error).__name__}: {error}")[:300], place, about)
