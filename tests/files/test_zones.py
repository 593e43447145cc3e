"""Time zones as numbers."""

import datetime

import pytest

from coordinator.engine.ladder.wall_time import HOUR_MS, offset_at
from coordinator.files import zones

MARCH = int(datetime.datetime(2024, 3, 1, tzinfo=datetime.UTC).timestamp() * 1000)


def test_a_zone_without_summer_time_is_one_number() -> None:
    """R-BL-07."""
    [offset] = zones.offsets("Asia/Shanghai", MARCH)
    assert (offset.since, offset.offset_ms) == (0, 8 * HOUR_MS)


def test_the_clocks_are_set_at_the_second_they_are() -> None:
    """R-BL-07: in Berlin on 31 March 2024 at 01:00 UTC, and back on 27 October."""
    found = zones.offsets("Europe/Berlin", MARCH, years=1)
    changes = [datetime.datetime.fromtimestamp(each.since / 1000, datetime.UTC) for each in found[1:3]]
    assert [str(change)[:19] for change in changes] == ["2024-03-31 01:00:00", "2024-10-27 01:00:00"]
    assert [each.offset_ms // HOUR_MS for each in found[:3]] == [1, 2, 1]
    assert offset_at(found, found[1].since - 1) == HOUR_MS
    assert offset_at(found, found[1].since) == 2 * HOUR_MS


@pytest.mark.parametrize(("name", "known"), [("Europe/Berlin", True), ("Nowhere/At all", False), ("../etc", False)])
def test_a_zone_is_known_or_not(name: str, known: bool) -> None:
    assert zones.known(name) is known
