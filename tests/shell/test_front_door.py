"""Hello, resume, take over, leave: what the front door does with sockets and sessions."""

from typing import Any

import msgpack
import pytest

from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.limits import Limits, SessionLimits
from protocol import messages as m
from protocol.codec import Direction, build_frame, decode_frame, decode_message, encode_message, handshake_frame
from protocol.session import Session, Side, read_answer
from tests.shell.peers import TEXT, frame
from tests.shell.premises import GatedStore, premises, seated
from tests.shell.programs import Program, open_match, report

HELLO = {"type": "hello", "identity": "ts-1", "roles": ["table"], "life": "life-1"}


def packed(*said: object, seq: int = 0, ack: int = 0) -> bytes:
    return msgpack.packb([seq, ack, list(said)])


# --- hello ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "code", "close_code"),
    [
        (b"", "malformed", 4000),
        (b"\xc1", "malformed", 4000),
        (packed(HELLO)[:-3], "malformed", 4000),
        (packed(HELLO) + b"\x00", "malformed", 4000),
        (msgpack.packb({"hello": 1}), "malformed", 4000),
        (msgpack.packb([0, 0]), "malformed", 4000),
        (b"\x93\x00\x00\xdd\xff\xff\xff\xff", "malformed", 4000),
        (b"\x93\x00\x00" + b"\x91" * 1000, "malformed", 4000),
        (packed(HELLO | {"roles": []}), "malformed", 4000),
        (packed(HELLO | {"roles": ["king"]}), "malformed", 4000),
        (packed(HELLO | {"capacity": 1.0}), "malformed", 4000),
        (packed(HELLO | {"capacity": True}), "malformed", 4000),
        (packed(HELLO | {"capacity": 2**53}), "malformed", 4000),
        (packed(HELLO | {"identity": b"ts-1"}), "malformed", 4000),
        (packed(HELLO | {"identity": "ts 1\n"}), "malformed", 4000),
        (packed(HELLO | {"identity": "é"}), "malformed", 4000),
        (packed(HELLO | {"life": ""}), "malformed", 4000),
        (packed({"type": "subscribe", "match_id": "cup", "ref": 1}), "hello_first", 4001),
        (packed({"type": "capacity", "capacity": 1}, seq=1), "hello_first", 4000),
        (packed(HELLO, seq=1), "hello_first", 4000),
        (packed(HELLO, HELLO), "hello_first", 4000),
        (packed(), "hello_first", 4000),
        (packed(HELLO | {"type": "welcome"}), "unknown_message", 4000),
        (packed(HELLO | {"versions": [99]}), "version", 4015),
    ],
)
async def test_what_is_no_good_hello_is_told_so_and_closed(mock_clock, payload, code, close_code):
    async with premises() as house:
        stranger = house.program("ts-1")
        await stranger.dial()
        await stranger.send(payload)
        said = await stranger.payload()
        [error] = Session(Side.PEER).receive(said)
        assert isinstance(error, m.Error)
        assert error.code == code
        assert await stranger.close_code() == close_code
        assert len(house.office.peers) == 0
        assert (await house.table_server()).session.session is not None


async def test_a_hello_that_is_too_big_is_closed_before_it_is_read(mock_clock):
    async with premises() as house:
        stranger = house.program("ts-1")
        await stranger.dial()
        await stranger.send(packed(HELLO | {"software": "x" * 64, "more": "y" * 1024}))
        assert await stranger.close_code() == 1009


async def test_who_says_nothing_is_closed_with_4008(mock_clock):
    async with premises(limits=Limits(hello_timeout_s=5.0)) as house:
        stranger = house.program("ts-1")
        await stranger.dial()
        await house.until(lambda: house.listener.counters.opened)
        mock_clock.jump(5.3)
        assert await stranger.close_code() == 4008


async def test_text_is_closed_with_1003(mock_clock):
    async with premises() as house:
        server = await house.table_server()
        assert server.raw is not None
        await server.raw.send(frame(TEXT, b"hello"))
        assert await server.close_code() == 1003


async def test_a_second_hello_in_the_session_is_closed_with_4000(mock_clock):
    async with premises() as house:
        server = await house.table_server()
        await server.send(handshake_frame(server.hello_words()))
        assert await server.close_code() == 4000


