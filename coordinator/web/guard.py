"""What holds for every answer: the request was meant for us, and the browser keeps to our own files.

A page elsewhere can make a visitor's browser ask us under another name (DNS rebinding); it is told apart by ``Host``.
"""

import re
from collections.abc import Iterable
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coordinator.web.bearers import MayWrite
from coordinator.web.problems import problem_response
from coordinator.web.share import HEALTH

BODY_BYTES = 1 << 20
"""Largest body of a request."""

_LENGTH = re.compile(r"[0-9]{1,9}")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


_CLOSING = {"connection": "close"}
_WRONG_HOST = problem_response(
    HTTPStatus.MISDIRECTED_REQUEST,
    "wrong_host",
    "This name is not one of the coordinator's. Use a name it was configured with, or add this one to them.",
)
_TWO_LENGTHS = problem_response(
    HTTPStatus.BAD_REQUEST,
    "two_lengths",
    "A body has a Content-Length or a Transfer-Encoding, and never both.",
    headers=_CLOSING,
)
_CROWDED = problem_response(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "too_many_connections",
    "More connections than the coordinator takes. Ask again in a few seconds.",
    headers={"retry-after": "5", **_CLOSING},
)


def host_name(value: str) -> str:
    """The name in a ``Host`` value: without port, in small letters, IPv6 addresses in brackets."""
    name, colon, port = value.strip().lower().rpartition(":")
    if colon and (port.isdecimal() or not port) and ("]" in name or ":" not in name):
        return name
    return value.strip().lower()


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


class Guard:
    """Wraps the application: 421 for requests to other names, our headers on everything else.

    `allowed_hosts` are the names that mean us besides those of the loopback interface; a port given with a name is
    ignored. A body with two lengths is refused (400): a proxy in between may have gone by the other one.

    On a connection that is one too many (`coordinator.web.connections`) nothing but `HEALTH` is answered.

    What would change something (any method but GET, HEAD and OPTIONS) must come from our own pages or from no page
    (403), carry ``Authorization: Bearer IDENTITY:TOKEN`` that `may_write` accepts (401; 429 where it says None), and be
    small (413).
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed_hosts: Iterable[str],
        *,
        may_write: MayWrite | None = None,
        over_tls: bool = False,
    ) -> None:
        self._may_write = may_write
        self._headers = {**_HEADERS, "strict-transport-security": "max-age=31536000"} if over_tls else _HEADERS
        self._app = app
        self._names = LOOPBACK_NAMES | {host_name(name) for name in allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """What a request is answered that gets no further."""
        if scope.get("state", {}).get("crowded") and scope["path"] not in HEALTH:
            return _CROWDED
        named = [name for name, _ in scope["headers"]]
        if b"content-length" in named and b"transfer-encoding" in named:
            return _TWO_LENGTHS
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or host_name(hosts[0].decode("latin-1")) not in self._names:
            return _WRONG_HOST
        return None if scope["method"] in _READING else self._unwanted(scope)

    def _unwanted(self, scope: Scope) -> Response | None:
        """The refusal of a request that would change something, if it may not."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            return problem_response(HTTPStatus.FORBIDDEN, "cross_site", "Pages of other sites may not change anything.")
        if not _LENGTH.fullmatch(length := headers.get("content-length", "0")) or int(length) > BODY_BYTES:
            return problem_response(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"A body holds at most {BODY_BYTES} bytes."
            )
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        may = self._may_write is None or (kind.lower() == "bearer" and self._may_write(bearer, _address(scope)))
        if may:
            return None
        if may is None:
            return problem_response(
                HTTPStatus.TOO_MANY_REQUESTS,
                "rate",
                "Too many tokens were tried. Ask again in a few seconds.",
                headers={"retry-after": "5"},
            )
        return problem_response(
            HTTPStatus.UNAUTHORIZED,
            "no_token",
            "Only a director may change anything: send Authorization: Bearer IDENTITY:TOKEN.",
            headers={"www-authenticate": "Bearer"},
        )
