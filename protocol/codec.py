"""Bytes to messages and back, under limits.

A frame is read in three steps, each refusing before the next one spends anything: the frame's own array, one
message's keys and type, the message's fields against the annotations in :mod:`protocol.messages`. A frame
that cannot be read raises :class:`WireError` with a close code; one bad message in a good frame raises
without, so the others go on.
"""

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Final, Literal, NamedTuple, cast, get_args, get_origin

import attrs
import msgspec
from msgspec.msgpack import Decoder, Encoder

from protocol.errors import WireError
from protocol.messages import Count, FromCoordinator, Message, ToCoordinator

FRAME_BYTES_MAX: Final = 1 << 20
"""Largest frame anybody may send, in bytes; the coordinator's welcome may name a smaller limit for the
peer.
"""

FRAME_MESSAGES_MAX: Final = 4096
"""Most messages in one frame."""

FRAME_OVERHEAD_MAX: Final = 22
"""Most bytes that :func:`build_frame` adds to its messages."""

FIELDS_MAX: Final = 64
"""Most keys in a message, known and unknown."""


@attrs.frozen
class ReadLimits:
    """What a reader takes beyond the limits that the messages name themselves.

    ``depth`` counts the frame, its list of messages and the message itself as the first three levels. ``items`` is the
    most that any list or map of a message may hold; of fields that nobody knows, all that is in them.
    """

    depth: int = 8
    items: int = 4096


DEFAULT_READ_LIMITS: Final = ReadLimits()
_OUTER_LEVELS: Final = 3

STRANGE_CONTAINERS_MAX: Final = 256
"""Most lists and maps in a field that nobody knows: each costs time to look into, for nothing."""


class Direction(enum.StrEnum):
    """Which way a message travels; it decides which messages are allowed."""

    TO_COORDINATOR = "to_coordinator"
    FROM_COORDINATOR = "from_coordinator"


class Frame(NamedTuple):
    """A frame whose messages are still bytes."""

    seq: int
    ack: int
    raws: Sequence[msgspec.Raw]


_MALFORMED_FRAME: Final = 4000
_frame_decoder: Final = Decoder(
    tuple[Count, Count, Annotated[list[msgspec.Raw], msgspec.Meta(max_length=FRAME_MESSAGES_MAX)]]
)
_fields_decoder: Final = Decoder(dict[str, msgspec.Raw])
_items_decoder: Final = Decoder(list[msgspec.Raw])
_text_decoder: Final = Decoder(str)
_count_decoder: Final = Decoder(Count)
_encoder: Final = Encoder()

encode_message: Final[Callable[[Message], bytes]] = _encoder.encode
"""One message as msgpack bytes. Nothing is checked: the limits are the reader's."""


# --- writing ------------------------------------------------------------------------------------------------


def build_frame(seq: int, ack: int, messages: Sequence[bytes]) -> bytes:
    """One frame of messages that are encoded already; they are copied, never encoded again."""
    count = len(messages)
    encode = _encoder.encode
    array = bytes((0x90 | count,)) if count < 16 else b"\xdc" + count.to_bytes(2, "big")
    return b"".join((b"\x93", encode(seq), encode(ack), array, *messages))


def handshake_frame(message: Message) -> bytes:
    """The unnumbered frame of one message that opens or ends a socket: hello, welcome, error, bye."""
    return build_frame(0, 0, (encode_message(message),))


# --- reading a frame ----------------------------------------------------------------------------------------


def decode_frame(payload: bytes, bytes_max: int = FRAME_BYTES_MAX) -> Frame:
    """The frame in ``payload``. Raises :class:`WireError`: ``too_large`` (1009) or ``malformed`` (4000)."""
    if len(payload) > bytes_max:
        raise WireError("too_large", expected=f"at most {bytes_max} bytes")
    try:
        return Frame(*_frame_decoder.decode(payload))
    except (msgspec.DecodeError, RecursionError) as error:
        field, _ = _explain(error)
        field = {"[0]": "seq", "[1]": "ack", "[2]": "messages"}.get(field or "", field)
        raise WireError(
            "malformed",
            "the frame cannot be read",
            field=field,
            expected=f"[seq, ack, [at most {FRAME_MESSAGES_MAX} messages]] in msgpack",
            close_code=_MALFORMED_FRAME,
        ) from None


# --- reading a message --------------------------------------------------------------------------------------


