"""One session with the coordinator over as many sockets as it takes: dial, hello, resume, redial.

Per socket there are two tasks. The reader gives what came to the :class:`Inlet`; it never waits for anything
else. The writer alone sends: it takes whatever is ready and puts it into one frame. No send is ever cancelled
on a socket that is used again: a socket that must go is dropped.
"""

import logging
import math
import random
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import attrs
import trio

from protocol.auth import Proving, make_nonce, transcript
from protocol.client.channel import Channel, ChannelLost, Dial
from protocol.client.failures import LinkRefused, Replaced
from protocol.codec import encode_message, handshake_frame
from protocol.errors import WireError
from protocol.messages import Bye, Error, Hello, Message, Proof, ProofWanted, Welcome
from protocol.session import Session, read_answer

HELLO_TIMEOUT_S: Final = 5.0
"""How long the coordinator may take to answer a hello."""

SEND_TIMEOUT_S: Final = 10.0
"""A socket that takes nothing for so long is dropped."""

ACK_DELAY_S: Final = 0.1
"""How long an acknowledgement waits for a frame that carries it along."""

STABLE_S: Final = 10.0
"""A socket that lived so long makes the next redial quick again; forgiving earlier makes a busy loop."""

BACKOFF_FIRST_S: Final = 0.25
BACKOFF_MAX_S: Final = 3.0
"""Well within what a coordinator gives a table server by default before its tables move (``server_grace_s``, 5 s)."""

_CLOSED_BROKEN: Final = 4000
_CLOSED_REPLACED: Final = 4009
_CLOSED_FOR_GOOD: Final = {4001: "bad_token", 4003: "trespass", 4015: "version"}
_REDIAL_CODES: Final = frozenset(
    {"internal", "rate", "shutting_down", "silent", "slow_consumer", "gap", "busy", "too_many_unacknowledged"}
)

_log = logging.getLogger("protocol.client")


class Inlet(Protocol):
    """Who speaks through a link. All of it is synchronous: the reader and the writer never wait for game
    code.
    """

    def hello(self) -> Hello:
        """Who we are; the link fills in what resumes the session."""

    def restarted(self, *, snapshot_follows: bool) -> None:
        """A new session began: queue again what still matters."""

    def before_flush(self) -> None:
        """The writer is about to send: queue what was put off until now."""

    def message(self, message: Message) -> None:
        """A message came."""


class _Finished(Exception):
    """Everything is said and the bye is sent."""


class _Dismissed(Exception):
    """The coordinator said bye."""

    def __init__(self, bye: Bye) -> None:
        super().__init__(bye.code)
        self.bye = bye


