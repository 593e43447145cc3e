"""The answers of a whole journal: why everything became of a player, decided again on the way.

The journal is folded once as it was written and once by deciding its commands again. Where both lead to other answers,
both are told; from there on the second match is another one and is followed no further. What a tourney decided about
the player of one of its matches stands in the tourney's own journal and is asked of that in the same way.
"""

from collections.abc import Callable, Iterable
from typing import Any

import attrs

from coordinator.engine import match
from coordinator.engine.dues import Due
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.engine.tourney import tourney
from coordinator.engine.tourney.state import TourneyState
from coordinator.errors import PlayerUnknown
from coordinator.journal.kinds import TOURNEY_PREFIX, stream_of
from coordinator.journal.records import Chain, Record, written
from coordinator.journal.store import Store
from coordinator.reasons.above import reasons_above
from coordinator.reasons.by_event import reasons_of
from coordinator.reasons.reason import Reason


@attrs.frozen
class Answer:
    """What a record of a journal did to the player, and why.

    ``stream`` names the journal: the match, or the tourney that it belongs to. ``again`` is what deciding the same
    command now leads to, None where it was not decided again; ``differs`` says in a sentence what is different, None
    where nothing is.
    """

    stream: str
    seq: int
    t: int
    wall_ms: int
    reasons: tuple[Reason, ...]
    again: tuple[Reason, ...] | None
    differs: str | None = None


@attrs.frozen
class Answers:
    """All answers about a player: how the tourney let the player in, the way through the match, and what it wins.

    ``same``: whether deciding again led to the same at every record up to the last one looked at; ``first_difference``
    says where not. ``records`` is how far the journal of the match was read, ``records_above`` that of its tourney.
    ``unconfirmed`` are the awards that no lobby has confirmed yet.
    """

    match_id: str
    player_id: str
    name: str
    records: int
    answers: tuple[Answer, ...]
    same: bool
    first_difference: str | None
    records_above: int = 0
    unconfirmed: tuple[Due, ...] = ()

    def at(self, seq: int) -> "Answers":
        """What held after a record of the match: the newest answers up to it."""
        before = [answer for answer in self.answers if answer.stream == self.match_id and answer.seq <= seq]
        return attrs.evolve(self, answers=tuple(before[-1:]))


def ask(store: Store, match_id: str, player_id: str, *, until: int | None = None) -> Answers:
    """Why everything became of a player in a match, up to record ``until`` or to the end of the journal.

    With ``until`` only the match is asked and not its tourney. Raises PlayerUnknown, JournalDamaged and JournalNewer.
    """
    if match_id.startswith(TOURNEY_PREFIX):  # a journal of another kind, whose players sit nowhere
        raise PlayerUnknown(match_id, player_id)
    asked = _of_match(match_id, player_id)
    for record in store.follow(Chain.start(match_id)):
        if until is not None and record.seq > until:
            break
        asked.take(record)
    if asked.name is None:
        raise PlayerUnknown(match_id, player_id)
    state: MatchState = asked.state
    above = _above(store, match_id, player_id) if until is None and not state.lobby else None
    both = [asked] if above is None else [asked, above]
    own = {key: due for each in both for key, due in each.state.dues.items() if due.player_id == player_id}
    differences = [each.first_difference for each in both if each.first_difference is not None]
    return Answers(
        match_id,
        player_id,
        asked.name,
        asked.records,
        _in_order(asked.answers, [] if above is None else above.answers),
        not differences,
        differences[0] if differences else None,
        0 if above is None else above.records,
        tuple([due for due in own.values() if due.source == match_id]),
    )


def _in_order(own: list["Answer"], above: list["Answer"]) -> tuple["Answer", ...]:
    """How the player came in, then the match, then what it wins."""
    coming = [answer for answer in above if any(reason.kind == "entry" for reason in answer.reasons)]
    return (*coming, *own, *[answer for answer in above if answer not in coming])


@attrs.frozen
class _Rules:
    """The rules a journal is folded and decided by, and what its events say about the player."""

    decide: Callable[[Any, Any], Any]
    evolve: Callable[[Any, Any], None]
    follow: Callable[[Any, Any], tuple[Any, ...]]
    reasons: Callable[[Any, Any], list[Reason]]


@attrs.define
class _Asked:
    """A journal under way: folded as it was written, and decided again for as long as that is the same match."""

    stream: str
    player_id: str
    rules: _Rules
    state: Any
    again: Any
    answers: list[Answer] = attrs.field(factory=list)
    records: int = 0
    name: str | None = None
    first_difference: str | None = None

    def take(self, record: Record) -> None:
        """Fold one record and decide it again."""
        self.records = record.seq
        reasons: list[Reason] = []
        for event in record.events:
            reasons += self.rules.reasons(self.state, event)
            self.rules.evolve(self.state, event)
        differs: str | None = None
        reasons_now: list[Reason] | None = None
        if self.again is not None:
            reasons_now, decided = _decide_again(self.rules, self.again, record)
            differs = _difference(record, decided)
            if differs is not None:
                self.again = None
                self.first_difference = f"Record {record.seq:,}, {type(record.command).__name__}: {differs}."
        if self.name is None and isinstance(self.state, MatchState) and self.player_id in self.state.entrants:
            self.name = self.state.entrants[self.player_id].name
        if reasons or (differs is not None and reasons_now):
            now = None if reasons_now is None else tuple(reasons_now)
            at = (self.stream, record.seq, record.t, record.wall_ms)
            self.answers.append(Answer(*at, tuple(reasons), now, differs))


def _of_match(match_id: str, player_id: str) -> _Asked:
    def reasons(state: MatchState, event: Any) -> list[Reason]:
        return reasons_of(state, event, player_id)

    rules = _Rules(match.decide, match.evolve, match.follow, reasons)
    return _Asked(match_id, player_id, rules, match.new_state(), match.new_state())


def _above(store: Store, match_id: str, player_id: str) -> _Asked | None:
    """What the tourney of a match says about the player; None where the match has none."""
    stream = stream_of(match_id.partition(".")[0])
    if store.entry(stream) is None:
        return None

    def reasons(state: TourneyState, event: Any) -> list[Reason]:
        return reasons_above(state, event, match_id, player_id)

    rules = _Rules(tourney.decide, tourney.evolve, tourney.follow, reasons)
    asked = _Asked(stream, player_id, rules, tourney.new_tourney(), tourney.new_tourney())
    for record in store.follow(Chain.start(stream)):
        asked.take(record)
    return asked


def _decide_again(
    rules: _Rules, state: Any, record: Record
) -> tuple[list[Reason], tuple[Any, ...] | Refused | Exception]:
    """What the command of a record leads to now, and why for the player. The state goes on with it."""
    reasons: list[Reason] = []
    try:
        decided = rules.decide(state, record.command)
        if isinstance(decided, Refused):
            return reasons, decided
        happened = list(decided)
        for event in happened:  # which grows meanwhile by what follows
            reasons += rules.reasons(state, event)
            rules.evolve(state, event)
            happened += rules.follow(state, event)
    except Exception as error:
        return reasons, error
    return reasons, tuple(happened)


def _difference(record: Record, decided: Iterable[Any] | Refused | Exception) -> str | None:
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
