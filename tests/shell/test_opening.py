"""Which openings become a connection, and what the others are told."""

import resource
import socket

import attrs
import pytest
import trio

from coordinator.shell.listener import Limits
from tests.shell.peers import (
    BINARY,
    SUBPROTOCOL,
    Ended,
    Recorder,
    connected,
    eventually,
    frame,
    opened,
    request,
    running,
)

pytestmark = pytest.mark.trio

PATIENT = Limits(open_timeout_s=60, close_timeout_s=60)
DROP = None
"""Expected instead of a status: TCP is closed without a byte."""

TLS_HELLO = bytes.fromhex("16030100c8010000c403030a0d0a0d0a") + bytes(184)

openings: list[tuple[str, bytes, int | None]] = [
    ("good", request(), 101),
    ("good with a query", request(line="GET /?x=1 HTTP/1.1"), 101),
    ("good among other subprotocols", request(Sec_WebSocket_Protocol=f"other, {SUBPROTOCOL}"), 101),
    ("TLS hello", TLS_HELLO, DROP),
    ("noise", bytes(range(128, 256)), DROP),
    ("noise that looks like a line", b"HELO coordinator\r\n", DROP),
    ("POST", request(line="POST / HTTP/1.1"), 405),
    ("HTTP/1.0", request(line="GET / HTTP/1.0"), 505),
    ("HTTP/2.0", request(line="GET / HTTP/2.0"), DROP),
    ("no Host", request(without=("Host",)), 400),
    ("two Hosts", request(extra=("Host: 127.0.0.1",)), 400),
    ("another Host", request(Host="evil.example"), 421),
    ("a page's Origin", request(extra=("Origin: http://127.0.0.1",)), 403),
    ("no key", request(without=("Sec-WebSocket-Key",)), 400),
    ("short key", request(Sec_WebSocket_Key="c2hvcnQ="), 400),
    ("key that is no base64", request(Sec_WebSocket_Key="?" * 24), 400),
    ("version 12", request(Sec_WebSocket_Version="12"), 426),
    ("no version", request(without=("Sec-WebSocket-Version",)), 400),
    ("plain GET", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 426),
    ("Upgrade to something else", request(Upgrade="h2c"), 426),
    ("unknown path", request(line="GET /admin HTTP/1.1"), 404),
    ("path that climbs", request(line="GET /../etc/passwd HTTP/1.1"), 404),
    ("one header of 64 KiB", request(extra=("X-Long: " + "x" * 65_536,)), 431),
    ("1,000 headers", request(extra=("X: y",) * 1000), 431),
    ("33 headers", request(extra=("X: y",) * 27), 431),
    ("32 headers", request(extra=("X: y",) * 26), 101),
    ("NUL in a header", request(extra=("X: a\0b",)), DROP),
    ("bare LF", request().replace(b"\r\n", b"\n"), DROP),
    ("header without colon", request(extra=("nonsense",)), DROP),
    ("path that is not ASCII", request(line="GET /\xfc HTTP/1.1"), DROP),
    ("chunked body", request(extra=("Transfer-Encoding: chunked",)), DROP),
    ("no subprotocol", request(without=("Sec-WebSocket-Protocol",)), 400),
    ("unknown subprotocol only", request(Sec_WebSocket_Protocol="chat"), 400),
]


