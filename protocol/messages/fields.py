"""What messages are made of: numbers, names and texts, each with its limit.

Messages are frozen, and mypy is who says so: guarding against assignment at run time would make every
``__init__`` three times as dear.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import attrs
from msgspec import Meta

if TYPE_CHECKING:
    from attrs import frozen as frozen
else:
    frozen = attrs.define(unsafe_hash=True)

SUBPROTOCOL = "coordinator.msgpack.v1"
"""The WebSocket subprotocol both ends must agree on."""

VERSIONS = (1,)
"""Message versions this package speaks, best first."""

INT53 = 2**53 - 1
"""Largest magnitude of any number on the wire: the integers that JavaScript keeps exactly."""

Count = Annotated[int, Meta(ge=0, le=INT53)]

Number = Annotated[int, Meta(ge=1, le=INT53)]

Score = Annotated[int, Meta(ge=-INT53, le=INT53)]

Identity = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]*(?!\n)$")]

Name = Annotated[str, Meta(min_length=1, max_length=64)]

Label = Annotated[str, Meta(max_length=64)]

Sentence = Annotated[str, Meta(max_length=500)]

Secret = Annotated[str, Meta(max_length=256)]

Role = Literal["table", "lobby", "spectator", "director"]

Action = Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=-INT53, le=INT53)]

Actions_ = Annotated[list[Action], Meta(max_length=4096)]

Key = Annotated[str, Meta(min_length=1, max_length=128)]
"""What makes an award, a refund, a request or a director's word count once."""

Known = Annotated[str, Meta(min_length=1, max_length=64)]
"""An identity that must exist already: it is looked up and never stored, so its letters need no check of their own."""

Scores = Annotated[dict[Known, Score], Meta(min_length=1, max_length=64)]

Players = Annotated[list[Known], Meta(max_length=4096)]

Reason = Annotated[str, Meta(max_length=300)]
