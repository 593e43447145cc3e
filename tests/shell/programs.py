"""Programs that talk to the coordinator by hand: a raw socket, and the session it speaks in."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import attrs
import trio

from protocol import messages as m
from protocol.codec import build_frame, encode_message, handshake_frame
from protocol.errors import WireError
from protocol.session import Session, Side, read_answer
from tests.shell import peers
from tests.shell.peers import BINARY, CLOSE, Ended

M = TypeVar("M")


class Closed(Exception):
    """The coordinator closed the socket, with this code; None where it was lost without a word."""

    def __init__(self, code: int | None) -> None:
        super().__init__(str(code))
        self.code = code


class Program:
    """One program and its one session, over as many sockets as the test dials. It says only what it is told to say.

    ``heard`` holds every message of the coordinator in order, ``frames`` the numbered frames as they came.
    """

    def __init__(self, port: int, identity: str, *roles: m.Role, **words: Any) -> None:
        self.identity = identity
        self.words: dict[str, Any] = {"roles": list(roles), "life": "life-1", **words}
        self.session = Session(Side.PEER)
        self.heard: list[Any] = []
        self.frames: list[bytes] = []
        self.volatile: list[Any] = []
        self.raw: peers.Peer | None = None
        self.reported = 0
        self._sockets: list[trio.SocketStream] = []
        self._port = port
        self._read = 0
        self._ref = 0

    # --- sockets ----------------------------------------------------------------------------------------------------

    async def dial(self) -> None:
        """Open a socket and say nothing yet; an older one is left as it is."""
        stream = await trio.open_tcp_stream("127.0.0.1", self._port)
        self._sockets.append(stream)
        self.raw = peers.Peer(stream)
        await self.raw.open()

    async def cut(self) -> None:
        """Lose the socket."""
        if self.raw is not None:
            await trio.aclose_forcefully(self.raw.stream)
            self.raw = None

    async def end(self) -> None:
        """Lose every socket there ever was."""
        for stream in self._sockets:
            await trio.aclose_forcefully(stream)

    async def send(self, payload: bytes) -> None:
        assert self.raw is not None
        await self.raw.send(peers.frame(BINARY, payload))

    async def payload(self) -> bytes:
        """The next binary message. Raises Closed."""
        assert self.raw is not None
        while True:
            item = await self.raw.frame()
            if isinstance(item, Ended):
                raise Closed(None)
            opcode, payload = item
            if opcode == CLOSE:
                raise Closed(int.from_bytes(payload[:2], "big"))
            if opcode == BINARY:
                return payload

    async def close_code(self) -> int | None:
        """The code the coordinator closes with, whatever comes before it; that is kept in ``heard``."""
        try:
            while True:
                self._take(await self.payload())
        except Closed as closed:
            return closed.code

    # --- the session ------------------------------------------------------------------------------------------------

    def hello_words(self, **changed: Any) -> m.Hello:
        session = self.session
        words = {"session": session.session, "epoch": session.epoch, "last_seq": session.received}
        return m.Hello(self.identity, **{**self.words, **words, **changed})

    async def hello(self, **changed: Any) -> m.Welcome:
        """Dial, say hello with what is known of the session, and take the welcome."""
        await self.dial()
        await self.send(handshake_frame(self.hello_words(**changed)))
        answer = read_answer(await self.payload())
        assert isinstance(answer, m.Welcome), answer
        self.session.welcomed(answer)
        self.session.message_bytes_max = answer.max_message
        return answer

    async def refused(self, **changed: Any) -> m.Error:
        """Dial, say hello and be refused."""
        await self.dial()
        await self.send(handshake_frame(self.hello_words(**changed)))
        answer = read_answer(await self.payload())
        assert isinstance(answer, m.Error), answer
        return answer

    async def restart(self, life: str) -> m.Welcome:
        """Lose the socket and all memory, and come back in another life."""
        await self.cut()
        self.words["life"] = life
        self.session = Session(Side.PEER)
        self._read = len(self.heard)
        return await self.hello()

    async def say(self, *said: m.Message) -> None:
        """Say this in one frame."""
        for message in said:
            self.session.queue(encode_message(message))
        while (frame := self.session.take_frame()) is not None:
            await self.send(frame)

    async def say_raw(self, *encoded: bytes) -> None:
        """Say bytes that may be no message at all, in a well numbered frame."""
        for message in encoded:
            self.session.queue(message)
        while (frame := self.session.take_frame()) is not None:
            await self.send(frame)

    async def leave(self) -> None:
        """Say bye and wait for the close."""
        await self.send(handshake_frame(m.Bye("done")))
        assert await self.close_code() == 1000

    # --- hearing ----------------------------------------------------------------------------------------------------

    def _take(self, payload: bytes) -> None:
        before = self.session.received
        said = self.session.receive(payload)
        for message in said:
            assert not isinstance(message, WireError), f"{message.field}: {message}"
        heard = [message for message in said if not isinstance(message, WireError)]
        if self.session.received > before:
            self.frames.append(payload)
            self.heard += heard
        else:
            self.volatile += heard

    async def next(self, kind: type[M]) -> M:
        """The next message of this kind; those before it are passed over and stay in ``heard``."""
        while True:
            while self._read < len(self.heard):
                message = self.heard[self._read]
                self._read += 1
                if isinstance(message, kind):
                    return message
            self._take(await self.payload())

    def ref(self) -> int:
        self._ref += 1
        return self._ref

    async def answer(self, ref: int) -> Any:
        """The answer to a request, wherever in the row it comes."""
        while not (found := self.answers(ref)):
            self._take(await self.payload())
        return found[0]

    def answers(self, ref: int) -> list[Any]:
        return [message for message in self.heard if getattr(message, "ref", 0) == ref]

    async def ask(self, message: Any) -> Any:
        """Ask with a number of our own and hear the answer, which must come exactly once."""
        message = attrs.evolve(message, ref=self.ref())
        await self.say(message)
        await self.answer(message.ref)
        await self.quiet()
        [answer] = self.answers(message.ref)
        return answer

    async def quiet(self) -> None:
        """Hear all that was under way: what the coordinator answers to nonsense comes behind it."""
        ref = self.ref()
        nothing: dict[str, m.Message] = {
            "table": m.HandStarted("no-such-match", 1, 1, 1, 1, ref=ref),
            "lobby": m.StartMatch("no-such-match", ref=ref),
            "spectator": m.Subscribe("no-such-match", ref=ref),
            "director": m.Ruling("no-such-match", "close", ref=ref),
        }
        await self.say(nothing[self.words["roles"][0]])
        await self.answer(ref)

    async def acknowledge(self) -> None:
        await self.send(build_frame(0, self.session.received, ()))


async def enter(lobby: Program, match_id: str, players: Iterable[str]) -> None:
    """Register players whose names are their ids."""
    refs = []
    for player in players:
        refs.append(lobby.ref())
        await lobby.say(m.Register(match_id, player, player, ref=refs[-1]))
    for ref in refs:
        answer = await lobby.answer(ref)
        assert isinstance(answer, m.Entered), answer


async def open_match(lobby: Program, match_id: str, definition: str, players: Sequence[str] | int) -> None:
    """Open a match with a seed of its own and fill it."""
    names = [f"p{number}" for number in range(1, players + 1)] if isinstance(players, int) else players
    opened = await lobby.ask(m.OpenMatch(match_id, definition, ref=1, seed="7"))
    assert isinstance(opened, m.MatchOpened), opened
    await enter(lobby, match_id, names)


def report(seat: m.Seat, start: m.StartHand, *scores: int, ref: int = 1, **changed: Any) -> m.HandEnded:
    """The report of a hand, scores in seat order; without any, the first wins 2, the last loses 2."""
    worth = scores or (2, *[0] * (len(seat.seats) - 2), -2)
    told = m.HandEnded(
        start.match_id,
        start.table_id,
        start.epoch,
        start.hand_no,
        start.attempt_no,
        {who.player_id: score for who, score in zip(seat.seats, worth, strict=True)},
        ref=ref,
    )
    return attrs.evolve(told, **changed)