class _Kind:
    """How one class of message is read."""

    __slots__ = ("decode", "literals", "maps", "names")

    def __init__(self, cls: type) -> None:
        self.decode: Callable[[bytes], Message] = Decoder(cls).decode
        fields = attrs.fields(cls)
        self.maps = tuple(field.name for field in fields if get_origin(_bare(field.type)) is dict)
        self.names = frozenset(field.name for field in fields)
        self.literals = {field.name: ", ".join(_literals(field.type)) for field in fields}


def _bare(annotation: object) -> object:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _literals(annotation: object) -> list[str]:
    """The words a field may hold, wherever in its annotation they stand."""
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for part in get_args(annotation) for word in _literals(part)]


def _kinds(union: UnionType) -> Mapping[bytes, _Kind]:
    """The readers of one direction, by the encoded type word: looking up bytes saves decoding the word."""
    return {encode_word(cast("str", attrs.fields_dict(cls)["type"].default)): _Kind(cls) for cls in get_args(union)}


def encode_word(word: str) -> bytes:
    """A text as msgpack, in its shortest form."""
    return _encoder.encode(word)


_TYPE_KEY: Final = encode_word("type")
_KINDS: Final = {
    Direction.TO_COORDINATOR: _kinds(ToCoordinator),
    Direction.FROM_COORDINATOR: _kinds(FromCoordinator),
}


_SIZED: Final = {
    cls: tuple(field.name for field in attrs.fields(cls) if get_origin(_bare(field.type)) in (dict, list))
    for cls in get_args(Message)
}


def decode_message(raw: bytes | msgspec.Raw, direction: Direction, limits: ReadLimits = DEFAULT_READ_LIMITS) -> Message:
    """The message in ``raw``.

    Raises :class:`WireError` with the ``ref`` of the request, so that it can be answered: ``unknown_message``,
    ``too_deep``, ``too_long`` or ``malformed`` with the field and what was expected. Keys that come twice are
    refused, in the message and in its own maps; keys nobody knows are ignored.
    """
    data = bytes(raw)
    message = _decode_canonical(data, _KINDS[direction])
    if message is None:
        message = _decode_any(data, direction, limits)
    if limits.items < DEFAULT_READ_LIMITS.items:
        _check_sizes(message, limits)
    return message


def _check_sizes(message: Message, limits: ReadLimits) -> None:
    """The messages' own limits hold for everybody; a reader may want lower ones."""
    for name in _SIZED[type(message)]:
        if len(getattr(message, name)) > limits.items:
            raise _too_long(name, limits, getattr(message, "ref", 0))


def _decode_canonical(data: bytes, kinds: Mapping[bytes, _Kind]) -> Message | None:
    """The quick way for a message as our own encoder writes it, None for any other.

    That the message, encoded again, gives the same bytes proves that nothing was passed over: no key twice, none
    unknown. Everybody else's messages take the thorough way and are as welcome.
    """
    kind = kinds.get(data[data.rfind(_TYPE_KEY) + len(_TYPE_KEY) :])
    if kind is None:
        return None
    try:
        message = kind.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return None
    return message if _encoder.encode(message) == data else None


def _decode_any(data: bytes, direction: Direction, limits: ReadLimits) -> Message:
    size = _map_size(data)
    if size is None:
        raise WireError("malformed", "a message must be a map", expected="a map with a type")
    if size > FIELDS_MAX:
        raise WireError("malformed", "the message has too many fields", expected=f"at most {FIELDS_MAX} fields")
    try:
        fields = _fields_decoder.decode(data)
    except (msgspec.DecodeError, RecursionError):
        raise WireError("malformed", "the message's keys cannot be read", expected="a map with text keys") from None
    if len(fields) != size:
        raise WireError("malformed", "a field comes twice", ref=_ref(fields), expected="each field once")
    kind = _kind(fields, _KINDS[direction])
    for name, value in fields.items():
        if name not in kind.names:
            _check_stranger(bytes(value), limits, _ref(fields))
    try:
        message = kind.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        field, expected = _explain(error)
        if field is not None and expected is None:
            expected = "one of " + kind.literals.get(field.partition("[")[0], "")
        text = "the message cannot be read" if field is None else f"{field}: expected {expected}"
        raise WireError("malformed", text, field=field, expected=expected, ref=_ref(fields)) from None
    for name in kind.maps:
        if name in fields and _map_size(bytes(fields[name])) != len(getattr(message, name)):
            text = f"{name}: a key comes twice"
            raise WireError("malformed", text, field=name, expected="each key once", ref=_ref(fields))
    return message


