"""Who is connected: one peer per identity, with its session, and its socket while it has one."""

from collections.abc import Iterator, Sequence

import attrs
import trio

from coordinator.journal.moments import Reach, pass_by
from coordinator.shell.connection import SLOW_CONSUMER, Connection
from coordinator.shell.limits import SessionLimits
from coordinator.shell.pace import Bucket, per_minute, per_second
from coordinator.shell.unheard import Unheard
from protocol.auth import HashedToken
from protocol.codec import encode_message
from protocol.errors import WireError
from protocol.messages import Message, Role
from protocol.session import Session

ROOM_BYTES = 65_536
"""A peer with more than this still to take is not handed more; far below what gets it cut."""
FRAME_BYTES = 131_072
"""Largest frame that is built for a peer."""
WINDOW_BYTES = 1 << 20
WINDOW_BYTES_PER_TABLE = 2_048
LOBBY_WINDOW_BYTES = 1 << 26
TABLES_AT_MOST = 20_000
"""Tables of one server beyond this do not widen its window any more."""


def window_bytes(capacity: int, *, lobby: bool = False, most: int = LOBBY_WINDOW_BYTES) -> int:
    """What may be kept for a peer, never more than ``most``.

    All the tables a server may hold can be seated in one moment, and a lobby hears of every player of every match.
    """
    wanted = WINDOW_BYTES + WINDOW_BYTES_PER_TABLE * min(capacity, TABLES_AT_MOST)
    return min(most, max(wanted, LOBBY_WINDOW_BYTES) if lobby else wanted)


class Paces:
    """How fast one peer may go. They outlive its sockets and its sessions, so that coming again buys nothing."""

    __slots__ = ("bad", "bytes", "frames", "hellos", "lives", "messages", "trespasses")

    def __init__(self, limits: SessionLimits) -> None:
        self.frames: Bucket = per_second(limits.frames_per_s)
        self.messages: Bucket = per_second(limits.messages_per_s)
        self.bytes: Bucket = per_second(limits.bytes_per_s)
        self.bad: Bucket = per_minute(limits.bad_messages_per_minute)
        self.trespasses: Bucket = per_minute(limits.trespasses_per_minute)
        self.lives: Bucket = per_minute(limits.lives_per_minute)
        self.hellos: Bucket = per_minute(limits.hellos_per_minute)


@attrs.define(eq=False)
class Peer:
    """A program that said hello. ``session`` is None once too much was missed: on return it gets the snapshot.

    ``mute`` holds while a snapshot of the peer's tables waits for the commits it rests on: what is released
    before then is part of the snapshot already. ``unheard`` is what it has said and waits to be heard, ``answers_due``
    the bytes set aside in its session for answers that wait for the disk.
    """

    identity: str
    roles: tuple[Role, ...]
    life: str
    software: str
    games: tuple[str, ...]
    capacity: int
    since: float
    session: Session | None = None
    conn: Connection | None = None
    address: str = ""
    draining: bool = False
    mute: bool = False
    away_since: float | None = None
    heard_at: float = 0.0
    hands: int = 0
    invalid: int = 0
    """Reports of hands that broke a rule."""
    watching: dict[str, int] = attrs.field(factory=dict)
    unheard: Unheard = attrs.field(factory=Unheard)
    answers_due: int = 0
    realm: str = ""
    may_seed: bool = True
    proven: HashedToken | None = None
    """What is stored of the token that it came in with, where there are credentials."""
    paces: Paces = attrs.field(factory=lambda: Paces(SessionLimits()))

    @property
    def is_table(self) -> bool:
        """Whether this peer deals cards."""
        return "table" in self.roles


