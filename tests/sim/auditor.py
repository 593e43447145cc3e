"""The independent judge of a run: it sees what the world sees, keeps its own books, and says what was promised else."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import attrs

from coordinator.engine import commands, events
from coordinator.engine.directing import director_events as ev
from coordinator.engine.match import evolve, new_state
from coordinator.engine.state import MatchState
from coordinator.journal.records import Chain, PendingRecord, StoredRecord, open_record, state_hash
from protocol import messages as m
from tests.sim.books import MatchBooks, Play
from tests.sim.invariants import INVARIANTS


@attrs.frozen
class Violation:
    """A promise that was not kept."""

    invariant: str
    told: str


class Court(Protocol):
    """What the auditor needs of the world."""

    def violated(self, violation: Violation) -> None:
        """The run has failed."""

    def note(self, *words: object) -> None:
        """A line of the history."""

    def count(self, branch: str) -> None:
        """An interesting branch was taken."""


class Auditor:
    """Looks at every record, every message and every restart."""

    def __init__(self, court: Court) -> None:
        self._court = court
        self.looked: Counter[str] = Counter()
        self.books: dict[str, MatchBooks] = {}
        """The books of each match as the living coordinator has decided it."""
        self.durable: dict[str, list[PendingRecord]] = {}
        self.hashes: dict[tuple[str, int], bytes] = {}
        """(match, record) -> hash of the live state after it."""
        self.plays: dict[Play, list[tuple[str, dict[str, int]]]] = {}
        self.entries: dict[tuple[str, str], None] = {}
        self.announced: dict[tuple[Any, ...], Any] = {}
        self.ends: dict[str, dict[int, list[m.PlaceRow]]] = {}
        self.records = 0
        self.messages = 0
        self.uptime: Callable[[str], float] = lambda _: float("inf")

    # --- judging ----------------------------------------------------------------------------------------------------

    def expect(self, invariant: str, holds: bool, told: Callable[..., str]) -> None:
        """Look at an invariant once."""
        assert invariant in INVARIANTS, invariant
        self.looked[invariant] += 1
        if not holds:
            self._court.violated(Violation(invariant, told()))

    def was_played(self, play: Play, server_id: str, scores: dict[str, int]) -> bool:
        return (server_id, scores) in self.plays.get(play, [])

    def was_entered(self, match_id: str, player_id: str) -> bool:
        return (match_id, player_id) in self.entries

    # --- what programs do -------------------------------------------------------------------------------------------

    def played(self, play: Play, server_id: str, scores: Mapping[str, int]) -> None:
        """A table server reports this."""
        self.plays.setdefault(play, []).append((server_id, dict(scores)))

    def entered(self, match_id: str, player_id: str) -> None:
        """A lobby asks for this player to be entered."""
        self.entries[match_id, player_id] = None

    # --- what the coordinator decides -------------------------------------------------------------------------------

    def decided(
        self, state: MatchState, match_id: str, seq: int, command: commands.Command, happened: Sequence[events.Event]
    ) -> None:
        """A record was sealed; the state is the one after it."""
        self.records += 1
        books = self.books.get(match_id)
        if books is None:
            books = self.books[match_id] = MatchBooks(match_id, self)
        books.feed(seq, command, happened)
        for event in happened:
            if isinstance(event, events.ResultParked):
                self._court.count("a contradiction parked")
            elif isinstance(event, events.MatchPaused):
                self._court.count("an outage")
            elif isinstance(event, events.RoundEnded) and event.settled:
                self._court.count("table settled")
            elif isinstance(event, ev.RoundRevised):
                self._court.count("a round revised")
            elif isinstance(event, ev.PlayerReinstated) and event.back:
                self._court.count("in again")
        self.hashes[match_id, seq] = state_hash(state)
        self._court.note("record", match_id, seq, type(command).__name__, self.hashes[match_id, seq].hex()[:8])
        limit = self.uptime(match_id) * 1000 + 2
        self.expect(
            "downtime_costs_nothing",
            command.t <= limit,
            lambda: f"{match_id}: the clock says {command.t} after {limit:.0f} ms of running",
        )
        self._fits(state, books)

    def _fits(self, state: MatchState, books: MatchBooks) -> None:
        """The state against the books."""
        where: dict[str, int] = {}
        for table in state.tables.values():
            for player_id in table.seats:
                self.expect("one_seat", player_id not in where, lambda player_id=player_id: f"{player_id} sits twice")
                where[player_id] = table.table_id
            kept = books.tables.get(table.table_id)
            self.expect(
                "scores_add_up",
                kept is not None and kept.totals == list(table.totals),
                lambda table=table, kept=kept: f"table {table.table_id}: {table.totals}, the books say {kept}",
            )
        for entrant in state.entrants.values():
            at = where.get(entrant.player_id)
            self.expect(
                "one_seat",
                entrant.table_id == at or entrant.state in ("out", "done", "left"),
                lambda entrant=entrant, at=at: f"{entrant.player_id} is said to sit at {entrant.table_id}, not {at}",
            )
            if books.known and entrant.player_id in books.active:
                score = books.scores.get(entrant.player_id)
                self.expect(
                    "scores_add_up",
                    score == entrant.score,
                    lambda entrant=entrant, score=score: (
                        f"{books.match_id} record {books.seq}: {entrant.player_id} has {entrant.score}, "
                        f"the books say {score}"
                    ),
                )

    def refused(self, before: bytes, after: bytes, command: commands.Command) -> None:
        """A command was refused."""
        self.expect(
            "a_refusal_changes_nothing", before == after, lambda: f"{command} was refused and changed the state"
        )

    # --- the disk and restarts --------------------------------------------------------------------------------------

    def synced(self, record: PendingRecord) -> None:
        """A record is durable from now on."""
        self.durable.setdefault(record.match_id, []).append(record)

    def is_durable(self, match_id: str, seq: int) -> bool:
        """Whether the disk has this record for good."""
        return len(self.durable.get(match_id, ())) >= seq

    def recovered(self, match_id: str, state: MatchState, chain: Chain, stored: Sequence[StoredRecord]) -> None:
        """A match was taken up again."""
        durable = self.durable.get(match_id, [])
        same = [(r.seq, r.hash, r.body) for r in stored] == [(r.seq, r.hash, r.body) for r in durable]
        self.expect(
            "what_was_acknowledged_stays",
            same and chain.seq == len(durable),
            lambda: f"{match_id}: {chain.seq} records are taken up of {len(durable)} durable ones",
        )
        reached = state_hash(state)
        self.expect(
            "replay_equals_live",
            self.hashes.get((match_id, chain.seq)) == reached,
            lambda: f"{match_id}: record {chain.seq} leads to another state than the one that was live",
        )
        books = MatchBooks(match_id, self)
        again, follow = new_state(), Chain.start(match_id)
        for each in stored:
            record: Any = open_record(each, follow.hash)
            follow.hash = record.hash
            books.feed(record.seq, record.command, record.events)
            for event in record.events:
                evolve(again, event)
        self.expect(
            "snapshots_change_nothing",
            state_hash(again) == reached,
            lambda: f"{match_id}: from the start record {chain.seq} leads to another state",
        )
        self.books[match_id] = books

    # --- what is said -----------------------------------------------------------------------------------------------

    def saying(self, identity: str, message: Any) -> None:
        """The coordinator gives this to a session: what it rests on must be durable by now."""
        self.messages += 1
        fact = self._fact(identity, message)
        if fact is None:
            return
        match_id, *key = fact
        books = self.books.get(match_id)
        if isinstance(message, m.StartHand) and books is not None and message.attempt_no > 1:
            known = books.repeats.get((message.table_id, message.hand_no, message.attempt_no))
            self.expect(
                "a_repeat_is_the_same_hand",
                known is not None and message.log[: len(known)] == known,
                lambda: f"{identity} is told {message}, and {known} was recorded before",
            )
        seq = None if books is None else books.facts.get(tuple(key))
        self.expect(
            "nothing_leaves_before_it_is_durable",
            seq is not None and self.is_durable(match_id, seq),
            lambda: f"{identity} is told {message}, record {seq} of {len(self.durable.get(match_id, ()))} durable ones",
        )

    def _fact(self, identity: str, message: Any) -> tuple[Any, ...] | None:
        match message:
            case m.Verdict(verdict="scored"):
                return message.match_id, "scored", message.table_id, message.hand_no, self._reported(message)
            case m.Seat():
                return message.match_id, "placed", message.table_id, message.epoch, identity
            case m.StartHand():
                at = (message.table_id, message.hand_no, message.attempt_no)
                return message.match_id, "hand", *at, message.base_score
            case m.Entered():
                return message.match_id, "entered", message.player_id, message.reg_seq
            case m.Seated():
                return message.match_id, "seated", message.table_id, tuple(message.players)
            case m.Eliminated():
                return message.match_id, "out", message.player_id
            case m.MatchStarted():
                return message.match_id, "started"
            case m.MatchOver():
                return message.match_id, "over"
            case m.RevivalOffer():
                return message.match_id, "offer", message.player_id, message.offer_no
            case m.CloseTable(reason="round_over"):
                return message.match_id, "closed", message.table_id
            case m.MatchOpened():
                return message.match_id, "opened", message.deal_commitment
            case m.Ruled():
                about = (message.player_id, message.points, message.table_id, message.hand_no)
                return message.match_id, "ruled", message.kind, *about, tuple(message.scores.items())
        return None

    def _reported(self, verdict: m.Verdict) -> tuple[int, ...] | None:
        """What the books say of the hand a verdict is about, where that attempt counts."""
        books = self.books.get(verdict.match_id)
        counted = None if books is None else books.counted.get((verdict.table_id, verdict.hand_no))
        if counted is None or counted[0] != verdict.attempt_no:
            return None
        return counted[1]

    def heard(self, identity: str, message: Any) -> None:
        """A program reads this."""
        told = self._announcement(identity, message)
        if told is None:
            return
        key, value = told
        self.expect(
            "an_announcement_never_changes",
            self.announced.setdefault(key, value) == value,
            lambda: f"{identity} hears {message}, and heard {self.announced[key]} before",
        )
        if isinstance(message, m.StartHand):
            self._repeats(message)
        elif isinstance(message, m.MatchOver):
            self.ends.setdefault(message.match_id, {})[message.part] = message.places

    def _announcement(self, identity: str, message: Any) -> tuple[tuple[Any, ...], Any] | None:
        match message:
            case m.Verdict():
                verdict = "counts" if message.verdict in ("scored", "duplicate") else message.verdict
                at = (message.match_id, message.table_id, message.hand_no, message.attempt_no)
                if message.verdict == "scored":
                    return ("verdict", *at), (identity, verdict)
            case m.Seat():
                seats = tuple((seat.seat_no, seat.player_id) for seat in message.seats)
                return ("seat", message.match_id, message.table_id), (message.game, message.bout_no, seats)
            case m.StartHand():
                hand = (message.match_id, message.table_id, message.hand_no)
                return ("hand", *hand), (message.deal, message.base_score, message.board_no)
            case m.CashedOut(payout_no=int() as payout_no):
                return ("payout", message.match_id, payout_no), (message.player_id, message.units, message.score)
            case m.StageReward():
                what = (message.player_id, message.place, dict(message.items))
                return ("payout", message.match_id, message.payout_no), what
            case m.MatchOver():
                return ("over", message.match_id, message.part), (message.parts, tuple(map(repr, message.places)))
            case m.Eliminated(place=int()) if self.books[message.match_id].was_reinstated(message.player_id):
                return None  # the place was taken back
            case m.Eliminated(place=int() as place):
                return ("place", message.match_id, message.stage_id, message.player_id, message.score), place
            case m.MatchOpened():
                return ("opened", message.match_id), message.deal_commitment
        return None

    def _repeats(self, start: m.StartHand) -> None:
        """R-RC-02: a repeat brings the log of the attempt before; what was told once stays at its beginning."""
        key = ("log", start.match_id, start.table_id, start.hand_no)
        attempt, log = self.announced.get(key, (0, []))
        if start.attempt_no > attempt:  # an older one may be heard late, by the server that had the table then
            self.announced[key] = start.attempt_no, list(start.log)
            self.expect(
                "a_repeat_is_the_same_hand",
                start.log[: len(log)] == log,
                lambda: f"{start} does not go on where attempt {attempt} with {log} was",
            )

    def awards(self, match_id: str, bank: Mapping[tuple[str, int], tuple[str, int]]) -> None:
        """What a lobby has paid out, each number once, against what the books say is due."""
        due = sorted(self.books[match_id].due)
        paid = sorted(what for (match, _), what in bank.items() if match == match_id)
        self.expect("awards_are_paid_once", due == paid, lambda: f"{match_id}: due is {due}, paid was {paid}")
