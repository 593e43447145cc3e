"""The front door for WebSocket peers: one task, one epoll set, every connection.

Theory of operation. `Listener.serve` waits for the epoll set as a whole, asks it which sockets are
ready, handles each of them without waiting, and lets the handler flush. No trio primitive is paid
per message, and one stuck peer cannot hold anybody, because nothing here waits for a peer. Each
`SWEEP_S` the same task looks at what time alone has made due.

With `tls` every socket speaks TLS from its first byte (`coordinator.shell.tls`).
"""

import errno
import logging
import socket
import ssl
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from itertools import count
from types import MappingProxyType

import trio

from coordinator.shell.binding import listening
from coordinator.shell.connection import Connection, Handler, TextReceiver, log_bug
from coordinator.shell.deadlines import Deadlines
from coordinator.shell.limits import Counters, Limits
from coordinator.shell.opening import OpeningRules
from coordinator.shell.poller import READ, WRITE, Poller, make_poller
from coordinator.shell.tls import TlsSocket
from coordinator.shell.websocket import build_frame

__all__ = ["Connection", "Counters", "Handler", "Limits", "Listener", "build_frame"]

SWEEP_S = 0.25
"""Between two looks at the deadlines."""
EVENTS_PER_PASS = 256
"""Sockets handled before other tasks get their turn; epoll rotates, so nobody is left out."""
ACCEPTS_PER_PASS = 128
BACKLOG = 4096

_OUT_OF_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"

_log = logging.getLogger(__name__)


