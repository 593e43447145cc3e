"""Whether the wall clock is behind what was decided by it.

A clock that is put back stands still for ladders and tourneys, so that nothing happens twice. One that was ahead by
mistake, and is set right, would keep them waiting for as long as it was ahead, and nobody would know why.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from coordinator.shell.office import Office

EVERY_S = 30.0
TOLERATED_MS = 60_000
"""Clocks are set a little all the time."""


class ClockWatch:
    """Raises an alarm for each ladder and tourney that waits for the wall clock, once for as long as it does."""

    def __init__(self, office: "Office") -> None:
        self._office = office
        self._told: frozenset[str] = frozenset()

    def look(self) -> None:
        """Look now, and from now on again and again."""
        waiting = set()
        for name, match_id, behind_ms in self._waiting():
            waiting.add(name)
            if name not in self._told:
                behind = timedelta(seconds=behind_ms // 1000)
                message = f"the wall clock is {behind} behind what {name} has seen of it: nothing falls due until then"
                self._office.raise_alarm(match_id, "clock_behind", message)
        self._told = frozenset(waiting)
        self._office.timers.set("clock", trio.current_time() + EVERY_S, self.look)

    def _waiting(self) -> Iterator[tuple[str, str | None, int]]:
        for desk in self._office.desks.values():
            if desk.state.status == "running" and desk.behind_ms() > TOLERATED_MS:
                yield f"match {desk.match_id!r}", desk.match_id, desk.behind_ms()
        for tourney in self._office.tourneys.desks.values():
            if tourney.state.status == "open" and tourney.behind_ms() > TOLERATED_MS:
                yield f"tourney {tourney.tourney_id!r}", None, tourney.behind_ms()
