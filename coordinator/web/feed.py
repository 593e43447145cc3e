"""Live pictures as server-sent events.

Theory of operation. What can be watched is a `Topic`: a version, a picture, and the picture's bytes. One task looks
at the watched topics every `TICK_S`, encodes those that moved, once however many watch, and wakes the watchers. Each
watcher sends the newest bytes it has not sent yet. A picture is always whole, so a slow watcher skips what it missed,
and one that comes back needs nothing but the newest.
"""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import trio
from starlette.types import Message, Receive, Scope, Send

from coordinator.shell.view import View
from coordinator.web.documents import encode_json
from coordinator.web.problems import Problem

TICK_S = 0.5
"""Between two pictures to the same watcher, at least."""
SHARE = 0.2
"""Share of the daemon's time that pictures may take: where many different ones are watched, they come less often."""
SEND_S = 0.0004
"""What it costs to send one watcher a picture."""
SERVERS_EVERY_TICKS = 4
"""Table servers change with every hand of every match and matter less."""
HEARTBEAT_S = 10.0
"""Longest silence: a comment tells proxies and browsers that the stream lives."""
RETRY_MS = (1_000, 3_000)
"""How long a browser waits before it comes back; spread, so that they do not all come at once."""
MAX_WATCHERS = 2_000
"""One more is answered 503; each costs a socket and a task."""

_log = logging.getLogger(__name__)


class Topic:
    """One thing that can be watched. `picture` gives None when the thing is gone.

    Blocks of a topic with an `event` carry that name; those without one are plain messages with the version as id.
    """

    def __init__(
        self,
        key: str,
        version: Callable[[], int],
        picture: Callable[[], object],
        *,
        event: str | None = None,
        every_ticks: int = 1,
    ) -> None:
        self.key = key
        self.every_ticks = every_ticks
        self.watchers = 0
        self.block: bytes | None = None
        self._version = version
        self._picture = picture
        self._event = event
        self._shown: int | None = None

    def refresh(self) -> bool:
        """Take a new picture if the version moved; whether there is a new block to send."""
        version = self._version()
        if self._shown is not None and version <= self._shown:
            return False
        picture = self._picture()
        self._shown = version
        if picture is None:
            self.block = None
        else:
            head = f"event: {self._event}" if self._event else f"id: {version}"
            self.block = head.encode() + b"\ndata: " + encode_json(picture) + b"\n\n"
        return True


class Feed:
    """What of one daemon is being watched, and by how many."""

    def __init__(self, view: View, share: float = SHARE) -> None:
        self._view = view
        self._share = share
        self._watched: dict[str, Topic] = {}
        self._moved = trio.Event()
        self.watchers = 0
        self.closed = False

    async def run(self, stopping: trio.Event) -> None:
        """Keep the watchers up to date until `stopping` is set; then their streams end."""
        tick, rest_s = 0, TICK_S
        while not stopping.is_set():
            with trio.move_on_after(rest_s):
                await stopping.wait()
            tick += 1
            moved, spent_s = await self._refresh(tick)
            if moved:
                self._wake()
                spent_s += self.watchers * SEND_S
            rest_s = max(TICK_S, spent_s / self._share)
        self.closed = True
        self._wake()

    def match(self, match_id: str) -> Topic:
        """Everything about one match."""
        view = self._view
        return Topic(f"match/{match_id}", lambda: view.version(match_id), lambda: view.match(match_id))

    def player(self, match_id: str, player_id: str) -> Topic:
        """One player's own line, as event ``player``."""
        view = self._view
        return Topic(
            f"match/{match_id}/player/{player_id}",
            lambda: view.version(match_id),
            lambda: view.player(match_id, player_id),
            event="player",
        )

    def servers(self) -> Topic:
        """The table servers, as event ``servers``."""
        view = self._view
        return Topic(
            "servers", lambda: view.version(None), view.servers, event="servers", every_ticks=SERVERS_EVERY_TICKS
        )

    def overview(self, picture: Callable[[], object]) -> Topic:
        """The daemon as a whole, as `picture` shows it."""
        return Topic("overview", lambda: self._view.version(None), picture)

    @contextmanager
    def watching(self, topics: Sequence[Topic]) -> Iterator[list[Topic]]:
        """Count a watcher in and out; gives the topics to look at, which are shared with those who watch the same."""
        shared = [self._watched.setdefault(topic.key, topic) for topic in topics]
        self.watchers += 1
        for topic in shared:
            topic.watchers += 1
        try:
            for topic in shared:
                if topic.watchers == 1:
                    topic.refresh()
            yield shared
        finally:
            self.watchers -= 1
            for topic in shared:
                topic.watchers -= 1
                if topic.watchers == 0:
                    del self._watched[topic.key]

    def moved(self) -> trio.Event:
        """Set when something moves next, or when the feed closes. Take it before looking at the topics."""
        return self._moved

    async def _refresh(self, tick: int) -> tuple[bool, float]:
        """Whether anything moved, and the seconds it took; others get their turn between two pictures."""
        moved, spent_s = False, 0.0
        for topic in list(self._watched.values()):
            await trio.lowlevel.checkpoint()
            if topic.watchers and tick % topic.every_ticks == 0:
                began = trio.current_time()
                try:
                    moved |= topic.refresh()
                except Exception:
                    # One picture that cannot be taken must not stop all the others.
                    _log.exception("the picture of %s could not be taken", topic.key)
                spent_s += trio.current_time() - began
        return moved, spent_s

    def _wake(self) -> None:
        self._moved.set()
        self._moved = trio.Event()


class EventStream:
    """The answer to one watcher: sends each new block of its topics until the watcher leaves or the feed closes.

    The stream also ends when its first topic is gone.
    """

    def __init__(self, feed: Feed, topics: Sequence[Topic]) -> None:
        if feed.closed or feed.watchers >= MAX_WATCHERS:
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "too_many_watchers",
                "No more live streams can be served at present. The page works without one; reload it.",
                headers={"retry-after": "30"},
            )
        self._feed = feed
        self._topics = topics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        start: Message = {"type": "http.response.start", "status": 200, "headers": headers}
        if scope["method"] == "HEAD":
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        left = False
        # The first picture is taken before the answer begins, and so is part of what the answer costs.
        with self._feed.watching(self._topics) as topics:
            await send(start)
            async with trio.open_nursery() as nursery:

                async def notice_leaving() -> None:
                    nonlocal left
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    left = True
                    nursery.cancel_scope.cancel()

                nursery.start_soon(notice_leaving)
                await self._push(send, topics)
                nursery.cancel_scope.cancel()
        if not left:
            await send({"type": "http.response.body", "body": b""})

    async def _push(self, send: Send, topics: Sequence[Topic]) -> None:
        async def put(block: bytes) -> None:
            await send({"type": "http.response.body", "body": block, "more_body": True})

        feed = self._feed
        await put(f"retry: {random.randint(*RETRY_MS)}\n\n".encode())
        sent: list[bytes | None] = [None] * len(topics)
        quiet_since = trio.current_time()
        while not feed.closed and topics[0].block is not None:
            moved = feed.moved()
            for place, topic in enumerate(topics):
                block = topic.block
                if block is not None and block is not sent[place]:
                    await put(block)
                    sent[place] = block
                    quiet_since = trio.current_time()
            with trio.move_on_at(quiet_since + HEARTBEAT_S) as nap:
                await moved.wait()
            if nap.cancelled_caught:
                await put(b": nothing new\n\n")
                quiet_since = trio.current_time()
