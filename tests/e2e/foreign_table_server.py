"""A table server that shares no line with ours: trio_websocket, msgpack and the manual.

Says on standard output, a line of JSON each, what the coordinator told it. Plays one table: in the first hand it loses
its socket and resumes; of every hand it reports that seat 1 wins what the others lose.
"""

import json
import sys
from typing import Any

import msgpack
import trio
from trio_websocket import connect_websocket_url

ME = {
    "type": "hello",
    "identity": "foreign-1",
    "roles": ["table"],
    "life": "f00d",
    "versions": [1],
    "games": ["dou_dizhu"],
    "capacity": 1,
}


class Session:
    """The numbers of chapter "Frames"."""

    def __init__(self) -> None:
        self.sent = self.received = self.ref = 0
        self.kept: dict[int, bytes] = {}
        self.names: dict[str, object] = {}

    def frame(self, *messages: dict[str, object]) -> bytes:
        self.sent += 1
        self.kept[self.sent] = msgpack.packb([self.sent, self.received, messages])
        return self.kept[self.sent]


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)


def unpacked(payload: str | bytes) -> Any:
    assert isinstance(payload, bytes), "the protocol is binary"
    return msgpack.unpackb(payload)


async def greet(url: str, session: Session, nursery: trio.Nursery):
    socket = await connect_websocket_url(nursery, url, subprotocols=["coordinator.msgpack.v1"])
    await socket.send_message(msgpack.packb([0, 0, [ME | session.names]]))
    seq, ack, [welcome] = unpacked(await socket.get_message())
    assert (seq, ack, welcome["type"]) == (0, 0, "welcome"), welcome
    session.names = {"session": welcome["session"], "epoch": welcome["epoch"], "last_seq": 0}
    for number in sorted(session.kept):
        if number > welcome["ack"]:
            await socket.send_message(session.kept[number])
    tell(resumed=welcome["resumed"])
    return socket


async def main(url: str) -> None:
    session = Session()
    seats: list[str] = []
    lost = False
    async with trio.open_nursery() as nursery:
        socket = await greet(url, session, nursery)
        while True:
            seq, ack, messages = unpacked(await socket.get_message())
            if seq and seq <= session.received:
                continue
            session.received = max(session.received, seq)
            for number in [number for number in session.kept if number <= ack]:
                del session.kept[number]
            for message in messages:
                kind = message["type"]
                if kind == "seat":
                    seats = [seat["player_id"] for seat in message["seats"]]
                    tell(seat=message)
                elif kind == "start_hand":
                    tell(hand=message)
                    if not lost:
                        lost = True
                        await socket.send_message(msgpack.packb([0, session.received, []]))
                        await socket.aclose()
                        session.names["last_seq"] = session.received
                        socket = await greet(url, session, nursery)
                    named = {name: message[name] for name in ("match_id", "table_id", "epoch", "hand_no", "attempt_no")}
                    session.ref += 1
                    each = 2 * message["base_score"]
                    scores = dict.fromkeys(seats, -each) | {seats[0]: each * (len(seats) - 1)}
                    await socket.send_message(
                        session.frame(
                            {"type": "hand_started", **named},
                            {"type": "actions", **named, "first": 0, "actions": [3, "pass", "pass"]},
                            {"type": "hand_ended", **named, "scores": scores, "ref": session.ref, "mood": "good"},
                        )
                    )
                elif kind == "verdict":
                    tell(verdict=message)
                elif kind == "close_table":
                    await socket.send_message(msgpack.packb([0, session.received, [{"type": "bye", "code": "done"}]]))
                    await socket.aclose()
                    tell(left=True)
                    nursery.cancel_scope.cancel()
                    return


trio.run(main, sys.argv[1])
