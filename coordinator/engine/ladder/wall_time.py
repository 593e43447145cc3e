"""Dates and hours of a place, worked out from nothing but numbers.

A ladder goes by the wall clock: its ``t`` is Unix time in milliseconds. The offsets of its time zone are fixed when the
match is opened and stand in the journal, so that a replay on a machine with other zone rules, or none, decides alike.
"""

from collections.abc import Sequence
from typing import Final

import attrs

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS
WEEK_MS: Final = 7 * DAY_MS
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_EPOCH_DAY: Final = 3
"""The first of January 1970 was a Thursday."""


@attrs.frozen
class Offset:
    """From ``since`` (Unix milliseconds) on, clocks of the zone are ``offset_ms`` ahead of UTC."""

    since: int
    offset_ms: int


def offset_at(zone: Sequence[Offset], t: int) -> int:
    """How far ahead of UTC the zone's clocks are at ``t``; before its first entry as at it, without any 0."""
    found = zone[0].offset_ms if zone else 0
    for entry in zone:
        if entry.since > t:
            break
        found = entry.offset_ms
    return found


def weekday(zone: Sequence[Offset], t: int) -> str:
    """The day of the week there, one of :data:`DAYS`."""
    return DAYS[((t + offset_at(zone, t)) // DAY_MS + _EPOCH_DAY) % 7]


def time_of_day(zone: Sequence[Offset], t: int) -> int:
    """Milliseconds since midnight there."""
    return (t + offset_at(zone, t)) % DAY_MS


def week_began(zone: Sequence[Offset], t: int, day: str, clock_ms: int) -> int:
    """When the week that ``t`` lies in began: at ``clock_ms`` after midnight of ``day``, by the zone's clocks."""
    start = (DAYS.index(day) - _EPOCH_DAY) * DAY_MS + clock_ms
    local = t + offset_at(zone, t)
    began = local - (local - start) % WEEK_MS
    first = began - offset_at(zone, t)
    # The clocks may have been set since: the offset that held then is the right one.
    return min(began - offset_at(zone, first), t)


def clock_ms(text: str) -> int | None:
    """``"18:00"`` as milliseconds since midnight, up to ``"24:00"``; None for what is no time of day."""
    hours, colon, minutes = text.partition(":")
    if not (colon and len(hours) == 2 and len(minutes) == 2 and (hours + minutes).isascii()):
        return None
    if not (hours + minutes).isdecimal() or int(minutes) > 59:
        return None
    ms = int(hours) * HOUR_MS + int(minutes) * MINUTE_MS
    return ms if ms <= DAY_MS else None
