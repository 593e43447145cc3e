"""All desks together: recovery, table servers that come and go, snapshots, alarms."""

import pytest

from coordinator.engine import events
from coordinator.errors import JournalDamaged
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.office import ALARMS_KEPT
from protocol import messages as m
from protocol.session import Session, Side
from tests.shell.premises import premises, seated
from tests.shell.programs import enter, open_match, report


async def test_every_match_is_taken_up_where_it_stood(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        ts, lobby, seat, start = await seated(house)
        await ts.ask(report(seat, start))
        await lobby.ask(m.OpenMatch("next", "one", ref=1))
        await enter(lobby, "next", ["a", "b"])
        before = {match_id: desk.state for match_id, desk in house.office.desks.items()}
        await house.office.writer.drain()
    async with premises(store=store) as house:
        assert {match_id: desk.state for match_id, desk in house.office.desks.items()} == before
        assert list(house.office.holdings.of("ts-1")) == [("cup", 1)]
        lobby = await house.lobby()
        await enter(lobby, "next", ["c"])
        assert house.desk("next").state.status == "running"
    assert all(replay(store, match_id, check=True).same_decisions for match_id in before)


async def test_servers_that_do_not_come_back_after_a_restart_lose_their_tables(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        _, _, _, start = await seated(house)
    async with premises(store=store) as house:
        other = await house.table_server("ts-2")
        await other.quiet()
        assert not [said for said in other.heard if isinstance(said, m.Seat)]
        await house.pass_time(mock_clock, 5.1)
        again = await other.next(m.StartHand)
        assert (again.epoch, again.attempt_no, again.deal) == (2, 2, start.deal)


async def test_tables_without_a_server_find_one_after_a_restart(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        lobby = await house.lobby()
        await open_match(lobby, "cup", "one", 3)
    async with premises(store=store) as house:
        assert list(house.desk("cup").unplaced) == [1]
        ts = await house.table_server()
        assert (await ts.next(m.StartHand)).attempt_no == 1


async def test_a_draw_without_a_seed_is_secret_and_another_each_time(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        first = await lobby.ask(m.OpenMatch("a", "one", ref=1))
        second = await lobby.ask(m.OpenMatch("b", "one", ref=1))
        assert first.deal_commitment != second.deal_commitment
        secrets = {house.desk(match_id).state.secret for match_id in "ab"}
        assert len(secrets) == 2
        assert all(len(secret) == 64 for secret in secrets)


async def test_snapshots_are_kept_as_the_journal_grows_and_at_the_end(mock_clock):
    store = MemoryStore()
    async with premises(store=store, snapshot_every=2) as house:
        ts, _, seat, start = await seated(house, definition="one")
        await ts.ask(report(seat, start))
        await house.office.writer.drain()
        seqs = [snapshot.seq for snapshot in store.snapshots("cup")]
        assert seqs[0] == house.desk("cup").chain.seq
        assert len(seqs) > 1
        taken = house.office.writer.snapshots
        house.office.take_snapshots()
        await house.office.writer.drain()
        assert house.office.writer.snapshots == taken, "nothing has happened since the newest one"
    assert replay(store, "cup", check=True).same_state


async def test_a_conflicting_report_is_parked_and_alarmed_once(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        ts, _, seat, start = await seated(house)
        await ts.ask(report(seat, start, 2, 0, -2))
        for _ in range(3):
            assert (await ts.ask(report(seat, start, 0, 2, -2))).verdict == "conflict"
        assert [(alarm.match_id, alarm.code) for alarm in house.office.alarms] == [("cup", "conflict")]
        await house.office.writer.drain()
        happened = [event for record in store.follow(Chain.start("cup")) for event in record.events]
        assert len([event for event in happened if isinstance(event, events.ResultParked)]) == 1
        assert house.desk("cup").state.tables[1].totals == [2, 0, -2]


async def test_only_the_newest_alarms_are_kept(mock_clock):
    async with premises() as house:
        for number in range(300):
            house.office.raise_alarm(None, "conflict", str(number))
        assert [alarm.message for alarm in house.office.alarms] == [str(number) for number in range(100, 300)]


async def test_one_match_that_alarms_all_the_time_pushes_out_no_other(mock_clock):
    async with premises() as house:
        house.office.raise_alarm(None, "outage", "two servers are gone")
        for number in range(300):
            house.office.raise_alarm("cup", "conflict", str(number))
        assert len(house.office.alarms) == ALARMS_KEPT
        assert house.office.alarms[0].code == "outage"
        assert [alarm.message for alarm in house.office.alarms[1:]] == [str(number) for number in range(101, 300)]


async def test_a_lobby_of_another_life_goes_on_with_its_match(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        await enter(lobby, "cup", ["p1"])
        await lobby.cut()
        lobby.session = Session(Side.PEER)
        lobby.words["life"] = "life-2"
        await lobby.hello()
        opened = await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        assert isinstance(opened, m.MatchOpened)
        await enter(lobby, "cup", ["p1", "p2", "p3"])
        assert house.desk("cup").state.status == "running"


async def test_a_damaged_match_is_named_where_none_may_be_set_aside(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        await seated(house)
        await house.office.writer.drain()
    store._connection.execute("UPDATE records SET body = zeroblob(length(body)) WHERE seq = 3")
    with pytest.raises(JournalDamaged, match="record 3") as caught:
        async with premises(store=store, set_damaged_aside=False):
            raise AssertionError("the rooms must not open")
    assert (caught.value.match_id, caught.value.seq) == ("cup", 3)
