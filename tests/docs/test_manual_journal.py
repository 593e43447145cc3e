"""The commands of the page about the journal, run as they stand."""

import os
import sqlite3
from contextlib import closing

import pytest
import trio

from coordinator.errors import JournalLocked
from coordinator.journal.store import open_store
from tests.docs.console import reader, run
from tests.docs.pages import blocks
from tests.journal import postgres_server
from tests.journal.small_match import write

pytestmark = pytest.mark.process


def commands_of(section: str) -> list[str]:
    """The shell commands of the page that speak of this, a continued line being one."""
    lines = [
        line for block in blocks("journal", "sh") for line in block.body.replace("\\\n    ", "").splitlines() if line
    ]
    return [line for line in lines if section in line]


def test_the_commands_about_backups_and_damage(tmp_path):
    """A backup, another match, a record altered on the disk: what the page says mends it does."""
    journal = tmp_path / "coordinator.db"
    backup, *mend = [line for line in commands_of("journal copy") if "postgresql" not in line]
    check = next(line for line in commands_of("replay") if "mended" in line)
    with open_store(f"sqlite:///{journal}") as store:
        for name in ("a", "b"):
            write(store, name)
    assert run(backup, tmp_path)[0] == 0
    with open_store(f"sqlite:///{journal}") as store:
        write(store, "c")
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("UPDATE records SET body = zeroblob(9) WHERE match_id = 'b' AND seq = 3")
        connection.commit()
    before = journal.read_bytes()
    for line, exit_code, said in zip(mend, (4, 0), ("Match 'b', record 3", "b: "), strict=True):
        found, output = run(line, tmp_path)
        assert (found, said in output) == (exit_code, True), output
    found, output = run(check, tmp_path)
    assert (found, [line[:3] for line in output.splitlines()]) == (0, ["a: ", "b: ", "c: "]), output
    assert journal.read_bytes() == before, "the damaged one is kept as it is"


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
