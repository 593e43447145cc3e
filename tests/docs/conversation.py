"""A conversation on the wire as a page shows it, spoken with a coordinator: each frame it says must be the one shown.

``>`` is a frame of the reader's program, ``<`` one of the coordinator, ``--`` something that happens. Words that nobody
can know beforehand stand as a capital with a number (``"S1"``); the first time such a word is met it is learnt, and
from then on it stands for the same.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgpack
import trio

from coordinator.engine.definition import MatchDefinition
from coordinator.journal.store import Store
from tests.shell.peers import BINARY, CLOSE, Ended, Peer, frame
from tests.shell.premises import Premises, premises
from tests.shell.programs import open_match

LOST = "the socket is lost"
RESTARTED = "the coordinator is killed and started again"
_UNKNOWN = re.compile(r"[A-Z]\d")

Line = tuple[str, str]
"""The mark of a line, and what stands behind it."""


def lines_of(body: str) -> list[Line]:
    """The lines of a block; one that is indented goes on with the line before."""
    found: list[Line] = []
    for line in body.splitlines():
        mark, _, rest = line.partition(" ")
        if mark in (">", "<", "--"):
            found.append((mark, rest))
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


class Speaker:
    """The reader's program: it says what the page says, and learns words."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._peer: Peer | None = None
        self._said = 0
        self._identity = ""
        self.house: Premises

    async def speak(self, lines: Sequence[Line]) -> None:
        """Say and hear these lines."""
        for mark, text in lines:
            if mark == ">":
                await self._say(json.loads(text))
            elif mark == "<":
                heard = await self._hear()
                shown = json.loads(text)
                assert self._fits(shown, heard), (
                    f"the page shows\n{text}\nand the coordinator says\n{json.dumps(heard)}"
                )
            else:
                assert text == LOST, text
                await self.leave()

    async def leave(self) -> None:
        """Lose the socket, once everything that was said is on the coordinator's disk."""
        assert self._peer is not None
        session = self.house.peer(self._identity).session
        assert session is not None
        await self.house.until(lambda: session.received >= self._said)
        await self.house.office.writer.drain()
        await trio.aclose_forcefully(self._peer.stream)
        self._peer = None

    async def _say(self, said: Any) -> None:
        if self._peer is None:
            self._peer = Peer(await trio.open_tcp_stream("127.0.0.1", self.house.port))
            await self._peer.open()
        self._said, _, [message, *_] = said
        self._identity = message.get("identity", self._identity)
        await self._peer.send(frame(BINARY, msgpack.packb(self._filled(said))))

    async def _hear(self) -> Any:
        """The next frame that says something; acknowledgements alone go as they come."""
        assert self._peer is not None
        while True:
            item = await self._peer.frame()
            assert not isinstance(item, Ended), "the coordinator has hung up"
            opcode, payload = item
            assert opcode != CLOSE, f"the coordinator closed the socket: {payload!r}"
            if opcode == BINARY and (heard := msgpack.unpackb(payload))[2]:
                return heard

    def _filled(self, said: Any) -> Any:
        """What is shown, with the words that were learnt."""
        match said:
            case dict():
                return {key: self._filled(value) for key, value in said.items()}
            case list():
                return [self._filled(value) for value in said]
            case str() if _UNKNOWN.fullmatch(said):
                return self._known[said]
        return said

    def _fits(self, shown: Any, heard: Any) -> bool:
        """Whether this was shown; of a map only the fields that are."""
        match shown:
            case dict():
                return all(key in heard and self._fits(value, heard[key]) for key, value in shown.items())
            case list():
                return len(shown) == len(heard) and all(map(self._fits, shown, heard))
            case str() if _UNKNOWN.fullmatch(shown):
                return bool(self._known.setdefault(shown, heard) == heard)
        return bool(shown == heard)


async def converse(lines: Sequence[Line], store: Store, definition: MatchDefinition) -> None:
    """Speak it all: with a coordinator that holds one match, for which the first hello brings the table server."""
    speaker = Speaker()
    restarts = [number for number, line in enumerate(lines) if line == ("--", RESTARTED)]
    for life, (begin, end) in enumerate(zip([0, *[n + 1 for n in restarts]], [*restarts, len(lines)], strict=True)):
        async with premises({definition.id: definition}, store=store) as house:
            speaker.house = house
            if life == 0:
                await open_match(await house.lobby(), "cup-1", definition.id, 3)
            await speaker.speak(lines[begin:end])
            await speaker.leave()
