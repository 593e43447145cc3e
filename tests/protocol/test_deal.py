"""Deals: the golden values bind every implementation in every language; the properties say what they are good for."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol
from protocol.deal import DealStream, commitment, deal_of, expand

GOLDEN = json.loads((Path(protocol.__file__).parent / "spec" / "deals.json").read_text(encoding="utf-8"))
deals = st.binary(min_size=32, max_size=32).map(bytes.hex)


@pytest.mark.parametrize("golden", GOLDEN["commitments"])
def test_golden_commitment(golden):
    assert commitment(golden["secret"]) == golden["commitment"]


@pytest.mark.parametrize("golden", GOLDEN["deals"])
def test_golden_deal(golden):
    words = golden["secret"], golden["match_id"], golden["board"], golden["hand_no"]
    assert deal_of(*words) == golden["deal"]


@pytest.mark.parametrize("golden", GOLDEN["decks"])
def test_golden_deck(golden):
    assert expand(golden["deal"], golden["size"]) == golden["deck"]


@pytest.mark.parametrize("golden", GOLDEN["streams"])
def test_golden_stream(golden):
    stream = DealStream(golden["deal"])
    assert [stream.below(n) for n in golden["bounds"]] == golden["numbers"]


@given(deals, st.integers(0, 200))
def test_a_deck_has_every_card_once(deal, size):
    assert sorted(expand(deal, size)) == list(range(size))


@given(deals, st.lists(st.integers(1, 2**32), max_size=40))
def test_numbers_stay_below_their_bound_and_come_again(deal, bounds):
    stream, again = DealStream(deal), DealStream(deal)
    numbers = [stream.below(n) for n in bounds]
    assert all(0 <= number < n for number, n in zip(numbers, bounds, strict=True))
    assert [again.below(n) for n in bounds] == numbers


def test_every_card_comes_to_the_top_equally_often():
    tops = Counter(expand(deal_of("secret", "m", "1", hand), 4)[0] for hand in range(4_000))
    # Four standard deviations of a fair draw are 110.
    assert all(abs(tops[card] - 1_000) < 110 for card in range(4))


def test_each_part_of_its_words_changes_a_deal():
    words = ("secret", "m-1", "7", 3)
    changed = [
        ("Secret", "m-1", "7", 3),
        ("secret", "m-2", "7", 3),
        ("secret", "m-1", "8", 3),
        ("secret", "m-1", "7", 4),
    ]
    assert len({deal_of(*each) for each in [words, *changed]}) == 5


@pytest.mark.parametrize("words", [("a\x1fb", "m", "1", 1), ("a", "m\x1f", "1", 1), ("a", "m", "\x1f1", 1)])
def test_the_separator_cannot_be_part_of_the_words(words):
    with pytest.raises(ValueError, match="U\\+001F"):
        deal_of(*words)


@pytest.mark.parametrize("deal", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n"])
def test_what_is_no_deal_is_refused(deal):
    with pytest.raises(ValueError, match="64 hex"):
        DealStream(deal)


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_bound_out_of_range_is_refused(n):
    with pytest.raises(ValueError, match="bound"):
        DealStream("0" * 64).below(n)


def test_a_deck_of_negative_size_is_refused():
    with pytest.raises(ValueError, match="negative"):
        expand("0" * 64, -1)
