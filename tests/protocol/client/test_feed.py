"""Feeds: in order, replaced by key, passed over when not wanted, shared, ended."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from protocol.client import Feed


async def test_items_come_in_order_and_the_end_comes_last():
    feed: Feed[int] = Feed()
    for item in range(5):
        feed.put(item)
    feed.end()
    assert len(feed) == 5
    assert [item async for item in feed] == list(range(5))
    with pytest.raises(trio.EndOfChannel):
        await feed.receive()


async def test_a_key_replaces_in_place():
    feed: Feed[str] = Feed()
    for item, key in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("c", None)]:
        feed.put(item, key)
    feed.end()
    assert [item async for item in feed] == ["a2", "b1", "c"]


async def test_what_is_not_wanted_is_passed_over():
    feed: Feed[int] = Feed(lambda item: item % 2 == 0)
    for item in range(6):
        feed.put(item)
    feed.end()
    assert [item async for item in feed] == [0, 2, 4]


async def test_tasks_that_share_a_feed_get_each_item_once():
    feed: Feed[int] = Feed()
    taken: list[int] = []

    async def take() -> None:
        taken.extend([item async for item in feed])

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(take)
        await wait_all_tasks_blocked()
        for item in range(10):
            feed.put(item)
        await wait_all_tasks_blocked()
        feed.end()
    assert sorted(taken) == list(range(10))


async def test_a_reader_that_gives_up_loses_nothing():
    feed: Feed[int] = Feed()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(feed.receive)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    feed.put(1)
    assert await feed.receive() == 1
