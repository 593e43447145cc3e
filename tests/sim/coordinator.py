"""One life of the coordinator after another: the daemon's rooms on a simulated disk, and what the auditor watches."""

from collections.abc import Sequence
from typing import Any, Protocol

import trio

from coordinator.daemon import _stop
from coordinator.engine.definition import MatchDefinition
from coordinator.errors import JournalFailed
from coordinator.shell.front_door import FrontDoor
from coordinator.shell.limits import Limits, MatchLimits
from coordinator.shell.office import Office
from coordinator.shell.outage import OutageRule
from coordinator.shell.peers import Peers
from coordinator.shell.picture import Picture
from coordinator.shell.spectators import Spectators
from coordinator.shell.timers import Timers
from tests.sim.agenda import Agenda
from tests.sim.auditor import Auditor, Violation
from tests.sim.disk import Disk, SimulatedStore
from tests.sim.listening import SimulatedListener
from tests.sim.writing import SimulatedWriter

INSPECT_EVERY_S = 3.0
OUTAGE = OutageRule(at_most_s=20.0)


class Surroundings(Protocol):
    """What a life needs of the world."""

    agenda: Agenda
    auditor: Auditor
    disk: Disk
    definitions: dict[str, MatchDefinition]
    settings: Any
    nonsense: dict[bytes, None]

    def moment(self, name: str) -> None:
        """A named moment; something may be armed to strike there."""

    def violated(self, violation: Violation) -> None:
        """The run has failed."""

    def note(self, *words: object) -> None:
        """A line of the history."""

    def count(self, branch: str) -> None:
        """An interesting branch was taken."""

    async def sync_takes(self) -> None:
        """As long as the disk needs now."""


