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
    """A player registered in the match. Scores are those of the present stage.

    ``seatings`` (the player's own bout count, R-HI-06), ``mates`` (the table of the latest seating) and
    ``mates_before`` (the others at a few seatings before it, R-ME-04) are kept in a pool only. Nobody has a place
    who ``left`` an island or fell out of it; who is ``offered`` a revival has none yet (R-RV-01). Under duplicate
    scoring ``points`` are the sum over ``boards`` boards, of which ``open_boards`` may still change (R-DU-02).
    ``leaving`` players go when their bout is over (R-CS-01), and keep the place they earned. ``penalty`` is what
    directors have booked in this stage, before the start for the first one; score or points hold it already.
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
    mates_before: tuple[str, ...] = ()
    place: int | None = None
    out_in: str | None = None
    revivals: int = 0
    boards: int = 0
    open_boards: int = 0
    leaving: bool = False
    penalty: int = 0


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
    """Where a round is played. ``server_id`` None means that the table waits for a table server.

    ``hand_no`` and ``attempt_no`` name the hand in play or, when ``in_hand`` is false, the last one ordered.
    ``log`` is the action log of the hand in play; ``base_score`` is frozen for it (R-HI-08). ``dropped`` are those who
    left the game in its last hand (R-DM-03). ``redeals`` counts the fresh deals of the hand; ``released`` is a table
    that moves when its hand has ended. ``scores`` are what each hand counts for, in seat order, none for a void one.
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
    dropped: tuple[str, ...] = ()
    redeals: int = 0
    released: bool = False
    scores: list[tuple[int, ...]] = attrs.field(factory=list)


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
    """The stage in play. ``active`` are the players still in, in entry or rank order; ``pool`` those who wait, longest
    first; ``seated`` the open tables. By the clock ``time_up`` says that no hand of the bout starts any more, and
    ``boards`` are those of the bout.

    ``offers`` are the open offers of revival, the oldest first. In an island ``resting`` are those between two hands
    by their registration numbers, ``leaving`` those who go when their hand has ended, ``joining`` those who came too
    late for this stage, ``gone`` the scores of those who left it, ``fallen`` those it put out; ``ends_at_wall_ms`` is
    the Unix time of its end if that is a time of day. ``games`` are the records of a Dominion Swiss, ``joined`` the
    first bout of those who came late to it (R-DM-11). ``parted`` are the tables of the open bout whose rounds are over,
    ``voided`` those whose interrupted hand will not be played again and that have neither parted nor gone on yet.
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
    run: int = 1
    offers: dict[str, Offer] = attrs.field(factory=dict)
    resting: dict[int, str] = attrs.field(factory=dict)
    leaving: dict[str, None] = attrs.field(factory=dict)
    joining: dict[str, None] = attrs.field(factory=dict)
    gone: dict[str, int] = attrs.field(factory=dict)
    fallen: dict[str, None] = attrs.field(factory=dict)
    time_up: bool = False
    boards: dict[int, Board] = attrs.field(factory=dict)
    games: list[GameRecord] = attrs.field(factory=list)
    joined: dict[str, int] = attrs.field(factory=dict)
    ends_at_wall_ms: int | None = None
    parted: dict[int, PartedRound] = attrs.field(factory=dict)
    voided: dict[int, None] = attrs.field(factory=dict)


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
    """One match, from its opening to its last place. ``base_curve`` holds every base score with the match time it
    came into force; ``payments`` the player and offer each payment reference was used for. ``paused`` says why the
    match clock stands still; ``away`` are the players whose table says that they are gone (R-RC-01). ``wall_zero_ms``
    is what the wall clock would have said at match time 0, in a match that looks at it. ``zone`` and ``rosters`` are
    those of a ladder, which has its own state in ``ladder`` once it runs. With ``sweep_at`` closed tables those of long
    ago are forgotten. ``lobby`` has opened the match, ``lobbies`` entered those players whom another one did. ``dues``
    are the awards that wait to be confirmed, ``confirmed`` the keys of the others. ``said`` are the words of directors
    that count once, by their keys."""

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
    sweep_at: int = 1024
    timers: dict[str, int] = attrs.field(factory=dict)
    base_curve: list[tuple[int, int]] = attrs.field(factory=list)
    ranking: tuple[str, ...] = ()
    halted: str | None = None
    next_offer_no: int = 1
    payments: dict[str, tuple[str, int]] = attrs.field(factory=dict)
    payouts: list[Payout] = attrs.field(factory=list)
    zone: tuple[Offset, ...] = ()
    rosters: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    ladder: LadderState | None = None
    paused: str | None = None
    away: dict[str, None] = attrs.field(factory=dict)
    wall_zero_ms: int | None = None
    lobby: str = ""
    lobbies: dict[str, str] = attrs.field(factory=dict)
    dues: dict[str, Due] = attrs.field(factory=dict)
    confirmed: dict[str, None] = attrs.field(factory=dict)
    disqualified: dict[str, Disqualification] = attrs.field(factory=dict)
    said: dict[str, str] = attrs.field(factory=dict)

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
