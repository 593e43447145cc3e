"""``coordinator credentials``: tokens for programs and people, and the file that says who may connect."""

import os
from pathlib import Path

import click

_FILE = click.option(
    "--file",
    type=click.Path(path_type=Path),
    default=Path("credentials.toml"),
    show_default=True,
    help="The credentials file.",
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
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="Write the token to this new file, for its owner alone, instead of showing it.",
)
def make(
    identity: str, roles: tuple[str, ...], realm: str, may_seed: bool, file: Path, token_file: Path | None
) -> None:
    """Make a token for IDENTITY and add its hash to the file.

    The token is shown once and kept nowhere.
    """
    import tomllib

    from coordinator.config import in_toml
    from coordinator.credentials import Credentials
    from coordinator.errors import CredentialsRefused
    from protocol.auth import HashedToken, make_token

    before = _read(file)
    if before and Credentials(file).find(identity) is not None:
        raise CredentialsRefused(str(file), f"{identity!r} is in it already; take that entry out for a new token")
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
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        _write(draft, before + ("\n" if before else "") + entry)
        try:
            Credentials(draft)
        except CredentialsRefused as error:
            raise CredentialsRefused(str(file), str(error).partition(": ")[2]) from None
        if token_file is not None:
            _write(token_file, token + "\n")
        draft.replace(file)
    except OSError as error:
        raise CredentialsRefused(str(file), f"{error.filename}: {(error.strerror or str(error)).lower()}") from None
    finally:
        draft.unlink(missing_ok=True)
    if token_file is None:
        click.echo(token)


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
        click.echo(f"{entry.identity}\t{'; '.join(words)}")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _write(file: Path, text: str) -> None:
    """A new file for its owner alone."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
