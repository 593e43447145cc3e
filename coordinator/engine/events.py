"""Every event: what was decided. Past tense, frozen, journaled; the state of a match is a fold over its events."""

from fractions import Fraction
from typing import Literal

from coordinator.engine.definition import MatchDefinition, Pack
from coordinator.engine.directing.director_events import DirectorEvent
from coordinator.engine.dues import Due
from coordinator.engine.frozen import frozen
from coordinator.engine.ladder.ladder_events import LadderEvent
from coordinator.engine.ladder.wall_time import Offset


@frozen
class MatchOpened:
    """Registration is open. ``commitment`` is the published hash of ``secret``, ``lobby`` who asked for the match."""

    match_id: str
    definition: MatchDefinition
    seed: str
    secret: str
    commitment: str
    zone: tuple[Offset, ...] = ()
    lobby: str = ""


@frozen
class PlayerRegistered:
    """The player is in, with the number that ends every tie chain (R-TB-02) and the score carried into the match.

    ``lobby`` is who entered the player, where that is not who opened the match.
    """

    player_id: str
    name: str
    reg_seq: int
    carried: int = 0
    lobby: str = ""


@frozen
class PlayerWithdrawn:
    """The player left before the match started."""

    player_id: str


@frozen
class TimeTold:
    """The wall clock said ``wall_ms`` at this match time."""

    t: int
    wall_ms: int


@frozen
class MatchStarted:
    """Registration is closed."""

    t: int


@frozen
class StageOpened:
    """A stage begins; ``scores`` are the starting scores, initial plus carried, in the order of ``players``.

    ``run`` counts how often a stage that loops has begun (R-IS-01).
    """

    t: int
    stage_no: int
    players: tuple[str, ...]
    scores: tuple[int, ...]
    run: int = 1


@frozen
class TablesSeated:
    """Tables were formed: a whole bout, or the departure of a shuttle. Table ids count up from ``first_table_id``.

    ``draw_counter`` is where the match's generator stands afterwards. ``byes`` sit this bout out (R-BY-01). ``rematch``
    marks a bout of pairs that could not all be fresh (R-DM-10).
    """

    t: int
    bout_no: int
    first_table_id: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    draw_counter: int
    rematch: bool = False


@frozen
class TablesPlaced:
    """Tables have an owner; their epoch rises. The three sequences run side by side."""

    t: int
    table_ids: tuple[int, ...]
    server_ids: tuple[str, ...]
    lives: tuple[str, ...]


@frozen
class TablesOrphaned:
    """These tables lost their owner; hands that ran are interrupted and will be repeated."""

    t: int
    table_ids: tuple[int, ...]
    server_id: str
    reason: str


@frozen
class HandsRedealt:
    """The interrupted hand of each of these tables will be played with fresh cards; its log is forgotten."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class HandVoided:
    """An interrupted hand will not be played again: it is worth nothing, the average of its board, or the table parts
    on the hands before it (``let_stand``)."""

    t: int
    table_id: int
    policy: Literal["void", "average", "let_stand"]


@frozen
class TablesReleased:
    """Their server drains: these tables move when their hand in play has ended."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class MatchPaused:
    """The match clock stands still: no tick, no time-out, no bout ends by time until it goes on."""

    t: int
    reason: str


@frozen
class MatchResumed:
    """The match clock goes on where it stood; nobody has lost time."""

    t: int


@frozen
class PresenceNoted:
    """A player went away or came back, in a stage that puts out who is away at its end (R-RC-01)."""

    t: int
    player_id: str
    present: bool


@frozen
class HandsStarted:
    """The next attempt of a hand was ordered at each of these tables, its base score frozen (R-HI-08)."""

    t: int
    table_ids: tuple[int, ...]
    base_score: int


