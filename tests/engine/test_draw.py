"""Draws are fair, can be stored and continued anywhere, and are the same in every language."""

from collections import Counter
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine.draw import Draw

KEY = "000102030405060708090a0b0c0d0e0f"

keys = st.binary(min_size=1, max_size=64).map(bytes.hex)
counters = st.integers(0, 2**64 - 10_000)


class PlainDraw:
    """The algorithm as its description says it, one word at a time, without any shortcut."""

    def __init__(self, key: str, counter: int) -> None:
        self.key = bytes.fromhex(key)
        self.counter = counter
        self.words: list[int] = []

    def word(self) -> int:
        if not self.words:
            block = blake2b(self.counter.to_bytes(8, "little"), key=self.key, digest_size=64).digest()
            self.words = [int.from_bytes(block[at : at + 8], "little") for at in range(0, 64, 8)]
            self.counter += 1
        return self.words.pop(0)

    def number(self, n: int) -> int:
        largest_multiple = 2**64 // n * n
        while (word := self.word()) >= largest_multiple:
            pass
        return word % n


@given(keys, counters, st.integers(1, 2**64))
def test_below_follows_the_description(key: str, counter: int, n: int) -> None:
    draw, plain = Draw(key, counter), PlainDraw(key, counter)
    assert draw.below(n) == plain.number(n)
    assert draw.counter == plain.counter


@given(keys, counters, st.integers(0, 60))
def test_shuffle_follows_the_description(key: str, counter: int, size: int) -> None:
    draw, plain = Draw(key, counter), PlainDraw(key, counter)
    cards = list(range(size))
    for i in range(size - 1, 0, -1):
        j = plain.number(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    assert draw.shuffle(range(size)) == cards
    assert draw.counter == plain.counter


@given(keys, counters, st.integers(0, 60), st.integers(0, 60))
def test_choose_follows_the_description(key: str, counter: int, one: int, other: int) -> None:
    k, size = sorted((one, other))
    draw, plain = Draw(key, counter), PlainDraw(key, counter)
    cards = list(range(size))
    for i in range(k):
        j = i + plain.number(size - i)
        cards[i], cards[j] = cards[j], cards[i]
    assert draw.choose(range(size), k) == cards[:k]
    assert draw.counter == plain.counter


def test_golden_values() -> None:
    """Frozen: if one of these changes, no stored match can be replayed."""
    draw = Draw(KEY)
    numbers = [draw.below(n) for n in (1, 2, 6, 10, 52, 1000, 2**32, 2**63 + 1, 2**64)]
    assert numbers == [0, 0, 5, 7, 27, 851, 1064196036, 8296661449178384574, 5835757430455166682]
    assert draw.counter == 9
    assert draw.shuffle(range(1, 19)) == [6, 17, 1, 15, 12, 3, 8, 4, 14, 2, 18, 7, 5, 13, 16, 10, 11, 9]
    assert draw.counter == 12
    assert draw.choose("ABCDEFGH", 3) == ["D", "E", "C"]
    assert draw.counter == 13


def test_golden_derived_stream() -> None:
    stream = Draw.derive(KEY, "stage:pre")
    assert stream == Draw("98bbb8568714950167d6e202a7ddb69b3fa072d8d2416ccf5b93bc9ae54ec5d1", 0)
    assert stream.shuffle(range(10)) == [4, 6, 3, 0, 5, 1, 9, 8, 2, 7]


def test_derived_streams_differ_by_label_and_by_key() -> None:
    streams = [Draw.derive(KEY, "a"), Draw.derive(KEY, "b"), Draw.derive("ff", "a"), Draw(KEY)]
    assert len({tuple(stream.shuffle(range(50))) for stream in streams}) == 4


@given(keys, st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(0, 7))
def test_a_stored_draw_continues_alike(key: str, sizes: list[int], stored_at: int) -> None:
    """R-GR-04: key and counter are the whole state."""
    draw = Draw(key)
    stored = Draw(key)
    for position, size in enumerate(sizes):
        if position == stored_at:
            stored = Draw(stored.key, stored.counter)
        assert draw.shuffle(range(size)) == stored.shuffle(range(size))
        assert draw.below(size) == stored.below(size)


@given(keys, st.lists(st.text(max_size=3), max_size=200))
def test_a_shuffle_loses_nobody_and_leaves_its_input_alone(key: str, items: list[str]) -> None:
    before = list(items)
    assert Counter(Draw(key).shuffle(items)) == Counter(items)
    assert items == before


def test_every_order_of_four_is_equally_likely() -> None:
    """R-GR-04: chi-square over a fixed key; the bound is the 99.9 % point for 23 degrees of freedom."""
    draw = Draw(KEY)
    seen = Counter(tuple(draw.shuffle(range(4))) for _ in range(24_000))
    assert len(seen) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 49.7


def test_every_pair_of_five_is_equally_likely() -> None:
    """Chi-square over a fixed key; the bound is the 99.9 % point for 19 degrees of freedom."""
    draw = Draw(KEY)
    seen = Counter(tuple(draw.choose(range(5), 2)) for _ in range(20_000))
    assert len(seen) == 20
    assert sum((count - 1000) ** 2 / 1000 for count in seen.values()) < 43.8


def test_nothing_to_draw_uses_no_block() -> None:
    draw = Draw(KEY)
    assert draw.shuffle([]) == []
    assert draw.shuffle(["only"]) == ["only"]
    assert draw.choose("abc", 0) == []
    assert draw.counter == 0


@pytest.mark.parametrize("key", ["", "xy", "0", "00" * 65])
def test_a_bad_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="key: expected"):
        Draw(key)


@pytest.mark.parametrize("counter", [-1, 2**64])
def test_a_bad_counter_is_refused(counter: int) -> None:
    with pytest.raises(ValueError, match="counter: expected"):
        Draw(KEY, counter)


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_a_bad_limit_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="n: expected"):
        Draw(KEY).below(n)


@pytest.mark.parametrize("k", [-1, 4])
def test_choosing_more_than_there_are_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match="k: expected"):
        Draw(KEY).choose("abc", k)
