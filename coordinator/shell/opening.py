"""The opening handshake: which HTTP requests become a connection, and what the others are told."""

from collections.abc import Collection
from http import HTTPStatus

import attrs
from websockets.http11 import Request, Response

from coordinator.shell.websocket import WireProtocol


@attrs.frozen(slots=True, kw_only=True)
class OpeningRules:
    """What a request must look like, beyond RFC 6455."""

    subprotocols: tuple[str, ...]
    """Names of our wire versions, best first."""
    require_subprotocol: bool = True
    """Refuse (400) a peer that offers none of `subprotocols`."""
    paths: frozenset[str] = frozenset({"/"})
    """Paths that exist; others are 404."""
    hosts: Collection[str] | None = None
    """Values of ``Host`` that mean us; others are 421. None: any."""


def answer(protocol: WireProtocol, request: Request, rules: OpeningRules) -> Response:
    """The response to `request`; status 101 opens the connection.

    Browsers name the page they act for in ``Origin``. Nobody's page has business here, so any
    ``Origin`` is refused (403), which ends cross-site requests and DNS rebinding at once.
    """
    if request.method != "GET" or request.protocol != "HTTP/1.1":
        return protocol.accept(request)  # the library refuses with 405 or 505
    headers = request.headers
    hosts = headers.get_all("Host")
    if len(hosts) != 1:
        return protocol.reject(HTTPStatus.BAD_REQUEST, "exactly one Host header is needed\n")
    if rules.hosts is not None and hosts[0] not in rules.hosts:
        return protocol.reject(HTTPStatus.MISDIRECTED_REQUEST, "this is another host\n")
    if request.path.partition("?")[0] not in rules.paths:
        return protocol.reject(HTTPStatus.NOT_FOUND, "no such path\n")
    if "Origin" in headers:
        return protocol.reject(HTTPStatus.FORBIDDEN, "requests of web pages are not served here\n")
    versions = headers.get_all("Sec-WebSocket-Version")
    if len(versions) == 1 and versions[0] != "13":
        response = protocol.reject(HTTPStatus.UPGRADE_REQUIRED, "WebSocket version 13 is needed\n")
        response.headers["Upgrade"] = "websocket"
        response.headers["Sec-WebSocket-Version"] = "13"
        return response
    return protocol.accept(request)
