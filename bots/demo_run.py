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

from bots.children import Child, stop
from bots.demo_plan import MATCH_ID, REFUSED, Definition, DemoPlan, journal_url
from bots.demo_tourney import TourneyDemo
from bots.errors import BotError, DemoFailed, Interrupted, leaves
from bots.lobby import Field, LobbyBot
from bots.report import DemoReport, Place, ReplayFinding
from bots.screen import Screen
from bots.standings_feed import Picture, read_picture
from protocol.client import LinkEnded, Lobby, RequestRefused
from protocol.messages import PlaceRow

MATCH_REFUSALS = ("definition_refused", "unknown_definition", "field_too_small", "match_full", "config_error")
"""What the coordinator answers when this match cannot be played like this."""

READY_WITHIN_S = 30.0
LOOK_EVERY_S = 0.25
PATIENCE_S = 5.0
"""How long a child may take to end before it is asked again, and once more before it is killed."""

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
            raise _to_tell(known) from None
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


def _to_tell(error: BaseExceptionGroup) -> BaseException:
    """The one failure to tell when several tasks failed at once: the interruption if there was one."""
    causes = list(leaves(error))
    cause = next((cause for cause in causes if isinstance(cause, Interrupted)), causes[0])
    match cause:
        case RequestRefused():
            exit_code = REFUSED if cause.code in MATCH_REFUSALS else 1
            return DemoFailed(_sentence(cause), exit_code, code=cause.code)
        case LinkEnded():
            return DemoFailed(f"the lobby's link to the coordinator ended: {cause}")
        case _:
            return cause


def _sentence(refused: RequestRefused) -> str:
    """A refusal as one sentence: the field and what was expected."""
    details = [f"{refused.field}: " if refused.field else "", refused.message]
    details.append(f" (expected {refused.expected})" if refused.expected else "")
    return f"the coordinator refused: {''.join(details)}"


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
            late_together=definition.joins_late,
            leave=late if definition.by_the_clock else 0,
        )
        daemon = self.start("daemon", "coordinator", self.plan.daemon_arguments(self.directory))
        addresses = await self.addresses(daemon)
        if self.plan.page:
            self.screen.say(f"page {addresses.http}/matches/{MATCH_ID}")
        for number in range(1, self.plan.servers + 1):
            arguments = self.plan.table_server_arguments(number, addresses.listen, definition.game)
            self.table_servers.append(self.start(f"ts-{number}", "bots.table_server", arguments))
        began = trio.current_time()
        places = await self._play(daemon, addresses, field)
        seconds = trio.current_time() - began
        await stop(self.table_servers, patience_s=PATIENCE_S)
        await stop([daemon], patience_s=PATIENCE_S)
        names = dict([*field.entries(), *field.visitors()])
        return DemoReport(
            match=MATCH_ID,
            seed=self.plan.seed,
            players=field.players,
            hands=self._picture.hands,
            base_scores=self._picture.base_scores,
            standings=[
                Place(row.place, row.player_id, names[row.player_id], row.score, row.out_in, row.points)
                for row in places
            ],
            replay=await self._replay(),
            seconds=round(seconds, 3),
        )

    def start(self, name: str, module: str, arguments: list[str]) -> Child:
        child = Child(name, module, arguments, directory=self.directory)
        self._children.append(child)
        return child

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
        """The match itself; the picture is that of its end."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.watch_daemon, daemon)
            for child in self.table_servers:
                nursery.start_soon(self.watch_table_server, child)
            with self.screen:
                nursery.start_soon(self._watch_match, addresses.http)
                places = await LobbyBot(Lobby(f"ws://{addresses.listen}", "demo-lobby"), field).run()
                await self._look(addresses.http)
            nursery.cancel_scope.cancel()
        return sorted(places, key=lambda row: row.place)

    async def watch_daemon(self, daemon: Child) -> None:
        await daemon.wait()
        raise DemoFailed("\n".join(filter(None, [f"the daemon {daemon.ending}", daemon.complaint])))

    async def watch_table_server(self, child: Child) -> None:
        """One dead table server is a line to read, the last one is the end."""
        await child.wait()
        left = sum(other.returncode is None for other in self.table_servers)
        line = " ".join(filter(None, [f"table server {child.name} {child.ending}.", child.complaint]))
        if left == 0:
            raise DemoFailed(f"{line} No table server is left to play on.")
        self.screen.say(f"{line} {left} left: its tables move to them.")

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


async def _heed(signals: AsyncIterator[int]) -> None:
    async for number in signals:
        raise Interrupted(number)
