"""What a peer may send after the opening, and how it is told that it may not."""

import socket
import struct

import pytest

from coordinator.shell.listener import Limits
from tests.shell.peers import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    Ended,
    Recorder,
    close_payload,
    eventually,
    frame,
    opened,
    running,
)

pytestmark = pytest.mark.trio

PATIENT = Limits(close_timeout_s=60)

violations: list[tuple[str, bytes, int]] = [
    ("not masked", frame(BINARY, b"x", masked=False), 1002),
    ("RSV1", frame(BINARY, b"x", rsv=4), 1002),
    ("RSV2", frame(BINARY, b"x", rsv=2), 1002),
    ("RSV3", frame(BINARY, b"x", rsv=1), 1002),
    ("opcode 3", frame(3, b"x"), 1002),
    ("opcode 11", frame(11, b"x"), 1002),
    ("ping of 126", frame(PING, b"x" * 126), 1002),
    ("fragmented ping", frame(PING, b"x", fin=False), 1002),
    ("continuation first", frame(CONT, b"x"), 1002),
    ("new message inside another", frame(BINARY, b"x", fin=False) + frame(BINARY, b"y"), 1002),
    ("length 2^63", frame(BINARY, claim=1 << 63), 1009),
    ("length over the limit, header only", frame(BINARY, claim=65_537), 1009),
    ("fragments over the limit", frame(BINARY, b"x", fin=False) + frame(CONT, claim=65_536), 1009),
    ("length not shortest, 16 bit", frame(BINARY, b"x", width=2), 1002),
    ("length not shortest, 64 bit", frame(BINARY, b"x" * 200, width=8), 1002),
    ("text", frame(TEXT, b"hello"), 1003),
    ("text fragment", frame(TEXT, b"hello", fin=False), 1003),
    ("close with one byte", frame(CLOSE, b"\x03"), 1002),
    ("close reason not UTF-8", frame(CLOSE, close_payload(1000) + b"\xff"), 1007),
    ("5,000 empty fragments", frame(BINARY, fin=False) + frame(CONT, fin=False) * 5000, 1009),
]
violations += [
    (f"close with code {code}", frame(CLOSE, close_payload(code)), 1002)
    for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535)
]


@pytest.mark.parametrize("before", [b"", frame(BINARY, b"good")], ids=["alone", "after a good one"])
@pytest.mark.parametrize(("data", "code"), [row[1:] for row in violations], ids=[row[0] for row in violations])
async def test_violations_end_the_connection_with_their_code(data, code, before, caplog):
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (listener, port), opened(port) as peer:
        await peer.send(before + data)
        frames, ended = await peer.frames()
        assert [(opcode, int.from_bytes(payload[:2], "big")) for opcode, payload in frames] == [(CLOSE, code)]
        assert ended.clean
        await recorder.until(lambda: recorder.ends)
        assert [message for _, message in recorder.messages] == ([b"good"] if before else [])
        assert [end[1] for end in recorder.ends] == [code]
        assert listener.counters.protocol_errors == 1
        assert len(listener.connections) == 0
    assert caplog.records == []


async def test_nothing_that_follows_a_violation_is_read():
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (_, port), opened(port) as peer:
        await peer.send(frame(3) + frame(BINARY, b"x"))
        assert await peer.close_code() == 1002
        await peer.send(frame(BINARY, b"y"))
        await peer.stream.aclose()
        await recorder.until(lambda: recorder.ends)
    assert recorder.messages == []


async def test_before_hello_messages_are_small():
    recorder = Recorder(authenticate=False)
    async with running(recorder) as (_, port), opened(port) as peer:
        await peer.send(frame(BINARY, b"x" * 1024))
        await recorder.until(lambda: recorder.messages)
        await peer.send(frame(BINARY, claim=1025))
        assert await peer.close_code() == 1009


async def test_after_hello_messages_may_be_large():
    recorder = Recorder()
    async with running(recorder) as (_, port), opened(port) as peer:
        await peer.send(frame(BINARY, b"x" * 65_536))
        await recorder.until(lambda: recorder.messages)
    assert recorder.messages == [(1, b"x" * 65_536)]


