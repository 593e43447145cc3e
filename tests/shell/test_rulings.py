"""A director's words over the wire: who may say them, what they must hold, and that each counts once."""

from typing import Any

import attrs
import msgpack
import pytest

from coordinator.engine.definition import Grouping
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.engine.ladder_play import ladder_match
from tests.engine.stages import SWISS, match_of
from tests.shell.premises import premises
from tests.shell.programs import open_match

PAIRS = match_of(attrs.evolve(SWISS, table_size=2, bouts=2, grouping=Grouping(kind="swiss")), players=4, zero_sum=True)
DEFINITIONS = {"pairs": PAIRS, "ladder": attrs.evolve(ladder_match(), id="ladder")}


async def test_only_a_director_rules(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server, lobby = await house.table_server(), await house.lobby()
        await open_match(lobby, "m", "pairs", 4)
        for program in (server, lobby):
            answer = await program.ask(m.Ruling("m", "disqualify", ref=1, player_id="p1"))
            assert (answer.code, answer.field) == ("not_allowed", "type")
        director = await house.director()
        for said in (m.StartMatch("m", ref=1), m.Register("m", "p9", "Nine", ref=1), m.Subscribe("m", ref=1)):
            answer = await director.ask(said)
            assert (answer.code, answer.field) == ("not_allowed", "type")
        assert (await director.ask(m.Ruling("m", "disqualify", ref=1, player_id="p1"))).type == "ok"


@pytest.mark.parametrize(
    ("kind", "words", "code", "field"),
    [
        ("penalty", {"player_id": "p1", "points": -1}, "malformed", "key"),
        ("penalty", {"player_id": "p1", "key": "k"}, "malformed", "points"),
        ("penalty", {"points": -1, "key": "k"}, "malformed", "player_id"),
        ("penalty", {"player_id": "nobody", "points": -1, "key": "k"}, "unknown_player", "player_id"),
        ("penalty", {"player_id": "p1", "points": 0, "key": "k"}, "score_range", "points"),
        ("disqualify", {}, "malformed", "player_id"),
        ("disqualify", {"player_id": "nobody"}, "unknown_player", "player_id"),
        ("reinstate", {}, "malformed", "player_id"),
        ("reinstate", {"player_id": "nobody"}, "unknown_player", "player_id"),
        ("correct", {"hand_no": 1, "scores": {"p1": 1, "p2": -1}}, "malformed", "table_id"),
        ("correct", {"table_id": 1, "scores": {"p1": 1, "p2": -1}}, "malformed", "hand_no"),
        ("correct", {"table_id": 1, "hand_no": 1}, "malformed", "scores"),
        ("correct", {"table_id": 9, "hand_no": 1, "scores": {"p1": 1}}, "unknown_table", "table_id"),
        ("correct", {"table_id": 1, "hand_no": 1, "scores": {"p1": 1, "p2": -1}}, "no_such_hand", "hand_no"),
        ("reseat", {}, "malformed", "key"),
        ("reseat", {"key": "k"}, "seating_in_play", "match_id"),
        ("outcome", {"challenge_no": 1}, "not_a_ladder", None),
    ],
)
async def test_what_cannot_be_is_refused_by_name(
    mock_clock: Any, kind: Any, words: dict[str, Any], code: str, field: str | None
) -> None:
    async with premises(DEFINITIONS) as house:
        await house.table_server()
        lobby, director = await house.lobby(), await house.director()
        await open_match(lobby, "m", "pairs", 4)
        before = house.desk("m").chain.seq
        answer = await director.ask(m.Ruling("m", kind, ref=1, **words))
        assert answer.code == code
        if field is not None:
            assert answer.field == field
            assert answer.expected or code.startswith("unknown_player")
        assert house.desk("m").chain.seq == before


async def test_no_such_match_and_no_such_word_there(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        lobby, director = await house.lobby(), await house.director()
        answer = await director.ask(m.Ruling("none", "reseat", ref=1, key="k"))
        assert (answer.code, answer.field) == ("unknown_match", "match_id")
        await lobby.ask(m.OpenMatch("lad", "ladder", ref=1))
        answer = await director.ask(m.Ruling("lad", "disqualify", ref=1, player_id="A"))
        assert (answer.code, answer.field) == ("is_a_ladder", "kind")


async def test_a_word_that_is_asked_again_in_another_session_counts_once(mock_clock: Any) -> None:
    store = MemoryStore()
    penalty = m.Ruling("m", "penalty", ref=1, player_id="p1", points=-5, key="late")
    async with premises(DEFINITIONS, store=store) as house:
        lobby, director = await house.lobby(), await house.director()
        await open_match(lobby, "m", "pairs", 4)
        assert (await director.ask(penalty)).type == "ok"
        await director.restart("another-life")
        assert (await director.ask(penalty)).type == "ok"
        assert house.desk("m").state.entrants["p1"].score == -5
    async with premises(DEFINITIONS, store=store) as house:
        director = await house.director()
        assert (await director.ask(penalty)).type == "ok"
        other = await director.ask(attrs.evolve(penalty, points=-6))
        assert (other.code, other.field) == ("key_used", "key")
        assert house.desk("m").state.entrants["p1"].score == -5


async def test_every_lobby_hears_what_was_ruled_and_the_page_tells_it(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server = await house.table_server()
        lobby, other, director = await house.lobby(), await house.lobby("other"), await house.director()
        await open_match(lobby, "m", "pairs", 4)
        assert (await director.ask(m.Ruling("m", "disqualify", ref=1, player_id="p2", reason="foul"))).type == "ok"
        for each in (lobby, other):
            await each.quiet()
            told = [message for message in each.heard if isinstance(message, m.Ruled)]
            assert told == [m.Ruled("m", "disqualify", "foul", "p2")]
        await server.quiet()
        assert [told.reason for told in server.heard if isinstance(told, m.CloseTable)] == ["round_over"]
        assert "p2 is disqualified: foul" in house.lines("m")
        later = await house.lobby("later")
        await later.quiet()
        assert [told.player_id for told in later.heard if isinstance(told, m.Ruled)] == ["p2"]
        match = house.picture.match("m")
        assert match is not None
        assert {line["player_id"]: line["state"] for line in match["standings"]}["p2"] == "disqualified"


async def test_an_older_peer_leaves_out_what_it_does_not_know(mock_clock: Any) -> None:
    """The words of a ladder as they were written before there were others."""
    async with premises(DEFINITIONS) as house:
        lobby, director = await house.lobby(), await house.director()
        await lobby.ask(m.OpenMatch("lad", "ladder", ref=1))
        ref = director.ref()
        await director.say_raw(msgpack.packb({"type": "ruling", "match_id": "lad", "kind": "close", "ref": ref}))
        assert (await director.answer(ref)).code == "not_started"
