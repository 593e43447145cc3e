"""Time zones as plain numbers: what the rules of a ladder need of them, fixed when its match is opened (R-BL-07)."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.ladder.wall_time import Offset

YEARS = 10
_STEP = timedelta(days=1)


def known(name: str) -> bool:
    """Whether there is a time zone of this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def offsets(name: str, from_ms: int, years: int = YEARS) -> tuple[Offset, ...]:
    """How far the clocks of a zone are ahead of UTC from a time on, as far as its rules are known today.

    Raises ZoneInfoNotFoundError for a zone that is not known.
    """
    zone = ZoneInfo(name)
    at = datetime.fromtimestamp(from_ms / 1000, UTC)
    end = at + timedelta(days=366 * years)
    found = [Offset(0, _offset_ms(zone, at))]
    while at < end:
        later = at + _STEP
        if _offset_ms(zone, later) != found[-1].offset_ms:
            since = _change(zone, at, later)
            found.append(Offset(int(since.timestamp() * 1000), _offset_ms(zone, since)))
        at = later
    return tuple(found)


def zone_of(definition: MatchDefinition, now_ms: int) -> tuple[Offset, ...]:
    """The offsets a match needs: those of its ladder's zone, none for any other match."""
    for stage in definition.stages:
        if stage.ladder is not None:
            return offsets(stage.ladder.tz, now_ms)
    return ()


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The second in which the clocks are set."""
    was = _offset_ms(zone, before)
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if _offset_ms(zone, middle) == was:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)


def _offset_ms(zone: ZoneInfo, at: datetime) -> int:
    offset = at.astimezone(zone).utcoffset()
    assert offset is not None, "a zone has an offset"
    return int(offset.total_seconds() * 1000)
