"""Bearers of writers: checked with care for what a check costs.

Hashing a token takes milliseconds on purpose. One that was right before is known again for nothing, as long as its
entry stands; of the others only so many are looked at in a time, so that guessing cannot keep the daemon busy.
"""

from collections.abc import Callable
from hashlib import sha256
from time import monotonic

from coordinator.credentials import Credentials
from coordinator.shell.pace import Bucket
from protocol.auth import HashedToken

ROLE = "director"
GUESSES_PER_S = 5.0
GUESSES_AT_ONCE = 20.0


class Bearers:
    """Says of an ``IDENTITY:TOKEN`` whether it may change things; None: too many were tried, ask again later."""

    def __init__(self, credentials: Credentials, now: Callable[[], float] = monotonic) -> None:
        self._credentials = credentials
        self._now = now
        self._pace = Bucket(GUESSES_PER_S, GUESSES_AT_ONCE)
        self._known: dict[bytes, HashedToken] = {}

    def __call__(self, bearer: str) -> bool | None:
        entry = self._credentials.find(bearer.rpartition(":")[0])
        key = sha256(bearer.encode("utf-8", "surrogateescape")).digest()
        if entry is not None and ROLE in entry.roles and self._known.get(key) in entry.hashes:
            return True
        if not self._pace.take(self._now()):
            return None
        right = self._credentials.known_bearer(bearer, ROLE)
        if right is not None:
            self._known[key] = right
        return right is not None
