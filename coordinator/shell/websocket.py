"""RFC 6455 without sockets: the peer's bytes go in, whole messages come out.

Theory of operation. `websockets.server.ServerProtocol` knows all the rules, and costs ten times as
much as the common case needs. The common case is a complete, masked, unfragmented binary frame that
arrives between two other frames. `WireProtocol.feed` therefore cuts the stream into frames itself,
takes that one kind apart on the spot and hands every other frame to the library, byte for byte.

Two things follow. The library sees a gap in the stream only between two frames, where it has no
memory of what came before, apart from an unfinished fragmented message; and while one of those is
under way nothing takes the short cut. And a frame whose header is wrong never takes the short cut,
so the library alone decides how the peer broke the rules.
"""

import logging
from collections.abc import Callable, Sequence

from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

try:
    from websockets.speedups import apply_mask
except ImportError:  # the wheel of this platform has no compiled part
    from websockets.utils import apply_mask

BINARY = 0x80 | Opcode.BINARY
TEXT = 0x80 | Opcode.TEXT
TOO_FAST = 4029
"""Close code: does something more often than allowed."""
_MASKED = 0x80
_LENGTH = 0x7F
_OPEN = State.OPEN

# The library logs each peer's mistakes, some of them with a traceback. We count them instead.
_silent = logging.getLogger(f"{__name__}.silent")
_silent.setLevel(logging.CRITICAL + 1)
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


def _never() -> bool:
    return False


def build_frame(payload: bytes, *, text: bool = False) -> bytes:
    """The one frame that carries `payload` from server to peer: final, not masked, not compressed.

    It is the same for every peer, so a message to many is built once.
    """
    size = len(payload)
    first = TEXT if text else BINARY
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65_536:
        return bytes((first, 126, size >> 8, size & 0xFF)) + payload
    return bytes((first, 127)) + size.to_bytes(8, "big") + payload


class WireProtocol(ServerProtocol):
    """The server's end of one connection: the library's rules, some stricter, one mended, and a short cut.

    Stricter: a length must be in its shortest form (1002), a message has a largest number of
    fragments (1009), a text message is refused (1003) unless `accept_text`, and a ping or pong that `may_ping`
    does not allow ends the connection (4029). Mended: a Close in
    the middle of a fragmented message is answered in kind instead of with 1002.
    """

    def __init__(
        self,
        *,
        max_message: int,
        max_fragments: int,
        accept_text: bool = False,
        subprotocols: Sequence[str] = (),
        require_subprotocol: bool = True,
        may_ping: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(
            subprotocols=[Subprotocol(name) for name in subprotocols], max_size=max_message, logger=_silent
        )
        self._max_fragments = max_fragments
        self._accept_text = accept_text
        self._require_subprotocol = require_subprotocol
        self._may_ping = may_ping
        self._held = bytearray()
        """Beginning of a frame that could take the short cut once it is complete."""
        self._needed = 0
        """Length at which `_held` is worth another look."""
        self._owed = 0
        """Bytes of the current frame that the library still has to get."""
        self._parts: list[bytes] = []
        """Payloads of the unfinished message."""
        self._is_text = False

    def feed(
        self,
        data: bytes,
        deliver: Callable[[bytes], None],
        deliver_text: Callable[[bytes], None] | None = None,
    ) -> None:
        """Take bytes from an open connection; call `deliver` with each whole binary message at once.

        Delivery happens between two frames, so `deliver` may close the connection or raise
        `max_message_size` and that holds for the very next frame. Afterwards ask `data_to_send` and
        `state`, as with the library. Once `eof_sent` is set, nothing is read any more.
        """
        if self._held:
            self._held += data
            if len(self._held) < self._needed:
                return
            data = bytes(self._held)
            self._held.clear()
        position, end = 0, len(data)
        while position < end and not self.eof_sent:
            if self._owed:
                step = data[position : position + self._owed]
                self._owed -= len(step)
                position += len(step)
                self._feed_library(step, deliver, deliver_text)
                continue
            if end - position < 2:
                self._hold(data, position, 2)
                return
            second = data[position + 1]
            length = second & _LENGTH
            header = 6 if second & _MASKED else 2
            if length >= 126:
                width = 2 if length == 126 else 8
                header += width
                if end - position < header:
                    self._hold(data, position, header)
                    return
                length = int.from_bytes(data[position + 2 : position + 2 + width], "big")
                if length < (126 if width == 2 else 65_536):
                    self.fail(CloseCode.PROTOCOL_ERROR, "length is not in its shortest form")
                    return
            if (
                data[position] == BINARY
                and second & _MASKED
                and self.current_size is None
                and (self.max_message_size is None or length <= self.max_message_size)
                and self.state is _OPEN
            ):
                stop = position + header + length
                if stop > end:
                    self._hold(data, position, header + length)
                    return
                start = position + header
                position = stop
                deliver(apply_mask(data[start:stop], data[start - 4 : start]))
            else:
                self._owed = header + length

    def _hold(self, data: bytes, position: int, needed: int) -> None:
        self._held += data[position:]
        self._needed = needed

    def _feed_library(
        self, data: bytes, deliver: Callable[[bytes], None], deliver_text: Callable[[bytes], None] | None
    ) -> None:
        self.receive_data(data)
        for event in self.events_received():
            # Whatever comes after our Close is read only to find the peer's Close.
            if isinstance(event, Frame) and event.opcode < Opcode.CLOSE and self.state is _OPEN:
                self._take_fragment(event, deliver, deliver_text)

    def _take_fragment(
        self, frame: Frame, deliver: Callable[[bytes], None], deliver_text: Callable[[bytes], None] | None
    ) -> None:
        if frame.opcode is Opcode.TEXT and not self._accept_text:
            self.fail(CloseCode.UNSUPPORTED_DATA, "only binary messages are understood here")
            return
        if frame.opcode is not Opcode.CONT:
            self._is_text = frame.opcode is Opcode.TEXT
        self._parts.append(bytes(frame.data))
        if not frame.fin:
            if len(self._parts) >= self._max_fragments:
                self.fail(CloseCode.MESSAGE_TOO_BIG, f"more than {self._max_fragments} fragments")
            return
        message = b"".join(self._parts)
        self._parts.clear()
        if not self._is_text:
            deliver(message)
        elif deliver_text is not None:
            try:
                message.decode()
            except UnicodeDecodeError:
                self.fail(CloseCode.INVALID_DATA, "text is not UTF-8")
            else:
                deliver_text(message)

    def let_go(self) -> None:
        """Nobody is asked any more. The library's parser points at itself, so what this points at would wait with it
        for the collector, which comes by seldom: with TLS that is much for each connection of a flood."""
        self._may_ping = _never

    def recv_frame(self, frame: Frame) -> None:
        """Library hook: one frame has been read."""
        if frame.opcode is Opcode.CLOSE:
            self.current_size = None
        elif frame.opcode > Opcode.CLOSE and self.state is _OPEN and not self._may_ping():
            self.fail(TOO_FAST, "too many pings")
            return
        super().recv_frame(frame)

    def select_subprotocol(self, subprotocols: Sequence[Subprotocol]) -> Subprotocol | None:
        """Library hook: the first of ours that the peer offers; without one it depends."""
        offered = set(subprotocols)
        if not self._require_subprotocol and offered.isdisjoint(self.available_subprotocols or ()):
            return None
        return super().select_subprotocol(subprotocols)
