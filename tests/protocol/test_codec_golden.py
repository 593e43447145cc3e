"""The bytes of version 1, written down. Whoever writes a peer in another language checks it against this file."""

import json
from pathlib import Path
from typing import get_args

import attrs
import msgpack
import pytest

import protocol
from protocol.codec import Direction, build_frame, decode_frame, decode_message, encode_message
from protocol.messages import FromCoordinator, ToCoordinator

GOLDEN = json.loads((Path(protocol.__file__).parent / "spec" / "messages.json").read_text(encoding="utf-8"))
MESSAGES = [
    pytest.param(Direction(row["direction"]), row["message"], bytes.fromhex(row["hex"]), id=row["message"]["type"])
    for row in GOLDEN["messages"]
]


@pytest.mark.parametrize(("direction", "fields", "encoded"), MESSAGES)
def test_golden_message(direction, fields, encoded):
    message = decode_message(encoded, direction)
    assert attrs.asdict(message) == fields
    assert msgpack.unpackb(encoded) == fields
    assert encode_message(message) == encoded


@pytest.mark.parametrize(("direction", "fields", "encoded"), MESSAGES)
def test_the_order_of_fields_is_free(direction, fields, encoded):
    backwards = msgpack.packb(dict(reversed(fields.items())))
    assert decode_message(backwards, direction) == decode_message(encoded, direction)


@pytest.mark.parametrize("row", GOLDEN["frames"], ids=lambda row: f"frame {row['seq']}")
def test_golden_frame(row):
    payload = bytes.fromhex(row["hex"])
    assert msgpack.unpackb(payload) == [row["seq"], row["ack"], row["messages"]]
    frame = decode_frame(payload)
    assert build_frame(frame.seq, frame.ack, [bytes(raw) for raw in frame.raws]) == payload


def test_every_message_has_its_bytes_written_down():
    written = {(row["direction"], row["message"]["type"]) for row in GOLDEN["messages"]}
    known = {("to_coordinator", attrs.fields(cls).type.default) for cls in get_args(ToCoordinator)}
    known |= {("from_coordinator", attrs.fields(cls).type.default) for cls in get_args(FromCoordinator)}
    assert written == known
