"""Which table server gets which table, and the index of who holds what."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine import events
from coordinator.shell.connection import Connection
from coordinator.shell.limits import Limits
from coordinator.shell.peers import Peer
from coordinator.shell.placement import Holdings, place, why_no_tables
from protocol.messages import Role
from tests.shell.peers import Recorder, eventually, opened, running

ROLES: tuple[Role, ...] = ("table",)
GAMES = ("dou_dizhu",)


def server(
    name: str, capacity: int, conn: Connection | None, games: tuple[str, ...] = GAMES, draining: bool = False
) -> Peer:
    return Peer(name, ROLES, f"life of {name}", "", games, capacity, 0.0, conn=conn, draining=draining)


@pytest.fixture
async def conn():
    """A connection, for servers that are there."""
    recorder = Recorder()
    async with running(recorder, limits=Limits()) as (_, port), opened(port):
        await eventually(lambda: recorder.conns)
        yield recorder.conns[0]


def chosen(tables: int, *servers: Peer, holdings: Holdings | None = None) -> dict[str, int]:
    given_to = [p.server_id for p in place(range(1, tables + 1), "dou_dizhu", servers, holdings or Holdings())]
    return {name: given_to.count(name) for name in dict.fromkeys(given_to)}


async def test_tables_go_to_the_server_least_loaded_for_its_size(conn):
    assert chosen(9, server("big", 20, conn), server("small", 10, conn)) == {"big": 6, "small": 3}
    holdings = Holdings()
    for table in range(100, 110):
        holdings.give(("other", table), "big")
    assert chosen(6, server("big", 20, conn), server("small", 10, conn), holdings=holdings) == {"small": 5, "big": 1}


async def test_no_server_gets_more_than_it_can_hold_and_the_rest_waits(conn):
    assert chosen(9, server("a", 2, conn), server("b", 3, conn)) == {"a": 2, "b": 3}
    assert chosen(9) == {}


async def test_who_cannot_play_gets_nothing(conn):
    away = server("away", 9, None)
    draining = server("draining", 9, conn, draining=True)
    other_game = server("other game", 9, conn, ("tarot",))
    full = server("full", 0, conn)
    assert chosen(3, away, draining, other_game, full) == {}
    holdings = Holdings()
    reasons = [why_no_tables(peer, len(holdings.of(peer.identity))) for peer in (away, draining, full)]
    assert reasons == ["it is away", "it drains", "it holds 0 of 0 tables"]
    assert why_no_tables(server("no game", 9, conn, ()), 0) == "it names no game"
    assert why_no_tables(server("fine", 9, conn), 8) is None


async def test_a_placement_names_the_life(conn):
    [placement] = place([7], "dou_dizhu", [server("a", 1, conn)], Holdings())
    assert attrs.astuple(placement) == (7, "a", "life of a")


@given(st.lists(st.tuples(st.sampled_from("give take orphan".split()), st.integers(1, 6), st.sampled_from("ab"))))
def test_holdings_agree_with_what_happened(steps):
    holdings, owner = Holdings(), dict[int, str]()
    for what, table, server_id in steps:
        if what == "give" and table not in owner:
            holdings.apply("m", [events.TablesPlaced(0, (table,), (server_id,), ("life",))])
            owner[table] = server_id
        elif what == "take":
            room = holdings.apply("m", [events.RoundEnded(0, table, (), ())])
            assert room == (owner.pop(table, None) is not None)
        elif what == "orphan":
            room = holdings.apply("m", [events.TablesOrphaned(0, (table,), server_id, "server_lost")])
            assert room == (owner.pop(table, None) is not None)
    for name in "ab":
        assert {table for _, table in holdings.of(name)} == {table for table, who in owner.items() if who == name}
    assert set(holdings.servers()) == set(owner.values())


def test_a_match_can_be_forgotten_as_a_whole():
    holdings = Holdings()
    for match_id in ("kept", "forgotten"):
        for table in (1, 2):
            holdings.give((match_id, table), "a")
    holdings.forget("forgotten")
    assert list(holdings.of("a")) == [("kept", 1), ("kept", 2)]
