"""What looking may cost: a share of the daemon's time, so that no flood of requests keeps it from its tables."""

import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HTTP_SHARE = 0.4
"""Share of the daemon's time for all that is looked at: half of it for answers, half for the live pictures."""
HEALTH_SHARE = 0.05
HEALTH = frozenset({"/healthz", "/readyz", "/metrics"})
"""What those who watch over the process ask. It has a share of its own, however much else is asked."""
QUESTIONS = "/why"
"""Paths that hold this are answered by another process: it takes long and costs little, and holds up nothing else."""
QUESTIONS_SHARE = 0.25
"""Of the time of that process, so that whoever asks one thing after another waits for a moment and is answered."""
REQUEST_S = 0.001
"""What a request costs besides its answer."""
PLACES = 4
"""Answers of one kind that are made at a time: some wait for the journal."""
BURST_S = 1.0
"""Time that may be spent at once after a rest."""
DEBT_S = 1.0
"""Most that is owed at a time."""
WAIT_S = 5.0
"""Nobody waits longer for a turn; who asked may have gone by then."""


class Share:
    """Time for one kind of work: `share` of every second. What is overdrawn is waited for by those who come next."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = BURST_S
        self._at = -1.0
        self._line = trio.Lock()
        self._places = trio.Semaphore(PLACES)

    async def turn(self) -> bool:
        """Wait until there is time, first come, first served; False if it takes too long. Else call `done` once."""
        with trio.move_on_after(WAIT_S):
            async with self._line:
                left = self._look()
                if left < 0:
                    await trio.sleep(-left / self._share)
                await self._places.acquire()
                return True
        return False

    def done(self, seconds: float) -> None:
        """So much was used. However much it was, those who come next do not pay for it for ever."""
        self._left = max(-DEBT_S, self._look() - seconds)
        self._places.release()

    def _look(self) -> float:
        now = trio.current_time()
        if self._at >= 0:
            self._left = min(BURST_S, self._left + (now - self._at) * self._share)
        self._at = now
        return self._left


class Rationed:
    """Wraps the application: its answers take `share` of the daemon's time. Who waits too long is answered `busy`."""

    def __init__(self, app: ASGIApp, share: float, busy: ASGIApp) -> None:
        self._app = app
        self._busy = busy
        self._answers = Share(share)
        self._health = Share(HEALTH_SHARE)
        self._questions = Share(QUESTIONS_SHARE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        share = self._share_for(scope["path"])
        if not await share.turn():
            await self._busy(scope, receive, send)
            return
        began, made = trio.current_time(), False

        def charge() -> None:
            nonlocal made
            if not made:
                made = True
                share.done(trio.current_time() - began + REQUEST_S)

        async def send_charged(message: Message) -> None:
            # The answer is made when it begins; what follows waits for whoever takes it. Where a match is read back
            # for it, that is the daemon's time too.
            charge()
            await send(message)

        try:
            await self._app(scope, receive, send_charged)
        finally:
            charge()

    def _share_for(self, path: str) -> Share:
        if path in HEALTH:
            return self._health
        return self._questions if QUESTIONS in path else self._answers
