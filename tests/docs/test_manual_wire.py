"""`wire.md` is the whole wire: every message, field, type, limit, code and example, and nothing that does not exist.

The bytes on the page are read with the msgpack package, which knows nothing of ours.
"""

import hashlib
import json
import re
import struct
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs
import msgpack
import pytest
from msgspec import Meta

from coordinator.config.settings import Settings
from coordinator.daemon import REDIAL_SPREAD_MS
from coordinator.engine.deals import deal_of
from coordinator.shell.dispatch import PLACES_PER_PART, PLAYERS_PER_NOTICE
from coordinator.shell.limits import Limits
from coordinator.shell.peers import FRAME_BYTES, window_bytes
from coordinator.shell.spectators import ROWS
from protocol import messages as m
from protocol.client import link
from protocol.codec import FIELDS_MAX, FRAME_MESSAGES_MAX, STRANGE_CONTAINERS_MAX, Direction, decode_message
from protocol.deal import commitment, expand
from protocol.errors import CLOSE_CODES, CODES
from protocol.session import Session, Side
from tests.docs.pages import ROOT, blocks, code, headings, plain, section, table, text_of

TEXT = text_of("wire")
NAMED = {
    "known": m.Known,
    "key": m.Key,
    "count": m.Count,
    "number": m.Number,
    "score": m.Score,
    "identity": m.Identity,
    "name": m.Name,
    "label": m.Label,
    "sentence": m.Sentence,
    "secret": m.Secret,
    "action": m.Action,
}
ROWS_OF = {
    "pack row": m.PackRow,
    "seated player": m.SeatedPlayer,
    "place row": m.PlaceRow,
    "standing row": m.StandingRow,
    "proposed time": m.ProposedTime,
    "ranked team": m.RankedTeam,
    "offer row": m.OfferRow,
    "instance row": m.InstanceRow,
}
GROUPS = {
    "Session": (*get_args(m.ToPeer), *get_args(m.FromPeer)),
    "Table servers: what you are told": get_args(m.ToTable),
    "Table servers: what you say": get_args(m.FromTable),
    "Lobbies: what you say": get_args(m.FromLobby),
    "Lobbies: what you are told": get_args(m.ToLobby),
    "Directors": (m.FromDirector,),
    "Spectators": (m.FromSpectator, m.ToSpectator),
}
"""The heading each message stands under."""


def word_of(cls: type) -> str:
    return str(attrs.fields_dict(cls)["type"].default)


CLASSES = {word_of(cls): cls for group in GROUPS.values() for cls in group}


def in_words(kind: Any) -> str:
    """An annotation of :mod:`protocol.messages` as the page writes it."""
    for word, named in [*NAMED.items(), *ROWS_OF.items()]:
        if kind == named:
            return word
    if kind is bool:
        return "true or false"
    if kind is str:
        return "text"
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join([in_words(part) for part in parts if part is not NoneType] + ["null"])
    if origin is Literal:
        return "one of " + ", ".join(f"`{word}`" for word in parts)
    if origin is list:
        return f"list of {in_words(parts[0])}"
    if origin is dict:
        return f"map of {in_words(parts[0])} to {in_words(parts[1])}"
    assert origin is Annotated, kind
    return in_words(parts[0]) + limits_in_words(parts[1])


def limits_in_words(meta: Meta) -> str:
    if meta.pattern is not None:
        assert "[0-9a-f]{64}" in meta.pattern
        return f", {meta.max_length} lower-case hex digits"
    if meta.min_length is None:
        return f", at most {meta.max_length}"
    return f", {meta.min_length} to {meta.max_length}"


def default_in_words(field: "attrs.Attribute[object]") -> str:
    value = field.default
    if value is attrs.NOTHING:
        return "required"
    if isinstance(value, attrs.Factory):  # type: ignore[arg-type]
        value = value.factory()  # type: ignore[attr-defined]
    return f"`{json.dumps(value)}`"


