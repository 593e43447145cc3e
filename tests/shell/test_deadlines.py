"""The heap of deadlines: earliest first, never missed, and quiet about what moved later."""

from math import inf

import attrs
from hypothesis import given
from hypothesis import strategies as st

from coordinator.shell.deadlines import Deadlines


@attrs.define(eq=False)
class Item:
    due: float = inf


def test_items_come_out_when_their_moment_has_come():
    deadlines: Deadlines[Item] = Deadlines()
    early, late = Item(), Item()
    deadlines.arm(late, 20)
    deadlines.arm(early, 10)
    assert deadlines.pop_due(9.9) == []
    assert deadlines.pop_due(20) == [early, late]
    assert deadlines.pop_due(1000) == []


def test_an_earlier_deadline_wins_and_the_later_one_stays_silent():
    deadlines: Deadlines[Item] = Deadlines()
    item = Item()
    deadlines.arm(item, 20)
    deadlines.arm(item, 10)
    deadlines.arm(item, 15)
    assert deadlines.pop_due(10) == [item]
    assert deadlines.pop_due(1000) == []


def test_a_popped_item_can_be_armed_for_any_moment():
    deadlines: Deadlines[Item] = Deadlines()
    item = Item()
    deadlines.arm(item, 10)
    deadlines.pop_due(10)
    deadlines.arm(item, 30)
    assert item.due == 30
    assert deadlines.pop_due(30) == [item]


def test_arming_with_the_same_moment_again_costs_nothing():
    deadlines: Deadlines[Item] = Deadlines()
    item = Item()
    for _ in range(100):
        deadlines.arm(item, 10)
    assert len(deadlines) == 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 50)), max_size=80), st.integers(0, 60))
def test_everything_due_comes_out_in_order(arms, now):
    deadlines: Deadlines[Item] = Deadlines()
    items = [Item() for _ in range(5)]
    earliest: dict[int, int] = {}
    for index, due in arms:
        deadlines.arm(items[index], due)
        earliest[index] = min(due, earliest.get(index, due))
    found = deadlines.pop_due(now)
    assert {id(item) for item in found} == {id(items[i]) for i, due in earliest.items() if due <= now}
    assert [earliest[items.index(item)] for item in found] == sorted(due for due in earliest.values() if due <= now)
