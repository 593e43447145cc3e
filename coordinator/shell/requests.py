"""From messages to commands, and from outcomes to the one answer each request gets."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, cast

import attrs
import structlog
import trio

from coordinator.engine import commands, events
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.ladder.asking import targets
from coordinator.engine.ladder.ladder_commands import NoteIncident
from coordinator.engine.ladder.ladder_events import ChallengeIssued
from coordinator.engine.ladder.looking import newest_between, running, unknown_team
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.journal.kinds import TOURNEY_PREFIX
from coordinator.shell import ladder_requests, rulings
from coordinator.shell.desk import Desk
from coordinator.shell.office import DAMAGED, Office
from coordinator.shell.peers import Peer
from protocol import messages
from protocol.errors import WireError
from protocol.names import NAME_LENGTH_MAX, clean_name

_log = structlog.get_logger(__name__)

Result = Outcome | Refused
Entering = commands.RegisterPlayer | commands.JoinMatch
VerdictWord = Literal["scored", "duplicate", "stale_epoch", "stale_attempt", "late", "conflict", "invalid"]

SENTENCE = 500
"""What the wire takes of a sentence, in characters."""
INSTANCES_TOLD = 1_000
"""What one answer holds of the instances there are."""
FIELD = 64
"""What the wire takes of the name of a field, in characters."""

_VERDICTS: frozenset[str] = frozenset({"duplicate", "stale_epoch", "stale_attempt", "late", "conflict"})


class Requests:
    """Reads what peers ask, by message type. Raises WireError for what no desk needs to see."""

    def __init__(self, office: Office, *, name_length: int = NAME_LENGTH_MAX) -> None:
        self._office = office
        self._name_length = name_length
        self._read: dict[type, tuple[messages.Role, Callable[[Peer, Any], None]]] = {
            messages.HandEnded: ("table", self._hand_ended),
            messages.Actions: ("table", self._actions),
            messages.HandStarted: ("table", self._hand_started),
            messages.SeatPresence: ("table", self._seat_presence),
            messages.RoundAborted: ("table", self._round_aborted),
            messages.Capacity: ("table", self._capacity),
            messages.OpenMatch: ("lobby", self._open_match),
            messages.Register: ("lobby", self._register),
            messages.Withdraw: ("lobby", self._withdraw),
            messages.StartMatch: ("lobby", self._start_match),
            messages.Join: ("lobby", self._join),
            messages.Leave: ("lobby", self._leave),
            messages.Revive: ("lobby", self._revive),
            messages.DeclineRevival: ("lobby", self._decline_revival),
            messages.Enter: ("lobby", self._enter_tourney),
            messages.WithdrawEntry: ("lobby", self._withdraw_entry),
            messages.ListInstances: ("lobby", self._list_instances),
            messages.Received: ("lobby", self._received),
            messages.Subscribe: ("spectator", self._subscribe),
            messages.Ruling: ("director", self._rule),
            messages.Incident: ("table", self._incident),
            messages.IssueChallenge: ("lobby", self._challenge),
            messages.ListTargets: ("lobby", self._list_targets),
            **dict.fromkeys(ladder_requests.PLAIN, ("lobby", self._of_ladder)),
        }

    def read(self, peer: Peer, message: messages.Message) -> None:
        """Do what a message asks. Raises WireError ``not_allowed``, ``unknown_match`` or ``trespass``."""
        role, read = self._read[type(message)]
        if role not in peer.roles:
            raise WireError("not_allowed", f"only a {role} may send this", field="type", ref=_ref(message))
        if role in ("lobby", "director"):
            self._check_realm(peer, message)
        read(peer, message)

    def _check_realm(self, peer: Peer, message: Any) -> None:
        """Who has a realm acts for nobody but its own. Raises WireError ``not_allowed``."""
        # What names no player is about the match as a whole; what names neither changes nothing.
        names = ("player_id", "match_id")
        field = next((name for name in names if getattr(message, name, None) is not None), None)
        if field is not None:
            self._check_own(peer, message, field, getattr(message, field))

    def _check_own(self, peer: Peer, message: Any, field: str, name: str) -> None:
        if peer.realm and not name.startswith(f"{peer.realm}:"):
            raise WireError(
                "not_allowed",
                f"{peer.identity} acts for {peer.realm!r} alone",
                field=field,
                expected=f"an id that begins with {peer.realm}:",
                ref=_ref(message),
            )

    def _desk(self, message: Any) -> Desk:
        desk = self._office.desks.get(message.match_id)
        self._office.archive.use(message.match_id)
        if desk is None and message.match_id in self._office.damaged:
            # Nothing is decided about what is asked, so that it is asked again when the match goes on.
            raise WireError("internal", DAMAGED, field="match_id", ref=_ref(message))
        if desk is None:
            raise WireError(
                "unknown_match",
                f"there is no match {message.match_id!r}",
                field="match_id",
                ref=_ref(message),
            )
        return desk

    # --- table servers ----------------------------------------------------------------------------------------------

    def _hand_ended(self, peer: Peer, message: messages.HandEnded) -> None:
        desk = self._desk(message)
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
                self._refuse(peer, session, message.ref, result)
                return
            if result.code in _VERDICTS:
                word = cast("VerdictWord", result.code)
            field, expected, text = _cut(result.field, FIELD), _cut(result.expected), _cut(result.message)
        elif type(result.events[0]) is events.ResultParked:
            word, text = "conflict", "another result of this hand counts; a director will look"
        else:
            word = "scored"
            peer.hands += 1
        self._office.verdicts[word] = self._office.verdicts.get(word, 0) + 1
        if word == "invalid":
            _log_invalid(peer, message, field, text)
        self._answer(
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
        desk = self._desk(message)
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
        desk.submit(command, self._done(peer, message.ref))

    def _hand_started(self, peer: Peer, message: messages.HandStarted) -> None:
        """For show: it decides nothing."""
        self._desk(message)
        if message.ref:
            self.answer(peer, messages.Ok(message.ref))

    def _seat_presence(self, peer: Peer, message: messages.SeatPresence) -> None:
        """R-RC-01: presence decides no hand; the rules may ask for it when a stage ends."""
        desk = self._desk(message)
        command = commands.NotePresence(
            desk.now_ms(), peer.identity, message.table_id, message.player_id, message.present
        )
        desk.submit(command, self._done(peer, message.ref))

    def _round_aborted(self, peer: Peer, message: messages.RoundAborted) -> None:
        desk = self._desk(message)
        command = commands.AbortRound(desk.now_ms(), peer.identity, message.table_id, message.epoch, message.reason)
        desk.submit(command, self._done(peer, message.ref))

    def _capacity(self, peer: Peer, message: messages.Capacity) -> None:
        peer.capacity = message.capacity
        self._office.peers.drain(peer, message.drain)
        self._office.room_somewhere()  # for this server's tables elsewhere, when it drains
        if message.ref:
            self.answer(peer, messages.Ok(message.ref))

    # --- lobbies ----------------------------------------------------------------------------------------------------

    def _open_match(self, peer: Peer, message: messages.OpenMatch) -> None:
        if message.seed is not None and not peer.may_seed:
            raise WireError("not_allowed", "who chooses the seed knows every deal", field="seed", ref=message.ref)
        self._leave_to_tourneys(message)
        definition = self._office.definitions.get(message.definition)
        if definition is None:
            known = ", ".join(self._office.definitions) or "none"
            raise WireError(
                "unknown_definition",
                f"no definition {message.definition!r} is loaded",
                field="definition",
                expected=f"one of: {known}"[:SENTENCE],
                ref=message.ref,
            )
        least = definition.start.min_players
        if message.full_count is not None and message.full_count < least:
            raise WireError(
                "field_too_small",
                f"{definition.id!r} is not played by {message.full_count} players",
                field="full_count",
                expected=f"at least {least}",
                ref=message.ref,
            )
        definition = _started_as_asked(definition, message)
        session, open_before = peer.session, self._office.desks.get(message.match_id)

        def answer(result: Result) -> None:
            if isinstance(result, Refused):
                self._refuse(peer, session, message.ref, result)
            else:
                # One that was open before, and is finished, may be let go by now.
                desk = self._office.desks[message.match_id] if open_before is None else open_before
                self._answer(
                    peer,
                    session,
                    messages.MatchOpened(message.ref, message.match_id, message.definition, desk.state.commitment),
                )

        self._office.open_match(message.match_id, definition, message.seed, answer, lobby=peer.identity)

    def _leave_to_tourneys(self, message: messages.OpenMatch) -> None:
        """Names that a tourney may give to one of its matches are not for others to take."""
        owner = message.match_id.partition(".")[0]
        if owner in self._office.tourneys.desks or message.match_id.startswith(TOURNEY_PREFIX):
            raise WireError(
                "reserved_id",
                f"{message.match_id!r} is for a tourney to give",
                field="match_id",
                expected="an id that does not begin with that of a tourney",
                ref=message.ref,
            )

    def _register(self, peer: Peer, message: messages.Register) -> None:
        name, desk, roster = _cleaned(message, self._name_length), self._desk(message), tuple(message.roster)
        entering = commands.RegisterPlayer(desk.now_ms(), message.player_id, name, roster=roster, lobby=peer.identity)
        self._enter(peer, message, desk, entering)

    def _join(self, peer: Peer, message: messages.Join) -> None:
        name, desk = _cleaned(message, self._name_length), self._desk(message)
        entering = commands.JoinMatch(desk.now_ms(), message.player_id, name, peer.identity, message.key)
        self._enter(peer, message, desk, entering)

    def _enter(self, peer: Peer, message: messages.Register | messages.Join, desk: Desk, command: Entering) -> None:
        session = peer.session
        # Read when it is decided: when the answer leaves, the state may be ahead of the disk.
        number: int | None = None

        def answer(result: Result) -> None:
            reg_seq = _reg_seq(desk, message.player_id) if number is None else number
            if isinstance(result, Refused):
                self._refuse(peer, session, message.ref, result)
            elif reg_seq is None:  # it was asked again under its key
                gone = Refused("unknown_player", "the player was withdrawn meanwhile", "player_id")
                self._refuse(peer, session, message.ref, gone)
            else:
                self._answer(peer, session, messages.Entered(message.ref, message.match_id, message.player_id, reg_seq))

        desk.submit(command, answer)
        number = _reg_seq(desk, message.player_id)

    def _withdraw(self, peer: Peer, message: messages.Withdraw) -> None:
        desk = self._desk(message)
        desk.submit(commands.WithdrawPlayer(desk.now_ms(), message.player_id), self._done(peer, message.ref))

    def _start_match(self, peer: Peer, message: messages.StartMatch) -> None:
        desk = self._desk(message)
        desk.submit(commands.StartMatch(desk.now_ms()), self._done(peer, message.ref))

    def _leave(self, peer: Peer, message: messages.Leave) -> None:
        desk = self._desk(message)
        desk.submit(commands.LeaveMatch(desk.now_ms(), message.player_id, message.key), self._done(peer, message.ref))

    def _revive(self, peer: Peer, message: messages.Revive) -> None:
        desk = self._desk(message)
        command = commands.Revive(
            desk.now_ms(),
            player_id=message.player_id,
            offer_no=message.offer_no,
            payment_ref=message.payment_ref,
            pack=message.pack,
        )
        desk.submit(command, self._done(peer, message.ref))

    def _decline_revival(self, peer: Peer, message: messages.DeclineRevival) -> None:
        desk = self._desk(message)
        command = commands.DeclineRevival(desk.now_ms(), message.player_id, message.offer_no, message.reason)
        desk.submit(command, self._done(peer, message.ref))

    # --- a ladder ---------------------------------------------------------------------------------------------------

    def _of_ladder(self, peer: Peer, message: Any) -> None:
        desk = self._desk(message)
        desk.submit(ladder_requests.command_of(message, desk.now_ms()), self._done(peer, message.ref))

    def _incident(self, peer: Peer, message: messages.Incident) -> None:
        desk = self._desk(message)
        command = NoteIncident(
            desk.now_ms(),
            peer.identity,
            message.table_id,
            message.epoch,
            message.incident_no,
            message.kind,
            message.player_id,
        )
        desk.submit(command, self._done(peer, message.ref))

    def _challenge(self, peer: Peer, message: messages.IssueChallenge) -> None:
        desk, session = self._desk(message), peer.session

        def answer(result: Result) -> None:
            if isinstance(result, Refused):
                self._refuse(peer, session, message.ref, result)
                return
            issued = [event for event in result.events if isinstance(event, ChallengeIssued)]
            number = issued[0].challenge_no if issued else newest_between(desk.state, message.team, message.defender)
            self._answer(peer, session, messages.Challenged(message.ref, message.match_id, number))

        desk.submit(ladder_requests.command_of(message, desk.now_ms()), answer)

    def _list_targets(self, peer: Peer, message: messages.ListTargets) -> None:
        desk = self._desk(message)
        ladder = running(desk.state)
        wrong = ladder if isinstance(ladder, Refused) else unknown_team(desk.state, message.team)
        if isinstance(ladder, Refused) or wrong is not None:
            assert wrong is not None
            raise WireError(wrong.code, wrong.message, field=wrong.field, expected=wrong.expected, ref=message.ref)
        found = list(targets(desk.state, message.team, desk.now_ms()))
        told = messages.Targets(message.ref, message.match_id, message.team, ladder.rank(message.team), found)
        self.answer(peer, told)

    # --- lobbies and tourneys ---------------------------------------------------------------------------------------

    def _enter_tourney(self, peer: Peer, message: messages.Enter) -> None:
        name, session = _cleaned(message, self._name_length), peer.session

        def answer(result: TourneyOutcome | Refused) -> None:
            if isinstance(result, Refused):
                field = "at" if result.field == "instance_id" else result.field
                self._refuse(peer, session, message.ref, attrs.evolve(result, field=field))
                return
            taken = self._office.tourneys.entry_of(message.at, message.player_id, result)
            if taken is None:
                gone = Refused("unknown_player", "the player was withdrawn meanwhile", "player_id")
                self._refuse(peer, session, message.ref, gone)
                return
            instance, entry = taken
            self._answer(
                peer,
                session,
                messages.EntryTaken(
                    message.ref,
                    instance.instance_id,
                    message.player_id,
                    entry.reg_seq,
                    entry.match,
                    instance.start_at,
                ),
            )

        self._office.tourneys.enter(message, name, peer.identity, answer)

    def _withdraw_entry(self, peer: Peer, message: messages.WithdrawEntry) -> None:
        done = self._done(peer, message.ref)
        self._office.tourneys.withdraw(message.instance_id, message.player_id, done)

    def _list_instances(self, peer: Peer, message: messages.ListInstances) -> None:
        tourneys = self._office.tourneys
        if message.tourney_id is not None and message.tourney_id not in tourneys.desks:
            raise WireError(
                "unknown_tourney",
                f"there is no tourney {message.tourney_id!r}",
                field="tourney_id",
                expected=f"one of: {', '.join(tourneys.desks) or 'none'}"[:SENTENCE],
                ref=message.ref,
            )
        found = tourneys.instance_rows(message.tourney_id)[:INSTANCES_TOLD]
        self.answer(peer, messages.Instances(message.ref, found))

    def _received(self, peer: Peer, message: messages.Received) -> None:
        due = self._office.dues.find(message.key)
        if due is not None:
            self._check_own(peer, message, "key", due.player_id)
        self._office.dues.confirm(message.key, self._done(peer, message.ref))

    # --- directors --------------------------------------------------------------------------------------------------

    def _rule(self, peer: Peer, message: messages.Ruling) -> None:
        desk = self._desk(message)
        desk.submit(rulings.command_of(message, desk.now_ms()), self._done(peer, message.ref))

    # --- spectators -------------------------------------------------------------------------------------------------

    def _subscribe(self, peer: Peer, message: messages.Subscribe) -> None:
        self._desk(message)
        peer.watching[message.match_id] = -1
        self.answer(peer, messages.Ok(message.ref))

    # --- answers ----------------------------------------------------------------------------------------------------

    def answer(self, peer: Peer, message: messages.Message) -> None:
        """Answer what no desk decides, behind all that was decided before: a peer hears answers in the order it asked.

        Said at once, it would be lost to a peer whose snapshot still waits for the disk.
        """
        session = peer.session
        self._office.writer.append(None, self._answer, peer, session, message)

    def _done(self, peer: Peer, ref: int) -> Callable[[Result | TourneyOutcome], None]:
        """Ok, or the error; a notice (``ref`` 0) hears only of an error."""
        session = peer.session

        def answer(result: Result | TourneyOutcome) -> None:
            if isinstance(result, Refused):
                self._refuse(peer, session, ref, result)
            elif ref:
                self._answer(peer, session, messages.Ok(ref))

        return answer

    def _refuse(self, peer: Peer, session: object, ref: int, refused: Refused) -> None:
        self._answer(
            peer,
            session,
            messages.Error(
                refused.code,
                refused.message[:SENTENCE],
                ref,
                _cut(refused.field, FIELD),
                _cut(refused.expected),
            ),
        )

    def _answer(self, peer: Peer, session: object, message: messages.Message) -> None:
        """Answer within the session that asked: a newer one asks again what still matters to it."""
        if peer.session is session:
            self._office.peers.send(peer, message)


def _cleaned(message: messages.Register | messages.Join | messages.Enter, longest: int) -> str:
    """The name of a player as it may be shown. Raises WireError."""
    try:
        return clean_name(message.name, longest)
    except WireError as error:
        raise WireError(error.code, error.message, field="name", expected=error.expected, ref=message.ref) from None


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


def _reg_seq(desk: Desk, player_id: str) -> int | None:
    entrant = desk.state.entrants.get(player_id)
    return None if entrant is None else entrant.reg_seq


def _cut(text: str | None, most: int = SENTENCE) -> str | None:
    """As much of a text as the wire takes."""
    return None if text is None else text[:most]


def _ref(message: messages.Message) -> int:
    return getattr(message, "ref", 0)


def _started_as_asked(definition: MatchDefinition, message: messages.OpenMatch) -> MatchDefinition:
    """The definition with the number of players the request names."""
    if message.full_count is None:
        return definition
    return attrs.evolve(
        definition, start=attrs.evolve(definition.start, mode="when_full", full_count=message.full_count)
    )
