"""Cases from real life about what directors decide: it stands whatever else changes, and leaves nothing behind."""

import csv
from typing import Any

import attrs

from coordinator.engine.definition import Grouping
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.web.standings_csv import standings_csv
from protocol import messages as m
from tests.cases.table_servers import orders
from tests.engine.stages import KNOCKOUT, SWISS, match_of
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, enter, open_match

TWO_TABLES = match_of(
    attrs.evolve(SWISS, table_size=4, bouts=1, grouping=Grouping(kind="random")), players=8, zero_sum=True
)
DUELS = match_of(attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done"), players=4, zero_sum=True)
DEFINITIONS = {"two tables": TWO_TABLES, "duels": DUELS}


def exported(house: Premises) -> dict[str, dict[str, str]]:
    """The standings as a spreadsheet has them, by player."""
    match = house.picture.match("m")
    assert match is not None
    return {row["player_id"]: row for row in csv.DictReader(standings_csv(match["standings"]).splitlines())}


def told(lobby: Program, kind: type, /, **words: Any) -> list[Any]:
    """The notices of a kind that say this."""
    found = [message for message in lobby.heard if isinstance(message, kind)]
    return [each for each in found if all(getattr(each, name) == value for name, value in words.items())]


async def test_case_055_a_penalty_stands_whatever_becomes_of_the_seating(mock_clock: Any) -> None:
    """Entered before the start or at a prepared table, it points at the player and at no table."""
    async with premises(DEFINITIONS) as house:
        lobby, director = await house.lobby(), await house.director()
        await lobby.ask(m.OpenMatch("m", "two tables", ref=1, seed="7"))
        await enter(lobby, "m", ["p1", "p2", "p3"])
        early = m.Ruling("m", "penalty", ref=1, player_id="p3", points=-4, key="early")
        assert (await director.ask(early)).type == "ok"
        await enter(lobby, "m", ["p4", "p5", "p6", "p7", "p8"])
        at_table = m.Ruling("m", "penalty", ref=1, player_id="p3", points=-6, key="at the table", reason="late")
        assert (await director.ask(at_table)).type == "ok"
        await lobby.quiet()
        before = told(lobby, m.Seated)
        assert len(before) == 2
        assert exported(house)["p3"]["score"] == "-10"

        assert (await director.ask(m.Ruling("m", "reseat", ref=1, key="once more"))).type == "ok"
        await lobby.quiet()
        after = told(lobby, m.Seated)[2:]
        assert sorted(player for each in after for player in each.players) == sorted(exported(house))
        assert [len(each.players) for each in after] == [4, 4], "nobody is left without a table"
        assert {each.table_id for each in after}.isdisjoint(each.table_id for each in before)
        assert {frozenset(each.players) for each in after} != {frozenset(each.players) for each in before}
        assert (exported(house)["p3"]["rank"], exported(house)["p3"]["score"]) == ("8", "-10")
        assert [each.points for each in told(lobby, m.Ruled, kind="penalty", player_id="p3")] == [-4, -6]

        server = await house.table_server()
        for order in (await orders(server)).values():
            assert (await server.ask(order.ended(dict.fromkeys(order.players, 0)))).verdict == "scored"
        await lobby.quiet()
        [over] = told(lobby, m.MatchOver)
        assert [(row.player_id, row.score) for row in over.places][-1] == ("p3", -10)


async def test_case_061_a_disqualification_that_was_a_mistake_leaves_nothing_behind(mock_clock: Any) -> None:
    """B is an ordinary loser in standings, export and pushed messages."""
    store = MemoryStore()
    async with premises(DEFINITIONS, store=store) as house:
        server, lobby, director = await house.table_server(), await house.lobby(), await house.director()
        await open_match(lobby, "m", "duels", 4)
        first, second = (await orders(server)).values()
        a, b = first.players
        wrong = m.Ruling("m", "disqualify", ref=1, player_id=b, reason="mistaken for another")
        assert (await director.ask(wrong)).type == "ok"
        assert exported(house)[b]["state"] == "disqualified"
        await lobby.quiet()
        assert [each.place for each in told(lobby, m.Eliminated, player_id=b)] == [None]
        assert len(told(lobby, m.Ruled, kind="disqualify", player_id=b)) == 1

        assert (await director.ask(m.Ruling("m", "reinstate", ref=1, player_id=b))).type == "ok"
        start, ordinary = first.start, {a: 3, b: -3}
        correction = m.Ruling(
            "m", "correct", ref=1, table_id=start.table_id, hand_no=start.hand_no, scores=ordinary, reason="A won"
        )
        assert (await director.ask(correction)).type == "ok"
        rows = exported(house)
        assert (rows[a]["state"], rows[a]["score"]) == ("waiting", "3")
        assert (rows[b]["state"], rows[b]["score"]) == ("out", "-3")
        state = house.desk("m").state
        assert state.disqualified == {}
        assert (state.entrants[b].state, state.entrants[b].place) == ("out", None), "out by the place at the table"

        assert (await server.ask(second.ended())).verdict == "scored"
        await lobby.quiet()
        out = [each.place for each in told(lobby, m.Eliminated, player_id=b)]
        assert out == [None, None, 4], (
            "disqualified, then out by the place at the table, which the bout's end makes final"
        )
        [_, _, final] = (await orders(server)).values()
        assert a in final.players
        assert b not in final.players
        await server.ask(final.ended())
        await lobby.quiet()
        [over] = told(lobby, m.MatchOver)
        [row] = [row for row in over.places if row.player_id == b]
        assert (row.place, row.score, row.out_in, row.disqualified) == (4, -3, "knockout", False)
        assert {row["state"] for row in exported(house).values()} == {"done", "out"}
        fresh = await house.lobby("a-new-lobby")
        await fresh.quiet()
        assert told(fresh, m.Ruled) == []
        [again] = told(fresh, m.MatchOver)
        assert again.places == over.places
        report = replay(store, "m", check=True)
    assert report.same_decisions
    assert report.same_effects
