"""What the listener does with sockets: let peers say hello, resume or take over, read what they send, see them off."""

from secrets import token_hex

import structlog
import trio

from coordinator.shell.listener import Connection
from coordinator.shell.office import Office
from coordinator.shell.peers import FRAME_BYTES, Peer, window_bytes
from coordinator.shell.requests import Requests
from protocol.codec import encode_message, handshake_frame
from protocol.errors import WireError
from protocol.messages import Bye, Error, Hello, HistoryBegin, HistoryEnd
from protocol.session import Session, Side, read_hello

ACK_DELAY_S = 0.1
"""How long an acknowledgement may wait for a frame to ride on."""

_REPLACED = 4009
_log = structlog.get_logger(__name__)


class FrontDoor:
    """The listener's handler. ``epoch`` names this life of the daemon: sessions of another one are not resumed."""

    def __init__(
        self,
        office: Office,
        *,
        software: str,
        session_keep_s: float = 60.0,
        max_message: int = 65_536,
        max_sessions: int = 10_000,
    ) -> None:
        self.epoch = token_hex(8)
        self._office = office
        self._peers = office.peers
        self._requests = Requests(office)
        self._software = software
        self._session_keep_s = session_keep_s
        self._max_message = max_message
        self._max_sessions = max_sessions
        self._ack_timer = False

    # --- what the listener calls ------------------------------------------------------------------------------------

    def opened(self, conn: Connection, /) -> None:
        """A socket is open; it must say hello first."""

    def received(self, conn: Connection, payload: bytes, /) -> None:
        """One frame of a peer."""
        peer = self._peers.of(conn)
        if peer is None:
            self._greet(conn, payload)
            return
        session = peer.session
        if session is None or peer.conn is not conn:
            return
        try:
            said = session.receive(payload)
        except WireError as error:
            self._cut(conn, error)
            return
        peer.heard_at = trio.current_time()
        for message in said:
            if isinstance(message, WireError):
                self._requests.answer(peer, message.answer())
            elif isinstance(message, Bye):
                self._farewell(peer)
            else:
                try:
                    self._requests.read(peer, message)
                except WireError as error:
                    self._requests.answer(peer, error.answer())
            if peer.conn is not conn:
                return
        self._peers.received(peer)

    def closed(self, conn: Connection, code: int, reason: str, /) -> None:
        """A socket is gone. What it means for the tables is decided after a grace, and by the rules."""
        peer = self._peers.detach(conn)
        if peer is None:
            return
        _log.info("peer away", identity=peer.identity, code=code, reason=reason)
        self._office.timers.set(
            ("session", peer.identity),
            trio.current_time() + self._session_keep_s,
            lambda: self._peers.forget(peer),
        )
        if peer.is_table:
            self._office.await_server(peer.identity)

    def batch_done(self, /) -> None:
        """All ready sockets were read."""
        self._office.settle()
        self._peers.flush()
        if self._peers.acks_owed and not self._ack_timer:
            self._ack_timer = True
            self._office.timers.set("acks", trio.current_time() + ACK_DELAY_S, self._send_acks)

    # --- hello ------------------------------------------------------------------------------------------------------

    def _greet(self, conn: Connection, payload: bytes) -> None:
        try:
            hello = read_hello(payload)
        except WireError as error:
            self._cut(conn, error)
            return
        peer = self._peers.get(hello.identity)
        if peer is None:
            if len(self._peers) >= self._max_sessions:
                self._cut(conn, WireError("rate", "the coordinator holds as many sessions as it may"))
                return
            peer = Peer(
                hello.identity,
                tuple(hello.roles),
                hello.life,
                hello.software,
                tuple(hello.games),
                hello.capacity,
                trio.current_time(),
            )
            self._peers.add(peer)
        elif peer.conn is not None:
            self._take_over(peer)
        conn.raise_limit()
        self._office.timers.cancel(("session", hello.identity))
        resumed = peer.session.resume(hello) if peer.session is not None else "snapshot"
        if peer.session is not None and peer.session.claimed_ahead:
            self._office.raise_alarm(None, "memory_lost", f"{peer.identity} has frames that were never sent to it")
        peer.roles = tuple(hello.roles)
        peer.life = hello.life
        peer.software = hello.software
        peer.games = tuple(hello.games)
        if resumed == "snapshot":
            # What was said and asked in a session ends with it, and not with its sockets.
            peer.capacity = hello.capacity
            peer.draining = False
            peer.watching.clear()
        self._peers.attach(peer, conn)
        _log.info("peer here", identity=peer.identity, roles=peer.roles, peer=conn.peer, resumed=resumed)
        if resumed == "snapshot":
            self._start_anew(peer, conn, hello)
        else:
            assert peer.session is not None, "a resumed session exists"
            conn.send(handshake_frame(peer.session.welcome(resumed, software=self._software)))
            self._peers.touch(peer)
        if peer.is_table:
            self._office.server_is_back(peer.identity)
            self._office.lose_server(peer.identity, but_life=peer.life)
            self._office.room_somewhere()

    def _start_anew(self, peer: Peer, conn: Connection, hello: Hello) -> None:
        """A new session: the peer is told what it holds, once all that the telling rests on is on disk."""
        session = peer.session = Session(
            Side.COORDINATOR,
            session=token_hex(8),
            epoch=self.epoch,
            life=hello.life,
            window_frames=4096,
            window_bytes=window_bytes(hello.capacity, lobby="lobby" in hello.roles),
            message_bytes_max=FRAME_BYTES,
            receive_bytes_max=self._max_message,
        )
        word = "new" if hello.session is None else "snapshot"
        conn.send(handshake_frame(session.welcome(word, software=self._software)))  # type: ignore[arg-type]
        told = self._office.tables_of(peer, hello.life) if peer.is_table else []
        # A lobby that is new hears it too: it may have forgotten what an earlier life of it was told.
        if "lobby" in peer.roles:
            told += self._office.matches_as_told() + self._office.tourneys.open_instances()
        owed = self._office.tourneys.dues_of(peer.identity) if "lobby" in peer.roles else []
        snapshot = [
            encode_message(HistoryBegin("too old" if word == "snapshot" else "tables held")),
            *told,
            encode_message(HistoryEnd()),
        ]
        if word == "new" and not told:
            snapshot = []
        # Even a peer with nothing to be told hears nothing that an earlier life of it was meant to hear.
        peer.mute = True

        def tell() -> None:
            if peer.session is session:
                peer.mute = False
                for encoded in (*snapshot, *owed):
                    self._peers.send_encoded(peer, encoded)

        self._office.writer.append(None, tell)

    def _take_over(self, peer: Peer) -> None:
        """The newest socket of an identity wins (R-RC-01); the older one hears why and is not listened to."""
        old = peer.conn
        assert old is not None, "only a connected peer is taken over"
        self._peers.detach(old)
        old.send(handshake_frame(Bye("replaced", "a newer socket of the same identity came")))
        old.close(_REPLACED, "replaced")

    # --- leaving and errors -----------------------------------------------------------------------------------------

    def _farewell(self, peer: Peer) -> None:
        """A peer leaves for good: its tables need not wait for it."""
        conn = peer.conn
        if conn is not None:
            self._peers.detach(conn)
            conn.close(1000, "bye")
        self._peers.forget(peer)
        if peer.is_table:
            self._office.server_is_back(peer.identity)
            self._office.lose_server(peer.identity)

    def _cut(self, conn: Connection, error: WireError) -> None:
        """The conversation cannot go on: say why, outside the numbering, and close."""
        answer: Error = error.answer()
        conn.send(handshake_frame(answer))
        conn.close(error.close_code or 4000, error.code)

    def _send_acks(self) -> None:
        self._ack_timer = False
        self._peers.flush_acks()