def type_in_words(field: "attrs.Attribute[Any]") -> str:
    # A name and an identity that is looked up have the same limits: what tells them apart is what they are for.
    return "name" if field.name == "name" else in_words(field.type)


def fields_of(cls: type) -> list[dict[str, str]]:
    return [
        {"field": f"`{field.name}`", "type": type_in_words(field), "default": default_in_words(field)}
        for field in attrs.fields(cls)
        if field.name != "type"
    ]


def described(heading: str) -> list[dict[str, str]]:
    text = section("wire", heading)
    if "| field |" not in text:
        return []
    rows = table(text)
    assert all(row["meaning"].endswith(".") for row in rows), f"{heading}: a meaning is a sentence"
    return [{key: row[key] for key in ("field", "type", "default")} for row in rows]


def parts_under() -> Iterator[tuple[str, str]]:
    """Each third-level heading with the second-level one above it."""
    above = ""
    for line in plain("wire").splitlines():
        if line.startswith("## "):
            above = line.removeprefix("## ")
        elif line.startswith("### "):
            yield above, line.removeprefix("### ")


def test_every_message_stands_under_its_sender_and_nothing_else_does() -> None:
    shown = [(above, word) for above, word in parts_under() if word in CLASSES]
    assert len(shown) == len({word for _, word in shown})
    assert {above: {word for over, word in shown if over == above} for above, _ in shown} == {
        above: {word_of(cls) for cls in group} for above, group in GROUPS.items()
    }
    snake = [word for _, word in parts_under() if re.fullmatch(r"[a-z]+(_[a-z]+)+", word)]
    assert set(snake) <= set(CLASSES), "a heading that looks like a message is one"


@pytest.mark.parametrize("word", CLASSES)
def test_every_field_is_described_with_type_limits_and_default(word: str) -> None:
    assert described(word) == fields_of(CLASSES[word])


@pytest.mark.parametrize("heading", ROWS_OF)
def test_every_field_of_the_rows_is_described(heading: str) -> None:
    assert described(heading) == fields_of(ROWS_OF[heading])


@pytest.mark.parametrize("word", CLASSES)
def test_every_message_has_an_example_that_can_be_read(word: str) -> None:
    [shown] = re.findall(r"```json\n(.*?)```", section("wire", word), re.DOTALL)
    plain_message = json.loads(shown)
    assert plain_message["type"] == word
    to_us = CLASSES[word] in get_args(m.ToCoordinator)
    direction = Direction.TO_COORDINATOR if to_us else Direction.FROM_COORDINATOR
    message = decode_message(msgpack.packb(plain_message), direction)
    assert type(message) is CLASSES[word]
    assert set(plain_message) <= {field.name for field in attrs.fields(CLASSES[word])}


def test_the_types_have_the_limits_of_the_code() -> None:
    rows = {row["word"]: row["is"] for row in table(section("wire", "Types"))}
    assert set(rows) == set(NAMED)
    for word, kind in NAMED.items():
        if word == "action":
            continue
        [meta] = get_args(kind)[1:]
        numbers = [int(number) for number in re.findall(r"-?\d+", rows[word])]
        limits = (meta.ge, meta.le) if meta.ge is not None else (meta.min_length, meta.max_length)
        assert numbers == [limit for limit in limits if limit is not None], word
    lengths = [get_args(part)[1].max_length for part in get_args(m.Action)]
    assert [length for length in lengths if length] == [int(re.findall(r"\d+", rows["action"])[0])]


# ----------------------------------------------------------------------------------------- words that count


def test_verdicts() -> None:
    rows = table(section("wire", "Verdicts"))
    assert tuple(code(row["verdict"]) for row in rows) == get_args(attrs.fields_dict(m.Verdict)["verdict"].type)


def test_reasons_for_waiting() -> None:
    rows = table(section("wire", "match_over").split("Why players wait", 1)[1])
    assert tuple(code(row["reason"]) for row in rows) == get_args(attrs.fields_dict(m.Waiting)["reason"].type)


