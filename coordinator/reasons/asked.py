"""The answers of a whole journal: why everything became of a player, decided again on the way.

The journal is folded once as it was written and once by deciding its commands again. Where both lead to other answers,
both are told; from there on the second match is another one and is followed no further.
"""

from collections.abc import Iterable
from typing import cast

import attrs

from coordinator.engine.commands import Command
from coordinator.engine.events import Event
from coordinator.engine.match import decide, evolve, follow, new_state
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.errors import PlayerUnknown
from coordinator.journal.kinds import TOURNEY_PREFIX
from coordinator.journal.records import Chain, Record, written
from coordinator.journal.store import Store
from coordinator.reasons.by_event import reasons_of
from coordinator.reasons.reason import Reason


@attrs.frozen
class Answer:
    """What a record of the journal did to the player, and why.

    ``again`` is what deciding the same command now leads to, None where it was not decided again; ``differs`` says in a
    sentence what is different, None where nothing is.
    """

    seq: int
    t: int
    wall_ms: int
    reasons: tuple[Reason, ...]
    again: tuple[Reason, ...] | None
    differs: str | None = None


@attrs.frozen
class Answers:
    """All answers about a player, in the order of the journal.

    ``same``: whether deciding again led to the same at every record up to the last one looked at; ``first_difference``
    says where not. ``records`` is how far the journal was read.
    """

    match_id: str
    player_id: str
    name: str
    records: int
    answers: tuple[Answer, ...]
    same: bool
    first_difference: str | None

    def at(self, seq: int) -> "Answers":
        """What held after a record: the newest answers up to it."""
        before = [answer for answer in self.answers if answer.seq <= seq]
        return attrs.evolve(self, answers=tuple(before[-1:]))


def ask(store: Store, match_id: str, player_id: str, *, until: int | None = None) -> Answers:
    """Why everything became of a player in a match, up to record ``until`` or to the end of the journal.

    Raises PlayerUnknown, JournalDamaged and JournalNewer.
    """
    asked = _Asked(player_id)
    if match_id.startswith(TOURNEY_PREFIX):  # a journal of another kind, whose players sit nowhere
        raise PlayerUnknown(match_id, player_id)
    for record in store.follow(Chain.start(match_id)):
        if until is not None and record.seq > until:
            break
        asked.take(record)
    if asked.name is None:
        raise PlayerUnknown(match_id, player_id)
    return Answers(
        match_id,
        player_id,
        asked.name,
        asked.records,
        tuple(asked.answers),
        asked.first_difference is None,
        asked.first_difference,
    )


@attrs.define
class _Asked:
    """A journal under way: folded as it was written, and decided again for as long as that is the same match."""

    player_id: str
    state: MatchState = attrs.field(factory=new_state)
    again: MatchState | None = attrs.field(factory=new_state)
    answers: list[Answer] = attrs.field(factory=list)
    records: int = 0
    name: str | None = None
    first_difference: str | None = None

    def take(self, record: Record) -> None:
        """Fold one record and decide it again."""
        self.records = record.seq
        reasons: list[Reason] = []
        for event in cast("tuple[Event, ...]", record.events):
            reasons += reasons_of(self.state, event, self.player_id)
            evolve(self.state, event)
        differs: str | None = None
        reasons_now: list[Reason] | None = None
        if self.again is not None:
            reasons_now, decided = _decide_again(self.again, record, self.player_id)
            differs = _difference(record, decided)
            if differs is not None:
                self.again = None
                self.first_difference = f"Record {record.seq:,}, {type(record.command).__name__}: {differs}."
        if self.name is None and self.player_id in self.state.entrants:
            self.name = self.state.entrants[self.player_id].name
        if reasons or (differs is not None and reasons_now):
            now = None if reasons_now is None else tuple(reasons_now)
            self.answers.append(Answer(record.seq, record.t, record.wall_ms, tuple(reasons), now, differs))


def _decide_again(
    state: MatchState, record: Record, player_id: str
) -> tuple[list[Reason], tuple[Event, ...] | Refused | Exception]:
    """What the command of a record leads to now, and why for the player. The state goes on with it."""
    reasons: list[Reason] = []
    try:
        decided = decide(state, cast("Command", record.command))
        if isinstance(decided, Refused):
            return reasons, decided
        happened = list(decided)
        for event in happened:  # which grows meanwhile by what follows
            reasons += reasons_of(state, event, player_id)
            evolve(state, event)
            happened += follow(state, event)
    except Exception as error:
        return reasons, error
    return reasons, tuple(happened)


def _difference(record: Record, decided: Iterable[Event] | Refused | Exception) -> str | None:
    if isinstance(decided, Exception):
        return f"deciding it again fails ({type(decided).__name__}: {decided})"
    if isinstance(decided, Refused):
        return f"it was accepted and is refused now ({decided.code}: {decided.message})"
    now = tuple(decided)
    for then, event in zip(record.events, now, strict=False):
        if type(then) is not type(event):
            return f"{type(then).__name__} is {type(event).__name__} now"
        if written(then) != written(event):
            return f"{type(then).__name__} is decided otherwise now"
    if len(record.events) != len(now):
        return f"{len(record.events)} events are {len(now)} now"
    return None
