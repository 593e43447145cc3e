"""The office: all desks, and what they share: the writer, the timers, the peers, the table servers' holdings."""

from collections import Counter
from collections.abc import Callable, Mapping
from secrets import token_hex
from time import time
from typing import Literal

import attrs
import structlog
import trio

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.formats.ladder import by_wall_clock
from coordinator.engine.match import Outcome, new_state
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.engine.tourney.definition import TourneyDefinition
from coordinator.errors import JournalDamaged
from coordinator.files.zones import zone_of
from coordinator.journal.kinds import TOURNEY_PREFIX
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.replay import Recovered, recover
from coordinator.journal.store import Store
from coordinator.shell.archive import Archive, Read, is_finished, on_a_thread
from coordinator.shell.calendar import Calendar
from coordinator.shell.clock_watch import ClockWatch
from coordinator.shell.desk import STANDS_STILL, Answer, Desk
from coordinator.shell.dispatch import Dispatch
from coordinator.shell.dues import Dues
from coordinator.shell.limits import MatchLimits
from coordinator.shell.outage import Outage, OutageRule
from coordinator.shell.peers import Peer, Peers
from coordinator.shell.placement import Holdings, place, room_for
from coordinator.shell.timers import Timers
from coordinator.shell.tourneys import Tourneys
from coordinator.shell.writer import Writer
from protocol import messages
from protocol.codec import encode_message

_log = structlog.get_logger(__name__)

ALARMS_KEPT = 200
"""Alarms that the page shows."""

DAMAGED = "the match stands still: its journal is damaged, and an operator must mend it"
"""What is answered to whoever asks something of a match that was set aside."""

Cause = Literal["server_lost", "restart", "outage"]
"""Why a table server is given up (R-RC-02)."""

Watcher = Callable[[Desk, Outcome], None]
"""Told of every outcome once it is on disk."""


@attrs.frozen
class Alarm:
    """Something a director or operator must look at. ``at_ms`` is Unix time in milliseconds."""

    at_ms: int
    match_id: str | None
    code: str
    message: str


