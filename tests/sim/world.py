"""One run: a coordinator, table servers and a platform in one deterministic loop, everything from one seed."""

import hashlib
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import attrs
import structlog
import trio
from trio.testing import MockClock

from coordinator.engine import match as rules
from coordinator.engine.dues import rewarded
from coordinator.engine.refusal import Refused
from coordinator.errors import JournalDamaged
from coordinator.journal.records import state_hash
from coordinator.journal.replay import recover, replay
from protocol.client.channel import ChannelLost
from tests.sim.agenda import Agenda
from tests.sim.auditor import Auditor, Violation
from tests.sim.chance import Chance
from tests.sim.coordinator import Life
from tests.sim.dialling import SimulatedChannel, dial_to
from tests.sim.directing import Word, said
from tests.sim.disk import Disk, SimulatedStore
from tests.sim.links import Link, Pipe
from tests.sim.plan import Plan, Step
from tests.sim.programs import LobbyProgram, Program, TableServerProgram
from tests.sim.recipes import Recipe, draw_recipe
from tests.sim.sessions import Ledger, recording
from tests.sim.striking import Striker

STANDSTILL_S = 1500.0
"""Virtual seconds in which, once faults have stopped, no hand ends and nobody comes or goes: nothing will any more."""

HANDS_MOST = 1500
"""Hands after which a match will not end any more either; those that are drawn have some hundreds."""

LADDER_MOST_S = 600.0
"""A ladder ends by the clock, however much is played on it: in a minute and a half, and with its open challenges."""

START_WALL_S = 1_790_000_000.0
LINES_KEPT = 60


@attrs.frozen
class Verdict:
    """What became of a run."""

    plan: Plan
    violation: Violation | None
    simulated_s: float
    events: int
    records: int
    trace: str
    branches: Counter[str]
    looked: Counter[str]
    history: tuple[str, ...]


