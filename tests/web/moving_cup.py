"""A cup in memory, seen through the same `View` as the daemon: it moves when a test says so."""

import random
from collections.abc import Mapping
from typing import cast

import attrs
import trio

from coordinator.shell.view import (
    AlarmView,
    AnswerView,
    CheckView,
    EventKind,
    InstanceView,
    MatchEventView,
    MatchSummary,
    MatchView,
    NotAnswered,
    OrderView,
    PlaceView,
    PlayerProgress,
    PlayerView,
    ReasonView,
    ServerView,
    StandingView,
    StatusView,
    TableView,
    TourneySummary,
    TourneyView,
    WhyView,
)

NAMES = (
    "Ada Lindqvist", "Bao Chen", "Carmen Ruiz", "Dmitri Orlov", "Elif Kaya", "Femi Adeyemi", "Greta Holm", "Hana Sato",
    "Imre Varga", "Jonas Weber", "Keiko Mori", "Luca Bianchi", "Maya Patel", "Nils Berg", "Olga Petrova", "Pablo Soto",
    "Quinn Murphy", "Rosa Alves", "Sven Dahl", "Tariq Aziz", "Uma Rao", "Viktor Novak", "Wei Zhang", "Xenia Popa",
    "Yusuf Demir", "Zoe Martin", "Anton Reiter", "Bea Costa", "Chidi Eze", "Dora Szabo", "Emil Lund", "Fatima Noor",
    "Goran Ilic", "Hugo Blanc", "Ines Duarte", "Jin Park", "Kofi Mensah", "Lena Vogel", "Marek Zeman", "Nora Quist",
)  # fmt: skip
STAGES = (("melee", "Preliminary", "melee"), ("shift", "Semi-final", "swiss_shift"), ("final", "Final", "knockout"))


@attrs.define
class Person:
    """One player of the cup."""

    player_id: str
    name: str
    reg_seq: int
    score: int = 1000
    state: PlayerProgress = "waiting"
    table_id: int | None = None
    place: int | None = None
    out_in: str | None = None


@attrs.define
class OpenTable:
    """One table with two hands in the round."""

    table_id: int
    server_id: str | None
    people: list[Person]
    hand_no: int = 1
    attempt_no: int = 1
    in_hand: bool = True
    interrupted: bool = False
    base_score: int = 10
    gains: dict[str, int] = attrs.field(factory=dict)


