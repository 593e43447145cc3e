"""R-BL-07: which times may be proposed for a match.

Implements R-BL-07.
"""

from collections.abc import Sequence

import attrs

from coordinator.engine.ladder.wall_time import Offset, time_of_day, weekday


@attrs.frozen
class Slot:
    """A proposed start (Unix milliseconds). ``mutual``: agreed otherwise by both teams, so day and hour are free."""

    at: int
    mutual: bool = False


def allowed_hour(slot: Slot, zone: Sequence[Offset], days: Sequence[str], first_ms: int, last_ms: int) -> bool:
    """Whether the start lies on one of the days, from the first time of day to before the last.

    A match may run past midnight.
    """
    return slot.mutual or (weekday(zone, slot.at) in days and first_ms <= time_of_day(zone, slot.at) < last_ms)


def in_time(slot: Slot, t: int, due: int) -> bool:
    """Whether the start is neither past already nor beyond the limit of the challenge; mutual times obey it too."""
    return t <= slot.at <= due
