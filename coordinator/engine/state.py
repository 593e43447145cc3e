"""What a match knows. Plain records in plain dicts, whose order of insertion is part of the state.

The state belongs to one desk. It changes in :mod:`coordinator.engine.evolution` and nowhere else, so that folding the
events of a journal gives it again.
"""

from fractions import Fraction
from typing import Literal

import attrs

from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.dominion import GameRecord
from coordinator.engine.frozen import frozen

Status = Literal["new", "registering", "running", "over", "halted"]
EntrantState = Literal["registered", "waiting", "playing", "bye", "out", "done"]
Parked = tuple[int, tuple[int, ...]]
"""A result that conflicts with the one that counts: hand number and reported scores in seat order."""


@attrs.define
class Entrant:
    """A player registered in the match. Scores are those of the present stage.

    ``seatings`` (the player's own bout count, R-HI-06) and ``mates`` (the table-mates of the latest seating, R-ME-04)
    are kept in a pool only.
    """

    player_id: str
    name: str
    reg_seq: int
    state: EntrantState = "registered"
    score: int = 0
    points: int | Fraction = 0
    last_hand: int = 0
    seatings: int = 0
    waiting_since: int = 0
    table_id: int | None = None
    mates: tuple[str, ...] = ()
    place: int | None = None
    out_in: str | None = None


@frozen
class HandResult:
    """A hand that counts, as it was reported (seat order): what a second report of it is compared with."""

    attempt_no: int
    reported: tuple[int, ...]
    dropped: tuple[str, ...] = ()


@attrs.define
class Table:
    """Where a round is played. ``server_id`` None means that the table waits for a table server.

    ``hand_no`` and ``attempt_no`` name the hand in play or, when ``in_hand`` is false, the last one ordered.
    ``log`` is the action log of the hand in play; ``base_score`` is frozen for it (R-HI-08).
    """

    table_id: int
    stage_no: int
    bout_no: int
    seats: tuple[str, ...]
    totals: list[int]
    server_id: str | None = None
    life: str = ""
    epoch: int = 0
    hand_no: int = 0
    attempt_no: int = 0
    in_hand: bool = False
    interrupted: bool = False
    base_score: int = 0
    heard_at: int = 0
    log: list[int | str] = attrs.field(factory=list)
    results: list[HandResult] = attrs.field(factory=list)
    parked: list[Parked] = attrs.field(factory=list)


@attrs.define
class ClosedTable:
    """A table whose round is over, kept so that a repeated report gets its stored verdict."""

    seats: tuple[str, ...]
    server_id: str | None
    epoch: int
    results: list[HandResult]
    parked: list[Parked]


@attrs.define
class StageState:
    """The stage in play. ``active`` are the players still in, in entry or rank order; ``pool`` those who wait, longest
    first; ``seated`` the open tables.

    ``games`` are the records of a Dominion Swiss, ``joined`` the first bout of those who came late to it (R-DM-11).
    """

    stage_no: int
    opened_at: int
    active: dict[str, None]
    base_score: int
    entrants: int
    bout_no: int = 0
    tick: int = 0
    hands: int = 0
    draining: bool = False
    pool: dict[str, None] = attrs.field(factory=dict)
    byes: tuple[str, ...] = ()
    byes_had: dict[str, int] = attrs.field(factory=dict)
    bout_places: dict[str, int] = attrs.field(factory=dict)
    tables_in_bout: int = 0
    finished: bool = False
    ranking: tuple[str, ...] = ()
    survivors: int = 0
    advancing: int = 0
    games: list[GameRecord] = attrs.field(factory=list)
    joined: dict[str, int] = attrs.field(factory=dict)


@attrs.define
class MatchState:
    """One match, from its opening to its last place. ``base_curve`` holds every base score with the match time it
    came into force."""

    match_id: str = ""
    definition: MatchDefinition | None = None
    status: Status = "new"
    seed: str = ""
    secret: str = ""
    commitment: str = ""
    draw_counter: int = 0
    next_reg_seq: int = 1
    next_table_id: int = 1
    hands: int = 0
    entrants: dict[str, Entrant] = attrs.field(factory=dict)
    stage: StageState | None = None
    tables: dict[int, Table] = attrs.field(factory=dict)
    closed_tables: dict[int, ClosedTable] = attrs.field(factory=dict)
    timers: dict[str, int] = attrs.field(factory=dict)
    base_curve: list[tuple[int, int]] = attrs.field(factory=list)
    ranking: tuple[str, ...] = ()
    halted: str | None = None

    @property
    def rules(self) -> MatchDefinition:
        """The definition of an opened match."""
        assert self.definition is not None, "a match has its definition from its first event on"
        return self.definition

    @property
    def current(self) -> StageState:
        """The stage in play."""
        assert self.stage is not None, "a running match has a stage"
        return self.stage

    @property
    def stage_rules(self) -> Stage:
        """The definition of the stage in play."""
        definition, stage = self.definition, self.stage
        assert definition is not None, "a match has its definition from its first event on"
        assert stage is not None, "a running match has a stage"
        return definition.stages[stage.stage_no]
