"""What reads bytes that somebody else wrote, as targets for a fuzzer: any input but a clean refusal is a fault of ours.

A target takes bytes and returns the word for what they got. It raises whatever is not the right kind of error.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import attrs

from coordinator.definition_file import DefinitionRefused, loads, shipped
from coordinator.errors import JournalDamaged, JournalNewer
from coordinator.journal.kinds import MATCH
from coordinator.journal.records import Chain, StoredRecord, open_record, running_hash
from coordinator.shell.websocket import WireProtocol
from protocol.auth import HashedToken, make_nonce
from protocol.codec import Direction, build_frame, decode_frame, decode_message, encode_message, handshake_frame
from protocol.errors import CLOSE_CODES, CODES, WireError
from protocol.messages import Actions, HandEnded, Hello, Message, OpenMatch, Proof, Register
from protocol.session import Session, Side, read_answer, read_hello, read_proof
from tests.journal.small_match import played
from tests.shell.peers import BINARY, CLOSE, PING, frame, request

SAID: Final[tuple[Message, ...]] = (
    Hello("srv-1", ["table"], "life", games=["dou_dizhu"], nonce="00ff"),
    Proof("00" * 32),
    HandEnded("cup", 12, 1, 3, 1, {"p1": 200, "p2": -100, "p3": -100}, 9),
    Actions("cup", 12, 1, 3, 1, 0, ["bid 3", 7]),
    Register("cup", "p1", "Ada", 3),
    OpenMatch("cup", "one", 1, "seed"),
)


MSGPACK_HEADERS: Final = bytes.fromhex("007f808f909fa0bfc0c1c4c7cfd3dbdcdddedfff")


class WrongCode(AssertionError):
    """A refusal that is not one of the closed list, or that does not say how the socket ends."""


def _refused(error: WireError, *, closes: bool | None = None) -> str:
    if error.code not in CODES or (error.close_code is not None and error.close_code not in CLOSE_CODES):
        raise WrongCode(f"{error.code}, {error.close_code}")
    if closes is not None and closes != (error.close_code is not None):
        raise WrongCode(f"{error.code} with close code {error.close_code}")
    answer = error.answer()
    if decode_message(encode_message(answer), Direction.FROM_COORDINATOR) != answer:
        raise WrongCode(f"{error.code} cannot be said")
    return error.code


def codec(data: bytes) -> str:
    """Frames and messages, both ways."""
    try:
        found = decode_frame(data)
    except WireError as error:
        raws = [data]
        word = _refused(error, closes=True)
    else:
        raws = [bytes(raw) for raw in found.raws]
        word = "frame"
    for direction in Direction:
        for raw in raws:
            if not raw:
                continue
            try:
                message = decode_message(raw, direction)
            except WireError as error:
                _refused(error, closes=False)
            else:
                if decode_message(encode_message(message), direction) != message:
                    raise WrongCode("a message that reads differently when it is written again")
    return word


def opening(data: bytes) -> str:
    """The first frames of a socket."""
    words = []
    for read in (read_hello, read_proof, read_answer):
        try:
            read(data)
        except WireError as error:
            words.append(_refused(error, closes=True))
        else:
            words.append("read")
    return " ".join(words)


def session(data: bytes) -> str:
    """A coordinator's end of a session that hears pieces of the data, one after the other."""
    end = Session(Side.COORDINATOR, session="s", epoch="e", prompt_acks=False, unsettled_max=8)
    end.queue(encode_message(SAID[0]))
    end.take_frame()
    for piece in data.split(b"\xff\xfe") if b"\xff\xfe" in data else (data, data):
        before = end.received
        try:
            end.receive(piece)
        except WireError as error:
            if end.received != before:
                raise WrongCode("a frame was refused and counted") from error
            return _refused(error, closes=True)
        if end.received not in (before, before + 1):
            raise WrongCode("more than one frame was counted")
    return "heard"


def websocket(data: bytes) -> str:
    """The bytes of a socket after its opening."""
    protocol = WireProtocol(max_message=1024, max_fragments=4, subprotocols=("coordinator.msgpack.v1",))
    protocol.receive_data(request())
    [asked] = protocol.events_received()
    protocol.send_response(protocol.accept(asked))  # type: ignore[arg-type]
    protocol.data_to_send()
    sizes: list[int] = []
    half = len(data) // 2
    for piece in (data[:half], data[half:]):
        if piece and not protocol.eof_sent:
            protocol.feed(piece, lambda payload: sizes.append(len(payload)))
    if any(size > 1024 for size in sizes):
        raise WrongCode("a message over the limit was delivered")
    closed = protocol.close_sent
    if closed is not None and closed.code == 1006:
        raise WrongCode(f"closed with {closed.code}")
    return "open" if closed is None else str(closed.code)


