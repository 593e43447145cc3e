"""Real processes: the daemon, table servers, and what they leave behind.

Everything here has a deadline, and no test rests on a pause.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import trio

GUARD_S: Final = 90
"""Far beyond what anything here needs, so that a busy machine fails no test."""
LOOK_EVERY_S: Final = 0.02

ONE_TABLE: Final = """
id = "table"
title = "One table"
game = "dou_dizhu"

[start]
mode = "when_full"
full_count = 3

[[stages]]
id = "final"
format = "default"
table_size = 3
round = { type = "fixed_hands", hands = 2 }
grouping = {}
leave = "forbidden"
score_processing = "none"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 100 }
"""


class Process:
    """A Python module run as a process; what it says goes to files of its own."""

    def __init__(self, name: str, module: Sequence[str], arguments: Sequence[str], directory: Path, **env: str) -> None:
        self.name = name
        self.out = directory / f"{name}.out"
        self.err = directory / f"{name}.err"
        with self.out.open("ab") as out, self.err.open("ab") as err:
            self.popen = subprocess.Popen(
                [sys.executable, *module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=directory,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
            )

    @property
    def said(self) -> str:
        return self.err.read_text(errors="replace")

    async def ended(self, *, within_s: float = GUARD_S) -> int:
        await until(lambda: self.popen.poll() is not None, within_s=within_s)
        assert self.popen.returncode is not None
        return self.popen.returncode

    async def kill(self) -> None:
        """End it as a power cut would."""
        self.popen.kill()
        await self.ended()

    def end(self) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()


async def until(happened: Callable[[], object], *, within_s: float = GUARD_S) -> None:
    """Look now and then until it has happened: other processes set no event of ours."""
    with trio.fail_after(within_s):
        while not happened():  # noqa: ASYNC110
            await trio.sleep(LOOK_EVERY_S)


class Daemon:
    """``coordinator serve`` on a journal in `directory`; its port stays the same when it is started again."""

    def __init__(self, directory: Path, *arguments: str, **env: str) -> None:
        self.directory = directory
        self.journal = f"sqlite:///{directory}/journal.db"
        self.listen = f"127.0.0.1:{free_port()}"
        self.http = ""
        self.process: Process | None = None
        self._arguments = arguments
        self._env = {"COORDINATOR_SERVER_GRACE_S": "2", **env}
        self._starts = 0

    @property
    def url(self) -> str:
        return f"ws://{self.listen}"

    @property
    def log(self) -> str:
        """What it said since the latest start, and before."""
        return "".join(file.read_text(errors="replace") for file in sorted(self.directory.glob("daemon-*.err")))

    def launch(self) -> Process:
        """Start the process, without waiting for anything."""
        self._starts += 1
        arguments = ["serve", "--listen", self.listen, "--http", "127.0.0.1:0", "--journal", self.journal]
        arguments += ["--log-format", "json", "--ready-file", str(self.directory / "ready.json"), *self._arguments]
        name = f"daemon-{self._starts}"
        self.process = Process(name, ["-m", "coordinator"], arguments, self.directory, **self._env)
        return self.process

    async def start(self) -> None:
        """Start, and wait until it can be reached."""
        ready = self.directory / "ready.json"
        ready.unlink(missing_ok=True)
        process = self.launch()
        await until(lambda: ready.exists() or process.popen.poll() is not None)
        assert process.popen.poll() is None, process.said
        self.http = json.loads(ready.read_bytes())["http"]

    async def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.popen.send_signal(number)
        return await self.process.ended()

    async def kill(self) -> None:
        assert self.process is not None
        await self.process.kill()

    async def get(self, path: str) -> Any:
        """A JSON answer of the daemon, None where there is no such thing."""
        return await trio.to_thread.run_sync(fetch, f"{self.http}{path}")

    async def until_match(self, match_id: str, happened: Callable[[Any], object]) -> Any:
        """Look at a match until the picture of it is as wanted; gives that picture."""
        with trio.fail_after(GUARD_S):
            while True:
                picture = await self.get(f"/api/v1/matches/{match_id}")
                if picture is not None and happened(picture):
                    return picture
                await trio.sleep(LOOK_EVERY_S)

    async def until_servers(self, *names: str) -> None:
        """Wait until these table servers are connected: the first one alone would be given everything."""
        with trio.fail_after(GUARD_S):
            while {s["server_id"] for s in await self.get("/api/v1/servers") if s["connected"]} != {*names}:
                await trio.sleep(LOOK_EVERY_S)

    def replay(self) -> subprocess.CompletedProcess[str]:
        """``coordinator replay --check`` on what is in the journal."""
        return coordinator("replay", "--journal", self.journal, "--check", cwd=self.directory)


def fetch(url: str) -> Any:
    try:
        with urlopen(url, timeout=GUARD_S) as answer:
            return json.load(answer)
    except HTTPError as error:
        error.close()
        if error.code != 404:
            raise
        return None


def coordinator(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end."""
    return subprocess.run(
        [sys.executable, "-m", "coordinator", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
    )


def table_server(daemon: Daemon, name: str, *, think_s: float, capacity: int = 64) -> Process:
    """A table server of ours with results and no cards."""
    arguments = ["--url", daemon.url, "--id", name, "--game-model", "score", "--think", repr(think_s)]
    return Process(name, ["-m", "bots.table_server"], [*arguments, "--capacity", str(capacity)], daemon.directory)


@asynccontextmanager
async def running(daemon: Daemon) -> AsyncIterator[Daemon]:
    """The daemon, until the block ends; it must not have said anything about a mistake of its own."""
    await daemon.start()
    try:
        yield daemon
    finally:
        if daemon.process is not None:
            daemon.process.end()
    assert "Traceback" not in daemon.log, daemon.log
    assert "handler failed" not in daemon.log, daemon.log


@contextmanager
def ending(*processes: Process) -> Iterator[None]:
    """See to it that none of them is left."""
    try:
        yield
    finally:
        for process in processes:
            process.end()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def processes_about(word: str) -> list[int]:
    """Processes whose command line holds this word."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in words:
                found.append(int(folder.name))
    return found
