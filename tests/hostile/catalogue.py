"""Ninety-three kinds of bad input, each with the answer it must get. None may change anything or harm anybody else."""

import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import attrs
import msgpack
import trio

from protocol import messages as m
from protocol.auth import Proving, transcript
from protocol.codec import build_frame, encode_message, handshake_frame
from tests.hostile.scene import TOKEN, Scene, answer_of, ending, messages_in, word
from tests.shell.peers import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    TEXT,
    Ended,
    close_payload,
    connected,
    frame,
    opened,
    request,
)
from tests.shell.programs import Closed, report

PATIENCE_S: Final = 20
"""Far beyond what an attack needs; it ends one that would hang."""

Attack = Callable[[Scene], Awaitable[str]]


@attrs.frozen
class Row:
    """One kind of bad input. ``answers``: the one that is right, or several where the kernel decides."""

    number: int
    what: str
    answers: tuple[str, ...]
    attack: Attack


ROWS: Final[list[Row]] = []


def row(number: int, what: str, *answers: str) -> Callable[[Attack], Attack]:
    """Enter an attack under its number."""

    def enter(attack: Attack) -> Attack:
        ROWS.append(Row(number, what, answers, attack))
        return attack

    return enter


def opening(number: int, what: str, answer: str, data: bytes, **words: Any) -> None:
    ROWS.append(Row(number, what, tuple(answer.split(" or ")), lambda scene: scene.opening(data, **words)))


def frames(number: int, what: str, answer: str, *data: bytes) -> None:
    """All of `data`, each on a connection of its own, must get the same answer."""

    async def attack(scene: Scene) -> str:
        return " / ".join(sorted({await scene.frames(each) for each in data}))

    ROWS.append(Row(number, what, (answer,), attack))


def payload(number: int, what: str, answer: str, *data: bytes) -> None:
    async def attack(scene: Scene) -> str:
        return " / ".join(sorted({await scene.payload(each) for each in data}))

    ROWS.append(Row(number, what, (answer,), attack))


def message(number: int, what: str, answer: str, *data: bytes, role: m.Role = "table") -> None:
    async def attack(scene: Scene) -> str:
        return " / ".join(sorted({await scene.message(each, role) for each in data}))

    ROWS.append(Row(number, what, (answer,), attack))


TLS_HELLO: Final = bytes.fromhex("160301020001 0001fc0303".replace(" ", "")) + bytes(500)
HELLO: Final = m.Hello("stranger", ["table"], "life")

# --- opening --------------------------------------------------------------------------------------------------------

opening(1, "a TLS hello on the plain port", "drop", TLS_HELLO)
opening(2, "random bytes", "drop or http 400", bytes(range(128, 256)) * 4)
opening(3, "POST", "http 405", request(line="POST / HTTP/1.1"))
opening(4, "HTTP/1.0", "http 505", request(line="GET / HTTP/1.0"))
opening(5, "no Host", "http 400", request(without=("Host",)))
opening(6, "two Hosts", "http 400", request(extra=("Host: 127.0.0.1",)))
opening(7, "another Host", "http 421", request(Host="evil.example"), hasty=True)
opening(8, "a page's Origin", "http 403", request(extra=("Origin: http://127.0.0.1",)))


@row(9, "no key, and one of five bytes", "http 400")
async def _(scene: Scene) -> str:
    none = await scene.opening(request(without=("Sec-WebSocket-Key",)))
    short = await scene.opening(request(Sec_WebSocket_Key="c2hvcnQ="))
    return none if none == short else f"{none} / {short}"


