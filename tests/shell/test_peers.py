"""Who is connected, and what waits for whom."""

import pytest

from coordinator.shell.peers import FRAME_BYTES, LOBBY_WINDOW_BYTES, Peer, Peers, window_bytes
from protocol import messages as m
from protocol.session import Session, Side


def peer(identity: str, role: m.Role = "table", window: int = 1 << 20) -> Peer:
    session = Session(Side.COORDINATOR, session="s", epoch="e", message_bytes_max=FRAME_BYTES, window_bytes=window)
    return Peer(identity, (role,), "life", "", (), 0, 0.0, session=session)


@pytest.mark.parametrize(("capacity", "at_least"), [(0, 1 << 20), (1000, 1000 * 2048), (20_000, 20_000 * 2048)])
def test_a_window_holds_all_the_tables_a_server_may_hold(capacity, at_least):
    assert window_bytes(capacity) >= at_least
    assert window_bytes(2**53 - 1) == window_bytes(20_000)
    assert window_bytes(capacity, lobby=True) >= LOBBY_WINDOW_BYTES


def test_who_is_forgotten_is_known_no_more_but_its_successor_is():
    peers = Peers()
    first, second = peer("ts-1"), peer("ts-1")
    peers.add(first)
    peers.add(second)
    peers.forget(first)
    assert peers.get("ts-1") is second
    peers.forget(second)
    assert len(peers) == 0


def test_roles_are_found_in_the_order_they_came():
    peers = Peers()
    for identity, role in (("b", "table"), ("l", "lobby"), ("a", "table")):
        peers.add(peer(identity, role))  # type: ignore[arg-type]
    assert [found.identity for found in peers.with_role("table")] == ["b", "a"]


def test_who_has_a_role_is_known_anew_when_somebody_comes_goes_or_changes():
    peers = Peers()
    one, other = peer("a"), peer("b")
    peers.add(one)
    assert peers.with_role("table") == [one]
    peers.add(other)
    assert peers.with_role("table") == [one, other]
    peers.cast(one, ("lobby",))
    assert (peers.with_role("table"), peers.with_role("lobby")) == ([other], [one])
    peers.forget(other)
    assert peers.with_role("table") == []


def test_who_drains_is_known_until_it_stops_or_is_forgotten():
    peers = Peers()
    one, other = peer("a"), peer("b")
    for server in (one, other):
        peers.add(server)
        peers.drain(server, True)
    assert list(peers.draining) == [one, other]
    peers.drain(one, False)
    assert not one.draining
    peers.forget(other)
    assert not peers.draining


def test_what_is_said_to_an_absent_peer_waits_and_too_much_of_it_ends_its_session():
    peers = Peers()
    away = peer("ts-1", window=100)
    peers.add(away)
    peers.send(away, m.Ok(1))
    peers.flush()
    assert away.session is not None
    assert away.session.pending
    for ref in range(20):
        peers.send(away, m.Ok(ref + 1))
    peers.flush()
    assert away.session is None
    assert peers.overflows == 1
    peers.send(away, m.Ok(1))
    peers.flush()


def test_a_message_no_frame_can_carry_ends_the_session_and_nothing_else():
    peers = Peers()
    one, other = peer("ts-1"), peer("ts-2")
    for known in (one, other):
        peers.add(known)
        peers.send_encoded(known, b"x" * (FRAME_BYTES if known is one else 10))
    peers.flush()
    assert one.session is None
    assert other.session is not None
    assert other.session.pending


def test_a_mute_peer_is_told_nothing():
    peers = Peers()
    quiet = peer("ts-1")
    quiet.mute = True
    peers.send(quiet, m.Ok(1))
    assert quiet.session is not None
    assert not quiet.session.pending
