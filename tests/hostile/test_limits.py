"""Each limit bites with its code, and whoever hits one harms nobody else."""

import attrs
import pytest

from coordinator.shell.limits import Limits, SessionLimits
from coordinator.shell.pace import Bucket, per_minute, per_second
from protocol import messages as m
from protocol.codec import build_frame, encode_message, handshake_frame
from tests.hostile.catalogue import packed
from tests.hostile.scene import answer_of, messages_in, word
from tests.shell.peers import BINARY, PING, Ended, connected, frame, opened, request
from tests.shell.premises import GatedStore, premises
from tests.shell.programs import open_match, report

QUIET = Limits(dead_after_s=3600, hello_timeout_s=3600, open_timeout_s=3600)


async def nobody_else_noticed(house, other):
    """A neighbour's session goes on over the same socket."""
    await other.quiet()
    assert house.listener.counters.handler_errors == 0


def hello(identity: str = "x", **words) -> bytes:
    return handshake_frame(m.Hello(identity, ["spectator"], "life", **words))


async def test_the_size_of_a_message():
    limits = attrs.evolve(QUIET, max_message=2048)
    async with premises(limits=limits, session_limits=SessionLimits(max_message=2048)) as house:
        other = await house.lobby()
        async with opened(house.port) as peer:
            await peer.send(frame(BINARY, hello() + bytes(2000)))
            assert await peer.close_code() == 1009
        program = house.program("big", "spectator")
        assert (await program.hello()).max_message == 2048
        assert program.raw is not None
        await program.raw.send(frame(BINARY, bytes(2049)))
        assert await program.close_code() == 1009
        await nobody_else_noticed(house, other)


@pytest.mark.parametrize(
    ("limits", "said", "answer"),
    [
        (SessionLimits(depth=5), {"extra": [[1]]}, "unknown_match match_id"),
        (SessionLimits(depth=5), {"extra": [[[1]]]}, "too_deep"),
        (SessionLimits(list_length=64), {"actions": [0] * 64}, "unknown_match match_id"),
        (SessionLimits(list_length=64), {"actions": [0] * 65}, "too_long actions"),
        (SessionLimits(list_length=64), {"extra": [0] * 65}, "too_long"),
        (SessionLimits(list_length=64), {"extra": [[0] * 10] * 10}, "too_long"),
        (SessionLimits(), {"extra": [[]] * 255}, "unknown_match match_id"),
        (SessionLimits(), {"extra": [[]] * 256}, "too_long"),
    ],
)
async def test_how_deep_and_how_long_a_message_may_be(limits, said, answer):
    words = {"type": "actions", "match_id": "m", "table_id": 1, "epoch": 1, "hand_no": 1, "attempt_no": 1, "first": 0}
    async with premises(limits=QUIET, session_limits=limits) as house:
        other = await house.lobby()
        program = house.program("deep", "table")
        await program.hello()
        await program.send(build_frame(1, 0, [packed({**words, "actions": [], "ref": 1, **said})]))
        assert program.raw is not None
        assert await answer_of(program.raw) == answer
        await nobody_else_noticed(house, other)


async def test_how_long_a_name_may_be():
    async with premises(limits=QUIET, session_limits=SessionLimits(name_length=8)) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        assert word(await lobby.ask(m.Register("cup", "p1", "x" * 9, ref=1))) == "name_refused name"
        assert word(await lobby.ask(m.Register("cup", "p1", "x" * 8, ref=1))) == "entered"


@pytest.mark.parametrize("limits", [SessionLimits(frames_per_s=10), SessionLimits(bytes_per_s=100)])
async def test_how_fast_a_peer_may_speak(limits, mock_clock):
    async with premises(limits=QUIET, session_limits=limits) as house:
        other = await house.lobby()
        program = house.program("fast", "spectator")
        await program.hello()
        assert program.raw is not None
        await program.raw.send(frame(BINARY, build_frame(0, 0, []).ljust(4)) * 60)
        assert await answer_of(program.raw) == "rate, close 4029"
        await house.gone("fast")
        # The pace outlives the socket: dialling again buys nothing, waiting does.
        await program.hello()
        await program.raw.send(frame(BINARY, build_frame(0, 0, [])) * 30)
        assert await answer_of(program.raw) == "rate, close 4029"
        await house.gone("fast")
        mock_clock.jump(2)
        assert (await program.hello()).resumed == "nothing_missed"
        await program.quiet()
        await nobody_else_noticed(house, other)


async def test_how_many_messages_a_peer_may_put_into_its_frames(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(messages_per_s=100)) as house:
        other = await house.lobby()
        program = house.program("chatty", "spectator")
        await program.hello()
        await program.say(*[m.Subscribe("nowhere", ref=number) for number in range(1, 201)])
        await program.answer(200)
        await program.say(m.Subscribe("nowhere", ref=201))
        assert program.raw is not None
        assert await answer_of(program.raw) == "rate, close 4029"
        await house.gone("chatty")
        mock_clock.jump(1)
        assert (await program.hello()).resumed == "snapshot"
        await program.quiet()
        await nobody_else_noticed(house, other)


