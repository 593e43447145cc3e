"""Sessions that keep a list: what went in at one end must come out at the other, once and in order."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from protocol import messages as m
from protocol.codec import Direction, decode_frame, decode_message
from protocol.errors import WireError
from protocol.session import Session, Side
from tests.sim.auditor import Auditor

MOMENTS: Mapping[type, str] = MappingProxyType(
    {
        m.Verdict: "acknowledged",
        m.Seat: "seated",
        m.HistoryEnd: "snapshot told",
        m.RevivalOffer: "offered",
        m.MatchOver: "over",
    }
)


class Ledger:
    """What was said in each session, in both directions, and how much of it was read."""

    def __init__(self, auditor: Auditor) -> None:
        self.auditor = auditor
        self.said: dict[tuple[str, Side], list[bytes]] = {}
        self.read: dict[tuple[str, Side], int] = {}
        self.owner: Callable[[Any], str] = lambda _: ""
        """Whom a session of the coordinator is with."""
        self.moment: Callable[[str], None] = lambda _: None
        """Told when a program reads something of note."""
        self.count: Callable[[str], None] = lambda _: None

    def reads(self, session: Session, side: Side, payload: bytes, seq_before: int) -> None:
        """One end has read a frame; its numbered messages must be the next ones that were said."""
        frame = decode_frame(payload, session.receive_bytes_max)
        if not frame.seq or session.session is None:
            return
        key = (session.session, side)
        said, at = self.said.get(key, []), self.read.get(key, 0)
        raws = [bytes(raw) for raw in frame.raws]
        self.auditor.expect(
            "frames_come_once_in_order",
            said[at : at + len(raws)] == raws,
            lambda: f"frame {frame.seq} of session {session.session}, {side.value} side, after {seq_before}",
        )
        self.read[key] = at + len(raws)


def recording(ledger: Ledger) -> type[Session]:
    """A session class for one world. ``whose`` names the program on the peer's side."""

    class RecordingSession(Session):
        whose: str = ""

        def __init__(self, *words: Any, **more: Any) -> None:
            self._mine: list[bytes] = []
            super().__init__(*words, **more)
            self._publish()

        def _start(self) -> None:
            super()._start()
            self._mine = []

        def _publish(self) -> None:
            if self.session is not None:
                other = Side.PEER if self.side is Side.COORDINATOR else Side.COORDINATOR
                ledger.said[self.session, other] = self._mine

        def welcomed(self, welcome: Any) -> bool:
            kept = super().welcomed(welcome)
            ledger.count(f"resumed {welcome.resumed}")
            self._publish()
            return kept

        def queue(self, encoded: bytes) -> None:
            super().queue(encoded)
            self._mine.append(bytes(encoded))
            if self.side is Side.COORDINATOR:
                ledger.auditor.saying(ledger.owner(self), decode_message(encoded, Direction.FROM_COORDINATOR))

        def receive(self, payload: bytes) -> list[Any]:
            before = self.received
            said = super().receive(payload)
            if self.received != before or said:
                ledger.reads(self, self.side, payload, before)
            if self.side is Side.PEER:
                for message in said:
                    if not isinstance(message, WireError):
                        ledger.auditor.heard(self.whose, message)
                        moment = MOMENTS.get(type(message))
                        if moment is not None:
                            ledger.moment(moment)
            return said

    return RecordingSession
