"""The session: numbering, acknowledging, resuming; by example and by a machine that loses sockets at will."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocol.codec import FRAME_OVERHEAD_MAX, build_frame, decode_frame, encode_message, handshake_frame
from protocol.errors import WireError
from protocol.messages import Bye, Error, Hello, Ok, Subscribe, Welcome
from protocol.session import BAD_MESSAGES_MAX, Resumed, Session, Side, read_answer, read_hello

HELLO = Hello(identity="srv-1", roles=["table"], life="life-1")


def say(ref: int) -> bytes:
    return encode_message(Subscribe("m", ref=ref))


def answer(ref: int) -> bytes:
    return encode_message(Ok(ref))


def coordinator_end(**limits: Any) -> Session:
    return Session(Side.COORDINATOR, session="s-1", epoch="e-1", life="life-1", **limits)


def peer_end(**limits: Any) -> Session:
    peer = Session(Side.PEER, life="life-1", **limits)
    peer.welcomed(Welcome(1, "s-1", "e-1", "new", 0, 1 << 16))
    return peer


def hello_of(peer: Session) -> Hello:
    return Hello(
        identity="srv-1",
        roles=["table"],
        life=peer.life,
        session=peer.session,
        epoch=peer.epoch,
        last_seq=peer.received,
    )


def frames(session: Session) -> list[bytes]:
    return list(iter(session.take_frame, None))


def next_frame(session: Session) -> bytes:
    payload = session.take_frame()
    assert payload is not None
    return payload


def next_ack(session: Session) -> bytes:
    payload = session.take_ack()
    assert payload is not None
    return payload


def refs(messages) -> list[int]:
    return [message.ref for message in messages]


# --- sending and acknowledging -------------------------------------------------------------------------


def test_everything_ready_goes_into_one_frame():
    peer, coordinator = peer_end(), coordinator_end()
    for ref in (1, 2, 3):
        peer.queue(say(ref))
    (payload,) = frames(peer)
    assert refs(coordinator.receive(payload)) == [1, 2, 3]
    assert decode_frame(payload).seq == 1


def test_frames_stay_under_the_other_ends_limit_and_keep_the_order():
    peer = peer_end()
    size = len(say(1))
    peer.message_bytes_max = FRAME_OVERHEAD_MAX + 2 * size
    for ref in range(1, 6):
        peer.queue(say(ref))
    payloads = frames(peer)
    coordinator = coordinator_end()
    assert [refs(coordinator.receive(payload)) for payload in payloads] == [[1, 2], [3, 4], [5]]
    assert all(len(payload) <= peer.message_bytes_max for payload in payloads)


def test_more_messages_than_a_frame_may_hold_take_two_frames():
    peer, coordinator = peer_end(window_bytes=1 << 24), coordinator_end()
    for ref in range(1, 4099):
        peer.queue(say(ref))
    peer.message_bytes_max = 1 << 20
    first, second = frames(peer)
    assert refs(coordinator.receive(first)) == list(range(1, 4097))
    assert refs(coordinator.receive(second)) == [4097, 4098]


def test_a_message_no_frame_can_carry_is_refused_and_changes_nothing():
    peer = peer_end()
    with pytest.raises(WireError) as caught:
        peer.queue(bytes(1 << 16))
    assert caught.value.code == "too_large"
    assert not peer.pending


def test_a_frame_carries_the_newest_acknowledgement():
    peer, coordinator = peer_end(), coordinator_end()
    for ref in (1, 2):
        peer.queue(say(ref))
        (payload,) = frames(peer)
        coordinator.receive(payload)
    assert coordinator.ack_due
    assert peer.unacknowledged == 2
    coordinator.queue(answer(1))
    (payload,) = frames(coordinator)
    assert not coordinator.ack_due
    assert coordinator.take_ack() is None
    peer.receive(payload)
    assert peer.unacknowledged == 0


def test_an_acknowledgement_travels_alone_when_nothing_else_is_said():
    peer, coordinator = peer_end(), coordinator_end()
    peer.queue(say(1))
    coordinator.receive(next_frame(peer))
    ack = next_ack(coordinator)
    assert decode_frame(ack) == (0, 1, [])
    assert peer.receive(ack) == []
    assert peer.unacknowledged == 0
    assert peer.take_ack() is None, "an acknowledgement is not acknowledged"


def test_volatile_messages_replace_one_another_and_have_no_number():
    peer, coordinator = peer_end(), coordinator_end()
    coordinator.queue_volatile("base", answer(1))
    coordinator.queue_volatile("other", answer(2))
    coordinator.queue_volatile("base", answer(3))
    (payload,) = frames(coordinator)
    assert sorted(refs(peer.receive(payload))) == [2, 3]
    assert decode_frame(payload).seq == 0
    assert coordinator.unacknowledged == 0
    assert not peer.ack_due


def test_a_bad_message_does_not_spoil_the_others():
    coordinator = coordinator_end()
    bad = b"\x82\xa4type\xa9subscribe\xa3ref\x05"
    first, error, last = coordinator.receive(build_frame(1, 0, [say(1), bad, say(2)]))
    assert refs([first, last]) == [1, 2]
    assert isinstance(error, WireError)
    assert (error.ref, error.field) == (5, "match_id")
    assert coordinator.received == 1


def test_a_frame_of_bad_messages_is_refused_as_a_whole():
    coordinator = coordinator_end()
    assert len(coordinator.receive(build_frame(1, 0, [b"\x80"] * BAD_MESSAGES_MAX))) == BAD_MESSAGES_MAX
    with pytest.raises(WireError) as caught:
        coordinator.receive(build_frame(2, 0, [b"\x80"] * (BAD_MESSAGES_MAX + 1)))
    assert caught.value.close_code == 4000
    assert coordinator.received == 1


# --- the catalogue: hello and session ------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        build_frame(1, 0, [say(1)]),
        build_frame(0, 0, []),
        build_frame(0, 0, [encode_message(HELLO), say(1)]),
        handshake_frame(Subscribe("m", ref=1)),
    ],
)
def test_59_anything_before_the_hello_closes_the_socket(payload):
    with pytest.raises(WireError) as caught:
        read_hello(payload)
    assert caught.value.code == "hello_first"
    assert caught.value.close_code in (4000, 4001)


def test_a_hello_that_cannot_be_read_closes_the_socket():
    payload = build_frame(0, 0, [encode_message(HELLO).replace(b"srv-1", b"srv 1")])
    with pytest.raises(WireError) as caught:
        read_hello(payload)
    assert (caught.value.code, caught.value.field, caught.value.close_code) == ("malformed", "identity", 4000)


def test_60_a_second_hello_closes_the_socket():
    with pytest.raises(WireError) as caught:
        coordinator_end().receive(handshake_frame(HELLO))
    assert (caught.value.code, caught.value.close_code) == ("second_hello", 4000)


def test_63_a_version_nobody_speaks_closes_the_socket_and_names_ours():
    with pytest.raises(WireError) as caught:
        read_hello(handshake_frame(Hello(identity="srv-1", roles=["table"], life="a", versions=[99])))
    error = caught.value
    assert (error.code, error.field, error.expected, error.close_code) == ("version", "versions", "one of 1", 4015)


def test_67_a_peer_that_has_seen_the_future_gets_a_snapshot_and_an_alarm():
    coordinator = coordinator_end()
    hello = Hello(identity="srv-1", roles=["table"], life="life-1", session="s-1", epoch="e-1", last_seq=9)
    assert coordinator.resume(hello) == "snapshot"
    assert coordinator.claimed_ahead


def test_68_acknowledging_what_was_never_sent_closes_the_socket():
    coordinator = coordinator_end()
    coordinator.queue(answer(1))
    coordinator.take_frame()
    with pytest.raises(WireError) as caught:
        coordinator.receive(build_frame(1, 2, [say(1)]))
    assert (caught.value.code, caught.value.field, caught.value.close_code) == ("malformed", "ack", 4000)
    assert coordinator.received == 0


def test_69_an_acknowledgement_that_goes_back_is_ignored():
    coordinator = coordinator_end()
    for ref in (1, 2):
        coordinator.queue(answer(ref))
        coordinator.take_frame()
    coordinator.receive(build_frame(1, 2, []))
    coordinator.receive(build_frame(2, 1, []))
    assert coordinator.unacknowledged == 0


def test_acknowledging_before_it_is_sent_again_is_taken_at_its_word():
    coordinator = coordinator_end()
    for ref in (1, 2):
        coordinator.queue(answer(ref))
        coordinator.take_frame()
    assert coordinator.resume(hello_of(peer_end())) == "gap"
    coordinator.receive(build_frame(1, 2, []))
    assert frames(coordinator) == []


def test_70_a_repeated_frame_says_nothing_and_is_acknowledged_again():
    coordinator = coordinator_end()
    payload = build_frame(1, 0, [say(1)])
    assert len(coordinator.receive(payload)) == 1
    coordinator.take_ack()
    assert coordinator.receive(payload) == []
    assert decode_frame(next_ack(coordinator)).ack == 1


def test_71_a_missing_frame_closes_the_socket():
    coordinator = coordinator_end()
    with pytest.raises(WireError) as caught:
        coordinator.receive(build_frame(2, 0, [say(1)]))
    error = caught.value
    assert (error.code, error.expected, error.close_code) == ("gap", "frame 1", 4010)
    assert coordinator.received == 0


# --- resuming ------------------------------------------------------------------------------------------


def test_nothing_missed():
    peer, coordinator = peer_end(), coordinator_end()
    assert coordinator.resume(hello_of(peer)) == "nothing_missed"
    assert peer.welcomed(coordinator.welcome("nothing_missed"))
    assert frames(peer) == frames(coordinator) == []


def test_what_was_missed_is_sent_again_bit_for_bit_both_ways():
    peer, coordinator = peer_end(), coordinator_end()
    peer.queue(say(1))
    coordinator.queue(answer(1))
    lost = frames(peer), frames(coordinator)
    peer.queue(say(2))
    coordinator.queue(answer(2))
    assert coordinator.resume(hello_of(peer)) == "gap"
    assert peer.welcomed(coordinator.welcome("gap"))
    again = frames(peer), frames(coordinator)
    assert (again[0][:1], again[1][:1]) == lost
    assert refs(m for payload in again[0] for m in coordinator.receive(payload)) == [1, 2]
    assert refs(m for payload in again[1] for m in peer.receive(payload)) == [1, 2]


def test_what_arrived_without_its_acknowledgement_is_not_sent_again():
    peer, coordinator = peer_end(), coordinator_end()
    for ref in (1, 2):
        peer.queue(say(ref))
        coordinator.receive(next_frame(peer))
    assert coordinator.resume(hello_of(peer)) == "nothing_missed"
    assert peer.welcomed(coordinator.welcome("nothing_missed"))
    assert frames(peer) == []
    assert peer.unacknowledged == 0


@pytest.mark.parametrize(
    "changes",
    [{"session": "s-2"}, {"session": None}, {"epoch": "e-2"}, {"life": "life-2"}],
    ids=lambda changes: next(iter(changes)),
)
def test_another_session_epoch_or_life_gets_a_snapshot(changes):
    hello = {"session": "s-1", "epoch": "e-1", "life": "life-1", **changes}
    coordinator = coordinator_end()
    assert coordinator.resume(Hello(identity="srv-1", roles=["table"], **hello)) == "snapshot"
    assert not coordinator.claimed_ahead


def test_frames_that_are_gone_mean_a_snapshot():
    coordinator = coordinator_end()
    coordinator.queue(answer(1))
    coordinator.take_frame()
    coordinator.receive(build_frame(0, 1, []))
    assert coordinator.resume(hello_of(peer_end())) == "snapshot"


@pytest.mark.parametrize("limits", [{"window_frames": 2}, {"window_bytes": 3 * len(answer(1))}])
def test_too_much_to_keep_overflows_for_good(limits):
    coordinator = coordinator_end(**limits)
    for ref in range(1, 4):
        assert not coordinator.overflow
        coordinator.queue(answer(ref))
        coordinator.take_frame()
    assert coordinator.overflow
    coordinator.receive(build_frame(0, 2, []))
    assert coordinator.overflow
    assert coordinator.resume(hello_of(peer_end())) == "snapshot"


def test_what_waits_for_a_socket_counts_too():
    coordinator = coordinator_end(window_bytes=2 * len(answer(1)))
    coordinator.queue(answer(1))
    coordinator.queue(answer(2))
    assert not coordinator.overflow
    coordinator.queue(answer(3))
    assert coordinator.overflow


def test_a_new_session_sends_nothing_of_the_old_one():
    peer = peer_end()
    peer.queue(say(1))
    peer.take_frame()
    peer.queue(say(2))
    assert not peer.welcomed(Welcome(1, "s-2", "e-2", "snapshot", 0, 1 << 16))
    assert frames(peer) == []
    peer.queue(say(3))
    assert decode_frame(next_frame(peer)).seq == 1


def test_volatile_messages_share_frames_under_the_limit():
    coordinator = coordinator_end(message_bytes_max=FRAME_OVERHEAD_MAX + 2 * len(answer(1)))
    for key in range(5):
        coordinator.queue_volatile(key, answer(key + 1))
    peer = peer_end()
    assert [refs(peer.receive(payload)) for payload in frames(coordinator)] == [[1, 2], [3, 4], [5]]


def test_forgetting_asks_for_a_new_session():
    peer = peer_end()
    peer.receive(build_frame(1, 0, [answer(1)]))
    peer.forget()
    assert (peer.session, peer.epoch, peer.received) == (None, None, 0)


def test_the_welcome_bounds_what_is_sent():
    peer = Session(Side.PEER)
    peer.welcomed(Welcome(1, "s-1", "e-1", "new", 0, 1000))
    with pytest.raises(WireError):
        peer.queue(bytes(1000))


@pytest.mark.parametrize(
    "welcome",
    [
        Welcome(1, "s-2", "e-1", "gap", 0, 1000),
        Welcome(1, "s-1", "e-2", "nothing_missed", 0, 1000),
        Welcome(1, "s-1", "e-1", "gap", 2, 1000),
    ],
    ids=["session", "epoch", "ack"],
)
def test_a_welcome_that_contradicts_the_session_is_refused(welcome):
    peer = peer_end()
    peer.queue(say(1))
    peer.take_frame()
    with pytest.raises(WireError) as caught:
        peer.welcomed(welcome)
    assert caught.value.close_code == 4000


def test_a_coordinator_that_lost_acknowledged_frames_is_refused():
    peer = peer_end()
    peer.queue(say(1))
    peer.take_frame()
    peer.receive(build_frame(0, 1, []))
    with pytest.raises(WireError):
        peer.welcomed(Welcome(1, "s-1", "e-1", "gap", 0, 1000))


@pytest.mark.parametrize("message", [Error("no_token", "which?"), Bye("rate", retry_after_ms=5)])
def test_a_hello_may_be_answered_with_no(message):
    assert read_answer(handshake_frame(message)) == message


def test_a_hello_is_not_answered_with_anything_else():
    with pytest.raises(WireError) as caught:
        read_answer(handshake_frame(Ok(1)))
    assert caught.value.close_code == 4000


# --- a pair of sessions on a link that breaks ----------------------------------------------------------


class Pair(RuleBasedStateMachine):
    """Two sessions on a link that loses what is in flight.

    The books: every message has a number of its own. Within one session each end must receive exactly what the other
    one queued, in order, without a hole. A new session may begin only where the window overflowed or the coordinator
    restarted, and then starts clean.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ids = 0
        self.sessions = 1
        self.epochs = 1
        self.peer = Session(Side.PEER, life="life-1", window_frames=6)
        self.coordinator = self.new_session()
        self.peer.welcomed(self.coordinator.welcome("new"))
        self.up: list[bytes] = []
        self.down: list[bytes] = []
        self.connected = True
        self.snapshot_is_due = False
        self.start_books()

    def new_session(self) -> Session:
        self.sessions += 1
        return Session(
            Side.COORDINATOR,
            session=f"s-{self.sessions}",
            epoch=f"e-{self.epochs}",
            life="life-1",
            window_frames=6,
        )

    def start_books(self) -> None:
        self.said: dict[Session, list[int]] = {self.peer: [], self.coordinator: []}
        self.heard: dict[Session, list[int]] = {self.peer: [], self.coordinator: []}

    # -- both ends talk

    @rule(count=st.integers(1, 3))
    def peer_says(self, count):
        for _ in range(count):
            self.ids += 1
            self.peer.queue(say(self.ids))
            self.said[self.peer].append(self.ids)

    @rule(count=st.integers(1, 3))
    def coordinator_says(self, count):
        for _ in range(count):
            self.ids += 1
            self.coordinator.queue(answer(self.ids))
            self.said[self.coordinator].append(self.ids)

    @precondition(lambda self: self.connected)
    @rule(who=st.sampled_from(["peer", "coordinator"]), ack=st.booleans())
    def flush(self, who, ack):
        session: Session = getattr(self, who)
        line = self.up if who == "peer" else self.down
        payload = session.take_ack() if ack else session.take_frame()
        if payload is not None:
            line.append(payload)

    # -- the link carries, repeats and breaks

    @precondition(lambda self: self.connected and self.up)
    @rule(twice=st.booleans())
    def arrive_up(self, twice):
        self.arrive(self.up.pop(0), self.coordinator, twice)

    @precondition(lambda self: self.connected and self.down)
    @rule(twice=st.booleans())
    def arrive_down(self, twice):
        self.arrive(self.down.pop(0), self.peer, twice)

    def arrive(self, payload: bytes, receiver: Session, twice: bool) -> None:
        self.heard[receiver] += refs(receiver.receive(payload))
        if twice and decode_frame(payload).seq:
            assert receiver.receive(payload) == []

    @precondition(lambda self: self.connected)
    @rule()
    def cut(self):
        self.up.clear()
        self.down.clear()
        self.connected = False

    @precondition(lambda self: self.connected)
    @rule()
    def the_coordinator_restarts(self):
        self.cut()
        self.epochs += 1
        self.snapshot_is_due = True

    @precondition(lambda self: not self.connected)
    @rule(welcome_is_lost=st.booleans())
    def dial(self, welcome_is_lost):
        if self.peer.overflow:
            self.peer.forget()
            self.snapshot_is_due = True
        self.snapshot_is_due |= self.coordinator.overflow
        hello = read_hello(handshake_frame(hello_of(self.peer)))
        if self.snapshot_is_due and hello.epoch == self.coordinator.epoch != f"e-{self.epochs}":
            how: Resumed = "snapshot"  # the coordinator that restarted has no session to ask
        else:
            how = self.coordinator.resume(hello)
        if how == "snapshot":
            assert self.snapshot_is_due, "a session was given up without need"
            self.coordinator = self.new_session()
            self.said = {self.peer: self.said[self.peer], self.coordinator: []}
            self.heard = {self.peer: [], self.coordinator: []}
        else:
            assert not self.snapshot_is_due
        welcome = read_answer(handshake_frame(self.coordinator.welcome(how)))
        assert isinstance(welcome, Welcome)
        if welcome_is_lost:
            return
        kept = self.peer.welcomed(welcome)
        assert kept == (how != "snapshot")
        if not kept:
            self.snapshot_is_due = False
            self.said[self.peer] = []
            self.heard[self.peer] = []
        self.connected = True

    # -- the books agree

    @invariant()
    def what_is_heard_is_what_was_said(self):
        if self.snapshot_is_due:
            return
        for speaker, listener in ((self.peer, self.coordinator), (self.coordinator, self.peer)):
            heard = self.heard[listener]
            assert heard == self.said[speaker][: len(heard)]

    def teardown(self):
        """When the faults stop everything arrives."""
        while not self.connected or self.peer.overflow or self.coordinator.overflow:
            if self.connected:
                self.cut()
            self.dial(welcome_is_lost=False)
        for _ in range(2):
            for session, line in ((self.peer, self.up), (self.coordinator, self.down)):
                line += frames(session)
                line += filter(None, [session.take_ack()])
            for line, receiver in ((self.up, self.coordinator), (self.down, self.peer)):
                while line:
                    self.arrive(line.pop(0), receiver, twice=False)
        assert self.heard[self.coordinator] == self.said[self.peer]
        assert self.heard[self.peer] == self.said[self.coordinator]
        assert self.peer.unacknowledged == self.coordinator.unacknowledged == 0


Pair.TestCase.settings = settings(max_examples=150, stateful_step_count=60)
TestPair = Pair.TestCase
