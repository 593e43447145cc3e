"""So many connections, and health whatever happens; each speaks HTTP/1.1 and takes its answers in time."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from coordinator.web import connections
from coordinator.web.serve import serve_http
from tests.web.moving_cup import MovingCup

STREAM = "/api/v1/matches/winter-cup/stream"


@asynccontextmanager
async def port(view: MovingCup, *, room: int = 10) -> AsyncIterator[int]:
    """The port of a site on the loopback."""
    stopping = trio.Event()
    async with trio.open_nursery() as nursery:
        serve = partial(serve_http, view, host="127.0.0.1", port=0, stopping=stopping, room=room)
        yield await nursery.start(serve)
        stopping.set()


async def asked(number: int, path: str, *, method: str = "GET", buffer: int | None = None) -> trio.SocketStream:
    """A connection on which this was asked."""
    sock = trio.socket.socket()
    if buffer is not None:
        sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, buffer)
    await sock.connect(("127.0.0.1", number))
    stream = trio.SocketStream(sock)
    await stream.send_all(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return stream


async def status(number: int, path: str) -> int:
    async with await asked(number, path) as stream:
        return int((await stream.receive_some()).split()[1])


async def test_beyond_the_room_there_is_health_and_nothing_else(cup: MovingCup) -> None:
    async with port(cup, room=3) as number, AsyncExitStack() as stack:
        for _ in range(3):
            stream = await stack.enter_async_context(await asked(number, STREAM))
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")
        for path in ("/", "/api/v1/status", "/static/site.css", STREAM):
            async with await asked(number, path) as stream:
                got = b""
                while piece := await stream.receive_some():
                    got += piece
            assert got.startswith(b"HTTP/1.1 503")
            assert b"too_many_connections" in got
        for path in ("/healthz", "/readyz", "/metrics"):
            assert await status(number, path) == 200


async def test_room_that_is_given_back_is_taken_again(cup: MovingCup) -> None:
    async with port(cup, room=1) as number:
        async with await asked(number, STREAM) as stream:
            assert await stream.receive_some()
            assert await status(number, "/api/v1/status") == 503
        await wait_all_tasks_blocked()
        assert await status(number, "/api/v1/status") == 200


async def test_whoever_only_holds_on_makes_room_for_health(cup: MovingCup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SPARE", 4)
    async with port(cup, room=0) as number, AsyncExitStack() as stack:
        holding = [await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", number)) for _ in range(6)]
        assert await status(number, "/healthz") == 200
        assert await holding[0].receive_some() == b"", "the oldest was let go"


async def test_silence_after_an_offer_of_http_2_ends_like_any_other(cup: MovingCup, autojump_clock: None) -> None:
    async with port(cup) as number, await trio.open_tcp_stream("127.0.0.1", number) as stream:
        await stream.send_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        got = b""
        while piece := await stream.receive_some():
            got += piece
        assert got.startswith(b"HTTP/1.1 4")


async def test_an_answer_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STALL_S", 0.05)
    monkeypatch.setattr(connections, "SLOWEST_BYTES_PER_S", 1e9)
    path = "/api/v1/matches/winter-cup?rows=20000"
    async with port(MovingCup(players=20_000), room=1) as number, await asked(number, path, buffer=4096) as stream:
        assert await stream.receive_some(100)
        while await status(number, "/api/v1/status") == 503:
            await trio.lowlevel.checkpoint()


async def test_answers_that_wait_for_slow_readers_are_so_many_bytes_and_the_oldest_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, size = "/api/v1/matches/winter-cup?rows=40000", 4_000_000
    monkeypatch.setattr(connections, "UNREAD_BYTES", 3 * size)
    async with port(MovingCup(players=40_000)) as number, AsyncExitStack() as stack:
        slow = []
        for _ in range(3):
            stream = await stack.enter_async_context(await asked(number, path, buffer=4096))
            assert await stream.receive_some(100)
            slow.append(stream)
        assert await taken(slow[0]) < size, "the oldest was given up"
        assert await taken(slow[2]) > size


async def taken(stream: trio.SocketStream) -> int:
    """How many bytes of an answer come in all."""
    count = 0
    with suppress(trio.BrokenResourceError), trio.move_on_after(2):
        while piece := await stream.receive_some():
            count += len(piece)
    return count


async def test_a_mistake_about_one_connection_ends_no_other(
    cup: MovingCup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with port(cup) as number:
        with monkeypatch.context() as patched:
            patched.setattr(connections._PlainProtocol, "_create_stream", None)
            async with await asked(number, "/healthz") as stream:
                assert await stream.receive_some() == b""
        assert await status(number, "/healthz") == 200
    assert "a connection was given up" in caplog.text


@pytest.mark.parametrize("cut", [0, 10, 70, 1000])
async def test_a_body_in_a_thousand_pieces_holds_nothing(cup: MovingCup, cut: int) -> None:
    """Nobody reads the body of a request that is refused; the connection must end all the same, wherever it stood."""
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = head + b"1\r\nx\r\n" * 1000
    async with port(cup, room=1) as number:
        async with await trio.open_tcp_stream("127.0.0.1", number) as stream:
            await stream.send_all(whole[:cut])
            await wait_all_tasks_blocked(0.01)
            got = b""
            with trio.fail_after(20), suppress(trio.BrokenResourceError):
                await stream.send_all(whole[cut:])
                while piece := await stream.receive_some():
                    got += piece
            assert got.startswith(b"HTTP/1.1 405")
        await wait_all_tasks_blocked(0.01)
        assert await status(number, "/api/v1/status") == 200, "there is room again"
