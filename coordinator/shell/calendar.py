"""The calendar: what time it is for people, and when a start point fires next in its time zone (R-HI-02).

Which instant a wall time is depends on the time zone data of a machine. It is asked here, once for each start, and the
answer is journaled: a replay on another machine, or after the law has changed, leads to the same instants.
"""

from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from time import time
from zoneinfo import ZoneInfo

import attrs
import trio

from coordinator.engine.tourney.definition import StartPoint

RECHECK_S = 30.0
"""How long the calendar is trusted to run as trio's clock does: somebody may set it."""

FROM_MS = 0
TO_MS = 253_370_764_800_000
"""From 1970 until the year 9999, which is as far as dates go, our starts are reckoned."""

_HOUR_MS = 3_600_000
_MONTHS_TRIED = 60


@attrs.frozen
class Moment:
    """An instant a start point fires at: Unix time in milliseconds, and the label its names are made of."""

    at_ms: int
    label: str


class Calendar:
    """Unix time in milliseconds; for rehearsals from another instant on, and faster.

    ``wall`` gives the real time in seconds. With ``begin_ms`` the calendar shows that instant when it is made and runs
    ``speed`` times as fast as the clock from there.
    """

    def __init__(self, wall: Callable[[], float] = time, *, begin_ms: int | None = None, speed: float = 1.0) -> None:
        self._wall = wall
        self._begin_ms = begin_ms
        self._speed = speed if begin_ms is not None else 1.0
        self._born_s = trio.current_time()

    def now_ms(self) -> int:
        """What time it is."""
        if self._begin_ms is None:
            return int(self._wall() * 1000)
        return self._begin_ms + int((trio.current_time() - self._born_s) * 1000 * self._speed)

    def skip_to(self, at_ms: int) -> None:
        """A rehearsal goes on where it was when the daemon stopped, and not before."""
        if self._begin_ms is not None and at_ms > self.now_ms():
            self._begin_ms, self._born_s = at_ms, trio.current_time()

    def trio_time(self, at_ms: int) -> float:
        """When to look at the calendar again if something is due at ``at_ms``, on trio's clock."""
        wait_s = max(0.0, (at_ms - self.now_ms()) / 1000 / self._speed)
        return trio.current_time() + min(wait_s, RECHECK_S)


def next_start(point: StartPoint, time_zone: str, after_ms: int) -> Moment | None:
    """R-HI-02: the first instant after ``after_ms`` at which a start point fires; None when it fires no more.

    Daily, weekly and monthly starts keep their wall time across a change of the clocks. A wall time that the change
    leaves out is as much later as the clocks are put forward; one that comes twice is taken the first time. A month
    without that day is left out. Hourly starts follow each other by sixty minutes, whatever the clocks show.
    """
    if point.start_at is None or after_ms >= TO_MS:
        return None
    after_ms = max(after_ms, FROM_MS)
    zone = ZoneInfo(time_zone)
    first = datetime.fromisoformat(point.start_at)
    if point.repeat == "hourly":
        return _hourly(_instant(first, zone), after_ms)
    for day in _days(point, first, zone, after_ms):
        at_ms = _instant(day, zone)
        if at_ms >= TO_MS:
            return None
        if at_ms > after_ms:
            return Moment(at_ms, day.date().isoformat())
    return None


def shown(at_ms: int, time_zone: str) -> str:
    """An instant as the people of a time zone read it, with its offset."""
    return datetime.fromtimestamp(at_ms / 1000, ZoneInfo(time_zone)).isoformat(" ", "minutes")


def instant(text: str) -> int:
    """The Unix milliseconds of an RFC 3339 instant. Raises ValueError for what is none, has no offset, or lies before
    1970 or beyond 9998."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no offset from UTC")
    at_ms = _unix_ms(moment)
    if not FROM_MS <= at_ms < TO_MS:
        raise ValueError(f"{text!r} is not from 1970 to 9998")
    return at_ms


def _hourly(first_ms: int, after_ms: int) -> Moment | None:
    hours = max(0, (after_ms - first_ms) // _HOUR_MS + 1)
    at_ms = first_ms + hours * _HOUR_MS
    if at_ms >= TO_MS:
        return None
    label = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H%MZ")
    return Moment(at_ms, label)


def _days(point: StartPoint, first: datetime, zone: ZoneInfo, after_ms: int) -> Iterator[datetime]:
    """The wall times of a start point, from the last one that may lie before ``after_ms`` on."""
    if point.repeat == "none":
        yield first
        return
    there = datetime.fromtimestamp(after_ms / 1000, zone).replace(tzinfo=None)
    if point.repeat == "monthly":
        yield from _months(first, there)
        return
    step = 1 if point.repeat == "daily" else 7
    # A day before is early enough: no change of the clocks moves a wall time by more.
    begin = max(0, (there - first).days - 1) // step
    for number in range(begin, begin + 4):
        yield first + timedelta(days=number * step)


def _months(first: datetime, there: datetime) -> Iterator[datetime]:
    begin = max(0, (there.year - first.year) * 12 + there.month - first.month - 1)
    for number in range(begin, begin + _MONTHS_TRIED):
        years, month = divmod(first.month - 1 + number, 12)
        year = first.year + years
        if first.day <= monthrange(year, month + 1)[1]:
            yield first.replace(year=year, month=month + 1)


def _instant(wall: datetime, zone: ZoneInfo) -> int:
    """A wall time that is left out counts with the offset before the change, as does one that comes twice."""
    return _unix_ms(wall.replace(tzinfo=zone, fold=0))


def _unix_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
