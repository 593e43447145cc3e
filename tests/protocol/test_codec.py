"""Bytes to messages and back, and everything hostile in between."""

import tracemalloc
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.codec import (
    FIELDS_MAX,
    FRAME_MESSAGES_MAX,
    FRAME_OVERHEAD_MAX,
    Direction,
    build_frame,
    decode_frame,
    decode_message,
    encode_message,
)
from protocol.errors import WireError
from protocol.messages import INT53, Capacity, FromCoordinator, HandEnded, Message, Ok, ToCoordinator
from tests.protocol.strategies import from_coordinator, to_coordinator, values

TO, FROM = Direction.TO_COORDINATOR, Direction.FROM_COORDINATOR

HAND = {
    "type": "hand_ended",
    "match_id": "m-1",
    "table_id": 7,
    "epoch": 1,
    "hand_no": 3,
    "attempt_no": 1,
    "scores": {"ann": 12, "bob": -12},
    "ref": 41,
}


def packed(changes: dict[str, Any] | None = None, **more: Any) -> bytes:
    return msgpack.packb({**HAND, **(changes or {}), **more})


def frame_of(*messages: bytes) -> bytes:
    return build_frame(1, 0, messages)


def refusal(payload: bytes, direction: Direction = TO) -> WireError:
    with pytest.raises(WireError) as caught:
        decode_message(payload, direction)
    return caught.value


def read(reader, *words):
    """What a reader gives or raises; anything but a WireError is a fault of ours."""
    try:
        return reader(*words)
    except WireError as error:
        return error


# --- what is right comes through -----------------------------------------------------------------------


