"""The rooms of the shell, wired as the daemon wires them, with a journal of the test's choice and a free port."""

import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from coordinator.engine.definition import MatchDefinition, Round
from coordinator.engine.tourney.definition import TourneyDefinition
from coordinator.journal.records import PendingRecord
from coordinator.journal.sqlite import MemoryStore
from coordinator.journal.store import Store
from coordinator.shell.archive import Read, on_a_thread
from coordinator.shell.calendar import Calendar
from coordinator.shell.desk import Desk
from coordinator.shell.front_door import FrontDoor
from coordinator.shell.limits import Limits, MatchLimits, SessionLimits
from coordinator.shell.listener import Listener
from coordinator.shell.office import Office
from coordinator.shell.outage import OutageRule
from coordinator.shell.peers import Peer, Peers
from coordinator.shell.picture import Picture
from coordinator.shell.spectators import Spectators
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from protocol import messages as m
from tests.engine.stages import DEFAULT, match_of
from tests.shell.programs import Program, open_match

GAME = "dou_dizhu"
ONE_HAND = match_of(DEFAULT, players=3)
"""Three players, one table, one hand."""
THREE_HANDS = match_of(attrs.evolve(DEFAULT, round=Round(hands=3)), players=3)
DEFINITIONS = {"one": ONE_HAND, "three": THREE_HANDS}


class GatedStore(MemoryStore):
    """A store whose disk stands still while the gate is shut."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()

    def append(self, batch: Sequence[PendingRecord]) -> None:
        self.gate.wait()
        super().append(batch)


@attrs.define
class Premises:
    """Everything a daemon is made of, but for HTTP and signals."""

    office: Office
    door: FrontDoor
    listener: Listener
    picture: Picture
    spectators: Spectators
    port: int
    programs: list[Program] = attrs.field(factory=list)
    planted: int = 0
    """Mistakes that the test has planted where they belong to no one match."""

    def program(self, identity: str, *roles: m.Role, **words: Any) -> Program:
        """A program that has not dialled yet; its socket ends with the premises."""
        program = Program(self.port, identity, *roles, **words)
        self.programs.append(program)
        return program

    async def table_server(self, identity: str = "ts-1", **words: Any) -> Program:
        """A table server that has said hello."""
        server = self.program(identity, "table", **{"games": [GAME], "capacity": 8, **words})
        await server.hello()
        return server

    async def lobby(self, identity: str = "lobby", *, director: bool = False, **words: Any) -> Program:
        """A lobby that has said hello; its staff may rule on matches as well."""
        roles: tuple[m.Role, ...] = ("lobby", "director") if director else ("lobby",)
        lobby = self.program(identity, *roles, **words)
        await lobby.hello()
        return lobby

    async def director(self, identity: str = "director", **words: Any) -> Program:
        """A director who has said hello."""
        director = self.program(identity, "director", **words)
        await director.hello()
        return director

    def desk(self, match_id: str) -> Desk:
        return self.office.desks[match_id]

    def peer(self, identity: str) -> Peer:
        """What the coordinator knows of a program that said hello."""
        peer = self.office.peers.get(identity)
        assert peer is not None, identity
        return peer

    def lines(self, match_id: str) -> list[str]:
        """What the page tells of a match, newest first."""
        match = self.picture.match(match_id)
        assert match is not None, match_id
        return [line["text"] for line in match["events"]]

    async def gone(self, identity: str) -> None:
        """Wait until the coordinator has noticed that a program's socket is lost."""
        await self.until(lambda: self.peer(identity).conn is None)

    async def until(self, happened: Any) -> None:
        """Wait for what no program is told about."""
        while not happened():
            await trio.lowlevel.checkpoint()

    async def pass_time(self, clock: MockClock, seconds: float) -> None:
        """Let so much time pass, and what falls due in it happen."""
        await wait_all_tasks_blocked()
        clock.jump(seconds)
        # The timers share a wake-up some milliseconds later.
        for _ in range(2):
            await wait_all_tasks_blocked()
            clock.jump(0.02)
        await wait_all_tasks_blocked()
        await self.office.writer.drain()
        await wait_all_tasks_blocked()


@asynccontextmanager
async def premises(
    definitions: Mapping[str, MatchDefinition] = DEFINITIONS,
    *,
    store: Store | None = None,
    limits: Limits | None = None,
    session_limits: SessionLimits | None = None,
    snapshot_every: int = 50_000,
    set_damaged_aside: bool = True,
    tourneys: Mapping[str, TourneyDefinition] | None = None,
    calendar: Calendar | None = None,
    outage: OutageRule | None = None,
    match_limits: MatchLimits | None = None,
    read: Read = on_a_thread,
    **door_words: Any,
) -> AsyncIterator[Premises]:
    """Open the rooms in the daemon's order, take up what the store holds, and close them again."""
    store = MemoryStore() if store is None else store
    writer, peers, timers = Writer(store), Peers(), Timers()
    office = Office(
        store,
        writer,
        peers,
        timers,
        definitions,
        snapshot_every=snapshot_every,
        server_grace_s=5.0,
        set_damaged_aside=set_damaged_aside,
        tourneys=tourneys,
        calendar=calendar,
        outage=outage,
        limits=match_limits,
        read=read,
    )
    door = FrontDoor(office, software="premises", limits=session_limits, **door_words)
    listener = Listener(door, host="127.0.0.1", port=0, limits=limits)
    picture = Picture(office, listener.counters, journal_url="in memory")
    spectators = Spectators(office, picture)
    writer.after_batch = door.batch_done
    office.recover()
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        nursery.start_soon(timers.run)
        nursery.start_soon(office.archive.run)
        port: int = await nursery.start(listener.serve)
        office.wake()
        spectators.start()
        picture.ready = True
        opened = Premises(office, door, listener, picture, spectators, port)
        try:
            yield opened
            assert listener.counters.handler_errors == 0, "a mistake of our own was contained"
            assert office.mistakes == opened.planted, "a mistake of our own was contained"
        finally:
            if isinstance(store, GatedStore):
                store.gate.set()
            for program in opened.programs:
                await program.end()
            nursery.cancel_scope.cancel()


async def seated(
    house: Premises, server: str = "ts-1", match_id: str = "cup", definition: str = "three"
) -> tuple[Program, Program, m.Seat, m.StartHand]:
    """A table server that holds the one table of a match, and has its first hand."""
    ts = await house.table_server(server)
    lobby = await house.lobby()
    await open_match(lobby, match_id, definition, 3)
    return ts, lobby, await ts.next(m.Seat), await ts.next(m.StartHand)
