"""What the catalogue of bad input is played against: a daemon with a bystander, and listeners that lose patience soon.

Each attack ends in a few words for what it got: ``drop`` (the socket ended without a byte), ``http 404``, ``close
1002``, ``bad_token, close 4001`` (an error, then the close), ``malformed scores`` (an error about a field, and the
conversation goes on), ``stale_epoch`` (a verdict), ``goes on`` (nothing at all).
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import attrs
import trio

from coordinator.credentials import Credentials
from coordinator.engine.definition import PlayerState
from coordinator.shell.limits import Limits
from coordinator.shell.listener import Listener
from coordinator.web.serve import serve_http
from protocol import messages as m
from protocol.auth import HashedToken
from protocol.codec import Direction, build_frame, decode_frame, decode_message
from tests.engine.stages import DEFAULT, match_of
from tests.shell.peers import BINARY, CLOSE, PING, PONG, Ended, Peer, Recorder, connected, frame, opened
from tests.shell.premises import THREE_HANDS, GatedStore, Premises, premises
from tests.shell.programs import Program, open_match, report

GAME: Final = "dou_dizhu"
TOKEN: Final = "the token of srv-1"
HASTY: Final = Limits(
    open_timeout_s=0.2,
    hello_timeout_s=0.2,
    close_timeout_s=0.2,
    dead_after_s=0.4,
    ping_every_s=0.2,
    write_stall_s=0.2,
    outbox_bytes=65_536,
    send_buffer=4096,
    max_unauthenticated=2,
)
"""Everything that takes seconds in a daemon, in fractions of them."""
PATIENT: Final = Limits(dead_after_s=3600, hello_timeout_s=3600, open_timeout_s=3600)
"""Nothing of what is not about time ends because a machine is slow."""


DEFINITIONS: Final = {
    # Everybody has a point to begin with, so that the largest score on the wire is too large for a total.
    "one": attrs.evolve(match_of(attrs.evolve(DEFAULT, initial_player_state=PlayerState(1)), players=3), zero_sum=True),
    "three": attrs.evolve(THREE_HANDS, zero_sum=True),
}


def word(answer: object) -> str:
    """An answer in a few words."""
    if isinstance(answer, m.Verdict):
        return answer.verdict if answer.field is None else f"{answer.verdict} {answer.field}"
    if isinstance(answer, m.Error):
        return answer.code if answer.field is None else f"{answer.code} {answer.field}"
    return type(answer).__name__.lower()


async def ending(peer: Peer) -> str:
    """The close that comes, or ``goes on`` when a ping is answered first."""
    with suppress(trio.BrokenResourceError):
        await peer.send(frame(PING, b"still there?"))
    while not isinstance(item := await peer.frame(), Ended):
        opcode, payload = item
        if opcode == CLOSE:
            return f"close {int.from_bytes(payload[:2], 'big')}"
        if (opcode, payload) == (PONG, b"still there?"):
            return "goes on"
    return "drop"


def joined(words: list[str], end: str) -> str:
    return ", ".join([*words, *([end] if end != "goes on" or not words else [])])


async def answer_of(peer: Peer) -> str:
    """The first thing the coordinator says, and the close that follows."""
    history = False
    while not isinstance(item := await peer.frame(), Ended):
        opcode, payload = item
        if opcode == CLOSE:
            return f"close {int.from_bytes(payload[:2], 'big')}"
        if opcode == BINARY:
            words = []
            for message in messages_in(payload):
                # What a newcomer is told of matches that run is no answer.
                history = isinstance(message, m.HistoryBegin) or (history and not isinstance(message, m.HistoryEnd))
                if not history and not isinstance(message, m.HistoryEnd):
                    words.append(word(message))
            if words:
                return joined(words, await ending(peer))
    return "drop"


def messages_in(payload: bytes) -> list[Any]:
    """What a payload of the coordinator's says."""
    return [decode_message(raw, Direction.FROM_COORDINATOR) for raw in decode_frame(payload).raws]


@attrs.define
class Table:
    """A table server that has one hand in play, in a match of its own."""

    server: Program
    seat: m.Seat
    start: m.StartHand

    async def verdict(self, *scores: int, **changed: Any) -> str:
        """What a report is answered with; it is true unless told otherwise."""
        return word(await self.server.ask(report(self.seat, self.start, *scores, **changed)))