@pytest.mark.parametrize("cls", get_args(ToCoordinator | FromCoordinator), ids=lambda cls: cls.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_every_message_survives_the_wire(cls, data):
    message = data.draw(values(cls))
    direction = TO if cls in get_args(ToCoordinator) else FROM
    assert decode_message(encode_message(message), direction) == message


@pytest.mark.parametrize("cls", get_args(ToCoordinator | FromCoordinator), ids=lambda cls: cls.__name__)
@settings(max_examples=10)
@given(data=st.data())
def test_an_independent_reader_sees_a_map_with_the_fields_by_name(cls, data):
    message = data.draw(values(cls))
    seen = msgpack.unpackb(encode_message(message))
    assert seen["type"] == message.type
    assert set(seen) == {field.name for field in cls.__attrs_attrs__}


@given(st.lists(to_coordinator, max_size=20), st.integers(0, INT53), st.integers(0, INT53))
def test_a_frame_gives_back_its_messages_in_order(messages, seq, ack):
    encoded = [encode_message(message) for message in messages]
    payload = build_frame(seq, ack, encoded)
    frame = decode_frame(payload)
    assert (frame.seq, frame.ack) == (seq, ack)
    assert [decode_message(raw, TO) for raw in frame.raws] == messages
    assert len(payload) - sum(map(len, encoded)) <= FRAME_OVERHEAD_MAX
    assert msgpack.unpackb(payload)[:2] == [seq, ack]


@pytest.mark.parametrize("count", [0, 15, 16, FRAME_MESSAGES_MAX])
def test_a_frame_counts_its_messages_in_every_form(count):
    assert len(decode_frame(frame_of(*[b"\x80"] * count)).raws) == count


def test_one_message_too_many_is_refused():
    with pytest.raises(WireError) as caught:
        decode_frame(frame_of(*[b"\x80"] * (FRAME_MESSAGES_MAX + 1)))
    assert (caught.value.code, caught.value.close_code, caught.value.field) == ("malformed", 4000, "messages")


def test_a_frame_over_the_limit_is_refused_before_it_is_read():
    with pytest.raises(WireError) as caught:
        decode_frame(b"\xc1" * 65, bytes_max=64)
    assert (caught.value.code, caught.value.close_code) == ("too_large", 1009)


def test_unknown_fields_are_ignored():
    payload = packed(colour="red", nested=[{"a": [1.5]}])
    assert decode_message(payload, TO) == decode_message(packed(), TO)


def test_a_missing_optional_field_has_its_default():
    payload = msgpack.packb({"type": "capacity", "capacity": 5})
    assert decode_message(payload, TO) == Capacity(5, drain=False, ref=0)


def test_words_in_longer_forms_than_needed_are_the_same_words():
    long_type = packed().replace(b"\xaahand_ended", b"\xd9\x0ahand_ended")
    assert isinstance(decode_message(long_type, TO), HandEnded)
    map16 = b"\xde\x00\x08" + packed()[1:]
    assert isinstance(decode_message(map16, TO), HandEnded)
    map32 = b"\xdf\x00\x00\x00\x08" + packed()[1:]
    assert isinstance(decode_message(map32, TO), HandEnded)


# --- what may be said depends on who says it -----------------------------------------------------------


@given(from_coordinator)
def test_only_shared_messages_go_both_ways(message):
    if message.type == "bye":
        assert decode_message(encode_message(message), TO) == message
    else:
        error = refusal(encode_message(message))
        assert (error.code, error.field, error.close_code) == ("unknown_message", "type", None)
        assert error.ref == getattr(message, "ref", 0)


# --- the catalogue: the frame --------------------------------------------------------------------------

NESTED_CLAIMS = b"\x93\x01\x00\x91" + b"\xdd\x00\x00\xff\xff" * 511
BAD_FRAMES = {
    "42 empty": b"",
    "43 truncated in the array": b"\x93\x01",
    "43 truncated in a message": frame_of(packed())[:-1],
    "44 trailing bytes": frame_of(packed()) + b"\x00",
    "45 a byte that is never used": b"\xc1",
    "45 that byte as a message": frame_of(b"\xc1"),
    "46 a map at the top": b"\x80",
    "46 a number at the top": b"\x01",
    "47 two items": b"\x92\x01\x00",
    "47 four items": b"\x94\x01\x00\x90\xc0",
    "49 an array that claims four thousand million": b"\x93\x01\x00\xdd\xff\xff\xff\xff",
    "49 a top array that claims as much": b"\xdd\xff\xff\xff\xff",
    "49 a map that claims as much": frame_of(b"\xdf\xff\xff\xff\xff"),
    "49 a text that claims as much": frame_of(b"\xdb\xff\xff\xff\xff"),
    "50 a hundred thousand levels": frame_of(b"\x91" * 100_000 + b"\xc0"),
    "51 nested claims": NESTED_CLAIMS,
    "51 nested claims, filled": NESTED_CLAIMS + b"\xc0" * 60_000,
    "51 sixty thousand empty maps": b"\x93\x01\x00\xdc\xea\x60" + b"\x80" * 60_000,
    "52 a map where the messages are due": b"\x93\x01\x00\x80",
    "53 a float for a number": b"\x93\xcb\x3f\xf0" + bytes(6) + b"\x00\x90",
    "54 true for a number": b"\x93\xc3\x00\x90",
    "55 a negative number": b"\x93\xff\x00\x90",
    "55 a number beyond what is exact": b"\x93\xcf" + b"\xff" * 8 + b"\x00\x90",
    "56 an extension for a number": b"\x93\xd4\x01\x00\x00\x90",
    "58 bytes for the messages": b"\x93\x01\x00\xc4\x01\x90",
}


@pytest.mark.parametrize("payload", BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_a_frame_that_cannot_be_read_closes_the_socket_with_4000(payload):
    tracemalloc.start()
    try:
        with pytest.raises(WireError) as caught:
            decode_frame(payload)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (caught.value.code, caught.value.close_code) == ("malformed", 4000)
    assert caught.value.expected is not None
    assert peak < 64 * 1024


def test_a_thousand_levels_are_refused_by_whichever_reader_they_stop():
    """Some Pythons go no deeper in a frame; others leave it to the reader of the message."""

    def read(payload: bytes) -> list[Message]:
        return [decode_message(raw, TO) for raw in decode_frame(payload).raws]

    with pytest.raises(WireError) as caught:
        read(frame_of(b"\x91" * 1_000 + b"\xc0"))
    assert caught.value.code == "malformed"


# --- the catalogue: one message ------------------------------------------------------------------------

DUPLICATE_FIELD = b"\x89" + packed()[1:] + b"\xa3ref\x29"
DUPLICATE_PLAYER = packed().replace(b"\x82\xa3ann\x0c\xa3bob\xf4", b"\x82\xa3ann\x0c\xa3ann\xf4")


def entering(player_id: str) -> bytes:
    """A registration: where an id is new, its letters are looked at."""
    return msgpack.packb({"type": "register", "match_id": "m-1", "player_id": player_id, "name": "Ann", "ref": 41})


BAD_MESSAGES = {
    "44 a field twice": (DUPLICATE_FIELD, None),
    "44 a player twice": (DUPLICATE_PLAYER, "scores"),
    "46 nil": (b"\xc0", None),
    "46 an array": (b"\x90", None),
    "46 a text": (b"\xa1a", None),
    "47 nothing but a type": (msgpack.packb({"type": "hand_ended", "ref": 41}), "match_id"),
    "47 no type": (msgpack.packb({"ref": 41}), "type"),
    "48 a number as a type": (packed(type=5), "type"),
    "50 depth in an unknown field": (b"\x89" + packed()[1:] + b"\xa1z" + b"\x91" * 100_000 + b"\xc0", None),
    "52 an array where a map is due": (packed(scores=[12]), "scores"),
    "52 nil where a map is due": (packed(scores=None), "scores"),
    "53 one point nought": (packed(scores={"ann": 1.0}), "scores[...]"),
    "53 not a number": (packed(scores={"ann": float("nan")}), "scores[...]"),
    "53 infinity": (packed(scores={"ann": float("inf")}), "scores[...]"),
    "54 true for one": (packed(hand_no=True), "hand_no"),
    "55 two to the 64": (packed(scores={"ann": 2**64 - 1}), "scores[...]"),
    "55 minus two to the 63": (packed(scores={"ann": -(2**63)}), "scores[...]"),
    "55 nought as a hand's number": (packed(hand_no=0), "hand_no"),
    "56 an extension": (packed(match_id=msgpack.ExtType(4, b"m")), "match_id"),
    "56 a timestamp": (packed(scores={"ann": msgpack.Timestamp(1, 1)}), "scores[...]"),
    "57 text that is not UTF-8": (packed().replace(b"\xa3m-1", b"\xa3m-\xff"), None),
    "57 a surrogate": (packed().replace(b"\xa3m-1", b"\xa3\xed\xa0\x80"), None),
    "57 NUL in a new id": (entering("m\0"), "player_id"),
    "57 a line break at the end of a new id": (entering("m-1\n"), "player_id"),
    "57 five thousand characters": (packed(match_id="m" * 5_000), "match_id"),
    "57 an empty id": (packed(match_id=""), "match_id"),
    "58 bytes for a text": (packed(match_id=b"m-1"), "match_id"),
    "58 bytes as a field's name": (b"\x81\xc4\x04type\xa3bye", None),
    "58 bytes as a player": (packed(scores={b"ann": 12}), "scores"),
    "58 a number as a player": (packed(scores={1: 12}), "scores"),
    "no player": (packed(scores={}), "scores"),
    "sixty-five players": (packed(scores={f"p{i}": 1 for i in range(65)}), "scores"),
    "too many fields": (packed({f"x{i}": 1 for i in range(FIELDS_MAX)}), None),
    "a map that claims too many fields": (b"\xdf\xff\xff\xff\xff", None),
}


@pytest.mark.parametrize(("payload", "field"), BAD_MESSAGES.values(), ids=BAD_MESSAGES)
def test_a_bad_message_is_answered_with_its_field_and_closes_nothing(payload, field):
    tracemalloc.start()
    try:
        error = refusal(payload)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (error.code, error.field, error.close_code) == ("malformed", field, None)
    assert peak < 256 * 1024


READABLE_REF = [name for name in BAD_MESSAGES if name.startswith(("44", "47", "48", "52", "53", "54", "55", "56"))]


@pytest.mark.parametrize("name", READABLE_REF)
def test_the_answer_names_the_request(name):
    assert refusal(BAD_MESSAGES[name][0]).ref == 41


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"hand_no": 0}, "an integer >= 1"),
        ({"hand_no": True}, "an integer"),
        ({"match_id": 5}, "a text"),
        ({"scores": []}, "a map"),
        ({"scores": {}}, "a map of length >= 1"),
        ({"scores": {1: 1}}, "a text as a key"),
        ({"scores": {"ann": "12"}}, "an integer"),
    ],
)
def test_the_answer_says_what_was_expected(changes, expected):
    error = refusal(packed(changes))
    assert error.expected == expected
    assert error.message == f"{error.field}: expected {expected}"


