"""The HTTP port: a socket of our own, the site on it, and a clean end."""

import logging
import ssl
from collections.abc import Collection
from typing import cast

import trio
from hypercorn.config import Config
from hypercorn.typing import ASGIFramework

from coordinator.shell.binding import listening
from coordinator.shell.view import View
from coordinator.web.app import make_app
from coordinator.web.bearers import MayWrite
from coordinator.web.connections import ROOM, Connections
from coordinator.web.feed import Feed
from coordinator.web.share import HTTP_SHARE

BACKLOG = 256
GRACE_S = 2.0
"""How long requests may go on after the stop; live streams end at once."""
HANDSHAKE_S = 5.0
"""Time for the opening of TLS; a connection without a request has as long."""

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
    may_write: MayWrite | None = None,
    room: int = ROOM,
    share: float = HTTP_SHARE,
    task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve the site on `host`:`port` until `stopping` is set, then end within about `GRACE_S`.

    Reports the port through `task_status`, which matters for port 0. Requests must name the loopback interface, `host`
    (unless it stands for all interfaces) or one of `allowed_hosts`. `may_write` says whether a bearer may change
    anything; without it everybody may. `room` is for so many connections, and `share` is all of the daemon's time that
    they may take. Raises `AddressInUse`.
    """
    sock = trio.socket.from_stdlib_socket(await listening(host, port, backlog=BACKLOG))
    names = [*allowed_hosts] if host in _WILDCARDS else [*allowed_hosts, f"[{host}]" if ":" in host else host]
    feed = Feed(view, share / 2)
    app = make_app(view, feed, allowed_hosts=names, may_write=may_write, over_tls=tls is not None, share=share / 2)
    if tls is not None:
        tls.set_alpn_protocols(["http/1.1"])
    connections = Connections(cast(ASGIFramework, app), _config(), room=room)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connections.serve, sock, tls, stopping, GRACE_S)
        nursery.start_soon(feed.run, stopping)
        task_status.started(sock.getsockname()[1])


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = _hypercorn_log
    config.keep_alive_timeout = HANDSHAKE_S
    config.ssl_handshake_timeout = HANDSHAKE_S
    config.include_server_header = False
    return config
