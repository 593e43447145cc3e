"""A bout of fixed hands as it is played, and where it cuts: what :mod:`coordinator.simulation.certainty` looks at."""

import attrs

from coordinator.engine import events
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.formats import format_of
from coordinator.engine.numbers import Number
from coordinator.engine.stage_rules import placement_points, scored_quantity
from coordinator.engine.state import MatchState
from coordinator.engine.timelines.bouts import by_table
from coordinator.simulation.certainty import Line, TableOfBout, beyond_reach
from coordinator.simulation.habits import HandKind
from coordinator.simulation.hands import Kind, Swing, kind_for, swing


@attrs.define
class BoutOfHands:
    """The tables of a bout with what their players came with, their hands, and the most each hand could bring.

    ``idle`` is what those on a bye are ranked by.
    """

    stage: Stage
    kind: Kind
    brought: dict[int, tuple[int, ...]]
    points: dict[int, tuple[Number, ...]]
    scores: dict[int, list[tuple[int, ...]]]
    swings: dict[int, list[Swing]]
    idle: tuple[Number, ...]

    @classmethod
    def seated(
        cls, definition: MatchDefinition, hands: HandKind, state: MatchState, event: events.TablesSeated
    ) -> "BoutOfHands | None":
        """The bout that was just seated, where the stage puts anybody out by bouts of fixed hands."""
        stage, entrants = state.stage_rules, state.entrants
        if stage.round.type != "fixed_hands" or format_of(stage).elimination not in ("table", "field"):
            return None
        tables = dict(enumerate(event.tables, start=event.first_table_id))
        return cls(
            stage,
            kind_for(definition, stage, hands),
            {table_id: tuple(entrants[player].score for player in seats) for table_id, seats in tables.items()},
            {table_id: tuple(entrants[player].points for player in seats) for table_id, seats in tables.items()},
            {table_id: [] for table_id in tables},
            {table_id: [] for table_id in tables},
            tuple(scored_quantity(stage, entrants[player]) for player in event.byes),
        )

    def started(self, table_id: int, base_score: int) -> None:
        """A hand was ordered at this base score."""
        self.swings[table_id].append(swing(self.kind, self.stage.table_size, base_score))

    def scored(self, table_id: int, scores: tuple[int, ...]) -> None:
        """A hand counts."""
        self.scores[table_id].append(scores)

    def ended(self, event: events.BoutEnded) -> list[tuple[int, int]]:
        """By hand: how many were played, and how many of them could no longer change who is cut.

        Nothing where the bout cuts nobody, or where a table did not play all its hands.
        """
        hands = self.stage.round.hands
        if not event.out or any(len(played) != hands for played in self.scores.values()):
            return []
        tables = [
            TableOfBout(self.brought[table_id], self.points[table_id], tuple(played), tuple(self.swings[table_id]))
            for table_id, played in self.scores.items()
        ]
        found = beyond_reach(tables, self._line(event), hands)
        return [(len(tables), each) for each in found]

    def _line(self, event: events.BoutEnded) -> Line:
        stage, size = self.stage, self.stage.table_size
        by_points = stage.scoring == "placement"
        placement: tuple[Number, ...] = placement_points(stage) if by_points else ()
        if not by_table(stage, event.bout_no):
            return Line(False, len(event.ranking), None, placement, by_points, self.idle)
        if stage.advance_per_table != "half":
            return Line(True, stage.advance_per_table, None, placement, by_points)
        tables = len(self.scores)
        between = (tables if stage.half_rounding == "floor" else tables + 1) // 2
        return Line(True, size // 2, between if size % 2 else None, placement, by_points)
