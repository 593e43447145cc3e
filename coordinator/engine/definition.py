"""What an organiser writes: a match as phases of stages, each a choice of the ten mechanisms (R-ST-01 to R-ST-03).

These classes hold the words of a definition file with their defaults; :mod:`coordinator.engine.checks.match` says
what is wrong with one. Durations are milliseconds here (files say seconds), ratios are exact fractions, scores are
integers.

Implements R-HI-03, R-ST-01.
"""

from fractions import Fraction
from typing import Literal

import attrs

FormatName = Literal["default", "knockout", "swiss_shift", "melee", "island", "continuous_swiss", "swiss_1v1", "ladder"]
EventClass = Literal["regular", "championship", "swiss"]

IMP_SCALE = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""R-BL-14: the least differences worth 1, 2, … 24 international match points."""


@attrs.frozen
class PlayerState:
    """Initial player state of a stage: every entrant starts with this score, plus what is carried in."""

    score: int = 0


@attrs.frozen
class GameState:
    """Initial game state of a stage: the base score its first hands are played at."""

    base_score: int = 1


@attrs.frozen
class Round:
    """How long the same players stay at one table: R-RF-01 (fixed hands) or R-RT-01 (target).

    ``sides`` names the side of each seat of a target round where partners play together; empty, every seat of a table
    of two is its own.
    """

    type: Literal["fixed_hands", "target"] = "fixed_hands"
    hands: int = 1
    target: int | None = None
    max_hands: int | None = None
    sides: tuple[str, ...] = ()


@attrs.frozen
class Grouping:
    """How tables are formed (R-GR-01 to R-GR-05). ``kind`` None takes the format's default for each bout.

    ``shuttle_size`` and ``max_wait_ms`` belong to a pool (R-ME-04). ``seat_order`` None means by rank for ranked
    grouping and drawn for random grouping (R-GR-05).
    """

    kind: Literal["swiss", "snake", "ui", "random", "direct"] | None = None
    direction: Literal["serpentine", "straight"] = "serpentine"
    shuttle_size: int | None = None
    max_wait_ms: int = 30_000
    seat_order: Literal["rank", "random"] | None = None


@attrs.frozen
class BaseGrowth:
    """How the base score rises (R-ME-03): the tick is counted by time since the stage began or by its scored hands."""

    kind: Literal["none", "arith", "geometric", "table"] = "none"
    by: Literal["time", "hands"] = "time"
    every_ms: int = 120_000
    every_hands: int = 100
    add: int | None = None
    add_step: int = 0
    ratio: Fraction = Fraction(1)
    values: tuple[int, ...] = ()
    max_base: int | None = None


@attrs.frozen
class Elimination:
    """The line of a melee (R-ME-02): a share of the base score or an absolute score, exactly one of the two."""

    kind: Literal["score"] = "score"
    ratio_of_base: Fraction | None = None
    absolute: int | None = None
    compare: Literal["lt", "le"] = "lt"


@attrs.frozen
class Cut:
    """How many the whole field loses after a bout (R-SW-02). ``none`` leaves the bout to the format's own rule."""

    mode: Literal["none", "fixed", "percent", "keep"] = "none"
    value: Fraction = Fraction(0)


@attrs.frozen
class End:
    """When a pool ends (R-ME-05): below so many players, after so long; and how many of the survivors advance."""

    remaining_below: int | None = None
    advance_count: int | None = None
    max_ms: int | None = None


@attrs.frozen
class CarryOut:
    """Score taken into the next stage (R-CA-03, R-CA-04)."""

    mode: Literal["none", "divide", "full", "sqrt", "sqrt_median"] = "sqrt"
    divisor: int = 1
    coef: Fraction = Fraction(1)
    base: int = 0
    cap: int | None = None


@attrs.frozen
class Pack:
    """R-RV-05: a score an eliminated player may come back with, and what it costs."""

    score: int
    cost: int