def definition(data: bytes) -> str:
    """A definition file."""
    try:
        loads(data)
    except DefinitionRefused as refused:
        if not refused.problems:
            raise WrongCode("refused without a reason") from refused
        return "refused"
    return "read"


def journal(data: bytes) -> str:
    """The body of a record whose hash somebody has made fit."""
    chain = Chain.start("cup")
    try:
        record = open_record(StoredRecord("cup", 1, data, running_hash(chain.hash, data)), chain.hash)
    except (JournalDamaged, JournalNewer) as error:
        return error.code
    state = MATCH.new_state()
    for event in record.events:
        try:
            MATCH.evolve(state, event)
        except Exception:
            return "does not fit"  # the readers of journals say so for any exception of the rules
    return "read"


def hashed_token(data: bytes) -> str:
    """The token of a credentials entry, and a proof against it."""
    text = data.decode("latin-1")
    try:
        hashed = HashedToken.parse(text)
    except ValueError:
        return "refused"
    if hashed.accepts(text[:64], data) or HashedToken.parse(str(hashed)) != hashed:
        raise WrongCode("a proof of nothing was accepted")
    return "read"


TARGETS: Final[Mapping[str, Callable[[bytes], str]]] = {
    target.__name__: target for target in (codec, opening, session, websocket, definition, journal, hashed_token)
}


@cache
def starts(name: str) -> tuple[bytes, ...]:
    """Good inputs of a target, to be spoilt."""
    frames = [build_frame(number + 1, 0, [encode_message(message)]) for number, message in enumerate(SAID)]
    if name in ("codec", "session"):
        return (*frames, b"\xff\xfe".join(frames), build_frame(1, 1, [encode_message(message) for message in SAID]))
    if name == "opening":
        return tuple(handshake_frame(message) for message in SAID)
    if name == "websocket":
        return (
            frame(BINARY, frames[0]),
            frame(BINARY, b"a", fin=False) + frame(0, b"b"),
            frame(PING, b"x") + frame(CLOSE, b"\x03\xe8bye"),
        )
    if name == "definition":
        return tuple(Path(path).read_bytes() for path in shipped().values())
    if name == "journal":
        chain, bodies = Chain.start("cup"), []
        for command, outcome in played(3, 1):
            record = chain.seal(command, outcome.events, outcome.effects, 0)
            bodies.append(record.body)
        return tuple(bodies)
    return (str(HashedToken.of(make_nonce(), iterations=1)).encode(),)


def spoilt(chance: Random, data: bytes) -> bytes:
    """A good input with a few things done to it that fuzzers do."""
    spoil = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        size = len(spoil)
        at = chance.randrange(size) if size else 0
        match chance.randrange(7):
            case 0 if size:
                spoil[at] ^= 1 << chance.randrange(8)
            case 1 if size:
                spoil[at] = chance.choice(MSGPACK_HEADERS)
            case 2:
                del spoil[at : at + chance.randint(1, 8)]
            case 3:
                spoil[at:at] = chance.randbytes(chance.randint(1, 8))
            case 4:
                del spoil[at:]
            case 5:
                spoil[at:at] = spoil[at : at + chance.randint(1, 40)] * chance.randint(1, 3)
            case _ if size >= 4:
                spoil[at : at + 4] = chance.choice(
                    (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"nan ")
                )
    return bytes(spoil)


@attrs.define
class Tally:
    """What came of a run."""

    tried: int = 0
    crashes: list[str] = attrs.field(factory=list)
    wrong_codes: list[str] = attrs.field(factory=list)
    outcomes: dict[str, int] = attrs.field(factory=dict)

    def take(self, name: str, data: bytes) -> None:
        """Try one input."""
        self.tried += 1
        try:
            word = f"{name} {TARGETS[name](data)}"
        except WrongCode as error:
            self.wrong_codes.append(f"{name} {data.hex()}: {error}")
        except Exception as error:
            self.crashes.append(f"{name} {data.hex()}: {type(error).__name__}: {error}")
        else:
            self.outcomes[word] = self.outcomes.get(word, 0) + 1
