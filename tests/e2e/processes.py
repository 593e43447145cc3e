"""Real processes: the daemon, table servers, and what they leave behind.

Everything here has a deadline, and no test rests on a pause.
"""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import trio

GUARD_S: Final = 90
"""Far beyond what anything here needs, so that a busy machine fails no test."""

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
    """A Python module as a process. What it says goes to files; `hears` sees its log line by line, b"" at the end."""

    def __init__(
        self,
        name: str,
        module: Sequence[str],
        arguments: Sequence[str],
        directory: Path,
        *,
        hears: Callable[[bytes], None] = lambda _: None,
        inside: Sequence[str] = (),
        **env: str,
    ) -> None:
        self.name = name
        self.out = directory / f"{name}.out"
        self.err = directory / f"{name}.err"
        with self.out.open("wb") as out:
            self.popen = subprocess.Popen(
                [*inside, sys.executable, *module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                cwd=directory,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
            )
        self._listener = threading.Thread(target=self._listen, args=(hears,), daemon=True)
        self._listener.start()

    def _listen(self, hears: Callable[[bytes], None]) -> None:
        assert self.popen.stderr is not None
        with self.popen.stderr as lines, self.err.open("wb", buffering=0) as kept:
            for line in lines:
                kept.write(line)
                hears(line)
        hears(b"")

    @property
    def said(self) -> str:
        return self.err.read_text(errors="replace")

    async def ended(self) -> int:
        code = await trio.to_thread.run_sync(partial(self.popen.wait, GUARD_S))
        self._listener.join()
        return code

    async def kill(self) -> None:
        """End it as a power cut would."""
        self.popen.kill()
        await self.ended()

    def end(self) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        self._listener.join()


class Daemon:
    """``coordinator serve`` on a journal, by default in `directory`; its port stays when it is started again."""

    def __init__(self, directory: Path, *arguments: str, journal: str = "", **env: str) -> None:
        self.directory = directory
        self.journal = journal or f"sqlite:///{directory}/journal.db"
        self.listen = f"127.0.0.1:{free_port()}"
        self.http = ""
        self.process: Process | None = None
        self.program = "coordinator"
        """The module that is started, for one that dies where it is told to."""
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

    async def start(self, inside: Sequence[str] = (), **env: str) -> None:
        """Start, by way of another program if need be, and wait until it says that it can be reached, or ends."""
        self._starts += 1
        arguments = ["serve", "--listen", self.listen, "--http", "127.0.0.1:0", "--journal", self.journal]
        arguments += ["--log-format", "json", *self._arguments]
        heard: queue.SimpleQueue[dict[str, str] | None] = queue.SimpleQueue()

        def hears(line: bytes) -> None:
            if not line:
                heard.put(None)
            elif b'"event": "ready"' in line:
                heard.put(json.loads(line))

        name = f"daemon-{self._starts}"
        module = ["-m", self.program]
        self.process = Process(name, module, arguments, self.directory, hears=hears, inside=inside, **self._env, **env)
        ready = await trio.to_thread.run_sync(partial(heard.get, timeout=GUARD_S))
        assert ready is not None, self.process.said
        self.http = ready["http"]

    async def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.popen.send_signal(number)
        return await self.process.ended()

    async def kill(self) -> None:
        assert self.process is not None
        await self.process.kill()

    async def get(self, path: str) -> Any:
        """A JSON answer of the daemon."""
        return await trio.to_thread.run_sync(fetch, f"{self.http}{path}")

    async def until_match(self, match_id: str, happened: Callable[[Any], object]) -> Any:
        """Follow a match until the picture of it is as wanted; gives that picture."""
        return await trio.to_thread.run_sync(follow, f"{self.http}/api/v1/matches/{match_id}/stream", happened)

    async def until_servers(self, *names: str) -> None:
        """Wait until these table servers are connected: the first one alone would be given everything."""

        def are_here(picture: Any) -> bool:
            return {server["server_id"] for server in picture["servers"] if server["connected"]} == {*names}

        await trio.to_thread.run_sync(follow, f"{self.http}/api/v1/stream", are_here)

    def replay(self) -> subprocess.CompletedProcess[str]:
        """``coordinator replay --check`` on what is in the journal."""
        return coordinator("replay", "--journal", self.journal, "--check", cwd=self.directory)


def fetch(url: str) -> Any:
    with urlopen(url, timeout=GUARD_S) as answer:
        return json.load(answer)


def follow(url: str, happened: Callable[[Any], object]) -> Any:
    """Read a stream of pictures up to the one that is as wanted."""
    give_up = time.monotonic() + GUARD_S
    named = False
    with urlopen(url, timeout=GUARD_S) as stream:
        for line in stream:
            assert time.monotonic() < give_up, f"{url}: it never happened"
            if line.startswith(b"data: ") and not named:
                picture = json.loads(line.removeprefix(b"data: "))
                if happened(picture):
                    return picture
            elif line.startswith(b"event: ") or not line.strip():
                named = line.startswith(b"event: ")  # pictures of something else that come along
    raise AssertionError(f"{url}: the stream ended before it happened")


def coordinator(
    *arguments: str, cwd: Path, inside: Sequence[str] = (), within_s: float = GUARD_S, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end, by way of another program if need be."""
    return subprocess.run(
        [*inside, sys.executable, "-m", "coordinator", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=within_s,
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