@attrs.frozen
class Revival:
    """How an eliminated player may come back for a fee (R-RV-01 to R-RV-06).

    ``mode`` says how the fee is found: from a list, from the number of players left (linear or exponential), or by the
    packs on sale (direct). ``score_after`` "initial" is the score a newcomer of the stage gets.
    """

    mode: Literal["list", "linear", "exponential", "direct"]
    fee_kind: Literal["coin", "item"] = "coin"
    item_id: str | None = None
    fees: tuple[int, ...] = ()
    base_fee: int | None = None
    slope: Fraction = Fraction(4)
    packs: tuple[Pack, ...] = ()
    max_times: int | None = None
    offer_ms: int = 15_000
    score_after: int | Literal["initial"] = "initial"
    until_players: int | None = None
    until_ms: int | None = None


@attrs.frozen
class Island:
    """What only an island has (R-IS-01 to R-IS-05).

    It lasts ``duration_ms``, or until the wall clock says ``end_at``, a time of day like "21:00+08:00"; exactly one of
    the two. ``next`` is the island that follows; None, the next one of the match. ``entry_score`` None is the initial
    score of the stage. ``exchange_rate`` is how much score one unit of currency costs a player who cashes out.
    ``rest_ms`` None: nobody rests between hands. With ``loop`` the stage is played again and again, ``loop_count``
    times in all; None never ends.
    """

    duration_ms: int | None = None
    end_at: str | None = None
    next: str | None = None
    end_policy: Literal["drain", "snapshot"] = "drain"
    drain_max_ms: int = 300_000
    entry_score: int | None = None
    rejoin: Literal["fresh", "keep"] = "fresh"
    leave_processing: Literal["forfeit", "cash_out", "keep"] = "cash_out"
    exchange_rate: int = 1
    rest_ms: int | None = None
    loop: bool = False
    loop_count: int | None = None


@attrs.frozen
class Reward:
    """What the places ``first`` to ``last`` receive; a band beyond the field is ignored (R-HI-03).

    Each place receives the ``items``; a ``shared`` band divides them among its places, the better ones first.
    """

    first: int
    last: int
    items: dict[str, int]
    shared: bool = False


@attrs.frozen
class Clock:
    """Bouts by the clock (R-CS-01). ``boards_per_bout`` None takes the hands of the round.

    A board in play when the bout's time is up is void after ``grace_ms``, or played to its end (``finish``).
    """

    bout_ms: int = 1_200_000
    boards_per_bout: int | None = None
    late_entry: bool = True
    unfinished_board: Literal["void", "finish"] = "void"
    grace_ms: int = 60_000


@attrs.frozen
class Datum:
    """How the results of a board are averaged (R-DU-02): a share trimmed at each end, or the same number everywhere."""

    trim_fraction: Fraction = Fraction(1, 4)
    trim_fixed: int | None = None
    round: int = 0


@attrs.frozen
class Duplicate:
    """How the same board at many tables is compared (R-DU-01 to R-DU-05).

    ``directions`` names the direction of each seat where partners share one; empty, every seat is its own.
    """

    scale: Literal["sp", "imp", "raw"] = "sp"
    datum: Datum = Datum()
    min_results: int = 2
    closes_at: int = 40
    required_boards: int | None = None
    directions: tuple[str, ...] = ()


Cause = Literal["server_lost", "restart", "outage", "aborted", "seat_gone"]
"""Why a hand is interrupted: its table server stays away, stays away after a restart of the coordinator, went together
with many others, gave the table back, or gave it back because a player is gone."""

Policy = Literal["repeat", "redeal", "resume", "void", "average", "let_stand"]
"""What becomes of an interrupted hand, see :mod:`coordinator.engine.interruption`."""


@attrs.frozen
class Interruption:
    """The policy for each cause of an interruption (R-RC-02)."""

    server_lost: Policy = "repeat"
    restart: Policy = "repeat"
    outage: Policy = "repeat"
    aborted: Policy = "repeat"
    seat_gone: Policy = "repeat"


