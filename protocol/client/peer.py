"""What every role of the SDK shares: who it is, and requests that are asked until they are answered."""

import random
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import trio

from protocol.client.channel import Dial, websocket_dial
from protocol.client.failures import LinkEnded, RequestRefused
from protocol.client.link import Link
from protocol.errors import WireError
from protocol.messages import Error, Hello, Message, Role
from protocol.session import Session, Side

FRAME_BYTES_BEFORE_WELCOME: Final = 1 << 16

CREDIT: Final = 256
"""Frames on their way to the coordinator's disk; what comes beyond them gathers and shares the next frame."""

REQUESTS_OPEN_MAX: Final = 2048
"""Requests on their way to an answer; what comes beyond them is said when answers have come.

A new session begins with all that has no answer: said at once it could be more than either end keeps for the other.
"""


class Pending:
    """A request that waits for its one answer, which names its ``ref``."""

    __slots__ = ("_answered", "message", "outcome", "ref")

    def __init__(self, ref: int, message: Message) -> None:
        self.ref = ref
        self.message = message
        self._answered = trio.Event()
        self.outcome: Message | Exception | None = None

    def settle(self, outcome: Message | Exception) -> None:
        """Give the answer, or what is raised instead of one. The first one counts."""
        if self.outcome is None:
            self.outcome = outcome
            self._answered.set()

    async def wait(self) -> Message:
        """The answer. Raises RequestRefused or LinkEnded."""
        await self._answered.wait()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        assert self.outcome is not None
        return self.outcome


class Peer:
    """A program's one session with the coordinator; :class:`TableServer` and its siblings are made of it.

    ``identity`` is the name the coordinator knows this program by: the newest process under a name wins.
    ``token`` is its credential, which is never sent: both ends prove that they know it. ``tls`` replaces the system's
    trust for a ``wss://`` address, and may hold a client certificate. ``software`` is its name and version for the
    operator's eyes. ``dial`` replaces the WebSocket to ``url``, ``chance`` the source of the random life word and of
    the redials' spread.
    """

    def __init__(
        self,
        url: str,
        identity: str,
        *,
        roles: Sequence[Role],
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        software: str = "",
        games: Sequence[str] = (),
        capacity: int = 0,
        dial: Dial | None = None,
        chance: random.Random | None = None,
        window_frames: int = 512,
        window_bytes: int = 1 << 22,
    ) -> None:
        chance = self._chance = random.Random() if chance is None else chance
        self._hello = Hello(
            identity=identity,
            roles=list(roles),
            life=f"{chance.getrandbits(64):016x}",
            software=software,
            games=list(games),
            capacity=capacity,
        )
        session = Session(
            Side.PEER,
            window_frames=window_frames,
            window_bytes=window_bytes,
            message_bytes_max=FRAME_BYTES_BEFORE_WELCOME,
            credit=CREDIT,
        )
        self._link = Link(websocket_dial(url, tls=tls) if dial is None else dial, session, self, chance, token)
        self._requests: dict[int, Pending] = {}  # by ref, in the order they were asked
        self._unsaid: deque[Pending] = deque()  # those of them that were not said in this session
        self._ref = 0
        self._ended = False

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the session with the coordinator, through any number of sockets, until cancelled.

        Reports started at the first welcome. Raises :class:`Replaced` when a newer process took the identity
        over, :class:`LinkRefused` when the coordinator will not have us, DialRefused when there is none at the
        address. Runs once.
        """
        if self._ended:
            raise LinkEnded("a peer runs once; make a new one")
        try:
            await self._link.run(task_status)
        finally:
            self._ended = True
            self._on_end()
            for pending in self._requests.values():
                pending.settle(LinkEnded("the link ended before the answer came"))

    # --- asking -------------------------------------------------------------------------------------------

    def _ask(self, make: Callable[[int], Message]) -> Pending:
        """Send a request, in its turn; it is sent again in every new session until it is answered. Raises LinkEnded."""
        if self._ended:
            raise LinkEnded("the link has ended")
        self._ref += 1
        pending = Pending(self._ref, make(self._ref))
        self._requests[self._ref] = pending
        self._unsaid.append(pending)
        self._say_what_may_be_said()
        return pending

    def _say_what_may_be_said(self) -> None:
        while self._unsaid and len(self._requests) - len(self._unsaid) < REQUESTS_OPEN_MAX:
            pending = self._unsaid.popleft()
            try:
                self._link.send(pending.message)
            except WireError as error:
                del self._requests[pending.ref]
                pending.settle(RequestRefused(error.code, error.field, error.expected, str(error)))

    def _new_key(self) -> str:
        """A name that no other request of this or any other process has."""
        return f"{self._chance.getrandbits(64):016x}"

    async def _answer(self, make: Callable[[int], Message]) -> Message:
        return await self._ask(make).wait()

    # --- what the link calls ------------------------------------------------------------------------------

    def hello(self) -> Hello:
        """Who we are, for the link."""
        return self._hello

    def restarted(self, *, snapshot_follows: bool) -> None:
        """A new session began, for the link: the requests without an answer are asked again, in the same
        words.
        """
        self._unsaid = deque(self._requests.values())
        self._say_what_may_be_said()

    def before_flush(self) -> None:
        """Nothing was put off, for the link."""

    def message(self, message: Message) -> None:
        """An answer or a notice, from the link."""
        ref: int = getattr(message, "ref", 0)
        pending = self._requests.pop(ref, None) if ref else None
        if isinstance(message, Error):
            refused = RequestRefused(message.code, message.field, message.expected, message.message)
            if pending is None:
                self._on_notice(message)
            else:
                pending.settle(refused)
        elif pending is not None:
            pending.settle(message)
        else:
            self._on_notice(message)
        if pending is not None:
            self._say_what_may_be_said()

    # --- what a role fills in -----------------------------------------------------------------------------

    def _on_notice(self, message: Message) -> None:
        """A message that answers no request of ours."""

    def _on_end(self) -> None:
        """The link is over; nobody will be told anything any more."""
