"""The listener with whole clients, many peers, and handlers that fail."""

import gc

import pytest
import trio
import trio_websocket
from websockets.trio.client import connect

from coordinator.errors import AddressInUse
from coordinator.shell.listener import Connection, Limits, Listener, build_frame
from coordinator.shell.poller import SelectorPoller
from tests.shell.peers import (
    BINARY,
    GUARD_S,
    PING,
    PONG,
    SUBPROTOCOL,
    TEXT,
    Ended,
    Recorder,
    close_payload,
    connected,
    eventually,
    frame,
    opened,
    running,
)

pytestmark = pytest.mark.trio

HASTY = Limits(close_timeout_s=0.01)
"""For peers that do not answer a Close."""


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
async def test_echo_with_the_websockets_client(size):
    recorder = Recorder(echo=True)
    async with (
        running(recorder) as (_, port),
        connect(f"ws://127.0.0.1:{port}", subprotocols=[SUBPROTOCOL], max_size=None) as client,
    ):
        assert client.subprotocol == SUBPROTOCOL
        await client.send(b"x" * size)
        assert await client.recv() == b"x" * size
        pong = await client.ping()
        await pong.wait()
    await trio.lowlevel.checkpoint()
    assert recorder.messages == [(1, b"x" * size)]


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536])
async def test_echo_with_the_trio_websocket_client(size):
    recorder = Recorder(echo=True)
    async with running(recorder) as (_, port):
        async with trio_websocket.open_websocket(
            "127.0.0.1", port, "/", use_ssl=False, subprotocols=[SUBPROTOCOL]
        ) as client:
            await client.send_message(b"x" * size)
            assert await client.get_message() == b"x" * size
            await client.ping(b"?")
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends == [(1, 1000, "")]


async def test_the_websockets_client_sees_our_close():
    recorder = Recorder()
    async with (
        running(recorder) as (_, port),
        connect(f"ws://127.0.0.1:{port}", subprotocols=[SUBPROTOCOL]) as client,
    ):
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].close(4009, "replaced")
        await client.wait_closed()
        assert (client.close_code, client.close_reason) == (4009, "replaced")
    assert recorder.ends == [(1, 4009, "replaced")]


async def test_the_trio_websocket_client_sees_our_close():
    recorder = Recorder()
    async with (
        running(recorder) as (_, port),
        await trio.open_tcp_stream("127.0.0.1", port) as stream,  # it leaves the socket open otherwise
        trio.open_nursery() as nursery,
    ):
        client = await trio_websocket.wrap_client_stream(nursery, stream, "127.0.0.1", "/", subprotocols=[SUBPROTOCOL])
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].close(4009, "replaced")
        with pytest.raises(trio_websocket.ConnectionClosed):
            await client.get_message()
        assert client.closed is not None
        assert client.closed.code == 4009
        nursery.cancel_scope.cancel()
    assert recorder.ends == [(1, 4009, "replaced")]


async def test_many_messages_in_one_segment_stay_in_order():
    recorder = Recorder(echo=True)
    async with running(recorder) as (listener, port), opened(port) as peer:
        await peer.send(b"".join(frame(BINARY, b"%d" % number) for number in range(500)))
        for number in range(500):
            assert await peer.frame() == (BINARY, b"%d" % number)
        assert listener.counters.frames_in == 500


async def test_a_frame_built_once_reaches_everybody():
    recorder = Recorder()
    async with running(recorder) as (listener, port), trio.open_nursery() as nursery:
        received = []

        async def member():
            async with opened(port) as peer:
                received.append(await peer.frame())

        for _ in range(50):
            nursery.start_soon(member)
        await recorder.until(lambda: len(recorder.conns) == 50)
        built = build_frame(b"tick")
        for conn in listener.connections.values():
            conn.send_built(built)
        await eventually(lambda: len(received) == 50)
    assert received == [(BINARY, b"tick")] * 50


async def test_frames_joined_are_frames():
    recorder = Recorder()
    async with running(recorder) as (_, port), opened(port) as peer:
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].send_built(build_frame(b"one") + build_frame(b"two"))
        assert await peer.frame() == (BINARY, b"one")
        assert await peer.frame() == (BINARY, b"two")


