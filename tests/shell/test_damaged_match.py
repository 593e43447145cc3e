"""One damaged match is set aside; all others are served, and the operator hears of it wherever he looks."""

import pytest

from coordinator.engine import RULES_VERSION
from coordinator.errors import JournalDamaged, JournalNewer
from coordinator.journal.records import Chain, running_hash
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.journal.small_match import played, write
from tests.shell.premises import GAME, premises
from tests.shell.programs import report

WITH_A_TABLE = played(9)[:-3]
ALTERED = "UPDATE records SET body = zeroblob(10) WHERE match_id = 'bad' AND seq = 3"


@pytest.fixture
def store():
    store = MemoryStore()
    write(store, "m", steps=WITH_A_TABLE)
    write(store, "bad", steps=WITH_A_TABLE)
    return store


def damage(store: MemoryStore, statement: str = ALTERED) -> None:
    store._connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (ALTERED, "Match 'bad', record 3"),
        ("DELETE FROM records WHERE match_id = 'bad' AND seq = 1", "Match 'bad', record 1"),
        (f"DELETE FROM records WHERE match_id = 'bad' AND seq = {len(WITH_A_TABLE)}", "Match 'bad'"),
        ("DELETE FROM heads WHERE match_id = 'bad'", "Match 'bad'"),
        ("DELETE FROM matches WHERE match_id = 'bad'", "Match 'bad', record 1"),
    ],
)
async def test_the_others_are_served_and_the_operator_is_told(store, statement, place):
    damage(store, statement)
    async with premises(store=store) as house:
        assert list(house.office.desks) == ["m"]
        status = house.picture.status()
        assert status["ready"] is True
        [check] = [check for check in status["checks"] if check["name"] == "damage"]
        assert check["ok"] is False
        assert place in check["detail"]
        [alarm] = house.picture.alarms()
        assert (alarm["match_id"], alarm["code"]) == ("bad", "match_damaged")
        assert place in alarm["message"]
        assert house.picture.metrics()["matches_damaged"] == 1
        assert house.picture.match("bad") is None


async def test_nothing_is_decided_about_a_match_that_is_set_aside(store):
    damage(store)
    before = list(store.read("bad"))
    async with premises(store=store) as house:
        server, lobby = await house.table_server(), await house.lobby()
        asked = [
            (server, m.HandEnded("bad", 1, 1, 1, 1, {"p1": 1, "p2": 0, "p3": -1}, ref=0)),
            (lobby, m.OpenMatch("bad", "one", ref=0)),
            (lobby, m.Register("bad", "p1", "Ann", ref=0)),
        ]
        for program, request in asked:
            refused = await program.ask(request)
            assert isinstance(refused, m.Error), refused
            assert (refused.code, refused.field) == ("internal", "match_id")
            assert "an operator must mend it" in refused.message
    assert list(store.read("bad")) == before


async def test_the_good_match_plays_on(store):
    damage(store)
    async with premises(store=store) as house:
        server = house.program("ts", "table", games=[GAME], capacity=8, life="another-life")
        await server.hello()
        seat, hand = await server.next(m.Seat), await server.next(m.StartHand)
        assert (seat.match_id, hand.match_id) == ("m", "m")
        verdict = await server.ask(report(seat, hand, 2, -1, -1))
        assert verdict.verdict == "scored"


async def test_a_strict_daemon_does_not_start(store):
    damage(store)
    with pytest.raises(JournalDamaged, match="Match 'bad', record 3"):
        async with premises(store=store, set_damaged_aside=False):
            pass


async def test_what_a_newer_version_wrote_is_never_set_aside(store):
    """To leave it out would be to go on with half of what was decided."""
    [first] = store._connection.execute("SELECT body FROM records WHERE match_id = 'bad' AND seq = 1").fetchone()
    newer = first.replace(b"\xa5rules" + bytes([RULES_VERSION]), b"\xa5rules\x7f", 1)
    assert newer != first
    store._connection.execute(
        "UPDATE records SET body = ?, hash = ? WHERE match_id = 'bad' AND seq = 1",
        (newer, running_hash(Chain.start("bad").hash, newer)),
    )
    with pytest.raises(JournalNewer, match="Record 1 of match 'bad'"):
        async with premises(store=store):
            pass


async def test_a_journal_that_is_damaged_as_a_whole_is_not_served(store):
    store._connection.execute("DROP TABLE heads")
    with pytest.raises(JournalDamaged, match="SQLite cannot read it"):
        async with premises(store=store):
            pass