@attrs.define
class Scene:
    """The targets, and the ways in which they are attacked."""

    store: GatedStore
    house: Premises
    guarded: Premises
    http_port: int
    hasty: Listener
    hasty_port: int
    recorder: Recorder
    lobby: Program
    bystander: Table
    number: int = 0
    """The row that is played: identities and matches are named after it."""

    async def opening(self, data: bytes, *more: bytes, hasty: bool = False, half_close: bool = False) -> str:
        """Bytes where an opening request is due."""
        async with connected(self.hasty_port if hasty else self.house.port) as peer:
            try:
                for piece in (data, *more):
                    await peer.send(piece)
                if half_close:
                    await peer.stream.send_eof()
            except trio.BrokenResourceError:
                pass  # answered before all was said
            answer = await peer.response()
            return "drop" if isinstance(answer, Ended) else f"http {answer[0]}"

    async def frames(self, data: bytes) -> str:
        """Bytes after a good opening."""
        async with opened(self.house.port) as peer:
            await peer.send(data)
            return await ending(peer)

    async def first(self, *payloads: bytes, guarded: bool = False) -> str:
        """Binary messages where a hello is due; what the last one is answered with."""
        async with opened((self.guarded if guarded else self.house).port) as peer:
            for payload in payloads[:-1]:
                await peer.send(frame(BINARY, payload))
                await answer_of(peer)
            await peer.send(frame(BINARY, payloads[-1]))
            return await answer_of(peer)

    # --- in a session -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def program(self, role: m.Role = "spectator", name: str = "row", **words: Any) -> AsyncIterator[Program]:
        """A program of its own that has said hello."""
        program = self.house.program(f"{name}-{self.number}", role, **words)
        await program.hello()
        try:
            yield program
        finally:
            await program.cut()

    async def payload(self, payload: bytes, role: m.Role = "spectator") -> str:
        """A whole payload in a session, as bytes."""
        async with self.program(role) as program:
            await program.send(payload)
            assert program.raw is not None
            return await answer_of(program.raw)

    async def message(self, encoded: bytes, role: m.Role = "spectator") -> str:
        """One message in a good frame, as bytes."""
        return await self.payload(build_frame(1, 0, [encoded]), role)

    @asynccontextmanager
    async def table(self) -> AsyncIterator[Table]:
        """A table with a hand in play. Whatever is done to it, afterwards the true report must count."""
        server = self.house.program(f"server-{self.number}", "table", games=[GAME], capacity=1)
        await server.hello()
        match_id = f"row-{self.number}"
        await open_match(self.lobby, match_id, "one", 3)
        table = Table(server, await server.next(m.Seat), await server.next(m.StartHand))
        yield table
        if server.raw is None:
            await server.hello()
        assert await table.verdict() in ("scored", "duplicate")
        await self.house.until(lambda: self.house.desk(match_id).state.status == "over")
        await server.leave()

    async def http(self, request: bytes) -> tuple[str, bytes]:
        """A request to the HTTP port: the status, and everything that came."""
        async with await trio.open_tcp_stream("127.0.0.1", self.http_port) as stream:
            got = b""
            try:
                await stream.send_all(request)
                while piece := await stream.receive_some():
                    got += piece
            except trio.BrokenResourceError:
                pass  # answered before all was said
            return (f"http {int(got.split()[1])}" if got else "drop"), got

    @contextmanager
    def slow_disk(self) -> Iterator[None]:
        """The disk of the open house stands still meanwhile."""
        self.store.gate.clear()
        try:
            yield
        finally:
            self.store.gate.set()

    async def check_bystander(self) -> None:
        """The others have noticed nothing: not one socket of theirs was lost, and a question is answered."""
        await self.bystander.server.quiet()
        assert self.house.listener.counters.handler_errors == 0
        assert self.guarded.listener.counters.handler_errors == 0


@asynccontextmanager
async def a_scene() -> AsyncIterator[Scene]:
    """Open everything."""
    recorder, store = Recorder(authenticate=False), GatedStore()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "credentials.toml"
        hashed = HashedToken.of(TOKEN, iterations=1)
        file.write_text(f'[[credential]]\nidentity = "srv-1"\nroles = ["table"]\ntoken = "{hashed}"\n')
        async with (
            premises(DEFINITIONS, store=store, limits=PATIENT) as house,
            premises(credentials=Credentials(file)) as guarded,
            trio.open_nursery() as nursery,
        ):
            hasty = Listener(recorder, host="127.0.0.1", port=0, limits=HASTY, allowed_hosts={"127.0.0.1"})
            hasty_port: int = await nursery.start(hasty.serve)
            stopping = trio.Event()
            serve = partial(serve_http, house.picture, host="127.0.0.1", port=0, stopping=stopping)
            http_port: int = await nursery.start(partial(serve, may_write=lambda bearer, _: bearer == "director:right"))
            lobby = await house.lobby()
            server = await house.table_server("bystander", capacity=1)
            await open_match(lobby, "bystander", "one", 3)
            bystander = Table(server, await server.next(m.Seat), await server.next(m.StartHand))
            yield Scene(store, house, guarded, http_port, hasty, hasty_port, recorder, lobby, bystander)
            assert await bystander.verdict() == "scored"
            stopping.set()
            await hasty.aclose()
