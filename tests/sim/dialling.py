"""The programs' end of a link: a real WebSocket client without sockets, and the channel the SDK speaks through."""

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

import trio
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from protocol.client.channel import OPEN_TIMEOUT_S, PING_INTERVAL_S, PING_TIMEOUT_S, ChannelLost
from protocol.codec import FRAME_BYTES_MAX
from protocol.messages import SUBPROTOCOL
from tests.sim.agenda import Agenda
from tests.sim.links import Link, nothing

_URI = parse_uri("ws://coordinator/")
_silent = logging.getLogger("simulated.websocket")
_silent.setLevel(logging.CRITICAL + 1)
_silent.propagate = False


class Network(Protocol):
    """What a dial needs of the world."""

    agenda: Agenda

    async def connect(self, identity: str) -> Link:
        """A link to the coordinator. Raises ChannelLost where nobody listens or the way is cut."""

    def sent(self, channel: "SimulatedChannel", payload: bytes) -> None:
        """A program has sent a payload."""


class SimulatedChannel:
    """A :class:`protocol.client.channel.Channel` over a link."""

    def __init__(self, link: Link, network: Network) -> None:
        self.link = link
        self._network = network
        self._protocol = ClientProtocol(
            _URI, subprotocols=[Subprotocol(SUBPROTOCOL)], max_size=FRAME_BYTES_MAX, logger=_silent
        )
        self._inbox: deque[bytes] = deque()
        self._news = trio.Event()
        self._outgoing = bytearray()
        self._lost: str | None = None
        self._close_code: int | None = None
        self._heard_at = trio.current_time()
        self._reads = True
        self.swallows = 0
        """So many payloads from now on are lost on their way to the socket, and nobody is told."""
        link.down.on_arrival = self._arrived
        link.up.on_room = self._flush

    async def open(self) -> None:
        """The opening handshake. Raises ChannelLost."""
        self._protocol.send_request(self._protocol.connect())
        self._pump()
        with trio.move_on_after(OPEN_TIMEOUT_S):
            while self._protocol.state is State.CONNECTING and self._lost is None:
                await self._wait()
        if self._protocol.state is not State.OPEN:
            self.drop()
            raise ChannelLost("the handshake failed")
        self._network.agenda.after(PING_INTERVAL_S, self._ping)

    async def send(self, payload: bytes) -> None:
        await trio.lowlevel.checkpoint()
        if self._lost is not None:
            raise ChannelLost(self._lost, self._close_code)
        if self.swallows:
            self.swallows -= 1
            return
        self._protocol.send_binary(payload)
        self._pump()
        while self._outgoing and self._lost is None:
            await self._wait()
        self._network.sent(self, payload)

    async def receive(self) -> bytes:
        await trio.lowlevel.checkpoint()
        while not self._inbox:
            if self._lost is not None:
                raise ChannelLost(self._lost, self._close_code)
            await self._wait()
        return self._inbox.popleft()

    async def close(self, code: int, reason: str) -> None:
        await trio.lowlevel.checkpoint()
        if self._lost is None and self._protocol.state is State.OPEN:
            self._protocol.send_close(code, reason)
            self._pump()
            with trio.move_on_after(2):
                while self._lost is None:
                    await self._wait()
        self.drop()

    async def abort(self) -> None:
        self.drop()

    def drop(self) -> None:
        """The socket is closed at once; what was sent before may still arrive."""
        self._lose("dropped")
        self.link.up.close("reset")
        self.link.down.cut("reset")

    def write(self, raw: bytes) -> None:
        """Put bytes of anybody's choice on the wire, behind what was sent."""
        if self._lost is None:
            self._outgoing += raw
            self._flush()

    def say(self, payload: bytes) -> None:
        """Send a payload outside of the session's own order."""
        if self._lost is None and self._protocol.state is State.OPEN:
            self._protocol.send_binary(payload)
            self._pump()

    def stop_reading(self) -> None:
        """The program is busy with something else."""
        self._reads = False

    def go_on_reading(self) -> None:
        """And back."""
        self._reads = True
        self._arrived()

    async def _wait(self) -> None:
        await self._news.wait()

    def _changed(self) -> None:
        news, self._news = self._news, trio.Event()
        news.set()

    def _lose(self, why: str) -> None:
        if self._lost is None:
            self._lost = why
            self.link.down.on_arrival = self.link.up.on_room = nothing
        self._changed()

    def _pump(self) -> None:
        for data in self._protocol.data_to_send():
            self._outgoing += data
        self._flush()

    def _flush(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: self.link.up.push(self._outgoing)]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing.clear()
        self._changed()

    def _arrived(self) -> None:
        if not self._reads:
            return
        try:
            while data := self.link.down.read(65_536):
                self._heard_at = trio.current_time()
                self._protocol.receive_data(data)
                for event in self._protocol.events_received():
                    if isinstance(event, Frame) and event.opcode is Opcode.BINARY:
                        self._inbox.append(bytes(event.data))
                    elif isinstance(event, Response) and self._protocol.handshake_exc is not None:
                        self._lose("refused")
                self._pump()
                self._changed()
        except BlockingIOError:
            data = None
        except OSError:
            data = b""
        closing = self._protocol.close_rcvd
        if closing is not None:
            self._close_code = closing.code
            self._lose("closed")
        elif data == b"":
            self._lose("connection lost")

    def _ping(self) -> None:
        if self._lost is None and self._protocol.state is State.OPEN:
            self._protocol.send_ping(b"")
            self._pump()
            asked_at = trio.current_time()
            self._network.agenda.after(PING_TIMEOUT_S, lambda: self._expect_pong(asked_at))
            self._network.agenda.after(PING_INTERVAL_S, self._ping)

    def _expect_pong(self, asked_at: float) -> None:
        if self._lost is None and self._reads and self._heard_at < asked_at:
            self.drop()


def dial_to(network: Network, identity: str, opened: Callable[[SimulatedChannel], None]) -> Callable[[], "_Dialling"]:
    """A dial for one program; ``opened`` is told of each channel."""

    @asynccontextmanager
    async def dial() -> AsyncIterator[SimulatedChannel]:
        channel = SimulatedChannel(await network.connect(identity), network)
        try:
            await channel.open()
            opened(channel)
            yield channel
        finally:
            channel.drop()

    return dial


_Dialling = object
