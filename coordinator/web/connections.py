"""The connections of the HTTP port: so many at once, HTTP/1.1 alone, and each gone when it takes nothing.

Theory of operation. Hypercorn's worker takes every connection that comes and lets it choose HTTP/2 or a WebSocket, and
then stay silent for ever. So it lends us what reads and writes one connection, and nothing else. Beyond the room there
is, a connection is still served, for health alone (`coordinator.web.guard`); of those a few, and the newest: whoever
asks for health is done in no time, and whoever only holds on makes room.
"""

import logging
import ssl
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import h11
import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData
from hypercorn.protocol.events import StreamClosed
from hypercorn.protocol.h11 import STREAM_ID, H11Protocol
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ASGIFramework, ConnectionState, LifespanState
from hypercorn.utils import wrap_app

ROOM = 2_560
"""Connections at once, as many as live streams and some."""
SPARE = 32
"""Connections beyond the room."""
STALL_S = 10.0
"""Time to take an answer, whatever its size ..."""
SLOWEST_BYTES_PER_S = 16_384
"""... and time for each of its bytes besides."""
UNREAD_BYTES = 1 << 26
"""Of answers that wait for whoever asked, all together. Each may be as large as the standings of a whole field."""

TELL_S = 1.0
"""Time to tell a handler that its request is over, if it hears at all."""

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]

_log = logging.getLogger(__name__)


class _PlainProtocol(H11Protocol):
    """HTTP/1.1, and no way to anything else: an ``Upgrade`` is passed over (RFC 9110, 7.8)."""

    async def _check_protocol(self, event: h11.Request) -> None:
        """Hypercorn's hook for HTTP/2."""

    async def _create_stream(self, request: h11.Request) -> None:
        headers = [(name, value) for name, value in request.headers if name != b"upgrade"]
        if len(headers) != len(request.headers):
            request = h11.Request(
                method=request.method, target=request.target, headers=headers, http_version=request.http_version
            )
        await super()._create_stream(request)

    async def _close_stream(self) -> None:
        """Hypercorn would wait for ever for a handler to hear this that has answered without reading the body."""
        stream, self.stream = self.stream, None
        if stream is not None:
            with trio.move_on_after(TELL_S):
                await stream.handle(StreamClosed(stream_id=STREAM_ID))


class _Connection(TCPServer):
    """One connection, within its scope."""

    def __init__(self, unread: "_Unread", *words: Any) -> None:
        super().__init__(*words)
        self.scope = trio.CancelScope()
        self._unread = unread

    async def _read_data(self) -> None:
        whole = self.protocol
        whole.protocol = _PlainProtocol(
            whole.app,
            whole.config,
            whole.context,
            whole.task_group,
            whole.state,
            whole.ssl,
            whole.client,
            whole.server,
            whole.send,
        )
        await super()._read_data()

    async def protocol_send(self, event: Event) -> None:
        """Hypercorn would wait for the peer for ever, and shielded from the stop of the daemon."""
        if not isinstance(event, RawData):
            await super().protocol_send(event)
            if isinstance(event, Closed):
                # Nothing is read or said any more: what still hands over a body that nobody reads holds no place.
                self.scope.cancel()
            return
        try:
            async with self.send_lock:
                with trio.fail_after(STALL_S + len(event.data) / SLOWEST_BYTES_PER_S) as scope:
                    with self._unread.sending(len(event.data), scope):
                        await self.stream.send_all(event.data)
        except trio.Cancelled:
            await trio.aclose_forcefully(self.stream)  # part of it may be out, and nothing may follow that
            raise
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            await trio.aclose_forcefully(self.stream)
            await self.protocol.handle(Closed())


class _Unread:
    """What is sent and not taken yet. When it is too much, whoever has waited longest for its reader is given up."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._sizes: dict[trio.CancelScope, int] = {}
        self._bytes = 0

    @contextmanager
    def sending(self, size: int, scope: trio.CancelScope) -> Iterator[None]:
        """So many bytes are sent within a scope that may be cancelled. One answer alone may be of any size."""
        self._sizes[scope] = size
        self._bytes += size
        try:
            while len(self._sizes) > 1 and self._bytes > self._most_bytes:
                oldest = next(iter(self._sizes))
                self._forget(oldest)
                oldest.cancel()
            yield
        finally:
            self._forget(scope)

    def _forget(self, scope: trio.CancelScope) -> None:
        self._bytes -= self._sizes.pop(scope, 0)


class Connections:
    """Serves an application on a listening socket."""

    def __init__(self, app: ASGIFramework, config: Config, *, room: int = ROOM) -> None:
        self._unread = _Unread(UNREAD_BYTES)
        self._app: AppWrapper = wrap_app(app, 0, "asgi")
        self._config = config
        self._context = WorkerContext(None)
        self._room = room
        self._held = 0
        self._spare: OrderedDict[object, trio.CancelScope] = OrderedDict()

    async def serve(
        self, sock: trio.socket.SocketType, tls: ssl.SSLContext | None, stopping: trio.Event, grace_s: float
    ) -> None:
        """Take connections until `stopping` is set, then end within `grace_s`."""
        serve = partial(self._serve, tls)
        async with trio.open_nursery() as nursery:
            async with trio.open_nursery() as accepting:
                accepting.start_soon(
                    partial(trio.serve_listeners, serve, [trio.SocketListener(sock)], handler_nursery=nursery)
                )
                await stopping.wait()
                accepting.cancel_scope.cancel()
            await self._context.terminated.set()  # connections without a request close themselves
            nursery.cancel_scope.deadline = trio.current_time() + grace_s

    async def _serve(self, tls: ssl.SSLContext | None, plain: trio.SocketStream) -> None:
        stream: Stream = plain
        if tls is not None:
            stream = trio.SSLStream(plain, tls, server_side=True, https_compatible=True)
        try:
            await self._find_room(stream)
        finally:
            if stream is not plain:
                _let_go(stream)

    async def _find_room(self, stream: Stream) -> None:
        if self._held < self._room:
            self._held += 1
            try:
                await self._talk(stream, crowded=False)
            finally:
                self._held -= 1
            return
        with trio.CancelScope() as scope:
            self._spare[stream] = scope
            if len(self._spare) > SPARE:
                _, oldest = self._spare.popitem(last=False)
                oldest.cancel()
            try:
                await self._talk(stream, crowded=True)
            finally:
                self._spare.pop(stream, None)

    async def _talk(self, stream: Stream, *, crowded: bool) -> None:
        state = ConnectionState(LifespanState({"crowded": crowded}))
        try:
            # Hypercorn looks whether it is TLS, whatever it says that it takes.
            connection = _Connection(
                self._unread,
                self._app,
                self._config,
                self._context,
                state,
                cast(trio.SSLStream[trio.SocketStream], stream),
            )
            try:
                with connection.scope:
                    await connection
            finally:
                _let_go(connection)
        except Exception:
            # A mistake about one connection must not end the daemon.
            _log.exception("a connection was given up")
            await trio.aclose_forcefully(stream)


def _let_go(ended: object) -> None:
    """Empty what is over and points at itself. It would wait for the collector, which comes by seldom, and hold the
    buffers of a connection as long: in a flood of connections that fills the memory."""
    vars(ended).clear()
