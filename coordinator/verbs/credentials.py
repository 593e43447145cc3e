"""``coordinator credentials``: tokens for programs and people, and the file that says who may connect."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coordinator.verbs import show

if TYPE_CHECKING:
    from coordinator.credentials import Credential

_FILE = click.option(
    "--file",
    type=click.Path(path_type=Path),
    default=Path("credentials.toml"),
    show_default=True,
    help="The credentials file.",
)
_TOKEN_FILE = click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="Write the token to this new file, for its owner alone, instead of showing it.",
)


@click.group()
def credentials() -> None:
    """Make tokens and look after the credentials file."""


@credentials.command("make")
@click.argument("identity")
@click.option(
    "--role",
    "roles",
    multiple=True,
    required=True,
    type=click.Choice(["table", "lobby", "spectator", "director"]),
    help="What it may be; may be given several times.",
)
@click.option("--realm", default="", help="A lobby's: it acts only for ids that begin with this and a colon.")
@click.option("--may-seed", is_flag=True, help="A lobby's: it may choose the seed of a match, and so know its deals.")
@_FILE
@_TOKEN_FILE
def make(
    identity: str, roles: tuple[str, ...], realm: str, may_seed: bool, file: Path, token_file: Path | None
) -> None:
    """Make a token for IDENTITY and add its hash to the file.

    The token is shown once and kept nowhere.
    """
    import tomllib

    from coordinator.credentials import Credentials
    from coordinator.errors import CredentialsRefused
    from coordinator.files.toml_text import in_toml
    from protocol.auth import HashedToken, make_token

    before = _read(file)
    if before and Credentials(file).find(identity) is not None:
        mend = f"`coordinator credentials rotate {identity}` gives it a new token"
        raise CredentialsRefused(str(file), f"{identity!r} is in it already; {mend}")
    token = make_token()
    lines = [
        "[[credential]]",
        f"identity = {in_toml(identity)}",
        f"roles = {in_toml(roles)}",
        *([f"realm = {in_toml(realm)}"] if realm else []),
        *(["may_seed = true"] if may_seed else []),
        f"token = {in_toml(str(HashedToken.of(token)))}",
    ]
    entry = "\n".join(lines) + "\n"
    try:
        tomllib.loads(entry)
    except tomllib.TOMLDecodeError:
        raise CredentialsRefused(str(file), "the identity or the realm holds characters that it cannot keep") from None
    _put(file, before + ("\n" if before else "") + entry, token, token_file)
    if token_file is None:
        click.echo(token)


@credentials.command("rotate")
@click.argument("identity")
@_FILE
@_TOKEN_FILE
def rotate(identity: str, file: Path, token_file: Path | None) -> None:
    """Make a second token for IDENTITY, which has one.

    Both are right until the older one is retired: so nobody is shut out while the new one is carried to its program.
    """
    from coordinator.errors import CredentialsRefused
    from coordinator.files.toml_text import in_toml
    from protocol.auth import HashedToken, make_token

    entry = _entry(file, identity)
    if len(entry.hashes) > 1:
        mend = f"`coordinator credentials retire {identity}` takes the older one away"
        raise CredentialsRefused(str(file), f"{identity!r} has two tokens already; {mend}")
    [old] = entry.hashes
    token = make_token()
    new = HashedToken.of(token, salt=old.salt, iterations=old.iterations)
    lines = [f"token = {in_toml(str(new))}", f"older_token = {in_toml(str(old))}"]
    _put(file, _with_line(file, identity, "token", lines), token, token_file)
    if token_file is None:
        click.echo(token)


@credentials.command("retire")
@click.argument("identity")
@_FILE
def retire(identity: str, file: Path) -> None:
    """Take the older token of IDENTITY away, once its program has the new one."""
    from coordinator.errors import CredentialsRefused

    if len(_entry(file, identity).hashes) == 1:
        raise CredentialsRefused(str(file), f"{identity!r} has one token alone")
    _put(file, _with_line(file, identity, "older_token", []), None, None)


@credentials.command("check")
@_FILE
def check(file: Path) -> None:
    """Say who may connect. Tokens are not in the file and cannot be shown."""
    from coordinator.credentials import Credentials

    for entry in Credentials(file):
        words = [", ".join(sorted(entry.roles))]
        if entry.realm:
            words.append(f"realm {entry.realm}")
        if entry.may_seed:
            words.append("may choose seeds")
        if len(entry.hashes) > 1:
            words.append("two tokens")
        show.say(f"{entry.identity}\t{'; '.join(words)}")


def _entry(file: Path, identity: str) -> "Credential":
    """Raises CredentialsRefused where there is none."""
    from coordinator.credentials import Credentials
    from coordinator.errors import CredentialsRefused

    entry = Credentials(file).find(identity)
    if entry is None:
        raise CredentialsRefused(str(file), f"{identity!r} is not in it; `coordinator credentials make` adds it")
    return entry


def _with_line(file: Path, identity: str, key: str, lines: list[str]) -> str:
    """The text of the file with these lines in the place of the one that says ``key`` of the entry of an identity.

    Raises CredentialsRefused where more than that stands on the line.
    """
    import tomllib

    from coordinator.errors import CredentialsRefused
    from coordinator.files.lines import lines_of

    text = _read(file)
    listed = tomllib.loads(text)["credential"]
    number = next(number for number, entry in enumerate(listed) if entry["identity"] == identity)
    rows = text.replace("\r\n", "\n").split("\n")
    at = lines_of(text).get(("credential", number, key), 0) - 1
    if not re.fullmatch(rf"{key} = \"[^\"]+\"", rows[at].strip()):
        raise CredentialsRefused(str(file), f"the entry of {identity!r} does not keep {key} on a line of its own")
    return "\n".join([*rows[:at], *lines, *rows[at + 1 :]])


def _put(file: Path, text: str, token: str | None, token_file: Path | None) -> None:
    """Put a text in the place of the file in one moment, and a token into its own. Raises CredentialsRefused."""
    from coordinator.credentials import Credentials
    from coordinator.errors import CredentialsRefused

    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        _write(draft, text)
        try:
            Credentials(draft)
        except CredentialsRefused as error:
            raise CredentialsRefused(str(file), str(error).partition(": ")[2]) from None
        if token is not None and token_file is not None:
            _write(token_file, token + "\n")
        draft.replace(file)
    except OSError as error:
        raise CredentialsRefused(str(file), f"{error.filename}: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            draft.unlink()


def _read(file: Path) -> str:
    """The text of the file, empty where there is none yet. Raises CredentialsRefused."""
    from coordinator.errors import CredentialsRefused
    from coordinator.files.source import MOST_BYTES, read_text

    if not os.path.lexists(file):
        return ""
    text = read_text(file, MOST_BYTES)
    if not isinstance(text, str):
        raise CredentialsRefused(str(file), text.message)
    return text


def _write(file: Path, text: str) -> None:
    """A new file for its owner alone."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
