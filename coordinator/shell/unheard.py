"""What a peer has said and the coordinator has not heard yet, in the order it was said."""

from collections import deque

import attrs

from protocol.errors import WireError
from protocol.messages import Message
from protocol.session import Session


@attrs.define(eq=False)
class Said:
    """What is left to be heard of one frame of ``size`` bytes.

    ``settles`` is the number up to which it settles its session; None where it is not numbered, or came before.
    ``looked_up`` names a match that the first message needed, ``fetching`` holds while that is read back.
    Room is set aside for the answers to the next ``answerable`` messages; ``answers_due`` are the bytes that were set
    aside and whose answers are not known to be there.
    """

    session: Session
    messages: deque[Message | WireError]
    size: int
    settles: int | None
    looked_up: str | None = None
    fetching: bool = False
    answerable: int = 0
    answers_due: int = 0

    def pop(self) -> Message | WireError:
        """The next message, which is heard now."""
        self.looked_up = None
        self.answerable -= 1
        return self.messages.popleft()


class Unheard:
    """The frames of one peer that wait to be heard, the oldest first. ``size`` is what they took on the wire."""

    __slots__ = ("_frames", "size")

    def __init__(self) -> None:
        self._frames: deque[Said] = deque()
        self.size = 0

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first(self) -> Said | None:
        """The frame that is heard next."""
        return self._frames[0] if self._frames else None

    def append(self, frame: Said) -> None:
        """One more frame came."""
        self._frames.append(frame)
        self.size += frame.size

    def remove(self, frame: Said) -> None:
        """A frame was heard to its end; nothing happens if all were given up meanwhile."""
        if self.first is frame:
            self._frames.popleft()
            self.size -= frame.size

    def clear(self) -> None:
        """Nothing of it will be heard: the session that it was said in is over."""
        self._frames.clear()
        self.size = 0
