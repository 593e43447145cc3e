"""A small island on which somebody can fall, come back and win something."""

import attrs

from coordinator.engine.definition import Elimination, GameState, Grouping, Island, PlayerState, Revival, Reward
from protocol import messages as m
from tests.engine.stages import ISLAND, match_of
from tests.shell.premises import Premises
from tests.shell.programs import Program, open_match

SHORE = attrs.evolve(
    ISLAND,
    id="shore",
    initial_player_state=PlayerState(100),
    initial_game_state=GameState(1),
    grouping=Grouping(shuttle_size=3),
    elimination=Elimination(absolute=0),
    island=Island(4_000, exchange_rate=10),
    revival=Revival("list", fees=(50,), fee_kind="item", item_id="ticket", offer_ms=2_000),
    rewards=(Reward(1, 1, {"coins": 7}),),
)
ISLES = {"isle": match_of(SHORE, players=3)}


async def begun(house: Premises) -> tuple[Program, Program, m.Seat, m.StartHand]:
    """A table server with the island's first table, and the lobby."""
    ts = await house.table_server()
    lobby = await house.lobby()
    await open_match(lobby, "isle-1", "isle", 3)
    return ts, lobby, await ts.next(m.Seat), await ts.next(m.StartHand)
