"""From messages to commands, and from outcomes to the one answer each request gets.

Here it is said who may ask what; what is done then stands by who asks, and of what.
"""

from typing import Any

from coordinator.shell import rulings
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.requests.answers import Answers
from coordinator.shell.requests.ladders import OfLadders
from coordinator.shell.requests.lobbies import FromLobbies
from coordinator.shell.requests.looking import Reader, check_own, desk_of, ref_of
from coordinator.shell.requests.tables import FromTables
from coordinator.shell.requests.tourneys import OfTourneys
from protocol import messages
from protocol.errors import WireError
from protocol.names import NAME_LENGTH_MAX


class Requests:
    """Reads what peers ask, by message type. Raises WireError for what no desk needs to see."""

    def __init__(self, office: Office, *, name_length: int = NAME_LENGTH_MAX) -> None:
        self._office = office
        self._answers = answers = Answers(office)
        by_role: dict[messages.Role, dict[type, Reader]] = {
            "table": FromTables(office, answers).readers,
            "lobby": {
                **FromLobbies(office, answers, name_length).readers,
                **OfLadders(office, answers).readers,
                **OfTourneys(office, answers, name_length).readers,
            },
            "spectator": {messages.Subscribe: self._subscribe},
            "director": {messages.Ruling: self._rule},
        }
        self._read = {kind: (role, read) for role, readers in by_role.items() for kind, read in readers.items()}

    def read(self, peer: Peer, message: messages.Message) -> None:
        """Do what a message asks. Raises WireError ``not_allowed``, ``unknown_match`` or ``trespass``."""
        role, read = self._read[type(message)]
        if role not in peer.roles:
            raise WireError("not_allowed", f"only a {role} may send this", field="type", ref=ref_of(message))
        if role in ("lobby", "director"):
            self._check_realm(peer, message)
        read(peer, message)

    def _check_realm(self, peer: Peer, message: Any) -> None:
        """Who has a realm acts for nobody but its own. Raises WireError ``not_allowed``."""
        # What names no player is about the match as a whole; what names neither changes nothing.
        names = ("player_id", "match_id")
        field = next((name for name in names if getattr(message, name, None) is not None), None)
        if field is not None:
            check_own(peer, message, field, getattr(message, field))

    def _rule(self, peer: Peer, message: messages.Ruling) -> None:
        desk = desk_of(self._office, message)
        desk.submit(rulings.command_of(message, desk.now_ms()), self._answers.done(peer, message.ref))

    def _subscribe(self, peer: Peer, message: messages.Subscribe) -> None:
        desk_of(self._office, message)
        peer.watching[message.match_id] = -1
        self._answers.say(peer, messages.Ok(message.ref))

    def answer(self, peer: Peer, message: messages.Message) -> None:
        """Answer what no desk decides, behind all that was decided before."""
        self._answers.say(peer, message)
