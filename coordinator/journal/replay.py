"""A journal into an engine: to take a match up again, or to prove that the same journal still says the same."""

from collections.abc import Callable, Sequence
from reprlib import repr as short
from typing import Any, Generic, TypeVar

import attrs

from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.engine.tourney.state import TourneyState
from coordinator.errors import JournalDamaged, JournalNewer
from coordinator.journal.kinds import AnyEvent, Kind, kind_of, stream_of
from coordinator.journal.records import (
    EFFECTS_LAYOUT,
    NOTHING_SENT,
    AnyEffect,
    AnyState,
    Chain,
    Record,
    Snapshot,
    effects_digest,
    open_record,
    state_from,
    state_hash,
    written,
)
from coordinator.journal.shapes import Misshapen
from coordinator.journal.store import Store

PROGRESS_EVERY = 1_000
"""Records between two calls of ``on_progress``."""


S = TypeVar("S", MatchState, TourneyState)


@attrs.frozen
class Recovered(Generic[S]):
    """A match, or a tourney, taken up where its journal ends.

    ``t`` is the match time of the newest command, ``records`` how many were folded, ``snapshot`` the record number
    that was started from (0: from the beginning). ``passed_over`` are the snapshots that did not verify or that
    another version took; nothing but time is lost with them.
    """

    state: S
    chain: Chain
    records: int
    t: int
    snapshot: int = 0
    passed_over: tuple[int, ...] = ()


@attrs.frozen
class ReplayReport:
    """What a replay found. None stands for what was not compared; ``first_difference`` is a sentence."""

    match_id: str
    records: int
    events: int
    same_state: bool | None
    same_effects: bool | None
    same_decisions: bool | None
    first_difference: str | None
    state_hash: bytes


def recover(store: Store, match_id: str) -> Recovered[MatchState]:
    """Fold the events of a match, from the newest snapshot that verifies or from the start.

    Raises JournalDamaged and JournalNewer.
    """
    return _recover(store, match_id)


def recover_tourney(store: Store, tourney_id: str) -> Recovered[TourneyState]:
    """Fold the events of a tourney, as :func:`recover` does for a match."""
    return _recover(store, stream_of(tourney_id))


def _recover(store: Store, match_id: str) -> Recovered[Any]:
    passed_over: list[int] = []
    for snapshot in store.snapshots(match_id):
        begun = _begin(store, snapshot)
        if begun is not None:
            chain, state, t = begun
            return _fold(store, chain, state, t, tuple(passed_over))
        if snapshot.state:
            passed_over.append(snapshot.seq)
    return _fold(store, Chain.start(match_id), kind_of(match_id).new_state(), 0, tuple(passed_over))


def _begin(store: Store, snapshot: Snapshot) -> tuple[Chain, Any, int] | None:
    """Where a snapshot leads to, or None where it is not to be trusted."""
    if not snapshot.usable:
        return None
    match_id, seq = snapshot.match_id, snapshot.seq
    previous = Chain.start(match_id)
    try:
        for stored in store.read(match_id, max(0, seq - 2)):
            if stored.seq == seq:
                record = open_record(stored, previous.hash)
                if (record.hash, record.effects) != (snapshot.record_hash, snapshot.effects):
                    return None
                state = state_from(snapshot.state, kind_of(match_id))
                return Chain(match_id, seq, record.hash, record.effects), state, record.t
            previous.hash = stored.hash
    except (JournalDamaged, JournalNewer, Misshapen):
        # The records themselves may be damaged: then the way from the start says which one.
        return None
    return None


def newest_events(store: Store, match_id: str, seq: int, records: int) -> list[AnyEvent]:
    """What happened in the newest records of a match up to ``seq``, at most so many. Raises as recovery does."""
    behind = max(0, seq - records)
    found: list[AnyEvent] = []
    previous = Chain.start(match_id).hash
    for stored in store.read(match_id, max(0, behind - 1)):
        if stored.seq > behind:
            found += open_record(stored, previous).events
        previous = stored.hash
    return found


def _fold(store: Store, chain: Chain, state: Any, t: int, passed_over: tuple[int, ...]) -> Recovered[Any]:
    begun_at = chain.seq
    for record in store.follow(chain):
        for event in record.events:
            _apply(chain.match_id, record, state, event)
        t = record.t
    return Recovered(state, chain, chain.seq - begun_at, t, begun_at, passed_over)


def _apply(match_id: str, record: Record, state: AnyState, event: AnyEvent) -> None:
    try:
        kind_of(match_id).evolve(state, event)
    except Exception as error:
        raise _does_not_fit(match_id, record, event, error) from error


def _does_not_fit(match_id: str, record: Record, event: AnyEvent, error: Exception) -> JournalDamaged:
    what = f"its event {type(event).__name__} does not fit what came before ({type(error).__name__}: {error})"
    return JournalDamaged(match_id, record.seq, what)


