"""The outbox: order, budget, replaceable ticks, and never half a frame."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.shell.outbox import FRAMES_PER_WRITE, Outbox


class Kernel:
    """Takes up to `room` bytes per write."""

    def __init__(self) -> None:
        self.room = 0
        self.taken = b""

    def write(self, buffers: Sequence[bytes | memoryview]) -> int:
        data = b"".join(buffers)[: self.room]
        self.taken += data
        return len(data)

    def drain(self, outbox: Outbox, room: int) -> None:
        self.room = room
        outbox.drain(self.write)


def test_frames_leave_in_order_however_the_kernel_cuts_them():
    outbox, kernel = Outbox(1000, 10), Kernel()
    for piece in (b"one", b"two", b"three"):
        outbox.append(piece)
    for _ in range(11):
        assert len(outbox) > 0
        kernel.drain(outbox, 1)
    assert kernel.taken == b"onetwothree"
    assert len(outbox) == 0
    assert outbox.waiting_bytes == 0


def test_the_budget_counts_bytes_that_wait():
    outbox, kernel = Outbox(10, 10), Kernel()
    outbox.append(b"12345678")
    assert outbox.fits(2)
    assert not outbox.fits(3)
    kernel.drain(outbox, 5)
    assert outbox.fits(7)
    assert not outbox.fits(8)


def test_the_budget_counts_frames():
    outbox = Outbox(1000, 2)
    outbox.append(b"a")
    assert outbox.fits(1)
    outbox.append(b"b")
    assert not outbox.fits(1)


def test_a_tick_takes_the_place_of_the_one_that_waits():
    outbox, kernel = Outbox(1000, 10), Kernel()
    outbox.append(b"event ")
    outbox.append(b"tick 1 ", slot="clock")
    outbox.append(b"event ")
    assert outbox.replace("clock", b"tick two ")
    assert outbox.waiting_bytes == len(b"event tick two event ")
    kernel.drain(outbox, 1000)
    assert kernel.taken == b"event tick two event "


def test_a_tick_that_has_begun_to_leave_is_not_replaced():
    outbox, kernel = Outbox(1000, 10), Kernel()
    outbox.append(b"tick 1 ", slot="clock")
    kernel.drain(outbox, 1)
    assert not outbox.replace("clock", b"tick 2 ")
    kernel.drain(outbox, 1000)
    assert kernel.taken == b"tick 1 "


def test_a_tick_that_left_is_forgotten():
    outbox, kernel = Outbox(1000, 10), Kernel()
    outbox.append(b"tick 1 ", slot="clock")
    kernel.drain(outbox, 1000)
    assert not outbox.replace("clock", b"tick 2 ")


def test_a_replacement_must_be_within_the_budget():
    outbox = Outbox(10, 10)
    outbox.append(b"12345", slot="clock")
    assert not outbox.replace("clock", b"12345678901")
    assert outbox.waiting_bytes == 5
    assert outbox.replace("clock", b"1234567890")


def test_dropping_keeps_the_frame_that_has_begun():
    outbox, kernel = Outbox(1000, 10), Kernel()
    outbox.append(b"first", sent=2, slot="clock")
    outbox.append(b"second")
    outbox.drop_unsent()
    assert outbox.waiting_bytes == 3
    assert not outbox.replace("clock", b"other")
    kernel.drain(outbox, 1000)
    assert kernel.taken == b"rst"


def test_dropping_when_nothing_has_begun_leaves_nothing():
    outbox = Outbox(1000, 10)
    outbox.append(b"first", slot="clock")
    outbox.drop_unsent()
    assert len(outbox) == 0
    assert outbox.waiting_bytes == 0
    assert not outbox.replace("clock", b"other")


def test_one_write_gathers_a_limited_number_of_frames():
    outbox = Outbox(10_000, 1000)
    for _ in range(FRAMES_PER_WRITE + 1):
        outbox.append(b"x")
    sizes: list[int] = []

    def write(buffers: Sequence[bytes | memoryview]) -> int:
        sizes.append(len(buffers))
        return len(buffers)

    outbox.drain(write)
    outbox.drain(write)
    assert sizes == [FRAMES_PER_WRITE, 1]


def test_a_failing_write_drops_nothing():
    outbox, kernel = Outbox(1000, 10), Kernel()
    outbox.append(b"frame")

    def write(buffers: Sequence[bytes | memoryview]) -> int:
        raise BlockingIOError

    with pytest.raises(BlockingIOError):
        outbox.drain(write)
    kernel.drain(outbox, 1000)
    assert kernel.taken == b"frame"


_operations = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.binary(min_size=1, max_size=9)),
        st.tuples(st.just("tick"), st.binary(min_size=1, max_size=9)),
        st.tuples(st.just("drain"), st.integers(0, 20)),
        st.tuples(st.just("drop"), st.none()),
    ),
    max_size=60,
)


@given(_operations)
def test_the_outbox_behaves_like_a_plain_list(operations):
    """The judge keeps a list of [is tick, bytes left, begun] and no cleverness."""
    outbox, kernel = Outbox(60, 12), Kernel()
    model: list[list] = []
    expected = b""
    for name, argument in operations:
        waiting = sum(len(left) for _, left, _ in model)
        if name == "drain":
            kernel.drain(outbox, argument)
            while argument and model:
                left = model[0][1]
                expected += left[:argument]
                model[0][1], model[0][2] = left[argument:], True
                argument -= min(argument, len(left))
                if not model[0][1]:
                    model.pop(0)
        elif name == "drop":
            outbox.drop_unsent()
            model = [[False, left, begun] for _, left, begun in model if begun]
        else:
            fits = waiting + len(argument) <= 60 and len(model) < 12
            assert outbox.fits(len(argument)) == fits
            old = [entry for entry in model if entry[0]] if name == "tick" else []
            if old and not old[-1][2] and waiting - len(old[-1][1]) + len(argument) <= 60:
                assert outbox.replace("clock", argument)
                old[-1][1] = argument
                continue
            if name == "tick":
                assert not outbox.replace("clock", argument)
            if fits:
                outbox.append(argument, slot="clock" if name == "tick" else None)
                model.append([name == "tick", argument, False])
        assert outbox.waiting_bytes == sum(len(left) for _, left, _ in model)
        assert len(outbox) == len(model)
    kernel.drain(outbox, 1000)
    assert kernel.taken == expected + b"".join(left for _, left, _ in model)
