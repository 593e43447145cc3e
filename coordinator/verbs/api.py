"""Questions to a running daemon."""

import json
import os
from collections.abc import Mapping, Sequence
from http.client import HTTPException, RemoteDisconnected
from ssl import SSLCertVerificationError
from types import MappingProxyType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import click

from coordinator.errors import DaemonRefused, DaemonUnreachable, DaemonUntrusted

_TIMEOUT_S = 10.0


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
    if urlsplit(url).scheme not in ("http", "https"):
        raise click.BadParameter(f"{url!r} is no http address", param_hint="--url")
    place = "/".join((url.rstrip("/"), "api/v1", *(quote(part, safe="") for part in path)))
    if query:
        place += f"?{urlencode(query)}"
    headers = {"Accept": "application/json"} | ({} if body is None else {"Content-Type": "application/json"})
    bearer = os.environ.get("COORDINATOR_BEARER")
    if body is not None and bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    request = Request(place, data=body, headers=headers)
    try:
        # No proxy: a daemon is asked where it is.
        with build_opener(ProxyHandler({})).open(request, timeout=_TIMEOUT_S) as answer:
            return json.load(answer)
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
    except ValueError:
        raise DaemonUnreachable(url, "what answers there is no coordinator") from None


def _reason(error: HTTPError) -> str:
    """What problem details say, or else the status."""
    try:
        details = json.load(error)
    except ValueError:
        details = None
    if isinstance(details, dict):
        for key in ("detail", "title"):
            if isinstance(details.get(key), str) and details[key]:
                return str(details[key])
    return f"{error.code} {error.reason}"