def replay(
    store: Store, match_id: str, *, check: bool = False, on_progress: Callable[[int], None] | None = None
) -> ReplayReport:
    """Fold a match from its start and compare states and messages with what was noted when it was played.

    With ``check``, every command is decided again as well and must lead to the recorded events and messages.
    ``on_progress`` is told the number of records done, now and then. Raises JournalDamaged and JournalNewer.
    """
    kind = kind_of(match_id)
    noted = {
        snapshot.seq: snapshot.state_hash
        for snapshot in store.snapshots(match_id)
        if snapshot.intact and snapshot.layout == kind.layout
    }
    run = _Run(match_id, kind, kind.new_state(), kind.new_state() if check else None)
    for record in store.follow(Chain.start(match_id)):
        run.take(record, noted.get(record.seq))
        if on_progress is not None and record.seq % PROGRESS_EVERY == 0:
            on_progress(record.seq)
    if on_progress is not None:
        on_progress(run.records)
    return run.report()


@attrs.define
class _Run:
    """One replay under way: the state folded from events and, where decisions are checked, a second one decided."""

    match_id: str
    kind: Kind
    state: AnyState
    decided: AnyState | None
    digest: bytes = NOTHING_SENT
    records: int = 0
    events: int = 0
    same_state: bool | None = None
    same_effects: bool | None = None
    same_decisions: bool | None = None
    first_difference: str | None = None

    def take(self, record: Record, noted_state: bytes | None) -> None:
        """Play one record; ``noted_state`` is the hash of the state that a snapshot was taken of after it."""
        self.records = record.seq
        self.events += len(record.events)
        leaving: list[AnyEffect] = []
        for event in record.events:
            _apply(self.match_id, record, self.state, event)
            try:
                leaving += self.kind.effects(self.state, event)
            except Exception as error:
                raise _does_not_fit(self.match_id, record, event, error) from error
        if self.decided is not None:
            difference = _decided_again(self.kind, self.decided, record, leaving)
            self.same_decisions = difference is None
            if difference is not None:
                # From here on the second state is another match; it has nothing more to say.
                self.decided = None
                self._differs(record, difference)
        if record.layout == EFFECTS_LAYOUT:
            same = effects_digest(self.digest, leaving) == record.effects
            self.same_effects = same and self.same_effects is not False
            if not same:
                self._differs(record, "its messages are not those that were sent")
        self.digest = record.effects
        if noted_state is not None:
            same = state_hash(self.state) == noted_state
            self.same_state = same and self.same_state is not False
            if not same:
                self._differs(record, "the state after it is not the one that was noted")

    def report(self) -> ReplayReport:
        """What was found, after the last record."""
        reached = state_hash(self.state)
        if self.decided is not None:
            same = state_hash(self.decided) == reached
            self.same_state = same and self.same_state is not False
            if not same and self.first_difference is None:
                self.first_difference = "Deciding every command again leads to another state than its events do."
        return ReplayReport(
            self.match_id,
            self.records,
            self.events,
            self.same_state,
            self.same_effects,
            self.same_decisions,
            self.first_difference,
            reached,
        )

    def _differs(self, record: Record, what: str) -> None:
        if self.first_difference is None:
            self.first_difference = f"Record {record.seq:,}, {type(record.command).__name__}: {what}."


def _decided_again(kind: Kind, state: AnyState, record: Record, sent: Sequence[AnyEffect]) -> str | None:
    """Decide a recorded command on ``state``; the first difference to what was recorded, None where there is none."""
    try:
        outcome = kind.step(state, record.command)
    except Exception as error:
        return f"deciding it again fails ({type(error).__name__}: {error})"
    if isinstance(outcome, Refused):
        return f"it was accepted and is refused now ({outcome.code}: {outcome.message})"
    return _difference("event", record.events, outcome.events) or _difference("message", sent, outcome.effects)


def _difference(kind: str, then: Sequence[AnyEvent | AnyEffect], now: Sequence[AnyEvent | AnyEffect]) -> str | None:
    for number, (old, new) in enumerate(zip(then, now, strict=False), start=1):
        if type(old) is not type(new) or written(old) != written(new):
            return f"{kind} {number}, {_changed(old, new)}"
    if len(then) != len(now):
        longer, when = (then, "then") if len(then) > len(now) else (now, "now")
        extra = longer[min(len(then), len(now))]
        return f"{kind} {min(len(then), len(now)) + 1}, {type(extra).__name__}, comes {when} only"
    return None


def _changed(old: AnyEvent | AnyEffect, new: AnyEvent | AnyEffect) -> str:
    name = type(old).__name__
    if type(old) is not type(new):
        return f"{name}, is {type(new).__name__} now"
    for field in attrs.fields(type(old)):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if written(before) != written(after):
            return f"{name}: {field.name} was {short(before)} and is {short(after)} now"
    raise AssertionError("equal events were said to differ")


def sentence(report: ReplayReport) -> str:
    """The report for people, such as "18,204 events replayed: same state, same messages."."""
    found = [
        f"{'same' if same else 'other'} {what}"
        for what, same in (
            ("state", report.same_state),
            ("messages", report.same_effects),
            ("decisions", report.same_decisions),
        )
        if same is not None
    ]
    events = f"{report.events:,} event{'' if report.events == 1 else 's'}"
    text = f"{events} replayed: {', '.join(found)}."
    return text if report.first_difference is None else f"{text} {report.first_difference}"
