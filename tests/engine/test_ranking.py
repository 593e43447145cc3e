"""Orders are strict, the fast path agrees with the plain one, ties split by the chain.

Proves R-TB-01, R-TB-02, R-TB-03.
"""

from array import array
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.engine.draw import Draw
from coordinator.engine.numbers import Number
from coordinator.engine.ranking import (
    batch_places,
    chain_for,
    order,
    places_of_eliminated,
    table_places,
    tie_columns,
)

KEY = "5eed" * 16
REGULAR = ("last_hand", "registration")

numbers = st.one_of(st.integers(-5, 5), st.fractions(-3, 3, max_denominator=4), st.integers())


def plain_order(columns: Sequence[Sequence[Number]], reg_seq: Sequence[int]) -> list[int]:
    """One stable sort per key, the least important first: a different way to the same order."""
    rows = sorted(range(len(reg_seq)), key=lambda row: reg_seq[row])
    for column in reversed(columns):
        rows.sort(key=lambda row, column=column: column[row], reverse=True)  # type: ignore[misc]
    return rows


@given(st.data(), st.integers(0, 30), st.integers(0, 3))
def test_small_fields(data: st.DataObject, rows: int, width: int) -> None:
    """R-TB-02: whatever ties, registration decides."""
    columns = [data.draw(st.lists(numbers, min_size=rows, max_size=rows)) for _ in range(width)]
    reg_seq = data.draw(st.permutations(range(rows)))
    assert order(columns, reg_seq) == plain_order(columns, reg_seq)


spans = st.sampled_from([1, 2, 50, 2**31, 2**40, 2**64])


def _column(draw: Draw, rows: int, span: int) -> list[int]:
    """Values around zero; a span of 2**64 fills int64 to both ends."""
    column = [draw.below(span) - span // 2 for _ in range(rows)]
    if span > 1:
        column[0], column[-1] = -(span // 2), span - span // 2 - 1
    return column


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from([4095, 4096, 4500]), st.lists(spans, max_size=3))
def test_large_fields_are_ordered_like_small_ones(seed: int, rows: int, widths: list[int]) -> None:
    """Both kinds of array sort, one folded key and several keys, agree with the plain order."""
    draw = Draw.derive(KEY, str(seed))
    columns = [_column(draw, rows, span) for span in widths]
    reg_seq = draw.shuffle(range(1, rows + 1))
    expected = plain_order(columns, reg_seq)
    assert order(columns, reg_seq) == expected
    assert order([array("q", column) for column in columns], array("q", reg_seq)) == expected


@pytest.mark.parametrize("odd_one", [Fraction(1, 2), 2**63, -(2**63) - 1, 2**200])
def test_a_large_field_with_a_number_no_array_holds(odd_one: Number) -> None:
    """Nothing is cut down to fit: the exact value decides."""
    rows = 5000
    column: list[Number] = [n % 2 for n in range(rows)]
    column[1234] = odd_one
    reg_seq = range(rows)
    ranked = order([column], reg_seq)
    assert ranked == plain_order([column], reg_seq)
    assert all(type(row) is int for row in ranked)


@pytest.mark.parametrize("rows", [2, 5000])
@pytest.mark.parametrize("scale", [1, 2**50])
def test_two_players_with_one_registration_number_are_refused(rows: int, scale: int) -> None:
    """R-TB-02: the number is unique, so an order without it is a mistake and no coin is tossed."""
    scores = [n // 2 * scale for n in range(rows)]
    numbers_twice = [n // 2 for n in range(rows)]
    with pytest.raises(ValueError, match="share a registration number"):
        order([scores, scores], numbers_twice)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 3 values in each, got 2"):
        order([[1, 2, 3], [1, 2]], [1, 2, 3])


def test_worked_example_of_reseating() -> None:
    """R-SW-03: former ranks 1..6 with totals 10, 60, 55, 40, 30, 20."""
    assert [row + 1 for row in order([[10, 60, 55, 40, 30, 20]], [1, 2, 3, 4, 5, 6])] == [2, 3, 4, 5, 6, 1]


def test_last_hand_then_registration() -> None:
    """R-TB-01, R-TB-02, R-TB-03: A and B have 120 points, B registered first."""

    def first(chain: tuple[str, ...], last_hands: list[int]) -> str:
        return "AB"[order([[120, 120], *tie_columns(chain, last_hands)], [2, 1])[0]]

    assert first(REGULAR, [10, -5]) == "A"
    assert first(("registration",), [10, -5]) == "B"
    assert first(REGULAR, [10, 10]) == "B"


def test_the_chain_is_one_sort_for_three_tied_players() -> None:
    """R-TB-03."""
    columns = [[50, 50, 50, 60], *tie_columns(REGULAR, [5, 9, 5, -20])]
    assert order(columns, [3, 4, 1, 2]) == [3, 1, 2, 0]


@pytest.mark.parametrize(
    ("event_class", "format", "chain"),
    [
        ("regular", "melee", REGULAR),
        ("championship", "knockout", REGULAR),
        ("regular", "default", REGULAR),
        ("regular", "swiss_shift", ("registration",)),
        ("championship", "continuous_swiss", ("registration",)),
        ("swiss", "knockout", ("registration",)),
    ],
)
def test_which_chain_applies(event_class: str, format: str, chain: tuple[str, ...]) -> None:
    """R-TB-03."""
    assert chain_for(event_class, format) == chain


def test_an_unknown_event_class_is_refused() -> None:
    with pytest.raises(ValueError, match="event_class: expected one of"):
        chain_for("friendly", "melee")


@pytest.mark.parametrize("chain", [("extra_hand",), ("last_hand", "coin"), ("registration", "last_hand")])
def test_a_chain_no_stage_can_follow_is_refused(chain: tuple[str, ...]) -> None:
    """R-TB-03."""
    with pytest.raises(ValueError, match="tie_chain: "):
        tie_columns(chain, [1, 2])


def test_worked_example_of_a_batch() -> None:
    """R-ME-05: of 100 left one hand eliminates -20 and -50."""
    assert batch_places(100, [("x", -50, 400, 1), ("y", -20, 100, 2)]) == {"y": 99, "x": 100}


def test_a_batch_ties_on_the_score_before_the_hand() -> None:
    """R-ME-05: whoever had more stands higher, whatever the last hand brought; then registration."""
    batch = [("poor", 0, 50, 1), ("late", 0, 300, 9), ("early", 0, 300, 2)]
    assert batch_places(100, batch) == {"early": 98, "late": 99, "poor": 100}


def test_a_whole_table_can_go_out_at_once() -> None:
    """R-ME-01: places 98 to 100."""
    assert sorted(batch_places(100, [(p, 0, 0, n) for n, p in enumerate("abc")]).values()) == [98, 99, 100]


def test_a_batch_larger_than_the_field_is_refused() -> None:
    with pytest.raises(ValueError, match="2 players out of 1 left"):
        batch_places(1, [("a", 0, 0, 1), ("b", 0, 0, 2)])


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), max_size=12), st.integers(0, 50))
def test_batch_places_are_the_lowest_still_free(scores: list[tuple[int, int]], left: int) -> None:
    """R-ME-05."""
    batch = [(f"p{reg}", after, before, reg) for reg, (after, before) in enumerate(scores)]
    places = batch_places(left + len(batch), batch)
    assert list(places.values()) == list(range(left + 1, left + len(batch) + 1))
    ranked = [scores[int(player[1:])] for player in places]
    assert ranked == sorted(ranked, reverse=True)


