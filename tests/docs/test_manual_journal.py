"""The commands of the page about the journal, run as they stand."""

import os

import pytest
import trio

from coordinator.errors import JournalLocked
from coordinator.journal.store import open_store
from tests.docs.console import reader, run
from tests.docs.pages import blocks
from tests.journal import postgres_server

pytestmark = pytest.mark.process


def commands_of(section: str) -> list[str]:
    """The shell commands of the page that speak of this, a continued line being one."""
    lines = [
        line for block in blocks("journal", "sh") for line in block.body.replace("\\\n    ", "").splitlines() if line
    ]
    return [line for line in lines if section in line]


@pytest.fixture
def as_superuser(postgres, monkeypatch):
    """What an operator on the machine of the database has: its programs, and a user who may do everything."""
    programs = postgres_server.programs()
    assert programs is not None
    for name, value in (("PGHOST", "127.0.0.1"), ("PGPORT", str(postgres.port)), ("PGUSER", postgres_server.USER)):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{programs / 'bin'}{os.pathsep}{os.environ['PATH']}")


async def test_the_commands_about_postgresql(tmp_path, postgres, as_superuser):
    create_user, create_database, serve, free = [
        next(line for line in commands_of(word) if line.startswith(word))
        for word in ("createuser", "createdb", "coordinator serve", "psql")
    ]
    # The server of the tests was made by a user of this name.
    assert create_user == f"createuser {postgres_server.USER}"
    exit_code, said = await trio.to_thread.run_sync(run, create_database, tmp_path)
    assert exit_code == 0, said
    url = postgres.url("cups")
    async with reader(tmp_path) as one:
        await one.follow(serve)
        with pytest.raises(JournalLocked):
            open_store(url)
        exit_code, said = await trio.to_thread.run_sync(run, free, tmp_path)
        assert (exit_code, " t" in said) == (0, True), said
        open_store(url).close()