async def test_how_often_a_peer_may_ping(mock_clock):
    limits = attrs.evolve(QUIET, pings_per_s=5)
    async with premises(limits=limits) as house:
        other = await house.lobby()
        program = house.program("pinger", "spectator")
        await program.hello()
        assert program.raw is not None
        await program.raw.send(frame(PING) * 11)
        assert await program.close_code() == 4029
        assert house.listener.counters.too_fast == 1
        await nobody_else_noticed(house, other)


async def test_how_many_bad_messages_a_peer_may_send(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(bad_messages_per_minute=3)) as house:
        other = await house.lobby()
        program = house.program("bad", "spectator")
        await program.hello()
        for _ in range(3):
            assert word(await program.ask(m.StartMatch("m", ref=1))) == "not_allowed type"
        await program.say(m.StartMatch("m", ref=99), m.StartMatch("m", ref=100))
        assert program.raw is not None
        assert await answer_of(program.raw) == "rate, close 4029"
        await house.gone("bad")
        # The rest of that frame is lost, so the session is not resumed.
        assert (await program.hello()).resumed == "snapshot"
        await nobody_else_noticed(house, other)


async def test_reports_of_other_tables_end_in_a_cut(mock_clock):
    async with premises(limits=QUIET) as house:
        lobby, owner = await house.lobby(), await house.table_server("owner", capacity=1)
        await open_match(lobby, "cup", "one", 3)
        seat, start = await owner.next(m.Seat), await owner.next(m.StartHand)
        forger = await house.table_server("forger")
        for _ in range(2):
            assert word(await forger.ask(report(seat, start, 9, 0, -9))) == "stale_epoch epoch"
        await forger.say(report(seat, start, 9, 0, -9, ref=50))
        assert forger.raw is not None
        assert await answer_of(forger.raw) == "trespass table_id, close 4003"
        assert word(await owner.ask(report(seat, start))) == "scored"


async def test_made_up_reports_are_cut_whatever_they_name(mock_clock):
    """Neither a table whose round is over nor an epoch that was never given out hides that a report was made up."""
    async with premises(limits=QUIET, session_limits=SessionLimits(trespasses_per_minute=1)) as house:
        lobby, owner = await house.lobby(), await house.table_server("owner", capacity=1)
        await open_match(lobby, "cup", "one", 3)
        seat, start = await owner.next(m.Seat), await owner.next(m.StartHand)
        future = await house.table_server("future")
        assert word(await future.ask(report(seat, start, 9, 0, -9, epoch=99))) == "stale_epoch epoch"
        await future.say(report(seat, start, 9, 0, -9, epoch=98, ref=50))
        assert future.raw is not None
        assert await answer_of(future.raw) == "trespass table_id, close 4003"
        assert word(await owner.ask(report(seat, start))) == "scored"
        late = await house.table_server("late")
        assert word(await late.ask(report(seat, start, 9, 0, -9))) == "conflict"
        await late.say(report(seat, start, 8, 0, -8, ref=50))
        assert late.raw is not None
        assert await answer_of(late.raw) == "trespass table_id, close 4003"


async def test_whoever_says_bye_and_comes_again_goes_on_where_it_stood(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(bad_messages_per_minute=3)) as house:
        other = await house.lobby()
        program = house.program("polite", "spectator")
        await program.hello()
        for _ in range(3):
            assert (await program.ask(m.StartMatch("cup", ref=1))).code == "not_allowed"
        await program.leave()
        await program.restart("life-2")
        await program.say(m.StartMatch("cup", ref=50))
        assert program.raw is not None
        assert await answer_of(program.raw) == "rate, close 4029"
        await nobody_else_noticed(house, other)


async def test_how_often_an_identity_may_say_hello(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(hellos_per_minute=3)) as house:
        other = await house.lobby()
        program = house.program("eager", "lobby")
        for _ in range(3):
            await program.hello(session=None)
        assert (await program.refused(session=None)).code == "rate"
        assert await program.close_code() == 4029
        mock_clock.jump(20)
        await program.hello(session=None)
        await nobody_else_noticed(house, other)


async def test_how_many_identities_are_remembered(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(sessions=2)) as house:
        for number in range(5):
            program = house.program(f"guest-{number}", "spectator")
            await program.hello()
            await program.leave()
        assert list(house.door._paces) == ["guest-3", "guest-4"]


