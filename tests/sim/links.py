"""TCP connections in memory: bytes in order and late, of which a cut lets a prefix through, and silence that lies."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from coordinator.shell.poller import READ, WRITE
from tests.sim.agenda import Agenda

CAPACITY = 65_536


def nothing() -> None:
    """For an end that nobody looks at any more."""


class Pipe:
    """One direction of a connection. ``held`` bytes wait for :meth:`release`; a sender cannot tell."""

    def __init__(self, agenda: Agenda, luck: random.Random, latency_s: float, capacity: int) -> None:
        self.arrived = bytearray()
        self.ended: str | None = None
        self.capacity = capacity
        self.on_arrival: Callable[[], None] = nothing
        self.on_room: Callable[[], None] = nothing
        self._agenda, self._luck, self._latency_s = agenda, luck, latency_s
        self._flying: deque[bytes] = deque()
        self._flying_bytes = 0
        self._landed_held = 0
        self._held = False
        self._starved = False
        self._closing: str | None = None

    @property
    def held(self) -> bool:
        """Whether bytes wait somewhere on the way."""
        return self._held

    @property
    def room(self) -> int:
        """Bytes that a sender is rid of at once."""
        return self.capacity - self._flying_bytes - len(self.arrived)

    def push(self, data: bytes | bytearray | memoryview) -> int:
        """Send as much as there is room for. Raises BlockingIOError where there is none, BrokenPipeError at the end."""
        if self.ended or self._closing:
            raise BrokenPipeError
        taken = bytes(data[: max(0, self.room)])
        if len(taken) < len(data):
            self._starved = True
        if not taken:
            raise BlockingIOError
        self._flying.append(taken)
        self._flying_bytes += len(taken)
        self._agenda.after(self._latency_s * self._luck.uniform(0.5, 1.5), self._land)
        return len(taken)

    def close(self, how: str) -> None:
        """Nothing more will be sent; what is in flight arrives, then the end."""
        if self._closing is None and self.ended is None:
            self._closing = how
            self._agenda.after(self._latency_s, self._land)

    def cut(self, how: str) -> None:
        """The connection is lost: of what is in flight a prefix arrives, then the end."""
        if self.ended is not None:
            return
        whole = b"".join(self._flying)
        self._flying.clear()
        self._flying_bytes = 0
        if not self._held:
            self.arrived += whole[: self._luck.randint(0, len(whole))]
        self.ended = how
        self.on_arrival()
        self.on_room()

    def hold(self) -> None:
        """Nothing arrives from now on."""
        self._held = True

    def release(self) -> None:
        """What was held arrives, and what follows it."""
        self._held = False
        landed, self._landed_held = self._landed_held, 0
        for _ in range(landed):
            self._land()

    def read(self, most: int) -> bytes:
        """Take what has arrived. Raises BlockingIOError where nothing has, ConnectionResetError after a reset."""
        if self.arrived:
            data = bytes(self.arrived[:most])
            del self.arrived[:most]
            if self._starved and self.room > 0:
                self._starved = False
                self._agenda.after(0, self.on_room)
            return data
        if self.ended == "reset":
            raise ConnectionResetError
        if self.ended is None:
            raise BlockingIOError
        return b""

    def _land(self) -> None:
        if self.ended is not None:
            return
        if self._held:
            self._landed_held += 1
        elif self._flying:
            data = self._flying.popleft()
            self._flying_bytes -= len(data)
            self.arrived += data
            self.on_arrival()
        elif self._closing is not None:
            self.ended = self._closing
            self.on_arrival()
            self.on_room()


class Link:
    """One connection of a program to the coordinator: ``up`` to it, ``down`` from it."""

    def __init__(self, number: int, identity: str, up: Pipe, down: Pipe) -> None:
        self.number = number
        self.identity = identity
        self.up = up
        self.down = down
        self.server_is_dead = False

    def cut(self, how: str = "reset") -> None:
        """Both ends learn at once that it is lost."""
        self.up.cut(how)
        self.down.cut(how)


class ServerSocket:
    """The coordinator's end, with the part of a socket's face that the listener and its connections use."""

    def __init__(self, link: Link, fd: int, news: Callable[[], None]) -> None:
        self.link = link
        self._fd = fd
        self.closed = False
        link.up.on_arrival = news
        link.down.on_room = news

    def ready(self) -> int:
        """What the poller would say."""
        up, down = self.link.up, self.link.down
        return (READ if up.arrived or up.ended else 0) | (WRITE if down.room > 0 or down.ended else 0)

    def fileno(self) -> int:
        return self._fd

    def recv(self, most: int) -> bytes:
        return self.link.up.read(most)

    def send(self, data: bytes) -> int:
        return len(data) if self.link.server_is_dead else self.link.down.push(data)

    def sendmsg(self, buffers: Sequence[bytes | memoryview]) -> int:
        return self.send(b"".join(buffers))

    def shutdown(self, how: int) -> None:
        self.link.down.close("eof")

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.link.down.close("eof")
            self.link.up.cut("reset")

    def setsockopt(self, *option: Any) -> None:
        """Nothing here has options."""

    def setblocking(self, blocking: bool) -> None:
        """It never blocks."""

    def __enter__(self) -> "ServerSocket":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class SocketPoller:
    """An epoll set of these sockets."""

    def __init__(self) -> None:
        self._watched: dict[int, int] = {}
        self._sockets: dict[int, ServerSocket] = {}

    def add(self, sock: ServerSocket) -> None:
        """Know a socket by its descriptor; it is watched only once registered."""
        self._sockets[sock.fileno()] = sock

    def fileno(self) -> int:
        return -1

    def register(self, fd: int, events: int, /) -> None:
        self._watched[fd] = events

    def modify(self, fd: int, events: int, /) -> None:
        self._watched[fd] = events

    def unregister(self, fd: int, /) -> None:
        del self._watched[fd]
        self._sockets.pop(fd, None)

    def poll(self, timeout: float, max_events: int, /) -> list[tuple[int, int]]:
        ready = [(fd, self._sockets[fd].ready() & events) for fd, events in self._watched.items()]
        return [(fd, events) for fd, events in ready if events][:max_events]

    def close(self) -> None:
        """Nothing to give back."""
