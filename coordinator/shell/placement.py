"""Which table server gets which table: the least loaded fitting one."""

import heapq
from collections.abc import Iterable, Mapping, Sequence

from coordinator.engine import events
from coordinator.engine.commands import Placement
from coordinator.shell.peers import Peer

TableKey = tuple[str, int]
"""(match_id, table_id)"""

_MOVES = frozenset({events.TablesPlaced, events.RoundEnded, events.TablesOrphaned})


class Holdings:
    """Which tables each table server holds: an index over the states of all matches, kept from their events."""

    def __init__(self) -> None:
        self._by_server: dict[str, dict[TableKey, None]] = {}
        self._by_table: dict[TableKey, str] = {}

    def __len__(self) -> int:
        """How many tables are held."""
        return len(self._by_table)

    def of(self, server_id: str) -> Mapping[TableKey, None]:
        """The tables a server holds, in the order it got them."""
        return self._by_server.get(server_id, {})

    def servers(self) -> list[str]:
        """All servers that hold a table."""
        return list(self._by_server)

    def give(self, key: TableKey, server_id: str) -> None:
        """The server holds this table now."""
        self._by_table[key] = server_id
        self._by_server.setdefault(server_id, {})[key] = None

    def take(self, key: TableKey) -> bool:
        """Nobody holds this table any more. Returns whether somebody did."""
        server_id = self._by_table.pop(key, None)
        if server_id is None:
            return False
        held = self._by_server[server_id]
        del held[key]
        if not held:
            del self._by_server[server_id]
        return True

    def forget(self, match_id: str) -> None:
        """Nobody holds any table of this match any more."""
        for key in [key for key in self._by_table if key[0] == match_id]:
            self.take(key)

    def apply(self, match_id: str, happened: Iterable[events.Event]) -> bool:
        """Follow the events of a match. Returns whether a server has room it did not have before."""
        room = False
        for event in happened:
            if type(event) not in _MOVES:
                continue
            if isinstance(event, events.TablesPlaced):
                for table_id, server_id in zip(event.table_ids, event.server_ids, strict=True):
                    self.give((match_id, table_id), server_id)
            elif isinstance(event, events.RoundEnded):
                room = self.take((match_id, event.table_id)) or room
            else:
                assert isinstance(event, events.TablesOrphaned)
                for table_id in event.table_ids:
                    room = self.take((match_id, table_id)) or room
        return room


def place(table_ids: Sequence[int], game: str, servers: Iterable[Peer], holdings: Holdings) -> tuple[Placement, ...]:
    """Give as many tables as fit, one by one, to the server that is least loaded for its capacity."""
    heap = []
    for order, peer in enumerate(servers):
        held = len(holdings.of(peer.identity))
        if peer.conn is not None and not peer.draining and game in peer.games and held < peer.capacity:
            heap.append((held / peer.capacity, order, held, peer))
    heapq.heapify(heap)
    placements: list[Placement] = []
    for table_id in table_ids:
        if not heap:
            break
        _, order, held, peer = heap[0]
        placements.append(Placement(table_id, peer.identity, peer.life))
        if held + 1 < peer.capacity:
            heapq.heapreplace(heap, ((held + 1) / peer.capacity, order, held + 1, peer))
        else:
            heapq.heappop(heap)
    return tuple(placements)


def room_for(game: str, servers: Iterable[Peer], holdings: Holdings) -> int:
    """How many more tables of this game could be placed now."""
    takers = (peer for peer in servers if peer.conn is not None and not peer.draining and game in peer.games)
    return sum(max(0, peer.capacity - len(holdings.of(peer.identity))) for peer in takers)


def why_no_tables(peer: Peer, held: int) -> str | None:
    """Why a server gets no new tables; None if it would."""
    if peer.conn is None:
        return "it is away"
    if peer.draining:
        return "it drains"
    if not peer.games:
        return "it names no game"
    if held >= peer.capacity:
        return f"it holds {held} of {peer.capacity} tables"
    return None