class MovingCup:
    """A `View` of one running match with two table servers, and the verbs that move it."""

    match_id = "winter-cup"

    def __init__(self, players: int = 40, *, names: tuple[str, ...] = NAMES, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self.called_off = False
        self.owed = 0
        self.why_not: str | None = None
        self.finished: list[MatchSummary] = []
        """Finished matches of other cups, the newest first."""
        self.people = [
            Person(
                f"p{number:03}",
                names[(number - 1) % len(names)] + (f" {number}" if number > len(names) else ""),
                number,
            )
            for number in range(1, players + 1)
        ]
        self.status_word = "running"
        self.halted: str | None = None
        self.stage_no = 0
        self.t_ms = 0
        self.base = 10
        self.curve = [(0, 10)]
        self.hands = 0
        self.next_table_id = 1
        self.tables: dict[int, OpenTable] = {}
        self.news: list[MatchEventView] = []
        self.servers_away: dict[str, float] = {}
        self.failing: list[str] = []
        self.version_no = 1
        self.pictures = 0
        self._tell("match", f"The cup starts with {players} players.")
        self._seat()

    # ---------------------------------------------------------------------------------- verbs of a test

    def play(self, hands: int = 1) -> None:
        """Let some tables finish a hand."""
        for _ in range(hands):
            table = self._chance.choice(list(self.tables.values()))
            winner, *losers = self._chance.sample(table.people, len(table.people))
            for loser in losers:
                loss = table.base_score * self._chance.randint(1, 4)
                loser.score -= loss
                winner.score += loss
                table.gains[loser.player_id] = table.gains.get(loser.player_id, 0) - loss
                table.gains[winner.player_id] = table.gains.get(winner.player_id, 0) + loss
            self.hands += 1
            self.t_ms += self._chance.randint(2_000, 9_000)
            self._tell("hand", f"{winner.name} takes hand {table.hand_no} at table {table.table_id}.")
            if table.hand_no == 4:
                self._close(table)
                self._seat()
            else:
                table.hand_no += 1
                table.attempt_no = 1
                table.base_score = self.base
        self._moved()

    def raise_base(self) -> None:
        """The clock ticks: later hands are played at a higher base."""
        self.base = self.base * 5 // 4 + 1
        self.t_ms += 30_000
        self.curve.append((self.t_ms, self.base))
        self._tell("base", f"The base score rises to {self.base}.")
        self._moved()

    def eliminate(self, people: int = 1) -> None:
        """The lowest of those still in leave."""
        for person in self._ranking()[::-1]:
            if people and person.state in {"waiting", "playing"} and person.table_id is None:
                person.place = self.remaining
                person.state = "out"
                person.out_in = STAGES[self.stage_no][1]
                people -= 1
                self._tell("out", f"{person.name} is eliminated in place {person.place}.")
        self._moved()

    def cut_to(self, people: int) -> None:
        """End the stage: all tables close, the best go on."""
        for table in list(self.tables.values()):
            self._close(table)
        self.eliminate(max(self.remaining - people, 0))
        self.stage_no += 1
        self._tell("stage", f"{STAGES[self.stage_no][1]} begins with {people} players.")
        self._seat()
        self._moved()

    def lose_server(self, server_id: str) -> None:
        """Pull the plug on a table server."""
        self.servers_away[server_id] = 12.0
        self._tell("server", f"Table server {server_id} is gone; its hands will be repeated.")
        for table in self.tables.values():
            if table.server_id == server_id:
                table.interrupted, table.in_hand = True, False
        self._moved()

    def return_server(self, server_id: str) -> None:
        """It comes back, and the hands it had are repeated."""
        del self.servers_away[server_id]
        for table in self.tables.values():
            if table.interrupted:
                table.interrupted, table.in_hand = False, True
                table.attempt_no += 1
                self._tell("repeat", f"Hand {table.hand_no} of table {table.table_id} is dealt again.")
        self._moved()

    def finish(self) -> None:
        """Everybody gets a place."""
        for table in list(self.tables.values()):
            self._close(table)
        left = [person for person in self._ranking() if person.place is None]
        for place, person in enumerate(left, start=1):
            person.place, person.state = place, "done"
        self.status_word = "over"
        self._tell("match", f"{left[0].name} wins the cup.")
        self._moved()

    # ------------------------------------------------------------------------------------------- the view

    @property
    def remaining(self) -> int:
        return sum(person.place is None for person in self.people)

    def status(self) -> StatusView:
        checks: list[CheckView] = [
            {"name": name, "ok": name not in self.failing, "detail": detail}
            for name, detail in (("journal", "The journal takes records."), ("replay", "All matches are loaded."))
        ]
        return {
            "version": "0.1.0",
            "uptime_s": 4_210.0,
            "listen": "127.0.0.1:7700",
            "http": "127.0.0.1:7780",
            "journal": {
                "url": "sqlite:///cup.db", "backlog": 0, "oldest_ms": 0,
                "commits": self.hands, "records": self.hands * 2,
            },
            "sessions": {"table": 3 - len(self.servers_away), "lobby": 1, "spectator": 0},
            "matches": {"registering": 0, "running": 1, "over": 0, "halted": 0},
            "ready": not self.failing,
            "checks": checks,
        }  # fmt: skip

    def matches(self) -> list[MatchSummary]:
        return [self._summary()]

    def match(self, match_id: str, rows: int = 200) -> MatchView | None:
        if match_id != self.match_id:
            return None
        self.pictures += 1
        standings: list[StandingView] = [
            {
                "rank": rank, "player_id": person.player_id, "name": person.name, "score": person.score, "points": None,
                "state": person.state, "table_id": person.table_id,
            }
            for rank, person in enumerate(self._ranking(), start=1)
        ]  # fmt: skip
        tables: list[TableView] = [
            {
                "table_id": table.table_id, "server_id": table.server_id, "epoch": 1, "hand_no": table.hand_no,
                "attempt_no": table.attempt_no, "in_hand": table.in_hand, "interrupted": table.interrupted,
                "base_score": table.base_score, "actions": 12,
                "players": [
                    {"player_id": one.player_id, "name": one.name, "score": table.gains.get(one.player_id, 0)}
                    for one in table.people
                ],
            }
            for table in self.tables.values()
        ]  # fmt: skip
        over = self.status_word == "over"
        places: list[PlaceView] = [
            {
                "place": one.place or 0, "player_id": one.player_id, "name": one.name,
                "score": one.score, "out_in": one.out_in, "disqualified": False,
            }
            for one in sorted(self.people, key=lambda person: person.place or 0)
        ]  # fmt: skip
        return {
            **self._summary(),
            "halted": self.halted,
            "stages": [
                {
                    "id": stage_id, "title": title, "format": form, "phase": "cup",
                    "state": "done" if over or number < self.stage_no else "now" if number == self.stage_no else "next",
                }
                for number, (stage_id, title, form) in enumerate(STAGES)
            ],
            "bouts": None,
            "waiting": sum(person.state == "waiting" for person in self.people),
            "byes": [],
            "draining": False,
            "base_scores": [base for _, base in self.curve],
            "base_curve": list(self.curve),
            "t_ms": self.t_ms,
            "clock": {"label": "base rises", "in_ms": 154_000, "in_hands": None},
            "standings": standings[:rows],
            "standings_total": len(standings),
            "tables": tables[:rows],
            "tables_total": len(tables),
            "places": places[:rows] if over else [],
            "events": self.news[::-1][:100],
            "deal_commitment": "9f2c1d7be0a44c5fb1d2a6c7e8f90123456789abcdef0123456789abcdef0123",
            "secret": "5e1f" * 16 if over else None,
            "owed": self.owed,
        }  # fmt: skip

    def player(self, match_id: str, player_id: str) -> PlayerView | None:
        for rank, person in enumerate(self._ranking(), start=1):
            if (match_id, player_id) == (self.match_id, person.player_id):
                return {
                    "player_id": player_id, "name": person.name, "reg_seq": person.reg_seq, "state": person.state,
                    "score": person.score, "points": None, "rank": rank, "table_id": person.table_id,
                    "place": person.place, "out_in": person.out_in,
                }  # fmt: skip
        return None

    async def why(self, match_id: str, player_id: str) -> WhyView | None:
        await trio.lowlevel.checkpoint()
        if self.why_not is not None:
            raise NotAnswered(self.why_not, "Ask again in a moment.")
        person = next((one for one in self.people if one.player_id == player_id), None)
        if match_id != self.match_id or person is None:
            return None
        seat: ReasonView = {
            "kind": "seat", "t_ms": 61_000, "rules": ["R-ME-04", "R-HI-06"], "says": "seat 2 of table 1, by lot",
            "inputs": {"table_id": 1, "seats": ["p001", player_id], "again": False, "bout_no": None},
            "compared": [
                {
                    "player_id": "p002", "name": self.people[1].name, "ahead": True, "decided_by": "waiting_since",
                    "own": {"waiting_since": 3}, "values": {"waiting_since": "7/2"},
                }
            ],
            "draw": {"seed": "7", "counter": 0, "counter_after": 3},
        }  # fmt: skip
        award: ReasonView = {
            "kind": "award", "t_ms": 1_774_814_400_000, "rules": ["R-HI-03"], "says": "wins 100 coins",
            "inputs": {"place": 1}, "compared": [], "draw": None,
        }  # fmt: skip
        answers: list[AnswerView] = [
            {"stream": match_id, "seq": 12, "t_ms": 61_000, "same": True, "differs": None, "reasons": [seat]},
            {
                "stream": "tourney:evenings", "seq": 40, "t_ms": 1_774_814_400_000, "same": False,
                "differs": "DuesOwed is decided otherwise now", "reasons": [award],
                "again": [{**award, "says": "wins 50 coins"}],
            },
        ]  # fmt: skip
        return {
            "match": match_id, "player": player_id, "name": person.name, "records": 80, "records_above": 41,
            "same": False, "first_difference": "Record 40, EndTourneyMatch: DuesOwed is decided otherwise now.",
            "unconfirmed": ["evenings.2026-03-28/award/1"], "answers": answers,
        }  # fmt: skip

    def servers(self) -> list[ServerView]:
        servers: list[ServerView] = []
        for server_id, capacity in (("attic", 8), ("cellar", 8), ("porch", 2)):
            away = self.servers_away.get(server_id)
            why = None
            if away is not None:
                why = "It is not connected."
            elif server_id == "porch":
                why = "It plays gin_rummy, and no running match does."
            servers.append(
                {
                    "server_id": server_id, "connected": away is None, "life": f"{server_id}-1",
                    "games": ["gin_rummy"] if server_id == "porch" else ["dou_dizhu"], "capacity": capacity,
                    "drain": False, "hands": self.hands // 2, "since_s": 4_000.0, "away_s": away,
                    "peer": "127.0.0.1:50122",
                    "tables": sum(table.server_id == server_id for table in self.tables.values()), "why_no_tables": why,
                }
            )  # fmt: skip
        return servers

    def tourneys(self) -> list[TourneySummary]:
        told = self.tourney("evenings")
        assert told is not None
        extra = ("description", "over", "matches", "owed")
        return [cast("TourneySummary", {key: value for key, value in told.items() if key not in extra})]

    def tourney(self, tourney_id: str) -> TourneyView | None:
        if tourney_id != "evenings":
            return None
        come: InstanceView = {
            "instance_id": "evenings.2026-03-29",
            "start_point": "eight",
            "status": "registering",
            "reason": "",
            "start_at_ms": 1_774_807_200_000,
            "start": "2026-03-29 20:00+02:00",
            "opens_at_ms": 1_774_742_400_000,
            "register_until_ms": 1_774_807_200_000,
            "entered": 7,
            "min_players": 18,
            "places": None,
            "matches": [],
        }
        gone: InstanceView = {**come, "instance_id": "evenings.2026-03-28", "status": "over"}
        return {
            "tourney_id": "evenings",
            "title": "Evenings",
            "status": "open",
            "time_zone": "Europe/Berlin",
            "now": "2026-03-29 12:00+02:00",
            "instances": [] if self.called_off else [come],
            "dues": 1,
            "description": "",
            "over": [gone],
            "matches": [
                {"match_id": "evenings.2026-03-28", "name": "cup", "status": "over", "players": 18, "reason": ""}
            ],
            "owed": [
                {
                    "key": "evenings.2026-03-28/award/1",
                    "kind": "award",
                    "lobby": "front",
                    "player_id": "p001",
                    "place": 1,
                    "items": {"coins": 1000},
                    "reason": "",
                }
            ],
        }

    async def older(self, match_id: str) -> list[MatchSummary] | None:
        return self.finished[1:] if self.finished and match_id == self.finished[0]["match_id"] else None

    async def look_up(self, match_id: str) -> bool:
        return match_id == self.match_id

    async def cancel_instance(self, instance_id: str) -> OrderView:
        await trio.lowlevel.checkpoint()
        if instance_id != "evenings.2026-03-29":
            return {"code": "unknown_instance", "message": f"there is no instance {instance_id!r}"}
        if self.called_off:
            return {"code": "match_closed", "message": "the instance is cancelled"}
        self.called_off = True
        return {"code": None, "message": f"{instance_id} is called off"}

    def alarms(self) -> list[AlarmView]:
        return [
            {
                "at_ms": 1_700_000_000_000, "match_id": self.match_id,
                "code": "server_lost", "message": f"{server_id} is gone.",
            }
            for server_id in self.servers_away
        ]  # fmt: skip

    def version(self, match_id: str | None) -> int:
        return self.version_no

    def metrics(self) -> Mapping[str, int | float]:
        return {
            "uptime_s": 4_210.5, "ready": 1, "sessions.table": 3, "sessions.lobby": 1, "sessions.spectator": 0,
            "sessions_opened": 9, "sockets_accepted": 12, "sockets_refused": 2, "sockets_cut.slow": 1,
            "sockets_cut.silent": 0, "sockets_cut.broken": 0, "frames_in": 900,
            "bytes_in": 80_000, "bytes_out": 90_000,
            "matches.running": 1, "matches.over": 0, "players": self.remaining, "tables": len(self.tables),
            "tables_without_server": 0, "hands.scored": self.hands, "hands.duplicate": 3, "journal_commits": 40,
            "journal_records": 80, "journal_commit_s": 0.25, "journal_backlog": 2,
            "matches_damaged": 0, "matches_failed": 0, "timers_late_s": 0.002, "bugs": 0,
        }  # fmt: skip

    # ---------------------------------------------------------------------------------------------- inside

    def _summary(self) -> MatchSummary:
        stage_id, title, form = STAGES[self.stage_no]
        return {
            "match_id": self.match_id, "definition": "cup", "title": "Winter Cup in Gröna Lund", "game": "dou_dizhu",
            "status": self.status_word, "stage_id": stage_id, "stage_title": title, "format": form, "bout_no": 0,
            "players": len(self.people), "remaining": self.remaining, "hands": self.hands, "base_score": self.base,
        }  # fmt: skip

    def _ranking(self) -> list[Person]:
        return sorted(self.people, key=lambda one: (one.place is not None, one.place or 0, -one.score, one.reg_seq))

    def _seat(self) -> None:
        waiting = [person for person in self.people if person.state == "waiting"]
        self._chance.shuffle(waiting)
        while len(waiting) >= 3 and len(self.tables) < 12:
            people, waiting = waiting[:3], waiting[3:]
            server_id = ("attic", "cellar")[self.next_table_id % 2]
            table = OpenTable(self.next_table_id, server_id, people, base_score=self.base)
            self.tables[table.table_id] = table
            self.next_table_id += 1
            for person in people:
                person.state, person.table_id = "playing", table.table_id

    def _close(self, table: OpenTable) -> None:
        del self.tables[table.table_id]
        for person in table.people:
            person.state, person.table_id = "waiting", None

    def _tell(self, kind: EventKind, text: str) -> None:
        self.news.append({"no": len(self.news) + 1, "t_ms": self.t_ms, "kind": kind, "text": text})

    def _moved(self) -> None:
        self.version_no += 1
