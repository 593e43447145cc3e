"""The auditor's own books of one match: kept from what was recorded, by simple means, and never from the engine."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import attrs

from coordinator.engine import commands, events
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.directing import director_events as ev
from coordinator.engine.formats import timeline_of
from coordinator.engine.ladder import ladder_events

Play = tuple[str, int, int, int, int]
"""(match, table, epoch, hand, attempt): which order a report is about."""


class Judge(Protocol):
    """Who keeps these books."""

    def expect(self, invariant: str, holds: bool, told: Callable[..., str]) -> None:
        """An invariant was looked at."""

    def was_played(self, play: Play, server_id: str, scores: dict[str, int]) -> bool:
        """Whether a table server reported this."""

    def was_entered(self, match_id: str, player_id: str) -> bool:
        """Whether a lobby asked for this."""


@attrs.define
class TableBook:
    """One open table."""

    stage_no: int
    bout_no: int
    seats: tuple[str, ...]
    totals: list[int]
    server_id: str | None = None
    life: str = ""
    epoch: int = 0
    hand_no: int = 0
    attempt_no: int = 0
    base: int = 0
    in_hand: bool = False
    interrupted: bool = False
    counted: int = 0
    dropped: bool = False
    log: list[Any] = attrs.field(factory=list)
    worth: dict[int, tuple[int, ...]] = attrs.field(factory=dict)
    """What each hand counts for."""


@attrs.define
class MatchBooks:
    """What happened in a match. Feed it every record in order; it looks at each as it comes."""

    match_id: str
    judge: Judge
    t: int = 0
    seq: int = 0
    definition: MatchDefinition | None = None
    status: str = "new"
    stage_no: int = 0
    opened_at: int = 0
    run: int = 1
    bout_no: int = 0
    base: int = 0
    tick: int = 0
    stage_hands: int = 0
    reg_seqs: dict[str, int] = attrs.field(factory=dict)
    scores: dict[str, int] = attrs.field(factory=dict)
    last_hands: dict[str, int] = attrs.field(factory=dict)
    known: bool = True
    """Whether the scores follow from hands alone."""
    active: dict[str, None] = attrs.field(factory=dict)
    entered_stage: dict[str, None] = attrs.field(factory=dict)
    later: dict[str, int] = attrs.field(factory=dict)
    out: dict[str, int | None] = attrs.field(factory=dict)
    out_in_bout: dict[str, None] = attrs.field(factory=dict)
    """Out since the bout was seated, and without a place before it ends."""
    gone: dict[str, None] = attrs.field(factory=dict)
    tables: dict[int, TableBook] = attrs.field(factory=dict)
    closed: dict[int, TableBook] = attrs.field(factory=dict)
    counted: dict[tuple[int, int], tuple[int, tuple[int, ...], int]] = attrs.field(factory=dict)
    """(table, hand) -> (attempt, reported, record)."""
    facts: dict[tuple[Any, ...], int] = attrs.field(factory=dict)
    """What may be announced -> the record it rests on."""
    repeats: dict[tuple[int, int, int], list[Any]] = attrs.field(factory=dict)
    """(table, hand, attempt) -> the actions that were known when it was ordered."""
    payments: dict[str, tuple[str, int]] = attrs.field(factory=dict)
    places: dict[str, int] = attrs.field(factory=dict)
    ranking: tuple[str, ...] = ()
    hands: int = 0
    byes: tuple[str, ...] = ()
    words: dict[str, None] = attrs.field(factory=dict)
    """The keys under which a director has said something."""
    disqualified: dict[str, None] = attrs.field(factory=dict)
    reinstated: dict[str, None] = attrs.field(factory=dict)
    booked: dict[str, int] = attrs.field(factory=dict)
    """Penalties given before the start."""
    due: list[tuple[str, int]] = attrs.field(factory=list)
    """What the platform owes: player and worth."""

    @property
    def stage(self) -> Stage:
        assert self.definition is not None
        return self.definition.stages[self.stage_no]

    def feed(self, seq: int, command: commands.Command, happened: Sequence[events.Event]) -> None:
        """One record."""
        self.seq = seq
        self._expect("journal_time_never_goes_back", command.t >= self.t, lambda: f"{command.t} after {self.t}")
        self.t = command.t
        for event in happened:
            name = type(event).__name__
            follow = getattr(self, f"_{name}", None)
            if follow is not None:
                follow(event, command)
        self.facts["record", seq] = seq

    def _expect(self, invariant: str, holds: bool, told: Callable[..., str]) -> None:
        self.judge.expect(invariant, holds, lambda: f"{self.match_id}, record {self.seq}: {told()}")

    # --- entering and leaving ---------------------------------------------------------------------------------------

    def _MatchOpened(self, event: events.MatchOpened, _: Any) -> None:
        self.definition = event.definition
        self.status = "registering"
        self.facts["opened", event.commitment] = self.seq

    def _enter(self, player_id: str, reg_seq: int) -> None:
        newest = max(self.reg_seqs.values(), default=0)
        self._expect(
            "registration_numbers_are_unique",
            player_id not in self.reg_seqs and reg_seq > newest,
            lambda: f"{player_id} has number {reg_seq} after {newest}",
        )
        self._expect(
            "nothing_is_invented",
            self.judge.was_entered(self.match_id, player_id),
            lambda: f"nobody entered {player_id}",
        )
        self.reg_seqs[player_id] = reg_seq
        self.facts["entered", player_id, reg_seq] = self.seq

    def _PlayerRegistered(self, event: events.PlayerRegistered, _: Any) -> None:
        self._enter(event.player_id, event.reg_seq)

    def _PlayerWithdrawn(self, event: events.PlayerWithdrawn, _: Any) -> None:
        self.reg_seqs.pop(event.player_id, None)
        self.active.pop(event.player_id, None)

    def _LateEntered(self, event: events.LateEntered, _: Any) -> None:
        self._enter(event.player_id, event.reg_seq)
        self.later[event.player_id] = event.from_bout
        self.entered_stage[event.player_id] = None
        self.scores[event.player_id] = 0
        self.known = False

    def _PlayerRetired(self, event: events.PlayerRetired, _: Any) -> None:
        self.active.pop(event.player_id, None)
        self.later.pop(event.player_id, None)
        self.out.setdefault(event.player_id, None)
        self.facts.setdefault(("out", event.player_id), self.seq)

    def _PlayerJoined(self, event: events.PlayerJoined, _: Any) -> None:
        player_id = event.player_id
        self._come_back(player_id, event.reg_seq)
        self.out.pop(player_id, None)
        if not event.next_stage:
            self.active[player_id] = None
            self.entered_stage[player_id] = None
            self.scores[player_id] = event.score

    def _come_back(self, player_id: str, reg_seq: int | None) -> None:
        """R-TB-02: who left and comes back is entered anew."""
        left = self.gone.pop(player_id, "never") is None
        if left and reg_seq is not None:
            self.reg_seqs.pop(player_id, None)
        if player_id not in self.reg_seqs:
            assert reg_seq is not None, player_id
            self._enter(player_id, reg_seq)

    def _PlayersLeft(self, event: events.PlayersLeft, _: Any) -> None:
        self.due += [(player_id, units) for player_id, units in zip(event.players, event.units, strict=True) if units]
        for player_id in event.players:
            self.active.pop(player_id, None)
            self.gone[player_id] = None
            self.entered_stage.pop(player_id, None)

    def _EntrantAdmitted(self, event: events.EntrantAdmitted, _: Any) -> None:
        self._come_back(event.player_id, event.reg_seq)
        self.active[event.player_id] = None
        self.entered_stage[event.player_id] = None
        self.scores[event.player_id] = event.score
        self.known = False

    def _EntrantsLeft(self, event: events.EntrantsLeft, _: Any) -> None:
        for player_id in event.players:
            self.active.pop(player_id, None)
            self.gone[player_id] = None

    # --- stages, bouts, tables --------------------------------------------------------------------------------------

    def _MatchStarted(self, event: events.MatchStarted, _: Any) -> None:
        self.status = "running"
        self.facts["started",] = self.seq

    def _StageOpened(self, event: events.StageOpened, _: Any) -> None:
        self.stage_no, self.run, self.opened_at = event.stage_no, event.run, event.t
        self.bout_no = self.tick = self.stage_hands = 0
        self.base = self.stage.initial_game_state.base_score
        for player_id in event.players:
            self._expect(
                "only_those_in_are_seated",
                player_id in self.reg_seqs and player_id not in self.out,
                lambda player_id=player_id: f"{player_id} goes on although out",
            )
        self.active = dict.fromkeys(event.players)
        self.entered_stage = dict.fromkeys(event.players)
        self.later = {}
        self.scores = dict(zip(event.players, event.scores, strict=True))
        if self.status == "running" and not self.stage_no and self.run == 1 and not by_points(self.stage):
            initial = self.stage.initial_player_state.score
            self._expect(
                "scores_add_up",
                all(self.scores[p] == initial + self.booked.get(p, 0) for p in event.players),
                lambda: f"the first stage begins with {self.scores}, {self.booked} were booked",
            )
        self.last_hands = dict.fromkeys(event.players, 0)
        self.known = timeline_of(self.stage) != "challenge"

    def _TablesSeated(self, event: events.TablesSeated, _: Any) -> None:
        stage, timeline = self.stage, timeline_of(self.stage)
        free = timeline == "pool"
        if not free:
            self._expect(
                "bouts_do_not_overlap",
                not self.tables and event.bout_no == self.bout_no + 1,
                lambda: f"bout {event.bout_no} after {self.bout_no} with tables {list(self.tables)} open",
            )
            for player_id in [p for p, bout_no in self.later.items() if bout_no <= event.bout_no]:
                del self.later[player_id]
                self.active[player_id] = None
        self.bout_no = event.bout_no
        self.out_in_bout = {}
        if event.bout_no > 1 and stage.round_carry_pct != 100:
            self.known = False
        seated = {player_id for table in self.tables.values() for player_id in table.seats}
        for number, seats in enumerate(event.tables, start=event.first_table_id):
            most = stage.table_size
            fits = 2 <= len(seats) <= most if stage.format == "default" else len(seats) == most
            self._expect(
                "tables_are_right",
                fits and len(set(seats)) == len(seats) and number not in self.tables and number not in self.closed,
                lambda number=number, seats=seats, most=most: f"table {number} seats {seats}, {most} a table",
            )
            for player_id in seats:
                self._expect("one_seat", player_id not in seated, lambda player_id=player_id: f"{player_id} sits twice")
                self._expect(
                    "elimination_is_final",
                    player_id not in self.out,
                    lambda player_id=player_id: f"{player_id} is out and seated",
                )
                self._expect(
                    "only_those_in_are_seated",
                    player_id in self.active,
                    lambda player_id=player_id: f"{player_id} is not in the stage",
                )
                seated.add(player_id)
                if not free:
                    self.last_hands[player_id] = 0
            self.tables[number] = TableBook(self.stage_no, event.bout_no, seats, [0] * len(seats))
            self.facts["seated", number, seats] = self.seq
        if not free:
            self._expect(
                "everybody_is_somewhere",
                not seated & set(event.byes) and seated | set(event.byes) == set(self.active),
                lambda: f"seats {sorted(seated)} and byes {event.byes} of {sorted(self.active)}",
            )
            self.byes = event.byes
            for player_id in event.byes:
                self.scores[player_id] += stage.bye_delta if stage.scoring == "total" else 0
                self.last_hands[player_id] = 0

    def _RoomsOpened(self, event: ladder_events.RoomsOpened, _: Any) -> None:
        """The rooms of a ladder match: who sits down are players of the teams, not the teams that entered."""
        seated = [player_id for table in self.tables.values() for player_id in table.seats]
        seated += [player_id for seats in event.rooms for player_id in seats]
        self._expect("one_seat", len(set(seated)) == len(seated), lambda: f"somebody sits twice among {seated}")
        for number, seats in enumerate(event.rooms, start=event.first_table_id):
            self._expect(
                "tables_are_right",
                len(seats) == self.stage.table_size and number not in self.tables and number not in self.closed,
                lambda number=number, seats=seats: f"table {number} seats {seats}",
            )
            self.tables[number] = TableBook(self.stage_no, event.challenge_no, seats, [0] * len(seats))
            self.facts["seated", number, seats] = self.seq

    def _TablesPlaced(self, event: events.TablesPlaced, _: Any) -> None:
        for table_id, server_id, life in zip(event.table_ids, event.server_ids, event.lives, strict=True):
            table = self.tables[table_id]
            self._expect(
                "attempts_rise_by_one",
                table.server_id is None,
                lambda table_id=table_id: f"table {table_id} has an owner already",
            )
            table.server_id, table.life = server_id, life
            table.epoch += 1
            self.facts["placed", table_id, table.epoch, server_id] = self.seq

    def _TablesOrphaned(self, event: events.TablesOrphaned, _: Any) -> None:
        for table_id in event.table_ids:
            table = self.tables[table_id]
            table.server_id, table.life = None, ""
            table.interrupted = table.in_hand or table.interrupted
            table.in_hand = False

    def _HandsStarted(self, event: events.HandsStarted, _: Any) -> None:
        for table_id in event.table_ids:
            table = self.tables[table_id]
            self._expect(
                "attempts_rise_by_one",
                not table.in_hand and not table.interrupted and table.server_id is not None,
                lambda table_id=table_id: f"table {table_id} cannot start a hand",
            )
            table.hand_no += 1
            table.attempt_no, table.in_hand, table.base, table.log = 1, True, event.base_score, []
            self._base_is_right(event.base_score, event.t)
            self.facts["hand", table_id, table.hand_no, 1, table.base] = self.seq

    def _HandsRepeated(self, event: events.HandsRepeated, _: Any) -> None:
        for table_id in event.table_ids:
            table = self.tables[table_id]
            self._expect(
                "attempts_rise_by_one",
                table.interrupted and not table.in_hand,
                lambda table_id=table_id: f"table {table_id} repeats a hand that was not interrupted",
            )
            table.attempt_no += 1
            table.in_hand, table.interrupted = True, False
            self.repeats[table_id, table.hand_no, table.attempt_no] = list(table.log)
            self.facts["hand", table_id, table.hand_no, table.attempt_no, table.base] = self.seq

    def _ActionsRecorded(self, event: events.ActionsRecorded, _: Any) -> None:
        self.tables[event.table_id].log += event.actions

    def _HandScored(self, event: events.HandScored, command: Any) -> None:
        table_id, hand_no = event.table_id, event.hand_no
        table = self.tables.get(table_id)
        where = f"table {table_id} hand {hand_no} attempt {event.attempt_no}"
        self._expect("a_hand_counts_once", (table_id, hand_no) not in self.counted, lambda: f"{where} counts again")
        self._expect("a_hand_counts_once", table is not None, lambda: f"{where} counts after the round")
        self.counted[table_id, hand_no] = event.attempt_no, event.reported, self.seq
        if table is None:
            return
        self._expect(
            "only_the_newest_attempt_counts",
            (hand_no, event.attempt_no) == (table.hand_no, table.attempt_no) and table.in_hand,
            lambda: f"{where} counts while hand {table.hand_no} attempt {table.attempt_no} is in play",
        )
        owner = isinstance(command, commands.EndHand) and command.server_id == table.server_id
        self._expect(
            "only_the_owner_reports",
            owner and command.epoch == table.epoch,
            lambda: f"{where} was reported by {command}, owned by {table.server_id} in epoch {table.epoch}",
        )
        scores = dict(zip(table.seats, event.reported, strict=True))
        play = (self.match_id, table_id, table.epoch, hand_no, table.attempt_no)
        self._expect(
            "nothing_is_invented",
            self.judge.was_played(play, table.server_id or "", scores),
            lambda: f"{where} was never played as {scores}",
        )
        assert self.definition is not None
        if (self.definition.zero_sum or self.stage.min_payment) and not event.dropped:
            self._expect(
                "points_are_conserved",
                sum(event.scores) + event.house == 0 and event.house >= 0,
                lambda: f"{where}: {event.scores}, the house takes {event.house}",
            )
        for seat, (player_id, score) in enumerate(zip(table.seats, event.scores, strict=True)):
            table.totals[seat] += score
            self.scores[player_id] = self.scores.get(player_id, 0) + score
            self.last_hands[player_id] = score
        table.worth[hand_no] = event.scores
        table.in_hand = False
        table.counted += 1
        table.dropped = table.dropped or bool(event.dropped)
        self.stage_hands += 1
        self.hands += 1
        self.facts["scored", table_id, hand_no, event.reported] = self.seq

    def _ResultParked(self, event: events.ResultParked, _: Any) -> None:
        self.facts["parked", event.table_id, event.hand_no] = self.seq

    def _BoardsVoided(self, event: events.BoardsVoided, _: Any) -> None:
        for table_id in event.table_ids:
            table = self.tables[table_id]
            table.in_hand = table.interrupted = False

    def _RoundEnded(self, event: events.RoundEnded, _: Any) -> None:
        table = self.tables.pop(event.table_id)
        self.closed[event.table_id] = table
        stage = self.stage
        whole = (
            stage.format in ("default", "knockout", "swiss_shift", "swiss_1v1") and stage.round.type == "fixed_hands"
        )
        cut_short = table.dropped or event.dropped or self.disqualified.keys() & set(table.seats)
        if whole and not event.settled and not cut_short:
            self._expect(
                "no_hand_is_lost",
                table.counted == stage.round.hands,
                lambda: f"table {event.table_id} ends after {table.counted} of {stage.round.hands} hands",
            )
        self.facts["closed", event.table_id] = self.seq

    def _PlayersEliminated(self, event: events.PlayersEliminated, _: Any) -> None:
        for player_id, place in zip(event.players, event.places, strict=True):
            self._put_out(player_id, place)
            self.out_in_bout[player_id] = None

    def _put_out(self, player_id: str, place: int | None) -> None:
        self._expect(
            "elimination_is_final",
            player_id not in self.out and player_id in self.active,
            lambda: f"{player_id} is eliminated again",
        )
        self.out[player_id] = place
        self.active.pop(player_id, None)
        self.facts.setdefault(("out", player_id), self.seq)
        if place is not None:
            self._place(player_id, place)

    def _place(self, player_id: str, place: int) -> None:
        self._expect(
            "elimination_is_final",
            self.places.get(player_id, place) == place,
            lambda: f"{player_id} is placed {place} after {self.places[player_id]}",
        )
        self.places[player_id] = place

    def _RevivalOffered(self, event: events.RevivalOffered, _: Any) -> None:
        self.facts["offer", event.player_id, event.offer_no] = self.seq
        self.active.pop(event.player_id, None)

    def _PlayerRevived(self, event: events.PlayerRevived, _: Any) -> None:
        used = self.payments.get(event.payment_ref)
        self._expect(
            "a_payment_counts_once",
            used is None,
            lambda: f"{event.payment_ref} revives {event.player_id} after {used}",
        )
        self.payments[event.payment_ref] = event.player_id, event.offer_no
        self.out.pop(event.player_id, None)
        self.places.pop(event.player_id, None)
        self.active[event.player_id] = None
        self.scores[event.player_id] = event.score

    def _RevivalsClosed(self, event: events.RevivalsClosed, _: Any) -> None:
        for player_id in event.players:
            self.active.pop(player_id, None)
            self.out.setdefault(player_id, None)
            self.facts.setdefault(("out", player_id), self.seq)

    def _BoutEnded(self, event: events.BoutEnded, _: Any) -> None:
        named = (*event.ranking, *event.out)
        if timeline_of(self.stage) == "bouts":
            self._expect(
                "standings_are_permutations",
                len(set(named)) == len(named) and set(named) == {*self.active, *self.out_in_bout, *self.later},
                lambda: f"{named} of {[*self.active, *self.out_in_bout, *self.later]}",
            )
            self._ties(named)
        for player_id, place in zip(event.out, event.out_places, strict=True):
            if player_id in self.out_in_bout:
                self._place(player_id, place)
            else:
                self._put_out(player_id, place)

    def _ties(self, named: tuple[str, ...]) -> None:
        """Registration decides where nothing else does (R-TB-02, R-TB-03)."""
        stage = self.stage
        if not self.known or stage.scoring != "total" or stage.format != "swiss_shift":
            return
        by_last = stage.tie_chain is not None and stage.tie_chain[0] == "last_hand"

        def key(player_id: str) -> tuple[bool, int, int, int]:
            last = -self.last_hands[player_id] if by_last else 0
            return player_id in self.disqualified, -self.scores[player_id], last, self.reg_seqs[player_id]

        self._expect(
            "ties_are_broken_by_rule",
            list(named) == sorted(named, key=key),
            lambda: f"{named} should be {sorted(named, key=key)}",
        )

    def _StageEnded(self, event: events.StageEnded, _: Any) -> None:
        self._expect(
            "standings_are_permutations",
            len(set(event.ranking)) == len(event.ranking) and set(event.ranking) >= set(self.active),
            lambda: f"{event.ranking} of {list(self.active)}",
        )
        for index, player_id in enumerate(event.ranking):
            if index >= event.advancing:
                self.out.setdefault(player_id, index + 1)
                self.active.pop(player_id, None)
                self.facts.setdefault(("out", player_id), self.seq)
        for reward in self.stage.rewards:
            for player_id in event.ranking[reward.first - 1 : reward.last]:
                self.due.append((player_id, sum(reward.items.values())))
        self.facts["stage ended", self.stage_no, self.run] = self.seq

    def _MatchEnded(self, event: events.MatchEnded, _: Any) -> None:
        everybody = {player_id for player_id in self.reg_seqs if player_id not in self.gone}
        self._expect(
            "standings_are_permutations",
            len(set(event.ranking)) == len(event.ranking)
            and set(event.ranking) <= set(self.reg_seqs)
            and (timeline_of(self.stage) in ("pool", "clock", "challenge") or set(event.ranking) == everybody),
            lambda: f"{event.ranking} of {sorted(everybody)}",
        )
        for place, player_id in enumerate(event.ranking, start=1):
            certain = self.places.get(player_id)
            self._expect(
                "elimination_is_final",
                certain in (None, place),
                lambda player_id=player_id, place=place, certain=certain: (
                    f"{player_id} ends {place} and was told {certain}"
                ),
            )
        self._expect("everything_ends", not self.tables, lambda: f"tables {list(self.tables)} are open at the end")
        assert self.definition is not None
        for reward in self.definition.rewards:
            for player_id in event.ranking[reward.first - 1 : reward.last]:
                if player_id not in self.disqualified:
                    self.due.append((player_id, sum(reward.items.values())))
        self.status = "over"
        self.ranking = event.ranking
        self.facts["over",] = self.seq

    def _MatchHalted(self, event: events.MatchHalted, _: Any) -> None:
        self.status = "halted"

    # --- a director's words -----------------------------------------------------------------------------------------

    def was_reinstated(self, player_id: str) -> bool:
        """Whether a place that was told may have been taken back."""
        return player_id in self.reinstated

    def _word(self, key: str) -> None:
        self._expect("a_word_counts_once", key not in self.words, lambda: f"the word {key!r} counts again")
        self.words[key] = None

    def _ruled(self, kind: str, player_id: str | None = None, points: int | None = None) -> None:
        # The same may be ruled again, and told again of the first time.
        self.facts.setdefault(("ruled", kind, player_id, points, None, None, ()), self.seq)

    def _PenaltyGiven(self, event: ev.PenaltyGiven, _: Any) -> None:
        self._word(event.key)
        self._ruled("penalty", event.player_id, event.points)
        self._expect(
            "nothing_is_invented", event.player_id in self.reg_seqs, lambda: f"a penalty for {event.player_id}"
        )
        if self.status == "registering":
            self.booked[event.player_id] = self.booked.get(event.player_id, 0) + event.points
        elif not by_points(self.stage):
            self.scores[event.player_id] = self.scores.get(event.player_id, 0) + event.points

    def _PlayerDisqualified(self, event: ev.PlayerDisqualified, _: Any) -> None:
        player_id = event.player_id
        self._ruled("disqualify", player_id)
        in_stage = player_id in self.active or player_id in self.later
        self._expect(
            "a_word_has_its_rule",
            event.was_in == in_stage and player_id not in self.disqualified,
            lambda: f"{player_id} is disqualified, in {event.was_in}, the books say {in_stage}",
        )
        self.disqualified[player_id] = None
        if not event.was_in:
            return
        if timeline_of(self.stage) == "pool" and self.stage.island is None:
            self._expect(
                "a_word_has_its_rule",
                event.place is not None and event.place >= len(self.active),
                lambda: f"{player_id} is in place {event.place} of {len(self.active)}",
            )
        self.active.pop(player_id, None)
        self.later.pop(player_id, None)
        self.out[player_id] = event.place
        self.facts.setdefault(("out", player_id), self.seq)
        if event.place is not None:
            self._place(player_id, event.place)
        if timeline_of(self.stage) == "bouts" and self.stage.format != "swiss_1v1":
            self.out_in_bout[player_id] = None  # with a place when the bout ends

    def _PlayerReinstated(self, event: ev.PlayerReinstated, _: Any) -> None:
        player_id = event.player_id
        self._ruled("reinstate", player_id)
        self._expect("a_word_has_its_rule", player_id in self.disqualified, lambda: f"{player_id} was not disqualified")
        del self.disqualified[player_id]
        self.reinstated[player_id] = None
        if event.back:
            self._back(player_id)

    def _back(self, player_id: str) -> None:
        self.out.pop(player_id, None)
        self.places.pop(player_id, None)
        self.out_in_bout.pop(player_id, None)
        self.active[player_id] = None

    def _HandCorrected(self, event: ev.HandCorrected, _: Any) -> None:
        table_id, hand_no = event.table_id, event.hand_no
        is_open = table_id in self.tables
        table = self.tables[table_id] if is_open else self.closed[table_id]
        where = f"table {table_id} hand {hand_no}"
        scores = tuple(zip(table.seats, event.scores, strict=True))
        self.facts.setdefault(("ruled", "correct", None, None, table_id, hand_no, scores), self.seq)
        known = table.worth.get(hand_no, ())
        self._expect(
            "scores_add_up", event.before == known, lambda: f"{where}: corrected from {event.before}, {known} counted"
        )
        self._expect(
            "points_are_conserved",
            sum(event.scores) == sum(known),
            lambda: f"{where}: {event.scores} for {known}",
        )
        self._expect(
            "a_word_has_its_rule",
            is_open or (table.bout_no == self.bout_no and table.stage_no == self.stage_no),
            lambda: f"{where} is of bout {table.bout_no}, now it is {self.bout_no}",
        )
        table.worth[hand_no] = event.scores
        before = known or (0,) * len(table.seats)
        for seat, player_id in enumerate(table.seats):
            change = event.scores[seat] - before[seat]
            table.totals[seat] += change
            self.scores[player_id] = self.scores.get(player_id, 0) + change
            if hand_no == max(table.worth):
                self.last_hands[player_id] = event.scores[seat]

    def _RoundRevised(self, event: ev.RoundRevised, _: Any) -> None:
        table, stage = self.closed[event.table_id], self.stage
        for player_id in event.back:
            self._back(player_id)
        for player_id in event.out:
            self.active.pop(player_id)
            self.out[player_id] = self.out_in_bout[player_id] = None
            self.facts.setdefault(("out", player_id), self.seq)
        if self.known and stage.scoring == "total" and stage.format in ("knockout", "swiss_shift"):
            chain = stage.tie_chain or (("last_hand",) if stage.format == "knockout" else ())

            def key(player_id: str) -> tuple[bool, int, int, int]:
                last = -self.last_hands[player_id] if "last_hand" in chain else 0
                return player_id in self.disqualified, -self.scores[player_id], last, self.reg_seqs[player_id]

            ranked = sorted(table.seats, key=key)
            right = tuple(ranked.index(player_id) + 1 for player_id in table.seats)
            self._expect(
                "a_word_has_its_rule",
                event.places == right,
                lambda: f"table {event.table_id}: places {event.places} of {table.seats}, by the books {right}",
            )

    def _SeatingTakenBack(self, event: ev.SeatingTakenBack, _: Any) -> None:
        self._word(event.key)
        self._ruled("reseat")
        begun = [number for number, table in self.tables.items() if table.hand_no]
        self._expect("a_word_has_its_rule", not begun, lambda: f"tables {begun} are taken back and have begun")
        self.tables = {}
        if timeline_of(self.stage) != "pool":
            self.bout_no -= 1
            for player_id in self.byes:
                self.scores[player_id] -= self.stage.bye_delta if self.stage.scoring == "total" else 0

    def _FieldReranked(self, event: ev.FieldReranked, _: Any) -> None:
        self._expect(
            "standings_are_permutations",
            len(set(event.ranking)) == len(event.ranking) and set(event.ranking) == set(self.active),
            lambda: f"{event.ranking} of {list(self.active)}",
        )

    # --- the base score ---------------------------------------------------------------------------------------------

    def _BaseRaised(self, event: events.BaseRaised, _: Any) -> None:
        self._expect(
            "the_base_never_falls",
            event.base_score >= self.base and event.tick > self.tick,
            lambda: f"from {self.base} at tick {self.tick} to {event.base_score} at tick {event.tick}",
        )
        self.base, self.tick = event.base_score, event.tick
        self._base_is_right(event.base_score, event.t)

    def _base_is_right(self, base: int, t: int) -> None:
        """R-ME-03, worked out again: step by step and not in closed form."""
        rule, first = self.stage.base_growth, self.stage.initial_game_state.base_score
        passed = self.stage_hands // rule.every_hands if rule.by == "hands" else (t - self.opened_at) // rule.every_ms
        right = Fraction(first)
        if rule.kind == "table":
            right = Fraction(rule.values[min(passed, len(rule.values) - 1)]) if passed else right
        elif rule.kind == "arith":
            add = first // 2 if rule.add is None else rule.add
            for step in range(passed):
                right += add + step * rule.add_step
        elif rule.kind == "geometric":
            right = first * rule.ratio**passed
        if rule.max_base is not None:
            right = min(right, Fraction(rule.max_base))
        self._expect(
            "the_base_follows_its_rule",
            base == int(right),
            lambda: f"{base} where {int(right)} is due after {passed} ticks",
        )


def by_points(stage: Stage) -> bool:
    """Whether a stage ranks by something else than the score."""
    return stage.scoring != "total" or stage.format == "swiss_1v1"
