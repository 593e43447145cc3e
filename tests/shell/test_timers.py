"""One heap of everything the daemon waits for."""

from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from coordinator.shell.timers import QUANTUM_S, Timers


@pytest.fixture
async def timers(nursery):
    timers = Timers()
    nursery.start_soon(timers.run)
    await wait_all_tasks_blocked()
    return timers


STEP_S = QUANTUM_S / 4


async def after(clock: MockClock, seconds: float) -> None:
    """Let time pass in small steps, and a little more for what falls due at the end."""
    for _ in range(round((seconds + 2 * QUANTUM_S) / STEP_S)):
        clock.jump(STEP_S)
        await wait_all_tasks_blocked()


async def test_they_are_called_in_the_order_they_are_due_and_never_early(timers, mock_clock):
    called: list[tuple[str, float]] = []

    def note(name: str) -> None:
        called.append((name, trio.current_time()))

    began = trio.current_time()
    for name, at in (("third", 3.0), ("first", 1.0), ("second", 2.0)):
        timers.set(name, began + at, partial(note, name))
    await after(mock_clock, 3)
    assert [name for name, _ in called] == ["first", "second", "third"]
    for (_, at), due in zip(called, (1.0, 2.0, 3.0), strict=True):
        assert began + due <= at <= began + due + 2 * QUANTUM_S + STEP_S
    assert len(timers) == 0


async def test_setting_a_key_again_replaces_it(timers, mock_clock):
    called: list[str] = []
    now = trio.current_time()
    timers.set("key", now + 1, lambda: called.append("early"))
    timers.set("key", now + 5, lambda: called.append("late"))
    await after(mock_clock, 2)
    assert called == []
    await after(mock_clock, 3)
    assert called == ["late"]


async def test_an_earlier_time_wakes_the_sleeper(timers, mock_clock):
    called: list[str] = []
    now = trio.current_time()
    timers.set("far", now + 1000, lambda: called.append("far"))
    await wait_all_tasks_blocked()
    timers.set("near", now + 1, lambda: called.append("near"))
    await after(mock_clock, 1)
    assert called == ["near"]


async def test_a_cancelled_one_is_never_called(timers, mock_clock):
    called: list[str] = []
    now = trio.current_time()
    timers.set("one", now + 1, lambda: called.append("one"))
    timers.set("two", now + 1, lambda: timers.cancel("three"))
    timers.set("three", now + 1.001, lambda: called.append("three"))
    timers.cancel("one")
    timers.cancel("never set")
    await after(mock_clock, 2)
    assert called == []


async def test_many_that_fall_due_together_cost_one_wake_up(timers, mock_clock):
    called: list[float] = []
    now = trio.current_time()
    for number in range(500):
        timers.set(number, now + 1 + number * QUANTUM_S / 1000, lambda: called.append(trio.current_time()))
    await after(mock_clock, 2)
    assert len(called) == 500
    assert len(set(called)) == 1


async def test_one_that_sets_itself_again_and_again_does_not_hold_up_the_others(timers, mock_clock):
    called = {"busy": 0, "other": 0}

    def busy() -> None:
        called["busy"] += 1
        timers.set("busy", trio.current_time(), busy)

    def other() -> None:
        called["other"] += 1

    timers.set("busy", trio.current_time(), busy)
    timers.set("other", trio.current_time() + 1, other)
    await after(mock_clock, 1)
    assert called["other"] == 1
    assert called["busy"] <= 2 + (1 + 2 * QUANTUM_S) / QUANTUM_S


async def test_keys_that_are_set_for_ever_do_not_pile_up(timers, mock_clock):
    now = trio.current_time()
    for number in range(10_000):
        timers.set("key", now + 100 + number, lambda: None)
    assert len(timers) == 1
    assert len(timers._heap) < 200