def test_the_answer_names_the_words_a_field_may_hold_and_not_those_that_came():
    hello = {"type": "hello", "identity": "srv-1", "life": "a", "roles": ["emperor"]}
    error = refusal(msgpack.packb(hello))
    assert (error.field, error.expected) == ("roles[0]", "one of table, lobby, spectator, director")
    assert "emperor" not in repr(error.answer())


def test_the_answer_names_a_field_deep_inside():
    seats = [{"seat_no": 1, "player_id": "ann", "name": "Ann", "score": 0}] * 2
    seat = {"type": "seat", "match_id": "m", "table_id": 1, "epoch": 1, "game": "g", "stage_id": "s", "bout_no": 1}
    broken = [seats[0], {**seats[1], "score": "0"}]
    error = refusal(msgpack.packb({**seat, "seats": broken, "game_attrs": {}}), FROM)
    assert (error.field, error.expected) == ("seats[1].score", "an integer")
    del broken[1]["score"]
    assert refusal(msgpack.packb({**seat, "seats": broken, "game_attrs": {}}), FROM).field == "seats[1].score"


# --- anything at all -----------------------------------------------------------------------------------


@settings(max_examples=500)
@given(st.binary(max_size=300))
@example(b"\x93\x01\x00\x91\x80")
def test_arbitrary_bytes_are_a_frame_or_a_wire_error(payload):
    frame = read(decode_frame, payload)
    if isinstance(frame, WireError):
        assert frame.close_code == 4000
        return
    for raw in frame.raws:
        for direction in Direction:
            message = read(decode_message, raw, direction)
            if isinstance(message, WireError):
                assert message.close_code is None
                answer = message.answer()
                assert decode_message(encode_message(answer), FROM) == answer


@settings(max_examples=500)
@given(st.one_of(to_coordinator, from_coordinator), st.data())
def test_a_damaged_message_is_another_message_or_a_wire_error(message, data):
    damaged = bytearray(encode_message(message))
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    frame = read(decode_frame, frame_of(bytes(damaged)))
    if not isinstance(frame, WireError):
        for raw in frame.raws:
            seen = read(decode_message, raw, data.draw(st.sampled_from(Direction)))
            assert isinstance(seen, WireError | Message)


def test_encoding_the_smallest_answer():
    assert encode_message(Ok(1)) == b"\x82\xa3ref\x01\xa4type\xa2ok"


@pytest.mark.parametrize("cut", ["", "de", "de00", "df", "df000000", "dc", "dd0000"])
@pytest.mark.parametrize("direction", Direction)
def test_a_message_cut_in_its_header_is_malformed(cut, direction):
    with pytest.raises(WireError) as caught:
        decode_message(bytes.fromhex(cut), direction)
    assert caught.value.code == "malformed"
