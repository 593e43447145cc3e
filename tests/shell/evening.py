"""An office with tourneys, a lobby that keeps books, and a disk that may fail after any record.

Nothing here has a socket: requests go in as a lobby's messages, answers come out of its session, and tables are played
by hand. The lobby's books outlive the office, as a platform's do.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from coordinator.engine import commands, events
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.tourney.definition import TourneyDefinition
from coordinator.errors import JournalFailed
from coordinator.journal.records import Chain, PendingRecord
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.calendar import Calendar
from coordinator.shell.limits import MatchLimits
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer, Peers
from coordinator.shell.requests import Requests
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from protocol import messages as m
from protocol.errors import WireError
from protocol.session import Session, Side

LOBBY = "front"


class FragileStore(MemoryStore):
    """A disk that takes ``left`` more records and then fails; what it took is there for the next life."""

    def __init__(self, left: int | None = None) -> None:
        super().__init__()
        self.left = left

    def append(self, batch: Sequence[PendingRecord]) -> None:
        if self.left is None:
            super().append(batch)
            return
        fits = list(batch[: self.left])
        if fits:
            super().append(fits)
        self.left -= len(fits)
        if len(fits) < len(batch):
            raise OSError("no space left on device")

    def streams(self) -> list[str]:
        return [entry.match_id for entry in self.matches()]

    def commands(self, stream: str) -> list[Any]:
        return [record.command for record in self.follow(Chain.start(stream))]

    def records(self) -> int:
        return sum(len(self.commands(stream)) for stream in self.streams())


@attrs.define
class Books:
    """What the platform keeps: fees it charged and gave back, awards it paid. Keyed, so that nothing counts twice."""

    charged: dict[str, str] = attrs.field(factory=dict)
    """Player by payment."""
    entered: dict[str, str] = attrs.field(factory=dict)
    """Instance by player."""
    given_back: dict[str, int] = attrs.field(factory=dict)
    """Amount by payment: what was refused, and what was refunded."""
    paid: dict[str, tuple[str, dict[str, int]]] = attrs.field(factory=dict)
    """Player and items by the key of the award."""
    told: dict[str, int] = attrs.field(factory=dict)
    """How often each award or refund was told."""
    confirmed: dict[str, None] = attrs.field(factory=dict)

    def pay(self, due: m.Award | m.Refund) -> None:
        self.told[due.key] = self.told.get(due.key, 0) + 1
        if isinstance(due, m.Award):
            self.paid.setdefault(due.key, (due.player_id, dict(due.items)))
            assert self.paid[due.key] == (due.player_id, due.items), "told again it is the same award"
        else:
            assert due.payment_ref is not None
            known = self.given_back.setdefault(due.payment_ref, due.amount)
            assert known == due.amount


@attrs.define
class Evening:
    """One life of an office and the lobby's session with it."""

    office: Office
    books: Books
    now: list[float]
    requests: Requests
    peer: Peer
    near: Session
    far: Session
    heard: list[m.Message] = attrs.field(factory=list)
    ref: int = 0

    async def ask(self, make: Any) -> m.Message:
        """A request and its one answer."""
        self.ref += 1
        ref = self.ref
        try:
            self.requests.read(self.peer, make(ref))
        except WireError as error:
            return error.answer()
        await self.office.writer.drain()
        self.listen()
        [answer] = [each for each in self.heard if getattr(each, "ref", 0) == ref]
        return answer

    def listen(self) -> None:
        """Hear what was sent; awards and refunds go into the books before they are confirmed."""
        while (frame := self.near.take_frame()) is not None:
            for message in self.far.receive(frame):
                assert not isinstance(message, WireError), message
                self.heard.append(message)
                if isinstance(message, m.Award | m.Refund):
                    self.books.pay(message)

    async def settle(self) -> None:
        """Until nothing is on its way, and every award and refund that was told is confirmed."""
        await self.office.writer.drain()
        self.listen()
        for key in [key for key in self.books.told if key not in self.books.confirmed]:
            told = await self.ask(lambda ref, key=key: m.Received(key, ref))
            assert isinstance(told, m.Ok), told
            self.books.confirmed[key] = None

    async def enter(self, player: str, at: str, **words: Any) -> m.Message:
        """Charge the fee, ask, and give it back when the player is not taken."""
        payment = f"pay-{player}"
        self.books.charged.setdefault(payment, player)
        told = await self.ask(lambda ref: m.Enter(at, player, player.upper(), ref, payment_ref=payment, **words))
        if isinstance(told, m.EntryTaken):
            self.books.entered[player] = told.instance_id
        elif payment not in self.books.given_back:
            self.books.given_back[payment] = 0
        return told

    async def at(self, at_s: float) -> None:
        """The calendar reads this; what is due happens."""
        self.now[0] = max(self.now[0], at_s)
        for desk in self.office.tourneys.desks.values():
            desk.fire_due()
        await self.settle()

    def tell_dues_anew(self) -> None:
        """What a lobby with a new session is told, as the front door does it."""
        for encoded in self.office.dues.of(self.peer.identity):
            self.office.peers.send_encoded(self.peer, encoded)

    async def play(self) -> None:
        """Every table of every match plays on until none is left; letters decide who wins, the first one most."""
        while tables := [
            (desk, table)
            for desk in self.office.desks.values()
            if desk.state.status == "running"
            for table in desk.state.tables.values()
        ]:
            desk, table = tables[0]
            if table.server_id is None:
                placed = (commands.Placement(table.table_id, "ts", "life"),)
                desk.submit(commands.PlaceTables(desk.now_ms(), placed))
                continue
            scores = {player: 1000 - 7 * sum(map(ord, player)) for player in table.seats}
            desk.submit(
                commands.EndHand(
                    desk.now_ms(), "ts", table.table_id, table.epoch, table.hand_no, table.attempt_no, scores
                )
            )
            # One record a commit, so that the disk can fail between any two of them.
            await self.office.writer.drain()
            self.office.archive._look()
        await self.settle()


