"""The WebSocket dial against real sockets on the loopback."""

import contextlib
from functools import partial

import pytest
import trio
from websockets.trio.server import ServerConnection, serve
from websockets.utils import accept_key

from protocol.client import ChannelLost, DialRefused, Replaced, TableServer, websocket_dial
from protocol.messages import SUBPROTOCOL, HandEnded, Verdict
from protocol.testing import open_fake_coordinator
from tests.protocol.client.playing import SCORES, seat, start


@contextlib.asynccontextmanager
async def listening():
    with trio.fail_after(20):
        async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
            yield coordinator, nursery, await nursery.start(coordinator.serve)
            nursery.cancel_scope.cancel()


@contextlib.asynccontextmanager
async def answering(words: bytes):
    """A socket that says these words to whoever comes, and hangs up."""

    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(words)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, answer, [listener])
        yield f"ws://127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


async def test_a_hand_over_a_real_socket_with_a_cut_in_the_middle():
    async with listening() as (coordinator, nursery, url):
        server = TableServer(url, "srv-1", games=["gin_rummy"], capacity=4)
        await nursery.start(server.run)
        peer = await coordinator.peer("srv-1")
        peer.push(seat(), start())
        hand = await server.hands().receive()
        await peer.cut()
        report = hand.report(SCORES)
        ended = await peer.next(HandEnded)
        peer.push(Verdict(ended.ref, "m-1", 7, 1, 1, "scored"))
        assert (await report.wait()).verdict == "scored"
        assert len(peer.hellos) == 2
        assert "snapshot" not in peer.resumed


async def test_the_close_code_of_a_replaced_peer_arrives():
    async with listening() as (coordinator, nursery, url):
        ended = trio.Event()

        async def run(task_status) -> None:
            with pytest.raises(Replaced):
                await TableServer(url, "srv-1", games=[], capacity=1).run(task_status=task_status)
            ended.set()

        await nursery.start(run)
        (await coordinator.peer("srv-1")).dismiss(None, 4009)
        await ended.wait()


async def test_a_server_drains_over_a_real_socket():
    async with listening() as (coordinator, nursery, url):
        server = TableServer(url, "srv-1", games=[], capacity=1)
        await nursery.start(server.run)
        await server.drain()
        peer = await coordinator.peer("srv-1")
        await peer.until(lambda: not peer.connected)


async def test_a_block_that_fails_leaves_no_socket_behind():
    async with listening() as (_, _, url):
        with pytest.raises(ZeroDivisionError):
            async with websocket_dial(url)():
                raise ZeroDivisionError
        async with websocket_dial(url)() as channel:
            await channel.abort()
            with pytest.raises(ChannelLost):
                await channel.send(b"\x90")
            with pytest.raises(ChannelLost):
                await channel.receive()


async def test_a_network_that_goes_silent_is_no_traceback(monkeypatch, caplog):
    for name in ("PING_INTERVAL_S", "PING_TIMEOUT_S", "CLOSE_TIMEOUT_S"):
        monkeypatch.setattr(f"protocol.client.channel.{name}", 0.05)

    async def greet_and_go_silent(stream: trio.SocketStream) -> None:
        asked = bytes(await stream.receive_some()).decode()
        (key,) = (line.split(": ")[1] for line in asked.splitlines() if line.startswith("Sec-WebSocket-Key"))
        lines = ("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
        told = (f"Sec-WebSocket-Accept: {accept_key(key)}", f"Sec-WebSocket-Protocol: {SUBPROTOCOL}")
        await stream.send_all("\r\n".join((*lines, *told, "", "")).encode())
        await trio.sleep_forever()

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, greet_and_go_silent, [listener])
            async with websocket_dial(f"ws://127.0.0.1:{listener.socket.getsockname()[1]}")() as channel:
                with pytest.raises(ChannelLost, match="keepalive ping timeout"):
                    await channel.receive()
            nursery.cancel_scope.cancel()
    assert caplog.records == []


async def test_a_port_where_nobody_listens_may_be_dialled_again():
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    with pytest.raises(ChannelLost):
        async with websocket_dial(f"ws://127.0.0.1:{port}")():
            pass


@pytest.mark.parametrize("words", [b"", b"HTTP/1.1 503 Busy\r\n\r\n", b"HTTP/1.1 429 Slower\r\n\r\n"])
async def test_a_server_in_trouble_may_be_dialled_again(words):
    async with answering(words) as url:
        with pytest.raises(ChannelLost):
            async with websocket_dial(url)():
                pass


@pytest.mark.parametrize(
    "words",
    [
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_what_is_no_coordinator_is_not_dialled_again(words):
    async with answering(words) as url:
        with pytest.raises(DialRefused):
            async with websocket_dial(url)():
                pass


async def test_an_address_that_is_none_is_refused():
    with pytest.raises(DialRefused):
        async with websocket_dial("http://127.0.0.1:1")():
            pass


async def test_a_server_of_another_protocol_is_not_dialled_again():
    async def listen(connection: ServerConnection) -> None:
        await connection.wait_closed()

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(partial(serve, listen, listeners=[listener]))
        with pytest.raises(DialRefused):
            async with websocket_dial(f"ws://127.0.0.1:{listener.socket.getsockname()[1]}")():
                pass
        nursery.cancel_scope.cancel()