async def test_every_batch_is_announced():
    """What `received` gathers, `batch_done` sends: nothing waits for a later message."""

    class Gatherer(Recorder):
        def received(self, conn: Connection, payload: bytes) -> None:
            gathered.append((conn, payload))

        def batch_done(self) -> None:
            for conn, payload in gathered:
                conn.send(payload)
            gathered.clear()

    gathered: list[tuple[Connection, bytes]] = []
    async with running(Gatherer()) as (_, port), opened(port) as peer:
        for payload in (b"one", b"two"):
            await peer.send(frame(BINARY, payload))
            assert await peer.frame() == (BINARY, payload)


@pytest.mark.parametrize("broken", ["opened", "received"])
async def test_a_failing_handler_ends_one_connection(broken, caplog):
    class Broken(Recorder):
        def opened(self, conn: Connection) -> None:
            super().opened(conn)
            if broken == "opened" and conn.conn_id == 1:
                raise ValueError("bad\nnews")

        def received(self, conn: Connection, payload: bytes) -> None:
            super().received(conn, payload)
            if broken == "received" and conn.conn_id == 1:
                raise ValueError("bad\nnews")

    recorder = Broken(echo=True)
    async with running(recorder) as (listener, port), opened(port) as victim, opened(port) as other:
        await victim.send(frame(BINARY, b"x"))
        assert await victim.close_code() == 1011
        await other.send(frame(BINARY, b"fine"))
        assert await other.frame() == (BINARY, b"fine")
        assert recorder.ends == [(1, 1011, "internal error")]
        assert listener.counters.handler_errors == 1
    [record] = caplog.records
    assert "ValueError" in record.message
    assert "test_listener.py" in record.message
    assert "\n" not in record.message
    assert record.exc_info is None


async def test_a_handler_that_fails_at_the_end_harms_nobody(caplog):
    class Broken(Recorder):
        def closed(self, conn: Connection, code: int, reason: str) -> None:
            super().closed(conn, code, reason)
            raise ValueError("bad news")

    recorder = Broken(echo=True)
    async with running(recorder) as (_, port), opened(port) as other:
        async with opened(port) as peer:
            await peer.send(frame(8, close_payload(1000)))
            assert await peer.close_code() == 1000
        await recorder.until(lambda: recorder.ends)
        await other.send(frame(BINARY, b"fine"))
        assert await other.frame() == (BINARY, b"fine")
        assert len(caplog.records) == 1


async def test_a_listener_may_take_text(caplog):
    def on_text(conn: Connection, text: bytes) -> None:
        if text == b"bug":
            raise ValueError("bad news")
        conn.send_built(build_frame(text.upper(), text=True))

    async with running(Recorder(), on_text=on_text) as (_, port), opened(port) as peer:
        await peer.send(frame(PING) + frame(TEXT, b"hello"))
        assert await peer.frame() == (PONG, b"")
        assert await peer.frame() == (TEXT, b"HELLO")
        await peer.send(frame(TEXT, b"bug"))
        assert await peer.close_code() == 1011
        assert len(caplog.records) == 1


async def test_closing_while_receiving_stops_the_messages_behind():
    class Closer(Recorder):
        def received(self, conn: Connection, payload: bytes) -> None:
            super().received(conn, payload)
            getattr(conn, payload.decode())(*([4000] if payload == b"close" else []))

    for verb, seen in ((b"close", 4000), (b"abort", 1006)):
        recorder = Closer()
        async with running(recorder, limits=HASTY) as (_, port), opened(port) as peer:
            await peer.send(frame(BINARY, verb) * 3)
            await recorder.until(lambda: recorder.ends)  # noqa: B023
            await peer.rest()
            assert [message for _, message in recorder.messages] == [verb]
            assert [end[1] for end in recorder.ends] == [seen]


async def test_sending_and_closing_inside_a_loop_over_connections_is_safe():
    recorder = Recorder()
    async with running(recorder) as (listener, port), opened(port), opened(port), opened(port):
        await recorder.until(lambda: len(recorder.conns) == 3)
        for conn in listener.connections.values():
            conn.close(4000)
            assert conn.closed
            assert recorder.ends == []  # told later, never from inside the call
            conn.send(b"nothing")
            conn.close(4001)
        await recorder.until(lambda: len(recorder.ends) == 3)
        assert len(listener.connections) == 0
        assert [end[1] for end in recorder.ends] == [4000] * 3


