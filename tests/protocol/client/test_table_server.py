"""The table server's SDK against a fake coordinator: order, reports, interruptions, snapshots."""

import random
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import LinkEnded, RequestRefused, TableServer
from protocol.messages import (
    Actions,
    BaseScore,
    Bye,
    Capacity,
    CloseTable,
    Error,
    HandEnded,
    HandStarted,
    Ok,
    RoundAborted,
    SeatPresence,
    Verdict,
)
from protocol.testing import open_fake_coordinator
from tests.protocol.client.playing import DEAL, SCORES, seat, start


@asynccontextmanager
async def playing(**limits):
    """A coordinator, a table server that runs, and the coordinator's view of it."""
    async with open_fake_coordinator(**limits) as coordinator, trio.open_nursery() as nursery:
        server = TableServer(
            "", "srv-1", games=["gin_rummy"], capacity=4, dial=coordinator.dial, chance=random.Random(1)
        )
        await nursery.start(server.run)
        # Virtual time: a test that waits for what never comes fails at once.
        with trio.fail_after(600):
            yield coordinator, server, await coordinator.peer("srv-1")
        nursery.cancel_scope.cancel()


def verdict(report: HandEnded, word="scored") -> Verdict:
    return Verdict(report.ref, report.match_id, report.table_id, report.hand_no, report.attempt_no, word)


async def test_the_hello_says_what_the_server_can(autojump_clock):
    async with playing() as (_, _, peer):
        (hello,) = peer.hellos
        assert (hello.identity, hello.roles, hello.games, hello.capacity) == ("srv-1", ["table"], ["gin_rummy"], 4)
        assert (hello.session, hello.epoch, hello.last_seq) == (None, None, 0)
        assert hello.life


async def test_a_hand_from_seat_to_verdict(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start(log=[3, "pass"]))
        hand = await server.hands().receive()
        assert (hand.hand_no, hand.attempt_no, hand.base_score, hand.deal, hand.log) == (1, 1, 100, DEAL, [3, "pass"])
        assert hand.table is server.tables["m-1", 7]
        assert hand.table.players == ["ann", "bob"]
        assert hand.table.game_attrs == {"knock": "10"}
        assert await peer.next(HandStarted) == HandStarted("m-1", 7, 1, 1, 1)

        hand.record(5, 6)
        hand.record("knock")
        told = await peer.next(Actions)
        assert (told.first, told.actions) == (2, [5, 6, "knock"]), "the repeated log is not told again"

        report = hand.report(SCORES)
        assert report.verdict is None
        ended = await peer.next(HandEnded)
        assert (ended.scores, ended.epoch, ended.hand_no, ended.attempt_no) == (SCORES, 1, 1, 1)
        peer.push(verdict(ended))
        assert (await report.wait()).verdict == "scored"
        assert report.verdict is not None


