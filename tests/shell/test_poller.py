"""Both ways to wait say the same about the same sockets."""

import select
import socket

import pytest

from coordinator.shell.poller import READ, WRITE, SelectorPoller, make_poller

makers = [SelectorPoller, make_poller] + ([select.epoll] if hasattr(select, "epoll") else [])


@pytest.fixture(params=makers, ids=lambda maker: maker.__name__)
def poller(request):
    made = request.param()
    yield made
    made.close()


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_bytes_make_readable(poller, pair):
    ours, theirs = pair
    poller.register(ours.fileno(), READ)
    assert poller.poll(0, 10) == []
    theirs.send(b"x")
    assert poller.poll(0, 10) == [(ours.fileno(), READ)]


def test_room_makes_writable_only_where_asked(poller, pair):
    ours, _ = pair
    poller.register(ours.fileno(), READ)
    poller.modify(ours.fileno(), READ | WRITE)
    assert poller.poll(0, 10) == [(ours.fileno(), WRITE)]
    poller.modify(ours.fileno(), READ)
    assert poller.poll(0, 10) == []


def test_the_end_counts_as_readable(poller, pair):
    ours, theirs = pair
    poller.register(ours.fileno(), READ)
    theirs.close()
    [(fd, events)] = poller.poll(0, 10)
    assert fd == ours.fileno()
    assert events & ~WRITE


def test_no_more_than_asked_for(poller, pair):
    for sock in pair:
        poller.register(sock.fileno(), WRITE)
    assert len(poller.poll(0, 1)) == 1
    assert len(poller.poll(0, 10)) == 2


def test_unregistered_sockets_are_silent(poller, pair):
    ours, theirs = pair
    poller.register(ours.fileno(), READ)
    poller.unregister(ours.fileno())
    theirs.send(b"x")
    assert poller.poll(0, 10) == []


def test_the_set_itself_can_be_waited_for(poller, pair):
    ours, theirs = pair
    poller.register(ours.fileno(), READ)
    assert select.select([poller.fileno()], [], [], 0)[0] == []
    theirs.send(b"x")
    assert select.select([poller.fileno()], [], [], 0)[0] == [poller.fileno()]