class World:
    """Everything there is in one run."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.settings = plan.settings
        self.chance = Chance(plan.seed)
        self.agenda = Agenda()
        self.auditor = Auditor(self)
        self.branches: Counter[str] = Counter()
        self.nonsense: dict[bytes, None] = {}
        self.newest_frames: dict[str, deque[tuple[str | None, bytes]]] = {}
        self.violation: Violation | None = None
        self.clock_off_s = 0.0
        self.disk = Disk(self.chance.stream("disk"), syncs_s=plan.settings.syncs_s, on_synced=self.auditor.synced)
        self.recipes: dict[str, Recipe] = {}
        for number, name in enumerate(plan.settings.formats, start=1):
            self.recipes[f"m{number}"] = draw_recipe(self.chance.stream("recipe", number), name)
        self.definitions: dict[str, Any] = {}
        for match_id, recipe in self.recipes.items():
            definition = attrs.evolve(recipe.definition, id=f"{recipe.definition.id}-{match_id}")
            self.definitions[definition.id] = definition
            self.recipes[match_id] = attrs.evolve(recipe, definition=definition)
        self.life: Life | None = None
        self.ledger = Ledger(self.auditor)
        self.table_servers = [
            TableServerProgram(self, f"ts-{number}", self.settings.capacity)
            for number in range(1, self.settings.servers + 1)
        ]
        self.lobby = LobbyProgram(self, "lobby")
        self.programs: list[Program] = [*self.table_servers, self.lobby]
        self.auditor.uptime = self._uptime
        self.ledger.owner = self._owner
        self.ledger.moment, self.ledger.count = self.moment, self.count
        self._opened_at: dict[str, float] = {}
        self._lives: list[list[float]] = []
        self._trace = hashlib.sha256()
        self._lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._links = 0
        self._latency = self.chance.stream("latency")
        self._cut_off: dict[str, float] = {}
        self._armed: dict[str, list[Step]] = {}
        self._moments: Counter[str] = Counter()
        self._striker = Striker(self)
        self._scope = trio.CancelScope()
        self._nursery: trio.Nursery | None = None
        self._down_luck = self.chance.stream("down")
        self._ended = False
        self._quiet = False

    # --- what everybody is told -------------------------------------------------------------------------------------

    def note(self, *words: object) -> None:
        """A line of the history, part of the trace."""
        line = f"{trio.current_time():.3f} {' '.join(map(str, words))}"
        self._trace.update(line.encode())
        self._lines.append(line)

    def count(self, branch: str) -> None:
        """An interesting branch was taken."""
        self.branches[branch] += 1

    def violated(self, violation: Violation) -> None:
        """The first broken promise ends the run."""
        if self.violation is None:
            self.violation = violation
            self._scope.cancel()

    def moment(self, name: str) -> None:
        """A named moment: what is armed for it strikes now, or so soon that nothing of note happens before."""
        self._moments[name] += 1
        for step in self._armed.get(name, ()):
            if step.nth == self._moments[name] and not self._quiet:
                self.count(f"{step.kind} when {name}")
                late_s = step.words.get("late_ms", 0) / 1000
                if late_s or step.kind not in ("kill", "failing disk"):
                    self.agenda.after(late_s, partial(self._striker.strike, step))
                else:
                    self._striker.strike(step)

    def wall_s(self) -> float:
        """What the wall clock shows; it may jump."""
        return START_WALL_S + trio.current_time() + self.clock_off_s

    # --- the network ------------------------------------------------------------------------------------------------

    def dial(self, identity: str, opened: Callable[[SimulatedChannel], None]) -> Any:
        return dial_to(self, identity, opened)

    async def connect(self, identity: str) -> Link:
        await self.agenda.passing(self.settings.latency_s * 2)
        life = self.life
        if life is None or life.dead or not life.listening or trio.current_time() < self._cut_off.get(identity, 0):
            raise ChannelLost("nobody answers")
        self._links += 1
        latency_s, size = self.settings.latency_s, self.settings.link_bytes
        up, down = (Pipe(self.agenda, self._latency, latency_s, size) for _ in range(2))
        link = Link(self._links, identity, up, down)
        self.open_links.append((life, link))
        life.listener.connect(link)
        return link

    @property
    def open_links(self) -> list[tuple[Life, Link]]:
        """The connections to each life of the coordinator."""
        return self._open_links

    _open_links: list[tuple[Life, Link]]

    def sent(self, channel: SimulatedChannel, payload: bytes) -> None:
        identity = channel.link.identity
        spoken_in = next((p.session.session for p in self.programs if p.identity == identity and p.session), None)
        self.newest_frames.setdefault(identity, deque(maxlen=2)).append((spoken_in, payload))

    def cut_off(self, identity: str, seconds: float) -> None:
        """Nobody reaches anybody from there for a while."""
        self._cut_off[identity] = trio.current_time() + seconds

    # --- the coordinator's process ----------------------------------------------------------------------------------

    async def _run_coordinator(self) -> None:
        number = 0
        while True:
            number += 1
            self.disk.fails = None
            life = self.life = Life(self, number)
            began = trio.current_time()
            self._lives.append([began, float("inf")])
            await life.run()
            self._lives[-1][1] = trio.current_time()
            self._end_of(life)
            self.note("coordinator", number, "has ended")
            await self.agenda.passing(self._down_luck.choice([0.05, 0.5, 4.0]))

    def _end_of(self, life: Life) -> None:
        """A process that is gone: its sockets are closed by its kernel, its disk keeps what it keeps."""
        if not life.store.dead:
            life.dead = life.store.dead = True
            torn = self.disk.torn
            self.disk.cut()
            if self.disk.torn > torn:
                self.count("a torn tail")
        for owner, link in self._open_links:
            if owner is life:
                link.server_is_dead = True
                link.cut("reset")
        self._open_links = [pair for pair in self._open_links if pair[0] is not life]

    def kill(self) -> None:
        """``kill -9``."""
        life = self.life
        if life is not None and not life.dead:
            self._end_of(life)
            life.scope.cancel()

    def stop(self) -> None:
        """SIGTERM."""
        if self.life is not None and self.life.listening:
            self.life.ask_to_stop()

    def _uptime(self, match_id: str) -> float:
        """For how many seconds coordinators have run since the match was opened."""
        if self.recipes[match_id].teams:
            return float("inf")  # a ladder goes by the wall clock
        now = trio.current_time()
        opened = self._opened_at.setdefault(match_id, now)
        return sum(max(0.0, min(end, now) - max(start, opened)) for start, end in self._lives)

    def _owner(self, session: Any) -> str:
        peers = self.life.peers if self.life is not None else ()
        return next((peer.identity for peer in peers if peer.session is session), "")

    async def sync_takes(self) -> None:
        disk = self.disk
        if trio.current_time() < disk.slow_until:
            await self.agenda.passing(disk.luck.uniform(0.2, 2.0))
        else:
            await self.agenda.passing(disk.luck.uniform(*disk.syncs_s))

    def slow_disk(self, seconds: float) -> None:
        """The disk has other things to do."""
        self.disk.slow_until = trio.current_time() + seconds

    # --- other processes --------------------------------------------------------------------------------------------

    def take_over(self, program: TableServerProgram) -> None:
        """A second process under the same identity."""
        twin = TableServerProgram(self, program.identity, program.capacity)
        twin.lives = program.lives + 100 * len(self.table_servers)
        self.table_servers.append(twin)
        self.programs.append(twin)
        program.finished = True
        assert self._nursery is not None
        self._nursery.start_soon(twin.run)

    def asks(self, word: str, match_id: str, player_id: str) -> None:
        """The platform passes on what a player wants."""
        assert self._nursery is not None
        self._nursery.start_soon(self.lobby.say, word, match_id, player_id)

    def rules(self, word: str, ask: Word) -> None:
        """The platform's staff decide something."""
        assert self._nursery is not None
        self._nursery.start_soon(said, self.lobby, word, ask)

    # --- the run ----------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """From the first dial to the last word."""
        self._open_links = []
        with self._scope:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self.agenda.run)
                nursery.start_soon(self._run_coordinator)
                for program in self.programs:
                    nursery.start_soon(program.run)
                for (match_id, recipe), at in zip(self.recipes.items(), self.settings.opens_s, strict=True):
                    self.agenda.after(at, partial(nursery.start_soon, self.lobby.open, match_id, recipe))
                for step in self.plan.steps:
                    if step.at is None:
                        self._armed.setdefault(step.moment or "", []).append(step)
                    else:
                        self.agenda.after(step.at, partial(self._striker.strike, step))
                await self.agenda.passing(self.settings.faults_s)
                self._quiet = True
                await self._until_all_is_over()
                nursery.cancel_scope.cancel()
        self._ended = True
        if self.violation is None:
            self._look_back()

    async def _until_all_is_over(self) -> None:
        progress, since, quiet = (-1, -1, -1), trio.current_time(), trio.current_time()
        while not self._all_is_over():
            await self.agenda.passing(5.0)
            if self.life is not None and not self.life.dead:
                self.life.inspect()
            now = self._progress()
            if now != progress:
                progress, since = now, trio.current_time()
            stuck = trio.current_time() > since + STANDSTILL_S or now[0] > HANDS_MOST * len(self.recipes)
            if stuck or (trio.current_time() > quiet + LADDER_MOST_S and self._a_ladder_runs()):
                self.auditor.expect("everything_ends", False, self._what_is_left)
                return
        self.auditor.expect("everything_ends", True, str)

    def _a_ladder_runs(self) -> bool:
        ladders = [match_id for match_id, recipe in self.recipes.items() if recipe.teams]
        return any(book.status == "running" for match_id, book in self.auditor.books.items() if match_id in ladders)

    def _progress(self) -> tuple[int, int, int]:
        """Hands and tables that have ended and matches that are over; a clock that ticks is no progress."""
        books = self.auditor.books.values()
        over = sum(each.status in ("over", "halted") for each in books)
        return sum(each.hands for each in books), sum(len(each.closed) for each in books), over

    def _pending_reports(self) -> list[str]:
        return [
            f"{program.identity}: {told.hand!r}"
            for program in self.table_servers
            for told in program.told
            if program.server is not None
            and not program.server._ended
            and told.hand._keeper is program.server
            and told.report._pending.outcome is None
        ]

    def _all_is_over(self) -> bool:
        life = self.life
        if life is None or not life.listening:
            return False
        statuses = [self.auditor.books[match_id].status for match_id in self.recipes if match_id in self.auditor.books]
        over = len(statuses) == len(self.recipes) and all(status in ("over", "halted") for status in statuses)
        if not over or self.lobby.asking or self._pending_reports():
            return False
        if any(
            self.auditor.books[match_id].status == "over" and match_id not in self.lobby.over
            for match_id in self.recipes
        ):
            return False
        living = [program for program in self.table_servers if not program.finished]
        return not any(program.server is not None and program.server.tables for program in living)

    def _what_is_left(self) -> str:
        statuses = {match_id: self.auditor.books[match_id].status for match_id in self.auditor.books}
        tables = {p.identity: list(p.server.tables) for p in self.table_servers if p.server is not None}
        open_tables = {match_id: list(books.tables) for match_id, books in self.auditor.books.items()}
        timers = {
            match_id: dict(desk.state.timers)
            for match_id, desk in (self.life.office.desks if self.life else {}).items()
        }
        return (
            f"after {STANDSTILL_S:g} s without progress: matches {statuses}, heard {list(self.lobby.over)}, "
            f"{self.lobby.asking} requests open, reports {self._pending_reports()}, tables {open_tables}, "
            f"held {tables}, timers {timers}"
        )

    # --- afterwards -------------------------------------------------------------------------------------------------

    def _look_back(self) -> None:
        """The journal that is left, against everything that was seen."""
        expect = self.auditor.expect
        assert self.life is not None
        self._end_of(self.life)
        store = SimulatedStore(self.disk)
        for match_id, books in self.auditor.books.items():
            report = replay(store, match_id, check=True)
            expect(
                "decisions_repeat",
                bool(report.same_effects and report.same_decisions and report.same_state is not False),
                lambda report=report: str(report.first_difference),
            )
            taken_up = recover(store, match_id)
            stored = list(store.read(match_id))
            self.auditor.recovered(match_id, taken_up.state, taken_up.chain, stored)
            if books.status == "over":
                heard = [row.player_id for row in self.lobby.final(match_id)]
                expect(
                    "everybody_hears_the_same_end",
                    heard == list(books.ranking),
                    lambda heard=heard, books=books: f"the lobby heard {heard}, the journal says {books.ranking}",
                )
            self._look_at_awards(match_id, taken_up.state)
        for program in self.table_servers:
            for told in program.told:
                self._look_at_report(told)
        self._look_at_damage()

    def _look_at_awards(self, match_id: str, state: Any) -> None:
        due = {payout.payout_no: payout.player_id for payout in state.payouts}
        if state.status == "over":
            won = rewarded(state.rules.rewards, state.ranking)
            due |= {-place: player_id for place, player_id, _ in won if player_id not in state.disqualified}
            self.auditor.expect(
                "awards_are_paid_once", not state.dues, lambda: f"{match_id}: never confirmed: {list(state.dues)}"
            )
        paid = {number: player for (match, number), (player, _) in self.lobby.bank.items() if match == match_id}
        self.auditor.expect("awards_are_paid_once", due == paid, lambda: f"{match_id}: due are {due}, paid were {paid}")
        self.auditor.awards(match_id, self.lobby.bank)

    def _look_at_report(self, told: Any) -> None:
        verdict, hand = told.report.verdict, told.hand
        if verdict is None or verdict.verdict not in ("scored", "duplicate"):
            if verdict is not None:
                self.count(f"verdict {verdict.verdict}")
            return
        self.count(f"verdict {verdict.verdict}")
        table = hand.table
        counted = self.auditor.books[table.match_id].counted.get((table.table_id, hand.hand_no))
        reported = tuple(told.scores[player] for player in table.players)
        self.auditor.expect(
            "what_was_acknowledged_stays",
            counted is not None and counted[1] == reported,
            lambda: f"{hand!r} was acknowledged with {reported}, the journal says {counted}",
        )

    def _look_at_damage(self) -> None:
        """A bit of a record turns: nobody may take the match up as if nothing had happened."""
        hashes = {
            match_id: state_hash(recover(SimulatedStore(self.disk), match_id).state) for match_id in self.auditor.books
        }
        mend = self.disk.damage_record()
        if mend is None:
            return
        store, noticed = SimulatedStore(self.disk), 0
        for match_id in self.auditor.books:
            try:
                store.verify(match_id)
            except JournalDamaged:
                noticed += 1
            try:
                same = state_hash(recover(store, match_id).state) == hashes[match_id]
            except JournalDamaged:
                same = True
            self.auditor.expect("damage_is_refused", same, lambda match_id=match_id: f"{match_id} is taken up altered")
        self.auditor.expect("damage_is_refused", noticed > 0, lambda: "a damaged journal verifies")
        mend()

    def verdict(self) -> Verdict:
        """What is to be said about the run."""
        return Verdict(
            self.plan,
            self.violation,
            self.simulated_s,
            self.agenda.done,
            self.auditor.records,
            self._trace.hexdigest(),
            self.branches,
            self.auditor.looked,
            tuple(self._lines),
        )

    simulated_s = 0.0


