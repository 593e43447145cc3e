"""What happened in one course of a match, gathered from its events while it is played."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import attrs

from coordinator.engine import events
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.ladder.ladder_events import RoomsOpened
from coordinator.engine.match import Outcome
from coordinator.engine.rounds import side_totals, sides_of
from coordinator.engine.state import MatchState
from coordinator.simulation.cuts import BoutOfHands
from coordinator.simulation.figures import add_step
from coordinator.simulation.habits import HandKind

Step = tuple[int, int]
"""A time and the number that holds from then on."""


@attrs.define
class StageFacts:
    """One stage of a course; of a stage that is played again and again, each time.

    ``rounds`` counts the target rounds by their hands and whether the target was reached. ``settled`` are, by hand of
    a bout that cuts, how many were played and how many of them could no longer change who is cut.
    """

    stage_no: int
    opened_at: int
    entrants: int
    ended_at: int | None = None
    seatings: int = 0
    tables: int = 0
    hands: int = 0
    byes: dict[str, int] = attrs.field(factory=dict)
    meetings: int = 0
    repeats: int = 0
    repeats_at_once: int = 0
    rounds: dict[tuple[int, bool], int] = attrs.field(factory=dict)
    settled: list[tuple[int, int]] = attrs.field(factory=list)


@attrs.define
class Facts:
    """A course as a whole. ``left`` and ``tables`` are steps; ``seated_ms`` and ``present_ms`` are by player."""

    definition: MatchDefinition
    hands: HandKind
    started_at: int = 0
    ended_at: int | None = None
    stages: list[StageFacts] = attrs.field(factory=list)
    hands_of: dict[str, int] = attrs.field(factory=dict)
    seated_ms: dict[str, int] = attrs.field(factory=dict)
    present_ms: dict[str, int] = attrs.field(factory=dict)
    left: list[Step] = attrs.field(factory=list)
    tables: list[Step] = attrs.field(factory=list)
    ranking: tuple[str, ...] = ()
    halted: str | None = None
    revivals: int = 0
    walked_out: int = 0
    _present_since: dict[str, int] = attrs.field(factory=dict)
    _seats: dict[int, tuple[str, ...]] = attrs.field(factory=dict)
    _placed_at: dict[int, int] = attrs.field(factory=dict)
    _met: dict[str, set[str]] = attrs.field(factory=dict)
    _last_table: dict[str, int] = attrs.field(factory=dict)
    _bout: BoutOfHands | None = None

    def watch(self, t: int, state: MatchState, outcome: Outcome) -> None:
        """Take in what a command led to."""
        for event in outcome.events:
            note = _NOTE.get(type(event))
            if note is not None:
                note(self, state, event)
        if state.stage is not None:
            add_step(self.left, t, len(state.stage.active))
            add_step(self.tables, t, len(self._placed_at))

    def close(self, t: int) -> None:
        """The course has ended, in one way or another."""
        self.ended_at = t
        for player_id, since in self._present_since.items():
            self.present_ms[player_id] = self.present_ms.get(player_id, 0) + t - since
        for table_id, since in self._placed_at.items():
            for player_id in self._seats[table_id]:
                self.seated_ms[player_id] = self.seated_ms.get(player_id, 0) + t - since
        self._present_since.clear()
        self._placed_at.clear()

    # ------------------------------------------------------------------------------------------ comings and goings

    def come(self, t: int, *players: str) -> None:
        """These players are in from now on."""
        for player_id in players:
            self._present_since.setdefault(player_id, t)

    def go(self, t: int, *players: str) -> None:
        """These players are out from now on."""
        for player_id in players:
            since = self._present_since.pop(player_id, None)
            if since is not None:
                self.present_ms[player_id] = self.present_ms.get(player_id, 0) + t - since

    # ------------------------------------------------------------------------------------------------ the stages

    def open_stage(self, state: MatchState, event: events.StageOpened) -> None:
        """A stage begins; whom its players have met before is forgotten."""
        self.stages.append(StageFacts(event.stage_no, event.t, len(event.players)))
        self._met.clear()
        self._last_table.clear()
        self._bout = None
        self.come(event.t, *event.players)

    def seat(self, state: MatchState, event: events.TablesSeated) -> None:
        """Tables were formed: count who meets whom again, and who sits out."""
        stage = self.stages[-1]
        stage.seatings += 1
        stage.tables += len(event.tables)
        met, last = self._met, self._last_table
        for table_id, seats in enumerate(event.tables, start=event.first_table_id):
            self._seats[table_id] = seats
            for one, other in combinations(seats, 2):
                stage.meetings += 1
                known = met.setdefault(one, set())
                if other in known:
                    stage.repeats += 1
                    stage.repeats_at_once += last.get(one) == last.get(other)
                known.add(other)
                met.setdefault(other, set()).add(one)
            for player_id in seats:
                last[player_id] = table_id
        for player_id in event.byes:
            stage.byes[player_id] = stage.byes.get(player_id, 0) + 1
            last.pop(player_id, None)
        self._bout = BoutOfHands.seated(self.definition, self.hands, state, event)

    def open_rooms(self, state: MatchState, event: RoomsOpened) -> None:
        """R-BL-14: the two rooms of a ladder match; who meets again there are teams."""
        self.stages[-1].tables += len(event.rooms)
        self._seats.update(enumerate(event.rooms, start=event.first_table_id))

    def place(self, state: MatchState, event: events.TablesPlaced) -> None:
        """Tables have a server and play."""
        for table_id in event.table_ids:
            self._placed_at.setdefault(table_id, event.t)

    def score(self, state: MatchState, event: events.HandScored) -> None:
        """A hand counts."""
        self.stages[-1].hands += 1
        for player_id in self._seats[event.table_id]:
            self.hands_of[player_id] = self.hands_of.get(player_id, 0) + 1
        if self._bout is not None:
            self._bout.scored(event.table_id, event.scores)

    def start_hands(self, state: MatchState, event: events.HandsStarted) -> None:
        """Hands were ordered at this base score."""
        if self._bout is not None:
            for table_id in event.table_ids:
                self._bout.started(table_id, event.base_score)

    def end_round(self, state: MatchState, event: events.RoundEnded) -> None:
        """A table parts."""
        seats = self._seats.pop(event.table_id)
        since = self._placed_at.pop(event.table_id, None)
        if since is not None:
            for player_id in seats:
                self.seated_ms[player_id] = self.seated_ms.get(player_id, 0) + event.t - since
        rules = self.definition.stages[self.stages[-1].stage_no]  # the state may have gone on
        rule = rules.round
        if rule.type == "target" and rule.target is not None:
            results = state.closed_tables[event.table_id].results
            totals = [sum(scores[seat] for _, scores in results) for seat in range(len(seats))]
            of_sides = side_totals(totals, sides_of(rule.sides, rules.table_size))
            key = (len(results), max(of_sides) >= rule.target)
            self.stages[-1].rounds[key] = self.stages[-1].rounds.get(key, 0) + 1

    def end_bout(self, state: MatchState, event: events.BoutEnded) -> None:
        """A bout is over: who is out, and which of its hands could no longer change that."""
        self.go(event.t, *event.out)
        if self._bout is not None:
            counted = self._bout.ended(event)
            settled = self.stages[-1].settled
            settled += [(0, 0)] * (len(counted) - len(settled))
            for number, (played, beyond) in enumerate(counted):
                settled[number] = (settled[number][0] + played, settled[number][1] + beyond)
            self._bout = None

    def end_stage(self, state: MatchState, event: events.StageEnded) -> None:
        """The ranking of a stage is there."""
        self.stages[-1].ended_at = event.t
        self.go(event.t, *event.ranking[event.advancing :])


def _started(facts: Facts, state: MatchState, event: events.MatchStarted) -> None:
    facts.started_at = event.t


def _ended(facts: Facts, state: MatchState, event: events.MatchEnded) -> None:
    facts.ranking = event.ranking


def _halted(facts: Facts, state: MatchState, event: events.MatchHalted) -> None:
    facts.halted = event.reason


def _offered(facts: Facts, state: MatchState, event: events.RevivalOffered) -> None:
    facts.go(event.t, event.player_id)


def _revived(facts: Facts, state: MatchState, event: events.PlayerRevived) -> None:
    facts.revivals += 1
    facts.come(event.t, event.player_id)


def _entered(facts: Facts, state: MatchState, event: events.EntrantAdmitted | events.LateEntered) -> None:
    facts.come(event.t, event.player_id)


def _joined(facts: Facts, state: MatchState, event: events.PlayerJoined) -> None:
    if not event.next_stage:
        facts.come(event.t, event.player_id)


def _eliminated(facts: Facts, state: MatchState, event: events.PlayersEliminated) -> None:
    facts.go(event.t, *event.players)


def _walked_out(facts: Facts, state: MatchState, event: events.PlayersLeft | events.EntrantsLeft) -> None:
    facts.walked_out += len(event.players)
    facts.go(event.t, *event.players)


def _retired(facts: Facts, state: MatchState, event: events.PlayerRetired) -> None:
    facts.walked_out += 1
    facts.go(event.t, event.player_id)


_NOTE: dict[type, Callable[[Facts, MatchState, Any], None]] = {
    events.MatchStarted: _started,
    events.StageOpened: Facts.open_stage,
    events.TablesSeated: Facts.seat,
    RoomsOpened: Facts.open_rooms,
    events.TablesPlaced: Facts.place,
    events.HandsStarted: Facts.start_hands,
    events.HandScored: Facts.score,
    events.RoundEnded: Facts.end_round,
    events.BoutEnded: Facts.end_bout,
    events.StageEnded: Facts.end_stage,
    events.MatchEnded: _ended,
    events.MatchHalted: _halted,
    events.RevivalOffered: _offered,
    events.PlayerRevived: _revived,
    events.EntrantAdmitted: _entered,
    events.LateEntered: _entered,
    events.PlayerJoined: _joined,
    events.PlayersEliminated: _eliminated,
    events.PlayersLeft: _walked_out,
    events.EntrantsLeft: _walked_out,
    events.PlayerRetired: _retired,
}