async def test_a_hello_and_the_first_frame_may_come_in_one_piece(mock_clock):
    async with premises() as house:
        server = house.program("ts-1", "table")
        await server.dial()
        assert server.raw is not None
        capacity = build_frame(1, 0, [encode_message(m.Capacity(3, ref=1))])
        pieces = [frame(2, payload) for payload in (packed(HELLO), capacity)]
        await server.raw.send(b"".join(pieces))
        welcome = read_answer(await server.payload())
        assert isinstance(welcome, m.Welcome)
        [answer] = decode_frame(await server.payload()).raws
        assert decode_message(answer, Direction.FROM_COORDINATOR) == m.Ok(1)


async def test_only_so_many_sessions_are_held_and_known_ones_may_come_back(mock_clock):
    async with premises(session_limits=SessionLimits(sessions=2)) as house:
        first = await house.table_server("ts-1")
        await house.table_server("ts-2")
        third = house.program("ts-3", "table")
        assert (await third.refused()).code == "busy"
        assert await third.close_code() == 4029
        await first.cut()
        assert (await first.hello()).resumed == "nothing_missed"
        await first.leave()
        assert (await third.hello()).resumed == "new"


# --- resume ---------------------------------------------------------------------------------------------------------


async def test_nothing_missed(mock_clock):
    async with premises() as house:
        ts, _, _, _ = await seated(house)
        before = list(ts.heard)
        await ts.cut()
        welcome = await ts.hello()
        assert welcome.resumed == "nothing_missed"
        await ts.quiet()
        assert [said for said in ts.heard if not isinstance(said, m.Error)] == before


