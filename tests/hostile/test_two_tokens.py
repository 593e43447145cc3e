"""A token is exchanged while matches run: for a while two of them are right."""

import pytest
import trio
from click.testing import CliRunner, Result

from coordinator.cli import cli
from coordinator.credentials import Credentials
from coordinator.errors import CredentialsRefused
from coordinator.web.bearers import Bearers
from protocol.auth import HashedToken
from protocol.client import LinkRefused, Spectator
from tests.shell.premises import premises

GOOD = str(HashedToken.of("x", iterations=1))


def said(*words: str) -> Result:
    return CliRunner().invoke(cli, ["credentials", *words], standalone_mode=False)


async def test_two_tokens_are_right_while_they_are_exchanged_and_one_before_and_after(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "credentials.toml"
    other = said("make", "other", "--role", "spectator").output
    assert said("make", "eyes", "--role", "spectator", "--role", "director", "--token-file", "old").exception is None
    old = (tmp_path / "old").read_text().strip()
    before = file.read_text()
    async with premises(credentials=Credentials(file)) as house:
        url = f"ws://127.0.0.1:{house.port}/"

        async def is_let_in(token: str) -> bool:
            refused = False
            try:
                async with trio.open_nursery() as inner:
                    await inner.start(Spectator(url, "eyes", token=token).run)
                    inner.cancel_scope.cancel()
            except* LinkRefused:
                refused = True
            return not refused

        new = said("rotate", "eyes").output.strip()
        assert [await is_let_in(token) for token in (old, new, "guess")] == [True, True, False]
        bearers = Bearers(Credentials(file))
        assert [bearers(f"eyes:{token}", "127.0.0.1") for token in (old, new, "guess", old, new)] == [
            True,
            True,
            False,
            True,
            True,
        ]
        assert said("check").output == "other\tspectator\neyes\tdirector, spectator; two tokens\n"
        assert said("retire", "eyes").exception is None
        assert [await is_let_in(token) for token in (old, new)] == [False, True]
    assert file.read_text().splitlines()[:-1] == before.splitlines()[:-1], "nothing else has changed"
    assert Credentials(file).known_bearer(f"other:{other.strip()}", "spectator") is not None
    assert not any(secret in file.read_text() for secret in (old, new))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("rotate", "two"), "'two' has two tokens already"),
        (("retire", "one"), "'one' has one token alone"),
        (("rotate", "nobody"), "'nobody' is not in it"),
        (("retire", "nobody"), "'nobody' is not in it"),
        (("rotate", "one", "--file", "inline.toml"), "does not keep token on a line of its own"),
        (("rotate", "one", "--file", "none.toml"), "cannot be read"),
        (("make", "one", "--role", "table", "--file", "."), "cannot be read"),
        (("make", "one", "--role", "table", "--file", "latin.toml"), "not UTF-8 text"),
        (("make", "one", "--role", "table"), "`coordinator credentials rotate one` gives it a new token"),
    ],
)
def test_what_cannot_be_exchanged_is_said_and_changes_nothing(tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "credentials.toml"
    for identity in ("one", "two"):
        said("make", identity, "--role", "table")
    said("rotate", "two")
    entry = f'identity = "one", roles = ["table"], token = "{GOOD}"'
    (tmp_path / "inline.toml").write_text(f"credential = [{{ {entry} }}]\n")
    (tmp_path / "latin.toml").write_bytes(b"# \xfc\n")
    before = file.read_text()
    refused = said(*words)
    assert isinstance(refused.exception, CredentialsRefused)
    assert why in str(refused.exception)
    assert file.read_text() == before


def test_an_older_token_with_a_salt_of_its_own_is_refused(tmp_path):
    """One challenge must do for both."""
    file = tmp_path / "credentials.toml"
    other = HashedToken.of("other", iterations=1)
    file.write_text(f'[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "{GOOD}"\nolder_token = "{other}"\n')
    with pytest.raises(CredentialsRefused, match="older_token: expected the salt of token"):
        Credentials(file)
