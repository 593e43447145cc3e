"""The one answer that each request gets."""

from collections.abc import Callable

from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from protocol import messages

Result = Outcome | Refused

SENTENCE = 500
"""What the wire takes of a sentence, in characters."""
FIELD = 64
"""What the wire takes of the name of a field, in characters."""


class Answers:
    """Says them. A peer hears answers in the order it asked, each behind what it rests on."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def say(self, peer: Peer, message: messages.Message) -> None:
        """Answer what no desk decides, behind all that was decided before.

        Said at once, it would be lost to a peer whose snapshot still waits for the disk.
        """
        session = peer.session
        self._office.writer.append(None, self.within, peer, session, message)

    def done(self, peer: Peer, ref: int) -> Callable[[Result | TourneyOutcome], None]:
        """Ok, or the error; a notice (``ref`` 0) hears only of an error."""
        session = peer.session

        def answer(result: Result | TourneyOutcome) -> None:
            if isinstance(result, Refused):
                self.refuse(peer, session, ref, result)
            elif ref:
                self.within(peer, session, messages.Ok(ref))

        return answer

    def refuse(self, peer: Peer, session: object, ref: int, refused: Refused) -> None:
        """The error that a refusal is on the wire."""
        field, expected = cut(refused.field, FIELD), cut(refused.expected)
        self.within(peer, session, messages.Error(refused.code, refused.message[:SENTENCE], ref, field, expected))

    def within(self, peer: Peer, session: object, message: messages.Message) -> None:
        """Answer within the session that asked: a newer one asks again what still matters to it."""
        if peer.session is session:
            self._office.peers.send(peer, message)


def cut(text: str | None, most: int = SENTENCE) -> str | None:
    """As much of a text as the wire takes."""
    return None if text is None else text[:most]
