"""A match by the clock as programs meet it: boards on the wire, who comes and goes, averages for those who watch."""

import attrs

from coordinator.engine.definition import Clock, Duplicate
from protocol import messages as m
from protocol.codec import Direction, decode_message
from tests.engine.stages import CLOCKED, match_of
from tests.shell.premises import premises
from tests.shell.programs import open_match, report

BOUTS = attrs.evolve(
    CLOCKED,
    table_size=2,
    bouts=2,
    clock=Clock(bout_ms=2000, grace_ms=500),
    duplicate=Duplicate(required_boards=1),
)
DEFINITIONS = {"boards": match_of(BOUTS, players=4)}


async def seated(house):
    """Two tables of two at one server, each with its first board."""
    server, lobby = await house.table_server(), await house.lobby()
    await open_match(lobby, "swiss", "boards", 4)
    seats = [await server.next(m.Seat) for _ in range(2)]
    starts = [await server.next(m.StartHand) for _ in range(2)]
    return server, lobby, seats, starts


def shown(house):
    """The match as the page shows it."""
    found = house.picture.match("swiss")
    assert found is not None
    return found


async def test_every_table_is_told_the_same_board(mock_clock):
    async with premises(DEFINITIONS) as house:
        _, _, seats, starts = await seated(house)
        assert [start.board_no for start in starts] == [1, 1]
        assert starts[0].deal == starts[1].deal
        assert seats[0].table_id != seats[1].table_id


async def test_a_player_comes_in_late_over_the_wire_and_leaves_again(mock_clock):
    async with premises(DEFINITIONS) as house:
        _, lobby, _, _ = await seated(house)
        entered = await lobby.ask(m.Register("swiss", "late", "Late", ref=1))
        assert entered.reg_seq == 5
        waits = [said for said in lobby.heard if isinstance(said, m.Waiting)]
        assert waits[-1] == m.Waiting("swiss", "boards", ["late"], "next_bout")
        assert isinstance(await lobby.ask(m.Withdraw("swiss", "late", ref=1)), m.Ok)
        state = house.desk("swiss").state
        assert state.entrants["late"].state == "left"
        assert isinstance(await lobby.ask(m.Withdraw("swiss", "p1", ref=1)), m.Ok)
        assert state.entrants["p1"].leaving


async def test_the_clock_runs_the_match_to_its_end(mock_clock):
    async with premises(DEFINITIONS) as house:
        server, lobby, seats, starts = await seated(house)
        verdict = await server.ask(report(seats[0], starts[0]))
        assert verdict.verdict == "scored"
        seen = shown(house)
        assert seen["clock"]["label"] == "bout ends"
        await house.pass_time(mock_clock, 2)
        assert shown(house)["clock"]["label"] == "boards are cut"
        await house.pass_time(mock_clock, 0.5)
        late = await server.ask(report(seats[1], starts[1]))
        assert late.verdict == "late"
        told = shown(house)
        assert told["bout_no"] == 2
        assert "unfinished boards are void at table 2" in [line["text"] for line in told["events"]]
        await house.pass_time(mock_clock, 2)
        await house.pass_time(mock_clock, 0.5)
        over = await lobby.next(m.MatchOver)
        assert {row.points for row in over.places} == {"no result"}


async def test_averages_are_shown_and_marked_until_they_are_certain(mock_clock):
    async with premises(DEFINITIONS) as house:
        server, lobby, seats, starts = await seated(house)
        await lobby.ask(m.Withdraw("swiss", "p4", ref=1))
        for seat, start, won in zip(seats, starts, (40, 10), strict=True):
            await server.ask(report(seat, start, won, -won))
        rows = {row["player_id"]: row["points"] for row in shown(house)["standings"]}
        assert rows == {
            f"p{n}": f"{p} provisional" for n, p in ((1, "13.00"), (2, "-13.00"), (3, "-13.00"), (4, "13.00"))
        }
        await house.pass_time(mock_clock, 2)
        seen = shown(house)
        assert [(row["player_id"], row["points"], row["state"]) for row in seen["standings"]] == [
            ("p1", "13.00", "playing"),
            ("p4", "13.00", "left"),
            ("p2", "-13.00", "bye" if seen["byes"] == ["p2"] else "playing"),
            ("p3", "-13.00", "bye" if seen["byes"] == ["p3"] else "playing"),
        ]
        await house.pass_time(mock_clock, 2)
        await house.pass_time(mock_clock, 0.5)
        over = await lobby.next(m.MatchOver)
        assert [(row.player_id, row.points) for row in over.places] == [
            ("p1", "13.00"),
            ("p4", "13.00"),
            ("p2", "-13.00"),
            ("p3", "-13.00"),
        ]


async def test_a_returning_lobby_hears_who_waits_for_the_next_bout(mock_clock):
    async with premises(DEFINITIONS) as house:
        _, lobby, _, _ = await seated(house)
        await lobby.ask(m.Register("swiss", "late", "Late", ref=1))
        told = [decode_message(one, Direction.FROM_COORDINATOR) for one in house.office.matches_as_told()]
        assert m.Waiting("swiss", "boards", ["late"], "next_bout") in told
