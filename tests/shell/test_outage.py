"""Table servers that go many at once, and those that are emptied."""

import attrs

from coordinator.engine.definition import BaseGrowth, GameState, Round
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.outage import Outage, OutageRule
from protocol import messages as m
from tests.engine.stages import SWISS, match_of
from tests.shell.premises import premises
from tests.shell.programs import open_match

GROWING = match_of(
    attrs.evolve(
        SWISS,
        round=Round(hands=3),
        initial_game_state=GameState(100),
        base_growth=BaseGrowth("arith", every_ms=7000, add=100),
    ),
    players=12,
)


async def four_tables(house, *servers: str):
    """Four tables spread over these servers."""
    there = [await house.table_server(name, capacity=8) for name in servers]
    lobby = await house.lobby()
    await open_match(lobby, "cup", "growing", 12)
    for server in there:
        await server.next(m.StartHand)
    return there, lobby


def homes(house) -> dict[int, str | None]:
    return {table_id: table.server_id for table_id, table in house.desk("cup").state.tables.items()}


def test_an_outage_is_more_than_the_share_at_two_servers_or_more():
    outage = Outage(OutageRule(share=0.5))
    assert not outage.gone("a", 6, 10), "one server is no outage, however much it holds"
    assert not outage.is_over(10)
    assert outage.gone("b", 1, 10)
    assert not outage.gone("c", 1, 10), "it has begun already"
    outage.back("a")
    assert outage.is_over(10)
    assert outage.servers == ["b", "c"]


def test_a_server_that_goes_twice_counts_once():
    outage = Outage(OutageRule(share=0.5))
    outage.gone("a", 3, 10)
    assert not outage.gone("a", 3, 10)
    assert not outage.gone("b", 2, 10)
    assert outage.gone("c", 1, 10)


def test_a_server_without_tables_takes_part_in_no_outage():
    outage = Outage(OutageRule(share=0.5))
    assert not outage.gone("spare", 0, 10)
    assert not outage.gone("a", 10, 10), "all that is lost was at one server"
    assert outage.servers == ["a"]
    assert outage.gone("b", 1, 11)


async def test_when_many_servers_go_at_once_clocks_stand_still_and_nothing_moves(mock_clock):
    store = MemoryStore()
    async with premises({"growing": GROWING}, store=store) as house:
        (one, two, three), lobby = await four_tables(house, "ts-1", "ts-2", "ts-3")
        before = homes(house)
        for server in (one, two):
            await server.cut()
            await house.gone(server.identity)
        paused = await lobby.next(m.MatchPaused)
        assert paused.reason == "2 table servers were lost at once"
        await house.pass_time(mock_clock, 8)
        assert homes(house) == before, "no grace runs out"
        assert house.desk("cup").state.current.base_score == 100, "no tick comes"
        for program in (one, two):
            await program.hello()
        await lobby.next(m.MatchResumed)
        for program in (three, lobby):
            await program.quiet()
        await house.pass_time(mock_clock, 6)
        assert house.desk("cup").state.current.base_score == 100, "the time of the outage was not counted"
        await house.pass_time(mock_clock, 2)
        assert house.desk("cup").state.current.base_score == 200
        assert homes(house) == before
    assert replay(store, "cup", check=True).same_decisions


async def test_an_outage_that_lasts_moves_the_tables_after_all(mock_clock):
    async with premises({"growing": GROWING}, outage=OutageRule(at_most_s=6)) as house:
        (one, two, three), lobby = await four_tables(house, "ts-1", "ts-2", "ts-3")
        for server in (one, two):
            await server.cut()
            await house.gone(server.identity)
        await lobby.next(m.MatchPaused)
        await house.pass_time(mock_clock, 6.1)
        await lobby.next(m.MatchResumed)
        for program in (three, lobby):
            await program.quiet()
        await house.pass_time(mock_clock, 5.1)
        assert set(homes(house).values()) == {"ts-3"}
        assert "the clock goes on" in house.lines("cup")


async def test_a_daemon_that_starts_again_lets_clocks_go_on(mock_clock):
    store = MemoryStore()
    async with premises({"growing": GROWING}, store=store) as house:
        (one, two, _), lobby = await four_tables(house, "ts-1", "ts-2", "ts-3")
        for server in (one, two):
            await server.cut()
            await house.gone(server.identity)
        await lobby.next(m.MatchPaused)
        await house.office.writer.drain()
    async with premises({"growing": GROWING}, store=store) as house:
        assert house.desk("cup").state.paused is None


async def test_tables_of_a_draining_server_move_between_hands_as_far_as_others_have_room(mock_clock):
    async with premises({"growing": GROWING}) as house:
        first = await house.table_server("ts-1", capacity=8)
        lobby = await house.lobby()
        await open_match(lobby, "cup", "growing", 12)
        await first.next(m.StartHand)
        await house.table_server("ts-2", capacity=1)
        await first.ask(m.Capacity(8, drain=True, ref=50))
        desk = house.desk("cup")
        assert [n for n, table in desk.state.tables.items() if table.released] == [1]
        assert set(homes(house).values()) == {"ts-1"}, "hands are in play"
        table = desk.state.tables[1]
        verdict = await first.ask(
            m.HandEnded("cup", 1, 1, 1, 1, dict.fromkeys(table.seats, 0), ref=51),
        )
        assert verdict.verdict == "scored"
        await house.until(lambda: homes(house)[1] == "ts-2")
        assert desk.state.tables[1].attempt_no == 1, "no hand was interrupted"
        assert [homes(house)[n] for n in (2, 3, 4)] == ["ts-1"] * 3


async def test_a_table_that_was_let_go_moves_though_the_coordinator_dies_before_its_hand_ends(mock_clock):
    store = MemoryStore()
    async with premises({"growing": GROWING}, store=store) as house:
        first = await house.table_server("ts-1", capacity=8)
        await open_match(await house.lobby(), "cup", "growing", 12)
        second = await house.table_server("ts-2", capacity=1)
        await first.ask(m.Capacity(8, drain=True, ref=50))
        assert [n for n, table in house.desk("cup").state.tables.items() if table.released] == [1]
        await house.office.writer.drain()
    async with premises({"growing": GROWING}, store=store) as house:
        for server in (second, first):
            house.programs.append(server)
            server._port, server._read = house.port, len(server.heard)
            assert (await server.hello()).resumed == "snapshot"
        # A program that empties itself says so again in every new session, as the SDK does.
        await first.ask(m.Capacity(8, drain=True, ref=51))
        table = house.desk("cup").state.tables[1]
        verdict = await first.ask(m.HandEnded("cup", 1, 1, 1, 1, dict.fromkeys(table.seats, 0), ref=52))
        assert verdict.verdict == "scored"
        await house.until(lambda: homes(house)[1] == "ts-2")
        moved = house.desk("cup").state.tables[1]
        assert (moved.epoch, moved.hand_no, moved.attempt_no) == (2, 2, 1), "no hand was interrupted"
        assert [homes(house)[n] for n in (2, 3, 4)] == ["ts-1"] * 3
