"""A socket that listens."""

import errno
import socket

import trio

from coordinator.errors import AddressInUse


async def listening(host: str, port: int, *, backlog: int) -> socket.socket:
    """A TCP socket on this address, every address where ``host`` is empty; it never blocks.

    Port 0 lets the system choose one. Raises AddressInUse, or OSError with the system's reason.
    """
    found = await trio.socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind(address)
        sock.listen(backlog)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressInUse(f"{host}:{port}") from None
        raise
    return sock