async def test_ends_are_told_without_waiting_for_a_sweep(monkeypatch):
    class Closer(Recorder):
        def batch_done(self) -> None:
            for conn in self.conns[1:]:
                conn.close(4002)

    monkeypatch.setattr("coordinator.shell.listener.SWEEP_S", 1000)
    recorder = Closer()
    async with running(recorder) as (_, port), opened(port):
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].close(4001)  # from outside the listener's task
        await recorder.until(lambda: len(recorder.ends) == 1)
        async with opened(port):  # and from inside its last step
            await recorder.until(lambda: len(recorder.ends) == 2)
    assert [end[:2] for end in recorder.ends] == [(1, 4001), (2, 4002)]


async def test_a_long_reason_is_cut_between_characters():
    recorder = Recorder()
    async with running(recorder) as (_, port), opened(port) as peer:
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].close(4000, "ü" * 100)
        assert await peer.frame() == (8, close_payload(4000, "ü" * 61))


async def test_a_busy_port_is_an_error_with_a_name():
    async with running(Recorder()) as (_, port):
        second = Listener(Recorder(), host="127.0.0.1", port=port)
        with pytest.raises(AddressInUse) as caught:
            await second.serve()
    assert caught.value.code == "address_in_use"
    assert caught.value.exit_code == 5
    assert caught.value.address == f"127.0.0.1:{port}"
    assert str(port) in str(caught.value)


async def test_peers_have_addresses_and_numbers():
    recorder = Recorder()
    async with running(recorder) as (listener, port), opened(port) as one, opened(port):
        await recorder.until(lambda: len(recorder.conns) == 2)
        host, number = one.stream.socket.getsockname()
        assert recorder.conns[0].peer == f"{host}:{number}"
        assert list(listener.connections) == [1, 2]
        assert [conn.conn_id for conn in recorder.conns] == [1, 2]


async def test_the_counters_count():
    recorder = Recorder(echo=True)
    async with running(recorder) as (listener, port):
        async with connected(port) as stranger:
            await stranger.send(b"GET / HTTP/1.0\r\n\r\n")
            await stranger.rest()
        async with opened(port) as peer:
            counters = listener.counters
            received, sent = counters.bytes_in, counters.bytes_out
            await peer.send(frame(BINARY, b"12345"))
            await peer.frame()
            assert counters.bytes_in - received == 11
            assert counters.bytes_out - sent == 7
        await recorder.until(lambda: recorder.ends)
        assert (counters.accepted, counters.opened, counters.refused) == (2, 1, 1)
        assert counters.frames_in == 1


async def test_the_portable_poller_serves_as_well():
    recorder = Recorder(echo=True)
    async with running(recorder, poller=SelectorPoller()) as (_, port), opened(port) as peer:
        await peer.send(frame(BINARY, b"hello"))
        assert await peer.frame() == (BINARY, b"hello")
        await peer.send(frame(8, close_payload(1000)))
        assert (await peer.frames())[1] == Ended(clean=True)


async def test_ipv6():
    recorder = Recorder(echo=True)
    listener = Listener(recorder, host="::1", port=0)
    with trio.fail_after(GUARD_S):
        async with trio.open_nursery() as nursery:
            try:
                port = await nursery.start(listener.serve)
            except* OSError:
                pytest.skip("no IPv6 on this machine")
            async with connect(f"ws://[::1]:{port}", subprotocols=[SUBPROTOCOL]) as client:
                await client.send(b"hello")
                assert await client.recv() == b"hello"
            assert recorder.conns[0].peer.startswith("[::1]:")
            await listener.aclose()


async def lose_a_thousand_peers() -> None:
    recorder = Recorder()

    async def come_and_go(port: int) -> None:
        async with opened(port) as peer:
            await peer.send(frame(BINARY, b"x") + b"\x82")

    async with running(recorder, limits=Limits(max_unauthenticated=50)) as (listener, port):
        for _ in range(20):
            async with trio.open_nursery() as nursery:
                for _ in range(50):
                    nursery.start_soon(come_and_go, port)
            await recorder.until(lambda: len(recorder.ends) == len(recorder.conns))
            assert listener.sockets == 0
        assert len(recorder.messages) == len(recorder.ends) == 1000
        assert len(listener.connections) == 0
        assert listener.counters.refused == 0


async def test_a_thousand_lost_peers_leave_nothing_behind():
    await lose_a_thousand_peers()
    gc.collect()
    assert not [item for item in gc.get_objects() if type(item) is Connection]
