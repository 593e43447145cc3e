"""TLS on both ports: what is said is what is heard, however the bytes fall, and nobody gets in beside it."""

import gc
import socket
import ssl
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
import trio.testing
import trustme
from websockets.trio.client import connect

from coordinator.errors import TlsRefused
from coordinator.shell.limits import Limits
from coordinator.shell.listener import Listener, build_frame
from coordinator.shell.tls import TlsSocket, server_context
from coordinator.web.serve import serve_http
from protocol.client import ChannelLost, Spectator, websocket_dial
from tests.shell.peers import GUARD_S, SUBPROTOCOL, Recorder, connected, request
from tests.shell.premises import premises
from tests.web.moving_cup import MovingCup


@pytest.fixture(scope="module")
def authority():
    return trustme.CA(key_type=trustme.KeyType.ECDSA)


@pytest.fixture(scope="module")
def files(authority, tmp_path_factory):
    """The certificate with its key, and that of the authority."""
    folder = tmp_path_factory.mktemp("tls")
    authority.issue_cert("127.0.0.1", "localhost").private_key_and_cert_chain_pem.write_to_path(folder / "ours.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    return folder / "ours.pem", folder / "ca.pem"


def trusting(authority) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@asynccontextmanager
async def running(files, handler=None, *, client_ca=None, **words):
    recorder = Recorder(echo=True) if handler is None else handler
    tls = server_context(files[0], None, client_ca)
    listener = Listener(recorder, host="127.0.0.1", port=0, tls=tls, **words)
    with trio.fail_after(GUARD_S):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(listener.serve)
            yield recorder, listener, port
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize("size", [0, 1, 125, 16_384, 65_536])
async def test_echo_over_tls(authority, files, size):
    async with (
        running(files) as (recorder, _, port),
        connect(f"wss://127.0.0.1:{port}", ssl=trusting(authority), subprotocols=[SUBPROTOCOL], max_size=None) as peer,
    ):
        for number in range(3):
            said = bytes([number]) * size
            await peer.send(said)
            assert await peer.recv() == said
    assert len(recorder.messages) == 3


async def test_a_slow_reader_gets_every_byte_in_order(authority, files):
    """Nothing that was encrypted is lost or said twice when the kernel takes it in pieces."""
    recorder = Recorder()
    limits = Limits(outbox_bytes=1 << 24, outbox_frames=1 << 16, send_buffer=4096, dead_after_s=3600)
    async with (
        running(files, recorder, limits=limits) as (_, listener, port),
        connect(f"wss://127.0.0.1:{port}", ssl=trusting(authority), subprotocols=[SUBPROTOCOL], max_queue=1) as peer,
    ):
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[0]
        sizes = [1, 2, 100, 5_000, 70_000, 3, 16_384, 16_385] * 40
        for number, size in enumerate(sizes):
            conn.send(bytes([number % 251]) * size)
        assert conn.waiting_bytes
        for number, size in enumerate(sizes):
            got = await peer.recv()
            assert got == bytes([number % 251]) * size
        assert not conn.closed
        assert listener.counters.handler_errors == 0


async def test_a_waiting_frame_is_replaced_whole_over_tls(authority, files):
    """What has begun to be encrypted stays, what waits behind it may be replaced: no frame is torn."""
    recorder = Recorder()
    limits = Limits(outbox_bytes=1 << 24, send_buffer=4096, dead_after_s=3600)
    async with (
        running(files, recorder, limits=limits) as (_, _, port),
        connect(f"wss://127.0.0.1:{port}", ssl=trusting(authority), subprotocols=[SUBPROTOCOL], max_queue=1) as peer,
    ):
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[0]
        while not conn.waiting_bytes:
            conn.send(bytes(60_000))
            conn.replace("tick", build_frame(b"tick 0" + bytes(1000)))
        for number in range(1, 50):
            conn.replace("tick", build_frame(b"tick %d" % number + bytes(1000)))
        conn.send(b"end")
        heard: list[bytes] = []
        while not heard or heard[-1] != b"end":
            heard.append(await peer.recv(decode=False))
        ticks = [each[:7].rstrip(b"\0") for each in heard if each.startswith(b"tick")]
        assert ticks[-1] == b"tick 49"
        assert set(map(len, heard)) <= {60_000, 1006, 1007, 3}


async def test_the_close_is_clean_on_both_sides(authority, files):
    async with running(files) as (recorder, listener, port):
        async with connect(f"wss://127.0.0.1:{port}", ssl=trusting(authority), subprotocols=[SUBPROTOCOL]) as peer:
            await peer.send(b"x")
            await peer.recv()
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends[0][1] == 1000
        assert listener.counters.protocol_errors == 0


@pytest.mark.parametrize(
    "data", [request(), b"\x16\x03\x01\x00\x05hello", b"\x16\x03\x01\xff\xff" + bytes(70_000), b"\0"]
)
async def test_what_is_no_tls_is_dropped(files, data):
    async with running(files, limits=Limits(open_timeout_s=0.2)) as (recorder, listener, port):
        async with connected(port) as peer:
            with suppress(trio.BrokenResourceError):
                await peer.send(data)
            answer = await peer.rest()
            assert not answer.startswith(b"HTTP")
        assert recorder.conns == []
        assert listener.counters.handler_errors == 0


def test_what_follows_the_closing_alert_is_not_kept(authority, files, monkeypatch):
    """A stranger could fill the memory within the seconds it has to say hello."""
    one, other = socket.socketpair()
    buffers: list[ssl.MemoryBIO] = []
    make_buffer = ssl.MemoryBIO

    def make_seen_buffer() -> ssl.MemoryBIO:
        buffers.append(make_buffer())
        return buffers[-1]

    with one, other:
        one.setblocking(False)
        with monkeypatch.context() as patch:
            patch.setattr(ssl, "MemoryBIO", make_seen_buffer)
            wire = TlsSocket(one, server_context(files[0], None, None))
        said, heard = ssl.MemoryBIO(), ssl.MemoryBIO()
        peer = trusting(authority).wrap_bio(heard, said, server_hostname="127.0.0.1")
        for last in (False, True):
            with suppress(ssl.SSLWantReadError):
                peer.do_handshake()
            if last:
                peer.write(b"the last word")
                with suppress(ssl.SSLWantReadError):
                    peer.unwrap()
            other.sendall(said.read())
            if last:
                assert wire.recv(65_536) == b"the last word"
            else:
                with pytest.raises(BlockingIOError):
                    wire.recv(65_536)
                heard.write(other.recv(65_536))
        for _ in range(16):
            other.sendall(bytes(16_384))
            with pytest.raises(BlockingIOError):
                wire.recv(65_536)
        assert [buffer.pending for buffer in buffers] == [0, 0]
        other.shutdown(socket.SHUT_WR)
        assert wire.recv(65_536) == b""


async def test_old_tls_is_refused(authority, files):
    old = trusting(authority)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    async with running(files) as (_, _, port):
        with pytest.raises(ChannelLost):
            async with websocket_dial(f"wss://127.0.0.1:{port}", tls=old)():
                pass


async def test_a_client_certificate_can_be_demanded(authority, files):
    shown = trusting(authority)
    authority.issue_cert("srv-1.example").configure_cert(shown)
    async with running(files, client_ca=files[1]) as (_, _, port):
        async with connect(f"wss://127.0.0.1:{port}", ssl=shown, subprotocols=[SUBPROTOCOL]) as peer:
            await peer.send(b"x")
            assert await peer.recv() == b"x"
        with pytest.raises(ChannelLost):
            async with websocket_dial(f"wss://127.0.0.1:{port}", tls=trusting(authority))() as channel:
                await channel.receive()


async def test_the_sdk_does_not_trust_a_stranger(files):
    async with running(files) as (_, _, port):
        with pytest.raises(ChannelLost, match="certificate"):
            async with websocket_dial(f"wss://127.0.0.1:{port}")():
                pass


async def test_a_role_of_the_sdk_over_tls(authority, files, nursery):
    async with premises() as house:
        listener = Listener(house.door, host="127.0.0.1", port=0, tls=server_context(files[0], None, None))
        port = await nursery.start(listener.serve)
        spectator = Spectator(f"wss://127.0.0.1:{port}", "eyes", tls=trusting(authority))
        await nursery.start(spectator.run)
        assert house.peer("eyes").conn is not None
        nursery.cancel_scope.cancel()


async def test_the_http_port_speaks_tls(authority, files, nursery):
    stopping = trio.Event()
    tls = server_context(files[0], None, None)
    port = await nursery.start(partial(serve_http, MovingCup(), host="127.0.0.1", port=0, stopping=stopping, tls=tls))
    plain = await trio.open_tcp_stream("127.0.0.1", port)
    async with trio.SSLStream(plain, trusting(authority), server_hostname="127.0.0.1", https_compatible=True) as stream:
        await stream.send_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        got = b""
        while piece := await stream.receive_some():
            got += piece
    assert got.startswith(b"HTTP/1.1 200")
    assert b"strict-transport-security: max-age" in got
    stopping.set()


@pytest.mark.parametrize("where", ["the wire", "HTTP"])
async def test_an_opening_that_came_to_nothing_leaves_nothing_behind(files, nursery, where):
    """Not even until the collector comes by: a flood of them would fill the memory first."""
    tls, stopping = server_context(files[0], None, None), trio.Event()
    if where == "HTTP":
        port = await nursery.start(
            partial(serve_http, MovingCup(), host="127.0.0.1", port=0, stopping=stopping, tls=tls)
        )
    else:
        limits = Limits(open_timeout_s=0.01)
        port = await nursery.start(Listener(Recorder(), host="127.0.0.1", port=0, tls=tls, limits=limits).serve)
    gc.collect()
    before = conversations()
    gc.disable()
    try:
        streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(20)]
        for stream in streams:
            with suppress(trio.BrokenResourceError):
                await stream.send_all(b"\x16\x03\x01" if where == "the wire" else b"noise")
                assert await stream.receive_some() == b""
            await stream.aclose()
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert conversations() <= before
    finally:
        gc.enable()
    stopping.set()
    nursery.cancel_scope.cancel()


def conversations() -> int:
    """Of TLS that are kept in memory."""
    return sum(isinstance(each, ssl.SSLObject) for each in gc.get_objects())


def test_files_that_cannot_be_used_are_named(files, tmp_path):
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    for certificate, key, client_ca in (
        (tmp_path / "none.pem", None, None),
        (empty, None, None),
        (files[1], None, None),
        (files[0], files[1], None),
        (files[0], None, empty),
    ):
        with pytest.raises(TlsRefused) as caught:
            server_context(certificate, key, client_ca)
        assert str(caught.value.path) in str(caught.value)
        assert "PRIVATE KEY" not in str(caught.value)


def test_a_plain_socket_says_nothing_before_the_handshake(files):
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        wire = TlsSocket(one, server_context(files[0], None, None))
        with pytest.raises(OSError, match="handshake"):
            wire.send(b"HTTP/1.1 503\r\n\r\n")
        other.setblocking(False)
        with pytest.raises(BlockingIOError):
            other.recv(1)
