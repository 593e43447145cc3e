"""What lobbies ask of matches: to open and start them, and for players to come, go and come back."""

import attrs

from coordinator.engine import commands
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.refusal import Refused
from coordinator.journal.kinds import TOURNEY_PREFIX
from coordinator.shell.desk import Desk
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.requests.answers import SENTENCE, Answers, Result
from coordinator.shell.requests.looking import Reader, check_own, cleaned, desk_of
from protocol import messages
from protocol.errors import WireError

Entering = commands.RegisterPlayer | commands.JoinMatch


class FromLobbies:
    """Reads what lobbies ask of matches."""

    def __init__(self, office: Office, answers: Answers, name_length: int) -> None:
        self._office = office
        self._answers = answers
        self._name_length = name_length
        self.readers: dict[type, Reader] = {
            messages.OpenMatch: self._open_match,
            messages.Register: self._register,
            messages.Withdraw: self._withdraw,
            messages.StartMatch: self._start_match,
            messages.Join: self._join,
            messages.Leave: self._leave,
            messages.Revive: self._revive,
            messages.DeclineRevival: self._decline_revival,
            messages.Received: self._received,
        }

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
                self._answers.refuse(peer, session, message.ref, result)
            else:
                # One that was open before, and is finished, may be let go by now.
                desk = self._office.desks[message.match_id] if open_before is None else open_before
                self._answers.within(
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
        name, desk, roster = cleaned(message, self._name_length), desk_of(self._office, message), tuple(message.roster)
        entering = commands.RegisterPlayer(desk.now_ms(), message.player_id, name, roster=roster, lobby=peer.identity)
        self._enter(peer, message, desk, entering)

    def _join(self, peer: Peer, message: messages.Join) -> None:
        name, desk = cleaned(message, self._name_length), desk_of(self._office, message)
        entering = commands.JoinMatch(desk.now_ms(), message.player_id, name, peer.identity, message.key)
        self._enter(peer, message, desk, entering)

    def _enter(self, peer: Peer, message: messages.Register | messages.Join, desk: Desk, command: Entering) -> None:
        session = peer.session
        # Read when it is decided: when the answer leaves, the state may be ahead of the disk.
        number: int | None = None

        def answer(result: Result) -> None:
            reg_seq = _reg_seq(desk, message.player_id) if number is None else number
            if isinstance(result, Refused):
                self._answers.refuse(peer, session, message.ref, result)
            elif reg_seq is None:  # it was asked again under its key
                gone = Refused("unknown_player", "the player was withdrawn meanwhile", "player_id")
                self._answers.refuse(peer, session, message.ref, gone)
            else:
                self._answers.within(
                    peer, session, messages.Entered(message.ref, message.match_id, message.player_id, reg_seq)
                )

        desk.submit(command, answer)
        number = _reg_seq(desk, message.player_id)

    def _withdraw(self, peer: Peer, message: messages.Withdraw) -> None:
        desk = desk_of(self._office, message)
        desk.submit(commands.WithdrawPlayer(desk.now_ms(), message.player_id), self._answers.done(peer, message.ref))

    def _start_match(self, peer: Peer, message: messages.StartMatch) -> None:
        desk = desk_of(self._office, message)
        desk.submit(commands.StartMatch(desk.now_ms()), self._answers.done(peer, message.ref))

    def _leave(self, peer: Peer, message: messages.Leave) -> None:
        desk = desk_of(self._office, message)
        desk.submit(
            commands.LeaveMatch(desk.now_ms(), message.player_id, message.key), self._answers.done(peer, message.ref)
        )

    def _revive(self, peer: Peer, message: messages.Revive) -> None:
        desk = desk_of(self._office, message)
        command = commands.Revive(
            desk.now_ms(),
            player_id=message.player_id,
            offer_no=message.offer_no,
            payment_ref=message.payment_ref,
            pack=message.pack,
        )
        desk.submit(command, self._answers.done(peer, message.ref))

    def _decline_revival(self, peer: Peer, message: messages.DeclineRevival) -> None:
        desk = desk_of(self._office, message)
        command = commands.DeclineRevival(desk.now_ms(), message.player_id, message.offer_no, message.reason)
        desk.submit(command, self._answers.done(peer, message.ref))

    def _received(self, peer: Peer, message: messages.Received) -> None:
        due = self._office.dues.find(message.key)
        if due is not None:
            check_own(peer, message, "key", due.player_id)
        self._office.dues.confirm(message.key, self._answers.done(peer, message.ref))


def _reg_seq(desk: Desk, player_id: str) -> int | None:
    entrant = desk.state.entrants.get(player_id)
    return None if entrant is None else entrant.reg_seq


def _started_as_asked(definition: MatchDefinition, message: messages.OpenMatch) -> MatchDefinition:
    """The definition with the number of players the request names."""
    if message.full_count is None:
        return definition
    return attrs.evolve(
        definition, start=attrs.evolve(definition.start, mode="when_full", full_count=message.full_count)
    )
