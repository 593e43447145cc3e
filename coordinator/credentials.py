"""Who may connect, as what, and for whom: the credentials file.

It holds hashed tokens only (:mod:`protocol.auth`). It is read again when it has changed, so that somebody can be shut
out, or let in, while matches run.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import attrs
import structlog

from coordinator.errors import CredentialsRefused
from coordinator.files.problem import Problem
from coordinator.files.source import read
from protocol.auth import ITERATIONS, HashedToken

ROLES: Final = ("table", "lobby", "spectator", "director")
_KEYS: Final = frozenset({"identity", "roles", "token", "older_token", "realm", "may_seed"})

_log = structlog.get_logger(__name__)


@attrs.frozen
class Credential:
    """One entry. ``realm``: a lobby's players and matches begin with it and a colon; empty: all of them are its own.

    ``hashes``: the token, and while tokens are exchanged the older one behind it; one challenge does for both.
    """

    identity: str
    roles: frozenset[str]
    hashes: tuple[HashedToken, ...]
    realm: str = ""
    may_seed: bool = False


class Credentials:
    """The entries of one file. Raises CredentialsRefused where that cannot be used."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp = _stamp(file)
        self._entries = _entries(file)
        self._decoy_key = _decoy_key(self._entries.values())
        self.readings = 1
        """How often the file was read: whoever was let in by an earlier reading may be out by now."""

    def __iter__(self) -> Iterator[Credential]:
        return iter(self._entries.values())

    def find(self, identity: str) -> Credential | None:
        """The entry of an identity, as the file has it now."""
        self.look_again()
        return self._entries.get(identity)

    def allows(self, identity: str, roles: Iterable[str], proven: HashedToken | None) -> Credential | None:
        """The entry of an identity at the last reading, if these roles and what it was proven by are still in it."""
        entry = self._entries.get(identity)
        return entry if entry is not None and proven in entry.hashes and entry.roles.issuperset(roles) else None

    def decoy(self, identity: str) -> HashedToken:
        """For an identity that has no entry: a challenge that looks like any other, and that nobody can answer."""
        words = hmac.digest(self._decoy_key, identity.encode(), "sha512")
        return HashedToken(words[:16], ITERATIONS, words[16:48], words[32:])

    def hashes(self, identity: str) -> tuple[HashedToken, ...]:
        """What an identity is challenged for, whether there is one or not."""
        entry = self.find(identity)
        return (self.decoy(identity),) if entry is None else entry.hashes

    def known_bearer(self, bearer: str, role: str) -> HashedToken | None:
        """What is stored of the token in ``IDENTITY:TOKEN``; None for a wrong one, and without the role."""
        identity, _, token = bearer.rpartition(":")
        entry = self.find(identity)
        right = HashedToken.which(self.hashes(identity), token)
        return right if entry is not None and role in entry.roles else None

    def look_again(self) -> None:
        """Read the file again if it has changed."""
        stamp = _stamp(self._file)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._entries = _entries(self._file)
        except CredentialsRefused as error:
            # Half written, most likely: those who were let in before still are.
            _log.error("credentials kept as they were", reason=str(error))
            return
        self.readings += 1
        # The key of the decoys stays: a salt that moves with the file would tell who is not in it.
        _log.info("credentials read again", entries=len(self._entries))


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _decoy_key(entries: Iterable[Credential]) -> bytes:
    """Nobody can guess it, and it stays when the daemon starts again: a salt that moved would give a decoy away."""
    known = hashlib.sha256(b"decoy")
    for entry in entries:
        known.update(entry.hashes[0].server_key)
    return known.digest()


def _entries(file: Path) -> dict[str, Credential]:
    source = read(file)
    if isinstance(source, Problem):
        raise CredentialsRefused(str(file), source.message)
    listed = source.data.get("credential")
    if set(source.data) != {"credential"} or not isinstance(listed, list):
        raise CredentialsRefused(str(file), "expected nothing but [[credential]] entries, at least one")
    entries: dict[str, Credential] = {}
    for number, entry in enumerate(listed, 1):
        found = _entry(file, number, entry)
        if found.identity in entries:
            raise CredentialsRefused(str(file), f"entry {number}: {found.identity!r} comes twice")
        entries[found.identity] = found
    return entries


def _entry(file: Path, number: int, entry: object) -> Credential:
    def refused(what: str) -> CredentialsRefused:
        return CredentialsRefused(str(file), f"entry {number}: {what}")

    if not isinstance(entry, dict) or not entry.keys() <= _KEYS:
        raise refused(f"expected {', '.join(sorted(_KEYS))} and nothing else")
    identity, roles = entry.get("identity"), entry.get("roles")
    realm, may_seed = entry.get("realm", ""), entry.get("may_seed", False)
    if not isinstance(identity, str) or not 1 <= len(identity) <= 64:
        raise refused("identity: expected a text of 1 to 64 characters")
    if not isinstance(roles, list) or not roles or not all(role in ROLES for role in roles):
        raise refused(f"roles: expected a list of {', '.join(ROLES)}")
    if not isinstance(realm, str) or ":" in realm or len(realm) > 32:
        raise refused("realm: expected a text of at most 32 characters without a colon")
    if not isinstance(may_seed, bool):
        raise refused("may_seed: expected true or false")
    hashes: list[HashedToken] = []
    for key in ("token", "older_token")[: 1 + ("older_token" in entry)]:
        text = entry.get(key)
        try:
            hashes.append(HashedToken.parse(text if isinstance(text, str) else ""))
        except ValueError as error:
            raise refused(f"{key}: {error}; `coordinator credentials make` and `rotate` write them") from None
    if not hashes[-1].is_beside(hashes[0]):
        raise refused("older_token: expected the salt of token; `coordinator credentials rotate` keeps it")
    return Credential(identity, frozenset(roles), tuple(hashes), realm, may_seed)
