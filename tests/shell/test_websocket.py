"""Frames in, messages out: the short cut and the library must agree, however the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from coordinator.shell.websocket import WireProtocol, build_frame
from tests.shell.peers import BINARY, CLOSE, CONT, PING, TEXT, close_payload, frame, request

MAX_MESSAGE = 300


def open_protocol(max_message: int = MAX_MESSAGE, max_fragments: int = 64, text: bool = False) -> WireProtocol:
    protocol = WireProtocol(max_message=max_message, max_fragments=max_fragments, accept_text=text)
    protocol.receive_data(request())
    [opening] = protocol.events_received()
    assert isinstance(opening, Request)
    protocol.send_response(protocol.accept(opening))
    protocol.data_to_send()
    return protocol


def run(protocol: WireProtocol, chunks: list[bytes]) -> tuple[list[bytes], bytes, State]:
    """Messages delivered, bytes to send, state at the end."""
    messages: list[bytes] = []
    for chunk in chunks:
        if not protocol.eof_sent:
            protocol.feed(chunk, messages.append, messages.append)
    return messages, b"".join(protocol.data_to_send()), protocol.state


def close_code(sent: bytes) -> int:
    """The code in a Close frame that is all that was sent."""
    assert sent[0] == 0x88
    assert len(sent) == 2 + sent[1]
    return int.from_bytes(sent[2:4], "big")


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted({place % (len(data) + 1) for place in places}), len(data)]
    return [data[a:b] for a, b in pairwise(edges) if a < b]


# The judge: the library alone, given everything at once.


class _Library(ServerProtocol):
    def recv_frame(self, frame: Frame) -> None:
        if frame.opcode is Opcode.CLOSE:
            self.current_size = None  # the one point where we differ on purpose
        super().recv_frame(frame)


def judge(data: bytes) -> tuple[list[bytes], bytes, State]:
    library = _Library(state=State.OPEN, max_size=MAX_MESSAGE)
    library.receive_data(data)
    messages, parts = [], []
    for event in library.events_received():
        assert isinstance(event, Frame)
        if event.opcode < Opcode.CLOSE:
            parts.append(bytes(event.data))
            if event.fin:
                messages.append(b"".join(parts))
                parts = []
    return messages, b"".join(library.data_to_send()), library.state


_payloads = st.one_of(st.binary(max_size=140), st.binary(min_size=120, max_size=MAX_MESSAGE + 2))
_good = st.builds(frame, st.just(BINARY), _payloads)
_fragment = st.builds(frame, st.sampled_from([CONT, BINARY]), st.binary(max_size=20), fin=st.booleans())
_control = st.builds(frame, st.sampled_from([PING, 10]), st.binary(max_size=125))
_close = st.sampled_from([frame(CLOSE), frame(CLOSE, close_payload(1000, "bye")), frame(CLOSE, b"\x03")])
_bad = st.builds(
    frame,
    st.sampled_from([0, 2, 3, 7, 8, 9, 10, 11, 15]),
    st.binary(max_size=130),
    fin=st.booleans(),
    rsv=st.sampled_from([0, 0, 1, 2, 4]),
    masked=st.booleans(),
)
_streams = st.lists(st.one_of(_good, _good, _fragment, _control, _close, _bad), max_size=8).map(b"".join)


@settings(max_examples=400)
@given(_streams, st.lists(st.integers(0, 3000), max_size=40))
@example(frame(BINARY, b"a" * 126) + frame(PING) + frame(BINARY, b""), [1, 2, 3, 4, 5, 6, 7, 8, 131, 133])
def test_the_short_cut_agrees_with_the_library(data, places):
    assert run(open_protocol(), cut(data, places)) == judge(data)


@given(_streams, st.integers(1, 7))
def test_small_chunks_agree_with_the_library(data, size):
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert run(open_protocol(), chunks) == judge(data)


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=10))
def test_noise_is_understood_or_refused_the_same_however_it_is_cut(data, places):
    whole = run(open_protocol(), [data])
    assert run(open_protocol(), cut(data, places)) == whole
    if whole[2] is not State.OPEN:
        assert whole[1].rfind(b"\x88") >= 0  # it was told why


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_every_way_to_write_a_length(size):
    payload = bytes(range(256)) * (size // 256) + bytes(range(size % 256))
    protocol = open_protocol(max_message=70_000)
    data = frame(BINARY, payload)
    assert run(protocol, [data]) == ([payload], b"", State.OPEN)
    assert run(protocol, [data[:1], data[1:3], data[3:9], data[9:]])[0] == ([payload])


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 70_000])
@pytest.mark.parametrize("text", [False, True])
def test_build_frame_is_what_the_library_would_build(size, text):
    payload = b"x" * size
    expected = Frame(Opcode.TEXT if text else Opcode.BINARY, payload).serialize(mask=False)
    assert build_frame(payload, text=text) == expected


@pytest.mark.parametrize(
    ("length", "width"), [(0, 2), (125, 2), (0, 8), (126, 8), (65_535, 8)], ids=lambda value: str(value)
)
def test_a_length_must_be_in_its_shortest_form(length, width):
    data = frame(BINARY, b"x" * length, width=width)
    messages, sent, _ = run(open_protocol(max_message=70_000), [data])
    assert messages == []
    assert close_code(sent) == CloseCode.PROTOCOL_ERROR


def test_a_limit_is_noticed_before_the_payload_has_come():
    messages, sent, _ = run(open_protocol(), [frame(BINARY, claim=MAX_MESSAGE + 1)])
    assert messages == []
    assert close_code(sent) == CloseCode.MESSAGE_TOO_BIG


def test_a_raised_limit_holds_for_the_very_next_frame():
    protocol = open_protocol(max_message=10)
    messages: list[bytes] = []

    def deliver(message: bytes) -> None:
        messages.append(message)
        protocol.max_message_size = 200

    protocol.feed(frame(BINARY, b"hello") + frame(BINARY, b"x" * 200), deliver)
    assert [len(message) for message in messages] == [5, 200]


@pytest.mark.parametrize("opcode", [BINARY, CONT])
def test_nothing_is_delivered_after_our_close(opcode):
    protocol = open_protocol()
    messages: list[bytes] = []

    def deliver(message: bytes) -> None:
        messages.append(message)
        protocol.send_close(1000)

    tail = frame(BINARY, b"part", fin=False) if opcode == CONT else b""
    protocol.feed(frame(BINARY, b"one") + tail + frame(opcode, b"two") + frame(CLOSE), deliver)
    assert messages == [b"one"]
    assert protocol.eof_sent  # the Close behind it was still understood


def test_a_message_and_a_close_in_one_segment_are_both_taken():
    data = frame(BINARY, b"last words") + frame(CLOSE, close_payload(1000))
    messages, sent, state = run(open_protocol(), [data])
    assert messages == [b"last words"]
    assert close_code(sent) == 1000
    assert state is State.CLOSING


def test_a_close_inside_a_fragmented_message_is_answered_in_kind():
    data = frame(BINARY, b"part", fin=False) + frame(CLOSE, close_payload(1000))
    messages, sent, _ = run(open_protocol(), [data])
    assert messages == []
    assert close_code(sent) == 1000


def test_as_many_fragments_as_allowed_and_no_more():
    parts = [frame(BINARY, b"a", fin=False), frame(CONT, b"b", fin=False), frame(CONT, b"c")]
    assert run(open_protocol(max_fragments=3), [b"".join(parts)])[0] == [b"abc"]
    messages, sent, _ = run(open_protocol(max_fragments=2), [b"".join(parts)])
    assert messages == []
    assert close_code(sent) == CloseCode.MESSAGE_TOO_BIG


def test_fragments_count_together_against_the_limit():
    parts = frame(BINARY, b"x" * 200, fin=False) + frame(CONT, b"x" * 101)
    messages, sent, _ = run(open_protocol(), [parts])
    assert messages == []
    assert close_code(sent) == CloseCode.MESSAGE_TOO_BIG


def test_text_is_refused_unless_asked_for():
    messages, sent, _ = run(open_protocol(), [frame(TEXT, b"hello")])
    assert messages == []
    assert close_code(sent) == CloseCode.UNSUPPORTED_DATA
    assert run(open_protocol(text=True), [frame(TEXT, "grüß".encode())])[0] == ["grüß".encode()]


def test_text_that_is_not_utf8_is_refused():
    parts = frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"\x28")
    messages, sent, _ = run(open_protocol(text=True), [parts])
    assert messages == []
    assert close_code(sent) == CloseCode.INVALID_DATA
