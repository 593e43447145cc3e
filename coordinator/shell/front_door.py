"""What the listener does with sockets: let peers say hello, resume or take over, read what they send, see them off."""

from collections import deque
from functools import partial
from secrets import token_hex

import attrs
import structlog
import trio

from coordinator.credentials import Credential, Credentials
from coordinator.errors import CoordinatorError
from coordinator.shell.hearing import Hearing
from coordinator.shell.limits import SessionLimits
from coordinator.shell.listener import Connection
from coordinator.shell.office import Office
from coordinator.shell.peers import FRAME_BYTES, Paces, Peer, window_bytes
from coordinator.shell.requests import Requests
from protocol.auth import HashedToken, make_nonce, transcript
from protocol.codec import ReadLimits, encode_message, handshake_frame
from protocol.errors import WireError
from protocol.messages import Bye, Error, Hello, HistoryBegin, HistoryEnd, Proof, ProofWanted
from protocol.session import Answer, Session, Side, read_hello, read_proof

ACK_DELAY_S = 0.1
"""How long an acknowledgement may wait for a frame to ride on."""

LOOK_AGAIN_S = 2.0
"""Between two looks at the credentials file while nobody says hello."""

BACKLOG_MAX = 1 << 18
"""Records and answers that may wait for the disk before no peer is listened to any more; it comes back later."""

_REPLACED = 4009
_BAD = frozenset({"malformed", "unknown_message", "not_allowed", "too_deep", "too_long"})
"""What no program says that works as it should; a match or a player may well have become unknown meanwhile."""

_log = structlog.get_logger(__name__)


@attrs.frozen
class _Challenged:
    """A hello that waits for its proof, over what was ``said``. ``entry`` is None for an identity nobody knows."""

    hello: Hello
    entry: Credential | None
    hashes: tuple[HashedToken, ...]
    said: bytes