class Listener:
    """Accepts WebSocket peers on one address and tells `handler` what they say.

    `now` is the clock of all deadlines (seconds). `allowed_hosts` lists the values of ``Host`` that
    mean us (None: any). A text message is refused with 1003 unless `on_text` is given. `poller` is
    what to wait with, by default the best of the system; it is closed with the listener.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        host: str,
        port: int,
        limits: Limits | None = None,
        now: Callable[[], float] = trio.current_time,
        subprotocols: tuple[str, ...] = ("coordinator.msgpack.v1",),
        require_subprotocol: bool = True,
        allowed_hosts: Collection[str] | None = None,
        on_text: TextReceiver | None = None,
        poller: Poller | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.handler = handler
        self.on_text = on_text
        self.limits = Limits() if limits is None else limits
        self.rules = OpeningRules(
            subprotocols=subprotocols, require_subprotocol=require_subprotocol, hosts=allowed_hosts
        )
        self.counters = Counters()
        self._tls = tls
        self.poller = make_poller() if poller is None else poller
        self.deadlines: Deadlines[Connection] = Deadlines()
        self.now = now
        self.pass_at = 0.0
        self._host = host
        self._port = port
        self._ids = count(1)
        self._by_fd: dict[int, Connection] = {}
        self._open: dict[int, Connection] = {}
        self._ended: deque[tuple[Connection, int, str]] = deque()
        self._unauthenticated = 0
        self._strangers: Counter[str] = Counter()
        """Unauthenticated sockets by address."""
        self._socket: socket.socket | None = None
        self._accepting = False
        self._serving = False
        self._stopping = False
        self._busy = False
        self._nap = trio.CancelScope()
        self._all_gone = trio.Event()

    @property
    def connections(self) -> Mapping[int, Connection]:
        """The connections between `Handler.opened` and `Handler.closed`, by `conn_id`; a live view.

        It changes only between calls of the handler, so one may send and close while iterating.
        """
        return MappingProxyType(self._open)

    @property
    def sockets(self) -> int:
        """Sockets held, those included that are still opening or closing."""
        return len(self._by_fd)

    async def serve(self, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen until cancelled or `aclose`; reports the bound port once peers can connect.

        Call it once. When cancelled, each peer is still sent Close 1001 as far as that needs no waiting.

        Raises `AddressInUse`, or `OSError` if the address cannot be had for another reason.
        """
        self._serving = True
        try:
            sock = self._socket = await listening(self._host, self._port, backlog=BACKLOG)
            self._resume_accepting()
            task_status.started(sock.getsockname()[1])
            while not (self._stopping and not self._by_fd):
                # Only one cancel scope per sweep: they cost more than reading a message.
                with trio.CancelScope(deadline=trio.current_time() + SWEEP_S) as self._nap:
                    while not (self._stopping and not self._by_fd):
                        await trio.lowlevel.wait_readable(self.poller.fileno())
                        self._pass()
                self._sweep()
        finally:
            self._stop_accepting()
            for conn in list(self._by_fd.values()):
                conn.close(1001, "going away")
                conn.drop(1001, "going away")
            self._tell_ended()
            self.poller.close()
            self._all_gone.set()

    async def aclose(self, code: int = 1012, reason: str = "service restart", grace_s: float | None = None) -> None:
        """Stop accepting, close every connection with `code` and return when all are gone.

        What still is not gone after `grace_s` (default: `Limits.close_timeout_s`) is cut by force,
        so this ends in bounded time whatever the peers do. `serve` returns as well.
        """
        self._stopping = True
        if not self._serving:
            return
        self._stop_accepting()
        for conn in list(self._by_fd.values()):
            conn.close(code, reason)
        self._wake()
        with trio.move_on_after(self.limits.close_timeout_s if grace_s is None else grace_s):
            await self._all_gone.wait()
        for conn in list(self._by_fd.values()):
            conn.abort()
        self._wake()
        await self._all_gone.wait()

    # One turn of the loop.

    def _pass(self) -> None:
        """Handle what is ready now, then let the handler flush."""
        self._busy = True
        self.pass_at = self.now()
        listening = -1 if self._socket is None else self._socket.fileno()
        try:
            for fd, events in self.poller.poll(0, EVENTS_PER_PASS):
                if fd == listening:
                    self._accept()
                    continue
                conn = self._by_fd.get(fd)
                if conn is None:
                    continue  # closed earlier in this pass
                try:
                    if events & WRITE:
                        conn.writable()
                    if events & ~WRITE:
                        conn.readable()
                except Exception as error:
                    self._contain(conn, error)
            self._settle()
        finally:
            self._busy = False

    def _sweep(self) -> None:
        """Look at the deadlines that have passed, and at what happened outside a pass."""
        self._busy = True
        self.pass_at = self.now()
        try:
            if not self._stopping and not self._accepting:
                self._resume_accepting()
            for conn in self.deadlines.pop_due(self.pass_at):
                try:
                    conn.attend(self.pass_at)
                except Exception as error:
                    self._contain(conn, error)
            if self._ended:
                self._settle()
        finally:
            self._busy = False

    def _settle(self) -> None:
        """Report ends and flush, until flushing has ended nobody else."""
        self._tell_ended()
        self.handler.batch_done()
        while self._ended:
            self._tell_ended()
            self.handler.batch_done()

    def _tell_ended(self) -> None:
        while self._ended:
            conn, code, reason = self._ended.popleft()
            del self._open[conn.conn_id]
            try:
                self.handler.closed(conn, code, reason)
            except Exception as error:
                conn.fail(error)

    def _contain(self, conn: Connection, error: Exception) -> None:
        """An error of our own code about one connection must not reach the others."""
        self.counters.handler_errors += 1
        log_bug(error, repr(conn))
        conn.abort()

    def _wake(self) -> None:
        """Bring the next sweep forward, unless this is the task that will settle anyway."""
        if not self._busy:
            self._nap.cancel()

    # What connections report.

    def connection_opened(self, conn: Connection, /) -> None:
        """Part of `connection.Owner`."""
        self.counters.opened += 1
        self._open[conn.conn_id] = conn
        try:
            self.handler.opened(conn)
        except Exception as error:
            conn.fail(error)

    def connection_authenticated(self, conn: Connection, /) -> None:
        """Part of `connection.Owner`."""
        self._known(conn)

    def connection_ended(self, conn: Connection, code: int, reason: str, /) -> None:
        """Part of `connection.Owner`."""
        if conn.conn_id in self._open:
            self._ended.append((conn, code, reason))
            self._wake()

    def connection_gone(self, conn: Connection, /) -> None:
        """Part of `connection.Owner`."""
        del self._by_fd[conn.fd]
        if not conn.authenticated:
            self._known(conn)
        if self._stopping and not self._by_fd:
            self._wake()

    def _known(self, conn: Connection) -> None:
        """A socket is no stranger any more: its place is free."""
        self._unauthenticated -= 1
        self._strangers[conn.host] -= 1
        if not self._strangers[conn.host]:
            del self._strangers[conn.host]

    # Accepting.

    def _resume_accepting(self) -> None:
        if self._socket is not None:
            self.poller.register(self._socket.fileno(), READ)
            self._accepting = True

    def _pause_accepting(self) -> None:
        # The socket stays readable: watching it further would spin until somebody leaves.
        if self._socket is not None and self._accepting:
            self.poller.unregister(self._socket.fileno())
            self._accepting = False

    def _stop_accepting(self) -> None:
        self._pause_accepting()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _accept(self) -> None:
        for _ in range(ACCEPTS_PER_PASS):
            if self._socket is None:
                return
            try:
                sock, address = self._socket.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _OUT_OF_RESOURCES:
                    self.counters.accept_pauses += 1
                    _log.warning("accepting pauses: %s", error.strerror)
                    self._pause_accepting()
                    return
                continue  # this peer has left the queue already
            self.counters.accepted += 1
            try:
                self._admit(sock, address)
            except OSError:  # reset before we could look at it
                sock.close()

    def _admit(self, sock: socket.socket, address: tuple[str, int]) -> None:
        sock.setblocking(False)
        host, port = address[:2]
        host = f"[{host}]" if ":" in host else host
        if (
            self._unauthenticated >= self.limits.max_unauthenticated
            or self._strangers[host] >= self.limits.max_unauthenticated_per_address
        ):
            self.counters.refused += 1
            with sock:
                if self._tls is None:
                    sock.send(_BUSY)
                sock.shutdown(socket.SHUT_WR)
            return
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.limits.send_buffer)
        self.poller.register(sock.fileno(), READ)
        wire = sock if self._tls is None else TlsSocket(sock, self._tls)
        conn = Connection(self, next(self._ids), wire, f"{host}:{port}")
        self._by_fd[conn.fd] = conn
        self._unauthenticated += 1
        self._strangers[host] += 1
