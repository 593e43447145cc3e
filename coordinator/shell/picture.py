"""The view of the daemon as the page, the API and spectators see it: read from the states, never stored beside them."""

from collections.abc import Mapping
from typing import cast

import attrs
import trio

from coordinator import __version__
from coordinator.engine import events
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.errors import JournalDamaged
from coordinator.shell import match_picture, tourney_picture, view
from coordinator.shell.chronicle import Chronicle
from coordinator.shell.desk import Desk
from coordinator.shell.inquiries import Inquiries
from coordinator.shell.limits import Counters
from coordinator.shell.office import DAMAGED, Office
from coordinator.shell.placement import why_no_tables
from coordinator.shell.standings import ranked
from coordinator.shell.summaries import status_of, summary_of

VERDICTS = ("scored", "duplicate", "stale_epoch", "stale_attempt", "late", "conflict", "invalid")
STANDINGS_SHARE = 0.05
"""Share of the daemon's time that keeping the order of one watched match may take."""


class Picture:
    """Implements :class:`coordinator.shell.view.View`."""

    def __init__(
        self, office: Office, counters: Counters, *, journal_url: str, inquiries: Inquiries | None = None
    ) -> None:
        self.listen = ""
        self.http = ""
        self.ready = False
        self.stopping = False
        self._office = office
        self._counters = counters
        self._journal_url = journal_url
        self._inquiries = inquiries or Inquiries("sqlite://")
        self._born = trio.current_time()
        self._version = 0
        self._chronicles: dict[str, Chronicle] = {}
        self._orders: dict[str, _Order] = {}
        office.watchers.append(self._watch)
        office.archive.farewells.append(self._forget)
        office.archive.returns.append(self._remember)

    def _watch(self, desk: Desk, outcome: Outcome) -> None:
        match_id = desk.match_id
        self._version += 1
        chronicle = self._chronicles.get(match_id)
        if chronicle is None:
            chronicle = self._chronicles[match_id] = Chronicle()
        chronicle.note(outcome)

    def _remember(self, match_id: str, happened: tuple[events.Event, ...]) -> None:
        """A match is read back into memory. Of hands that were repeated the state tells no more."""
        chronicle = self._chronicles[match_id] = Chronicle()
        chronicle.note(Outcome(happened, ()))

    def _forget(self, match_id: str) -> None:
        """A match is let go from memory."""
        self._chronicles.pop(match_id, None)
        self._orders.pop(match_id, None)

    # --- the whole --------------------------------------------------------------------------------------------------

    def version(self, match_id: str | None) -> int:
        """Grows with every change: of a match also when it fails, of the daemon also with programs and alarms."""
        office = self._office
        if match_id is None:
            return self._version + office.peers.moves + office.alarms_raised + office.tourneys.version
        desk = office.desks.get(match_id)
        return 0 if desk is None else desk.on_disk + (desk.failure is not None)

    def status(self) -> view.StatusView:
        """The daemon as a whole."""
        writer = self._office.writer
        connected = [peer for peer in self._office.peers if peer.conn is not None]
        let_go, states = self._office.archive.let_go, [status_of(desk) for desk in self._office.desks.values()]
        whole: list[view.CheckView] = [
            {"name": "replay", "ok": True, "detail": f"matches in memory: {len(states)}"},
            {"name": "journal", "ok": writer.failure is None, "detail": writer.failure or "the last commit succeeded"},
            {"name": "draining", "ok": not self.stopping, "detail": "stopping" if self.stopping else "not stopping"},
        ]
        # The matches that are whole are served all the same.
        checks = [*whole, _damage(self._office.damaged), _mistakes(self._failed())]
        return {
            "version": __version__,
            "uptime_s": round(trio.current_time() - self._born, 3),
            "listen": self.listen,
            "http": self.http,
            "journal": {
                "url": self._journal_url,
                "backlog": writer.backlog,
                "commits": writer.commits,
                "records": writer.records,
                "oldest_ms": int(writer.oldest_age * 1000),
            },
            "sessions": {
                "table": sum("table" in peer.roles for peer in connected),
                "lobby": sum("lobby" in peer.roles for peer in connected),
                "spectator": sum("spectator" in peer.roles for peer in connected),
            },
            "matches": {
                "registering": states.count("registering"),
                "running": states.count("running"),
                "over": states.count("over") + let_go.get("over", 0),
                "halted": states.count("halted") + let_go.get("halted", 0),
            },
            "ready": self.ready and all(check["ok"] for check in whole),
            "checks": checks,
        }

    def _failed(self) -> list[str]:
        """The matches and tourneys that stand still after a mistake of ours."""
        failed = [desk.match_id for desk in self._office.desks.values() if desk.failure is not None]
        return failed + [desk.tourney_id for desk in self._office.tourneys.desks.values() if desk.failure is not None]

    def matches(self) -> list[view.MatchSummary]:
        """Every match that is not finished and the newest that are, those that run first, then the newest."""
        desks, newest = self._office.desks, self._office.archive.newest
        found = [summary_of(desk) for desk in reversed(desks.values()) if not desk.noted_at]
        listed = {line["match_id"]: None for line in found}
        found += [line for match_id, line in reversed(newest.items()) if match_id not in listed]
        order = {"running": 0, "registering": 1, "halted": 2, "over": 3}
        return sorted(found, key=lambda line: order[line["status"]])

    async def older(self, match_id: str) -> list[view.MatchSummary] | None:
        """The finished matches behind one of them."""
        return await self._office.archive.older(match_id)

    async def look_up(self, match_id: str) -> bool:
        """Have a match in memory."""
        if await self._office.archive.look_up(match_id):
            return True
        if match_id in self._office.damaged:
            raise view.NotAnswered("match_damaged", f"{DAMAGED[0].upper()}{DAMAGED[1:]}.")
        return False

    def servers(self) -> list[view.ServerView]:
        """Every table server that is connected or not yet forgotten."""
        now = trio.current_time()
        found: list[view.ServerView] = []
        for peer in sorted(self._office.peers.with_role("table"), key=lambda peer: peer.identity):
            held = len(self._office.holdings.of(peer.identity))
            found.append(
                {
                    "server_id": peer.identity,
                    "connected": peer.conn is not None,
                    "life": peer.life,
                    "games": list(peer.games),
                    "capacity": peer.capacity,
                    "drain": peer.draining,
                    "tables": held,
                    "hands": peer.hands,
                    "since_s": round(now - peer.since, 1),
                    "away_s": None if peer.away_since is None else round(now - peer.away_since, 1),
                    "peer": peer.address,
                    "why_no_tables": why_no_tables(peer, held),
                }
            )
        return found

    def tourneys(self) -> list[view.TourneySummary]:
        """Every tourney with what comes next."""
        calendar = self._office.tourneys.calendar
        return [tourney_picture.summary(desk, calendar) for desk in self._office.tourneys.desks.values()]

    def tourney(self, tourney_id: str) -> view.TourneyView | None:
        """One tourney."""
        desk = self._office.tourneys.desks.get(tourney_id)
        return None if desk is None else tourney_picture.whole(desk, self._office.tourneys.calendar)

    async def why(self, match_id: str, player_id: str) -> view.WhyView | None:
        """Why everything became of a player; its tourney is asked too where the match has one."""
        self._office.archive.use(match_id)
        desk, tourney = self._office.desks.get(match_id), self._office.tourneys.at(match_id)
        if desk is None or player_id not in desk.state.entrants:
            return None
        above = 0 if tourney is None or desk.state.lobby else tourney.chain.seq
        return await self._inquiries.why(match_id, player_id, desk.chain.seq + above)

    async def cancel_instance(self, instance_id: str) -> view.OrderView:
        """Call off an instance that has not begun."""
        answered = trio.Event()
        results: list[TourneyOutcome | Refused] = []

        def answer(result: TourneyOutcome | Refused) -> None:
            results.append(result)
            answered.set()

        self._office.tourneys.cancel(instance_id, answer)
        await answered.wait()
        [result] = results
        if isinstance(result, Refused):
            return {"code": result.code, "message": result.message}
        return {"code": None, "message": f"{instance_id} is called off"}

    def alarms(self) -> list[view.AlarmView]:
        """What a person should look at, newest first."""
        return [
            {"at_ms": alarm.at_ms, "match_id": alarm.match_id, "code": alarm.code, "message": alarm.message}
            for alarm in reversed(self._office.alarms)
        ]

    def metrics(self) -> Mapping[str, int | float]:
        """Figures for the table of ``coordinator.web.metrics``."""
        office, sockets, status = self._office, self._counters, self.status()
        desks = office.desks.values()
        figures: dict[str, int | float] = {
            "uptime_s": status["uptime_s"],
            "ready": int(status["ready"]),
            "sessions_opened": office.peers.hellos,
            "sockets_accepted": sockets.accepted,
            "sockets_refused": sockets.refused,
            "sockets_cut.slow": sockets.slow_consumers + office.peers.overflows,
            "sockets_cut.silent": sockets.silent_peers,
            "sockets_cut.broken": sockets.protocol_errors,
            "sockets_cut.fast": sockets.too_fast + office.peers.dismissed,
            "frames_in": sockets.frames_in,
            "bytes_in": sockets.bytes_in,
            "bytes_out": sockets.bytes_out,
            "players": sum(len(d.state.stage.active) for d in desks if d.state.stage and status_of(d) == "running"),
            "tables": sum(len(desk.state.tables) for desk in desks),
            "tables_without_server": sum(len(desk.unplaced) for desk in desks),
            "journal_commits": status["journal"]["commits"],
            "journal_records": status["journal"]["records"],
            "journal_commit_s": office.writer.commit_seconds,
            "matches_damaged": len(office.damaged),
            "matches_failed": sum(desk.failure is not None for desk in desks),
            "journal_backlog": status["journal"]["backlog"],
            "timers_late_s": office.timers.late_s,
            "bugs": sockets.handler_errors + office.mistakes + len(self._failed()),
        }
        figures |= {f"sessions.{role}": count for role, count in cast("dict[str, int]", status["sessions"]).items()}
        figures |= {f"matches.{word}": count for word, count in cast("dict[str, int]", status["matches"]).items()}
        figures |= {f"hands.{word}": office.verdicts.get(word, 0) for word in VERDICTS}
        return figures

    # --- one match --------------------------------------------------------------------------------------------------

    def match(self, match_id: str, rows: int = 200) -> view.MatchView | None:
        """One match, with at most ``rows`` lines of each list."""
        self._office.archive.use(match_id)
        desk = self._office.desks.get(match_id)
        if desk is None:
            return None
        chronicle = self._chronicles.get(match_id)
        happened = [] if chronicle is None else chronicle.newest_first(desk.state, match_picture.zero_of(desk))
        return match_picture.whole(desk, self._order(match_id, desk.on_disk, desk.state), happened, rows)

    def player(self, match_id: str, player_id: str) -> view.PlayerView | None:
        """One player of a match."""
        desk = self._office.desks.get(match_id)
        if desk is None or player_id not in desk.state.entrants:
            return None
        rank = self._order(match_id, desk.on_disk, desk.state).index(player_id) + 1
        return match_picture.player(desk.state, rank, player_id)

    def _order(self, match_id: str, version: int, state: MatchState) -> list[str]:
        """The order of the standings, not older than its own cost allows in a huge field."""
        if state.stage is None:
            # While players come and go nothing is ranked, and an old order would name some who are gone.
            return ranked(state)
        now = trio.current_time()
        known = self._orders.get(match_id)
        if known is not None and (known.version == version or now < known.fresh_until):
            return known.players
        players = ranked(state)
        cost = trio.current_time() - now
        self._orders[match_id] = _Order(version, now + cost / STANDINGS_SHARE, players)
        return players


@attrs.define
class _Order:
    """The players of a match as they stood at one version of it, good enough until a time of trio's clock."""

    version: int
    fresh_until: float
    players: list[str]


def _damage(damaged: Mapping[str, JournalDamaged]) -> view.CheckView:
    """Whether every match of the journal could be taken up."""
    if not damaged:
        return {"name": "damage", "ok": True, "detail": "every match of the journal is whole"}
    return {
        "name": "damage",
        "ok": False,
        "detail": "set aside: " + ", ".join(error.place for error in damaged.values()),
    }


def _mistakes(failed: list[str]) -> view.CheckView:
    """Whether everything in memory goes on."""
    if not failed:
        return {"name": "mistakes", "ok": True, "detail": "no match stands still after a mistake of ours"}
    return {"name": "mistakes", "ok": False, "detail": "stand still: " + ", ".join(failed)}
