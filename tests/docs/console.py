"""A folder in which a page is followed, command by command, as its reader would."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from tests.docs.pages import ROOT

STEP_S = 60.0
"""More than any command of a page takes, even on a busy machine."""
TABLE_SERVERS = (
    "python table_server.py",
    "python whist.py",
    "python miser.py",
    "python -m bots.table_server",
)
"""Commands that go on until somebody ends them."""
_BIN = Path(sys.executable).parent


def environment(**more: str) -> dict[str, str]:
    """A reader's environment: our own programs first, no settings of ours, a terminal of 80 columns."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("COORDINATOR_")}
    # The virtual environment's own programs, and this checkout from any folder.
    path = {"PATH": f"{_BIN}{os.pathsep}{known['PATH']}", "PYTHONPATH": str(ROOT)}
    return {**known, **path, "COLUMNS": "80", "LC_ALL": "C.UTF-8", **more}


def run(line: str, folder: Path, *, step_s: float = STEP_S, **more: str) -> tuple[int, str]:
    """Exit code and everything a line of bash says, both streams in order."""
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=step_s,
    )
    return done.returncode, done.stdout


@attrs.define
class Started:
    """A program that goes on running, and what it has said so far."""

    process: trio.Process
    said: bytearray = attrs.field(factory=bytearray)
    _news: trio.Event = attrs.field(factory=trio.Event)

    async def listen(self) -> None:
        """Take in what it says, until it has nothing more to say."""
        stream = self.process.stdout
        assert stream is not None
        async with stream:
            async for chunk in stream:
                self.said += chunk
                self._news.set()
                self._news = trio.Event()

    async def line_with(self, words: str) -> str:
        """The first whole line that holds these words."""
        with trio.fail_after(STEP_S):
            while True:
                news = self._news
                for line in self.said.decode().splitlines(keepends=True):
                    if words in line and line.endswith("\n"):
                        return line
                await news.wait()

    async def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end, as Ctrl-C does, and give its exit code."""
        self.process.send_signal(number)
        with trio.fail_after(STEP_S):
            return await self.process.wait()


@attrs.define
class Reader:
    """Somebody who follows a page: a folder, a daemon once there is one, and table servers."""

    folder: Path
    nursery: trio.Nursery
    daemon: Started | None = None
    table_servers: list[Started] = attrs.field(factory=list)
    listen: str = ""
    http: str = ""

    async def follow(self, command: str) -> str:
        """Do what a command of the page asks, and give what it said; fail where it fails.

        The daemon's two usual ports may be taken on this machine, so it is given free ones from outside, and the
        addresses in later commands are replaced by them.
        """
        if command.startswith("coordinator serve"):
            await self._serve(command)
            return ""
        line = command.replace("ws://127.0.0.1:7420", f"ws://{self.listen}")
        if command.startswith(TABLE_SERVERS):
            self.table_servers.append(await self._start(line))
            return ""
        exit_code, said = await trio.to_thread.run_sync(self._run, line)
        assert exit_code == 0, f"{command}\n{said}"
        return said

    def _run(self, line: str) -> tuple[int, str]:
        words = line.split()
        if words[0].startswith("scripts/"):
            return run(_script(words), ROOT)
        return run(line, self.folder, COORDINATOR_URL=self.http)

    async def _serve(self, command: str) -> None:
        free = {"COORDINATOR_LISTEN": "127.0.0.1:0", "COORDINATOR_HTTP": "127.0.0.1:0"}
        self.daemon = await self._start(command, **free)
        ready = json.loads(await self.daemon.line_with('"ready"'))
        self.listen, self.http = ready["listen"], ready["http"]

    async def _start(self, line: str, **more: str) -> Started:
        process = await trio.lowlevel.open_process(
            ["bash", "-c", f"exec {line}"],
            cwd=self.folder,
            env=environment(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        started = Started(process)
        self.nursery.start_soon(started.listen)
        return started

    async def stop_daemon(self) -> int:
        """End the table servers, then the daemon as Ctrl-C does; its exit code."""
        for each in self.table_servers:
            await each.stop(signal.SIGKILL)
        assert self.daemon is not None
        return await self.daemon.stop()


@asynccontextmanager
async def reader(folder: Path) -> AsyncIterator[Reader]:
    """A reader in an empty folder; nothing that was started outlives the block."""
    async with trio.open_nursery() as nursery:
        one = Reader(folder, nursery)
        try:
            yield one
        finally:
            for started in [*one.table_servers, *([one.daemon] if one.daemon else [])]:
                started.process.kill()
                with trio.CancelScope(shield=True):
                    await started.process.wait()


def _script(words: list[str]) -> str:
    """A script of ours as a test can run it: the demo without think time, the tests without running themselves.

    Where our set-up has not made the environment, the programs it would end in are called themselves: a test must not
    install anything.
    """
    name = words[0]
    made_here = any((ROOT / ".venv").glob(".setup-*")) and _BIN == ROOT / ".venv/bin"
    if name == "scripts/demo":
        options = words[1:] or ["--speed", "0", "--no-page"]
        return " ".join([name if made_here else "coordinator demo", *options])
    assert name == "scripts/test", f"{name}: how is this command tested?"
    return f"{name if made_here else 'pytest'} --collect-only -q tests/docs/test_tidy.py"