class Office:
    """Opens matches and keeps their desks. One per daemon."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        peers: Peers,
        timers: Timers,
        definitions: Mapping[str, MatchDefinition],
        *,
        snapshot_every: int = 50_000,
        server_grace_s: float = 5.0,
        set_damaged_aside: bool = True,
        tourneys: Mapping[str, TourneyDefinition] | None = None,
        calendar: Calendar | None = None,
        outage: OutageRule | None = None,
        limits: MatchLimits | None = None,
        read: Read = on_a_thread,
    ) -> None:
        self.damaged: dict[str, JournalDamaged] = {}
        """Matches that could not be taken up, and why. Nothing is written to their journals."""
        self.desks: dict[str, Desk] = {}
        """Every match that is not finished, and of the others those that are kept for a while."""
        self.peers = peers
        self.timers = timers
        self.writer = writer
        self.holdings = Holdings()
        self.definitions = definitions
        self.dues = Dues(self)
        self.dispatch = Dispatch(peers, self.raise_alarm, self.dues.tell)
        self.alarms: list[Alarm] = []
        self.alarms_raised = 0
        self.mistakes = 0
        """Mistakes of our own that were contained and belong to no one match or tourney."""
        self.watchers: list[Watcher] = []
        self.verdicts: dict[str, int] = {}
        self._store = store
        self._snapshot_every = snapshot_every
        self._server_grace_s = server_grace_s
        self._room = False
        self._set_damaged_aside = set_damaged_aside
        self._limits = MatchLimits() if limits is None else limits
        self.archive = Archive(self, store, self._limits, read)
        self.tourneys = Tourneys(self, store, tourneys or {}, calendar)
        self._outage = Outage(outage or OutageRule())
        self.clock_watch = ClockWatch(self)
        writer.contained = timers.contained = self.contain

    def recover(self) -> int:
        """Take up every match that is not finished, and every tourney, of the journal where it stood. Returns how many
        matches that are.

        A match whose records are damaged is set aside, unless that is not wanted, and the others go on. Raises
        JournalNewer, and JournalDamaged for what concerns the journal as a whole.
        """
        strays = dict.fromkeys(self._store.strays())
        for match_id in [*self._store.unfinished(), *strays]:
            try:
                if match_id in strays:
                    raise JournalDamaged(match_id, 1, "the table of contents does not know it")
                self._take_up(match_id)
            except JournalDamaged as error:
                if error.seq is None or not self._set_damaged_aside:
                    raise
                self.set_aside(match_id, error)
        self.archive.open()
        for server_id in self.holdings.servers():
            self._await(server_id, "restart")
        return len(self.desks)

    def _take_up(self, match_id: str) -> None:
        if match_id.startswith(TOURNEY_PREFIX):
            self.tourneys.recover(match_id)
            return
        recovered = recover(self._store, match_id)
        desk = self._desk_of(recovered)
        if is_finished(recovered.state):
            self.archive.put_away(desk)
            return
        self.desks[match_id] = desk
        for table in recovered.state.tables.values():
            if table.server_id is not None:
                self.holdings.give((match_id, table.table_id), table.server_id)

    def take_in(self, recovered: Recovered[MatchState]) -> Desk:
        """A desk for a finished match that was read back."""
        desk = self.desks[recovered.chain.match_id] = self._desk_of(recovered)
        return desk

    def _desk_of(self, recovered: Recovered[MatchState]) -> Desk:
        chain, definition = recovered.chain, recovered.state.definition
        if recovered.passed_over:
            _log.warning("snapshots passed over", match=chain.match_id, records=recovered.passed_over)
        by_wall = definition is not None and by_wall_clock(definition)
        return Desk(recovered.state, chain, self.writer, self, match_ms=recovered.t, by_wall_clock=by_wall)

    def set_aside(self, match_id: str, damage: JournalDamaged) -> None:
        """A match cannot be taken up; the others go on."""
        self.damaged[match_id] = damage
        self.raise_alarm(match_id, "match_damaged", f"the match is set aside: {damage}")

    def wake(self) -> None:
        """After recovery, once the writer runs: arm timers, look for table servers, and let paused clocks go on."""
        self.tourneys.start()
        for desk in self.desks.values():
            desk.wake()
            if desk.state.paused is not None:
                desk.submit(commands.ResumeMatch(desk.now_ms()))
        self.dues.wake()
        self.clock_watch.look()

    # --- matches ----------------------------------------------------------------------------------------------------

    def open_match(
        self,
        match_id: str,
        definition: MatchDefinition,
        seed: str | None,
        answer: Answer,
        *,
        secret: str | None = None,
        lobby: str = "",
    ) -> None:
        """Open a match, or answer the repeated request for one that is open with the same words.

        secret: what its deals follow from, where it is not for this method to choose one. lobby: who asks for it, and
        is told of its awards; a tourney pays those of its own matches.
        """
        if match_id in self.damaged:
            self.writer.append(None, answer, Refused("internal", DAMAGED, "match_id", "another id"))
            return
        known = self.desks.get(match_id)
        if known is not None:
            same = known.state.definition == definition and seed in (None, known.state.seed)
            refusal = Refused("match_exists", f"match {match_id!r} is open with other words", "match_id", "a new id")
            outcome = Outcome((), ()) if same else refusal
            self.writer.append(None, answer, outcome)
            return
        full = self._is_full(match_id)
        if full is not None:
            self.writer.append(None, answer, full)
            return
        # A seed that somebody chose repeats the deals with the draw, so the secret follows from it.
        if secret is None:
            secret = token_hex(32) if seed is None else f"seeded {seed}"
        drawn = token_hex(16) if seed is None else seed
        by_wall = by_wall_clock(definition)
        desk = Desk(new_state(), Chain.start(match_id), self.writer, self, by_wall_clock=by_wall)
        zone = zone_of(definition, self.wall_ms())
        asked = (match_id, definition, drawn, secret, zone, lobby)
        desk.submit(commands.OpenMatch(desk.now_ms(), *asked, owes_payouts=bool(lobby)), answer)
        if desk.state.status != "new":
            self.desks[match_id] = desk
            desk.tell_time()

    def _is_full(self, match_id: str) -> Refused | None:
        """Why no match can be opened now."""
        most = self._limits.matches if self.tourneys.at(match_id) is None else 2 * self._limits.matches
        if len(self.desks) - len(self.archive) < most:
            return None
        return Refused(
            "too_many_matches", f"{most} matches are open, and no more may be", expected="that one ends first"
        )

    def take_snapshots(self) -> None:
        """Before a clean stop: keep every state, so that the next start is quick and a replay can compare."""
        for desk in self.desks.values():
            try:
                self._snapshot(desk)
            except Exception as error:
                desk.fail(error)
        self.tourneys.take_snapshots()

    # --- table servers ----------------------------------------------------------------------------------------------

    def await_server(self, server_id: str) -> None:
        """A table server is away: if it stays away its tables move, unless many others went with it."""
        if self._outage.gone(server_id, len(self.holdings.of(server_id)), len(self.holdings)):
            self._begin_outage()
        elif not self._outage.on:
            self._await(server_id, "server_lost")

    def server_is_back(self, server_id: str) -> None:
        """A table server is connected."""
        self.timers.cancel(("server", server_id))
        self._outage.back(server_id)
        if self._outage.is_over(len(self.holdings)):
            self._end_outage()

    def lose_server(
        self, server_id: str, *, but_life: str | None = None, cause: Cause = "server_lost", forgotten: bool = True
    ) -> None:
        """Move the tables of a server that is gone; with ``but_life`` only those of its other, forgotten lives.

        ``forgotten`` is false for a server that may yet come back and go on with the hands it knows.
        """
        self._outage.back(server_id)
        lost: dict[tuple[str, str], None] = {}
        for match_id, table_id in self.holdings.of(server_id):
            life = self.desks[match_id].state.tables[table_id].life
            if life != but_life:
                lost[match_id, life] = None
        for match_id, life in lost:
            _log.warning("tables of a lost table server move", match=match_id, server=server_id, cause=cause)
            desk = self.desks[match_id]
            desk.submit(commands.LoseServer(desk.now_ms(), server_id, life, cause, forgotten))
        self.settle()

    def _await(self, server_id: str, cause: Cause) -> None:
        at = trio.current_time() + self._server_grace_s
        self.timers.set(("server", server_id), at, lambda: self.lose_server(server_id, cause=cause, forgotten=False))

    def _begin_outage(self) -> None:
        """Nobody is to blame, and there is nowhere to move so many tables to: the clocks stand still."""
        servers = self._outage.servers
        for server_id in servers:
            self.timers.cancel(("server", server_id))
        self.timers.set("outage", trio.current_time() + self._outage.rule.at_most_s, self._end_outage)
        reason = f"{len(servers)} table servers were lost at once"
        self.raise_alarm(None, "outage", f"{reason}: clocks stand still until they are back")
        for desk in self.desks.values():
            if desk.state.status == "running":
                desk.submit(commands.PauseMatch(desk.now_ms(), reason))

    def _end_outage(self) -> None:
        """Enough servers are back, or it has lasted too long: clocks go on, and the tables of the others move."""
        self._outage.on = False
        self.timers.cancel("outage")
        for desk in self.desks.values():
            if desk.state.paused is not None:
                desk.submit(commands.ResumeMatch(desk.now_ms()))
        for server_id in self._outage.servers:
            self._await(server_id, "outage")

    def _let_go(self) -> None:
        """Tables of draining servers move between hands, as many as others have room for."""
        tables = self.peers.with_role("table")
        for peer in self.peers.draining:
            held: dict[str, list[int]] = {}
            for match_id, table_id in self.holdings.of(peer.identity):
                held.setdefault(match_id, []).append(table_id)
            for match_id, table_ids in held.items():
                desk = self.desks[match_id]
                room = room_for(desk.state.rules.game, tables, self.holdings)
                staying = [n for n in table_ids if not desk.state.tables[n].released]
                moving = staying[: max(0, room - (len(table_ids) - len(staying)))]
                if moving:
                    desk.submit(commands.ReleaseTables(desk.now_ms(), peer.identity, tuple(moving)))

    def room_somewhere(self) -> None:
        """A table server came or has more room."""
        self._room = True

    def settle(self) -> None:
        """At the end of a batch: give waiting tables the room that has come up."""
        while self._room:
            self._room = False
            for desk in self.desks.values():
                desk.place_waiting()
            self._let_go()

    def tables_of(self, peer: Peer, life: str) -> list[bytes]:
        """Everything a returning table server must be told of the tables it holds in this life."""
        told: list[bytes] = []
        for match_id, table_id in list(self.holdings.of(peer.identity)):
            desk = self.desks[match_id]
            if desk.failure is not None:  # at one of the tables before
                continue
            try:
                table = desk.state.tables[table_id]
                if table.life == life:
                    told += self.dispatch.table_messages(desk.state, table)
            except Exception as error:
                desk.fail(error)
        return told

    def matches_as_told(self) -> list[bytes]:
        """What a lobby that missed something must be told: how every running match stands, and the newest results that
        are in memory. See :meth:`results_to_read` for the others."""
        desks = self.desks
        failed = [desk for desk in desks.values() if desk.failure is not None]
        whole = {match_id: desk for match_id, desk in desks.items() if desk.failure is None}
        over = [whole[match_id] for match_id in self.archive.newest_over() if match_id in whole]
        running = [desk for desk in whole.values() if desk.state.status == "running"]
        return [encoded for desk in [*over, *running, *failed] for encoded in self.match_as_told(desk)]

    def match_as_told(self, desk: Desk) -> list[bytes]:
        """What a lobby that missed something must be told of one match."""
        try:
            if desk.failure is None:
                return self.dispatch.match_messages(desk.state, desk.now_ms())
        except Exception as error:
            desk.fail(error)
        # The state of a desk that failed may be half of what it should be.
        return [encode_message(messages.MatchPaused(desk.match_id, STANDS_STILL))]

    def results_to_read(self) -> list[str]:
        """The matches among the newest that are over which must be read back before their results can be told."""
        return [match_id for match_id in self.archive.newest_over() if self.archive.lacks(match_id)]

    # --- what desks ask of their surroundings -----------------------------------------------------------------------

    def find_servers(self, desk: Desk, effect: fx.FindServers) -> tuple[commands.Placement, ...]:
        """Choose table servers for as many of the tables as can be placed now."""
        return place(effect.table_ids, effect.game, self.peers.with_role("table"), self.holdings)

    def decided(self, desk: Desk, happened: tuple[events.Event, ...]) -> None:
        """Keep the holdings, and snapshot a journal that has grown."""
        match_id = desk.match_id
        if self.holdings.apply(match_id, happened):
            self._room = True
        # Writing a state costs time that grows with the field, so a larger field is written less often.
        every = max(self._snapshot_every, len(desk.state.entrants))
        if desk.chain.seq - desk.snapshot_at >= every:
            self._snapshot(desk)

    def wall_ms(self) -> int:
        """The wall clock in milliseconds."""
        return int(time() * 1000)

    def released(self, desk: Desk, outcome: Outcome) -> None:
        """Carry out what is on disk."""
        self.dispatch.carry_out(desk.state, outcome.effects)
        for watcher in self.watchers:
            watcher(desk, outcome)
        self.archive.note(desk)

    def desk_timer(self, desk: Desk, at_s: float | None) -> None:
        """Look at a desk's timers when the next one is due."""
        # By name: a timer that is cancelled leaves its key behind for a while.
        if at_s is None:
            self.timers.cancel(("match", desk.match_id))
        else:
            self.timers.set(("match", desk.match_id), at_s, desk.fire_due)

    def failed(self, desk: Desk, error: Exception) -> None:
        """Tell everybody that a match stands still; its tables keep no table server busy any more."""
        self.holdings.forget(desk.match_id)
        self._room = True
        self.raise_alarm(desk.match_id, "match_failed", f"the match stands still: {desk.failure}")
        self.tourneys.match_failed(desk)
        # Behind what was decided before, and in a batch of its own.
        self.writer.append(None, self._tell_failed, desk.match_id)

    def _tell_failed(self, match_id: str) -> None:
        self.dispatch.tell_clock(match_id, STANDS_STILL)
        self.peers.flush()

    def contain(self, error: Exception) -> None:
        """A mistake of our own that belongs to no one match: what it was about is left undone, and all else goes on."""
        self.mistakes += 1
        _log.error("a mistake of the coordinator's own is contained", exc_info=error)
        self.raise_alarm(None, "mistake", f"{type(error).__name__}: {error}")

    def raise_alarm(self, match_id: str | None, code: str, message: str) -> None:
        """Keep an alarm for the page and say it in the log."""
        _log.warning("alarm", match=match_id, code=code, text=message)
        self.alarms_raised += 1
        self.alarms.append(Alarm(self.wall_ms(), match_id, code, message))
        if len(self.alarms) > ALARMS_KEPT:
            # Of what there is most the oldest goes: one match that alarms all the time must not push out the others.
            kinds = [(alarm.match_id, alarm.code) for alarm in self.alarms]
            [(most, _)] = Counter(kinds).most_common(1)
            del self.alarms[kinds.index(most)]

    def _snapshot(self, desk: Desk) -> None:
        if desk.failure is None and desk.snapshot_at != desk.chain.seq:
            desk.snapshot_at = desk.chain.seq
            self.writer.snapshot(Snapshot.take(desk.chain, desk.state))