async def test_two_processes_cannot_take_an_identity_from_each_other_for_ever(mock_clock):
    async with premises(limits=QUIET, session_limits=SessionLimits(lives_per_minute=2)) as house:
        other = await house.lobby()
        lives = [house.program("one", "spectator", life=f"life-{number}") for number in range(5)]
        for life in lives[:3]:
            await life.hello()
        answer = await lives[3].refused()
        assert answer.code == "rate"
        assert await lives[3].close_code() == 4029
        assert house.office.alarms[-1].code == "identity_contested"
        await lives[2].quiet()
        mock_clock.jump(60)
        assert (await lives[4].hello()).resumed == "new"
        await nobody_else_noticed(house, other)


async def test_how_many_frames_may_wait_for_the_disk():

    store = GatedStore()
    async with premises(store=store, limits=QUIET, session_limits=SessionLimits(unacknowledged=16)) as house:
        lobby, eager = await house.lobby(), house.program("eager", "spectator")
        await eager.hello()
        assert eager.raw is not None
        store.gate.clear()
        await lobby.say(m.OpenMatch("cup", "one", ref=lobby.ref()))
        await house.until(lambda: "cup" in house.office.desks)
        for number in range(1, 17):
            await eager.say(m.Subscribe("cup", ref=number))
        await eager.raw.send(frame(PING, b"?"))
        assert await eager.raw.frame() == (10, b"?")
        await eager.say(m.Subscribe("cup", ref=17))
        assert await answer_of(eager.raw) == "too_many_unacknowledged seq, close 4014"
        store.gate.set()
        await lobby.next(m.MatchOpened)
        # What was taken before is not lost: the session goes on behind it.
        welcome = await eager.hello()
        assert welcome.ack == 16
        assert welcome.resumed in ("nothing_missed", "gap")  # the answers may wait for it by now


async def test_a_frame_is_acknowledged_once_it_is_on_disk():

    store = GatedStore()
    async with premises(store=store, limits=QUIET) as house:
        lobby = await house.lobby()
        store.gate.clear()
        await lobby.say(m.OpenMatch("cup", "one", ref=1))
        await house.until(lambda: "cup" in house.office.desks)
        session = house.peer("lobby").session
        assert session is not None
        assert (session.received, session.settled, session.ack_due) == (1, 0, False)
        store.gate.set()
        await lobby.next(m.MatchOpened)
        assert session.settled == 1
        assert lobby.session.unacknowledged == 0


async def test_the_memory_of_a_session():
    async with premises(limits=QUIET, session_limits=SessionLimits(session_bytes=300_000)) as house:
        other = await house.table_server("other")
        lobby = await house.lobby()
        peer = house.peer("lobby")
        assert peer.session is not None
        assert peer.session.window_bytes == 300_000
        await lobby.cut()
        await house.gone("lobby")
        for _ in range(20):
            house.office.peers.send(peer, m.MatchStarted("x" * 64, 1))
        for _ in range(20):
            house.office.peers.send(peer, m.Error("internal", "x" * 500))
        assert peer.session is not None
        many = encode_message(m.MatchOver("m", 1, 1, [m.PlaceRow(1, "p" * 60, 0, None)] * 900))
        for _ in range(10):
            house.office.peers.send_encoded(peer, many)
        house.office.peers.flush()
        assert peer.session is None
        assert (await lobby.hello()).resumed == "snapshot"
        await nobody_else_noticed(house, other)


async def test_how_many_sockets_may_be_opening():
    limits = attrs.evolve(QUIET, max_unauthenticated=4, max_unauthenticated_per_address=2)
    async with premises(limits=limits) as house:
        other = await house.lobby()
        async with connected(house.port), connected(house.port), connected(house.port) as third:
            answer = await third.response()
            assert not isinstance(answer, Ended)
            assert answer[0] == 503
            await nobody_else_noticed(house, other)
        # Their places are free again.
        await house.until(lambda: house.listener.sockets == 1)
        async with opened(house.port) as peer:
            await peer.send(frame(BINARY, hello()))
            item = await peer.frame()
            assert not isinstance(item, Ended)
            assert word(messages_in(item[1])[0]) == "welcome"
        assert not house.listener._strangers


async def test_how_long_an_opening_may_take():
    limits = attrs.evolve(QUIET, open_timeout_s=0.1, hello_timeout_s=0.1, close_timeout_s=0.1)
    async with premises(limits=limits) as house:
        other = await house.lobby()
        async with connected(house.port) as peer:
            await peer.send(request()[:20])
            assert await peer.rest() == b""
        async with opened(house.port) as peer:
            assert await peer.close_code() == 4008
        await nobody_else_noticed(house, other)


def test_a_bucket_fills_steadily_and_holds_only_so_much():
    bucket = Bucket(2.0, 3.0)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert bucket.take(0.5)
    assert not bucket.take(0.5)
    assert [bucket.take(1000.0) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(1000.0, 2.0)


def test_paces_are_named_by_what_an_operator_says():
    assert (per_second(10).per_s, per_second(10).most) == (10, 20)
    assert (per_minute(30).per_s, per_minute(30).most) == (0.5, 30)