class Peers:
    """All peers by identity, and what waits to be sent to them.

    Messages gather until :meth:`flush`, which sends each peer everything that is ready in one frame.
    """

    def __init__(self, reach: Reach = pass_by) -> None:
        self._reach = reach
        self._by_identity: dict[str, Peer] = {}
        self._by_conn: dict[int, Peer] = {}
        self._by_role: dict[Role, list[Peer]] = {}
        """Who holds a role, since somebody last asked; empty once that may have changed."""
        self.draining: dict[Peer, None] = {}
        """Table servers that want no more tables."""
        self._touched: dict[Peer, None] = {}
        self._owes_ack: dict[Peer, None] = {}
        self.hellos = 0
        """Sessions that were opened or resumed."""
        self.dismissed = 0
        """Sessions ended because of what a peer did too often."""
        self.overflows = 0
        """Sessions forgotten because a peer did not read."""
        self.moves = 0
        """How often somebody came, went or was forgotten."""

    def __iter__(self) -> Iterator[Peer]:
        return iter(self._by_identity.values())

    def __len__(self) -> int:
        return len(self._by_identity)

    def get(self, identity: str) -> Peer | None:
        """The peer of this identity, connected or away."""
        return self._by_identity.get(identity)

    def of(self, conn: Connection) -> Peer | None:
        """The peer that speaks through this socket."""
        return self._by_conn.get(conn.conn_id)

    def add(self, peer: Peer) -> None:
        """Know a peer by its identity."""
        self._by_identity[peer.identity] = peer
        self._by_role.clear()

    def cast(self, peer: Peer, roles: tuple[Role, ...]) -> None:
        """The roles that a peer holds from now on."""
        if roles != peer.roles:
            peer.roles = roles
            self._by_role.clear()

    def drain(self, peer: Peer, draining: bool) -> None:
        """Whether a table server wants no more tables."""
        peer.draining = draining
        if draining:
            self.draining[peer] = None
        else:
            self.draining.pop(peer, None)

    def forget(self, peer: Peer) -> None:
        """Know this peer no more."""
        if self._by_identity.get(peer.identity) is peer:
            del self._by_identity[peer.identity]
            self._by_role.clear()
            self.draining.pop(peer, None)
            self.moves += 1

    def attach(self, peer: Peer, conn: Connection) -> None:
        """From now on the peer speaks through this socket."""
        self.hellos += 1
        self.moves += 1
        peer.conn = conn
        peer.address = conn.peer
        peer.away_since = None
        self._by_conn[conn.conn_id] = peer

    def detach(self, conn: Connection) -> Peer | None:
        """A socket is gone. Returns its peer if that has no newer one, else None: a successor is never touched."""
        peer = self._by_conn.pop(conn.conn_id, None)
        if peer is None or peer.conn is not conn:
            return None
        self.moves += 1
        peer.conn = None
        peer.away_since = trio.current_time()
        return peer

    def with_role(self, role: Role) -> Sequence[Peer]:
        """All peers that hold a role, in the order they first came."""
        found = self._by_role.get(role)
        if found is None:
            found = self._by_role[role] = [peer for peer in self._by_identity.values() if role in peer.roles]
        return found

    def tell_lobbies(self, message: Message) -> None:
        """Say the same to every lobby, encoded once."""
        encoded = encode_message(message)
        for peer in self.with_role("lobby"):
            self.send_encoded(peer, encoded)

    def send(self, peer: Peer, message: Message) -> None:
        """Say something to one peer, kept until it has it."""
        self.send_encoded(peer, encode_message(message))

    def send_encoded(self, peer: Peer, encoded: bytes) -> None:
        """As :meth:`send`, for a message that is encoded once and said to many."""
        session = peer.session
        if session is None or peer.mute or session.overflow:
            return
        try:
            session.queue(encoded)
        except WireError:
            # A message no frame can carry would block the session for ever; the snapshot tells it in parts.
            session.overflow = True
        self._touched[peer] = None

    def touch(self, peer: Peer) -> None:
        """Something of this peer's session may be ready to be sent."""
        self._touched[peer] = None

    def received(self, peer: Peer) -> None:
        """A frame of this peer was read: it is owed an acknowledgement."""
        if peer.session is not None and peer.session.ack_due:
            self._owes_ack[peer] = None

    def flush(self) -> None:
        """Send every peer what is ready, in one frame where the limits allow.

        A peer that is still taking what it was sent before gets more when it has made room: the listener calls again
        after every pass over its sockets.
        """
        if not self._touched:
            return
        touched, self._touched = self._touched, {}
        for peer in touched:
            session, conn = peer.session, peer.conn
            if session is None:
                continue
            if conn is not None and not session.overflow:
                while conn.waiting_bytes < ROOM_BYTES and (frame := session.take_frame()) is not None:
                    conn.send(frame)
                    self._reach("one peer told")
                if session.pending:
                    self._touched[peer] = None
            self._check_window(peer, session)

    def flush_acks(self) -> None:
        """Acknowledge what no other frame has acknowledged meanwhile."""
        owed, self._owes_ack = self._owes_ack, {}
        for peer in owed:
            if peer.session is not None and peer.conn is not None:
                frame = peer.session.take_ack()
                if frame is not None:
                    peer.conn.send(frame)

    @property
    def acks_owed(self) -> bool:
        """Whether somebody waits for an acknowledgement."""
        return bool(self._owes_ack)

    def _check_window(self, peer: Peer, session: Session) -> None:
        """A peer that does not read, or stays away too long, is cut. It comes back to a snapshot."""
        if not session.overflow:
            return
        self.overflows += 1
        peer.session = None
        if peer.conn is not None:
            peer.conn.close(SLOW_CONSUMER, "too much was waiting")
