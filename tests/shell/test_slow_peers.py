"""Peers that read slowly, not at all, or fall silent; none of them may matter to the others."""

import attrs
import pytest
import trio

from coordinator.shell.listener import Limits, build_frame
from tests.shell.peers import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    Ended,
    Recorder,
    close_payload,
    eventually,
    frame,
    opened,
    running,
)

pytestmark = pytest.mark.trio

SMALL = Limits(send_buffer=4096, outbox_bytes=80_000, close_timeout_s=60)
"""A peer stalls after a few kilobytes."""


class Clock:
    """The time of all deadlines, moved by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


async def stall(recorder: Recorder, index: int = 0) -> None:
    """Send to a peer that does not read until more waits than the kernel may still take later."""
    conn = recorder.conns[index]
    while conn.waiting_bytes < 40_000:
        conn.send(b"x" * 500)


async def test_a_peer_that_does_not_read_is_cut_while_49_others_go_on():
    recorder = Recorder()
    limits = attrs.evolve(SMALL, close_timeout_s=0.1)
    received = dict.fromkeys(range(49), 0)
    async with (
        running(recorder, limits=limits) as (listener, port),
        opened(port, receive_buffer=4096) as stuck,
        trio.open_nursery() as nursery,
    ):
        await recorder.until(lambda: len(recorder.conns) == 1)

        async def member(number: int) -> None:
            async with opened(port) as peer:
                while received[number] < 300:
                    assert await peer.frame() == (BINARY, b"%03d" % received[number] + b"x" * 1000)
                    received[number] += 1

        for number in range(49):
            nursery.start_soon(member, number)
        await recorder.until(lambda: len(recorder.conns) == 50)
        for step in range(300):
            built = build_frame(b"%03d" % step + b"x" * 1000)
            for conn in listener.connections.values():
                conn.send_built(built)
            await eventually(lambda: min(received.values()) == step + 1)  # noqa: B023
        assert recorder.ends[0] == (1, 4013, "slow consumer")
        assert listener.counters.slow_consumers == 1
        await recorder.until(lambda: len(recorder.ends) == 50)
        await eventually(lambda: listener.sockets == 0)
        _, ended = await stuck.frames()
        assert not ended.clean  # forced, after the time for a polite end had passed
    assert set(received.values()) == {300}


async def test_a_peer_that_fell_behind_still_learns_why():
    """Between the frames that were on their way and the Close there is no broken one."""
    recorder = Recorder()
    async with running(recorder, limits=SMALL) as (_, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        while not recorder.conns[0].closed:
            recorder.conns[0].send(b"x" * 700)
        assert recorder.conns[0].waiting_bytes < 1000  # only what had begun, and the Close
        *data, close = await peer.frames_until_close()
        assert data
        assert set(data) == {(BINARY, b"x" * 700)}
        assert close[0] == CLOSE
        assert int.from_bytes(close[1][:2], "big") == 4013


async def test_too_many_frames_are_too_much_as_well():
    recorder = Recorder()
    limits = attrs.evolve(SMALL, outbox_bytes=1 << 30, outbox_frames=100)
    async with running(recorder, limits=limits) as (_, port), opened(port, receive_buffer=4096):
        await recorder.until(lambda: recorder.conns)
        await stall(recorder)
        for _ in range(100):
            recorder.conns[0].send(b"")
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends == [(1, 4013, "slow consumer")]


async def test_what_waits_arrives_whole_and_in_order():
    recorder = Recorder()
    limits = attrs.evolve(SMALL, outbox_bytes=1 << 20)
    async with running(recorder, limits=limits) as (listener, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[0]
        messages = [bytes([number]) * (number * 37 % 3000) for number in range(200)]
        for message in messages:
            conn.send(message)
        assert conn.waiting_bytes > 0
        for message in messages:
            assert await peer.frame() == (BINARY, message)
        assert conn.waiting_bytes == 0
        conn.send(b"and on")
        assert await peer.frame() == (BINARY, b"and on")
        assert listener.counters.slow_consumers == 0


async def test_only_the_newest_tick_waits():
    recorder = Recorder()
    async with running(recorder, limits=SMALL) as (_, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[0]
        conn.replace("clock", build_frame(b"tick 0"))  # leaves at once
        await stall(recorder)
        conn.send(b"before")
        for number in range(1, 1000):
            conn.replace("clock", build_frame(b"tick %d" % number))
            conn.replace("score", build_frame(b"score %d" % number))
        conn.send(b"after")
        assert not conn.closed
        assert await peer.frame() == (BINARY, b"tick 0")
        while (found := await peer.frame()) == (BINARY, b"x" * 500):
            pass
        assert [found] + [await peer.frame() for _ in range(3)] == [
            (BINARY, b"before"),
            (BINARY, b"tick 999"),
            (BINARY, b"score 999"),
            (BINARY, b"after"),
        ]


async def test_a_close_waits_behind_what_was_sent_before():
    recorder = Recorder()
    async with running(recorder, limits=SMALL) as (_, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        await stall(recorder)
        recorder.conns[0].send(b"goodbye")
        recorder.conns[0].close(1012, "restart")
        *_, last, close = await peer.frames_until_close()
        assert last == (BINARY, b"goodbye")
        assert int.from_bytes(close[1][:2], "big") == 1012


async def test_the_stream_ends_behind_what_waits_when_the_peer_closes():
    recorder = Recorder()
    async with running(recorder, limits=SMALL) as (_, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        await stall(recorder)
        await peer.send(frame(CLOSE, close_payload(1000)))
        await recorder.until(lambda: recorder.ends)
        frames, ended = await peer.frames()
        assert frames[-1] == (CLOSE, close_payload(1000))
        assert ended.clean


async def test_a_ping_flood_without_reading_is_a_slow_consumer():
    recorder = Recorder()
    async with (
        running(recorder, limits=attrs.evolve(SMALL, pings_per_s=1e9)) as (_, port),
        opened(port, receive_buffer=4096) as peer,
    ):
        await recorder.until(lambda: recorder.conns)
        pings = frame(PING, b"x" * 125) * 100
        while not recorder.ends:
            await peer.send(pings)
        assert recorder.ends == [(1, 4013, "slow consumer")]


async def test_a_stalled_peer_is_cut_when_its_time_is_up():
    recorder, clock = Recorder(), Clock()
    limits = attrs.evolve(SMALL, dead_after_s=1000)
    async with running(recorder, limits=limits, now=clock) as (listener, port), opened(port, receive_buffer=4096):
        await recorder.until(lambda: recorder.conns)
        await stall(recorder)
        clock.seconds += 9.9
        await eventually(lambda: recorder.conns[0].due > clock.seconds)
        assert not recorder.ends
        while not recorder.ends:  # the kernel may take some more for a while
            clock.seconds += 10.1
            await eventually(lambda: listener.pass_at == clock.seconds)
        assert recorder.ends == [(1, 4013, "took nothing for 10 s")]
        assert listener.sockets == 0
        assert listener.counters.slow_consumers == 1


async def test_silence_is_death_after_pings_without_answer():
    recorder, clock = Recorder(), Clock()
    async with running(recorder, now=clock) as (listener, port), opened(port) as peer:
        await recorder.until(lambda: recorder.conns)
        clock.seconds += 5.6
        assert await peer.frame() == (PING, b"")
        clock.seconds += 5.6
        assert await peer.frame() == (PING, b"")
        clock.seconds += 1
        assert await peer.close_code() == 4008
        assert recorder.ends == [(1, 4008, "nothing received for 12 s")]
        assert listener.counters.silent_peers == 1


@pytest.mark.parametrize(
    "life",
    [frame(PONG), frame(PING), frame(BINARY, b"x"), b"\x82"],
    ids=["pong", "ping", "message", "half a header"],
)
async def test_any_byte_is_life(life):
    recorder, clock = Recorder(), Clock()
    async with running(recorder, now=clock) as (listener, port), opened(port) as peer:
        await recorder.until(lambda: recorder.conns)
        clock.seconds += 11
        before = listener.counters.bytes_in
        await peer.send(life)
        await eventually(lambda: listener.counters.bytes_in > before)
        clock.seconds += 11
        await eventually(lambda: listener.pass_at == clock.seconds)
        assert recorder.ends == []
        clock.seconds += 2
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends[0][1] == 4008


async def test_a_peer_that_takes_bytes_is_alive():
    recorder, clock = Recorder(), Clock()
    limits = attrs.evolve(SMALL, write_stall_s=1000)
    async with running(recorder, limits=limits, now=clock) as (_, port), opened(port, receive_buffer=4096) as peer:
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[0]
        for _ in range(3):
            await stall(recorder)
            clock.seconds += 11
            while conn.waiting_bytes:
                assert not isinstance(await peer.frame(), Ended)
            await eventually(lambda: conn.due > clock.seconds)
        assert not recorder.ends


async def test_pings_spread_out():
    """Peers that came at one moment are not all pinged at one moment."""
    recorder, clock = Recorder(), Clock()
    async with running(recorder, now=clock) as (listener, port), trio.open_nursery() as nursery:
        pinged: list[int] = []

        async def member(number: int) -> None:
            async with opened(port) as peer:
                assert await peer.frame() == (PING, b"")
                pinged.append(number)

        for number in range(40):
            nursery.start_soon(member, number)
        await recorder.until(lambda: len(recorder.conns) == 40)
        sent = listener.counters.bytes_out
        clock.seconds += 5
        await eventually(lambda: listener.counters.bytes_out > sent)
        assert 10 * 2 <= listener.counters.bytes_out - sent <= 30 * 2
        clock.seconds += 0.6
        await eventually(lambda: len(pinged) == 40)