class FrontDoor:
    """The listener's handler. ``epoch`` names this life of the daemon: sessions of another one are not resumed."""

    def __init__(
        self,
        office: Office,
        *,
        software: str,
        session_keep_s: float = 60.0,
        limits: SessionLimits | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        self._credentials = credentials
        self._challenged: dict[int, _Challenged] = {}
        """Sockets that said hello and owe a proof, by connection."""
        self._paces: dict[str, Paces] = {}
        """Those of identities that were here lately, the newest last."""
        self.epoch = token_hex(8)
        self._office = office
        self._peers = office.peers
        self._limits = limits = SessionLimits() if limits is None else limits
        self._read_limits = ReadLimits(limits.depth, limits.list_length)
        self._requests = Requests(office, name_length=limits.name_length)
        self._hearing = Hearing(
            office,
            self._requests,
            unheard_frames=limits.unacknowledged,
            farewell=self._farewell,
            refuse=self._refuse,
            flush=self.batch_done,
        )
        self._software = software
        self._session_keep_s = session_keep_s
        self._ack_timer = False
        self._look_at = 0.0
        self._readings = 1

    # --- what the listener calls ------------------------------------------------------------------------------------

    def opened(self, conn: Connection, /) -> None:
        """A socket is open; it must say hello first."""

    def received(self, conn: Connection, payload: bytes, /) -> None:
        """One frame of a peer."""
        peer = self._peers.of(conn)
        if peer is None:
            self._meet(conn, payload)
            return
        session = peer.session
        if session is None or peer.conn is not conn:
            return
        now = trio.current_time()
        paces = peer.paces
        try:
            if not (paces.frames.take(now) and paces.bytes.take(now, len(payload))):
                raise WireError("rate", "frames come faster than allowed")
            self._check_backlog()
            self._hearing.check_credit(peer)
            before = session.received
            said = session.receive(payload)
        except WireError as error:
            self._cut(conn, error)
            return
        peer.heard_at = now
        if not paces.messages.take(now, len(said)):
            self._dismiss(peer, WireError("rate", "messages come faster than allowed"))
            return
        if session.ack_due:
            # What came before comes again because its acknowledgement was lost.
            self._peers.received(peer)
        seq = session.received if session.received > before else None
        self._hearing.hear(peer, session, said, len(payload), seq)

    def _check_backlog(self) -> None:
        """Credit bounds what one session has waiting for the disk, this what all of them have. Raises WireError."""
        if self._office.writer.backlog >= BACKLOG_MAX:
            raise WireError("busy", "the disk is too far behind; what this frame says can be said again later")

    def closed(self, conn: Connection, code: int, reason: str, /) -> None:
        """A socket is gone. What it means for the tables is decided after a grace, and by the rules."""
        self._challenged.pop(conn.conn_id, None)
        peer = self._peers.detach(conn)
        if peer is None:
            return
        _log.info("peer away", identity=peer.identity, code=int(code), reason=reason)
        self._office.timers.set(
            ("session", peer.identity),
            trio.current_time() + self._session_keep_s,
            lambda: self._forget(peer),
        )
        if peer.is_table:
            self._office.await_server(peer.identity)

    def _forget(self, peer: Peer) -> None:
        peer.unheard.clear()
        self._peers.forget(peer)

    def batch_done(self, /) -> None:
        """All ready sockets were read."""
        if self._credentials is not None and trio.current_time() >= self._look_at:
            self._look_at = trio.current_time() + LOOK_AGAIN_S
            self._shut_out(self._credentials)
        self._hearing.hear_the_crowded()
        self._office.settle()
        self._peers.flush()
        if self._peers.acks_owed and not self._ack_timer:
            self._ack_timer = True
            self._office.timers.set("acks", trio.current_time() + ACK_DELAY_S, self._send_acks)

    # --- hello ------------------------------------------------------------------------------------------------------

    def _meet(self, conn: Connection, payload: bytes) -> None:
        try:
            challenged = self._challenged.pop(conn.conn_id, None)
            if challenged is not None:
                self._check(conn, challenged, read_proof(payload))
                return
            hello = read_hello(payload, self._read_limits)
            self._check_backlog()
            if self._credentials is None:
                self._greet(conn, hello, None, "")
            elif hello.nonce is None:
                raise WireError("no_token", field="nonce", expected="a random word, and a proof after the challenge")
            else:
                self._challenge(conn, hello, payload, self._credentials)
        except WireError as error:
            self._cut(conn, error)

    def _challenge(self, conn: Connection, hello: Hello, payload: bytes, credentials: Credentials) -> None:
        """Ask for a proof. An identity nobody knows is asked like any other, and refused like a wrong token."""
        entry = credentials.find(hello.identity)
        hashes = credentials.hashes(hello.identity)
        asked = handshake_frame(ProofWanted(make_nonce(), hashes[0].salt.hex(), hashes[0].iterations))
        self._challenged[conn.conn_id] = _Challenged(hello, entry, hashes, transcript(payload, asked))
        conn.send(asked)

    def _check(self, conn: Connection, challenged: "_Challenged", proof: Proof) -> None:
        hello, entry = challenged.hello, challenged.entry
        hashed = next((each for each in challenged.hashes if each.accepts(proof.proof, challenged.said)), None)
        if hashed is None or entry is None:
            _log.warning("token refused", identity=hello.identity, peer=conn.peer)
            raise WireError("bad_token")
        if not entry.roles.issuperset(hello.roles):
            allowed = ", ".join(sorted(entry.roles))
            raise WireError("not_allowed", field="roles", expected=f"roles of: {allowed}", close_code=4001)
        self._greet(conn, hello, entry, hashed.answer(challenged.said))
        if (peer := self._peers.of(conn)) is not None:
            peer.proven = hashed

    def _shut_out(self, credentials: Credentials) -> None:
        """Whoever is not in the file any more, or not with that token, is out, connected or not."""
        credentials.look_again()
        if credentials.readings == self._readings:
            return
        self._readings = credentials.readings
        for peer in list(self._peers):
            entry = credentials.allows(peer.identity, peer.roles, peer.proven)
            if entry is not None:
                peer.realm, peer.may_seed = entry.realm, entry.may_seed
                continue
            _log.warning("shut out", identity=peer.identity)
            self._dismiss(peer, WireError("bad_token"))

    def _paces_of(self, identity: str) -> Paces:
        """How fast an identity may go: whoever says bye and comes again goes on where it stood."""
        paces = self._paces.pop(identity, None) or Paces(self._limits)
        self._paces[identity] = paces
        if len(self._paces) > self._limits.sessions:
            del self._paces[next(iter(self._paces))]
        return paces

    def _greet(self, conn: Connection, hello: Hello, entry: Credential | None, proof: str) -> None:
        paces = self._paces_of(hello.identity)
        if not paces.hellos.take(trio.current_time()):
            # Each costs the telling of all that the peer must know.
            raise WireError("rate", "hello is said too often")
        peer = self._peers.get(hello.identity)
        if peer is None:
            if len(self._peers) >= self._limits.sessions:
                self._cut(conn, WireError("busy"))
                return
            peer = Peer(
                hello.identity,
                tuple(hello.roles),
                hello.life,
                hello.software,
                tuple(hello.games),
                hello.capacity,
                trio.current_time(),
                paces=paces,
            )
            self._peers.add(peer)
        elif peer.conn is not None:
            if hello.life != peer.life and not peer.paces.lives.take(trio.current_time()):
                # Two processes under one identity throw each other out; the one that holds it now stays.
                self._office.raise_alarm(None, "identity_contested", f"{peer.identity} is taken over again and again")
                self._cut(conn, WireError("rate", "the identity was taken over too often"))
                return
            self._take_over(peer)
        conn.raise_limit()
        self._office.timers.cancel(("session", hello.identity))
        resumed = peer.session.resume(hello) if peer.session is not None else "snapshot"
        if peer.session is not None and peer.session.claimed_ahead:
            self._office.raise_alarm(None, "memory_lost", f"{peer.identity} has frames that were never sent to it")
        peer.realm = "" if entry is None else entry.realm
        peer.may_seed = entry is None or entry.may_seed
        self._peers.cast(peer, tuple(hello.roles))
        peer.life = hello.life
        peer.software = hello.software
        peer.games = tuple(hello.games)
        if resumed == "snapshot":
            # What was said and asked in a session ends with it, and not with its sockets.
            peer.capacity = hello.capacity
            self._peers.drain(peer, False)
            peer.watching.clear()
            peer.unheard.clear()
            peer.answers_due = 0
        self._peers.attach(peer, conn)
        answer: Answer = "new" if hello.session is None else resumed
        _log.info("peer here", identity=peer.identity, roles=peer.roles, peer=conn.peer, resumed=answer)
        if resumed == "snapshot":
            self._start_anew(peer, conn, hello, proof, answer)
        else:
            assert peer.session is not None, "a resumed session exists"
            conn.send(handshake_frame(peer.session.welcome(resumed, software=self._software, proof=proof)))
            self._peers.touch(peer)
        if peer.is_table:
            self._office.server_is_back(peer.identity)
            self._office.lose_server(peer.identity, but_life=peer.life)
            self._office.room_somewhere()

    def _start_anew(self, peer: Peer, conn: Connection, hello: Hello, proof: str, word: Answer) -> None:
        """A new session: the peer is told what it holds, once all that the telling rests on is on disk."""
        session = peer.session = Session(
            Side.COORDINATOR,
            session=token_hex(8),
            epoch=self.epoch,
            life=hello.life,
            window_frames=4096,
            window_bytes=window_bytes(hello.capacity, lobby="lobby" in hello.roles, most=self._limits.session_bytes),
            message_bytes_max=FRAME_BYTES,
            receive_bytes_max=self._limits.max_message,
            read_limits=self._read_limits,
            prompt_acks=False,
            unsettled_max=self._limits.unacknowledged,
        )
        welcome = session.welcome(word, software=self._software, proof=proof)
        conn.send(handshake_frame(welcome))
        told = self._office.tables_of(peer, hello.life) if peer.is_table else []
        # A lobby that is new hears it too: it may have forgotten what an earlier life of it was told.
        if "lobby" in peer.roles:
            told += self._office.matches_as_told() + self._office.tourneys.open_instances()
        owed = self._office.dues.of(peer.identity) if "lobby" in peer.roles else []
        snapshot = [
            encode_message(HistoryBegin("too old" if word == "snapshot" else "how it stands")),
            *told,
            encode_message(HistoryEnd()),
        ]
        if word == "new" and not told:
            snapshot = []
        # What has to be told is told whatever its size: cut for it, the peer would come back to the same for ever.
        session.window_bytes += sum(map(len, snapshot))
        # Even a peer with nothing to be told hears nothing that an earlier life of it was meant to hear.
        peer.mute = True

        def tell() -> None:
            if peer.session is session:
                peer.mute = False
                # What is owed first: who has heard the places of a match has heard what they win.
                for encoded in (*owed, *snapshot):
                    self._peers.send_encoded(peer, encoded)

        self._office.writer.append(None, tell)
        if "lobby" in peer.roles:
            self._tell_results(peer, session, deque(self._office.results_to_read()))

    def _tell_results(self, peer: Peer, session: Session, match_ids: deque[str]) -> None:
        """Behind its snapshot a lobby is told the results that are not in memory, each once it has been read back."""
        if match_ids and peer.session is session:
            self._office.archive.fetch(match_ids[0], partial(self._tell_result, peer, session, match_ids))

    def _tell_result(self, peer: Peer, session: Session, match_ids: deque[str], _: CoordinatorError | None) -> None:
        desk = self._office.desks.get(match_ids.popleft())
        if desk is not None and peer.session is session:
            told = self._office.match_as_told(desk)
            session.window_bytes += sum(map(len, told))

            def tell() -> None:
                if peer.session is session:
                    for encoded in told:
                        self._peers.send_encoded(peer, encoded)

            self._office.writer.append(None, tell)
            self.batch_done()
        self._tell_results(peer, session, match_ids)

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
        self._forget(peer)
        if peer.is_table:
            self._office.server_is_back(peer.identity)
            self._office.lose_server(peer.identity)

    def _refuse(self, peer: Peer, error: WireError) -> None:
        """Answer what cannot be done; a peer that asks for such things all the time is cut."""
        if error.code == "trespass":
            self._dismiss(peer, error)
        elif error.code not in _BAD or peer.paces.bad.take(trio.current_time()):
            self._requests.answer(peer, error.answer())
        else:
            self._dismiss(peer, WireError("rate", "too many messages cannot be read or are not allowed"))

    def _dismiss(self, peer: Peer, error: WireError) -> None:
        """Cut a peer in the middle of what it says. The rest is lost, so the session ends with the socket."""
        if peer.conn is not None:
            self._cut(peer.conn, error)
        self._peers.dismissed += 1
        peer.session = None

    def _cut(self, conn: Connection, error: WireError) -> None:
        """The conversation cannot go on: say why, outside the numbering, and close."""
        answer: Error = error.answer()
        conn.send(handshake_frame(answer))
        conn.close(error.close_code or 4000, error.code)

    def _send_acks(self) -> None:
        self._ack_timer = False
        self._peers.flush_acks()