@attrs.frozen
class MainPoints:
    """What a bout of a Dominion Swiss is worth (R-DM-03). ``absent`` is a bout missed before joining."""

    win: int = 3
    default_win: int = 3
    opp_drop: int = 3
    draw: int = 2
    loss: int = 1
    drop: int = -1
    absent: int = 0


TieElement = Literal[
    "last_hand",
    "registration",
    "swiss_rank",
    "main_sum",
    "opp_main_mean",
    "sub_mean",
    "opp_sub_mean",
    "entry_order",
]
"""What a tie chain may name: R-TB-03, R-DM-12 (``swiss_rank``) and R-DM-05 (the last five)."""


@attrs.frozen
class Hours:
    """Times of day, written ``18:00``: from the first on, before the last. ``24:00`` is midnight."""

    first: str = "18:00"
    last: str = "24:00"


@attrs.frozen
class Rating:
    """How the ratings of a ladder's teams move (R-RA-01 to R-RA-03)."""

    k: int = 32
    established_after: int = 28
    provisional_model: Literal["ics", "elo_only"] = "ics"
    win_value: int = 400
    prov_value: int = 200


@attrs.frozen
class Ladder:
    """The bridge challenge ladder (R-BL-01 to R-BL-14, R-RA, R-RC-02 to R-RC-05). It goes by the wall clock.

    ``windows`` names the ranks that rank 2, 3, … may challenge; below its last line the rule's own formula decides
    (R-BL-02). ``initial_rank`` are teams by the final ranking of an earlier event, before all others, who follow in the
    order they registered (R-BL-01). ``week_ms`` None is the calendar's week; a number counts weeks from the start of
    the ladder. ``pick_ms`` None: the challenger must pick by the earliest of the times offered (R-BL-06).
    ``duration_ms`` None: a director closes it.
    """

    tz: str = "Asia/Shanghai"
    initial_rank: tuple[str, ...] = ()
    windows: tuple[tuple[int, ...], ...] = ()
    week_starts: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] = "mon"
    week_ms: int | None = None
    top_phase_ms: int = 86_400_000
    slots: int = 4
    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...] = ("mon", "tue", "wed", "thu", "fri")
    hours: Hours = Hours()
    reply_ms: int = 259_200_000
    complete_ms: int = 604_800_000
    pick_ms: int | None = None
    checkin_before_ms: int = 1_800_000
    checkin_after_ms: int = 1_800_000
    late_ms: int = 900_000
    min_registered: int = 3
    max_unregistered: int = 1
    roster_changes: int = 2
    appeal_ms: int = 86_400_000
    drop_limit: int = 3
    replay: Literal["auto", "manual"] = "auto"
    replay_extension_ms: int = 604_800_000
    imp_scale: tuple[int, ...] = IMP_SCALE
    rating: Rating = Rating()
    duration_ms: int | None = None


