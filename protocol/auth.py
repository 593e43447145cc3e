"""Who somebody is, shown without saying the token: a challenge and a proof, after SCRAM (RFC 5802) with SHA-256.

The coordinator keeps no token, only what a proof is checked with, so a stolen credentials file opens no door. Both ends
prove that they know the token, over every byte of the hello and of the challenge: neither can be exchanged on the way.

1. ``salted = PBKDF2-HMAC-SHA256(token, salt, iterations)``
2. ``client key = HMAC(salted, "Client Key")``, ``stored key = SHA-256(client key)``,
   ``server key = HMAC(salted, "Server Key")``
3. ``said = "coordinator.auth.v1"``, then the payloads of the hello and the challenge, each behind its length as 4
   bytes, big end first
4. the peer's proof is ``client key XOR HMAC(stored key, said)``, the coordinator's is ``HMAC(server key, said)``; both
   are sent as hexadecimal digits

No I/O here: hashes and bytes alone.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from typing import Final

import attrs

ITERATIONS: Final = 4096
ITERATIONS_MAX: Final = 1_000_000
NONCE_BYTES: Final = 32
TOKEN_BYTES: Final = 32
_SALT_BYTES: Final = 16
_KEY_BYTES: Final = 32
_HASHED: Final = re.compile(r"SCRAM-SHA-256\$([0-9]{1,7}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)")
_PROOF: Final = re.compile(r"[0-9a-f]{64}")


def make_token() -> str:
    """A new token: 256 bits of chance."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def make_nonce() -> str:
    """A word that was never said before."""
    return secrets.token_hex(NONCE_BYTES // 2)


def transcript(hello: bytes, challenge: bytes) -> bytes:
    """What both proofs are about, from the payloads as they were sent."""
    parts = b"".join(len(payload).to_bytes(4, "big") + payload for payload in (hello, challenge))
    return b"coordinator.auth.v1" + parts


@attrs.frozen(repr=False)
class HashedToken:
    """What is kept of a token: enough to check a proof, too little to make one."""

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes

    def __repr__(self) -> str:
        return "<HashedToken>"

    @classmethod
    def of(cls, token: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> "HashedToken":
        """Hash a token, with a salt of its own."""
        salt = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
        client_key, server_key = _keys(token, salt, iterations)
        return cls(salt, iterations, hashlib.sha256(client_key).digest(), server_key)

    @classmethod
    def parse(cls, text: str) -> "HashedToken":
        """Read what :meth:`__str__` wrote. Raises ValueError, which repeats nothing of the text."""
        found = _HASHED.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            salt, stored, server = (base64.b64decode(part, validate=True) for part in found.groups()[1:])
        except (ValueError, binascii.Error):
            raise ValueError("a hashed token is SCRAM-SHA-256$ITERATIONS:SALT$STORED:SERVER") from None
        iterations = int(found[1])
        if not (
            1 <= iterations <= ITERATIONS_MAX and 8 <= len(salt) <= 48 and len(stored) == len(server) == _KEY_BYTES
        ):
            raise ValueError("the parts of the hashed token do not have the sizes they should")
        return cls(salt, iterations, stored, server)

    def __str__(self) -> str:
        salt, stored, server = (
            base64.b64encode(part).decode() for part in (self.salt, self.stored_key, self.server_key)
        )
        return f"SCRAM-SHA-256${self.iterations}:{salt}${stored}:{server}"

    def accepts(self, proof: str, said: bytes) -> bool:
        """Whether whoever made ``proof`` knows the token. Takes as long for a wrong one as for a right one."""
        signature = hmac.digest(self.stored_key, said, "sha256")
        given = bytes.fromhex(proof) if _PROOF.fullmatch(proof) else bytes(_KEY_BYTES)
        client_key = bytes(one ^ other for one, other in zip(signature, given, strict=True))
        return hmac.compare_digest(hashlib.sha256(client_key).digest(), self.stored_key)

    def knows(self, token: str) -> bool:
        """Whether this is the token, for the rare place where it is sent, under TLS. Costs all the iterations."""
        return self.which((self,), token) is not None

    def is_beside(self, other: "HashedToken") -> bool:
        """Whether one challenge does for both."""
        return (self.salt, self.iterations) == (other.salt, other.iterations)

    @staticmethod
    def which(hashes: Sequence["HashedToken"], token: str) -> "HashedToken | None":
        """The one of these, which stand beside each other, whose token this is. Costs the iterations once."""
        client_key, _ = _keys(token, hashes[0].salt, hashes[0].iterations)
        stored_key = hashlib.sha256(client_key).digest()
        return next((each for each in hashes if hmac.compare_digest(stored_key, each.stored_key)), None)

    def answer(self, said: bytes) -> str:
        """The coordinator's own proof."""
        return hmac.digest(self.server_key, said, "sha256").hex()


@attrs.frozen(repr=False)
class Proving:
    """The peer's side of one challenge."""

    proof: str
    expected: str

    @classmethod
    def of(cls, token: str, salt: str, iterations: int, said: bytes) -> "Proving":
        """``salt`` in hexadecimal digits. Raises ValueError for one that is not, or for more work than is sensible."""
        if not 1 <= iterations <= ITERATIONS_MAX:
            raise ValueError("the number of iterations is beyond all reason")
        client_key, server_key = _keys(token, bytes.fromhex(salt), iterations)
        signature = hmac.digest(hashlib.sha256(client_key).digest(), said, "sha256")
        proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
        return cls(proof.hex(), hmac.digest(server_key, said, "sha256").hex())

    def is_answered_by(self, answer: str) -> bool:
        """Whether the coordinator knows the token too."""
        return hmac.compare_digest(answer.encode(), self.expected.encode())


def _keys(token: str, salt: bytes, iterations: int) -> tuple[bytes, bytes]:
    salted = hashlib.pbkdf2_hmac("sha256", token.encode(), salt, iterations)
    return hmac.digest(salted, b"Client Key", "sha256"), hmac.digest(salted, b"Server Key", "sha256")
