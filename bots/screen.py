"""The demo's voice: a moving line on a terminal, a plain line now and then elsewhere."""

from types import TracebackType
from typing import Self

import trio
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bots.standings_feed import Picture

PLAIN_EVERY_S = 3.0
"""How often a line is printed when standard output is not a terminal."""


class Screen:
    """Says lines and shows the match as it goes; use as a context manager around the time that it moves."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._said_at = -PLAIN_EVERY_S
        self._said = ""
        if console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[rest]}", markup=False),
                TimeElapsedColumn(),
                console=console,
                transient=True,
            )
            self._task = self._progress.add_task("waiting for the match", total=None, rest="")

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def say(self, line: str) -> None:
        """One line that stays."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def show(self, picture: Picture) -> None:
        """The match now. Off a terminal a line is printed every few seconds, if it says something new."""
        if self._progress is not None:
            self._progress.update(
                self._task,
                description=_where(picture),
                total=max(picture.players - 1, 1),
                completed=picture.players - picture.remaining,
                rest=_how(picture),
            )
            return
        line = f"{_where(picture)}: {_how(picture)}"
        now = trio.current_time()
        if line != self._said and now - self._said_at >= PLAIN_EVERY_S:
            self._said, self._said_at = line, now
            self.say(line)


def _where(picture: Picture) -> str:
    if picture.status != "running" or not picture.stage_title:
        return picture.status
    return f"{picture.stage_title}, bout {picture.bout_no}" if picture.bout_no else picture.stage_title


def _how(picture: Picture) -> str:
    if picture.status == "registering":
        return f"{picture.players} players"
    left = f"{picture.remaining} of {picture.players} players left"
    return f"{left}, {picture.hands} hands, base score {picture.base_score}"
