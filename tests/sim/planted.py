"""Planted faults: bugs of the kind people make, put into the running product from outside and taken out again.

The simulator must notice each of them. No flag for any of this exists in the product.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import attrs

from coordinator.engine import commands, consequences, decisions, events, evolution
from coordinator.engine.directing import director_events as ev
from coordinator.engine.refusal import Refused
from coordinator.errors import JournalFailed
from coordinator.journal import replay as replaying
from coordinator.journal.records import Snapshot
from coordinator.shell import archive
from coordinator.shell.desk import Desk
from coordinator.shell.dispatch import Dispatch
from coordinator.shell.front_door import FrontDoor
from coordinator.shell.office import Office
from coordinator.shell.peers import Peers
from coordinator.shell.writer import Writer
from protocol.codec import decode_frame
from protocol.session import Session
from tests.sim.disk import SimulatedStore
from tests.sim.writing import SimulatedWriter

Planting = Callable[[], AbstractContextManager[Any]]


# --- the journal rule -----------------------------------------------------------------------------------------------


@contextmanager
def _acknowledge_before_sync() -> Iterator[None]:
    """What waits for a commit is released when it is written, and not when it is synced."""
    with patch.object(SimulatedWriter, "waits_for_the_sync", False):
        yield


def _only_answer(outcome: Any, answer: Any) -> None:
    if answer is not None:
        answer(outcome)


@contextmanager
def _send_before_sync() -> Iterator[None]:
    """Seats and hands go out while their record is still on its way to the disk."""
    really = Writer.append

    def append(self: Writer, record: Any, release: Any, *told: Any) -> bool:
        if record is not None:
            release(told[0], None)
            return really(self, record, _only_answer, *told)
        return really(self, record, release, *told)

    with patch.object(Writer, "append", append):
        yield


@contextmanager
def _failed_write_shrugged_off() -> Iterator[None]:
    """A write that failed is taken for done."""
    really = SimulatedStore._write

    def write(self: SimulatedStore, transaction: Any) -> None:
        try:
            really(self, transaction)
        except JournalFailed:
            self._failed = None

    with patch.object(SimulatedStore, "_write", write):
        yield


@contextmanager
def _snapshot_told_too_soon() -> Iterator[None]:
    """A returning peer is told its tables before the records they rest on are on the disk."""
    really = Writer.append

    def append(self: Writer, record: Any, release: Any, *told: Any) -> bool:
        if record is None and getattr(release, "__name__", "") == "tell":
            release()
            return True
        return really(self, record, release, *told)

    with patch.object(Writer, "append", append):
        yield


# --- restarts -------------------------------------------------------------------------------------------------------


def _replayed(kind: type, change: Callable[[Any], Any]) -> Planting:
    """In a replay events of one kind are read otherwise than they were applied."""

    @contextmanager
    def plant() -> Iterator[None]:
        really = replaying._apply

        def apply(match_id: str, record: Any, state: Any, event: Any) -> None:
            really(match_id, record, state, change(event) if type(event) is kind else event)

        with patch.object(replaying, "_apply", apply):
            yield

    return plant


@contextmanager
def _timer_lost_at_restart() -> Iterator[None]:
    """After a restart nobody waits for the timers that were set before."""
    really = Desk.wake

    def wake(self: Desk) -> None:
        timers, self.state.timers = self.state.timers, {}
        really(self)
        self.state.timers = timers

    with patch.object(Desk, "wake", wake):
        yield


@contextmanager
def _clock_runs_while_down() -> Iterator[None]:
    """The time without a coordinator counts as match time."""
    really = Desk.__init__
    ends: dict[str, float] = {}

    def init(self: Desk, *words: Any, match_ms: int = 0, **more: Any) -> None:
        really(self, *words, match_ms=match_ms, **more)
        if match_ms and self.match_id in ends:
            self._zero_s = min(self._zero_s, ends[self.match_id])
        else:
            ends[self.match_id] = self._zero_s

    with patch.object(Desk, "__init__", init):
        yield


@contextmanager
def _damaged_snapshot_trusted() -> Iterator[None]:
    """A snapshot is used without a look at its hash."""
    with patch.object(Snapshot, "usable", property(lambda self: bool(self.state))):
        yield


@contextmanager
def _placements_forgotten_at_restart() -> Iterator[None]:
    """After a restart nobody waits for the servers that held tables, so nobody misses one that stays away."""
    really = Office.recover

    def recover(self: Office) -> int:
        self._await = lambda server_id, cause: None  # type: ignore[method-assign]
        try:
            return really(self)
        finally:
            del self._await

    with patch.object(Office, "recover", recover):
        yield


# --- sessions -------------------------------------------------------------------------------------------------------


def _receiving(change: Callable[[Session, int], None]) -> Planting:
    """The numbers of frames are looked at in another way."""

    @contextmanager
    def plant() -> Iterator[None]:
        really = Session.receive

        def receive(self: Session, payload: bytes) -> Any:
            change(self, decode_frame(payload, self.receive_bytes_max).seq)
            return really(self, payload)

        with patch.object(Session, "receive", receive):
            yield

    return plant


def _takes_again(session: Session, seq: int) -> None:
    if seq and seq <= session.received:
        session.received = seq - 1


def _takes_gaps(session: Session, seq: int) -> None:
    if seq > session.received + 1:
        session.received = seq - 1


@contextmanager
def _off_by_one_resume() -> Iterator[None]:
    """A session goes on one frame too late."""
    really = Session.resume

    def resume(self: Session, hello: Any) -> Any:
        how = really(self, hello)
        if how == "gap":
            self._next = min(self._next + 1, self._last + 1)
        return how

    with patch.object(Session, "resume", resume):
        yield


@contextmanager
def _two_sessions_alive() -> Iterator[None]:
    """A socket that was replaced is heard as before."""
    really = FrontDoor.received

    def received(self: FrontDoor, conn: Any, payload: bytes, /) -> None:
        peer = self._peers.of(conn) or _replaced.get(conn)
        if peer is not None and peer.conn is not conn and peer.session is not None:
            newer, peer.conn = peer.conn, conn
            self._peers._by_conn[conn.conn_id] = peer
            try:
                really(self, conn, payload)
            finally:
                if peer.conn is conn:
                    peer.conn = newer
                self._peers._by_conn.pop(conn.conn_id, None)
            return
        really(self, conn, payload)

    _replaced: dict[Any, Any] = {}

    def take_over(self: FrontDoor, peer: Any) -> None:
        _replaced[peer.conn] = peer
        self._peers.detach(peer.conn)

    with patch.object(FrontDoor, "received", received), patch.object(FrontDoor, "_take_over", take_over):
        yield


@contextmanager
def _overflow_ignored() -> Iterator[None]:
    """A peer that does not read is kept everything for, without end."""
    with patch.object(Peers, "_check_window", lambda self, peer, session: setattr(session, "overflow", False)):
        yield


# --- rules ----------------------------------------------------------------------------------------------------------


def _deciding(kind: type, change: Callable[[Any, Any, Any], Any]) -> Planting:
    """A command is decided otherwise; ``change`` is given state, command and the right decision's function."""

    @contextmanager
    def plant() -> Iterator[None]:
        really = decisions._DECIDE[kind]
        with patch.dict(decisions._DECIDE, {kind: lambda state, command: change(state, command, really)}):
            yield

    return plant


