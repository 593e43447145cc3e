"""The HTTP port: a socket of our own, Hypercorn's trio worker on it, and a clean end."""

import errno
import logging
import socket
import ssl
from collections.abc import Callable, Collection
from functools import partial
from typing import cast

import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from hypercorn.typing import ASGIFramework

from coordinator.errors import AddressInUse
from coordinator.shell.view import View
from coordinator.web.app import make_app
from coordinator.web.feed import Feed

BACKLOG = 256
GRACE_S = 2.0
"""How long requests may go on after the stop; live streams end at once."""
STALL_MS = 10_000
"""A watcher whose computer has taken nothing for this long is cut."""

_WILDCARDS = frozenset({"", "0.0.0.0", "::"})

_hypercorn_log = logging.getLogger("hypercorn.error")
_hypercorn_log.setLevel(logging.WARNING)


async def serve_http(
    view: View,
    *,
    host: str,
    port: int,
    allowed_hosts: Collection[str] = (),
    stopping: trio.Event,
    tls: ssl.SSLContext | None = None,
    may_write: Callable[[str], bool | None] | None = None,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the site on `host`:`port` until `stopping` is set, then end within about `GRACE_S`.

    Reports the port through `task_status`, which matters for port 0. Requests must name the loopback interface, `host`
    (unless it stands for all interfaces) or one of `allowed_hosts`. `may_write` says whether a bearer may change
    anything; without it everybody may. Raises `AddressInUse`.
    """
    sock = await _bind(host, port)
    bound: int = sock.getsockname()[1]
    names = [*allowed_hosts] if host in _WILDCARDS else [*allowed_hosts, f"[{host}]" if ":" in host else host]
    feed = Feed(view)
    app = cast(ASGIFramework, make_app(view, feed, allowed_hosts=names, may_write=may_write, over_tls=tls is not None))
    config = _Config(tls)
    config.bind = [f"fd://{sock.detach()}"]  # Hypercorn makes a socket of the descriptor, and closes it.
    config.backlog = BACKLOG
    config.accesslog = None
    config.errorlog = _hypercorn_log
    config.graceful_timeout = GRACE_S
    config.include_server_header = False
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(serve, app, config, shutdown_trigger=stopping.wait))
        nursery.start_soon(feed.run, stopping)
        task_status.started(bound)


class _Config(Config):
    """Hypercorn's, with a TLS context of ours."""

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        super().__init__()
        self._tls = tls

    @property
    def ssl_enabled(self) -> bool:
        """Whether the port speaks TLS."""
        return self._tls is not None

    def create_ssl_context(self) -> ssl.SSLContext | None:
        """Ours, with what HTTP needs besides."""
        if self._tls is not None:
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


async def _bind(host: str, port: int) -> socket.socket:
    """A listening socket; what it accepts inherits its options."""
    found = await trio.socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Hypercorn shields its sending from cancellation: without this a browser that stopped reading would hold
            # its stream, and the stop of the daemon, for ever.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALL_MS)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressInUse(f"{host}:{port}") from None
        raise
    return sock
