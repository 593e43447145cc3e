"""Child processes that end with their parent, however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import trio

POLL_S = 0.05
"""How often a running child is looked at. Cheaper than a thread for each, and the same on every system."""


class Child:
    """A Python module run as a process of its own, its output in a file.

    Must be started from the main thread: the leash of :mod:`bots.leash` holds for as long as the thread that
    started the process lives. The child is a process group of its own, so that a Ctrl-C reaches only the
    parent, which then ends its children in its own order.
    """

    def __init__(self, name: str, module: str, arguments: Sequence[str], *, directory: Path) -> None:
        self.name = name
        self.module = module
        self.arguments = list(arguments)
        self.stopping = False
        self._output = directory / f"{name}.out"
        self._errors = directory / f"{name}.err"
        python = [sys.executable, "-P"]  # a folder named bots where somebody starts a demo is not ours
        leash = [*python, "-m", "bots.leash", str(os.getpid())]
        with self._output.open("wb") as output, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*leash, *python, "-m", module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                process_group=0,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How the process ended (negative: by that signal), None while it runs."""
        return self._process.poll()

    @property
    def was_killed(self) -> bool:
        """Whether somebody else ended it by a signal."""
        code = self.returncode
        return code is not None and code < 0 and not self.stopping

    @property
    def output(self) -> str:
        """What it wrote to standard output so far."""
        return self._output.read_text(errors="replace")

    @property
    def complaint(self) -> str:
        """What it said to people on standard error: no log lines, of a traceback the last line only."""
        said = self._errors.read_text(errors="replace").splitlines()
        lines = [line for line in said if line.strip() and not line.startswith("{")]
        if any(line.startswith("Traceback") for line in lines):
            lines = lines[-1:]
        return "\n".join(lines[-40:])

    @property
    def ending(self) -> str:
        """How the process ended, in words."""
        code = self.returncode
        if code is None:
            return "runs"
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    async def wait(self) -> int:
        """Until the process has ended."""
        while (code := self.returncode) is None:  # noqa: ASYNC110 (another process sets no event of ours)
            await trio.sleep(POLL_S)
        return code

    def terminate(self) -> None:
        """Ask the process to end."""
        self.stopping = True
        self._process.terminate()

    def kill(self) -> None:
        """End the process."""
        self.stopping = True
        self._process.kill()


async def stop(children: Iterable[Child], *, patience_s: float) -> None:
    """End them all, come what may: ask, ask again (which means *at once* to our programs), then kill."""
    with trio.CancelScope(shield=True):
        for urge in (Child.terminate, Child.terminate, Child.kill):
            running = [child for child in children if child.returncode is None]
            for child in running:
                urge(child)
            with trio.move_on_after(patience_s):
                for child in running:
                    await child.wait()
                return
        for child in children:
            await child.wait()