async def test_the_last_actions_go_out_before_the_scores_in_one_frame(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        await peer.next(HandStarted)
        before = peer.session.received
        hand.record(1)
        hand.record(2)
        hand.report(SCORES)
        await peer.next(HandEnded)
        assert [message.type for message in peer.received[-2:]] == ["actions", "hand_ended"]
        assert peer.received[-2].actions == [1, 2]
        assert peer.session.received == before + 1


async def test_hands_come_in_the_order_they_were_started(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(*[seat(table_id) for table_id in range(1, 53)])
        order = [table_id * 17 % 53 for table_id in range(1, 53)]
        peer.push(*[start(table_id) for table_id in order])
        hands = server.hands()
        assert [(await hands.receive()).table.table_id for _ in order] == order


async def test_a_report_survives_lost_sockets_and_is_heard_once(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        await peer.next(HandStarted)
        await peer.cut()
        hand.record(1)
        report = hand.report(SCORES)
        ended = await peer.next(HandEnded)
        await peer.cut()
        peer.push(verdict(ended))
        assert (await report.wait()).verdict == "scored"
        await wait_all_tasks_blocked()
        assert [message.type for message in peer.received].count("hand_ended") == 1
        assert "snapshot" not in peer.resumed


async def test_a_report_lost_on_the_way_is_sent_again(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        await peer.next(HandStarted)
        hand.report(SCORES)
        # Nobody has run since: the frame leaves, and is lost with the link.
        await peer.cut()
        await peer.next(HandEnded)
        assert peer.resumed[0] == "new"
        assert set(peer.resumed[1:]) <= {"nothing_missed", "gap"}


async def test_after_a_restart_reports_without_a_verdict_are_sent_in_the_same_words(autojump_clock):
    async with playing() as (coordinator, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        report = hand.report(SCORES)
        first = await peer.next(HandEnded)
        peer.snapshot = [seat(), start()]
        await coordinator.restart()
        second = await peer.next(HandEnded)
        assert second == first
        assert peer.resumed == ["new", "snapshot"]
        peer.push(verdict(second, "duplicate"))
        assert (await report.wait()).verdict == "duplicate"
        await coordinator.restart()
        await peer.until(lambda: len(peer.resumed) == 3)
        await wait_all_tasks_blocked()
        assert [message.type for message in peer.received].count("hand_ended") == 2, "a verdict frees the report"


async def test_after_a_snapshot_tables_that_were_not_told_again_are_gone(autojump_clock):
    async with playing() as (coordinator, server, peer):
        peer.push(seat(1), start(1), seat(2), start(2))
        hands = server.hands()
        lost, kept = await hands.receive(), await hands.receive()
        kept_table = kept.table
        kept.record(1, 2)
        await peer.next(Actions)
        server.presence(kept_table, "bob", False)
        await peer.next(SeatPresence)

        peer.snapshot = [seat(2), start(2), seat(3), start(3)]
        await coordinator.restart()
        started = await hands.receive()
        assert started.table.table_id == 3, "the hand in play is not given out again"
        assert (lost.cancelled, kept.cancelled) == (True, False)
        assert server.tables["m-1", 2] is kept_table
        assert list(server.tables) == [("m-1", 2), ("m-1", 3)]

        told = await peer.next(Actions)
        assert (told.table_id, told.first, told.actions) == (2, 0, [1, 2])
        assert SeatPresence("m-1", 2, "bob", False) in peer.received[-5:]
        kept.record(3)
        assert (await peer.next(Actions)).first == 2
        lost.record(9)
        await wait_all_tasks_blocked()
        assert not any(isinstance(m, Actions) and m.table_id == 1 for m in peer.received)


async def test_too_much_missed_ends_in_a_snapshot(autojump_clock):
    async with playing(window_frames=2) as (_, server, peer):
        peer.push(seat(1))
        await peer.until(lambda: peer.session.unacknowledged == 0) if peer.session.unacknowledged else None
        await wait_all_tasks_blocked()
        await peer.cut()
        session = peer.session
        for table_id in range(2, 6):
            peer.push(seat(table_id))
            session.take_frame()
        assert session.overflow
        peer.snapshot = [seat(table_id) for table_id in range(1, 6)]
        await peer.until(lambda: peer.resumed[-1] == "snapshot")
        await wait_all_tasks_blocked()
        assert len(server.tables) == 5


async def test_a_coordinator_that_knows_nothing_takes_all_tables_away(autojump_clock):
    async with playing() as (coordinator, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        del coordinator.peers["srv-1"]
        await peer.cut()
        again = await coordinator.peer("srv-1")
        assert again.resumed == ["new"]
        await wait_all_tasks_blocked()
        assert hand.cancelled
        assert not server.tables


async def test_a_newer_attempt_takes_the_hand_away(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hands = server.hands()
        first = await hands.receive()
        peer.push(start(attempt_no=2, log=[1, 2]))
        second = await hands.receive()
        assert (first.cancelled, second.cancelled) == (True, False)
        assert (second.attempt_no, second.log) == (2, [1, 2])
        peer.push(start(attempt_no=1), start(attempt_no=2), start(hand_no=2))
        assert (await hands.receive()).hand_no == 2, "older and repeated starts are ignored"


async def test_a_higher_epoch_opens_the_table_anew_and_a_lower_one_is_ignored(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hands = server.hands()
        old = await hands.receive()
        peer.push(seat(epoch=2), start(epoch=1, hand_no=2), start(epoch=2))
        new = await hands.receive()
        assert (new.epoch, new.hand_no) == (2, 1)
        assert old.cancelled
        peer.push(seat(epoch=1), CloseTable("m-1", 7, 1, "moved"), start(epoch=2, hand_no=2))
        assert (await hands.receive()).epoch == 2


async def test_a_closed_table_takes_its_hand_along_and_reports_are_still_answered(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(1), start(1), seat(2), start(2))
        hands = server.hands()
        reported, running = await hands.receive(), await hands.receive()
        report = reported.report(SCORES)
        ended = await peer.next(HandEnded)
        peer.push(CloseTable("m-1", 1, 1, "round_over"), CloseTable("m-1", 2, 1, "moved"), verdict(ended))
        assert (await report.wait()).verdict == "scored"
        assert (reported.cancelled, running.cancelled) == (False, True)
        assert not server.tables
        late = running.report(SCORES)
        peer.push(verdict(await peer.next(HandEnded), "stale_epoch"))
        assert (await late.wait()).verdict == "stale_epoch"


async def test_a_hand_cancelled_before_it_was_taken_is_left_out(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(1), start(1), CloseTable("m-1", 1, 1, "moved"), seat(2), start(2))
        await wait_all_tasks_blocked()
        assert (await server.hands().receive()).table.table_id == 2
        assert [m.table_id for m in [await peer.next(HandStarted)]] == [2]


async def test_starts_for_tables_nobody_named_are_ignored(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(start(99), seat(1), start(1))
        assert (await server.hands().receive()).table.table_id == 1


async def test_the_same_report_twice_is_one_report(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        assert hand.report(SCORES) is hand.report(dict(SCORES))
        with pytest.raises(ValueError, match="other scores"):
            hand.report({"ann": 0, "bob": 0})
        with pytest.raises(ValueError, match="is over"):
            hand.record(1)


async def test_a_report_that_cannot_be_read_is_refused(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        report = hand.report({"ann": 1.5})
        with pytest.raises(RequestRefused) as caught:
            await report.wait()
        assert (caught.value.code, caught.value.field) == ("malformed", "scores[...]")


async def test_a_report_that_was_refused_is_mended_by_another_one(autojump_clock):
    """The wire asks for it: mend it and report again, with a new ref."""
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        with pytest.raises(RequestRefused, match="expected an integer"):
            await hand.report({"ann": 1.5, "bob": -1.5}).wait()
        assert hand.open
        lame = hand.report({"ann": 1, "bob": 1})
        first = await peer.next(HandEnded)
        assert not hand.open
        peer.push(verdict(first, "invalid"))
        assert (await lame.wait()).verdict == "invalid"
        mended = hand.report(SCORES)
        second = await peer.next(HandEnded)
        assert (second.scores, second.ref > first.ref) == (SCORES, True)
        peer.push(verdict(second))
        assert (await mended.wait()).verdict == "scored"
        assert not hand.open


async def test_a_hand_that_is_taken_away_before_its_report_is_mended_is_cancelled(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        lame = hand.report({"ann": 1, "bob": 1})
        peer.push(verdict(await peer.next(HandEnded), "invalid"))
        await lame.wait()
        peer.push(CloseTable("m-1", 7, 1, "moved"))
        await wait_all_tasks_blocked()
        assert hand.cancelled


async def test_long_logs_are_told_in_parts(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(seat(), start())
        hand = await server.hands().receive()
        hand.record(*range(2500))
        parts = [await peer.next(Actions) for _ in range(3)]
        assert [part.first for part in parts] == [0, 1000, 2000]
        assert [action for part in parts for action in part.actions] == list(range(2500))


async def test_the_newest_tick_counts(autojump_clock):
    async with playing() as (_, server, peer):
        with pytest.raises(KeyError):
            server.base_score("m-1", "s-1")
        peer.push_volatile(BaseScore("m-1", "s-1", 2, 110), "s-1")
        await wait_all_tasks_blocked()
        peer.push_volatile(BaseScore("m-1", "s-1", 1, 100), "s-1")
        await wait_all_tasks_blocked()
        assert server.base_score("m-1", "s-1") == 110
        peer.push(CloseTable("m-1", 7, 1, "match_over"))
        await wait_all_tasks_blocked()
        with pytest.raises(KeyError):
            server.base_score("m-1", "s-1")


async def test_a_round_can_be_given_back(autojump_clock):
    async with playing() as (coordinator, server, peer):
        coordinator.reply = lambda _, m: [Ok(m.ref)] if isinstance(m, RoundAborted) else []
        peer.push(seat())
        await wait_all_tasks_blocked()
        await server.abort_round(server.tables["m-1", 7], "the dealer is broken")
        coordinator.reply = lambda _, m: [Error("unknown_table", "no such table", ref=m.ref, field="table_id")]
        with pytest.raises(RequestRefused) as caught:
            await server.abort_round(server.tables["m-1", 7], "again")
        assert (caught.value.code, caught.value.field) == ("unknown_table", "table_id")


async def test_draining_finishes_what_runs_and_leaves_in_good_order(autojump_clock):
    async with open_fake_coordinator() as coordinator:
        server = TableServer("", "srv-1", games=["gin_rummy"], capacity=4, dial=coordinator.dial)
        order: list[str] = []

        async def run(task_status):
            await server.run(task_status=task_status)
            order.append("run")

        async def drain():
            await server.drain()
            order.append("drain")

        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                await nursery.start(run)
                peer = await coordinator.peer("srv-1")
                peer.push(seat(), start())
                hand = await server.hands().receive()
                nursery.start_soon(drain)
                assert await peer.next(Capacity) == Capacity(4, drain=True)
                await coordinator.restart()
                peer.snapshot = [seat(), start()]
                assert await peer.next(Capacity) == Capacity(4, drain=True), "a new session is told again"
                hand.report(SCORES)
                ended = await peer.next(HandEnded)
                await wait_all_tasks_blocked()
                assert not order
                peer.push(CloseTable("m-1", 7, 1, "round_over"))
                await wait_all_tasks_blocked()
                assert not order, "a report without a verdict holds the server"
                peer.push(verdict(ended))
        assert sorted(order) == ["drain", "run"]
        assert peer.received[-1] == Bye("done")
        assert [hand async for hand in server.hands()] == []


async def test_a_server_with_nothing_to_do_drains_at_once(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        server = TableServer("", "srv-1", games=[], capacity=1, dial=coordinator.dial)
        await nursery.start(server.run)
        with trio.fail_after(1):
            await server.drain()
            await server.drain()


async def test_capacity_can_change(autojump_clock):
    async with playing() as (_, server, peer):
        server.set_capacity(9)
        assert await peer.next(Capacity) == Capacity(9)


async def test_when_the_server_is_cancelled_its_readers_and_reports_end(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        server = TableServer("", "srv-1", games=["gin_rummy"], capacity=4, dial=coordinator.dial)
        async with trio.open_nursery() as inner:
            await inner.start(server.run)
            peer = await coordinator.peer("srv-1")
            peer.push(seat(), start())
            hand = await server.hands().receive()
            report = hand.report(SCORES)
            inner.cancel_scope.cancel()
        with pytest.raises(LinkEnded):
            await report.wait()
        with pytest.raises(LinkEnded):
            await server.run()
        with pytest.raises(trio.EndOfChannel):
            await server.hands().receive()
        nursery.cancel_scope.cancel()


async def test_after_a_snapshot_only_hands_in_play_are_told_again(autojump_clock):
    async with playing() as (coordinator, server, peer):
        peer.push(seat(1), start(1, log=[7]), seat(2), start(2), seat(3), start(3))
        hands = server.hands()
        in_play, over = await hands.receive(), await hands.receive()
        in_play.record(8)
        over.report(SCORES)
        await peer.next(HandEnded)
        peer.snapshot = [seat(1), start(1), seat(2), start(2), seat(3), start(3)]
        del peer.received[:]
        await coordinator.restart()
        await peer.next(HandEnded)
        await peer.next(HandStarted)
        actions = await peer.next(Actions)
        assert (actions.table_id, actions.first, actions.actions) == (1, 0, [7, 8])
        await wait_all_tasks_blocked()
        told = [message.table_id for message in peer.received if isinstance(message, HandStarted)]
        assert told == [in_play.table.table_id]
        assert (await hands.receive()).table.table_id == 3, "the hand nobody took still waits"


async def test_who_came_back_is_not_told_as_absent_again(autojump_clock):
    async with playing() as (coordinator, server, peer):
        peer.push(seat())
        await wait_all_tasks_blocked()
        table = server.tables["m-1", 7]
        for present in (False, True):
            server.presence(table, "ann", present)
            assert (await peer.next(SeatPresence)).present is present
        peer.snapshot = [seat()]
        await coordinator.restart()
        await peer.until(lambda: len(peer.resumed) == 2)
        await wait_all_tasks_blocked()
        assert isinstance(peer.received[-1], SeatPresence)
        assert len(peer.received) == 2


async def test_a_server_that_drains_leaves_a_coordinator_that_knows_nothing(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        server = TableServer("", "srv-1", games=[], capacity=1, dial=coordinator.dial)
        await nursery.start(server.run)
        peer = await coordinator.peer("srv-1")
        peer.push(seat())
        await wait_all_tasks_blocked()
        with trio.fail_after(60):
            nursery.start_soon(server.drain)
            await peer.next(Capacity)
            del coordinator.peers["srv-1"]
            await peer.cut()
            await server.drain()
        assert not server.tables


async def test_an_error_that_answers_nothing_is_left_aside(autojump_clock):
    async with playing() as (_, server, peer):
        peer.push(Error("log_gap", "actions are missing", ref=0), Error("malformed", "late", ref=99), seat(), start())
        assert (await server.hands().receive()).hand_no == 1


async def test_a_hello_names_the_capacity_that_was_set_last(autojump_clock):
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        server = TableServer("", "srv-1", games=["dou_dizhu"], capacity=4, dial=coordinator.dial)
        await nursery.start(server.run)
        server.set_capacity(0)
        assert server.hello().capacity == 0
        nursery.cancel_scope.cancel()


async def test_what_many_tables_played_meanwhile_goes_out_as_room_comes(autojump_clock):
    async with playing() as (coordinator, server, peer):
        tables = range(1, 201)
        peer.snapshot = [message for number in tables for message in (seat(number), start(number))]
        peer.push(*peer.snapshot)
        hands = [await server.hands().receive() for _ in tables]
        server._link._session.window_bytes = 4_000
        coordinator.reachable = False
        await peer.cut()
        for hand in hands:
            hand.record(*range(40))
        before = len(peer.received)
        coordinator.reachable = True
        await coordinator.restart()
        await peer.until(lambda: sum(type(message) is Actions for message in peer.received[before:]) == len(tables))
        assert peer.resumed == ["new", "snapshot"], "nothing overflowed"
        told = {message.table_id: message.actions for message in peer.received[before:] if type(message) is Actions}
        assert told == {number: list(range(40)) for number in tables}
        started = [message.table_id for message in peer.received[before:] if type(message) is HandStarted]
        assert sorted(started) == list(tables)
