"""The conversation in `wire.md`, spoken frame by frame with a coordinator that is killed in the middle."""

import attrs
from trio.testing import MockClock

from coordinator.engine.definition import GameState, Round
from coordinator.engine.events import HandScored
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from tests.docs.conversation import LOST, RESTARTED, converse, lines_of
from tests.docs.pages import blocks
from tests.engine.stages import DEFAULT, match_of

STAGE = attrs.evolve(DEFAULT, round=Round(hands=3), initial_game_state=GameState(100))
DEFINITION = attrs.evolve(match_of(STAGE, players=3), game="high_card")


async def test_it_goes_as_the_page_says_and_every_hand_counts_once(mock_clock: MockClock) -> None:
    lines = [line for block in blocks("wire", "talk") for line in lines_of(block.body)]
    assert {text for mark, text in lines if mark == "--"} == {LOST, RESTARTED}
    store = MemoryStore()
    await converse(lines, store, DEFINITION)
    happened = [event for record in store.follow(Chain.start("cup-1")) for event in record.events]
    assert [event.hand_no for event in happened if isinstance(event, HandScored)] == [1, 2, 3]
    assert replay(store, "cup-1", check=True).first_difference is None
