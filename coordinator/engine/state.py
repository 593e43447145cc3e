"""What a match knows. Plain records in plain dicts, whose order of insertion is part of the state.

The state belongs to one desk. It changes in :mod:`coordinator.engine.evolution` and nowhere else, so that folding the
events of a journal gives it again.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

import attrs

from coordinator.engine.definition import MatchDefinition, Pack, Stage
from coordinator.engine.dominion import GameRecord
from coordinator.engine.dues import Due
from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.records import LadderState
from coordinator.engine.ladder.wall_time import Offset

Status = Literal["new", "registering", "running", "over", "halted"]
EntrantState = Literal[
    "registered", "waiting", "playing", "bye", "out", "done", "offered", "resting", "joining", "left"
]
HandResult = tuple[int, tuple[int, ...]]
"""A hand that counts: its attempt and the reported scores in seat order, which a second report is compared with.

A pair and no class: they are most of a state, and a snapshot writes them all.
"""
Parked = tuple[int, tuple[int, ...]]
"""A result that conflicts with the one that counts: hand number and reported scores in seat order."""


@attrs.define
class Entrant:
    """A player registered in the match. Scores are those of the present stage."""

    player_id: str
    name: str
    reg_seq: int
    state: EntrantState = "registered"
    score: int = 0
    points: int | Fraction = 0
    """Placement or main points; under duplicate scoring the sum over ``boards``."""
    last_hand: int = 0
    """What the latest hand was worth, for ties (R-TB-01)."""
    seatings: int = 0
    """The player's own bout count, kept in a pool only (R-HI-06)."""
    waiting_since: int = 0
    """By the match clock."""
    table_id: int | None = None
    mates: tuple[str, ...] = ()
    """Everybody at the table of the latest seating, kept in a pool only."""
    mates_before: tuple[str, ...] = ()
    """The others at a few seatings before it, the newest first (R-ME-04)."""
    place: int | None = None
    """None while it is open: who left an island or fell out of it has none, who is offered a revival has none yet."""
    out_in: str | None = None
    """The id of the stage the player is out of."""
    revivals: int = 0
    boards: int = 0
    """The boards that ``points`` are of (R-DU-02)."""
    open_boards: int = 0
    """So many of them may still change."""
    leaving: bool = False
    """Goes when the bout is over, and keeps the place that is earned by then (R-CS-01)."""
    penalty: int = 0
    """What directors have booked in this stage, before the start for the first; score or points hold it already."""


@frozen
class Offer:
    """An offer of revival that is open (R-RV-01)."""

    offer_no: int
    due: int
    fee: int
    score: int
    packs: tuple[Pack, ...]


@frozen
class Payout:
    """What the platform owes a player: units of currency for a score, or the items of a place (R-IS-01, R-IS-03).

    Its number never changes, so that a platform which is told twice pays once.
    """

    payout_no: int
    stage_id: str
    player_id: str
    score: int
    units: int = 0
    place: int | None = None
    items: dict[str, int] = attrs.field(factory=dict)
    reason: Literal["asked", "rest_over"] = "asked"


@attrs.define
class Table:
    """Where a round is played."""

    table_id: int
    stage_no: int
    bout_no: int
    seats: tuple[str, ...]
    totals: list[int]
    """What each seat has scored in this round."""
    server_id: str | None = None
    """The table server that owns it; None means that it waits for one."""
    life: str = ""
    """Which life of the server that is: one that comes back without its memory has another."""
    epoch: int = 0
    hand_no: int = 0
    """The hand in play or, when ``in_hand`` is false, the last one ordered."""
    attempt_no: int = 0
    in_hand: bool = False
    interrupted: bool = False
    base_score: int = 0
    """Of the hand in play, frozen at its start (R-HI-08)."""
    heard_at: int = 0
    """When its server last said something of it, by the match clock (R-HI-06)."""
    log: list[int | str] = attrs.field(factory=list)
    """The actions of the hand in play (R-RC-02)."""
    results: list[HandResult] = attrs.field(factory=list)
    parked: list[Parked] = attrs.field(factory=list)
    dropped: tuple[str, ...] = ()
    """Who left the game in the last hand (R-DM-03)."""
    redeals: int = 0
    """Fresh deals of the hand in play."""
    released: bool = False
    """It moves to another server when the hand in play has ended."""
    scores: list[tuple[int, ...]] = attrs.field(factory=list)
    """What each hand counts for, in seat order; empty for a void one."""


@attrs.define
class PartedRound:
    """A round that is over in a bout that is not, kept so that a director's word can put it right.

    ``hand_no`` is the last hand that was begun, ``scores`` are those of :class:`Table`. ``places`` and ``points`` are
    in seat order; ``dropped`` left the game of themselves (R-DM-03).
    """

    hand_no: int
    scores: list[tuple[int, ...]]
    places: tuple[int, ...]
    points: tuple[int | Fraction, ...]
    dropped: tuple[str, ...]


@attrs.define
class ClosedTable:
    """A table whose round is over, kept for a while so that a repeated report gets its stored verdict."""

    seats: tuple[str, ...]
    server_id: str | None
    epoch: int
    results: list[HandResult]
    parked: list[Parked]
    dropped: tuple[str, ...] = ()
    closed_at: int = 0


@attrs.define
class BoardRow:
    """One table's result of a board in seat order; ``points`` None while too few tables have played it (R-DU-02)."""

    seats: tuple[str, ...]
    scores: tuple[int, ...]
    points: tuple[int | Fraction, ...] | None = None


@attrs.define
class Board:
    """A board and who has played it. ``datums`` are by direction; a closed board keeps them and drops its rows."""

    board_no: int
    rows: list[BoardRow] = attrs.field(factory=list)
    datums: tuple[int | Fraction, ...] = ()
    closed: bool = False


