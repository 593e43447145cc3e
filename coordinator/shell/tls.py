"""TLS for the listener: a socket that behaves like a plain one that never waits.

Theory of operation. The bytes of the network go through two memory buffers, and the library of TLS sits between
them. One thing is hard: what was encrypted must leave as it is, while a connection may still drop or replace what waits
whole. So as long as encrypted bytes wait, the last byte behind them counts as not taken: its frame has begun and stays,
and the byte is passed over when it is offered again.
"""

import os
import socket
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from coordinator.errors import TlsRefused

RECORD_BYTES: Final = 16_384
_PENDING_MAX: Final = 1 << 18
"""Encrypted bytes that nobody asked us to send, as for a peer that wants its keys changed again and again."""


def server_context(certificate: Path, key: Path | None, client_ca: Path | None) -> ssl.SSLContext:
    """TLS 1.3 with our certificate; with ``client_ca`` every client must show one that it signed. Raises TlsRefused."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    for file in filter(None, (certificate, key, client_ca)):
        if not os.path.isfile(file):
            raise TlsRefused(str(file), "there is no such file")
    try:
        # An empty password instead of none: OpenSSL would ask the terminal.
        context.load_cert_chain(certificate, key, password="")
    except (OSError, ssl.SSLError) as error:
        raise TlsRefused(str(certificate), _why(error)) from None
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (OSError, ssl.SSLError) as error:
            raise TlsRefused(str(client_ca), _why(error)) from None
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", None) or error.strerror or "it cannot be read"
    return str(reason).lower().replace("_", " ")


class TlsSocket:
    """What `Connection` needs of a socket, over TLS. Like a plain one it raises BlockingIOError rather than wait."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True)
        self._ready = False
        self._ended = False
        """Whether the closing alert has come: TLS takes nothing any more, and would keep it all."""
        self._pending = b""
        """Encrypted bytes the kernel has not taken."""
        self._owed = 0
        """1 while the first byte that will be offered has been encrypted already."""
        self.fileno = sock.fileno
        self.setsockopt = sock.setsockopt
        self.close = sock.close

    def recv(self, size: int) -> bytes:
        """What has come, decrypted; empty at the end of the stream. Raises OSError for what is no TLS."""
        data = self._sock.recv(size)
        if not data:
            return b""
        if self._ended:
            raise BlockingIOError
        self._in.write(data)
        found = b"".join(self._decrypted())
        self._flush()
        if len(self._pending) > _PENDING_MAX:
            raise OSError("the peer makes us send and does not read")
        if found:
            return found
        raise BlockingIOError

    def _decrypted(self) -> list[bytes]:
        chunks: list[bytes] = []
        try:
            if not self._ready:
                self._tls.do_handshake()
                self._ready = True
            while chunk := self._tls.read(RECORD_BYTES):
                chunks.append(chunk)
            self._ended = True  # by a closing alert; that the peer ends the stream as well is seen as such
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self._ended = True  # the same after our own
        except ssl.SSLError:
            self._flush()  # the alert that says why
            raise
        return chunks

    def send(self, data: bytes | memoryview) -> int:
        """How many bytes were taken; at least one, or BlockingIOError."""
        if not self._ready:
            raise OSError("nothing can be said before the handshake")
        if not self._flush():
            raise BlockingIOError
        taken, self._owed = self._owed, 0
        size = len(data)
        while taken < size:
            taken += self._tls.write(data[taken : taken + RECORD_BYTES])
            if not self._flush():
                break
        else:
            return taken
        if taken == size:
            self._owed = 1
            taken -= 1
        return taken

    def sendmsg(self, buffers: Sequence[bytes | memoryview]) -> int:
        """As `send`, of several buffers."""
        return self.send(b"".join(buffers))

    def shutdown(self, how: int) -> None:
        """Say that nothing more comes, and end our side of the stream."""
        try:
            if self._ready:
                self._tls.unwrap()
        except ssl.SSLWantReadError:
            pass  # our half is said; nobody waits for the other
        except ssl.SSLError:
            self._ready = False
        self._flush()
        self._sock.shutdown(how)

    def _flush(self) -> bool:
        """Whether the kernel has taken all that is encrypted."""
        self._pending += self._out.read()
        while self._pending:
            try:
                sent = self._sock.send(self._pending)
            except BlockingIOError:
                return False
            self._pending = self._pending[sent:]
        return True