def _evolving(kind: type, change: Callable[[Any, Any, Any], None]) -> Planting:
    """An event is applied otherwise."""

    @contextmanager
    def plant() -> Iterator[None]:
        really = evolution._EVOLVE[kind]
        with patch.dict(evolution._EVOLVE, {kind: lambda state, event: change(state, event, really)}):
            yield

    return plant


def _stale_attempt_accepted(state: Any, command: Any, really: Any) -> Any:
    table = state.tables.get(command.table_id)
    if table is not None and table.in_hand and command.hand_no == table.hand_no:
        command = attrs.evolve(command, attempt_no=table.attempt_no)
        if command.epoch < table.epoch:
            command = attrs.evolve(command, epoch=table.epoch, server_id=table.server_id)
    return really(state, command)


def _any_server_may_report(state: Any, command: Any, really: Any) -> Any:
    table = state.tables.get(command.table_id)
    return really(state, command if table is None else attrs.evolve(command, server_id=table.server_id or ""))


def _hand_counts_again(state: Any, command: Any, really: Any) -> Any:
    table = state.tables.get(command.table_id)
    if table is not None and 1 <= command.hand_no <= len(table.results) and table.server_id == command.server_id:
        scores = tuple(command.scores.get(player, 0) for player in table.seats)
        attempt_no = table.results[command.hand_no - 1][0]
        return (events.HandScored(command.t, command.table_id, command.hand_no, attempt_no, scores, scores),)
    return really(state, command)


