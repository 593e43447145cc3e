"""Live pictures: encoded once, whole, no faster than the tick, and gone when their watchers are."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from coordinator.web import feed as feeds
from coordinator.web.feed import EventStream, Feed, Topic
from coordinator.web.problems import Problem
from tests.web.conftest import Site
from tests.web.moving_cup import MovingCup


@attrs.define
class Watcher:
    """Stands in for the server under one stream: collects what is sent, and can leave or stop taking."""

    stream: EventStream
    got: list[bytes] = attrs.field(factory=list)
    ended: bool = False
    gone: trio.Event = attrs.field(factory=trio.Event)
    takes: trio.Event = attrs.field(factory=trio.Event)

    async def run(self) -> None:
        await self.stream({"type": "http", "method": "GET"}, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.takes.wait()
        if message["type"] == "http.response.body":
            self.got.append(message["body"])
            self.ended = not message.get("more_body", False)

    @property
    def pictures(self) -> list[Any]:
        """The plain messages, without events that have a name."""
        blocks = [block.decode() for block in self.got]
        return [json.loads(block.partition("data: ")[2]) for block in blocks if block.startswith("id: ")]


@asynccontextmanager
async def watched(cup: MovingCup, watchers: int = 1) -> AsyncIterator[tuple[Feed, list[Watcher], trio.Event]]:
    feed, stopping = Feed(cup), trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(feed.run, stopping)
        group = [Watcher(EventStream(feed, [feed.match("winter-cup"), feed.servers()])) for _ in range(watchers)]
        for watcher in group:
            watcher.takes.set()
            nursery.start_soon(watcher.run)
        await wait_all_tasks_blocked()
        yield feed, group, stopping
        stopping.set()


async def test_a_watcher_gets_the_picture_at_once_and_then_each_change(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup) as (_, [watcher], _):
        assert watcher.got[0].startswith(b"retry: ")
        assert [picture["hands"] for picture in watcher.pictures] == [0]
        cup.play(3)
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert [picture["hands"] for picture in watcher.pictures] == [0, 3]
        assert f"id: {cup.version_no}\n".encode() in watcher.got[-1]


async def test_many_changes_in_a_tick_are_one_picture(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup) as (_, [watcher], _):
        for _ in range(20):
            cup.play()
            mock_clock.jump(feeds.TICK_S / 100)
            await wait_all_tasks_blocked()
        assert len(watcher.pictures) == 1
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert [picture["hands"] for picture in watcher.pictures] == [0, 20]


async def test_one_picture_for_all_watchers(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup, watchers=50) as (_, group, _):
        assert cup.pictures == 1
        cup.play()
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert cup.pictures == 2
        assert {len(watcher.pictures) for watcher in group} == {2}


async def test_pictures_that_take_long_come_less_often(
    cup: MovingCup, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second for a picture at a fifth of the time: five seconds until the next."""
    async with watched(cup) as (_, [watcher], _):
        take = cup.match

        def slowly(*words: Any) -> Any:
            mock_clock.jump(1.0)
            return take(*words)

        monkeypatch.setattr(MovingCup, "match", lambda self, *words: slowly(*words))
        came = []
        for tenth in range(150):
            cup.play()
            before = len(watcher.pictures)
            mock_clock.jump(0.1)
            await wait_all_tasks_blocked()
            if len(watcher.pictures) > before:
                came.append(tenth)
        assert {later - earlier for earlier, later in itertools.pairwise(came)} <= {50, 51}
        assert len(came) == 3


async def test_others_get_their_turn_between_two_pictures(cup: MovingCup, mock_clock: MockClock) -> None:
    feed, order = Feed(cup), []
    moving = itertools.count().__next__
    topics = [Topic(f"topic-{number}", moving, lambda: order.append("picture")) for number in range(3)]

    async def other() -> None:
        for _ in range(10):
            order.append("other")
            await trio.lowlevel.checkpoint()

    with feed.watching(topics):
        order.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(other)
            await feed._refresh(1)
    first, *_, last = [place for place, what in enumerate(order) if what == "picture"]
    assert "other" in order[first:last]


async def test_nothing_new_is_a_heartbeat(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup) as (_, [watcher], _):
        before = len(watcher.got)
        for _ in range(int(feeds.HEARTBEAT_S / feeds.TICK_S)):
            mock_clock.jump(feeds.TICK_S)
            await wait_all_tasks_blocked()
        assert watcher.got[before:] == [b": nothing new\n\n"]


async def test_a_slow_watcher_skips_and_holds_nobody(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup, watchers=2) as (_, [slow, quick], _):
        slow.takes = trio.Event()
        for _ in range(5):
            cup.play()
            mock_clock.jump(feeds.TICK_S)
            await wait_all_tasks_blocked()
        assert [picture["hands"] for picture in quick.pictures] == [0, 1, 2, 3, 4, 5]
        slow.takes.set()
        await wait_all_tasks_blocked()
        assert [picture["hands"] for picture in slow.pictures] == [0, 1, 5]


async def test_a_watcher_that_leaves_is_forgotten(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup, watchers=2) as (feed, [one, other], _):
        one.gone.set()
        await wait_all_tasks_blocked()
        assert feed.watchers == 1
        assert not one.ended, "nobody is there to be told"
        other.gone.set()
        await wait_all_tasks_blocked()
        pictures = cup.pictures
        cup.play()
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert cup.pictures == pictures, "nobody watches, so nothing is drawn"


async def test_streams_end_with_the_daemon(cup: MovingCup, mock_clock: MockClock) -> None:
    async with watched(cup, watchers=3) as (feed, group, stopping):
        stopping.set()
        await wait_all_tasks_blocked()
        assert all(watcher.ended for watcher in group)
        assert feed.watchers == 0
        with pytest.raises(Problem):
            EventStream(feed, [feed.servers()])


async def test_a_picture_that_fails_stops_no_other(
    cup: MovingCup, mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(cup) as (_, [watcher], _):
        news, cup.news = cup.news, None  # type: ignore[assignment]
        cup.version_no += 1
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert "could not be taken" in caplog.text
        cup.news = news
        cup.play()
        mock_clock.jump(feeds.TICK_S)
        await wait_all_tasks_blocked()
        assert [picture["hands"] for picture in watcher.pictures] == [0, 1]


async def test_too_many_watchers(cup: MovingCup, monkeypatch: pytest.MonkeyPatch, mock_clock: MockClock) -> None:
    monkeypatch.setattr(feeds, "MAX_WATCHERS", 2)
    async with watched(cup, watchers=2) as (feed, _, _):
        with pytest.raises(Problem) as refused:
            EventStream(feed, [feed.servers()])
        assert (refused.value.status_code, refused.value.code) == (503, "too_many_watchers")


async def test_stream_over_http(site: Site, cup: MovingCup) -> None:
    stream = await trio.open_tcp_stream("127.0.0.1", site.port)
    async with stream:
        await stream.send_all(b"GET /api/v1/matches/winter-cup/stream?player=p007 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""

        async def read_until(*marks: bytes) -> None:
            nonlocal got
            while not all(mark in got for mark in marks):
                piece = await stream.receive_some()
                assert piece, "the stream ended early"
                got += piece

        await read_until(b"\r\n\r\n", b'"hands":0', b"event: servers", b"event: player", b"Greta Holm")
        assert b"content-type: text/event-stream; charset=utf-8" in got
        cup.play(11)
        await read_until(b'"hands":11')
        site.stopping.set()
        while piece := await stream.receive_some():
            got += piece
        assert got.endswith(b"0\r\n\r\n"), "the last chunk says that the stream is over"