async def test_fragments_become_one_message():
    recorder = Recorder()
    async with running(recorder) as (_, port), opened(port) as peer:
        await peer.send(frame(BINARY, b"in ", fin=False) + frame(PING, b"?") + frame(CONT, b"pieces"))
        assert await peer.frame() == (PONG, b"?")
        await recorder.until(lambda: recorder.messages)
    assert recorder.messages == [(1, b"in pieces")]


async def test_a_ping_is_answered_before_the_message_behind_it():
    async with running(Recorder(echo=True)) as (_, port), opened(port) as peer:
        await peer.send(frame(PING, b"first") + frame(BINARY, b"second"))
        assert await peer.frame() == (PONG, b"first")
        assert await peer.frame() == (BINARY, b"second")


@pytest.mark.parametrize(
    ("payload", "code", "reason"),
    [(close_payload(1000, "done"), 1000, "done"), (close_payload(4999), 4999, ""), (b"", 1005, "")],
    ids=["1000", "4999", "none"],
)
async def test_a_close_is_answered_in_kind(payload, code, reason):
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (listener, port), opened(port) as peer:
        await peer.send(frame(CLOSE, payload))
        assert await peer.frames() == ([(CLOSE, payload)], Ended(clean=True))
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends == [(1, code, reason)]
        assert listener.counters.protocol_errors == 0


async def test_data_after_a_close_is_ignored():
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (_, port), opened(port) as peer:
        await peer.send(frame(CLOSE, close_payload(1000)) + frame(BINARY, b"late"))
        assert await peer.close_code() == 1000
        await recorder.until(lambda: recorder.ends)
    assert recorder.messages == []


async def test_a_ping_after_our_close_is_ignored():
    recorder = Recorder()
    async with running(recorder, limits=PATIENT) as (listener, port), opened(port) as peer:
        await recorder.until(lambda: recorder.conns)
        recorder.conns[0].close(4009, "replaced")
        await peer.send(frame(PING, b"still there?") + frame(BINARY, b"late") + frame(CLOSE, b"\x0f\xa9"))
        frames, ended = await peer.frames()
        assert [opcode for opcode, _ in frames] == [CLOSE]
        assert ended.clean
        await peer.stream.aclose()
        await eventually(lambda: listener.sockets == 0)
    assert recorder.messages == []
    assert recorder.ends == [(1, 4009, "replaced")]


@pytest.mark.parametrize("size", [1, 2, 5, 7, 50])
async def test_a_cut_inside_a_frame_is_only_a_lost_connection(size, caplog):
    recorder = Recorder()
    async with running(recorder) as (listener, port):
        async with opened(port) as peer:
            await peer.send(frame(BINARY, b"x" * 100)[:size])
        await recorder.until(lambda: recorder.ends)
        assert recorder.ends == [(1, 1006, "connection lost")]
        assert listener.sockets == 0
    assert recorder.messages == []
    assert caplog.records == []


async def test_a_reset_is_only_a_lost_connection(caplog):
    recorder = Recorder(echo=True)
    async with running(recorder) as (listener, port):
        async with opened(port) as peer:
            await recorder.until(lambda: recorder.conns)
            peer.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await peer.send(frame(BINARY, b"x"))
        await recorder.until(lambda: recorder.ends)
        assert [end[1] for end in recorder.ends] == [1006]
        assert listener.sockets == 0
        recorder.conns[0].send(b"into the void")
        recorder.conns[0].close(1000)
        recorder.conns[0].abort()
    assert len(recorder.ends) == 1
    assert caplog.records == []


async def test_a_half_closed_socket_is_a_lost_connection():
    recorder = Recorder()
    async with running(recorder) as (listener, port), opened(port) as peer:
        await peer.stream.send_eof()
        assert isinstance(await peer.frame(), Ended)
        await recorder.until(lambda: recorder.ends)
        assert [end[1] for end in recorder.ends] == [1006]
        assert listener.sockets == 0


async def test_a_peer_that_closes_at_once_loses_no_message():
    recorder = Recorder()
    async with running(recorder) as (_, port):
        for number in range(50):
            async with opened(port) as peer:
                await peer.send(frame(BINARY, b"%d" % number) + frame(CLOSE, close_payload(1000)))
                assert await peer.frames() == ([(CLOSE, close_payload(1000))], Ended(clean=True))
        await recorder.until(lambda: len(recorder.ends) == 50)
    assert [message for _, message in recorder.messages] == [b"%d" % number for number in range(50)]
    assert {end[1] for end in recorder.ends} == {1000}
