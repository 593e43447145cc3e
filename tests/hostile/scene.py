"""What the catalogue of bad input is played against: a daemon with a bystander, and listeners that lose patience soon.

Each attack ends in one word for what it got: ``drop`` (the socket ended without a byte), ``http 404``, ``close 1002``,
``bad_token, close 4001`` (an error, then the close), ``malformed`` (an error, and the conversation goes on), ``stale_epoch``
(a verdict), ``ignored``.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import attrs
import trio

from coordinator.shell.limits import Limits, SessionLimits
from coordinator.shell.listener import Listener
from coordinator.web.serve import serve_http
from protocol import messages as m
from protocol.codec import build_frame, encode_message
from tests.shell.peers import BINARY, CLOSE, PING, PONG, Ended, Peer, Recorder, connected, frame, opened
from tests.shell.premises import ONE_HAND, Premises, premises
from tests.shell.programs import Closed, Program, open_match, report

GAME = "dou_dizhu"
PATIENCE_S = 30
"""Far beyond what an attack needs; it ends one that would hang."""
HASTY = Limits(
    open_timeout_s=0.2,
    hello_timeout_s=0.2,
    close_timeout_s=0.2,
    dead_after_s=0.4,
    ping_every_s=0.2,
    write_stall_s=0.2,
    outbox_bytes=4096,
    send_buffer=4096,
    max_unauthenticated=2,
)


@attrs.define
class Seated:
    """A table server that has one hand in play, in a match of its own."""

    server: Program
    seat: m.Seat
    start: m.StartHand

    def report(self, *scores: int, **changed: object) -> m.HandEnded:
        """The report of the hand in play, true unless told otherwise."""
        return report(self.seat, self.start, *scores, **{"ref": self.server.ref(), **changed})

    async def verdict(self, *scores: int, **changed: object) -> str:
        """What a report is answered with."""
        told = self.report(*scores, **changed)
        return word(await self.server.ask(told))


def word(answer: object) -> str:
    """The one word of an answer."""
    if isinstance(answer, m.Verdict):
        return answer.verdict if answer.field is None else f"{answer.verdict} {answer.field}"
    if isinstance(answer, m.Error):
        return answer.code if answer.field is None else f"{answer.code} {answer.field}"
    return type(answer).__name__.lower()


@attrs.define
class Scene:
    """The targets, and the ways in which they are attacked."""

    house: Premises
    http_port: int
    hasty: Listener
    hasty_port: int
    recorder: Recorder
    lobby: Program
    bystander: Program
    number: int = 0
    """The row that is played; identities and matches are named after it."""

    # --- one socket -------------------------------------------------------------------------------------------------

    async def opening(self, *pieces: bytes, port: int | None = None, half_close: bool = False) -> str:
        """Bytes instead of an opening request."""
        async with connected(self.house.port if port is None else port) as peer:
            for piece in pieces:
                await peer.send(piece)
            if half_close:
                await peer.stream.send_eof()
            answer = await peer.response()
            return "drop" if isinstance(answer, Ended) else f"http {answer[0]}"

    async def frames(self, data: bytes) -> str:
        """Bytes after a good opening."""
        async with opened(self.house.port) as peer:
            await peer.send(data)
            return await outcome(peer)

    async def first(self, payload: bytes) -> str:
        """A binary message where a hello is due."""
        return await self.frames(frame(BINARY, payload))

    # --- in a session -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def program(self, role: m.Role = "table") -> AsyncIterator[Program]:
        """A program of its own that has said hello, and leaves."""
        program = Program(self.house.port, f"row-{self.number}", role, games=[GAME])
        await program.hello()
        yield program
        await program.end()
        peer = self.house.office.peers.get(program.identity)
        if peer is not None:
            await self.house.until(lambda: peer.conn is None)
            self.house.office.peers.forget(peer)

    async def payload(self, payload: bytes, role: m.Role = "table") -> str:
        """A whole payload of the session's, as bytes."""
        async with self.program(role) as program:
            await program.send(payload)
            return await self.heard(program)

    async def message(self, encoded: bytes, role: m.Role = "table") -> str:
        """One message, as bytes, in a good frame."""
        return await self.payload(build_frame(1, 0, [encoded]), role)

    async def heard(self, program: Program) -> str:
        """The first answer, and the close that follows; what comes behind a question of ours shows that none does."""
        assert program.raw is not None
        marker = m.HandStarted("no-such-match", 1, 1, 1, 1, ref=999_999)
        words = []
        try:
            await program.send(build_frame(program.session.received + 2, 0, ()) if False else b"") if False else None
            program.session.queue(encode_message(marker))
            while True:
                for message in program.session.receive(await program.payload()):
                    if not isinstance(message, m.HistoryBegin | m.HistoryEnd):
                        words.append(word(message))
                        return await self._goes_on(program, words)
        except Closed as closed:
            words.append("drop" if closed.code is None else f"close {closed.code}")
        return ", ".join(words)

    async def _goes_on(self, program: Program, words: list[str]) -> str:
        assert program.raw is not None
        try:
            await program.raw.send(frame(PING, b"?"))
            while True:
                item = await program.raw.frame()
                if isinstance(item, Ended):
                    break
                if item[0] == PONG:
                    return ", ".join(words)
                if item[0] == CLOSE:
                    words.append(f"close {int.from_bytes(item[1][:2], 'big')}")
                    break
        except trio.BrokenResourceError:
            pass
        return ", ".join(words)
