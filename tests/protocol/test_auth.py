"""Proofs of knowing a token: right ones are accepted, everything else is not, and nothing says the token."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.auth import HashedToken, Proving, make_nonce, make_token, transcript

TOKEN = "correct horse"
SAID = transcript(b"hello", b"challenge")
HASHED = HashedToken.of(TOKEN, salt=bytes(16), iterations=3)


def proving(token: str = TOKEN, said: bytes = SAID) -> Proving:
    return Proving.of(token, HASHED.salt.hex(), HASHED.iterations, said)


def test_who_knows_the_token_is_believed_and_believes() -> None:
    shown = proving()
    assert HASHED.accepts(shown.proof, SAID)
    assert shown.is_answered_by(HASHED.answer(SAID))


def test_the_proof_is_the_one_of_rfc_5802() -> None:
    """Worked with the words of the standard, so that anybody can write the peer's end."""
    salted = hashlib.pbkdf2_hmac("sha256", TOKEN.encode(), bytes(16), 3)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    stored_key = hashlib.sha256(client_key).digest()
    said = b"coordinator.auth.v1" + b"\0\0\0\5hello" + b"\0\0\0\x09challenge"
    signature = hmac.digest(stored_key, said, "sha256")
    assert proving().proof == bytes(one ^ other for one, other in zip(client_key, signature, strict=True)).hex()


@given(st.text(max_size=20))
def test_another_token_is_not_believed(token: str) -> None:
    assert HASHED.accepts(proving(token).proof, SAID) == (token == TOKEN)


@pytest.mark.parametrize("said", [transcript(b"hell", b"ochallenge"), transcript(b"hello!", b"challenge"), b""])
def test_a_proof_is_about_every_byte_that_was_said(said: bytes) -> None:
    assert not HASHED.accepts(proving(said=said).proof, SAID)
    assert not proving(said=said).is_answered_by(HASHED.answer(SAID))


@pytest.mark.parametrize("proof", ["", "zz" * 32, "00" * 31, "00" * 32, "AB" * 32, "ü"])
def test_what_is_no_proof_is_refused_like_a_wrong_one(proof: str) -> None:
    assert not HASHED.accepts(proof, SAID)
    assert not proving().is_answered_by(proof)


def test_what_is_stored_makes_no_proof() -> None:
    """Somebody with the credentials file still cannot say hello: the stored key is not the one that proves."""
    forged = hmac.digest(HASHED.stored_key, SAID, "sha256")
    wrong = bytes(one ^ other for one, other in zip(HASHED.stored_key, forged, strict=True)).hex()
    assert not HASHED.accepts(wrong, SAID)
    assert not HASHED.accepts(HASHED.server_key.hex(), SAID)


def test_a_hashed_token_is_read_as_it_was_written() -> None:
    hashed = HashedToken.of(make_token(), iterations=2)
    assert HashedToken.parse(str(hashed)) == hashed
    assert hashed.salt != HashedToken.of("x", iterations=2).salt


@pytest.mark.parametrize(
    "text",
    ["", "secret", "SCRAM-SHA-256$0:AAAA$AA==:AA==", f"{HASHED} ", str(HASHED).replace("$3:", "$9999999:")],
)
def test_what_is_no_hashed_token_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="hashed token") as caught:
        HashedToken.parse(text)
    assert "secret" not in str(caught.value)


def test_a_hashed_token_shows_nothing_of_itself() -> None:
    assert repr(HASHED) == "<HashedToken>"
    assert TOKEN not in repr(proving())
    assert proving().proof not in repr(proving())


def test_the_token_itself_is_known_too() -> None:
    assert HASHED.knows(TOKEN)
    assert not HASHED.knows("guess")


@pytest.mark.parametrize(("salt", "iterations"), [("zz", 1), ("00", 0), ("00", 1_000_001), ("00", 2**53 - 1)])
def test_a_challenge_that_costs_too_much_or_makes_no_sense_is_refused(salt: str, iterations: int) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - two sources of it
        Proving.of(TOKEN, salt, iterations, SAID)


def test_nonces_and_tokens_are_never_the_same() -> None:
    assert len({make_nonce() for _ in range(100)} | {make_token() for _ in range(100)}) == 200
