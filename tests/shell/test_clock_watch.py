"""A wall clock that jumps: nothing happens twice, and it is told why nothing happens at all (R-HI-02, R-BL-08)."""

import pytest
from trio.testing import MockClock

from coordinator.engine.tourney.definition import Entry
from tests.engine.tourney_play import cup
from tests.shell.evening import Books, Evening, FragileStore, evening
from tests.shell.ladder_premises import NOON, SetClock, fixed, ladder

DAY_S = 86_400.0
EIGHT_S = 1_772_395_200.0
"""Sunday, 1 March 2026, 20:00 UTC, when the first cup of the test starts."""


def behind(house: Evening) -> list[str]:
    return [alarm.message for alarm in house.office.alarms if alarm.code == "clock_behind"]


@pytest.mark.parametrize("ahead_days", [1, 40, 3650])
async def test_a_clock_that_was_ahead_opens_and_pays_nothing_twice_and_is_told(ahead_days: int) -> None:
    """Put forward and set right again, with a restart in between each time."""
    store, books, now = FragileStore(), Books(), [EIGHT_S - 3600]
    tourneys = {"cup": cup(entry=Entry(fee=5))}
    async with evening(store, tourneys, books, now) as before:
        for player in ("a", "b", "c"):
            await before.enter(player, "cup")
    now[0] = EIGHT_S + 60 + ahead_days * DAY_S
    async with evening(store, tourneys, books, now) as ahead:
        await ahead.at(now[0])
        named = list(ahead.office.tourneys.desks["cup"].state.instances)
        assert not behind(ahead)
    records = store.records()
    for hours in (-1, 0, 1, 24):
        now[0] = EIGHT_S + hours * 3600
        async with evening(store, tourneys, books, now) as right:
            for desk in right.office.tourneys.desks.values():
                desk.fire_due()
            await right.settle()
            state = right.office.tourneys.desks["cup"].state
            assert list(state.instances) == named, "nothing is planned anew"
            if hours < 24 or ahead_days > 1:
                [message] = behind(right)
                assert "tourney 'cup'" in message
    assert store.records() == records, "nothing happened"
    assert {ref: books.told[key] for key, ref in refunds(store)} == {"pay-a": 1, "pay-b": 1, "pay-c": 1}


def refunds(store: FragileStore) -> list[tuple[str, str]]:
    """Key and payment of what was given back for the start that was missed."""
    return [(f"cup.2026-03-01/refund/{number}", f"pay-{player}") for number, player in enumerate("abc", start=1)]


async def test_a_little_is_no_news(mock_clock: MockClock) -> None:
    store, now = FragileStore(), [EIGHT_S - 3600]
    async with evening(store, {"cup": cup()}, Books(), now) as house:
        await house.enter("a", "cup")
        now[0] -= 50
        house.office.clock_watch.look()
        assert not behind(house)


async def test_a_ladder_waits_for_its_clock_and_says_so_once(mock_clock: MockClock) -> None:
    year_ms = 365 * 86_400_000
    async with ladder(mock_clock) as (house, lobby, _):
        clock = SetClock(mock_clock)
        house.office.wall_ms = clock  # type: ignore[method-assign]
        await fixed(lobby)
        desk = house.office.desks["lad"]
        for told in (1, 2):
            clock._zero += 5 * told * year_ms
            desk.fire_due()
            timers = dict(desk.state.timers)
            clock._zero -= 5 * told * year_ms
            for _ in range(3):
                desk.fire_due()
                house.office.clock_watch.look()
            alarms = [alarm for alarm in house.office.alarms if alarm.code == "clock_behind"]
            assert [alarm.match_id for alarm in alarms] == ["lad"] * told
            assert f"{1825 * told} days" in alarms[-1].message
            assert desk.state.timers == timers, "nothing falls due"
            clock._zero += 5 * told * year_ms
            house.office.clock_watch.look()
            clock._zero = NOON
