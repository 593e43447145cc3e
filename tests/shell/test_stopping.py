"""The end of a listener: everybody is told, and nobody can hold it up."""

import pytest
import trio

from coordinator.shell.listener import Limits, Listener
from tests.shell.peers import CLOSE, GUARD_S, Recorder, close_payload, connected, frame, opened, running

pytestmark = pytest.mark.trio

HASTY = Limits(close_timeout_s=0.01)
"""For peers that do not answer a Close."""


async def test_everybody_is_told_and_serve_returns():
    recorder = Recorder()
    codes: list[object] = []
    listener = Listener(recorder, host="127.0.0.1", port=0)
    with trio.fail_after(GUARD_S):
        async with trio.open_nursery() as nursery:
            port = await nursery.start(listener.serve)

            async def member() -> None:
                async with opened(port) as peer:
                    codes.append(await peer.close_code())
                    await peer.send(frame(CLOSE, close_payload(1012)))

            for _ in range(50):
                nursery.start_soon(member)
            await recorder.until(lambda: len(recorder.conns) == 50)
            await listener.aclose(1012, "service restart", grace_s=GUARD_S)
            assert listener.sockets == 0
    assert codes == [1012] * 50
    assert {end[1:] for end in recorder.ends} == {(1012, "service restart")}


async def test_a_stalled_peer_does_not_hold_it_up():
    recorder = Recorder()
    limits = Limits(send_buffer=4096, close_timeout_s=60, outbox_bytes=1 << 20)
    async with running(recorder, limits=limits) as (listener, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        while recorder.conns[0].waiting_bytes < 10_000:
            recorder.conns[0].send(b"x" * 1000)
        await listener.aclose(grace_s=0.05)
        assert listener.sockets == 0
        _, ended = await peer.frames()
        assert not ended.clean
    assert [end[1] for end in recorder.ends] == [1012]


async def test_peers_that_do_not_answer_the_close_do_not_hold_it_up():
    recorder = Recorder()
    async with running(recorder, limits=HASTY) as (listener, port), opened(port), opened(port):
        await recorder.until(lambda: len(recorder.conns) == 2)
        await listener.aclose()
        assert listener.sockets == 0


async def test_a_peer_in_its_opening_is_told_to_come_back():
    async with running(Recorder(), limits=HASTY) as (listener, port), connected(port) as peer:
        await peer.send(b"GET /")
        async with opened(port), trio.open_nursery() as nursery:
            nursery.start_soon(listener.aclose)
            status, _ = await peer.answer()
            assert status == 503


async def test_nobody_gets_in_while_it_stops():
    async with (
        running(Recorder(), limits=HASTY) as (listener, port),
        opened(port) as peer,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(listener.aclose)
        assert await peer.close_code() == 1012
        with pytest.raises(OSError, match="all attempts to connect"):
            await trio.open_tcp_stream("127.0.0.1", port)


async def test_stopping_an_idle_or_unused_listener_returns_at_once(monkeypatch):
    monkeypatch.setattr("coordinator.shell.listener.SWEEP_S", 1000)
    async with running(Recorder()) as (listener, _):
        await listener.aclose()
        await listener.aclose()
    with trio.fail_after(GUARD_S):
        await Listener(Recorder(), host="127.0.0.1", port=0).aclose()


async def test_cancelling_tells_everybody_and_returns_at_once():
    recorder = Recorder()
    async with trio.open_nursery() as outer:
        listener = Listener(recorder, host="127.0.0.1", port=0)
        with trio.fail_after(GUARD_S):
            async with trio.open_nursery() as nursery:
                port = await nursery.start(listener.serve)
                arrived = trio.Event()

                async def member() -> None:
                    with trio.fail_after(GUARD_S):
                        async with opened(port) as peer:
                            arrived.set()
                            assert await peer.close_code() == 1001

                outer.start_soon(member)
                await arrived.wait()
                nursery.cancel_scope.cancel()
        assert listener.sockets == 0
        assert recorder.ends == [(1, 1001, "going away")]


async def test_a_failing_flush_ends_the_listener():
    """It is about no peer in particular: going on would lose what should have been sent."""

    class Broken(Recorder):
        def batch_done(self) -> None:
            if self.messages:
                raise RuntimeError("cannot flush")

    recorder = Broken()
    with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match="cannot flush"), flatten_subgroups=True):
        async with running(recorder) as (_, port), opened(port) as peer:
            await peer.send(frame(2, b"x"))
            assert await peer.close_code() == 1001
    assert [end[1] for end in recorder.ends] == [1001]
