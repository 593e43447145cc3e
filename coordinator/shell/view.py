"""What may be read of a running daemon from outside, and ordered: the whole of what `coordinator.web` knows about us.

Every answer is a fresh, JSON-ready picture: dicts, lists, strings, numbers, booleans and None, and nothing that a
reader could change. Times of day are milliseconds since 1970 (``at_ms``), times of a match are milliseconds of its own
clock (``t_ms``), durations are named by their unit. Scores are integers; exact averages come as text (``points``).
"""

from collections.abc import Mapping
from typing import Literal, NotRequired, Protocol, TypedDict

StageProgress = Literal["done", "now", "next"]
ClockLabel = Literal["base rises", "shuttle leaves", "stage ends", "bout ends", "boards are cut", "next deadline"]
PlayerProgress = Literal[
    "playing",
    "waiting",
    "bye",
    "out",
    "registered",
    "done",
    "offered",
    "resting",
    "joining",
    "left",
    "disqualified",
]
EventKind = Literal["hand", "base", "out", "bout", "stage", "server", "repeat", "alarm", "match", "ruling"]


class JournalView(TypedDict):
    """The journal and what it has taken so far; ``oldest_ms`` is how long the oldest waiting record has waited."""

    url: str
    backlog: int
    commits: int
    records: int
    oldest_ms: int


class SessionCounts(TypedDict):
    """Sessions with a peer on the other end, by role."""

    table: int
    lobby: int
    spectator: int


class MatchCounts(TypedDict):
    """Matches by status."""

    registering: int
    running: int
    over: int
    halted: int


class CheckView(TypedDict):
    """One condition of readiness; ``detail`` says in a sentence how it stands."""

    name: str
    ok: bool
    detail: str


class StatusView(TypedDict):
    """The daemon as a whole. ``listen`` and ``http`` are the two addresses, ``host:port``."""

    version: str
    uptime_s: float
    listen: str
    http: str
    journal: JournalView
    sessions: SessionCounts
    matches: MatchCounts
    ready: bool
    checks: list[CheckView]


class MatchSummary(TypedDict):
    """One line about a match. ``remaining`` are the players still in; ``hands`` the hands scored so far."""

    match_id: str
    definition: str
    title: str
    game: str
    status: str
    stage_id: str | None
    stage_title: str | None
    format: str | None
    bout_no: int
    players: int
    remaining: int
    hands: int
    base_score: int


class StageView(TypedDict):
    """One stage on the way from registration to the last place."""

    id: str
    title: str
    format: str
    phase: str
    state: StageProgress


class ClockView(TypedDict):
    """What happens next by itself: after a time or after a number of hands. ``label`` None: nothing is due."""

    label: ClockLabel | None
    in_ms: int | None
    in_hands: int | None


class StandingView(TypedDict):
    """One line of the standings, in the order of rank. ``table_id`` None: not seated at present."""

    rank: int
    player_id: str
    name: str
    score: int
    points: str | None
    state: PlayerProgress
    table_id: int | None


class SeatView(TypedDict):
    """Who sits at a table, with the score of the round played there."""

    player_id: str
    name: str
    score: int


class TableView(TypedDict):
    """One open table, players in the order of seats. ``server_id`` None: it waits for a table server.

    ``attempt_no`` above 1 means that the hand is being repeated; ``actions`` counts what was reported of the hand.
    """

    table_id: int
    server_id: str | None
    epoch: int
    hand_no: int
    attempt_no: int
    in_hand: bool
    interrupted: bool
    base_score: int
    actions: int
    players: list[SeatView]


class PlaceView(TypedDict):
    """One line of the final result. ``out_in`` names the stage that the player did not survive, None for the rest."""

    place: int
    player_id: str
    name: str
    score: int
    out_in: str | None
    disqualified: bool


class MatchEventView(TypedDict):
    """One thing that happened, told in a sentence. ``no`` grows along the match."""

    no: int
    t_ms: int
    kind: EventKind
    text: str


class MatchView(MatchSummary):
    """All that the live page of a match shows.

    ``halted`` says why the match stands still, None while it does not. ``bouts`` is the number of bouts planned, None
    where that is open. ``byes`` are names, ``waiting`` the players without a seat. ``draining``: no new hands start.
    ``base_curve`` are the steps ``(t_ms, base)`` that the base score has taken so far, ``base_scores`` their heights,
    and ``t_ms`` is the match clock now. ``standings`` and ``tables`` may be cut: the totals tell.
    ``places`` is empty until the match is over. ``events`` come newest first. ``secret`` opens the
    ``deal_commitment`` when the match is over; ``owed`` counts the awards that no lobby has confirmed.
    """

    halted: str | None
    stages: list[StageView]
    bouts: int | None
    waiting: int
    byes: list[str]
    draining: bool
    base_scores: list[int]
    base_curve: list[tuple[int, int]]
    t_ms: int
    clock: ClockView
    standings: list[StandingView]
    standings_total: int
    tables: list[TableView]
    tables_total: int
    places: list[PlaceView]
    events: list[MatchEventView]
    deal_commitment: str
    secret: str | None
    owed: int


class PlayerView(TypedDict):
    """One player of a match. ``place`` and ``out_in`` are None while the player is still in."""

    player_id: str
    name: str
    reg_seq: int
    state: PlayerProgress
    score: int
    points: str | None
    rank: int
    table_id: int | None
    place: int | None
    out_in: str | None


