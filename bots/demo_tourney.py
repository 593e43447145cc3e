"""A demo of a tourney: its calendar runs so fast that two evenings fit into half a minute."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import trio

from bots.children import stop
from bots.demo_plan import Definition, journal_url
from bots.errors import DemoFailed
from bots.names import player_ids, player_names
from bots.report import DemoReport, Prize, ReplayFinding, named
from bots.standings_feed import read_picture
from bots.tourney_lobby import TourneyBooks, TourneyLobby
from protocol.client import Lobby

if TYPE_CHECKING:
    from bots.demo_run import DemoRun

STARTS = 2
WINDOW_S = 4.0
"""How long registration for a start is open, in seconds of the demo."""
LOOK_FROM = "2026-03-28T00:00:00Z"
"""The eve of a change of the clocks, so that a daily start has a day of 23 hours before it."""
PATIENCE_S = 5.0


class TourneyDemo:
    """Plays the starts of a tourney with what a demo of one match is made of."""

    def __init__(self, run: "DemoRun") -> None:
        self._run = run

    async def run(self, definition: Definition) -> DemoReport:
        """From an empty journal to its replay, as a demo of one match goes."""
        run, plan = self._run, self._run.plan
        calendar, starts = await self._calendar()
        daemon = run.start("daemon", "coordinator", plan.daemon_arguments(run.directory, calendar))
        addresses = await run.addresses(daemon)
        if plan.page:
            run.screen.say(f"page {addresses.http}/tourneys/{definition.id}")
        run.start_table_servers(addresses, definition.game)
        count = plan.players or definition.players
        players = list(zip(player_ids(count), player_names(plan.seed, count), strict=True))
        lobby = TourneyLobby(
            Lobby(f"ws://{addresses.listen}", "demo-lobby"), definition.id, players, starts, say=run.screen.say
        )
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run.watch_daemon, daemon)
            for child in run.table_servers:
                nursery.start_soon(run.watch_table_server, child)
            books = await lobby.run()
            hands = [await self._hands(addresses.http, match_id) for match_id in books.opened]
            nursery.cancel_scope.cancel()
        seconds = trio.current_time() - began
        await stop(run.table_servers, patience_s=PATIENCE_S)
        await stop([daemon], patience_s=PATIENCE_S)
        return self._report(books, dict(players), sum(hands), seconds, await self._replay())

    async def _calendar(self) -> tuple[list[str], int]:
        """How the daemon's calendar is to run: registration for the first start is about to open, and takes a while."""
        arguments = ["tourney", "preview", self._run.plan.definition, "--from", LOOK_FROM, "--count", "2", "--json"]
        found = await self._ask("preview", arguments)
        starts = found["starts"]
        if not starts:
            return [], 1
        opens, begins = starts[0]["opens_at_ms"], starts[0]["start_at_ms"]
        speed = max(1.0, (begins - opens) / 1000 / WINDOW_S)
        moment = datetime.fromtimestamp(opens / 1000, UTC).isoformat()
        return ["--calendar-from", moment, "--calendar-speed", f"{speed:.0f}"], min(STARTS, len(starts))

    async def _hands(self, http_url: str, match_id: str) -> int:
        picture = await read_picture(http_url, match_id)
        return 0 if picture is None else picture.hands

    async def _replay(self) -> ReplayFinding:
        """Whether every journal, those of the matches and that of the tourney, leads to the same again."""
        arguments = ["replay", "--journal", journal_url(self._run.directory), "--check", "--json"]
        found = await self._ask("replay", arguments)
        return ReplayFinding(
            sum(report["events"] for report in found),
            all(report["same_state"] is not False for report in found),
            all(report["same_effects"] for report in found),
        )

    async def _ask(self, name: str, arguments: list[str]) -> Any:
        child = self._run.start(name, "coordinator", arguments)
        await child.wait()
        try:
            return json.loads(child.output)
        except ValueError:
            raise DemoFailed(f"{name} {child.ending}: {child.complaint}", max(child.returncode or 1, 1)) from None

    def _report(
        self, books: TourneyBooks, names: dict[str, str], hands: int, seconds: float, replay: ReplayFinding
    ) -> DemoReport:
        """The places are those of the match that opened last."""
        last = books.opened[-1]
        return DemoReport(
            match=last,
            seed=self._run.plan.seed,
            players=len(names),
            hands=hands,
            base_scores=[],
            standings=named(books.places[last], names),
            replay=replay,
            seconds=round(seconds, 3),
            starts=list(books.played),
            awards=[
                Prize(award.match_id, award.place, names[award.player_id], award.items)
                for award in books.awards.values()
            ],
        )