async def test_a_gap_is_filled_bit_for_bit(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        taken = len(ts.frames)
        await ts.say(report(seat, start))
        await ts.next(m.StartHand)
        missed = ts.frames[taken:]
        assert missed
        # The socket is lost, and with it everything after the first hand.
        ts.session.received -= len(missed)
        del ts.frames[taken:]
        await ts.cut()
        welcome = await ts.hello()
        assert welcome.resumed == "gap"
        while len(ts.frames) < taken + len(missed):
            ts._take(await ts.payload())
        assert ts.frames[taken:] == missed


async def test_frames_that_were_received_are_not_applied_twice(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        ts.session.queue(encode_message(report(seat, start)))
        payload = ts.session.take_frame()
        assert payload is not None
        await ts.send(payload)
        await ts.send(payload)
        assert (await ts.next(m.Verdict)).verdict == "scored"
        await ts.cut()
        await ts.hello()
        await ts.send(payload)
        await ts.quiet()
        assert len([said for said in ts.heard if isinstance(said, m.Verdict)]) == 1


async def test_a_missing_frame_is_closed_with_4010_and_the_session_goes_on(mock_clock):
    async with premises() as house:
        ts = await house.table_server()
        await ts.send(build_frame(7, 0, [encode_message(m.Capacity(1))]))
        assert await ts.close_code() == 4010
        assert (await ts.hello()).resumed == "nothing_missed"


async def test_acknowledging_what_was_never_sent_is_closed_with_4000(mock_clock):
    async with premises() as house:
        ts = await house.table_server()
        await ts.send(build_frame(0, 99, ()))
        assert await ts.close_code() == 4000


async def test_who_knows_more_than_was_ever_sent_raises_an_alarm_and_gets_the_snapshot(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        await ts.cut()
        welcome = await ts.hello(last_seq=99)
        assert welcome.resumed == "snapshot"
        await ts.next(m.HistoryBegin)
        assert await ts.next(m.Seat) == seat
        assert await ts.next(m.StartHand) == start
        await ts.next(m.HistoryEnd)
        assert [alarm.code for alarm in house.office.alarms] == ["memory_lost"]


@pytest.mark.parametrize("changed", [{"session": "another"}, {"epoch": "another"}, {"last_seq": 0}])
async def test_a_session_that_is_gone_is_answered_with_what_is_held(mock_clock, changed):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        await ts.acknowledge()
        await ts.cut()
        ts._read = len(ts.heard)
        assert (await ts.hello(**changed)).resumed == "snapshot"
        await ts.quiet()
        told = ts.heard[ts._read :]
        assert told[:4] == [m.HistoryBegin("too old"), seat, start, m.HistoryEnd()]


async def test_the_log_of_the_hand_in_play_is_part_of_the_snapshot(mock_clock):
    async with premises() as house:
        ts, _, _, start = await seated(house)
        await ts.ask(m.Actions("cup", 1, 1, 1, 1, 0, [3, "pass"]))
        await ts.cut()
        ts._read = len(ts.heard)
        await ts.hello(session=None)
        again = await ts.next(m.StartHand)
        assert (again.attempt_no, again.deal, again.log) == (1, start.deal, [3, "pass"])


async def test_a_coordinator_that_restarts_tells_the_snapshot_and_goes_on(mock_clock):
    store = MemoryStore()
    async with premises(store=store) as house:
        ts, _, seat, start = await seated(house)
        before = ts.session.epoch
    async with premises(store=store) as house:
        house.programs.append(ts)
        ts._port, ts._read = house.port, len(ts.heard)
        welcome = await ts.hello()
        assert (welcome.resumed, welcome.epoch != before) == ("snapshot", True)
        await ts.next(m.HistoryBegin)
        assert await ts.next(m.Seat) == seat
        assert await ts.next(m.StartHand) == start
        await ts.next(m.HistoryEnd)
        verdict = await ts.ask(report(seat, start))
        assert verdict.verdict == "scored"


async def test_a_number_that_is_used_again_after_a_restart_resumes_nothing(mock_clock):
    """A program that slept through the restart knows frame 1 to N of a session that is gone; frame N of today's is
    another one.
    """
    store = MemoryStore()
    async with premises(store=store) as house:
        sleeper, _, seat, start = await seated(house)
    async with premises(store=store) as house:
        woken = await house.table_server("ts-1")
        while woken.session.received < sleeper.session.received:
            await woken.quiet()
        await woken.cut()
        house.programs.append(sleeper)
        sleeper._port, sleeper._read = house.port, len(sleeper.heard)
        welcome = await sleeper.hello()
        assert (welcome.resumed, welcome.epoch) == ("snapshot", house.door.epoch)
        assert [await sleeper.next(m.Seat), await sleeper.next(m.StartHand)] == [seat, start]
        assert house.picture.alarms() == []


async def test_a_snapshot_waits_for_the_commits_it_rests_on(mock_clock):
    store = GatedStore()
    async with premises(store=store) as house:
        ts, _, seat, start = await seated(house)
        store.gate.clear()
        await ts.say(report(seat, start, ref=1))
        await house.until(lambda: house.office.writer.backlog)
        await ts.cut()
        ts._read = len(ts.heard)
        await ts.hello(session=None)
        await ts.say(m.Capacity(4, ref=77))
        await house.until(lambda: house.peer("ts-1").capacity == 4)
        store.gate.set()
        await ts.answer(77)
        kinds = [type(said) for said in ts.heard[ts._read :]]
        assert kinds == [m.HistoryBegin, m.Seat, m.StartHand, m.HistoryEnd, m.Ok]
        assert (await ts.next(m.StartHand)).hand_no == 2


# --- the newest wins ------------------------------------------------------------------------------------------------


async def test_the_newest_socket_wins_and_the_older_one_hears_why(mock_clock):
    async with premises() as house:
        ts, _, _, _ = await seated(house)
        old = ts.raw
        twin = Program(house.port, "ts-1", "table", games=["dou_dizhu"], capacity=8, life="life-1")
        house.programs.append(twin)
        twin.session = ts.session
        assert (await twin.hello()).resumed == "nothing_missed"
        ts.raw, ts.session = old, Session(Side.PEER)
        bye = await ts.payload()
        said: Any
        [said] = Session(Side.PEER).receive(bye)
        assert (type(said), said.code) == (m.Bye, "replaced")
        assert await ts.close_code() == 4009
        # What the old socket still says, and that it ends, is nobody's business any more.
        await ts.send(build_frame(1, 0, [encode_message(m.Capacity(0, ref=5))]))
        await ts.send(handshake_frame(ts.hello_words(life="life-1")))
        await ts.cut()
        await twin.quiet()
        peer = house.peer("ts-1")
        assert (peer.capacity, peer.away_since) == (8, None)
        await house.pass_time(mock_clock, 6.0)
        assert house.desk("cup").state.tables[1].epoch == 1


async def test_another_life_of_the_same_server_gets_its_tables_anew(mock_clock):
    """R-RC-02: the next attempt, the same deal, the same log, the next epoch."""
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        await ts.ask(m.Actions("cup", 1, 1, 1, 1, 0, [5, 6]))
        assert (await ts.restart("life-2")).resumed in ("new", "snapshot")
        seat_again, again = await ts.next(m.Seat), await ts.next(m.StartHand)
        assert (seat_again.epoch, again.epoch) == (2, 2)
        assert seat_again.seats == seat.seats
        assert (again.hand_no, again.attempt_no) == (1, 2)
        assert (again.deal, again.base_score, again.log) == (start.deal, start.base_score, [5, 6])
        assert (await ts.ask(report(seat, start))).verdict == "stale_epoch"
        assert (await ts.ask(report(seat_again, again))).verdict == "scored"


async def test_another_life_without_room_leaves_its_tables_to_another_server(mock_clock):
    async with premises() as house:
        ts, _, _, start = await seated(house)
        await ts.ask(m.Actions("cup", 1, 1, 1, 1, 0, [5, 6]))
        other = await house.table_server("ts-2")
        ts.words["capacity"] = 0
        await ts.restart("life-2")
        again = await other.next(m.StartHand)
        assert (again.epoch, again.attempt_no, again.deal, again.log) == (2, 2, start.deal, [5, 6])


async def test_what_was_meant_for_an_earlier_life_is_not_told_to_the_next(mock_clock):
    store = GatedStore()
    async with premises(store=store) as house:
        ts, _, seat, start = await seated(house)
        store.gate.clear()
        await ts.say(report(seat, start))
        await house.until(lambda: house.office.writer.backlog)
        await ts.restart("life-2")
        store.gate.set()
        again = await ts.next(m.StartHand)
        assert (again.hand_no, again.attempt_no, again.epoch) == (2, 2, 2)
        await ts.quiet()
        life_2 = ts.heard[ts.heard.index(again) - 1 :]
        assert not [said for said in life_2 if isinstance(said, m.Verdict)]


# --- away and back --------------------------------------------------------------------------------------------------


async def test_a_server_that_is_back_within_the_grace_keeps_its_tables(mock_clock):
    async with premises() as house:
        ts, _, _, _ = await seated(house)
        other = await house.table_server("ts-2")
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 4.0)
        await ts.hello()
        await house.pass_time(mock_clock, 3.0)
        await other.quiet()
        assert house.desk("cup").state.tables[1].server_id == "ts-1"


async def test_after_the_grace_the_tables_move_and_a_late_report_is_stale(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        other = await house.table_server("ts-2")
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 5.1)
        again = await other.next(m.StartHand)
        assert (again.epoch, again.attempt_no, again.deal) == (2, 2, start.deal)
        await ts.hello()
        closed = await ts.next(m.CloseTable)
        assert (closed.table_id, closed.reason) == (1, "moved")
        assert (await ts.ask(report(seat, start))).verdict == "stale_epoch"


async def test_a_session_is_kept_for_its_time_and_not_longer(mock_clock):
    async with premises(session_keep_s=60.0) as house:
        lobby = await house.lobby()
        await lobby.cut()
        await house.gone("lobby")
        await house.pass_time(mock_clock, 59.0)
        assert (await lobby.hello()).resumed == "nothing_missed"
        await lobby.cut()
        await house.gone("lobby")
        await house.pass_time(mock_clock, 61.0)
        assert house.office.peers.get("lobby") is None
        assert (await lobby.hello()).resumed == "snapshot"


async def test_who_says_bye_gives_its_tables_back_at_once(mock_clock):
    async with premises() as house:
        ts, _, _, start = await seated(house)
        other = await house.table_server("ts-2")
        await ts.leave()
        again = await other.next(m.StartHand)
        assert (again.attempt_no, again.deal) == (2, start.deal)
        assert house.office.peers.get("ts-1") is None


async def test_nothing_after_a_bye_counts(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        said = [encode_message(m.Bye("done")), encode_message(report(seat, start))]
        await ts.send(build_frame(1, 0, said))
        assert await ts.close_code() == 1000
        assert house.desk("cup").state.hands == 0


async def test_who_does_not_read_is_cut_and_comes_back_to_a_snapshot(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        session = house.peer("ts-1").session
        assert session is not None
        session.window_bytes = 4_000
        for number in range(200):
            house.office.peers.send(house.peer("ts-1"), m.CloseTable("other", number, 1, "match_over"))
        house.door.batch_done()
        assert await ts.close_code() == 4013
        assert house.office.peers.overflows == 1
        await ts.cut()
        ts._read = len(ts.heard)
        assert (await ts.hello()).resumed == "snapshot"
        assert await ts.next(m.Seat) == seat
        assert await ts.next(m.StartHand) == start
        assert (await ts.ask(report(seat, start))).verdict == "scored"


# --- what a socket that resumes keeps -------------------------------------------------------------------------------


async def test_a_drain_outlives_the_socket_it_was_asked_on(mock_clock):
    async with premises() as house:
        ts = await house.table_server()
        await ts.ask(m.Capacity(8, drain=True))
        await ts.cut()
        assert (await ts.hello()).resumed == "nothing_missed"
        assert house.peer("ts-1").draining
        lobby = await house.lobby()
        await open_match(lobby, "cup", "one", 3)
        await ts.quiet()
        assert not [said for said in ts.heard if isinstance(said, m.Seat)]


async def test_a_capacity_outlives_the_socket_it_was_told_on(mock_clock):
    async with premises() as house:
        ts = await house.table_server(capacity=8)
        await ts.ask(m.Capacity(0))
        await ts.cut()
        await ts.hello()
        assert house.peer("ts-1").capacity == 0


async def test_a_lobby_that_missed_something_is_told_how_its_matches_stand(mock_clock):
    async with premises() as house:
        ts, lobby, seat, start = await seated(house, definition="one")
        await open_match(lobby, "other", "three", 3)
        await ts.ask(report(seat, start))
        await lobby.next(m.MatchOver)
        await lobby.cut()
        lobby._read = len(lobby.heard)
        assert (await lobby.hello(session="another")).resumed == "snapshot"
        await lobby.next(m.HistoryEnd)
        told = [said for said in lobby.heard[-8:] if not isinstance(said, m.HistoryBegin | m.HistoryEnd)]
        assert {(type(said), said.match_id) for said in told} >= {
            (m.MatchOver, "cup"),
            (m.MatchStarted, "other"),
            (m.Seated, "other"),
        }


async def test_a_lobby_that_lost_its_memory_is_told_what_it_missed(mock_clock):
    """Its process ended, the match ended, another process came: without this nobody would ever pay the prizes."""
    async with premises() as house:
        ts, lobby, seat, start = await seated(house, definition="one")
        await lobby.cut()
        await house.gone("lobby")
        assert (await ts.ask(report(seat, start))).verdict == "scored"
        again = await house.lobby(life="life-2")
        told = await again.next(m.MatchOver)
        assert (told.match_id, [row.place for row in told.places]) == ("cup", [1, 2, 3])


async def test_a_snapshot_that_is_larger_than_the_window_is_told_all_the_same(mock_clock, monkeypatch):
    """Cut for its size, the peer would come back to the same snapshot again and again."""
    monkeypatch.setattr("coordinator.shell.peers.LOBBY_WINDOW_BYTES", 0)
    monkeypatch.setattr("coordinator.shell.peers.WINDOW_BYTES", 400)
    async with premises() as house:
        lobby = await house.lobby("other")
        for number in range(1, 8):
            assert isinstance(await lobby.ask(m.OpenMatch(f"m{number}", "one", ref=1, seed="7")), m.MatchOpened)
            for player in ("a", "b", "c"):
                assert isinstance(await lobby.ask(m.Register(f"m{number}", player, player, ref=1)), m.Entered)
            await lobby.acknowledge()
        again = await house.lobby("lobby")
        await again.next(m.HistoryEnd)
        assert [told.match_id for told in again.heard if isinstance(told, m.MatchStarted)] == [
            f"m{number}" for number in range(1, 8)
        ]


async def test_a_spectator_is_told_nothing_it_has_not_asked_for_in_this_session(mock_clock):
    async with premises() as house:
        await seated(house)
        watcher = house.program("eye", "spectator")
        await watcher.hello()
        await watcher.ask(m.Subscribe("cup", ref=1))
        await watcher.cut()
        await watcher.hello(session=None, life="life-2")
        assert house.peer("eye").watching == {}