def _no_sum_check(state: Any, command: Any, really: Any) -> Any:
    outcome = really(state, command)
    if isinstance(outcome, Refused) and outcome.code == "score_sum":
        seats = state.tables[command.table_id].seats
        scores = tuple(command.scores[player] for player in seats)
        at = (command.t, command.table_id, command.hand_no, command.attempt_no)
        return (events.HandScored(*at, scores, scores),)
    return outcome


def _word_not_remembered(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    del state.said[event.key]


def _payment_not_remembered(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    del state.payments[event.payment_ref]
    offer_no = event.offer_no
    if state.entrants[event.player_id].state == "waiting" and state.stage is not None:
        from coordinator.engine.state import Offer

        state.stage.offers[event.player_id] = Offer(offer_no, event.t + 60_000, event.fee, event.score, ())


def _repeat_at_the_base_of_now(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    for table_id in event.table_ids:
        state.tables[table_id].base_score = state.current.base_score + 1


def _repeat_without_new_attempt(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    for table_id in event.table_ids:
        state.tables[table_id].attempt_no -= 1


def _repeat_without_log(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    for table_id in event.table_ids:
        state.tables[table_id].log = []


def _award_paid_twice(state: Any, event: Any, really: Any) -> None:
    really(state, event)
    state.payouts += [attrs.evolve(due, payout_no=len(state.payouts) + 1) for due in state.payouts[-1:]]


def _refusal_leaves_a_trace(state: Any, command: Any, really: Any) -> Any:
    outcome = really(state, command)
    if isinstance(outcome, Refused):
        state.draw_counter += 1
    return outcome


@contextmanager
def _base_follows_the_wall_clock() -> Iterator[None]:
    """The match clock is the wall clock, jumps and all."""

    def now_ms(self: Desk) -> int:
        wall = self._around.wall_ms()
        started = _started.setdefault(self.match_id, wall - self._last_ms)
        return max(0, wall - started)

    _started: dict[str, int] = {}
    with patch.object(Desk, "now_ms", now_ms):
        yield


@contextmanager
def _elimination_counted_twice() -> Iterator[None]:
    """Who is out is put out once more."""
    really = consequences.follow

    def follow(state: Any, event: Any) -> Any:
        out = really(state, event)
        again = [each for each in out if type(each) is events.PlayersEliminated]
        return (*out, *again)

    def put_out(state: Any, event: Any, really: Any) -> None:
        for player_id in event.players:
            state.current.active.setdefault(player_id, None)
        really(state, event)

    with (
        patch("coordinator.engine.match.follow", follow),
        _evolving(events.PlayersEliminated, put_out)(),
    ):
        yield


@contextmanager
def _tie_broken_by_arrival() -> Iterator[None]:
    """Equal scores are ordered as they happen to stand."""
    from coordinator.engine import ranking

    really = ranking.order

    def order(columns: Any, reg_seq: Any) -> Any:
        return really(columns, [len(reg_seq) - row for row in range(len(reg_seq))])

    with patch.object(ranking, "order", order):
        yield


@contextmanager
def _reinstated_whenever() -> Iterator[None]:
    """A disqualification that is taken back puts the player in again, whatever has been decided since."""
    from coordinator.engine.directing import disqualifying

    with patch.object(disqualifying, "_may_play_on", lambda *about: True):
        yield


@contextmanager
def _lost_server_not_missed() -> Iterator[None]:
    """A table server that stays away keeps its tables for ever."""
    with patch.object(Office, "lose_server", lambda self, server_id, **words: None):
        yield


@contextmanager
def _reseated_on_return() -> Iterator[None]:
    """A snapshot tells the hand in play with another base score."""
    really = Dispatch.table_messages

    def table_messages(self: Dispatch, state: Any, table: Any) -> Any:
        kept, table.base_score = table.base_score, table.base_score + 10
        try:
            return really(self, state, table)
        finally:
            table.base_score = kept

    with patch.object(Dispatch, "table_messages", table_messages):
        yield


@contextmanager
def _payout_renumbered() -> Iterator[None]:
    """What an island owes is told under another number than it was journaled under."""
    from coordinator.shell import dues

    really = dues.due_message

    def renumbered(due: Any) -> Any:
        return really(due if due.payout_no is None else attrs.evolve(due, payout_no=due.payout_no + 1000))

    with patch.object(dues, "due_message", renumbered):
        yield


@contextmanager
def _finished_without_tables() -> Iterator[None]:
    """A match in which nobody plays is taken for one that is finished, though players are still registering."""
    with patch.object(archive, "is_finished", lambda state: not state.tables):
        yield


PLANTED: Mapping[str, Planting] = MappingProxyType(
    {
        "acknowledge before sync": _acknowledge_before_sync,
        "send before sync": _send_before_sync,
        "failed write shrugged off": _failed_write_shrugged_off,
        "snapshot told too soon": _snapshot_told_too_soon,
        "finished without tables": _finished_without_tables,
        "bye forgotten at replay": _replayed(events.TablesSeated, lambda event: attrs.evolve(event, byes=())),
        "attempt forgotten at replay": _replayed(
            events.HandsRepeated, lambda event: attrs.evolve(event, table_ids=event.table_ids[1:])
        ),
        "timer lost at restart": _timer_lost_at_restart,
        "clock runs while down": _clock_runs_while_down,
        "damaged snapshot trusted": _damaged_snapshot_trusted,
        "owners forgotten at restart": _placements_forgotten_at_restart,
        "no duplicate check": _receiving(_takes_again),
        "gap accepted": _receiving(_takes_gaps),
        "off by one at resume": _off_by_one_resume,
        "two sessions alive": _two_sessions_alive,
        "overflow ignored": _overflow_ignored,
        "stale attempt accepted": _deciding(commands.EndHand, _stale_attempt_accepted),
        "any server may report": _deciding(commands.EndHand, _any_server_may_report),
        "hand counts again": _deciding(commands.EndHand, _hand_counts_again),
        "no sum check": _deciding(commands.EndHand, _no_sum_check),
        "refusal leaves a trace": _deciding(commands.EndHand, _refusal_leaves_a_trace),
        "a word not remembered": _evolving(ev.PenaltyGiven, _word_not_remembered),
        "reinstated whenever": _reinstated_whenever,
        "payment not remembered": _evolving(events.PlayerRevived, _payment_not_remembered),
        "repeat at the base of now": _evolving(events.HandsRepeated, _repeat_at_the_base_of_now),
        "repeat without new attempt": _evolving(events.HandsRepeated, _repeat_without_new_attempt),
        "repeat without its log": _evolving(events.HandsRepeated, _repeat_without_log),
        "award paid twice": _evolving(events.PlayersLeft, _award_paid_twice),
        "prize paid twice": _evolving(events.StageEnded, _award_paid_twice),
        "payout renumbered": _payout_renumbered,
        "base follows the wall clock": _base_follows_the_wall_clock,
        "elimination counted twice": _elimination_counted_twice,
        "tie broken by arrival": _tie_broken_by_arrival,
        "lost server not missed": _lost_server_not_missed,
        "hand told otherwise on return": _reseated_on_return,
    }
)
"""Every planted fault by name: a context in which the product has it."""