@pytest.mark.parametrize("piecewise", [False, True], ids=["at once", "piecewise"])
@pytest.mark.parametrize(("data", "expected"), [row[1:] for row in openings], ids=[row[0] for row in openings])
async def test_openings(data, expected, piecewise, caplog):
    recorder = Recorder()
    async with (
        running(recorder, limits=PATIENT, allowed_hosts={"127.0.0.1"}) as (listener, port),
        connected(port) as peer,
    ):
        step = max(1, len(data) // 50) if piecewise else len(data)
        try:
            for start in range(0, len(data), step):
                await peer.send(data[start : start + step])
        except trio.BrokenResourceError:
            pass  # answered before everything was said
        answer = await peer.response()
        if expected is DROP:
            assert isinstance(answer, Ended)
        elif not isinstance(answer, Ended):
            assert answer[0] == expected
        else:
            # Answered early, and our late bytes made the kernel throw the answer away.
            assert expected == 431
            assert not answer.clean
        if expected == 101:
            await recorder.until(lambda: recorder.conns)
            assert list(listener.connections.values()) == recorder.conns
        else:
            await peer.rest()
            assert recorder.conns == []
            assert listener.counters.refused == 1
        assert recorder.messages == []
    assert caplog.records == []


async def test_a_frame_before_our_answer_is_dropped():
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (listener, port), connected(port) as peer:
        await peer.send(request() + frame(BINARY, b"early"))
        assert await peer.rest() == b""
        assert listener.counters.refused == 1
    assert recorder.conns == []


async def test_the_answer_names_the_subprotocol():
    async with running(Recorder()) as (_, port), connected(port) as peer:
        await peer.send(request(Sec_WebSocket_Protocol=f"chat, {SUBPROTOCOL}"))
        _, headers = await peer.answer()
        assert headers["sec-websocket-protocol"] == SUBPROTOCOL
        assert "sec-websocket-extensions" not in headers


async def test_our_best_subprotocol_is_chosen():
    recorder = Recorder()
    async with running(recorder, subprotocols=("v2", "v1")) as (_, port), connected(port) as peer:
        await peer.send(request(Sec_WebSocket_Protocol="v1, v2"))
        await recorder.until(lambda: recorder.conns)
        assert recorder.conns[0].subprotocol == "v2"


async def test_compression_is_never_agreed_on():
    async with running(Recorder()) as (_, port), connected(port) as peer:
        await peer.send(request(extra=("Sec-WebSocket-Extensions: permessage-deflate",)))
        status, headers = await peer.answer()
        assert status == 101
        assert "sec-websocket-extensions" not in headers


@pytest.mark.parametrize("offer", [(), ("Sec-WebSocket-Protocol: chat",)], ids=["none", "unknown"])
async def test_a_listener_may_do_without_a_subprotocol(offer):
    async with running(Recorder(), require_subprotocol=False) as (_, port), connected(port) as peer:
        await peer.send(request(without=("Sec-WebSocket-Protocol",), extra=offer))
        status, headers = await peer.answer()
        assert status == 101
        assert "sec-websocket-protocol" not in headers


async def test_version_12_is_told_the_version():
    async with running(Recorder()) as (_, port), connected(port) as peer:
        await peer.send(request(Sec_WebSocket_Version="12"))
        _, headers = await peer.answer()
        assert headers["sec-websocket-version"] == "13"


async def test_a_slow_opening_is_dropped():
    limits = Limits(open_timeout_s=0.05)
    async with running(Recorder(), limits=limits) as (listener, port), connected(port) as peer:
        await peer.send(request()[:40])
        assert isinstance(await peer.response(), Ended)
        assert listener.counters.refused == 1
        await eventually(lambda: listener.sockets == 0)


async def test_a_half_closed_socket_without_a_byte_is_dropped_at_once():
    async with running(Recorder(), limits=PATIENT) as (listener, port), connected(port) as peer:
        await peer.stream.send_eof()
        assert await peer.rest() == b""
        await eventually(lambda: listener.sockets == 0)


async def test_one_socket_too_many_is_told_to_come_back():
    recorder = Recorder(authenticate=False)
    limits = attrs.evolve(PATIENT, max_unauthenticated=2, hello_timeout_s=60)
    async with (
        running(recorder, limits=limits) as (listener, port),
        opened(port),
        connected(port) as second,
    ):
        await eventually(lambda: listener.sockets == 2)
        async with connected(port) as third:
            status, _ = await third.answer()
            assert status == 503
            assert await third.rest() == b""
        assert listener.counters.refused == 1
        recorder.conns[0].raise_limit()  # authenticated peers do not count
        async with opened(port):
            await second.stream.aclose()  # nor do those that left
            await eventually(lambda: listener.sockets == 2)
            async with opened(port):
                assert len(listener.connections) == 3


async def test_hello_must_come_in_time():
    recorder = Recorder(authenticate=False)
    async with running(recorder, limits=Limits(hello_timeout_s=0.05)) as (_, port), opened(port) as peer:
        assert await peer.close_code() == 4008
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends[0][1] == 4008


async def test_running_out_of_descriptors_pauses_and_goes_on():
    recorder = Recorder()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with running(recorder) as (listener, port):
        sock = trio.socket.socket()
        with socket.socket() as probe:
            lowest_free = probe.fileno()
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, hard))
        try:
            await sock.connect(("127.0.0.1", port))
            await eventually(lambda: listener.counters.accept_pauses)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        async with trio.SocketStream(sock) as stream:
            await stream.send_all(request())
            await recorder.until(lambda: recorder.conns)
        assert listener.counters.accept_pauses == 1