def test_worked_example_of_the_eliminated() -> None:
    """R-KO-05: nine survive; three middles take places 10 to 12 before six last-placed take 13 to 18."""
    players = [f"last{n}" for n in range(6)] + [f"middle{n}" for n in range(3)]
    scores = [90, 10, 60, 60, 20, 30, -5, 5, 0]
    last_hands = [0, 0, 1, 2, 0, 0, 0, 0, 0]
    places = places_of_eliminated(9, players, [3] * 6 + [2] * 3, [scores, last_hands], range(9))
    assert places == {
        "middle1": 10,
        "middle2": 11,
        "middle0": 12,
        "last0": 13,
        "last3": 14,
        "last2": 15,
        "last5": 16,
        "last4": 17,
        "last1": 18,
    }


def test_nobody_eliminated() -> None:
    assert places_of_eliminated(9, [], [], [[]], []) == {}


def test_players_and_their_numbers_must_agree() -> None:
    with pytest.raises(ValueError, match="players: expected 2, got 1"):
        places_of_eliminated(9, ["a"], [1, 2], [[5, 5]], [1, 2])


def test_worked_example_of_places_at_a_table() -> None:
    """R-RF-01, R-DF-01."""
    assert table_places([20, 50, -70], [-40, 80, -40], [1, 2, 3], REGULAR) == [2, 1, 3]
    assert table_places([88, 40, -20, -108], [0, 0, 0, 0], [1, 2, 3, 4], REGULAR) == [1, 2, 3, 4]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=8))
def test_places_at_a_table_are_strict(seats: list[tuple[int, int]]) -> None:
    """R-HI-07."""
    totals = [score for score, _ in seats]
    places = table_places(totals, [last for _, last in seats], range(len(seats)), REGULAR)
    assert sorted(places) == list(range(1, len(seats) + 1))
    by_place = [seats[places.index(place)] for place in sorted(places)]
    assert by_place == sorted(seats, reverse=True)