@attrs.define
class StageState:
    """The stage in play. Times are those of the match clock."""

    stage_no: int
    opened_at: int
    active: dict[str, None]
    """The players still in, in the order of entry or rank."""
    base_score: int
    entrants: int
    """How many ever entered it."""
    bout_no: int = 0
    tick: int = 0
    """The latest rise of the base score (R-ME-03)."""
    hands: int = 0
    draining: bool = False
    pool: dict[str, None] = attrs.field(factory=dict)
    """Who waits for a table, the longest first."""
    byes: tuple[str, ...] = ()
    byes_had: dict[str, int] = attrs.field(factory=dict)
    bout_places: dict[str, int] = attrs.field(factory=dict)
    """The place at the table of everybody whose round of this bout is over; of no use to a pool."""
    tables_in_bout: int = 0
    finished: bool = False
    ranking: tuple[str, ...] = ()
    survivors: int = 0
    """How many of the ranking were not out at the end."""
    advancing: int = 0
    run: int = 1
    """How often a stage that loops has begun (R-IS-01)."""
    offers: dict[str, Offer] = attrs.field(factory=dict)
    """The open offers of revival, the oldest first."""
    resting: dict[int, str] = attrs.field(factory=dict)
    """In an island: who rests between two hands, by registration number (R-IS-05)."""
    leaving: dict[str, None] = attrs.field(factory=dict)
    """In an island: who goes when the hand in play has ended (R-IS-03)."""
    joining: dict[str, None] = attrs.field(factory=dict)
    """In an island: who came too late for it and enters the next (R-IS-02)."""
    gone: dict[str, int] = attrs.field(factory=dict)
    """In an island: the scores of those who left it."""
    fallen: dict[str, None] = attrs.field(factory=dict)
    """In an island: who was put out of it."""
    time_up: bool = False
    """By the clock: no hand of the bout starts any more."""
    boards: dict[int, Board] = attrs.field(factory=dict)
    """By the clock: those of the bout, by number."""
    games: list[GameRecord] = attrs.field(factory=list)
    """In a Dominion Swiss: every game, and every bye."""
    joined: dict[str, int] = attrs.field(factory=dict)
    """In a Dominion Swiss: the first bout of each who came late (R-DM-11)."""
    ends_at_wall_ms: int | None = None
    """When an island ends by a time of day: Unix time in milliseconds (R-IS-01)."""
    parted: dict[int, PartedRound] = attrs.field(factory=dict)
    """The tables of the open bout whose rounds are over."""
    voided: dict[int, None] = attrs.field(factory=dict)
    """Tables whose interrupted hand will not be played again, and that have neither parted nor gone on yet."""


@frozen
class Disqualification:
    """Who is disqualified stands here and nowhere else. ``was_in``: the player was in the stage in play, its ``run``
    and its ``bout_no``."""

    reason: str
    was_in: bool
    stage_no: int
    run: int
    bout_no: int


@attrs.define
class MatchState:
    """One match, from its opening to its last place. Times are those of the match clock."""

    match_id: str = ""
    definition: MatchDefinition | None = None
    status: Status = "new"
    seed: str = ""
    """Of every draw; ``draw_counter`` is how far it is used up."""
    secret: str = ""
    """Of every deal; ``commitment`` is its published hash."""
    commitment: str = ""
    draw_counter: int = 0
    next_reg_seq: int = 1
    next_table_id: int = 1
    hands: int = 0
    entrants: dict[str, Entrant] = attrs.field(factory=dict)
    stage: StageState | None = None
    tables: dict[int, Table] = attrs.field(factory=dict)
    closed_tables: dict[int, ClosedTable] = attrs.field(factory=dict)
    sweep_at: int = 1024
    """With so many closed tables those of long ago are forgotten."""
    timers: dict[str, int] = attrs.field(factory=dict)
    """What is due when, by the names of :mod:`coordinator.engine.timers`."""
    base_curve: list[tuple[int, int]] = attrs.field(factory=list)
    """Every base score with the time it came into force."""
    ranking: tuple[str, ...] = ()
    halted: str | None = None
    """Why the match cannot go on."""
    next_offer_no: int = 1
    payments: dict[str, tuple[str, int]] = attrs.field(factory=dict)
    """The player and the offer each payment reference was used for."""
    payouts: list[Payout] = attrs.field(factory=list)
    zone: tuple[Offset, ...] = ()
    """Of a ladder: the offsets of its time zone."""
    rosters: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    """Of a ladder: the players of each team."""
    ladder: LadderState | None = None
    """Of a ladder, once it runs."""
    paused: str | None = None
    """Why the match clock stands still."""
    away: dict[str, None] = attrs.field(factory=dict)
    """The players whose table says that they are gone (R-RC-01)."""
    wall_zero_ms: int | None = None
    """What the wall clock would have said at match time 0, in a match that looks at it."""
    lobby: str = ""
    """Who opened the match; nobody for a match of a tourney."""
    lobbies: dict[str, str] = attrs.field(factory=dict)
    """Who entered the players that another lobby did."""
    owes_payouts: bool = False
    """Whether payouts are dues as well, told until they are confirmed."""
    dues: dict[str, Due] = attrs.field(factory=dict)
    """The awards and payouts that wait to be confirmed, by their keys."""
    confirmed: dict[str, None] = attrs.field(factory=dict)
    """The keys of the others."""
    disqualified: dict[str, Disqualification] = attrs.field(factory=dict)
    said: dict[str, str] = attrs.field(factory=dict)
    """What the keys stand for under which a request counts once."""

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


Changes = Mapping[type, Callable[[MatchState, Any], None]]
"""How events change the state: by the class of each, what applies it."""