opening(10, "WebSocket version 12", "http 426", request(Sec_WebSocket_Version="12"))
opening(11, "a plain GET", "http 426", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
opening(12, "an unknown path", "http 404", request(line="GET /admin HTTP/1.1"))
opening(13, "a header of 64 KiB", "http 431 or drop", request(extra=("X: " + "x" * 65_536,)))
opening(14, "1,000 headers", "http 431 or drop", request(extra=("X: y",) * 1000))


@row(15, "NUL in a header, and line ends without CR", "drop")
async def _(scene: Scene) -> str:
    nul = await scene.opening(request(extra=("X: a\0b",)))
    bare = await scene.opening(request().replace(b"\r\n", b"\n"), half_close=True)
    return nul if nul == bare else f"{nul} / {bare}"


opening(16, "a path that is not ASCII", "drop or http 400", request(line="GET /\xfc HTTP/1.1"))


@row(17, "an opening that never ends", "drop")
async def _(scene: Scene) -> str:
    return await scene.opening(b"GET", hasty=True)


opening(18, "connect and half-close", "drop", b"", half_close=True)
opening(19, "a frame before our answer", "drop", request() + frame(BINARY, b"early"))


@row(20, "more strangers than there is room for", "http 503")
async def _(scene: Scene) -> str:
    async with connected(scene.hasty_port), connected(scene.hasty_port), connected(scene.hasty_port) as third:
        answer = await third.response()
        return "drop" if isinstance(answer, Ended) else f"http {answer[0]}"


opening(21, "an unknown subprotocol only", "http 400", request(Sec_WebSocket_Protocol="chat"))

# --- frames ---------------------------------------------------------------------------------------------------------

frames(22, "a frame without a mask", "close 1002", frame(BINARY, b"x", masked=False))
frames(23, "reserved bits", "close 1002", *[frame(BINARY, b"x", rsv=bit) for bit in (1, 2, 4)])
frames(24, "opcodes 3 and 11", "close 1002", frame(3, b"x"), frame(11, b"x"))
frames(25, "a ping of 126 bytes", "close 1002", frame(PING, b"x" * 126))
frames(26, "a ping in fragments", "close 1002", frame(PING, b"x", fin=False))
frames(27, "a continuation of nothing", "close 1002", frame(CONT, b"x"))
frames(28, "a message inside a message", "close 1002", frame(BINARY, b"x", fin=False) + frame(BINARY, b"y"))
frames(29, "a length of 2^63", "close 1009", frame(BINARY, b"", claim=1 << 63, width=8))
frames(30, "a length over the limit, no payload", "close 1009", frame(BINARY, b"", claim=1025, width=2))
frames(
    31, "a length not in its shortest form", "close 1002", frame(BINARY, b"x", width=2), frame(BINARY, b"x", width=8)
)
frames(32, "a text message", "close 1003", frame(TEXT, b"x"))
frames(
    33,
    "a Close of one byte, or with codes that do not exist",
    "close 1002",
    frame(CLOSE, b"x"),
    *[frame(CLOSE, close_payload(code)) for code in (0, 999, 1005, 1006, 5000)],
)
frames(34, "a Close whose reason is not UTF-8", "close 1007", frame(CLOSE, struct.pack("!H", 1000) + b"\xff"))
frames(35, "5,000 empty fragments", "close 1009", frame(BINARY, b"", fin=False) + frame(CONT, b"", fin=False) * 5000)
frames(36, "a flood of pings", "close 4029", frame(PING) * 1000)


@row(37, "a socket that ends in the middle of a frame", "nothing_missed")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        assert program.raw is not None
        await program.raw.send(frame(BINARY, build_frame(1, 0, [encode_message(m.Subscribe("x", 1))]))[:-3])
        await program.cut()
        await scene.house.gone(program.identity)
        return (await program.hello()).resumed


@row(38, "a reset", "nothing_missed")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        assert program.raw is not None
        program.raw.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await program.cut()
        await scene.house.gone(program.identity)
        return (await program.hello()).resumed


@row(39, "data after a Close", "close 1000")
async def _(scene: Scene) -> str:
    return await scene.frames(frame(CLOSE, close_payload(1000)) + frame(BINARY, handshake_frame(HELLO)))


@row(40, "a ping after our Close", "close 1003, nothing more")
async def _(scene: Scene) -> str:
    async with opened(scene.house.port) as peer:
        await peer.send(frame(TEXT, b"x"))
        found = await ending(peer)
        with suppress(trio.BrokenResourceError):
            await peer.send(frame(PING) * 3)
        rest, _ = await peer.frames()
        return f"{found}, nothing more" if not rest else f"{found}, {rest}"


@row(41, "a peer that never reads", "4013")
async def _(scene: Scene) -> str:
    async with opened(scene.hasty_port, receive_buffer=4096):
        recorder = scene.recorder
        await recorder.until(lambda: recorder.conns)
        conn = recorder.conns[-1]
        conn.raise_limit()
        ends = len(recorder.ends)
        while not conn.closed:
            conn.send(bytes(4096))
        await recorder.until(lambda: len(recorder.ends) > ends)
        return str(recorder.ends[-1][1])


# --- encoding -------------------------------------------------------------------------------------------------------


def packed(value: object) -> bytes:
    found = msgpack.packb(value)
    assert isinstance(found, bytes)
    return found


def hand_ended(**changed: Any) -> bytes:
    """A report with other words in it."""
    told = {
        "type": "hand_ended",
        "match_id": "bystander",
        "table_id": 1,
        "epoch": 1,
        "hand_no": 1,
        "attempt_no": 1,
        "scores": {"p1": 2, "p2": 0, "p3": -2},
        "ref": 7,
    }
    return packed(told | changed)


def with_score(raw: bytes) -> bytes:
    """A report one of whose scores is these bytes."""
    whole = hand_ended(scores={"p1": 2, "p2": 0, "p3": "HERE"})
    return whole.replace(packed("HERE"), raw)


def with_field(name: str, raw: bytes) -> bytes:
    """A report with another field of these bytes."""
    return b"\x89" + hand_ended()[1:] + packed(name) + raw


def register(name: bytes) -> bytes:
    """A registration under a name given as msgpack bytes."""
    words = {"type": "register", "match_id": "bystander", "player_id": "p9", "ref": 3, "name": "HERE"}
    return packed(words).replace(packed("HERE"), name)


nested: Final = b"\x91" * 60_000 + b"\x90"
"""Deeper than any Python goes."""
claims: Final = b"\xdd\x00\x00\xff\xff" * 511

payload(42, "an empty message", "malformed, close 4000", b"")
payload(
    43, "a frame cut short", "malformed, close 4000", b"\x93\x01", b"\x93\x01\x00\x91\x82\xa1x", b"\x93\x01\x00\xdc"
)
payload(44, "bytes behind the frame", "malformed, close 4000", build_frame(1, 0, []) + b"\x00")
payload(45, "the byte that msgpack never uses", "malformed, close 4000", b"\xc1", b"\x93\xc1\x00\x90")
payload(46, "no array at the top", "malformed, close 4000", packed({"seq": 1}), packed(1), packed("x"), b"\xc0")
payload(47, "an array of two, and of four", "malformed, close 4000", packed([1, 0]), packed([1, 0, [], 0]))
message(48, "an unknown type", "unknown_message type", packed({"type": "nonsense", "ref": 1}))
payload(
    49,
    "an array that claims four billion",
    "malformed messages, close 4000 / malformed, close 4000",
    b"\xdd\xff\xff\xff\xff",
    b"\x93\x01\x00\xdd\xff\xff\xff\xff",
)


@row(50, "nested sixty thousand deep, and nine", "malformed, close 4000 / malformed, close 4000 / too_deep")
async def _(scene: Scene) -> str:
    found = [
        await scene.payload(nested),
        await scene.message(nested, "table"),
        await scene.message(with_field("extra", b"\x91" * 6 + b"\x90"), "table"),
    ]
    return " / ".join(found)


payload(51, "511 nested claims of 65,535 items", "malformed, close 4000", claims, b"\x93\x01\x00\x91" + claims)


@row(52, "a map where an array is due, and the other way round", "malformed messages, close 4000 / malformed")
async def _(scene: Scene) -> str:
    return f"{await scene.payload(packed([1, 0, {}]))} / {await scene.message(packed(['hand_ended']), 'table')}"


message(
    53,
    "1.0, not a number, and infinity as a score",
    "malformed scores[...]",
    with_score(packed(1.0)),
    with_score(packed(float("nan"))),
    with_score(packed(float("inf"))),
)
message(54, "true for 1", "malformed scores[...]", with_score(packed(True)))
message(
    55,
    "2^64 - 1, -2^63 and 2^53 as scores",
    "malformed scores[...]",
    with_score(packed(2**64 - 1)),
    with_score(packed(-(2**63))),
    with_score(packed(2**53)),
)
message(
    56,
    "an extension, and a timestamp",
    "malformed scores[...]",
    with_score(b"\xd4\x05\x00"),
    with_score(b"\xd6\xff\x00\x00\x00\x00"),
)


@row(
    57,
    "names: no UTF-8, a surrogate, NUL, a change of direction, 5,000 characters",
    "malformed / malformed / name_refused name / name_refused name / malformed name",
)
async def _(scene: Scene) -> str:
    names = (b"\xa2\xff\xfe", b"\xa3\xed\xa0\x80", packed("a\0b"), packed("a\u202eb"), packed("x" * 5000))
    return " / ".join([await scene.message(register(name), "lobby") for name in names])


message(58, "bytes for a text", "malformed name", register(b"\xc4\x01x"), role="lobby")

# --- hello and session ----------------------------------------------------------------------------------------------


@row(59, "a frame before the hello", "hello_first type, close 4001 / hello_first, close 4000")
async def _(scene: Scene) -> str:
    report_first = await scene.first(build_frame(0, 0, [hand_ended()]))
    numbered = await scene.first(build_frame(1, 0, [encode_message(HELLO)]))
    return f"{report_first} / {numbered}"


@row(60, "a second hello", "second_hello type, close 4000")
async def _(scene: Scene) -> str:
    return await scene.payload(handshake_frame(HELLO))


async def prove(scene: Scene, identity: str, token: str, *, role: m.Role = "table") -> str:
    """Answer the guarded house's challenge with this token."""
    async with opened(scene.guarded.port) as peer:
        hello = handshake_frame(m.Hello(identity, [role], "life", nonce="00"))
        await peer.send(frame(BINARY, hello))
        item = await peer.frame()
        assert not isinstance(item, Ended)
        challenge = only(item[1])
        proving = Proving.of(token, challenge.salt, challenge.iterations, transcript(hello, item[1]))
        await peer.send(frame(BINARY, handshake_frame(m.Proof(proving.proof))))
        return await answer_of(peer)


def only(raw: bytes) -> Any:
    [message] = messages_in(raw)
    return message


@row(61, "an unknown identity, a wrong token, no proof, no nonce", "bad_token, close 4001 / no_token nonce, close 4001")
async def _(scene: Scene) -> str:
    assert await prove(scene, "srv-1", TOKEN) == "welcome"
    hello = handshake_frame(m.Hello("srv-1", ["table"], "life", nonce="00"))
    found = {await prove(scene, "srv-9", TOKEN), await prove(scene, "srv-1", "guess")}
    found.add(await scene.first(hello, handshake_frame(m.Proof("nothing")), guarded=True))
    return f"{' / '.join(sorted(found))} / {await scene.first(handshake_frame(HELLO), guarded=True)}"


@row(62, "a hello and its proof, replayed", "bad_token, close 4001")
async def _(scene: Scene) -> str:
    hello = handshake_frame(m.Hello("srv-1", ["table"], "life", nonce="00"))
    async with opened(scene.guarded.port) as peer:
        await peer.send(frame(BINARY, hello))
        item = await peer.frame()
        assert not isinstance(item, Ended)
        challenge = only(item[1])
        proving = Proving.of(TOKEN, challenge.salt, challenge.iterations, transcript(hello, item[1]))
        proof = handshake_frame(m.Proof(proving.proof))
        await peer.send(frame(BINARY, proof))
        assert await answer_of(peer) == "welcome"
    return await scene.first(hello, proof, guarded=True)


@row(63, "a version that nobody speaks", "version versions, close 4015")
async def _(scene: Scene) -> str:
    return await scene.first(handshake_frame(attrs.evolve(HELLO, versions=[99])))


@row(64, "an older life comes back", "snapshot")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        return (await program.hello(life="an-older-life")).resumed


@row(65, "a life word of its own making", "snapshot")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        return (await program.hello(life="9" * 64)).resumed


@row(66, "an unknown epoch", "snapshot")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        return (await program.hello(epoch="yesterday")).resumed


@row(67, "frames remembered that were never sent", "snapshot, memory_lost")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        welcome = await program.hello(last_seq=1000)
        return f"{welcome.resumed}, {scene.house.office.alarms[-1].code}"


payload(68, "an acknowledgement of what was never sent", "malformed ack, close 4000", build_frame(0, 1000, []))


@row(69, "an acknowledgement that goes back", "goes on")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        await program.quiet()
        await program.send(build_frame(0, 1, []))
        await program.send(build_frame(0, 0, []))
        await program.quiet()
        return "goes on"


@row(70, "a numbered frame twice", "one answer")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        subscribe = build_frame(1, 0, [encode_message(m.Subscribe("bystander", 5))])
        await program.send(subscribe)
        await program.send(subscribe)
        assert program.raw is not None
        answers: list[Any] = []
        while not answers:
            item = await program.raw.frame()
            assert not isinstance(item, Ended)
            answers += messages_in_binary(item)
        return "one answer" if len(answers) == 1 and await ending(program.raw) == "goes on" else repr(answers)


def messages_in_binary(item: tuple[int, bytes]) -> list[Any]:
    return messages_in(item[1]) if item[0] == BINARY else []


payload(71, "a numbered frame too far ahead", "gap seq, close 4010", build_frame(2, 0, []))
payload(72, "a number below zero, and none", "malformed seq, close 4000", packed([-1, 0, []]), packed(["1", 0, []]))


@row(73, "more frames than may wait for the disk", "too_many_unacknowledged seq, close 4014")
async def _(scene: Scene) -> str:
    async with scene.program() as program:
        assert program.raw is not None
        with scene.slow_disk():
            # Nothing behind a record that waits for the disk is acknowledged.
            await scene.lobby.say(m.OpenMatch("waits", "one", ref=scene.lobby.ref()))
            await scene.house.until(lambda: "waits" in scene.house.office.desks)
            frames = [frame(BINARY, build_frame(number, 0, [])) for number in range(1, 1026)]
            await program.raw.send(b"".join(frames))
            return await answer_of(program.raw)


@row(74, "silence", "close 4008")
async def _(scene: Scene) -> str:
    async with opened(scene.hasty_port) as peer:
        return await answer_of(peer)


# --- results --------------------------------------------------------------------------------------------------------


@row(75, "reports of another server's table", "stale_epoch epoch / stale_epoch epoch / trespass table_id, close 4003")
async def _(scene: Scene) -> str:
    async with scene.program("table", name="forger") as forger:
        other = scene.bystander
        found = []
        for ref in (1, 2):
            await forger.say(report(other.seat, other.start, 0, 0, 0, ref=ref))
            found.append(word(await forger.answer(ref)))
        await forger.say(report(other.seat, other.start, 0, 0, 0, ref=3))
        assert forger.raw is not None
        found.append(await answer_of(forger.raw))
        return " / ".join(found)


@row(76, "unknown match, unknown table, another hand", "unknown_match match_id / invalid table_id / invalid hand_no")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        found = [
            await table.verdict(match_id="nowhere"),
            await table.verdict(table_id=99),
            await table.verdict(hand_no=7),
        ]
        return " / ".join(found)


@row(77, "an old attempt", "stale_attempt attempt_no")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        server = table.server
        await server.restart("life-2")
        table.start = await server.next(m.StartHand)
        table.seat = attrs.evolve(table.seat, epoch=table.start.epoch)
        return await table.verdict(attempt_no=1)


@row(78, "the same result twice", "scored / duplicate")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        return f"{await table.verdict()} / {await table.verdict()}"


@row(79, "another result for a hand that counts", "scored / conflict")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        return f"{await table.verdict()} / {await table.verdict(4, 0, -4)}"


@row(80, "scores that do not sum to zero", "invalid scores")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        return await table.verdict(2, 0, -1)


@row(81, "too few players, and one who does not sit there", "invalid scores / invalid scores")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        few = await table.verdict(scores={"p1": 0, "p2": 0})
        return f"{few} / {await table.verdict(scores={'p1': 0, 'p2': 0, 'p9': 0})}"


@row(82, "a score beyond what can be added", "invalid scores")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        return await table.verdict(m.INT53, 0, -m.INT53)


@row(83, "a result for a match that is over", "late table_id")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        assert await table.verdict() == "scored"
        await scene.house.until(lambda: scene.house.desk(f"row-{scene.number}").state.status == "over")
        return await table.verdict(hand_no=2)


@row(84, "a result before its order was acknowledged", "scored")
async def _(scene: Scene) -> str:
    async with scene.table() as table:
        told = report(table.seat, table.start, ref=900)
        table.server.session.settled = 0
        await table.server.say(told)
        return word(await table.server.answer(900))


# --- operators and dashboard ----------------------------------------------------------------------------------------


def http(line: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [line, "Host: 127.0.0.1", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@row(
    85, "a change without a bearer, with a wrong one, by a role that may not", "http 401 / http 401 / not_allowed type"
)
async def _(scene: Scene) -> str:
    none, _ = await scene.http(http("POST /api/v1/matches HTTP/1.1", "Content-Length: 0"))
    wrong, _ = await scene.http(
        http("POST /api/v1/matches HTTP/1.1", "Content-Length: 0", "Authorization: Bearer director:guess")
    )
    async with scene.program("spectator") as program:
        role = word(await program.ask(m.StartMatch("bystander", ref=1)))
    return f"{none} / {wrong} / {role}"


@row(86, "the same request again", "the same answer")
async def _(scene: Scene) -> str:
    asked = m.OpenMatch(f"twice-{scene.number}", "one", ref=1)
    first, again = await scene.lobby.ask(asked), await scene.lobby.ask(asked)
    return "the same answer" if attrs.evolve(first, ref=0) == attrs.evolve(again, ref=0) else repr(again)


@row(87, "the same request with other words", "match_exists match_id")
async def _(scene: Scene) -> str:
    await scene.lobby.ask(m.OpenMatch(f"other-{scene.number}", "one", ref=1))
    return word(await scene.lobby.ask(m.OpenMatch(f"other-{scene.number}", "three", ref=1)))


@row(88, "paths that climb", "http 404")
async def _(scene: Scene) -> str:
    found = set()
    for path in (
        "/static/../app.py",
        "/static/%2e%2e%2fapp.py",
        "/docs/..%2f..%2fetc",
        "/matches/%2e%2e",
        "/servers/..%00",
    ):
        status, got = await scene.http(http(f"GET {path} HTTP/1.1"))
        assert b"import" not in got
        found.add(status)
    return " / ".join(sorted(found))


@row(89, "a script as a name", "shown as text")
async def _(scene: Scene) -> str:
    await scene.lobby.ask(m.OpenMatch("script", "three", ref=1))
    await scene.lobby.ask(m.Register("script", "p1", "<script>alert(1)</script>", ref=1))
    _, got = await scene.http(http("GET /matches/script HTTP/1.1", "Accept: text/html"))
    return "shown as text" if b"&lt;script&gt;alert" in got and b"<script>alert" not in got else repr(got[-800:])


@row(90, "line ends in a name", "name_refused name")
async def _(scene: Scene) -> str:
    return await scene.message(register(packed("a\r\nSet-Cookie: x")), "lobby")


@row(91, "a change asked for by another site's page", "http 403")
async def _(scene: Scene) -> str:
    status, _ = await scene.http(
        http(
            "POST /api/v1/matches HTTP/1.1",
            "Origin: http://evil.example",
            "Authorization: Bearer director:right",
            "Content-Length: 0",
        )
    )
    return status


@row(92, "a body of 10 MB", "http 413")
async def _(scene: Scene) -> str:
    status, _ = await scene.http(
        http("POST /api/v1/matches HTTP/1.1", "Content-Length: 10000000", "Authorization: Bearer director:right")
    )
    return status


@row(93, "a formula as a name, in a spreadsheet", "quoted")
async def _(scene: Scene) -> str:
    await scene.lobby.ask(m.OpenMatch("formula", "three", ref=1))
    await scene.lobby.ask(m.Register("formula", "p1", '=cmd|" /C calc"!A0', ref=1))
    _, got = await scene.http(http("GET /matches/formula/standings.csv HTTP/1.1"))
    return "quoted" if b"'=cmd" in got and b",=cmd" not in got and b',"=cmd' not in got else repr(got[-300:])


async def play(scene: Scene, each: Row) -> str | None:
    """Play one row; what was wrong with it, in a sentence, or None."""
    scene.number = each.number
    records = scene.house.desk("bystander").chain.seq
    with trio.move_on_after(PATIENCE_S) as patience:
        try:
            got = await each.attack(scene)
        except (AssertionError, Closed) as error:
            got = f"{type(error).__name__}: {error}"
        await scene.check_bystander()
    if patience.cancelled_caught:
        return f"row {each.number}, {each.what}: no answer came"
    if got not in each.answers:
        return f"row {each.number}, {each.what}: {got!r} instead of {' or '.join(map(repr, each.answers))}"
    if scene.house.desk("bystander").chain.seq != records:
        return f"row {each.number}, {each.what}: the bystander's match was changed"
    return None
