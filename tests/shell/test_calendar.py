"""The calendar of start points: wall times in a time zone, across the changes of its clocks (R-HI-02)."""

from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import trio
from trio.testing import MockClock

from coordinator.engine.tourney.definition import Repeat, StartPoint
from coordinator.shell.calendar import Calendar, Moment, instant, next_start, shown
from coordinator.shell.office import Office
from coordinator.shell.peers import Peers
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from tests.engine.tourney_play import cup
from tests.shell.evening import FragileStore

HOUR_MS = 3_600_000
BERLIN = "Europe/Berlin"


def starts(repeat: Repeat, start_at: str, zone: str, after: str, count: int) -> list[Moment]:
    point = StartPoint("only", ("m",), start_at=start_at, repeat=repeat)
    found: list[Moment] = []
    at = instant(after)
    for _ in range(count):
        moment = next_start(point, zone, at)
        assert moment is not None
        found.append(moment)
        at = moment.at_ms
    return found


def on_the_wall(moments: list[Moment], zone: str) -> list[str]:
    return [shown(moment.at_ms, zone) for moment in moments]


def test_daily_keeps_its_wall_time_through_a_year() -> None:
    moments = starts("daily", "2026-01-01T20:00:00", BERLIN, "2025-12-31T23:00:00Z", 365)
    walls = [datetime.fromtimestamp(moment.at_ms / 1000, ZoneInfo(BERLIN)) for moment in moments]
    assert {(wall.hour, wall.minute) for wall in walls} == {(20, 0)}
    assert [wall.date().isoformat() for wall in walls] == [moment.label for moment in moments]
    assert len({moment.label for moment in moments}) == 365
    gaps = [(after.at_ms - before.at_ms) // HOUR_MS for before, after in pairwise(moments)]
    assert (gaps.count(24), gaps.count(23), gaps.count(25)) == (362, 1, 1)
    assert moments[gaps.index(23) + 1].label == "2026-03-29"
    assert moments[gaps.index(25) + 1].label == "2026-10-25"


def test_a_wall_time_that_is_left_out_is_an_hour_later_that_day() -> None:
    moments = starts("daily", "2026-01-01T02:30:00", BERLIN, "2026-03-27T12:00:00Z", 3)
    assert on_the_wall(moments, BERLIN) == [
        "2026-03-28 02:30+01:00",
        "2026-03-29 03:30+02:00",
        "2026-03-30 02:30+02:00",
    ]
    assert [moment.label for moment in moments] == ["2026-03-28", "2026-03-29", "2026-03-30"]


def test_a_wall_time_that_comes_twice_counts_the_first_time() -> None:
    moments = starts("daily", "2026-01-01T02:30:00", BERLIN, "2026-10-24T12:00:00Z", 2)
    assert on_the_wall(moments, BERLIN) == ["2026-10-25 02:30+02:00", "2026-10-26 02:30+01:00"]
    between = instant("2026-10-25T01:00:00Z")  # after the first and before the second 02:30
    point = StartPoint("only", ("m",), start_at="2026-01-01T02:30:00", repeat="daily")
    moment = next_start(point, BERLIN, between)
    assert moment is not None
    assert moment.label == "2026-10-26", "it took place already"


def test_hourly_is_every_hour_whatever_the_clocks_show() -> None:
    moments = starts("hourly", "2026-01-01T00:30:00", BERLIN, "2026-10-24T22:00:00Z", 5)
    assert on_the_wall(moments, BERLIN) == [
        "2026-10-25 00:30+02:00",
        "2026-10-25 01:30+02:00",
        "2026-10-25 02:30+02:00",
        "2026-10-25 02:30+01:00",
        "2026-10-25 03:30+01:00",
    ]
    assert len({moment.label for moment in moments}) == 5, "the two half past two have names of their own"


@pytest.mark.parametrize(
    ("zone", "spring", "autumn"), [("America/New_York", 23, 25), ("Australia/Lord_Howe", 23.5, 24.5)]
)
def test_other_zones_change_on_other_days_and_by_other_steps(zone: str, spring: float, autumn: float) -> None:
    moments = starts("daily", "2026-01-01T20:00:00", zone, "2026-01-01T00:00:00Z", 365)
    gaps = [(after.at_ms - before.at_ms) / HOUR_MS for before, after in pairwise(moments)]
    assert sorted(set(gaps)) == [spring, 24, autumn]


def test_an_instant_needs_its_offset() -> None:
    with pytest.raises(ValueError, match="offset"):
        instant("2026-01-01T20:00:00")


def test_a_rehearsal_begins_where_it_is_told_and_runs_as_fast() -> None:
    async def rehearse() -> None:
        calendar = Calendar(begin_ms=1_000_000, speed=3600)
        assert calendar.now_ms() == 1_000_000
        with trio.move_on_after(2):
            await trio.sleep_forever()
        assert calendar.now_ms() == 1_000_000 + 2 * HOUR_MS
        assert calendar.trio_time(calendar.now_ms() + HOUR_MS) == trio.current_time() + 1
        calendar.skip_to(5_000_000_000)
        assert calendar.now_ms() == 5_000_000_000

    trio.run(rehearse, clock=MockClock(autojump_threshold=0))


@pytest.mark.parametrize(
    ("begin", "labels", "hours"),
    [
        ("2026-03-27T12:00:00Z", ["2026-03-27", "2026-03-28", "2026-03-29", "2026-03-30"], [24, 23, 24]),
        ("2026-10-23T12:00:00Z", ["2026-10-23", "2026-10-24", "2026-10-25", "2026-10-26"], [24, 25, 24]),
    ],
)
def test_an_office_fires_on_virtual_time_across_the_change(begin: str, labels: list[str], hours: list[int]) -> None:
    """The real timers, days in an instant: each start comes when the clocks of its zone show eight."""
    began_s = instant(begin) / 1000
    fired: list[tuple[str, int]] = []

    async def days() -> None:
        store = FragileStore()
        writer, timers = Writer(store), Timers()
        zero = trio.current_time()
        calendar = Calendar(lambda: began_s + trio.current_time() - zero)
        tourneys = {"cup": cup(time_zone=BERLIN)}
        office = Office(store, writer, Peers(), timers, {}, tourneys=tourneys, calendar=calendar)
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            office.wake()
            nursery.start_soon(timers.run)
            state = office.tourneys.desks["cup"].state
            while len(fired) < 4:
                with trio.move_on_after(60):
                    await trio.sleep_forever()
                over = [each for each in state.instances.values() if each.status == "cancelled"]
                for instance in over[len(fired) :]:
                    assert instance.start_at is not None
                    assert 0 <= calendar.now_ms() - instance.start_at <= 60_000, "it fired when its time had come"
                    fired.append((instance.instance_id[4:], instance.start_at))
            nursery.cancel_scope.cancel()

    trio.run(days, clock=MockClock(autojump_threshold=0))
    assert [label for label, _ in fired] == labels
    assert [(after - before) / HOUR_MS for (_, before), (_, after) in pairwise(fired)] == hours
    for label, at in fired:
        assert datetime.fromtimestamp(at / 1000, ZoneInfo(BERLIN)).strftime("%Y-%m-%d %H:%M") == f"{label} 20:00"


def test_what_is_shown_is_the_time_of_the_zone() -> None:
    assert shown(instant("2026-07-01T18:00:00Z"), BERLIN) == "2026-07-01 20:00+02:00"
