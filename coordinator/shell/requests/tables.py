"""What table servers say: hands and how they go, who is there, and how much room they have."""

from functools import partial
from typing import Literal, cast

import structlog
import trio

from coordinator.engine import commands, events
from coordinator.engine.ladder.ladder_commands import NoteIncident
from coordinator.engine.refusal import Refused
from coordinator.shell.desk import Desk
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.requests.answers import FIELD, Answers, Result, cut
from coordinator.shell.requests.looking import Reader, desk_of
from protocol import messages
from protocol.errors import WireError

VerdictWord = Literal["scored", "duplicate", "stale_epoch", "stale_attempt", "late", "conflict", "invalid"]

_VERDICTS: frozenset[str] = frozenset({"duplicate", "stale_epoch", "stale_attempt", "late", "conflict"})

_log = structlog.get_logger(__name__)


class FromTables:
    """Reads what table servers say."""

    def __init__(self, office: Office, answers: Answers) -> None:
        self._office = office
        self._answers = answers
        self.readers: dict[type, Reader] = {
            messages.HandEnded: self._hand_ended,
            messages.Actions: self._actions,
            messages.HandStarted: self._hand_started,
            messages.SeatPresence: self._seat_presence,
            messages.RoundAborted: self._round_aborted,
            messages.Capacity: self._capacity,
            messages.Incident: self._incident,
        }

    def _hand_ended(self, peer: Peer, message: messages.HandEnded) -> None:
        desk = desk_of(self._office, message)
        self._check_owner(desk, peer, message)
        command = commands.EndHand(
            desk.now_ms(),
            peer.identity,
            message.table_id,
            message.epoch,
            message.hand_no,
            message.attempt_no,
            message.scores,
            tuple(message.dropped),
        )
        desk.submit(command, partial(self._verdict, peer, peer.session, message))

    def _check_owner(self, desk: Desk, peer: Peer, message: messages.HandEnded) -> None:
        """The rules refuse a report of another server's table. A late one bears an old epoch: this one was made up."""
        state, number = desk.state, message.table_id
        table = state.tables.get(number) or state.closed_tables.get(number)
        if table is None or table.server_id in (None, peer.identity) or message.epoch < table.epoch:
            return
        if not peer.paces.trespasses.take(trio.current_time()):
            raise WireError("trespass", field="table_id", ref=message.ref)

    def _verdict(self, peer: Peer, session: object, message: messages.HandEnded, result: Result) -> None:
        word: VerdictWord = "invalid"
        field = expected = text = None
        if isinstance(result, Refused):
            if result.code == "internal":
                # Not a word about the hand: it is told again when the match goes on.
                self._answers.refuse(peer, session, message.ref, result)
                return
            if result.code in _VERDICTS:
                word = cast("VerdictWord", result.code)
            field, expected, text = cut(result.field, FIELD), cut(result.expected), cut(result.message)
        elif type(result.events[0]) is events.ResultParked:
            word, text = "conflict", "another result of this hand counts; a director will look"
        else:
            word = "scored"
            peer.hands += 1
        self._office.verdicts[word] = self._office.verdicts.get(word, 0) + 1
        if word == "invalid":
            _log_invalid(peer, message, field, text)
        self._answers.within(
            peer,
            session,
            messages.Verdict(
                message.ref,
                message.match_id,
                message.table_id,
                message.hand_no,
                message.attempt_no,
                word,
                field,
                expected,
                text,
            ),
        )

    def _actions(self, peer: Peer, message: messages.Actions) -> None:
        desk = desk_of(self._office, message)
        command = commands.RecordActions(
            desk.now_ms(),
            peer.identity,
            message.table_id,
            message.epoch,
            message.hand_no,
            message.attempt_no,
            message.first,
            tuple(message.actions),
        )
        desk.submit(command, self._answers.done(peer, message.ref))

    def _hand_started(self, peer: Peer, message: messages.HandStarted) -> None:
        """For show: it decides nothing."""
        desk_of(self._office, message)
        if message.ref:
            self._answers.say(peer, messages.Ok(message.ref))

    def _seat_presence(self, peer: Peer, message: messages.SeatPresence) -> None:
        """R-RC-01: presence decides no hand; the rules may ask for it when a stage ends."""
        desk = desk_of(self._office, message)
        command = commands.NotePresence(
            desk.now_ms(), peer.identity, message.table_id, message.player_id, message.present
        )
        desk.submit(command, self._answers.done(peer, message.ref))

    def _round_aborted(self, peer: Peer, message: messages.RoundAborted) -> None:
        desk = desk_of(self._office, message)
        command = commands.AbortRound(desk.now_ms(), peer.identity, message.table_id, message.epoch, message.reason)
        desk.submit(command, self._answers.done(peer, message.ref))

    def _capacity(self, peer: Peer, message: messages.Capacity) -> None:
        peer.capacity = message.capacity
        self._office.peers.drain(peer, message.drain)
        self._office.room_somewhere()  # for this server's tables elsewhere, when it drains
        if message.ref:
            self._answers.say(peer, messages.Ok(message.ref))

    def _incident(self, peer: Peer, message: messages.Incident) -> None:
        desk = desk_of(self._office, message)
        command = NoteIncident(
            desk.now_ms(),
            peer.identity,
            message.table_id,
            message.epoch,
            message.incident_no,
            message.kind,
            message.player_id,
        )
        desk.submit(command, self._answers.done(peer, message.ref))


def _log_invalid(peer: Peer, message: messages.HandEnded, field: str | None, why: str | None) -> None:
    """A table whose reports are refused stands still until its server is mended: the operator is told why.

    Of one server the first is told, the second, the fourth, the eighth …, so that none can fill the log.
    """
    peer.invalid += 1
    if peer.invalid & (peer.invalid - 1):
        return
    _log.warning(
        "report invalid",
        match=message.match_id,
        table=message.table_id,
        hand=message.hand_no,
        server=peer.identity,
        field=field,
        why=why,
        so_far=peer.invalid,
    )
