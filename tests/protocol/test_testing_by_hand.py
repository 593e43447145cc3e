"""A peer made of other people's parts: trio-websocket and msgpack, no line of ours, plays a hand.

It shows what an author in another language has to write, and that the bytes are what the manual says.
"""

from contextlib import asynccontextmanager

import msgpack
import pytest
import trio
import trio_websocket

from protocol.messages import HandEnded, Verdict
from protocol.testing import open_fake_coordinator
from tests.protocol.client.playing import DEAL, seat, start


@asynccontextmanager
async def socket_to(url: str):
    """A WebSocket of the other library. The TCP socket is ours: its client leaves it open when the server closes."""
    host, port = url.removeprefix("ws://").split(":")
    async with await trio.open_tcp_stream(host, int(port)) as stream, trio.open_nursery() as nursery:
        socket = await trio_websocket.wrap_client_stream(
            nursery, stream, f"{host}:{port}", "/", subprotocols=["coordinator.msgpack.v1"]
        )
        async with socket:
            yield socket


async def test_a_handshake_and_a_hand():
    with trio.fail_after(10):
        async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
            url = await nursery.start(coordinator.serve)
            async with socket_to(url) as socket:

                async def send(seq, ack, *messages):
                    await socket.send_message(msgpack.packb([seq, ack, list(messages)]))

                async def receive():
                    return msgpack.unpackb(await socket.get_message())

                await send(0, 0, {"type": "hello", "identity": "hand-made", "roles": ["table"], "life": "a1"})
                seq, ack, (welcome,) = await receive()
                assert (seq, ack) == (0, 0)
                assert (welcome["type"], welcome["resumed"], welcome["version"]) == ("welcome", "new", 1)

                peer = await coordinator.peer("hand-made")
                peer.push(seat(), start(log=[1]))
                seq, ack, (seat_, start_) = await receive()
                assert (seq, ack) == (1, 0)
                assert [player["player_id"] for player in seat_["seats"]] == ["ann", "bob"]
                assert (start_["deal"], start_["log"], start_["base_score"]) == (DEAL, [1], 100)

                names = ("match_id", "table_id", "epoch", "hand_no", "attempt_no")
                hand = {name: start_[name] for name in names}
                ended = {**hand, "type": "hand_ended", "scores": {"ann": 5, "bob": -5}, "ref": 1}
                await send(1, 1, {**hand, "type": "hand_started"}, ended)
                report = await peer.next(HandEnded)
                assert report.scores == {"ann": 5, "bob": -5}
                assert peer.session.unacknowledged == 0
                seq, ack, messages = await receive()
                assert (seq, ack, messages) == (0, 1, []), "an acknowledgement travels alone"

                peer.push(Verdict(report.ref, "m-1", 7, 1, 1, "scored"))
                seq, ack, (verdict,) = await receive()
                assert (seq, verdict["verdict"], verdict["ref"]) == (2, "scored", 1)

                await send(2, 2, {**ended, "scores": {"ann": 1.5}, "ref": 2})
                seq, ack, (error,) = await receive()
                assert (seq, ack, error["type"]) == (3, 2, "error")
                assert (error["code"], error["field"], error["ref"]) == ("malformed", "scores[...]", 2)

                await send(9, 3)
                seq, ack, (error,) = await receive()
                assert (seq, error["code"]) == (0, "gap")
                with pytest.raises(trio_websocket.ConnectionClosed) as closed:
                    await socket.get_message()
                assert closed.value.reason is not None
                assert closed.value.reason.code == 4010
            nursery.cancel_scope.cancel()


async def test_a_peer_that_comes_back_resumes():
    hello = {"type": "hello", "identity": "hand-made", "roles": ["table"], "life": "a1"}
    with trio.fail_after(10):
        async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
            url = await nursery.start(coordinator.serve)
            async with socket_to(url) as socket:
                await socket.send_message(msgpack.packb([0, 0, [hello]]))
                _, _, (welcome,) = msgpack.unpackb(await socket.get_message())
            peer = await coordinator.peer("hand-made")
            await peer.until(lambda: not peer.connected)
            peer.push(seat())
            back = {**hello, "session": welcome["session"], "epoch": welcome["epoch"], "last_seq": 0}
            async with socket_to(url) as socket:
                await socket.send_message(msgpack.packb([0, 0, [back]]))
                _, _, (again,) = msgpack.unpackb(await socket.get_message())
                assert (again["resumed"], again["session"]) == ("gap", welcome["session"])
                seq, _, (seat_,) = msgpack.unpackb(await socket.get_message())
                assert (seq, seat_["type"]) == (1, "seat")
            nursery.cancel_scope.cancel()