def _check_stranger(value: bytes, limits: ReadLimits, ref: int) -> None:
    """A field nobody knows is passed over, however large it is, but not however deep or long.

    Its name is the peer's own words, so the refusal does not repeat it.
    """
    level, left, containers = [value], limits.items, 0
    for _ in range(limits.depth - _OUTER_LEVELS):
        inner: list[bytes] = []
        for each in level:
            size = _map_size(each)
            is_map = size is not None
            if size is None:
                size = _array_size(each)
            if size is None:
                continue
            left -= size
            containers += 1
            if left < 0:
                raise _too_long(None, limits, ref)
            if containers > STRANGE_CONTAINERS_MAX:
                raise WireError("too_long", expected=f"at most {STRANGE_CONTAINERS_MAX} lists and maps", ref=ref)
            try:
                held = _fields_decoder.decode(each).values() if is_map else _items_decoder.decode(each)
            except (msgspec.DecodeError, RecursionError):
                raise WireError("malformed", "a field nobody knows cannot be read", ref=ref) from None
            inner += map(bytes, held)
        if not inner:
            return
        level = inner
    if any(_map_size(each) is not None or _array_size(each) is not None for each in level):
        raise WireError("too_deep", expected=f"at most {limits.depth} levels", ref=ref)


def _too_long(field: str | None, limits: ReadLimits, ref: int) -> WireError:
    return WireError("too_long", field=field, expected=f"at most {limits.items} items", ref=ref)


def _kind(fields: Mapping[str, msgspec.Raw], kinds: Mapping[bytes, _Kind]) -> _Kind:
    word = fields.get("type")
    if word is None:
        raise WireError("malformed", "the message has no type", field="type", expected="a type", ref=_ref(fields))
    kind = kinds.get(bytes(word))
    if kind is None:
        # A word written in a longer form than needed is the same word.
        try:
            kind = kinds.get(encode_word(_text_decoder.decode(word)))
        except msgspec.DecodeError:
            raise WireError(
                "malformed", "type: expected text", field="type", expected="text", ref=_ref(fields)
            ) from None
    if kind is None:
        raise WireError("unknown_message", field="type", ref=_ref(fields))
    return kind


def _ref(fields: Mapping[str, msgspec.Raw]) -> int:
    """The request's number, as far as it can be read."""
    try:
        return _count_decoder.decode(fields["ref"])
    except (KeyError, msgspec.DecodeError):
        return 0


def _map_size(data: bytes) -> int | None:
    """How many pairs the map in ``data`` claims; None when it is no map."""
    return _claimed(data, 0x80, 0xDE)


def _array_size(data: bytes) -> int | None:
    """How many items the array in ``data`` claims; None when it is no array."""
    return _claimed(data, 0x90, 0xDC)


def _claimed(data: bytes, short: int, long: int) -> int | None:
    """The size in a container's header: ``short`` is the header in one byte, ``long`` the first of the longer two."""
    first = data[0] if data else 0xC0
    if first & 0xF0 == short:
        return first & 0x0F
    width = {long: 2, long + 1: 4}.get(first)
    if width is None or len(data) <= width:
        return None  # something else, or cut short
    return int.from_bytes(data[1 : 1 + width], "big")


# --- saying what was wrong ----------------------------------------------------------------------------------

_COMPLAINT: Final = re.compile(r"(?P<what>.*?)(?: - at (?P<key>`key` in )?`\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(?P<name>\w+)`")
_WANTED: Final = re.compile(r"Expected (?P<wanted>.*?)(?:, got .*)?", re.DOTALL)
_WORDS: Final = {
    "`int | str`": "an integer or a text",
    "`int`": "an integer",
    "`str`": "a text",
    "`bool`": "true or false",
    "`array`": "an array",
    "`object`": "a map",
}


def _explain(error: Exception) -> tuple[str | None, str | None]:
    """Field and expectation out of a decoder's complaint; an expectation of None means one of the field's
    words.

    The complaint may quote what the peer sent; nothing of that is passed on.
    """
    parts = _COMPLAINT.fullmatch(str(error)) if isinstance(error, msgspec.ValidationError) else None
    if parts is None:
        return None, None
    path, what = parts["path"] or "", parts["what"]
    if missing := _MISSING.fullmatch(what):
        return f"{path}.{missing['name']}".lstrip("."), "a value"
    field = path or None
    wanted = _WANTED.fullmatch(what)
    if wanted is None:
        return field, None
    expected = wanted["wanted"]
    for code, words in _WORDS.items():
        expected = expected.replace(code, words)
    return field, f"{expected} as a key" if parts["key"] else expected