@asynccontextmanager
async def evening(
    store: MemoryStore,
    tourneys: Mapping[str, TourneyDefinition],
    books: Books,
    now: list[float],
    limits: MatchLimits | None = None,
    *,
    definitions: Mapping[str, MatchDefinition] | None = None,
    lobby: str = LOBBY,
) -> AsyncIterator[Evening]:
    """Open an office on what the store holds. Raises JournalFailed, bare, when its disk fails."""
    writer, peers, timers = Writer(store), Peers(), Timers()
    calendar = Calendar(lambda: now[0])
    office = Office(
        store, writer, peers, timers, definitions or {}, tourneys=tourneys, calendar=calendar, limits=limits
    )
    office.recover()
    near = Session(Side.COORDINATOR, session="s", epoch="e", life="l", window_frames=4096, window_bytes=1 << 26)
    far = Session(Side.PEER, window_frames=4096, window_bytes=1 << 26)
    far.welcomed(near.welcome("new"))
    peer = Peer(lobby, ("lobby",), "l", "", (), 0, 0.0, session=near)
    peers.add(peer)
    opened = Evening(office, books, now, Requests(office), peer, near, far)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(writer.run)
            office.wake()
            opened.tell_dues_anew()
            await opened.settle()
            yield opened
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        failed = group.subgroup(JournalFailed)
        if failed is None:
            raise
        raise JournalFailed("the disk failed") from None


def check_books(store: FragileStore, books: Books, matches: Mapping[str, Sequence[str]]) -> None:
    """Whatever happened, each match was opened once with its players, and every key was paid once."""
    found = [stream for stream in store.streams() if not stream.startswith("tourney:")]
    assert sorted(found) == sorted(matches)
    for match_id, players in matches.items():
        told = store.commands(match_id)
        assert sum(isinstance(command, commands.OpenMatch) for command in told) == 1
        assert [c.player_id for c in told if isinstance(c, commands.RegisterPlayer)] == list(players)
        assert sum(isinstance(command, commands.StartMatch) for command in told) == 1
    for stream in store.streams():
        ended = list(store.follow(Chain.start(stream)))
        over = [event for record in ended for event in record.events if isinstance(event, events.MatchEnded)]
        assert len(over) == (0 if stream.startswith("tourney:") else 1)
