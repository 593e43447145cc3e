"""Who guesses tokens over HTTP: each address at a pace of its own, and all of them together at one."""

from pathlib import Path

import pytest

from coordinator.credentials import Credentials
from coordinator.web.bearers import ADDRESSES, ALL_AT_ONCE, GUESSES_AT_ONCE, GUESSES_PER_S, Bearers, neighbourhood
from protocol.auth import HashedToken


class Desk:
    """One director, a clock that the test sets, and what is answered."""

    def __init__(self, folder: Path) -> None:
        hashed = HashedToken.of("right", iterations=1)
        file = folder / "credentials.toml"
        file.write_text(f'[[credential]]\nidentity = "ada"\nroles = ["director"]\ntoken = "{hashed}"\n')
        self.now = 0.0
        self.bearers = Bearers(Credentials(file), now=lambda: self.now)

    def ask(self, token: str, address: str) -> bool | None:
        return self.bearers(f"ada:{token}", address)

    def guess(self, address: str, times: int) -> list[bool | None]:
        return [self.ask(f"guess {number}", address) for number in range(times)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_who_guesses_shuts_nobody_else_out(desk: Desk) -> None:
    assert None in desk.guess("192.0.2.66", int(GUESSES_AT_ONCE) + 1)
    assert desk.ask("right", "192.0.2.66") is None, "not from there, right or not"
    assert desk.ask("right", "192.0.2.1") is True
    assert desk.ask("right", "192.0.2.66") is True, "a token that was right is known wherever it comes from"
    assert desk.ask("wrong", "192.0.2.66") is None


def test_a_pace_is_had_again_with_time(desk: Desk) -> None:
    assert desk.guess("192.0.2.66", int(GUESSES_AT_ONCE) + 1)[-1] is None
    desk.now += 1 / GUESSES_PER_S
    assert desk.guess("192.0.2.66", 2) == [False, None]


def test_guesses_from_many_addresses_are_bounded_together(desk: Desk) -> None:
    assert desk.ask("right", "192.0.2.1") is True
    looked_at = [desk.ask("guess", f"198.51.100.{number}") for number in range(int(ALL_AT_ONCE) + 10)]
    assert looked_at.count(False) == ALL_AT_ONCE - 1
    assert looked_at[-1] is None
    assert desk.ask("mistyped", "192.0.2.1") is False, "who was right before is still looked at"


def test_so_many_addresses_are_remembered(desk: Desk) -> None:
    desk.guess("192.0.2.66", int(GUESSES_AT_ONCE))
    for number in range(ADDRESSES - 1):
        desk.ask("guess", f"host-{number}")
    desk.now += 60
    assert len(desk.bearers._addresses) == ADDRESSES
    desk.ask("guess", "one more")
    assert len(desk.bearers._addresses) == ADDRESSES
    assert "192.0.2.66" not in desk.bearers._addresses, "who asked longest ago is forgotten"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("", "192.0.2.1", False),
    ],
)
def test_what_counts_as_one_address(one: str, other: str, same: bool) -> None:
    assert (neighbourhood(one) == neighbourhood(other)) is same
