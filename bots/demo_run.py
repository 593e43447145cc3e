"""One demo as it runs: the daemon, the table servers, the lobby, and somebody who watches over them all."""

import json
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import trio
from rich.console import Console

from bots.chaos import Chaos
from bots.children import Child, stop
from bots.demo_plan import MATCH_ID, Definition, DemoPlan, journal_url
from bots.demo_tourney import TourneyDemo
from bots.errors import BotError, DemoFailed, Interrupted
from bots.lobby import Field
from bots.lobby_program import read_places
from bots.refusals import to_tell
from bots.report import DemoReport, ReplayFinding, named
from bots.screen import Screen
from bots.standings_feed import Picture, read_picture
from protocol.client import LinkEnded, RequestRefused
from protocol.messages import PlaceRow

READY_WITHIN_S = 30.0
LOOK_EVERY_S = 0.25
PATIENCE_S = 5.0
"""How long a child may take to end before it is asked again, and once more before it is killed."""

BACK_AFTER_S = 1.0
"""How long a table server that was killed is gone."""

HURRY_S = 1.0
"""The same after a Ctrl-C or a failure."""


def run_demo(plan: DemoPlan, console: Console) -> DemoReport:
    """Play the match and report. Raises :class:`~bots.errors.BotError`; no child outlives the call."""
    screen = Screen(console)
    screen.say(f"seed {plan.seed}")
    with _directory(plan, screen) as directory:
        try:
            report = trio.run(DemoRun(plan, screen, directory).run)
        except KeyboardInterrupt:  # before the demo's own handler was in place
            raise Interrupted(signal.SIGINT) from None
        except BaseExceptionGroup as group:
            known = group.subgroup((BotError, RequestRefused, LinkEnded))
            if known is None:
                raise
            raise to_tell(known) from None
    report.show(console)
    if plan.json is not None:
        report.write_json(plan.json)
    return report


