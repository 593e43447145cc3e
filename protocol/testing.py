"""The kit for testing a table server or a lobby: a coordinator that says what the test tells it to say.

A :class:`FakeCoordinator` keeps real sessions and has no rules. Programs reach it over a memory link, under
trio's mock clock if wanted, or over a WebSocket on the loopback::

    async with open_fake_coordinator() as coordinator:
        server = TableServer("", "srv-1", games=["dou_dizhu"], capacity=4, dial=coordinator.dial)
        nursery.start_soon(server.run)
        peer = await coordinator.peer("srv-1")
        peer.push(Seat(...), StartHand(...))
        report = await peer.next(HandEnded)
"""

import itertools
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from protocol.client.channel import Channel, ChannelLost
from protocol.codec import FRAME_BYTES_MAX, Direction, decode_message, encode_message, handshake_frame
from protocol.errors import WireError
from protocol.messages import SUBPROTOCOL, Bye, Hello, HistoryBegin, HistoryEnd, Message
from protocol.session import Answer, Session, Side, read_hello

M = TypeVar("M", bound=Message)

Reply = Callable[["FakePeer", Message], Iterable[Message]]
"""What a fake coordinator answers to a message by itself."""

_REPLACED: Final = 4009


class MemoryChannel:
    """One end of a link in memory. What was sent before a close still arrives; a cut loses it."""

    def __init__(self) -> None:
        self._inbox: deque[bytes] = deque()
        self._news = trio.Event()
        self._other: MemoryChannel | None = None
        self._over = False
        self._close_code: int | None = None

    async def send(self, payload: bytes) -> None:
        """Put the payload into the other end's inbox."""
        await trio.lowlevel.checkpoint()
        if self._over or self._other is None:
            raise ChannelLost("the link was cut", self._close_code)
        self._other._inbox.append(payload)
        self._other._news.set()

    async def receive(self) -> bytes:
        """The next payload."""
        await trio.lowlevel.checkpoint()
        while not self._inbox:
            if self._over:
                raise ChannelLost("the link was cut", self._close_code)
            self._news = trio.Event()
            await self._news.wait()
        return self._inbox.popleft()

    async def close(self, code: int, reason: str) -> None:
        """End both ways; what is in flight still arrives."""
        await trio.lowlevel.checkpoint()
        for end in (self, self._other):
            if end is not None and not end._over:
                end._over = True
                end._close_code = code
                end._news.set()

    async def abort(self) -> None:
        """Cut the link."""
        self.cut()

    def cut(self) -> None:
        """End both ways and lose what is in flight; after a close there is nothing left to end."""
        for end in (self, self._other):
            if end is not None and not end._over:
                end._over = True
                end._inbox.clear()
                end._news.set()


def memory_link() -> tuple[MemoryChannel, MemoryChannel]:
    """Two ends that are joined."""
    one, other = MemoryChannel(), MemoryChannel()
    one._other, other._other = other, one
    return one, other


def _checked(message: Message) -> bytes:
    encoded = encode_message(message)
    decode_message(encoded, Direction.FROM_COORDINATOR)
    return encoded