@frozen
class HandsRepeated:
    """The interrupted hand of each of these tables was ordered again: next attempt, same deal, same base, same log."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class ActionsRecorded:
    """The log of the running hand grew."""

    t: int
    table_id: int
    actions: tuple[int | str, ...]


@frozen
class HandScored:
    """A hand counts. ``reported`` and ``scores`` are in seat order; they differ under multiples or minimum payment, and
    where somebody ``dropped`` and nothing is scored."""

    t: int
    table_id: int
    hand_no: int
    attempt_no: int
    reported: tuple[int, ...]
    scores: tuple[int, ...]
    house: int = 0
    dropped: tuple[str, ...] = ()


@frozen
class ResultParked:
    """Another result came for a hand that already counts: no score changes, a director must look."""

    table_id: int
    hand_no: int
    attempt_no: int
    server_id: str
    reported: tuple[int, ...]


@frozen
class BaseRaised:
    """The base score of the stage rose to the value of this tick (R-ME-03)."""

    t: int
    tick: int
    base_score: int


@frozen
class PlayersEliminated:
    """Out of the match. A place is None until the end of the bout makes it certain (R-KO-02)."""

    t: int
    players: tuple[str, ...]
    places: tuple[int | None, ...]


@frozen
class RoundEnded:
    """The players of a table part. ``places`` and ``points`` are in seat order; ``settled`` marks a silent table,
    ``dropped`` those who left the game (R-DM-03)."""

    t: int
    table_id: int
    places: tuple[int, ...]
    points: tuple[int | Fraction, ...]
    settled: bool = False
    dropped: tuple[str, ...] = ()


@frozen
class BoutEnded:
    """A synchronous bout is over: the survivors in rank order; the others are out with their places."""

    t: int
    bout_no: int
    ranking: tuple[str, ...]
    out: tuple[str, ...]
    out_places: tuple[int, ...]


@frozen
class DrainStarted:
    """An end condition is met: no new table is formed, running hands finish and count (R-ME-05)."""

    t: int
    reason: str


@frozen
class StageEnded:
    """The ranking of all who ever entered the stage; the first ``advancing`` of it go on."""

    t: int
    ranking: tuple[str, ...]
    advancing: int


@frozen
class TimerFired:
    """A timer was due and is spent."""

    t: int
    timer_id: str


@frozen
class MatchEnded:
    """Everybody has a place. The secret of the deals is public from now on. ``awards`` are what the places win in a
    match that a lobby opened (R-HI-03); each is told to its lobby until the lobby confirms it."""

    t: int
    ranking: tuple[str, ...]
    awards: tuple[Due, ...] = ()


@frozen
class AwardConfirmed:
    """The lobby has it."""

    t: int
    key: str


@frozen
class KeyUsed:
    """A request was carried out that counts once under its key; ``words`` are what the key stands for from now on."""

    t: int
    key: str
    words: str


@frozen
class LateEntered:
    """A player came late and plays from the bout ``from_bout`` on (R-DM-11); ``lobby`` as for PlayerRegistered."""

    t: int
    player_id: str
    name: str
    reg_seq: int
    from_bout: int
    lobby: str = ""


@frozen
class PlayerRetired:
    """A player left a running stage for good and stays ranked (R-DM-05)."""

    t: int
    player_id: str


@frozen
class MatchHalted:
    """The match cannot go on by its rules; ``reason`` says why."""

    t: int
    reason: str


@frozen
class PlayerJoined:
    """A player came into a running stage with this score, or waits for the next one (R-IS-02); ``lobby`` as for
    PlayerRegistered."""

    t: int
    player_id: str
    name: str
    reg_seq: int
    score: int
    next_stage: bool = False
    lobby: str = ""


@frozen
class LeaveNoted:
    """A player who sits at a table will leave when the hand has ended (R-IS-03)."""

    t: int
    player_id: str


@frozen
class PlayersLeft:
    """These players left the stage; ``units`` is what each score was worth (R-IS-03)."""

    t: int
    players: tuple[str, ...]
    scores: tuple[int, ...]
    units: tuple[int, ...]
    reason: Literal["asked", "rest_over"]


@frozen
class RestsEnded:
    """These players rest no longer and wait for the next table (R-IS-05)."""

    t: int
    players: tuple[str, ...]


@frozen
class RevivalOffered:
    """An eliminated player may come back until the match clock reads ``due`` (R-RV-01).

    ``score`` is what the player comes back with, unless it is that of one of the ``packs``; ``remaining`` are left
    after the hand.
    """

    t: int
    player_id: str
    offer_no: int
    due: int
    fee: int
    score: int
    remaining: int
    packs: tuple[Pack, ...] = ()


@frozen
class PlayerRevived:
    """A fee was paid and the player waits for a table again (R-RV-01)."""

    t: int
    player_id: str
    offer_no: int
    payment_ref: str
    fee: int
    score: int
    pack: int | None = None


@frozen
class RevivalsClosed:
    """The offers of these players are off: their elimination is final, the best place first (R-RV-01)."""

    t: int
    players: tuple[str, ...]
    places: tuple[int | None, ...]
    offers: tuple[int, ...]
    reason: Literal["declined", "balance", "timeout", "end", "left"]


@frozen
class EntrantAdmitted:
    """A player came from the waiting room into the running stage and plays from the next bout on (R-CS-01).

    ``reg_seq`` is the new number of somebody who had left (R-TB-02).
    """

    t: int
    player_id: str
    score: int
    reg_seq: int | None = None


@frozen
class LeavePromised:
    """A seated player will leave when the bout is over (R-CS-01)."""

    t: int
    player_id: str


@frozen
class EntrantsLeft:
    """These players left a stage that lets players go; what they played stands (R-CS-01)."""

    t: int
    players: tuple[str, ...]


@frozen
class BoutTimeUp:
    """The bout has lasted its time: no hand of it starts any more (R-CS-01)."""

    t: int
    bout_no: int


@frozen
class BoardsVoided:
    """The hands still in play at these tables when the grace was over do not count and are never resumed (R-CS-01)."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class BoardCompared:
    """One more table has played a board; ``datums`` by direction hold from now on (R-DU-02). A closed one stays."""

    t: int
    board_no: int
    table_id: int
    scores: tuple[int, ...]
    datums: tuple[int | Fraction, ...]
    closed: bool


Event = (
    MatchOpened
    | PlayerRegistered
    | PlayerWithdrawn
    | TimeTold
    | MatchStarted
    | StageOpened
    | TablesSeated
    | TablesPlaced
    | TablesOrphaned
    | HandsStarted
    | HandsRepeated
    | ActionsRecorded
    | HandScored
    | ResultParked
    | BaseRaised
    | PlayersEliminated
    | RoundEnded
    | BoutEnded
    | DrainStarted
    | StageEnded
    | TimerFired
    | MatchEnded
    | AwardConfirmed
    | KeyUsed
    | MatchHalted
    | PlayerJoined
    | LeaveNoted
    | PlayersLeft
    | RestsEnded
    | RevivalOffered
    | PlayerRevived
    | RevivalsClosed
    | EntrantAdmitted
    | LeavePromised
    | EntrantsLeft
    | BoutTimeUp
    | BoardsVoided
    | BoardCompared
    | LateEntered
    | PlayerRetired
    | LadderEvent
    | DirectorEvent
    | HandsRedealt
    | HandVoided
    | TablesReleased
    | MatchPaused
    | MatchResumed
    | PresenceNoted
)