@contextmanager
def _directory(plan: DemoPlan, screen: Screen) -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="coordinator-demo-"))
    try:
        yield directory
    finally:
        if plan.keep:
            screen.say(f"journal {journal_url(directory)}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


@attrs.frozen
class Addresses:
    """Where the daemon listens: ``host:port`` for WebSockets, a URL for HTTP."""

    listen: str
    http: str


class DemoRun:
    """Plays the plan once. Whatever happens, no child is left when :meth:`run` has returned or raised."""

    def __init__(self, plan: DemoPlan, screen: Screen, directory: Path) -> None:
        self.plan = plan
        self.screen = screen
        self.directory = directory
        self._children: list[Child] = []
        self.table_servers: list[Child] = []
        self._daemon: Child | None = None
        self._lobby: Child | None = None
        self._picture = Picture()

    async def run(self) -> DemoReport:
        """The whole way, from an empty journal to its replay.

        Raises :class:`~bots.errors.BotError` or :class:`protocol.client.RequestRefused`, bare or in a group.
        """
        definition = self.plan.look()
        play = TourneyDemo(self).run if definition.tourney else self._run
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_heed, signals)
                try:
                    report = await play(definition)
                finally:
                    await stop(self._children, patience_s=HURRY_S)  # noqa: ASYNC102 - it shields itself
                nursery.cancel_scope.cancel()
        return report

    async def _run(self, definition: Definition) -> DemoReport:
        players = self.plan.players or definition.players
        late = definition.late(players, self.plan.seed)
        field = Field(
            MATCH_ID,
            definition.id,
            players,
            self.plan.seed,
            definition.needs_word,
            definition.moving,
            late=late,
            ladder=definition.ladder,
            late_together=definition.joins_late,
            leave=late if definition.by_the_clock else 0,
        )
        daemon = self.start("daemon", "coordinator", self.plan.daemon_arguments(self.directory))
        addresses = await self.addresses(daemon)
        if self.plan.page:
            self.screen.say(f"page {addresses.http}/matches/{MATCH_ID}")
        self.start_table_servers(addresses, definition.game)
        began = trio.current_time()
        places = await self._play(daemon, addresses, field)
        seconds = trio.current_time() - began
        await stop(self.table_servers, patience_s=PATIENCE_S)
        await stop(filter(None, [self._daemon]), patience_s=PATIENCE_S)
        names = dict([*field.entries(), *field.visitors()])
        return DemoReport(
            match=MATCH_ID,
            seed=self.plan.seed,
            players=field.players,
            hands=self._picture.hands,
            base_scores=self._picture.base_scores,
            standings=named(places, names),
            replay=await self._replay(),
            seconds=round(seconds, 3),
        )

    def start(self, name: str, module: str, arguments: list[str]) -> Child:
        """Run a module as a child process that does not outlive the demo."""
        child = Child(name, module, arguments, directory=self.directory)
        self._children.append(child)
        return child

    def start_table_servers(self, addresses: Addresses, game: str) -> None:
        """As many as the plan says, all of this game."""
        for number in range(1, self.plan.servers + 1):
            arguments = self.plan.table_server_arguments(number, addresses.listen, game)
            self.table_servers.append(self.start(f"ts-{number}", "bots.table_server", arguments))

    async def addresses(self, daemon: Child) -> Addresses:
        """Wait for the daemon's ready file; raise what the daemon says if it will not start."""
        with trio.move_on_after(READY_WITHIN_S):
            while daemon.returncode is None:
                try:
                    found = json.loads((self.directory / "ready.json").read_bytes())
                    return Addresses(listen=found["listen"], http=found["http"])
                except (OSError, ValueError):  # not there yet, or half written
                    await trio.sleep(LOOK_EVERY_S / 5)
            raise DemoFailed(
                daemon.complaint or f"the daemon {daemon.ending} before it was ready",
                exit_code=max(daemon.returncode, 1),
                code="no_daemon",
            )
        raise DemoFailed(f"the daemon was not ready within {READY_WITHIN_S:g} seconds", code="no_daemon")

    async def _play(self, daemon: Child, addresses: Addresses, field: Field) -> list[PlaceRow]:
        """The match itself; the picture is that of its end. Whoever is killed on the way is started again."""
        self._daemon = daemon
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_daemon, addresses)
            for number in range(len(self.table_servers)):
                nursery.start_soon(self._keep_table_server, number)
            with self.screen:
                nursery.start_soon(self._watch_match, addresses.http)
                if self.plan.chaos:
                    nursery.start_soon(Chaos(self.plan.seed, self._victims, self.screen.say).run)
                places = await self._keep_lobby(addresses, field)
                await self._look(addresses.http)
            nursery.cancel_scope.cancel()
        return places

    def _victims(self) -> list[Child]:
        """Whom chaos or a person may strike, in an order of their own."""
        return [child for child in (self._daemon, self._lobby, *self.table_servers) if child is not None]

    async def _keep_daemon(self, addresses: Addresses) -> None:
        """A daemon that is killed starts again with its journal, and listens where it did."""
        while True:
            daemon = self._daemon
            assert daemon is not None, "it was started before it is kept"
            await daemon.wait()
            if not daemon.was_killed:
                raise _ended(daemon)
            http = addresses.http.removeprefix("http://")
            arguments = self.plan.daemon_arguments(self.directory, listen=addresses.listen, http=http)
            self._daemon = self.start("daemon", "coordinator", arguments)
            self.screen.say(f"the daemon {daemon.ending}; {self._daemon.pid} goes on with its journal")

    async def _keep_table_server(self, number: int) -> None:
        """A table server that is killed starts again, with nothing in its memory."""
        while True:
            child = self.table_servers[number]
            await self.watch_table_server(child)
            if not child.was_killed:
                return
            await trio.sleep(BACK_AFTER_S)
            again = self.table_servers[number] = self.start(child.name, child.module, child.arguments)
            self.screen.say(f"table server {again.name} is back as {again.pid}")

    async def _keep_lobby(self, addresses: Addresses, field: Field) -> list[PlaceRow]:
        """The lobby's places. One that is killed starts again and takes the match up where it stands."""
        arguments = ["--url", f"ws://{addresses.listen}", "--field", json.dumps(attrs.asdict(field))]
        while True:
            before, self._lobby = self._lobby, self.start("lobby", "bots.lobby_program", arguments)
            if before is None:
                named = ", ".join(f"{child.name} {child.pid}" for child in self._victims())
                self.screen.say(f"kill -9 any of them, the match goes on: {named}")
            else:
                self.screen.say(f"the lobby {before.ending}; {self._lobby.pid} takes its place")
            await self._lobby.wait()
            if not self._lobby.was_killed:
                return read_places(self._lobby)

    async def watch_daemon(self, daemon: Child) -> None:
        """Until the daemon has ended, which is the end of the demo."""
        await daemon.wait()
        raise _ended(daemon)

    async def watch_table_server(self, child: Child) -> None:
        """One dead table server is a line to read, the last one is the end unless it was killed."""
        await child.wait()
        left = sum(other.returncode is None for other in self.table_servers)
        line = " ".join(filter(None, [f"table server {child.name} {child.ending}.", child.complaint]))
        if left == 0 and not child.was_killed:
            raise DemoFailed(f"{line} No table server is left to play on.")
        self.screen.say(f"{line} {left} left: its tables move to them." if left else line)

    async def _watch_match(self, http_url: str) -> None:
        while True:
            await self._look(http_url)
            if self._picture.status == "halted":
                raise DemoFailed(f"the coordinator stopped the match: {self._picture.reason or 'see its log'}")
            await trio.sleep(LOOK_EVERY_S)

    async def _look(self, http_url: str) -> None:
        picture = await read_picture(http_url, MATCH_ID)
        if picture is not None:
            self._picture = picture
            self.screen.show(picture)

    async def _replay(self) -> ReplayFinding:
        """Ask the journal whether it leads to the same match again."""
        arguments = ["replay", "--journal", journal_url(self.directory), MATCH_ID, "--check", "--json"]
        replay = self.start("replay", "coordinator", arguments)
        await replay.wait()
        try:
            found = json.loads(replay.output)
            return ReplayFinding(found["events"], found["same_state"], found["same_effects"])
        except (ValueError, KeyError, TypeError):
            raise DemoFailed(f"replay {replay.ending}: {replay.complaint}") from None


def _ended(daemon: Child) -> DemoFailed:
    return DemoFailed("\n".join(filter(None, [f"the daemon {daemon.ending}", daemon.complaint])))


async def _heed(signals: AsyncIterator[int]) -> None:
    async for number in signals:
        raise Interrupted(number)
