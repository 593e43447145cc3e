"""What lobbies ask of tourneys."""

import attrs

from coordinator.engine.refusal import Refused
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.requests.answers import SENTENCE, Answers
from coordinator.shell.requests.looking import Reader, cleaned
from protocol import messages
from protocol.errors import WireError

INSTANCES_TOLD = 1_000
"""What one answer holds of the instances there are."""


class OfTourneys:
    """Reads what lobbies ask of tourneys."""

    def __init__(self, office: Office, answers: Answers, name_length: int) -> None:
        self._office = office
        self._answers = answers
        self._name_length = name_length
        self.readers: dict[type, Reader] = {
            messages.Enter: self._enter_tourney,
            messages.WithdrawEntry: self._withdraw_entry,
            messages.ListInstances: self._list_instances,
        }

    def _enter_tourney(self, peer: Peer, message: messages.Enter) -> None:
        name, session = cleaned(message, self._name_length), peer.session

        def answer(result: TourneyOutcome | Refused) -> None:
            if isinstance(result, Refused):
                field = "at" if result.field == "instance_id" else result.field
                self._answers.refuse(peer, session, message.ref, attrs.evolve(result, field=field))
                return
            taken = self._office.tourneys.entry_of(message.at, message.player_id, result)
            if taken is None:
                gone = Refused("unknown_player", "the player was withdrawn meanwhile", "player_id")
                self._answers.refuse(peer, session, message.ref, gone)
                return
            instance, entry = taken
            self._answers.within(
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
        done = self._answers.done(peer, message.ref)
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
        self._answers.say(peer, messages.Instances(message.ref, found))
