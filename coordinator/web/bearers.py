"""Bearers of writers: checked with care for what a check costs.

Hashing a token takes milliseconds on purpose. One that was right before is known again for nothing, as long as its
entry stands; of the others only so many are looked at in a time, so that guessing cannot keep the daemon busy. Each
address has a pace of its own, so that whoever guesses shuts nobody else out; what all of them together may cost is
bounded too, but for addresses that were right before.
"""

from collections.abc import Callable
from hashlib import sha256
from ipaddress import ip_address
from time import monotonic
from typing import Protocol

import attrs

from coordinator.credentials import Credentials
from coordinator.shell.pace import Bucket
from protocol.auth import HashedToken

ROLE = "director"
GUESSES_PER_S = 5.0
GUESSES_AT_ONCE = 20.0
"""How many tokens of one address are looked at."""
ALL_PER_S = 50.0
ALL_AT_ONCE = 200.0
"""How many of all addresses that were never right."""
ADDRESSES = 4_096
"""So many addresses are remembered; who has asked longest ago is forgotten."""

_HOST_BITS = 64
"""One customer has so many bits of an IPv6 address to choose from."""


class MayWrite(Protocol):
    """Whether who bears this may change things; None: too many were tried from there, ask again later."""

    def __call__(self, bearer: str, address: str, /) -> bool | None: ...


@attrs.define
class _Address:
    pace: Bucket = attrs.field(factory=lambda: Bucket(GUESSES_PER_S, GUESSES_AT_ONCE))
    was_right: bool = False


class Bearers:
    """Says of an ``IDENTITY:TOKEN`` from an address whether it may change things."""

    def __init__(self, credentials: Credentials, now: Callable[[], float] = monotonic) -> None:
        self._credentials = credentials
        self._now = now
        self._all = Bucket(ALL_PER_S, ALL_AT_ONCE)
        self._addresses: dict[str, _Address] = {}
        self._known: dict[bytes, HashedToken] = {}

    def __call__(self, bearer: str, address: str, /) -> bool | None:
        entry = self._credentials.find(bearer.rpartition(":")[0])
        key = sha256(bearer.encode("utf-8", "surrogateescape")).digest()
        if entry is not None and ROLE in entry.roles and self._known.get(key) in entry.hashes:
            return True
        asking, now = self._asking(address), self._now()
        if not asking.pace.take(now) or not (asking.was_right or self._all.take(now)):
            return None
        right = self._credentials.known_bearer(bearer, ROLE)
        if right is not None:
            self._known[key] = right
            asking.was_right = True
        return right is not None

    def _asking(self, address: str) -> _Address:
        name = neighbourhood(address)
        asking = self._addresses.pop(name, None) or _Address()
        self._addresses[name] = asking
        if len(self._addresses) > ADDRESSES:
            del self._addresses[next(iter(self._addresses))]
        return asking


def neighbourhood(address: str) -> str:
    """What counts as one address: of IPv6 the network that is given to one customer."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or int(found) >> _HOST_BITS)
