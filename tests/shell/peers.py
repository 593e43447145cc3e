"""Peers made of bytes, and a handler that writes down what it is told."""

import os
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
import trio
from websockets.typing import Subprotocol

from coordinator.shell.listener import Connection, Listener

SUBPROTOCOL: Final = Subprotocol("coordinator.msgpack.v1")
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10

GUARD_S: Final = 20
"""Far beyond what any test needs; it ends a test that would hang."""


def request(
    *,
    line: str = "GET / HTTP/1.1",
    without: tuple[str, ...] = (),
    extra: tuple[str, ...] = (),
    **replaced: str,
) -> bytes:
    """An opening request, good unless told otherwise; header names are given with underscores."""
    headers = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": SUBPROTOCOL,
    }
    headers.update({name.replace("_", "-"): value for name, value in replaced.items()})
    lines = [line, *(f"{name}: {value}" for name, value in headers.items() if name not in without), *extra]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    rsv: int = 0,
    masked: bool = True,
    claim: int | None = None,
    width: int | None = None,
) -> bytes:
    """A frame from peer to server. `claim` lies about the length, `width` forces 0, 2 or 8 length bytes."""
    length = len(payload) if claim is None else claim
    if width is None:
        width = 0 if length < 126 else 2 if length < 65_536 else 8
    short = {0: length, 2: 126, 8: 127}[width]
    head = bytes((fin << 7 | rsv << 4 | opcode, masked << 7 | short)) + (
        length.to_bytes(width, "big") if width else b""
    )
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


def close_payload(code: int, reason: str = "") -> bytes:
    return struct.pack("!H", code) + reason.encode()


@attrs.frozen
class Ended:
    """How a peer saw its connection end: by FIN (`clean`) or by a reset."""

    clean: bool


class Peer:
    """The raw end of one TCP connection."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._buffer = bytearray()

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def _read(self) -> Ended | None:
        try:
            data = await self.stream.receive_some(65_536)
        except trio.BrokenResourceError:
            return Ended(clean=False)
        if not data:
            return Ended(clean=True)
        self._buffer += data
        return None

    async def _take(self, size: int) -> bytes | Ended:
        while len(self._buffer) < size:
            if ended := await self._read():
                return ended
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    async def answer(self) -> tuple[int, dict[str, str]]:
        """As `response`, which must come."""
        answer = await self.response()
        assert not isinstance(answer, Ended)
        return answer

    async def response(self) -> tuple[int, dict[str, str]] | Ended:
        """Status and headers (lower case) of the HTTP response; the body is left where it is."""
        while b"\r\n\r\n" not in self._buffer:
            if ended := await self._read():
                return ended
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        self._buffer[:] = rest
        first, *lines = head.decode().split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        return int(first.split()[1]), {name.lower(): value for name, _, value in pairs}

    async def open(self) -> None:
        await self.send(request())
        status, _ = await self.answer()
        assert status == 101

    async def frame(self) -> tuple[int, bytes] | Ended:
        """The next frame of the server, which must be final and not masked."""
        head = await self._take(2)
        if isinstance(head, Ended):
            return head
        assert head[0] & 0xF0 == 0x80
        assert head[1] < 0x80
        length = head[1]
        if length >= 126:
            extended = await self._take(2 if length == 126 else 8)
            if isinstance(extended, Ended):
                return extended
            length = int.from_bytes(extended, "big")
        payload = await self._take(length)
        return payload if isinstance(payload, Ended) else (head[0] & 0x0F, payload)

    async def frames(self) -> tuple[list[tuple[int, bytes]], Ended]:
        """All frames until the connection ends, and how it ends."""
        found = []
        while not isinstance(item := await self.frame(), Ended):
            found.append(item)
        return found, item

    async def frames_until_close(self) -> list[tuple[int, bytes]]:
        """All frames up to and with the server's Close, which must come."""
        found: list[tuple[int, bytes]] = []
        while not found or found[-1][0] != CLOSE:
            item = await self.frame()
            assert not isinstance(item, Ended)
            found.append(item)
        return found

    async def close_code(self) -> int | Ended:
        """The code of the server's Close, whatever comes before it."""
        while not isinstance(item := await self.frame(), Ended):
            if item[0] == CLOSE:
                return int.from_bytes(item[1][:2], "big")
        return item

    async def rest(self) -> bytes:
        """Everything until the end, as bytes."""
        while await self._read() is None:
            pass
        return bytes(self._buffer)


@asynccontextmanager
async def connected(port: int, *, receive_buffer: int | None = None) -> AsyncIterator[Peer]:
    """A TCP connection, nothing said yet. A small `receive_buffer` makes a peer stall early."""
    sock = trio.socket.socket()
    if receive_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    await sock.connect(("127.0.0.1", port))
    async with trio.SocketStream(sock) as stream:
        yield Peer(stream)


@asynccontextmanager
async def opened(port: int, *, receive_buffer: int | None = None) -> AsyncIterator[Peer]:
    """A connection after a good opening handshake."""
    async with connected(port, receive_buffer=receive_buffer) as peer:
        await peer.open()
        yield peer


class Recorder:
    """A handler that authenticates everybody at once and keeps what happens."""

    def __init__(self, *, authenticate: bool = True, echo: bool = False) -> None:
        self.conns: list[Connection] = []
        self.messages: list[tuple[int, bytes]] = []
        self.ends: list[tuple[int, int, str]] = []
        self.batches = 0
        self._authenticate = authenticate
        self._echo = echo
        self._changed = trio.Event()

    def _note(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def opened(self, conn: Connection) -> None:
        self.conns.append(conn)
        if self._authenticate:
            conn.raise_limit()
        self._note()

    def received(self, conn: Connection, payload: bytes) -> None:
        self.messages.append((conn.conn_id, payload))
        if self._echo:
            conn.send(payload)
        self._note()

    def closed(self, conn: Connection, code: int, reason: str) -> None:
        self.ends.append((conn.conn_id, code, reason))
        self._note()

    def batch_done(self) -> None:
        self.batches += 1

    async def until(self, happened: Callable[[], object]) -> None:
        """Wait until something that the handler is told makes `happened` true."""
        while not happened():
            await self._changed.wait()


async def eventually(happened: Callable[[], object]) -> None:
    """Wait for what nobody is told about."""
    while not happened():
        await trio.lowlevel.checkpoint()


@asynccontextmanager
async def running(handler: Any, **settings: Any) -> AsyncIterator[tuple[Listener, int]]:
    """A listener on a free port of loopback, and that port; cancelled at the end."""
    listener = Listener(handler, host="127.0.0.1", port=0, **settings)
    with trio.fail_after(GUARD_S):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(listener.serve)
            try:
                yield listener, port
            finally:
                nursery.cancel_scope.cancel()
