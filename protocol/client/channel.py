"""How the SDK reaches a coordinator: a channel carries payloads, a dial opens one.

The one real dial is :func:`websocket_dial`. Tests and simulators bring their own (:mod:`protocol.testing`).
"""

import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Protocol

import trio
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    InvalidURI,
)
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from protocol.client.failures import DialRefused
from protocol.codec import FRAME_BYTES_MAX
from protocol.messages import SUBPROTOCOL

OPEN_TIMEOUT_S: Final = 10.0
PING_INTERVAL_S: Final = 5.0
PING_TIMEOUT_S: Final = 7.0
CLOSE_TIMEOUT_S: Final = 2.0

_library_log: Final = logging.getLogger("protocol.client.websockets")
# A network that goes silent is no mistake, and whoever receives is told of it: no traceback besides.
_library_log.addFilter(lambda record: record.msg != "keepalive ping failed")


class ChannelLost(Exception):
    """The socket is gone, or never came to be; dialling again may help. ``close_code`` is what the other end
    gave.
    """

    def __init__(self, reason: str, close_code: int | None = None) -> None:
        super().__init__(reason)
        self.close_code = close_code


class Channel(Protocol):
    """One socket, or something like it, that carries whole payloads in order.

    One task sends and one receives. Both raise :class:`ChannelLost` once the socket is gone. A send that was
    cancelled leaves the channel fit for nothing but :meth:`abort`.
    """

    async def send(self, payload: bytes) -> None: ...

    async def receive(self) -> bytes: ...

    async def close(self, code: int, reason: str) -> None:
        """End in good order; gives up soon on a peer that does not answer."""

    async def abort(self) -> None:
        """Drop the socket at once, whatever is in flight."""


Dial = Callable[[], AbstractAsyncContextManager[Channel]]
"""Opens a channel; the channel is gone when the block is left. Raises ChannelLost or DialRefused on entry."""


class _WebSocketChannel:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, payload: bytes) -> None:
        try:
            await self._connection.send(payload)
        except ConnectionClosed as closed:
            raise _lost(closed) from None

    async def receive(self) -> bytes:
        try:
            return bytes(await self._connection.recv(decode=False))
        except ConnectionClosed as closed:
            raise _lost(closed) from None

    async def close(self, code: int, reason: str) -> None:
        with trio.move_on_after(CLOSE_TIMEOUT_S):
            await self._connection.aclose(code, reason)
        await self.abort()

    async def abort(self) -> None:
        # Only closing the stream under the library frees a send to a peer that stopped reading.
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._connection.stream)


def _lost(closed: ConnectionClosed) -> ChannelLost:
    return ChannelLost(str(closed), None if closed.rcvd is None else closed.rcvd.code)


def _refused(url: str, reason: object) -> DialRefused:
    return DialRefused(f"{url}: {reason}; expected a coordinator's address for programs, such as ws://127.0.0.1:7420")


def websocket_dial(url: str, *, tls: ssl.SSLContext | None = None) -> Dial:
    """A dial for a coordinator's ``ws://`` or ``wss://`` address; ``tls`` replaces the system's trust for the
    latter.
    """

    @asynccontextmanager
    async def dial() -> AsyncIterator[Channel]:
        try:
            attempt = connect(
                url,
                ssl=tls,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                proxy=None,
                max_size=FRAME_BYTES_MAX,
                # The reader never waits for anything, so nothing piles up; pausing it can leave a task behind.
                max_queue=None,
                open_timeout=OPEN_TIMEOUT_S,
                ping_interval=PING_INTERVAL_S,
                ping_timeout=PING_TIMEOUT_S,
                close_timeout=CLOSE_TIMEOUT_S,
                logger=_library_log,
            )
            connection = await attempt.__aenter__()
        except (OSError, InvalidMessage) as error:
            raise ChannelLost(f"{url}: {error}") from error
        except trio.BrokenResourceError as error:
            # TLS could not be agreed on; what it says about certificates stands behind the error.
            raise ChannelLost(f"{url}: {error.__cause__ or error}") from error
        except InvalidStatus as error:
            status = error.response.status_code
            if status >= 500 or status == 429:
                raise ChannelLost(f"{url}: {error}") from error
            raise _refused(url, error) from error
        except InvalidURI as error:
            raise _refused(url, error.msg) from error
        except (InvalidHandshake, ValueError) as error:
            # A ValueError is an address that nobody can look up or dial, as one with a port beyond the last.
            raise _refused(url, error) from error
        channel = _WebSocketChannel(connection)
        try:
            if connection.subprotocol != SUBPROTOCOL:
                raise _refused(url, f"what answers does not speak {SUBPROTOCOL}")
            yield channel
        finally:
            await channel.abort()  # noqa: ASYNC102 - it never waits
            await attempt.__aexit__(None, None, None)  # noqa: ASYNC102 - the socket is gone, nothing to wait for

    return dial
