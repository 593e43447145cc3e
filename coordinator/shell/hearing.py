"""What peers say is heard in the order they say it: at once, or as soon as that can be done.

Theory of operation
    A frame is heard message by message. It waits, and all that its peer says after it, in two cases: a match that it
    is about is read back from the journal; or the peer has not made room yet for the answers. An answer that does
    not fit into a session's window would end the session; the peer would come back, say the same again, and hear as
    little. So a message is heard only where its answer fits: beside what the peer has not acknowledged, and beside
    the answers that wait for the disk. Acknowledgements are read whether or not a frame waits, so that room comes.

    What waits is not acknowledged, so that a peer that counts its credit stops by itself; one that does not is cut.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Final

from coordinator.errors import CoordinatorError
from coordinator.shell.connection import log_bug
from coordinator.shell.office import Office
from coordinator.shell.peers import FRAME_BYTES, Peer
from coordinator.shell.requests import Requests
from coordinator.shell.unheard import Said
from protocol.errors import WireError
from protocol.messages import Bye, ListInstances, ListTargets, Message, Received
from protocol.session import Session

ANSWER_BYTES: Final = 256
"""Set aside for an answer until it is there; the longest sentence of an error takes twice as much, an ok a tenth."""

UNHEARD_BYTES: Final = 1 << 22
"""What one peer may have said that is not heard yet; with more it is cut, and resumes."""

_LONG_ANSWERS: Final = frozenset({ListInstances, ListTargets})


class Hearing:
    """Carries out what peers say. All of it is synchronous.

    ``farewell`` is called when a peer says bye, ``refuse`` for what cannot be done, ``flush`` after something was heard
    that had waited for the journal: nobody else would send what came of it.
    """

    def __init__(
        self,
        office: Office,
        requests: Requests,
        *,
        unheard_frames: int,
        farewell: Callable[[Peer], None],
        refuse: Callable[[Peer, WireError], None],
        flush: Callable[[], None],
    ) -> None:
        self._office = office
        self._requests = requests
        self._unheard_frames = unheard_frames
        self._farewell = farewell
        self._refuse = refuse
        self._flush = flush
        self._crowded: dict[Peer, None] = {}
        """Peers with something that waits for room."""

    def check_credit(self, peer: Peer) -> None:
        """Whether a peer may say more. Raises WireError ``too_many_unacknowledged``."""
        if len(peer.unheard) >= self._unheard_frames or peer.unheard.size > UNHEARD_BYTES:
            raise WireError("too_many_unacknowledged")

    def hear(self, peer: Peer, session: Session, said: list[Message | WireError], size: int, seq: int | None) -> None:
        """A peer said these in one frame of ``size`` bytes, which settles the session up to ``seq``.

        ``seq`` is None where the frame is not numbered, or came before.
        """
        if not said and seq is None:
            # Nothing but an acknowledgement: there is no end of them, and none is acknowledged.
            return
        peer.unheard.append(Said(session, deque(said), size, seq))
        if len(peer.unheard) == 1:
            self._go_on(peer)

    def hear_the_crowded(self) -> None:
        """Go on with those who have made room."""
        if self._crowded:
            crowded, self._crowded = self._crowded, {}
            for peer in crowded:
                self._go_on(peer)

    def _go_on(self, peer: Peer) -> None:
        """Hear what a peer has said, as far as that can be done now."""
        unheard = peer.unheard
        try:
            while (frame := unheard.first) is not None and frame.session is peer.session and self._hear(peer, frame):
                unheard.remove(frame)
        except Exception as error:
            # As where the socket is read: a mistake of ours ends what one peer says, and nothing else.
            self._break_off(peer, error)
        if unheard.first is not None and unheard.first.session is not peer.session:
            unheard.clear()

    def _hear(self, peer: Peer, frame: Said) -> bool:
        """Do what a frame asks; False: some of it is left, and waits."""
        archive, session = self._office.archive, frame.session
        while frame.messages:
            if frame.fetching or (not frame.answerable and not self._make_room(peer, frame)):
                return False
            message = frame.messages[0]
            match_id = self._match_of(message)
            if match_id is not None and match_id != frame.looked_up and archive.lacks(match_id):
                frame.looked_up, frame.fetching = match_id, True
                archive.fetch(match_id, partial(self._fetched, peer, frame))
                return False
            frame.pop()
            if isinstance(message, WireError):
                self._refuse(peer, message)
            elif isinstance(message, Bye):
                self._farewell(peer)
                return True
            else:
                try:
                    self._requests.read(peer, message)
                except WireError as error:
                    self._refuse(peer, error)
            if peer.session is not session:
                return True
        self._settle(peer, frame, frame.settles)
        return True

    # --- room for answers -------------------------------------------------------------------------------------------

    def _make_room(self, peer: Peer, frame: Said) -> bool:
        """Set room aside for the answers to all that is left of a frame, or to its next message at least."""
        if self._set_aside(peer, frame, len(frame.messages)) or self._set_aside(peer, frame, 1):
            return True
        # What its answers wait for may be on disk already.
        self._settle(peer, frame, None)
        if self._set_aside(peer, frame, 1):
            return True
        self._crowded[peer] = None
        return False

    def _set_aside(self, peer: Peer, frame: Said, count: int) -> bool:
        """Set room aside for the next ``count`` answers if they fit; where nothing else is on its way, one must."""
        long = sum(type(message) in _LONG_ANSWERS for message in islice(frame.messages, count))
        due = count * ANSWER_BYTES + long * (FRAME_BYTES - ANSWER_BYTES)
        fits = frame.session.room_bytes >= peer.answers_due + due
        if fits or (count == 1 and frame.session.is_empty and not peer.answers_due):
            frame.answerable = count
            frame.answers_due += due
            peer.answers_due += due
            return True
        return False

    def _settle(self, peer: Peer, frame: Said, seq: int | None) -> None:
        """Once all that a frame has asked for so far is on disk its answers are there, and it may be acknowledged."""
        if frame.answers_due or seq is not None:
            due, frame.answers_due = frame.answers_due, 0
            self._office.writer.append(None, self._settled, peer, frame.session, due, seq)

    def _settled(self, peer: Peer, session: Session, due: int, seq: int | None) -> None:
        if seq is not None:
            session.settle(seq)
        if peer.session is session:
            peer.answers_due -= due
            self._office.peers.received(peer)

    # --- matches that are not in memory -----------------------------------------------------------------------------

    def _match_of(self, message: Message | WireError) -> str | None:
        """The match that a message is about."""
        if isinstance(message, Received):
            return self._office.dues.match_of(message.key)
        return getattr(message, "match_id", None)

    def _fetched(self, peer: Peer, frame: Said, failure: CoordinatorError | None) -> None:
        """What a frame waited for is in memory, or nowhere: go on with it, and with what the peer has said since."""
        frame.fetching = False
        if peer.unheard.first is not frame:
            return  # the session it was said in is over
        if failure is not None:
            message = frame.pop()
            self._refuse(peer, WireError("internal", str(failure), ref=getattr(message, "ref", 0)))
        self._go_on(peer)
        self._flush()

    def _break_off(self, peer: Peer, error: Exception) -> None:
        peer.session = None
        if peer.conn is not None:
            peer.conn.fail(error)
        else:
            log_bug(error, f"what {peer.identity} said before it went")