class ServerView(TypedDict):
    """One table server that ever said hello.

    ``life`` names the present run of its program, ``hands`` counts the hands it reported, ``since_s`` is the age of
    its session; ``away_s`` how long it has been gone, None while it is connected. ``why_no_tables`` says in a
    sentence why it gets no new tables, None when it may have some.
    """

    server_id: str
    connected: bool
    life: str
    games: list[str]
    capacity: int
    drain: bool
    tables: int
    hands: int
    since_s: float
    away_s: float | None
    peer: str
    why_no_tables: str | None


class InstanceView(TypedDict):
    """One firing of a start point. ``start`` is its time as people of the tourney's zone read it.

    ``start_at_ms`` and ``start`` are None where it starts when it is full, ``places`` where as many may come as like.
    """

    instance_id: str
    start_point: str
    status: str
    reason: str
    start_at_ms: int | None
    start: str | None
    opens_at_ms: int
    register_until_ms: int | None
    entered: int
    min_players: int
    places: int | None
    matches: list[str]


class TourneyMatchView(TypedDict):
    """A match that a tourney opened, or called off."""

    match_id: str
    name: str
    status: str
    players: int
    reason: str


class DueView(TypedDict):
    """What a player is owed and the lobby has not confirmed; ``place`` None for a refund."""

    key: str
    kind: str
    lobby: str
    player_id: str
    place: int | None
    items: dict[str, int]
    reason: str


class TourneySummary(TypedDict):
    """One tourney with what comes next: ``instances`` are those that are not over, in the order of planning.

    ``now`` is the calendar in its time zone; ``dues`` counts awards and refunds that are not confirmed.
    """

    tourney_id: str
    title: str
    status: str
    time_zone: str
    now: str
    instances: list[InstanceView]
    dues: int


class TourneyView(TourneySummary):
    """All that is told of a tourney: also its newest instances that are over, its matches and what is owed."""

    description: str
    over: list[InstanceView]
    matches: list[TourneyMatchView]
    owed: list[DueView]


class OrderView(TypedDict):
    """What became of an order: ``code`` None when it was carried out, else why it was not."""

    code: str | None
    message: str


class AlarmView(TypedDict):
    """Something a person should look at; ``match_id`` None where it concerns the whole daemon."""

    at_ms: int
    match_id: str | None
    code: str
    message: str


class RivalView(TypedDict):
    """Somebody the player was compared with, and the value that made the difference; fractions are texts."""

    player_id: str
    name: str
    ahead: bool
    decided_by: str
    own: dict[str, int | str]
    values: dict[str, int | str]


class DrawnView(TypedDict):
    """Chance that went in: the seed, and the blocks of its generator."""

    seed: str
    counter: int
    counter_after: int


class ReasonView(TypedDict):
    """Why something became of a player: a sentence, its rules, the deciding one first, and what went in."""

    kind: str
    t_ms: int
    rules: list[str]
    says: str
    inputs: dict[str, int | str | bool | list[str] | list[int] | None]
    compared: list[RivalView]
    draw: DrawnView | None


class AnswerView(TypedDict):
    """What a record of a journal did to the player; ``again`` is there where deciding it again ``differs``."""

    stream: str
    seq: int
    t_ms: int
    same: bool
    differs: str | None
    reasons: list[ReasonView]
    again: NotRequired[list[ReasonView]]


class WhyView(TypedDict):
    """Why everything became of a player in a match, as ``coordinator why --json`` says it."""

    match: str
    player: str
    name: str
    records: int
    records_above: int
    same: bool
    first_difference: str | None
    unconfirmed: list[str]
    answers: list[AnswerView]


class NotAnswered(Exception):
    """A question to the journal got no answer; ``code`` is stable, the message says what to do instead."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class View(Protocol):
    """The reading side of the daemon. All methods are cheap, and none waits but those that read the journal.

    Of a match that was finished long ago nothing is known until :meth:`look_up` has been awaited.
    """

    def status(self) -> StatusView:
        """The daemon as a whole."""
        ...

    def matches(self) -> list[MatchSummary]:
        """Every match that is not finished, those that run first, and the newest that are."""
        ...

    async def older(self, match_id: str) -> list[MatchSummary] | None:
        """Finished matches behind this one in the order of age, read from the journal; None if it is not finished."""
        ...

    async def look_up(self, match_id: str) -> bool:
        """Have a match in memory for a while, if there is one.

        Raises NotAnswered ``match_damaged`` for one that is set aside, CoordinatorError where it cannot be read.
        """
        ...

    def match(self, match_id: str, rows: int = 200) -> MatchView | None:
        """One match with at most `rows` lines of standings, of tables and of places; None if there is no such match."""
        ...

    def player(self, match_id: str, player_id: str) -> PlayerView | None:
        """One player of a match; None if there is no such match or player."""
        ...

    async def why(self, match_id: str, player_id: str) -> WhyView | None:
        """Why everything became of a player, read from the journal; None if there is no such match or player.

        Raises NotAnswered.
        """
        ...

    def servers(self) -> list[ServerView]:
        """Every table server that ever said hello, in the order of ``server_id``."""
        ...

    def tourneys(self) -> list[TourneySummary]:
        """Every tourney with what comes next."""
        ...

    def tourney(self, tourney_id: str) -> TourneyView | None:
        """One tourney; None if there is none of this id."""
        ...

    async def cancel_instance(self, instance_id: str) -> OrderView:
        """Call off an instance that has not begun. The one order of this view; it is on disk when it is answered."""
        ...

    def alarms(self) -> list[AlarmView]:
        """What a person should look at, newest first."""
        ...

    def version(self, match_id: str | None) -> int:
        """A number that grows with every change of the match, or of the whole daemon for None.

        Of a match that is not in memory it is 0: nothing changes in it.
        """
        ...

    def metrics(self) -> Mapping[str, int | float]:
        """Figures by key, as listed in the table of `coordinator.web.metrics`."""
        ...