class Link:
    """Keeps ``session`` alive for ``inlet``. ``chance`` spreads the redials.

    With a ``token`` each socket begins with a proof by both ends that they know it; it is never sent.
    """

    def __init__(
        self, dial: Dial, session: Session, inlet: Inlet, chance: random.Random, token: str | None = None
    ) -> None:
        self._token = token
        self._dial = dial
        self._session = session
        self._inlet = inlet
        self._chance = chance
        self._wake = trio.Event()
        self._finishing = False
        self._saying_bye = False
        self._opened_at: float | None = None

    def send(self, message: Message) -> None:
        """Queue a message; it leaves with the next frame. Raises WireError ``too_large``."""
        self._session.queue(encode_message(message))
        self._wake.set()

    @property
    def has_room(self) -> bool:
        """Whether what can be put off need not be: less than half of what the session keeps is on its way."""
        return self._session.room_bytes >= self._session.window_bytes // 2

    def wake(self) -> None:
        """Ask for a flush, so that :meth:`Inlet.before_flush` is called soon."""
        self._wake.set()

    def finish(self) -> None:
        """Send what is queued, say bye and end :meth:`run`."""
        self._finishing = True
        self._wake.set()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the session until :meth:`finish`. Reports started at the first welcome.

        Raises :class:`Replaced`, :class:`LinkRefused` or DialRefused when dialling again is of no use.
        """
        failures = 0
        started = False

        def welcomed() -> None:
            nonlocal started
            if not started:
                started = True
                task_status.started()

        while True:
            self._opened_at = None
            retry_after_s: float | None = None
            try:
                async with self._dial() as channel:
                    await self._converse(channel, welcomed)
            except _Finished:
                return
            except _Dismissed as dismissed:
                retry_after_s = self._after_bye(dismissed.bye)
            except ChannelLost as lost:
                self._after_loss(lost)
                if not started and failures == 0:
                    # Said once and aloud: whoever has just started a program would wait without a word.
                    _log.warning("no coordinator yet, dialling on: %s", lost)
            except WireError as error:
                _log.warning("socket given up: %s", error)
                if error.code != "gap":
                    # One of the two broke the protocol: nothing of this session can be trusted.
                    self._session.forget()
            if self._was_stable():
                failures = 0
            if retry_after_s is None:
                wait_s = self._chance.uniform(0, min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2.0 ** min(failures, 16)))
            else:
                # Never before the time that was named, and not all at once after it.
                wait_s = retry_after_s * self._chance.uniform(1.0, 1.5)
            failures += 1
            await trio.sleep(wait_s)

    def _was_stable(self) -> bool:
        """Whether the socket that is gone lived long after its welcome."""
        return self._opened_at is not None and trio.current_time() - self._opened_at >= STABLE_S

    def _after_loss(self, lost: ChannelLost) -> None:
        code = lost.close_code
        if code == _CLOSED_REPLACED:
            raise Replaced("another process said hello under this identity") from lost
        if code in _CLOSED_FOR_GOOD:
            raise LinkRefused(_CLOSED_FOR_GOOD[code], str(lost)) from lost
        _log.info("link lost: %s", lost)

    def _after_bye(self, bye: Bye) -> float | None:
        """Seconds to wait before dialling again; None for the usual back-off."""
        if bye.code == "replaced":
            raise Replaced("another process said hello under this identity")
        if bye.retry_after_ms is not None:
            return bye.retry_after_ms / 1000
        if bye.code in _REDIAL_CODES:
            return None
        raise LinkRefused(bye.code, bye.message)

    # --- one socket ---------------------------------------------------------------------------------------

    async def _converse(self, channel: Channel, welcomed: Callable[[], None]) -> None:
        """Hello, then talk until something ends it; always raises what it was."""
        if self._session.overflow:
            self._session.forget()
        try:
            await self._say_hello(channel)
            welcomed()
            endings: list[Exception] = []
            async with trio.open_nursery() as nursery:
                for task in (self._read, self._write):
                    nursery.start_soon(_until_it_ends, task, channel, endings, nursery.cancel_scope)
            if self._saying_bye:
                # Whatever became of the socket since: all is said.
                raise _Finished
            raise endings[0]
        except WireError as error:
            await channel.close(error.close_code or _CLOSED_BROKEN, error.code)  # noqa: ASYNC120 - the reader wants the first fault
            raise

    async def _say_hello(self, channel: Channel) -> None:
        session = self._session
        hello = attrs.evolve(
            self._inlet.hello(),
            session=session.session,
            epoch=session.epoch,
            last_seq=session.received,
            nonce=None if self._token is None else make_nonce(),
        )
        answer = await self._greeted(handshake_frame(hello), channel)
        if isinstance(answer, Bye):
            raise _Dismissed(answer)
        if isinstance(answer, Error):
            raise _Dismissed(Bye(code=answer.code, message=answer.message))
        kept = session.welcomed(answer)
        self._opened_at = trio.current_time()
        if not kept:
            self._inlet.restarted(snapshot_follows=answer.resumed == "snapshot")

    async def _greeted(self, hello: bytes, channel: Channel) -> Welcome | Error | Bye:
        """Say hello, prove who we are if we can, and see that the coordinator proves who it is."""
        token = self._token
        answer, payload = await _answer_to(hello, channel)
        if not isinstance(answer, ProofWanted):
            if token is not None and isinstance(answer, Welcome):
                # Somebody else may answer at this address: who does not ask for a proof cannot check one.
                raise LinkRefused("bad_token", "the coordinator asks for no proof, and proves nothing itself")
            return answer
        if token is None:
            raise LinkRefused("no_token", "the coordinator asks for a token")
        said = transcript(hello, payload)
        try:
            proving = Proving.of(token, answer.salt, answer.iterations, said)
        except ValueError:
            raise WireError("malformed", "the challenge cannot be answered", close_code=_CLOSED_BROKEN) from None
        answer, _ = await _answer_to(handshake_frame(Proof(proving.proof)), channel)
        if isinstance(answer, ProofWanted):
            raise WireError("malformed", "a second challenge", close_code=_CLOSED_BROKEN)
        if isinstance(answer, Welcome) and not proving.is_answered_by(answer.proof):
            raise LinkRefused("bad_token", "what answers is not the coordinator that the token is for")
        return answer

    async def _read(self, channel: Channel) -> None:
        session = self._session
        while True:
            for message in session.receive(await channel.receive()):
                if isinstance(message, WireError):
                    # From a coordinator that is newer than we are, most likely.
                    _log.warning("message left aside: %s (%s)", message, message.field)
                elif isinstance(message, Bye):
                    raise _Dismissed(message)
                else:
                    self._inlet.message(message)
            # Whatever came, it may have made room for what was put off.
            self._wake.set()

    async def _write(self, channel: Channel) -> None:
        session = self._session
        ack_at = math.inf
        while True:
            # A fresh event before looking: what is queued from here on wakes the wait below.
            self._wake = trio.Event()
            self._inlet.before_flush()
            while (frame := session.take_frame()) is not None:
                await _send(channel, frame)
            if session.overflow:
                raise ChannelLost("more is waiting for the coordinator than a session holds")
            if self._finishing and not self._wake.is_set():
                self._saying_bye = True
                await _send(channel, handshake_frame(Bye(code="done")))
                await channel.close(1000, "done")
                raise _Finished
            if not session.ack_due:
                ack_at = math.inf
                await self._wake.wait()
                continue
            ack_at = min(ack_at, trio.current_time() + ACK_DELAY_S)
            with trio.move_on_at(ack_at):
                await self._wake.wait()
            if trio.current_time() >= ack_at and (ack := session.take_ack()) is not None:
                await _send(channel, ack)


async def _answer_to(said: bytes, channel: Channel) -> tuple[ProofWanted | Welcome | Error | Bye, bytes]:
    try:
        with trio.fail_after(HELLO_TIMEOUT_S):
            await channel.send(said)
            payload = await channel.receive()
            return read_answer(payload), payload
    except trio.TooSlowError:
        pass
    raise ChannelLost("no answer to the hello")


async def _send(channel: Channel, payload: bytes) -> None:
    with trio.move_on_after(SEND_TIMEOUT_S) as patience:
        await channel.send(payload)
    if patience.cancelled_caught:
        # Half a payload may be out: nothing can follow it on this socket.
        await channel.abort()
        raise ChannelLost("the coordinator has stopped reading")


async def _until_it_ends(
    task: Callable[[Channel], Awaitable[None]],
    channel: Channel,
    endings: list[Exception],
    scope: trio.CancelScope,
) -> None:
    """Run one of a socket's tasks; its end, whatever it is, ends the other one too."""
    try:
        await task(channel)
    except (ChannelLost, WireError, _Dismissed, _Finished) as end:
        endings.append(end)
        scope.cancel()
