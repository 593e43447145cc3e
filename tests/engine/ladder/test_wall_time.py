"""Days, hours and weeks of a place, compared with the standard library's own calendar."""

import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.ladder.wall_time import DAYS, clock_ms, time_of_day, week_began, weekday
from coordinator.files.zones import offsets

BERLIN = ZoneInfo("Europe/Berlin")
OFFSETS = offsets("Europe/Berlin", 1_700_000_000_000, years=3)
times = st.integers(1_700_000_000_000, 1_780_000_000_000)


@given(times)
def test_the_day_and_the_hour(t: int) -> None:
    local = datetime.datetime.fromtimestamp(t / 1000, BERLIN)
    assert weekday(OFFSETS, t) == DAYS[local.weekday()]
    assert time_of_day(OFFSETS, t) // 60_000 == local.hour * 60 + local.minute


@given(times, st.sampled_from(DAYS))
def test_a_week_begins_at_midnight_of_its_day(t: int, day: str) -> None:
    """R-BL-03: also in the weeks in which the clocks are set."""
    began = week_began(OFFSETS, t, day, 0)
    local = datetime.datetime.fromtimestamp(began / 1000, BERLIN)
    assert (DAYS[local.weekday()], local.hour, local.minute, local.second) == (day, 0, 0, 0)
    assert 0 <= t - began < 7 * 24 * 3_600_000 + 3_600_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [("00:00", 0), ("18:00", 64_800_000), ("24:00", 86_400_000), ("24:01", None), ("7:00", None), ("٠١:٠٠", None)],
)
def test_times_of_day(text: str, ms: int | None) -> None:
    assert clock_ms(text) == ms
