"""No word at any wrong moment fails an assertion of ours, is answered with something unreadable, or spoils a replay."""

import pytest

from coordinator.definition_file import EXAMPLES
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.calendar import Calendar, instant
from coordinator.tourney_file import library
from tests.hostile.liars import Liars
from tests.shell.premises import premises

KNOWN = library([EXAMPLES])
STEPS = 4_000
PAUSES_S = (0.1, 1, 1, 5, 30, 900, 86_400)
SHORT_S = (0.1, 0.5, 1, 2)
"""The ladder of the examples lasts seconds."""


@pytest.mark.parametrize("definition", KNOWN.matches)
async def test_whatever_is_said_at_any_moment_a_match_goes_on(mock_clock, definition):
    store = MemoryStore()
    calendar = Calendar(begin_ms=instant("2026-03-28T09:00:00Z"))
    async with premises(KNOWN.matches, store=store, tourneys=KNOWN.tourneys, calendar=calendar) as house:
        liars = Liars(house, 7, definition)
        for step in range(STEPS):
            liars.speak()
            if step % 10 == 0:
                house.door.batch_done()
            if liars.random.random() < 0.02:
                await house.pass_time(mock_clock, liars.random.choice(SHORT_S if definition == "ladder" else PAUSES_S))
        await house.office.writer.drain()
        house.office.matches_as_told()
        desks = house.office.desks
        assert [desk.failure for desk in desks.values() if desk.failure is not None] == []
        for match_id in desks:
            house.picture.match(match_id)
            same = replay(store, match_id, check=True)
            assert (same.same_effects, same.same_decisions) == (True, True)
        assert liars.heard.get("scored", 0) + liars.heard.get("Challenged", 0) > 10, "there was play to be spoilt"
