"""The view of the daemon as the page, the API and spectators see it: read from the states, never stored beside them."""

from collections.abc import Mapping
from typing import cast

import trio

from coordinator import __version__
from coordinator.engine import events, stage_rules, timers
from coordinator.engine.formats import timeline_of
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState, Table
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.errors import JournalDamaged
from coordinator.shell import view
from coordinator.shell.chronicle import Chronicle
from coordinator.shell.desk import Desk
from coordinator.shell.inquiries import Inquiries
from coordinator.shell.limits import Counters
from coordinator.shell.office import Office
from coordinator.shell.placement import why_no_tables
from coordinator.shell.standings import duplicate_text, points_text, ranked, rating_text, state_text
from coordinator.shell.summaries import status_of, summary_of
from coordinator.shell.tourney_picture import summary, whole

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
        checks = [*whole, _damage(self._office.damaged)]
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
        return await self._office.archive.look_up(match_id)

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
        return [summary(desk, calendar) for desk in self._office.tourneys.desks.values()]

    def tourney(self, tourney_id: str) -> view.TourneyView | None:
        """One tourney."""
        desk = self._office.tourneys.desks.get(tourney_id)
        return None if desk is None else whole(desk, self._office.tourneys.calendar)

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
            "messages_in": sockets.messages_in,
            "bytes_in": sockets.bytes_in,
            "bytes_out": sockets.bytes_out,
            "players": sum(len(d.state.stage.active) for d in desks if d.state.stage and status_of(d) == "running"),
            "tables": sum(len(desk.state.tables) for desk in desks),
            "tables_without_server": sum(len(desk.unplaced) for desk in desks),
            "journal_commits": status["journal"]["commits"],
            "journal_records": status["journal"]["records"],
            "journal_commit_s": office.writer.commit_seconds,
            "matches_damaged": len(office.damaged),
            "journal_backlog": status["journal"]["backlog"],
            "timers_late_s": office.timers.late_s,
            "bugs": sockets.handler_errors + sum(desk.failure is not None for desk in desks),
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
        state = desk.state
        order = self._order(match_id, desk.on_disk, state)
        chronicle = self._chronicles.get(match_id)
        stage = state.stage
        playing = stage is not None and not stage.finished and state.status == "running"
        # A ladder counts from 1970; people are shown how long it has run.
        zero = 0
        if state.definition is not None and state.definition.stages[0].ladder is not None:
            zero = desk.now_ms() if stage is None else stage.opened_at
        bouts = None
        if playing and stage is not None:
            bouts = stage_rules.bouts_planned(state.stage_rules, stage.entrants)
        return {
            **summary_of(desk),
            "halted": desk.failure or state.halted,
            "stages": _stages(state),
            "bouts": bouts,
            "waiting": len(stage.pool) if stage is not None else 0,
            "byes": [state.entrants[player_id].name for player_id in stage.byes[:rows]] if stage is not None else [],
            "draining": stage is not None and stage.draining and not stage.finished,
            "base_scores": [base for _, base in state.base_curve],
            "base_curve": [(t_ms, base) for t_ms, base in state.base_curve],
            "t_ms": _reading(desk) - zero,
            "clock": _clock(state, desk.now_ms()) if playing else {"label": None, "in_ms": None, "in_hands": None},
            "standings": [_standing(state, rank, p) for rank, p in enumerate(order[:rows], start=1)],
            "standings_total": len(order),
            "tables": [_table(state, table) for table in list(state.tables.values())[:rows]],
            "tables_total": len(state.tables),
            "places": [_place(state, place, p) for place, p in enumerate(state.ranking[:rows], start=1)],
            "events": chronicle.newest_first(state, zero) if chronicle is not None else [],
            "deal_commitment": state.commitment,
            "secret": state.secret if state.status == "over" else None,
            "owed": len(state.dues),
        }

    def player(self, match_id: str, player_id: str) -> view.PlayerView | None:
        """One player of a match."""
        desk = self._office.desks.get(match_id)
        if desk is None or player_id not in desk.state.entrants:
            return None
        state = desk.state
        entrant = state.entrants[player_id]
        rank = self._order(match_id, desk.on_disk, state).index(player_id) + 1
        line = _standing(state, rank, player_id)
        return {
            "player_id": player_id,
            "name": entrant.name,
            "reg_seq": entrant.reg_seq,
            "state": state_text(state, entrant),
            "score": entrant.score,
            "points": line["points"],
            "rank": rank,
            "table_id": entrant.table_id,
            "place": entrant.place,
            "out_in": entrant.out_in,
        }

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