class Life:
    """The coordinator from one start to its end."""

    def __init__(self, world: Surroundings, number: int) -> None:
        self.number = number
        self.world = world
        self.dead = False
        self.listening = False
        self.scope = trio.CancelScope()
        self._stop_asked = trio.Event()
        settings = world.settings
        self.store = SimulatedStore(world.disk)
        self.writer = SimulatedWriter(self.store, self.moment, world.sync_takes)
        self.peers, self.timers = Peers(), Timers()
        self.office = Office(
            self.store,
            self.writer,
            self.peers,
            self.timers,
            world.definitions,
            snapshot_every=settings.snapshot_every,
            server_grace_s=settings.server_grace_s,
            outage=OUTAGE,
            limits=MatchLimits(match_keep_s=settings.match_keep_s, matches_kept=settings.matches_kept),
            read=self._read,
        )
        self.door = FrontDoor(self.office, software="simulated", session_keep_s=settings.session_keep_s)
        self.listener = SimulatedListener(self.door, limits=Limits(outbox_bytes=settings.outbox_bytes))
        self.writer.after_batch = self.door.batch_done
        self._newest: dict[str, Any] = {}
        self._away_since: dict[str, float] = {}
        self._conn: Any = None
        self._watch()

    def moment(self, name: str) -> None:
        if not self.dead:
            self.world.moment(name)

    async def run(self) -> None:
        """Until it is killed, stopped, or its disk fails."""
        world = self.world
        try:
            with self.scope:
                self.office.recover()
                for match_id, desk in self.office.desks.items():
                    self._recovered(match_id, desk)
                self.moment("recovered")
                await trio.lowlevel.checkpoint()
                async with trio.open_nursery() as nursery:
                    await nursery.start(self.writer.run)
                    nursery.start_soon(self.timers.run)
                    nursery.start_soon(self.office.archive.run)
                    await nursery.start(self.listener.serve)
                    self.office.wake()
                    picture = Picture(self.office, self.listener.counters, journal_url="simulated")
                    Spectators(self.office, picture).start()
                    self.listening = True
                    nursery.start_soon(self._inspect_often)
                    world.note("coordinator", self.number, "listens", "matches", len(self.office.desks))
                    await self._stop_asked.wait()
                    await _stop(self.store.reach, self.office, self.door, self.listener, trio.Event())
                    nursery.cancel_scope.cancel()
        except BaseException as error:
            self._ended_by(error)
        finally:
            self.inspect()
            self._count_up()
            self.listening = False

    async def _read(self, read: Any) -> Any:
        """What the daemon reads on a thread takes its time here too, in which anything may happen."""
        await self.world.sync_takes()
        return read()

    def _recovered(self, match_id: str, desk: Any) -> None:
        self.world.auditor.recovered(match_id, desk.state, desk.chain, list(self.store.read(match_id)))

    def ask_to_stop(self) -> None:
        """What SIGTERM does."""
        self._stop_asked.set()

    def _ended_by(self, error: BaseException) -> None:
        leaves = _leaves(error)
        if any(isinstance(leaf, trio.Cancelled) for leaf in leaves):
            raise error
        if self.dead:
            return
        if all(isinstance(leaf, JournalFailed) for leaf in leaves):
            self.world.count("ended by its disk")
            return
        self.world.violated(Violation("the_coordinator_never_fails", repr(leaves)))

    def _count_up(self) -> None:
        counters = self.listener.counters
        for branch, times in (
            ("slow consumer", counters.slow_consumers),
            ("silent peer", counters.silent_peers),
            ("session overflow", self.peers.overflows),
        ):
            for _ in range(times):
                self.world.count(branch)

    # --- what the auditor sees --------------------------------------------------------------------------------------

    def _watch(self) -> None:
        office, door, world = self.office, self.door, self.world
        really_decided, really_failed = office.decided, office.failed
        really_received, really_read = door.received, door._requests.read
        really_take_over = door._take_over
        really_take_in = office.take_in

        def decided(desk: Any, happened: Any) -> None:
            if not self.dead:
                world.auditor.decided(desk.state, desk.match_id, desk.chain.seq, self.command, happened)
            really_decided(desk, happened)

        def take_in(found: Any) -> Any:
            desk = really_take_in(found)
            if not self.dead:
                world.count("read back")
                self._recovered(desk.match_id, desk)
            return desk

        def let_go(match_id: str) -> None:
            world.count("let go")

        def take_over(peer: Any) -> None:
            world.count("taken over")
            really_take_over(peer)

        def failed(desk: Any, error: Exception) -> None:
            world.violated(Violation("the_coordinator_never_fails", f"match {desk.match_id}: {desk.failure}"))
            really_failed(desk, error)

        def received(conn: Any, payload: bytes, /) -> None:
            known = self.peers.of(conn)
            self._conn = conn
            before = self._heads() if payload in world.nonsense else None
            really_received(conn, payload)
            self._conn = None  # what is read later was said by a session, and waited
            peer = self.peers.of(conn)
            if known is None and peer is not None:
                self._newest[peer.identity] = conn
                self._away_since.pop(peer.identity, None)
                world.moment("hello")
            if before is not None:
                world.count("nonsense read")
                world.auditor.expect(
                    "nonsense_changes_nothing", before == self._heads(), lambda: f"{payload!r} changed a match"
                )

        def read(peer: Any, message: Any) -> None:
            world.auditor.expect(
                "a_replaced_session_is_mute",
                self._conn is None or self._newest.get(peer.identity) is self._conn,
                lambda: f"{peer.identity} was heard through a socket that was replaced: {message}",
            )
            really_read(peer, message)

        office.take_in = take_in  # type: ignore[method-assign,assignment]
        office.archive.farewells.append(let_go)
        office.decided = decided  # type: ignore[method-assign]
        office.failed = failed  # type: ignore[method-assign]
        door.received = received  # type: ignore[method-assign]
        door._requests.read = read  # type: ignore[method-assign]
        door._take_over = take_over  # type: ignore[method-assign]

    command: Any = None
    """What is being decided."""

    def _heads(self) -> dict[str, int]:
        return {match_id: desk.chain.seq for match_id, desk in self.office.desks.items()}

    async def _inspect_often(self) -> None:
        while True:
            await self.world.agenda.passing(INSPECT_EVERY_S)
            self.inspect()

    def _look_for_the_forgotten(self) -> None:
        now = trio.current_time()
        held = {table.server_id for desk in self.office.desks.values() for table in desk.state.tables.values()}
        for server_id in sorted(name for name in held if name is not None):
            peer = self.peers.get(server_id)
            if peer is not None and peer.conn is not None:
                self._away_since.pop(server_id, None)
                continue
            # An outage may begin when the grace is all but over, and gives everybody another one at its end.
            most_s = 2 * self.world.settings.server_grace_s + OUTAGE.at_most_s + INSPECT_EVERY_S
            away_s = now - self._away_since.setdefault(server_id, now)
            self.world.auditor.expect(
                "no_table_is_forgotten",
                away_s <= most_s,
                lambda server_id=server_id, away_s=away_s: f"{server_id} is away for {away_s:.0f} s and keeps tables",
            )

    def inspect(self) -> None:
        """Look at what must hold at any time."""
        expect = self.world.auditor.expect
        if not self.dead and self.listening:
            self._look_for_the_forgotten()
        errors = self.listener.counters.handler_errors + self.office.mistakes
        expect("the_coordinator_never_fails", errors == 0, lambda: f"{errors} errors of our own were contained")
        for peer in self.peers:
            session, conn = peer.session, peer.conn
            if session is not None:
                kept = session._held_bytes + session._ready_bytes
                expect(
                    "queues_stay_within_budget",
                    session.overflow or kept <= session.window_bytes,
                    lambda peer=peer, kept=kept: f"{kept} bytes are kept for {peer.identity}",
                )
            if conn is not None:
                most = self.listener.limits.outbox_bytes + 200_000
                expect(
                    "queues_stay_within_budget",
                    conn.waiting_bytes <= most,
                    lambda peer=peer, conn=conn: f"{conn.waiting_bytes} bytes wait for {peer.identity}",
                )


def _leaves(error: BaseException) -> Sequence[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error]