def test_answers_to_a_return() -> None:
    text = section("wire", "Resume: the three answers")
    shown = [code(row["resumed"]) for row in table(text)]
    assert {*shown, "new"} == set(get_args(attrs.fields_dict(m.Welcome)["resumed"].type))
    assert "`new`" in text


def test_states_of_players() -> None:
    states = get_args(attrs.fields_dict(m.StandingRow)["state"].type)
    [sentence] = re.findall(r"^States: .*?\.$", TEXT, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(states)


def test_error_codes() -> None:
    rows = table(section("wire", "Error codes"))
    shown = {code(row["code"]): int(row["closes with"]) if row["closes with"] else None for row in rows}
    assert shown == {word: known.close_code for word, known in CODES.items()}


def test_reserved_codes_are_those_that_nothing_sends() -> None:
    """A code that is said to be reserved stands nowhere in the coordinator, and every other one does."""
    rooms = [*(ROOT / "coordinator").rglob("*.py"), *(ROOT / "protocol").glob("*.py")]
    said = "\n".join(path.read_text(encoding="utf-8") for path in rooms if path.name not in ("errors.py", "testing.py"))
    reserved = {
        code(row["code"]) for row in table(section("wire", "Error codes")) if row["means"].startswith("reserved")
    }
    unsaid = {word for word in CODES if f'"{word}"' not in said}
    # Its own program says this one, in a bye.
    assert reserved == unsaid - {"done"}


def test_close_codes() -> None:
    shown = {int(row["code"]) for row in table(section("wire", "Close codes"))}
    assert shown == {*CLOSE_CODES, 1000, 1002, 1007}


def test_close_codes_after_which_nobody_dials_again() -> None:
    rows = table(section("wire", "Close codes"))
    assert {int(row["code"]) for row in rows if row["dial again?"] == "no"} == {4001, 4003, 4009, 4015}
    assert set(link._CLOSED_FOR_GOOD) | {link._CLOSED_REPLACED} == {4001, 4003, 4009, 4015}
    assert "After 4001, 4003, 4009 or 4015: STOP" in TEXT


# ------------------------------------------------------------------------------------------------- numbers


def test_limits_are_those_of_the_daemon() -> None:
    limits, settings = Limits(), Settings()
    front_door = (ROOT / "coordinator/shell/front_door.py").read_text(encoding="utf-8")
    [window_frames] = re.findall(r"window_frames=(\d+)", front_door)
    for sentence in (
        f"at most {limits.max_header_bytes} bytes and {limits.max_header_lines} header lines",
        f"complete within {limits.open_timeout_s:g} seconds",
        f"while fewer than {settings.limits.handshakes} sockets, and {settings.limits.handshakes_per_address} of one",
        f"ahead by {settings.limits.unacknowledged} frames",
        f"| frames of one peer | {settings.limits.frames_per_s} a second",
        f"| messages in them | {settings.limits.messages_per_s} a second",
        f"| bytes in them | {settings.limits.bytes_per_s} a second",
        f"| pings and pongs | {settings.limits.pings_per_s} a second, {2 * settings.limits.pings_per_s} in a burst",
        f"not allowed | {settings.limits.bad_messages_per_minute} a minute",
        f"another server's table | {settings.limits.trespasses_per_minute} a minute",
        f"another life | {settings.limits.lives_per_minute} a minute",
        f"the frame included | {settings.limits.depth} |",
        f"items in a list or map | {settings.limits.list_length} |",
        f"in at most {limits.max_fragments} fragments",
        f"at most {FRAME_MESSAGES_MAX} of them",
        f"has at most {FIELDS_MAX} fields, and at most {STRANGE_CONTAINERS_MAX} lists and maps",
        f"| you, before the welcome | {limits.max_message_before_hello} bytes",
        f"by default {settings.limits.max_message} bytes",
        f"| the coordinator | {FRAME_BYTES} bytes",
        f"at most {window_frames} frames for you, and at most {window_bytes(0)} bytes plus "
        f"{window_bytes(1) - window_bytes(0)} for each table of your capacity",
        f"Say hello within {limits.hello_timeout_s:g} seconds",
        f"about every {limits.ping_every_s:g} seconds",
        f"came for {limits.dead_after_s:g} seconds",
        f"takes no byte for {limits.write_stall_s:g} seconds",
        f"`session_keep_s`, {settings.session_keep_s:g} seconds",
        f"`server_grace_s`, {settings.server_grace_s:g} seconds",
        f"0 and {link.BACKOFF_FIRST_S} s · 2^n, at most {link.BACKOFF_MAX_S:g} s",
        f"lived {link.STABLE_S:g} seconds past its welcome",
        f"within about {link.ACK_DELAY_S} seconds",
        f"the first {ROWS} lines",
        f"parts of {PLACES_PER_PART} places",
        f"at most {PLAYERS_PER_NOTICE} players",
        f"`{m.SUBPROTOCOL}`",
        f'"retry_after_ms": {REDIAL_SPREAD_MS}',
    ):
        assert sentence in TEXT.replace("\n", " "), sentence


# --------------------------------------------------------------------------------------------------- bytes


def test_the_frame_says_what_the_page_says() -> None:
    [shown] = blocks("wire", "hex")
    [told] = blocks("wire", "frame")
    payload = bytes.fromhex(shown.body)
    assert msgpack.unpackb(payload) == json.loads(told.body)
    assert f"{len(payload)} bytes" in TEXT
    (message,) = Session(Side.COORDINATOR).receive(payload.replace(b"\x93\x07\x04", b"\x93\x01\x00", 1))
    assert isinstance(message, m.HandEnded)


def test_the_empty_frame_has_these_bytes() -> None:
    [shown] = re.findall(r"for ack 7 the four\s+bytes `([0-9a-f ]+)`", TEXT)
    assert msgpack.unpackb(bytes.fromhex(shown)) == [0, 7, []]


def test_the_bye_can_be_read() -> None:
    [shown] = re.findall(r'`\[0, 0, \[(\{"type": "bye".*?\})\]\]`', TEXT)
    message = decode_message(msgpack.packb(json.loads(shown)), Direction.TO_COORDINATOR)
    assert message == m.Bye(code="done")


def test_the_worked_deal_follows_from_the_text_alone() -> None:
    """Each line computed here with SHA-256 and nothing of ours, then compared with the page and with our code."""
    [shown] = blocks("wire", "vector")
    told = {line[:12].strip(): line[12:].split() for line in shown.body.splitlines()}
    secret = b"a secret"
    committed = hashlib.sha256(b"\x1f".join((b"commitment", secret))).hexdigest()
    deal = hashlib.sha256(b"\x1f".join((b"deal", secret, b"m-1", b"t7", b"3"))).hexdigest()
    block = hashlib.sha256(bytes.fromhex(deal) + bytes(8)).digest()
    numbers = struct.unpack(">8I", block)
    draws = [numbers[turn] % n for turn, n in enumerate((5, 4, 3, 2))]
    deck = list(range(5))
    for i, j in zip((4, 3, 2, 1), draws, strict=True):
        deck[i], deck[j] = deck[j], deck[i]
    assert all(number < 2**32 - 2**32 % 60 for number in numbers[:4]), "none of these is skipped"
    assert told == {
        "commitment": [committed],
        "deal": [deal],
        "block 0": [block.hex()],
        "numbers": [str(number) for number in numbers[:4]],
        "below": [f"{n}→{drawn}" for n, drawn in zip((5, 4, 3, 2), draws, strict=True)],
        "swaps": [f"{i}↔{j}" for i, j in zip((4, 3, 2, 1), draws, strict=True)],
        "deck": [str(card) for card in deck],
    }
    assert commitment("a secret") == committed
    assert deal_of("a secret", "m-1", "t7", 3) == deal
    assert expand(deal, 5) == deck


def test_headings_are_in_the_order_of_reading() -> None:
    assert headings("wire", 2)[:5] == ["Connecting", "Frames", "Types", "Session", "Table servers: what you are told"]