@attrs.frozen
class Stage:
    """One stage: players in, ranking out (R-HI-05). The six required mechanisms have no default of their own."""

    id: str
    format: FormatName
    table_size: int
    round: Round
    grouping: Grouping
    leave: Literal["forbidden", "allowed"]
    score_processing: Literal["none", "per_round"]
    initial_player_state: PlayerState
    initial_game_state: GameState
    title: str = ""
    # optional mechanisms
    elimination: Elimination | None = None
    rerank: bool | None = None
    intervention: bool = False
    join: Literal["none", "any_time"] = "none"
    # scoring (R-SC)
    scoring: Literal["total", "placement", "duplicate"] = "total"
    placement_points: tuple[int, ...] | None = None
    tied_places: Literal["break", "share"] = "break"
    report: Literal["delta", "multiple"] = "delta"
    min_payment: bool = False
    platform_fee: Fraction = Fraction(0)
    winner_cap: Literal["per_payer", "total"] = "per_payer"
    tie_chain: tuple[TieElement, ...] | None = None
    # carry and byes
    bye_points: Fraction | None = None
    bye_delta: int = 0
    bye_policy: Literal["fewest_then_lowest"] = "fewest_then_lowest"
    round_carry_pct: int = 100
    carry_out: CarryOut = CarryOut()
    # bouts
    bouts: int | Literal["until_done"] | None = None
    cut: Cut | None = None
    cuts: tuple[Cut, ...] = ()
    percent_round: Literal["out_floor", "keep_floor"] = "out_floor"
    advance_per_table: int | Literal["half"] = 1
    half_rounding: Literal["floor", "ceil"] = "floor"
    align_to_table: bool = False
    # pool
    base_growth: BaseGrowth = BaseGrowth()
    hands_per_seating: int | Literal["until_elimination"] | None = None
    regroup: Literal["random", "swiss"] = "random"
    end: End = End()
    # clock
    clock: Clock = Clock()
    duplicate: Duplicate = Duplicate()
    # Dominion Swiss
    main_points: MainPoints = MainPoints()
    rematch: Literal["avoid", "allow"] = "avoid"
    late_until_round: int | None = None
    top_cut: int | None = None
    # tables
    table_timeout_ms: int = 900_000
    interruption: Interruption = Interruption()
    offline_out_at_stage_end: bool = False
    game_attrs: dict[str, str] = attrs.field(factory=dict)
    # coming back, coming and going
    revival: Revival | None = None
    island: Island | None = None
    ladder: Ladder | None = None
    rewards: tuple[Reward, ...] = ()

    @property
    def seating_hands(self) -> int | None:
        """Hands one seating of a pool lasts at most; None is until somebody is out (R-AS-01)."""
        if self.hands_per_seating == "until_elimination":
            return None
        return self.round.hands if self.hands_per_seating is None else self.hands_per_seating

    def cut_of(self, bout_no: int) -> Cut:
        """R-SW-02: the cut of a bout, one of its own or that of all."""
        return self.cuts[bout_no - 1] if bout_no <= len(self.cuts) else self.cut or Cut()

    @property
    def bout_boards(self) -> int:
        """Boards a table plays in one bout by the clock (R-CS-01)."""
        return self.round.hands if self.clock.boards_per_bout is None else self.clock.boards_per_bout


@attrs.frozen
class Phase:
    """A named part of a match with its game attributes; where both say something, the stage wins (R-HI-04)."""

    id: str
    stages: tuple[Stage, ...]
    title: str = ""
    game_attrs: dict[str, str] = attrs.field(factory=dict)


@attrs.frozen
class Start:
    """When registration closes and play begins (R-HI-02, R-HI-03)."""

    mode: Literal["when_full", "manual"] = "when_full"
    full_count: int | None = None
    min_players: int = 2


class _Listing:
    """Room to remember the list of stages, which every hand asks for. No field: neither compared nor journaled."""

    __slots__ = ("_listed",)
    _listed: tuple[Stage, ...]


@attrs.frozen
class MatchDefinition(_Listing):
    """One concrete competition as an organiser defines it (R-HI-03)."""

    id: str
    game: str
    phases: tuple[Phase, ...]
    title: str = ""
    description: str = ""
    start: Start = Start()
    event_class: EventClass = "regular"
    zero_sum: bool = True
    rewards: tuple[Reward, ...] = ()

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All stages in playing order."""
        try:
            return self._listed
        except AttributeError:
            listed = tuple(stage for phase in self.phases for stage in phase.stages)
            object.__setattr__(self, "_listed", listed)
            return listed

    def placed(self) -> list[tuple[str, Stage]]:
        """All stages in playing order, each with the path by which mistakes name it."""
        return [
            (f"phases[{phase_no}].stages[{stage_no}]", stage)
            for phase_no, phase in enumerate(self.phases)
            for stage_no, stage in enumerate(phase.stages)
        ]

    def phase_of(self, stage_no: int) -> Phase:
        """The phase that the stage with this index (from 0) belongs to."""
        for phase in self.phases:
            if stage_no < len(phase.stages):
                return phase
            stage_no -= len(phase.stages)
        raise IndexError(stage_no)