def _checked_step(world: World) -> Callable[..., Any]:
    """The rules, watched: a refusal must leave the state alone."""

    def step(state: Any, command: Any) -> Any:
        world_life = world.life
        known = state.match_id
        books = world.auditor.books.get(known)
        before = world.auditor.hashes.get((known, books.seq)) if books is not None else None
        outcome = rules.step(state, command)
        if isinstance(outcome, Refused):
            world.count(f"refused {outcome.code}")
            if before is not None and world_life is not None and not world_life.dead:
                world.auditor.refused(before, state_hash(state), command)
        elif world_life is not None:
            world_life.command = command
        return outcome

    return step


@contextmanager
def _arranged(world: World) -> Iterator[None]:
    """The places where the real world comes in, taken by the simulated one; put back afterwards."""
    words = world.chance.stream("words")
    session = recording(world.ledger)

    def token_hex(size: int) -> str:
        return words.randbytes(size).hex()

    quiet = structlog.make_filtering_bound_logger(logging.CRITICAL)
    before = structlog.get_config()
    names = ("protocol.client", "coordinator.shell.connection", "coordinator.shell.listener")
    loggers = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    run: Any = trio._core._run
    with ExitStack() as stack:
        for place, substitute in (
            ("coordinator.shell.front_door.token_hex", token_hex),
            ("coordinator.shell.office.token_hex", token_hex),
            ("coordinator.shell.office.time", world.wall_s),
            ("bots.ladder.time", SimpleNamespace(time=world.wall_s)),
            ("coordinator.shell.front_door.Session", session),
            ("protocol.client.peer.Session", session),
            ("coordinator.shell.desk.step", _checked_step(world)),
            ("coordinator.shell.peers.WINDOW_BYTES", world.settings.window_bytes),
            ("coordinator.shell.peers.WINDOW_BYTES_PER_TABLE", min(world.settings.window_bytes // 8, 2048)),
            ("coordinator.shell.peers.LOBBY_WINDOW_BYTES", 3 * world.settings.window_bytes),
        ):
            stack.enter_context(patch(place, substitute))
        stack.enter_context(patch.object(run, "_ALLOW_DETERMINISTIC_SCHEDULING", True))
        structlog.configure(wrapper_class=quiet)
        stack.callback(lambda: structlog.configure(**before))
        for logger, level in loggers:
            logger.setLevel(logging.CRITICAL + 1)
            stack.callback(logger.setLevel, level)
        chance_before = run._r.getstate()
        stack.callback(run._r.setstate, chance_before)
        run._r.seed(world.plan.seed)
        yield


def play(plan: Plan) -> Verdict:
    """One run from its plan. The same plan gives the same run."""
    world = World(plan)

    async def main() -> None:
        began = trio.current_time()
        await world.run()
        world.simulated_s = trio.current_time() - began

    with _arranged(world):
        try:
            trio.run(main, clock=MockClock(autojump_threshold=0))
        except BaseExceptionGroup as error:
            if world.violation is None:
                world.violation = Violation("the_coordinator_never_fails", repr(error.exceptions))
    return world.verdict()
