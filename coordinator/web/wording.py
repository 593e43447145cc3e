"""Numbers and times as people read them. `static/wording.js` says the same in the browser."""

from datetime import UTC, datetime

_CALENDAR = 1_000_000_000_000
"""No match lasts for thirty years of running time: from here on milliseconds are those of Unix."""
_MINUS = "\N{MINUS SIGN}"


def whole(number: int) -> str:
    """A score: digits in groups of three, a real minus sign."""
    return f"{number:,}".replace("-", _MINUS)


def points(text: str | None) -> str:
    """Exact points, which come as text; empty where a match has none."""
    return "" if text is None else text.replace("-", _MINUS)


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 hand``, ``2 hands``."""
    return f"{whole(number)} {one if number == 1 else many or one + 's'}"


def match_time(ms: int) -> str:
    """A time on a clock: ``4:07`` or ``1:04:07``; a countdown shows 0:01 until it is over, so parts round up."""
    seconds = -(-max(ms, 0) // 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def moment(ms: int) -> str:
    """A moment of a match, in whole seconds; of a ladder or a tourney, which go by the calendar, its date in UTC."""
    if ms < _CALENDAR:
        return match_time(ms // 1000 * 1000)
    return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def duration(seconds: float) -> str:
    """How long something has lasted, in its two largest units: ``3 d 4 h``, ``5 min 20 s``, ``8 s``."""
    left = int(max(seconds, 0))
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        number, left = divmod(left, size)
        if number or (unit == "s" and not parts):
            parts.append(f"{number} {unit}")
        elif parts:
            break
        if len(parts) == 2:
            break
    return " ".join(parts)
