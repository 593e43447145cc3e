"""The port: taken, reported, and given back."""

from functools import partial

import pytest
import trio

from coordinator.errors import AddressInUse
from coordinator.web import serve as ports
from coordinator.web.serve import serve_http
from tests.web.conftest import Site
from tests.web.moving_cup import MovingCup


async def test_a_busy_port_is_named(site: Site, cup: MovingCup) -> None:
    with pytest.raises(AddressInUse, match=f"127.0.0.1:{site.port}"):
        await serve_http(cup, host="127.0.0.1", port=site.port, stopping=trio.Event())


async def test_stop_ends_it_and_frees_the_port(cup: MovingCup) -> None:
    stopping = trio.Event()
    async with trio.open_nursery() as nursery:
        port = await nursery.start(partial(serve_http, cup, host="127.0.0.1", port=0, stopping=stopping))
        idle = await trio.open_tcp_stream("127.0.0.1", port)
        stopping.set()
        assert await idle.receive_some() == b"", "a connection without a request is closed"
        await idle.aclose()
    with pytest.raises(OSError, match="all attempts to connect"):
        await trio.open_tcp_stream("127.0.0.1", port)


async def test_the_address_it_listens_on_is_one_of_its_names(cup: MovingCup) -> None:
    stopping = trio.Event()
    async with trio.open_nursery() as nursery:
        port = await nursery.start(partial(serve_http, cup, host="127.0.0.2", port=0, stopping=stopping))
        async with await trio.open_tcp_stream("127.0.0.2", port) as stream:
            await stream.send_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.2\r\nConnection: close\r\n\r\n")
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")
        stopping.set()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    ],
)
async def test_broken_requests_get_a_client_error(site: Site, request_bytes: bytes) -> None:
    async with await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
        await stream.send_all(request_bytes)
        got = b""
        with trio.fail_after(20):
            while piece := await stream.receive_some():
                got += piece
        assert got.startswith(b"HTTP/1.1 4")
    assert (await site.ask("/healthz")).status == 200


async def test_a_reader_that_stopped_reading_does_not_hold_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "GRACE_S", 0.2)
    crowd, stopping = MovingCup(players=20_000), trio.Event()
    async with trio.open_nursery() as nursery:
        port = await nursery.start(partial(serve_http, crowd, host="127.0.0.1", port=0, stopping=stopping))
        sock = trio.socket.socket()
        sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 4096)
        await sock.connect(("127.0.0.1", port))
        await sock.send(b"GET /api/v1/matches/winter-cup?rows=20000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert await sock.recv(100)
        stopping.set()
    sock.close()