class _Order:
    __slots__ = ("fresh_until", "players", "version")

    def __init__(self, version: int, fresh_until: float, players: list[str]) -> None:
        self.version = version
        self.fresh_until = fresh_until
        self.players = players


def _damage(damaged: Mapping[str, JournalDamaged]) -> view.CheckView:
    """Whether every match of the journal could be taken up."""
    if not damaged:
        return {"name": "damage", "ok": True, "detail": "every match of the journal is whole"}
    return {
        "name": "damage",
        "ok": False,
        "detail": "set aside: " + ", ".join(error.place for error in damaged.values()),
    }


def _stages(state: MatchState) -> list[view.StageView]:
    now = -1 if state.stage is None else state.stage.stage_no
    over = state.status == "over"
    found: list[view.StageView] = []
    for number, stage in enumerate(state.rules.stages):
        progress: view.StageProgress = "done" if over or number < now else "now" if number == now else "next"
        phase = state.rules.phase_of(number)
        found.append(
            {
                "id": stage.id,
                "title": stage.title or stage.id,
                "format": stage.format,
                "phase": phase.title or phase.id,
                "state": progress,
            }
        )
    return found


def _reading(desk: Desk) -> int:
    """What the match clock reads; of a match that is over, what it read at the end of its last round."""
    closed = desk.state.closed_tables
    if desk.state.status == "over" and closed:
        return max(table.closed_at for table in closed.values())
    return desk.now_ms()


def _clock(state: MatchState, t_ms: int) -> view.ClockView:
    """What happens next by itself."""
    stage, rules = state.current, state.stage_rules
    growth = rules.base_growth
    if growth.kind != "none" and growth.by == "hands":
        hands = growth.every_hands - stage.hands % growth.every_hands
        if stage_rules.base_at_tick(rules, stage.tick + 1) != stage.base_score and not stage.draining:
            return {"label": "base rises", "in_ms": None, "in_hands": hands}
    due = state.timers.get(timers.base_timer(stage.stage_no))
    if due is not None and not stage.draining:
        return {"label": "base rises", "in_ms": max(0, due - t_ms), "in_hands": None}
    due = state.timers.get(timers.shuttle_timer(stage.stage_no))
    if due is not None and timeline_of(rules) == "pool":
        return {"label": "shuttle leaves", "in_ms": max(0, due - t_ms), "in_hands": None}
    due = state.timers.get(timers.bout_timer(stage.stage_no))
    if due is not None:
        return {"label": "bout ends", "in_ms": max(0, due - t_ms), "in_hands": None}
    due = state.timers.get(timers.grace_timer(stage.stage_no))
    if due is not None:
        return {"label": "boards are cut", "in_ms": max(0, due - t_ms), "in_hands": None}
    if state.ladder is not None:
        kinds = timers.CHALLENGE_KINDS
        deadlines = [at for timer_id, at in state.timers.items() if timers.kind_of(timer_id)[0] in kinds]
        if deadlines:
            return {"label": "next deadline", "in_ms": max(0, min(deadlines) - t_ms), "in_hands": None}
    due = state.timers.get(timers.end_timer(stage.stage_no))
    if due is not None:
        return {"label": "stage ends", "in_ms": max(0, due - t_ms), "in_hands": None}
    return {"label": None, "in_ms": None, "in_hands": None}


def _standing(state: MatchState, rank: int, player_id: str) -> view.StandingView:
    entrant = state.entrants[player_id]
    placement = state.stage is not None and stage_rules.by_points(state.stage_rules)
    points = rating_text(state, player_id) or duplicate_text(state, entrant) or points_text(entrant, placement)
    return {
        "rank": rank,
        "player_id": player_id,
        "name": entrant.name,
        "score": entrant.score,
        "points": points,
        "state": state_text(state, entrant),
        "table_id": entrant.table_id,
    }


def _table(state: MatchState, table: Table) -> view.TableView:
    entrants = state.entrants
    return {
        "table_id": table.table_id,
        "server_id": table.server_id,
        "epoch": table.epoch,
        "hand_no": table.hand_no,
        "attempt_no": table.attempt_no,
        "in_hand": table.in_hand,
        "interrupted": table.interrupted,
        "base_score": table.base_score,
        "actions": len(table.log),
        "players": [
            {"player_id": p, "name": entrants[p].name if p in entrants else p, "score": score}
            for p, score in zip(table.seats, table.totals, strict=True)
        ],
    }


def _place(state: MatchState, place: int, player_id: str) -> view.PlaceView:
    entrant = state.entrants[player_id]
    return {
        "place": place,
        "player_id": player_id,
        "name": entrant.name,
        "score": entrant.score,
        "out_in": entrant.out_in,
        "disqualified": player_id in state.disqualified,
    }