class FakePeer:
    """A program that said hello, as the fake coordinator sees it; it outlives its sockets."""

    def __init__(self, identity: str) -> None:
        self.identity = identity
        self.hellos: list[Hello] = []
        """Every hello, oldest first."""
        self.resumed: list[str] = []
        """How each hello was answered: ``new``, ``nothing_missed``, ``gap``, ``snapshot``."""
        self.received: list[Message | WireError] = []
        """Every message since the first hello, also those that :meth:`next` has given."""
        self.snapshot: list[Message] = []
        """What a snapshot tells."""
        self._session: Session | None = None
        self._unread: deque[Message | WireError] = deque()
        self._news = trio.Event()
        self._wake = trio.Event()
        self._channel: Channel | None = None
        self._goodbye: tuple[Bye | None, int] | None = None

    @property
    def session(self) -> Session:
        """The session, since the first hello."""
        assert self._session is not None
        return self._session

    @property
    def connected(self) -> bool:
        """Whether a socket is there."""
        return self._channel is not None

    def push(self, *messages: Message) -> None:
        """Say these messages, in order, once, through any number of sockets. Raises WireError for a bad one."""
        for encoded in [_checked(message) for message in messages]:
            self.session.queue(encoded)
        self._wake.set()

    def push_volatile(self, message: Message, key: object = None) -> None:
        """Say this message once, unnumbered, to the socket that is there."""
        self.session.queue_volatile(message.type if key is None else key, _checked(message))
        self._wake.set()

    async def next(self, kind: type[M]) -> M:
        """The next message of this class; those before it are passed over."""
        while True:
            while self._unread:
                message = self._unread.popleft()
                if isinstance(message, kind):
                    return message
            await self._wait()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until this is true of the peer: it is asked after each hello, message and loss."""
        while not condition():
            await self._wait()

    async def cut(self) -> None:
        """Drop the socket; what is in flight is lost."""
        if self._channel is not None:
            await self._channel.abort()

    def dismiss(self, bye: Bye | None = None, close_code: int = 1000) -> None:
        """Send a bye, if one is given, and close the socket."""
        self._goodbye = bye, close_code
        self._wake.set()

    async def _wait(self) -> None:
        self._news = trio.Event()
        await self._news.wait()

    def _changed(self) -> None:
        self._news.set()


class FakeCoordinator:
    """Sessions without rules. Make one with :func:`open_fake_coordinator`.

    ``reply`` answers messages by itself, beside what the test pushes. ``refuse`` answers the next hellos
    instead of a welcome, first come first served.
    """

    def __init__(self, nursery: trio.Nursery, *, window_frames: int, window_bytes: int, receive_bytes_max: int) -> None:
        self.reply: Reply | None = None
        self.refuse: deque[Message] = deque()
        self.peers: dict[str, FakePeer] = {}
        self.dials = 0
        """How many sockets were opened."""
        self.reachable = True
        """While false, dialling fails."""
        self._nursery = nursery
        self._windows = window_frames, window_bytes, receive_bytes_max
        self._numbers = itertools.count(1)
        self._epoch = "epoch-1"
        self._news = trio.Event()

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[Channel]:
        """The dial to hand to the SDK: a memory link to this coordinator."""
        await trio.lowlevel.checkpoint()
        self.dials += 1
        if not self.reachable:
            raise ChannelLost("nobody answers")
        theirs, ours = memory_link()
        self._nursery.start_soon(self._talk, ours)
        try:
            yield theirs
        finally:
            theirs.cut()

    async def serve(self, task_status: trio.TaskStatus[str] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen for WebSockets on a free port of the loopback; starts with the address."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listeners[0].socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            await nursery.start(self._serve, listeners)
            task_status.started(f"ws://127.0.0.1:{port}")

    async def _serve(
        self,
        listeners: list[trio.SocketListener],
        task_status: trio.TaskStatus[object] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        await serve(
            self._accept,
            listeners=listeners,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=FRAME_BYTES_MAX,
            max_queue=None,
            ping_interval=None,
            close_timeout=1,
            task_status=task_status,
        )

    async def _accept(self, connection: ServerConnection) -> None:
        self.dials += 1
        await self._talk(_ServedChannel(connection))

    async def peer(self, identity: str) -> FakePeer:
        """The peer of this identity, once it has said its first hello."""
        while identity not in self.peers:
            self._news = trio.Event()
            await self._news.wait()
        return self.peers[identity]

    async def restart(self) -> None:
        """Forget every session and cut every socket, as a coordinator that was killed and started again."""
        self._epoch = f"epoch-{next(self._numbers)}-again"
        for peer in self.peers.values():
            peer._session = None
            await peer.cut()

    # --- one socket ---------------------------------------------------------------------------------------

    async def _talk(self, channel: Channel) -> None:
        try:
            await self._converse(channel)
        except WireError as error:
            try:
                await channel.send(handshake_frame(error.answer()))
                await channel.close(error.close_code or 4000, error.code)
            except ChannelLost:
                pass
        except ChannelLost:
            pass
        finally:
            await channel.abort()  # noqa: ASYNC102 - it never waits

    async def _converse(self, channel: Channel) -> None:
        hello = read_hello(await channel.receive())
        if self.refuse:
            await channel.send(handshake_frame(self.refuse.popleft()))
            await channel.close(1000, "refused")
            return
        peer = self.peers.setdefault(hello.identity, FakePeer(hello.identity))
        if peer._channel is not None:
            await peer._channel.send(handshake_frame(Bye("replaced")))
            await peer._channel.close(_REPLACED, "replaced")
        peer._channel = channel
        peer._goodbye = None
        welcome = self._admit(peer, hello)
        await channel.send(welcome)
        peer._changed()
        self._news.set()
        try:
            ends: list[WireError] = []
            async with trio.open_nursery() as nursery:
                for task in (self._read, self._write):
                    nursery.start_soon(_until_lost, task, peer, channel, ends, nursery.cancel_scope)
            for error in ends:
                raise error
        finally:
            if peer._channel is channel:
                peer._channel = None
            peer._changed()

    def _admit(self, peer: FakePeer, hello: Hello) -> bytes:
        """Resume the session or make a new one; gives the welcome."""
        known = bool(peer.hellos)
        peer.hellos.append(hello)
        how: Answer = "snapshot" if known else "new"
        if peer._session is not None:
            how = peer._session.resume(hello)
        if how in ("new", "snapshot"):
            frames, size, receive_bytes = self._windows
            peer._session = Session(
                Side.COORDINATOR,
                session=f"session-{next(self._numbers)}",
                epoch=self._epoch,
                life=hello.life,
                window_frames=frames,
                window_bytes=size,
                receive_bytes_max=receive_bytes,
            )
        peer.resumed.append(how)
        welcome = handshake_frame(peer.session.welcome(how, software="fake"))
        if how == "snapshot":
            peer.push(HistoryBegin("unknown_session"), *peer.snapshot, HistoryEnd())
        return welcome

    async def _read(self, peer: FakePeer, channel: Channel) -> None:
        while True:
            payload = await channel.receive()
            if peer._channel is not channel or peer._session is None:
                raise ChannelLost("replaced")
            for message in peer._session.receive(payload):
                peer.received.append(message)
                peer._unread.append(message)
                if isinstance(message, WireError):
                    peer.push(message.answer())
                elif self.reply is not None:
                    peer.push(*self.reply(peer, message))
            peer._changed()
            peer._wake.set()

    async def _write(self, peer: FakePeer, channel: Channel) -> None:
        while peer._channel is channel and (session := peer._session) is not None:
            peer._wake = trio.Event()
            while (frame := session.take_frame() or session.take_ack()) is not None:
                await channel.send(frame)
            if session.overflow:
                await channel.close(4013, "slow_consumer")
            if peer._goodbye is not None:
                bye, close_code = peer._goodbye
                if bye is not None:
                    await channel.send(handshake_frame(bye))
                await channel.close(close_code, "")
            await peer._wake.wait()


async def _until_lost(
    task: Callable[[FakePeer, Channel], Awaitable[None]],
    peer: FakePeer,
    channel: Channel,
    ends: list[WireError],
    scope: trio.CancelScope,
) -> None:
    try:
        await task(peer, channel)
    except ChannelLost:
        pass
    except WireError as error:
        ends.append(error)
    scope.cancel()


class _ServedChannel:
    """A WebSocket that was accepted, as a channel."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def send(self, payload: bytes) -> None:
        try:
            await self._connection.send(payload)
        except ConnectionClosed as closed:
            raise ChannelLost(str(closed)) from None

    async def receive(self) -> bytes:
        try:
            return bytes(await self._connection.recv(decode=False))
        except ConnectionClosed as closed:
            raise ChannelLost(str(closed)) from None

    async def close(self, code: int, reason: str) -> None:
        await self._connection.aclose(code, reason)

    async def abort(self) -> None:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(self._connection.stream)


@asynccontextmanager
async def open_fake_coordinator(
    *, window_frames: int = 512, window_bytes: int = 1 << 20, receive_bytes_max: int = FRAME_BYTES_MAX
) -> AsyncIterator[FakeCoordinator]:
    """A fake coordinator for as long as the block runs; small windows bring snapshots about."""
    async with trio.open_nursery() as nursery:
        yield FakeCoordinator(
            nursery,
            window_frames=window_frames,
            window_bytes=window_bytes,
            receive_bytes_max=receive_bytes_max,
        )
        nursery.cancel_scope.cancel()
