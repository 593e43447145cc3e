"""Questions to a running daemon."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPException, RemoteDisconnected
from ssl import SSLCertVerificationError
from time import monotonic
from types import MappingProxyType
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

import click

from coordinator.errors import DaemonRefused, DaemonUnreachable, DaemonUntrusted

_TIMEOUT_S = 10.0
_PIECE_BYTES = 1 << 16
_MOST_BYTES = 1 << 26
_STRANGER = "what answers there is no coordinator of this version"


class Readable(Protocol):
    """What an answer's bytes come out of."""

    def read1(self, size: int, /) -> bytes:
        """What has come, at most so much; empty at the end."""


def order(url: str, *path: str) -> Any:
    """Have the daemon at ``url`` do what ``/api/v1/…`` stands for; it must run on this machine. Where it has
    credentials, COORDINATOR_BEARER holds those of a director, as ``IDENTITY:TOKEN``.

    Raises what :func:`ask` raises.
    """
    return _send(url, path, b"{}")


def ask(url: str, *path: str, **query: str) -> Any:
    """The JSON that the daemon at ``url`` answers for ``/api/v1/…``, with what is asked of it behind a question mark.

    Raises DaemonUnreachable where nobody answers, or somebody else does, DaemonUntrusted where its certificate is not
    trusted, and DaemonRefused with the daemon's reason.
    """
    return _send(url, path, None, query)


def _send(url: str, path: Sequence[str], body: bytes | None, query: Mapping[str, str] = MappingProxyType({})) -> Any:
    place = "/".join((url.rstrip("/"), "api/v1", *(quote(part, safe="") for part in path)))
    if query:
        place += f"?{urlencode(query)}"
    headers = {"Accept": "application/json"} | ({} if body is None else {"Content-Type": "application/json"})
    bearer = os.environ.get("COORDINATOR_BEARER")
    if body is not None and bearer:
        if not (bearer.isascii() and bearer.isprintable()):
            raise click.UsageError("COORDINATOR_BEARER holds what no header of HTTP can: expected IDENTITY:TOKEN")
        headers["Authorization"] = f"Bearer {bearer}"
    request = Request(place, data=body, headers=headers)
    try:
        # No proxy: a daemon is asked where it is.
        with build_opener(ProxyHandler({})).open(request, timeout=_TIMEOUT_S) as answer:
            return json.loads(_body(answer))
    except HTTPError as error:
        with error:
            raise DaemonRefused(place, _reason(error)) from None
    except URLError as error:
        if isinstance(error.reason, SSLCertVerificationError):
            raise DaemonUntrusted(url, error.reason.verify_message) from None
        reason = getattr(error.reason, "strerror", None) or str(error.reason)
        raise DaemonUnreachable(url, reason.lower()) from None
    except RemoteDisconnected:
        raise DaemonUnreachable(url, "what listens there hung up; a port with a certificate speaks https") from None
    except (OSError, HTTPException) as error:
        raise DaemonUnreachable(url, str(error).lower() or type(error).__name__) from None
    except (ValueError, RecursionError):
        raise DaemonUnreachable(url, _STRANGER) from None


@contextmanager
def understood(url: str) -> Iterator[None]:
    """Whatever answers may be another program, or another version: say so where its answer is of another shape.

    Raises DaemonUnreachable.
    """
    try:
        yield
    except (AttributeError, LookupError, TypeError):
        raise DaemonUnreachable(url, _STRANGER) from None


def _body(answer: Readable) -> bytes:
    """All of an answer. Raises ValueError for one that is longer, or takes longer, than any of a coordinator."""
    body, until = bytearray(), monotonic() + _TIMEOUT_S
    while piece := answer.read1(_PIECE_BYTES):
        body += piece
        if len(body) > _MOST_BYTES or monotonic() > until:
            raise ValueError("no end")
    return bytes(body)


def _reason(error: HTTPError) -> str:
    """What problem details say, or else the status."""
    try:
        details = json.loads(_body(error))
    except (OSError, HTTPException, ValueError, RecursionError):
        details = None
    if isinstance(details, dict):
        for key in ("detail", "title"):
            if isinstance(details.get(key), str) and details[key]:
                return str(details[key])
    return f"{error.code} {error.reason}"
