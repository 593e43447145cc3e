"""The director's SDK: what is said again is said in the same words, so that it counts once."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import Director, Lobby, RequestRefused
from protocol.messages import Error, Message, Ok, Ruling
from protocol.testing import open_fake_coordinator


def accept(peer: Any, message: Message) -> Any:
    if isinstance(message, Ruling):
        if message.match_id == "m-0":
            yield Error("match_over", "the match is over", ref=message.ref, field="match_id")
        else:
            yield Ok(message.ref)


async def test_every_word_is_a_ruling_with_the_fields_of_its_kind(autojump_clock: Any) -> None:
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = accept
        director = Director("", "ada", dial=coordinator.dial)
        await nursery.start(director.run)
        await director.penalty("m-1", "p3", -10, reason="late", key="k")
        await director.disqualify("m-1", "p3", key="out")
        await director.reinstate("m-1", "p3", key="in")
        await director.correct("m-1", 7, 2, {"p1": 4, "p2": -4}, key="two")
        await director.reseat("m-1", key="anew")
        await director.rule("m-1", "place", team="t1", rank=3, key="up")
        peer = await coordinator.peer("ada")
        assert [attributes(message) for message in peer.received] == [
            {"kind": "penalty", "player_id": "p3", "points": -10, "key": "k", "reason": "late"},
            {"kind": "disqualify", "player_id": "p3", "key": "out"},
            {"kind": "reinstate", "player_id": "p3", "key": "in"},
            {"kind": "correct", "table_id": 7, "hand_no": 2, "scores": {"p1": 4, "p2": -4}, "key": "two"},
            {"kind": "reseat", "key": "anew"},
            {"kind": "place", "team": "t1", "rank": 3, "key": "up"},
        ]
        nursery.cancel_scope.cancel()


def attributes(message: Any) -> dict[str, Any]:
    """What a ruling says beside its match and number."""
    told = {name: getattr(message, name) for name in message.__slots__ if not name.startswith("__")}
    return {name: value for name, value in told.items() if value and name not in ("match_id", "ref", "type")}


async def test_a_penalty_without_an_answer_is_asked_again_under_its_own_key(autojump_clock: Any) -> None:
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        director = Director("", "ada", dial=coordinator.dial)
        await nursery.start(director.run)
        nursery.start_soon(director.penalty, "m-1", "p3", -10)
        first = await (await coordinator.peer("ada")).next(Ruling)
        await wait_all_tasks_blocked()
        coordinator.reply = accept
        await coordinator.restart()
        again = await (await coordinator.peer("ada")).next(Ruling)
        assert again == first
        assert first.key
        await director.penalty("m-1", "p3", -10)
        other = await (await coordinator.peer("ada")).next(Ruling)
        assert other.key != first.key, "another penalty is another one"
        nursery.cancel_scope.cancel()


async def test_a_refusal_is_raised_with_its_code(autojump_clock: Any) -> None:
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        coordinator.reply = accept
        lobby = Lobby("", "north", dial=coordinator.dial, director=True)
        await nursery.start(lobby.run)
        with pytest.raises(RequestRefused, match="match_over") as caught:
            await lobby.reseat("m-0")
        assert caught.value.field == "match_id"
        nursery.cancel_scope.cancel()
