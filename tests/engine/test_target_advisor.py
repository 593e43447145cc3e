"""R-RT-02, R-RT-03: the tables of the rule catalogue, figure by figure, and what is recommended of them.

Proves R-RT-02, R-RT-03.
"""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from coordinator.engine.target_advisor import MOST_HANDS, MOST_TARGET, advise_target, percent

#: Chances in percent by target, after at most 1, 2, … 10 hands.
MODEL_W = """
     50  51.00  82.11  95.22  99.00  99.83  99.98 100.00 100.00 100.00 100.00
     60  41.00  74.04  91.62  97.89  99.57  99.92  99.99 100.00 100.00 100.00
     70  31.00  64.46  86.55  96.02  99.04  99.80  99.97  99.99 100.00 100.00
     80  21.00  53.39  79.77  93.13  98.09  99.55  99.91  99.98 100.00 100.00
     90  11.00  40.81  71.02  88.89  96.52  99.08  99.79  99.96  99.99 100.00
    100   1.00  26.74  60.06  82.94  94.04  98.24  99.55  99.90  99.98 100.00
    110   0.00  20.93  51.15  76.14  90.57  96.88  99.12  99.78  99.95  99.99
    113   0.00  19.58  48.69  73.98  89.33  96.36  98.93  99.73  99.94  99.99
    120   0.00  16.60  43.13  68.74  86.10  94.87  98.39  99.56  99.89  99.98
    130   0.00  12.78  35.71  60.93  80.67  92.08  97.24  99.17  99.78  99.95
    140   0.00   9.45  28.92  52.99  74.39  88.42  95.57  98.53  99.57  99.89
    150   0.00   6.63  22.82  45.18  67.46  83.88  93.24  97.56  99.22  99.78
    160   0.00   4.30  17.46  37.71  60.10  78.50  90.17  96.13  98.67  99.59
    180   0.00   1.15   9.17  24.66  45.22  65.75  81.68  91.55  96.60  98.79
    200   0.00   0.00   4.43  15.31  32.13  51.98  70.47  84.26  92.68  97.00
    250   0.00   0.00   0.59   3.83  11.35  23.54  39.49  56.86  72.62  84.58
    300   0.00   0.00   0.00   0.57   2.93   8.26  17.22  29.70  44.69  60.25
"""

#: After at most 1, 2, 3, 4, 5, 6, 8 and 10 hands, and the smallest number of hands that more than 95 % need at most.
MODEL_Z = """
     50  51.00  75.99  88.24  94.24  97.18  98.62  99.67  99.92      5
     80  21.00  46.15  62.50  73.95  81.90  87.43  93.93  97.07      9
    100   1.00  26.25  42.91  55.90  65.92  73.66  84.27  90.61     13
    113   0.00  19.58  34.79  47.25  57.32  65.47  77.39  85.20     16
    120   0.00  16.61  30.96  43.02  52.97  61.19  73.57  82.00     17
    150   0.00   6.63  17.29  27.26  36.22  44.11  57.10  67.07     25
"""
Z_HANDS = (1, 2, 3, 4, 5, 6, 8, 10)


def rows(table: str) -> list[tuple[int, list[Fraction]]]:
    return [(int(row[0]), [*map(Fraction, row[1:])]) for row in map(str.split, table.strip().splitlines())]


def as_printed(chance: Fraction) -> set[Fraction]:
    """A chance in percent with two decimals; one that lies exactly between two is printed as either in the tables."""
    hundredths = chance * 10_000
    near = {int(hundredths), int(hundredths) + 1}
    closest = min(abs(hundredths - each) for each in near)
    return {Fraction(each, 100) for each in near if abs(hundredths - each) == closest}


@pytest.mark.parametrize(("target", "row"), rows(MODEL_W))
def test_the_table_of_model_w(target: int, row: list[Fraction]) -> None:
    """R-RT-03."""
    chances = advise_target(target, 10).chances
    for shown, chance in zip(row, chances, strict=True):
        assert shown in as_printed(chance)
        assert percent(chance) == f"{float(max(as_printed(chance))):.2f}"


@pytest.mark.parametrize(("target", "row"), rows(MODEL_Z))
def test_the_table_of_model_z(target: int, row: list[Fraction]) -> None:
    """R-RT-03; where a figure lies exactly between two, this table rounds away from zero, as we do."""
    advice = advise_target(target, 10, model="Z")
    *shown, b_min = row
    assert [Fraction(percent(advice.chances[hands - 1])) for hands in Z_HANDS] == shown
    assert advice.b_min == b_min


def test_two_hands_in_closed_form() -> None:
    """R-RT-03: for 101 <= A <= 200."""
    for target in range(101, 201):
        assert advise_target(target, 2).chances[1] == Fraction((201 - target) * (202 - target), 40_000)


def test_the_smallest_number_of_hands() -> None:
    """R-RT-03: 6 for A 113 to 119, 7 to 142, 8 to 166, 9 to 189, 10 to 200; the second recommendation from 113 on."""
    wanted = {**dict.fromkeys(range(113, 120), 6), **dict.fromkeys(range(120, 143), 7)}
    wanted |= {**dict.fromkeys(range(143, 167), 8), **dict.fromkeys(range(167, 190), 9)}
    wanted |= dict.fromkeys(range(190, 201), 10)
    assert {target: advise_target(target, 3).b_min for target in wanted} == wanted
    assert not advise_target(112, 6).recommendations[1].holds
    assert advise_target(113, 6).ok


def by_counting(target: int, hands: int, low: int, high: int, model: str) -> Fraction:
    """Every course of the hands, one by one."""
    steps = [side * score for side in (1, -1) for score in range(low, high + 1)]
    reached = 0
    for course in product(steps, repeat=hands):
        first = second = lead = 0
        done = False
        for step in course:
            first, second = first + max(step, 0), second + max(-step, 0)
            lead += step
            done = done or (max(first, second) if model == "W" else abs(lead)) >= target
        reached += done
    return Fraction(reached, len(steps) ** hands)


@pytest.mark.parametrize("model", ["W", "Z"])
@pytest.mark.parametrize(("target", "low", "high"), [(1, 1, 1), (3, 1, 2), (5, 0, 3), (7, 2, 4), (4, 4, 4)])
def test_chances_are_those_of_counting_every_course(target: int, low: int, high: int, model: str) -> None:
    """R-RT-03 for other hand scores."""
    advice = advise_target(target, 4, low, high, "W" if model == "W" else "Z")
    assert list(advice.chances) == [by_counting(target, hands, low, high, model) for hands in range(1, 5)]


def test_a_round_is_long_enough_for_more_than_two_hands() -> None:
    """R-RT-02, first recommendation: whoever reaches the target at once is still advised more than two hands."""
    advice = advise_target(10, 2)
    assert [each.holds for each in advice.recommendations] == [False, False, True]
    assert advice.b_min == 3


def test_the_bounds_are_not_part_of_what_is_recommended() -> None:
    """R-RT-02: less than 20 %, more than 95 %: 20 % and 95 % themselves are not enough."""
    advice = advise_target(20, 3, 10, 10)  # both of two hands to one side: one half
    assert list(advice.chances) == [0, Fraction(1, 2), 1]
    assert advise_target(5, 1, 1, 1).b_min == 9
    assert percent(Fraction(95, 100)) == "95.00"


def test_chances_rise_and_stay_below_one() -> None:
    chances = advise_target(300, 40, model="Z").chances
    assert all(0 <= earlier < later < 1 for earlier, later in pairwise(chances[2:]))


def test_no_number_of_hands_is_enough() -> None:
    """The search ends where nobody would play any more."""
    assert advise_target(MOST_TARGET, 3, 0, 1).b_min is None
    assert advise_target(MOST_TARGET, 3, model="Z").b_min is None
    assert advise_target(MOST_TARGET, 3, model="Z").chances[-1] == 0


@pytest.mark.parametrize(
    ("numbers", "field"),
    [
        ((0, 3), "target"),
        ((MOST_TARGET + 1, 3), "target"),
        ((10, 0), "max_hands"),
        ((10, MOST_HANDS + 1), "max_hands"),
        ((10, 3, 5, 4), "low, high"),
        ((10, 3, -1, 4), "low, high"),
        ((10, 3, 0, 0), "low, high"),
    ],
)
def test_numbers_out_of_range(numbers: tuple[Any, ...], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        advise_target(*numbers)


def test_halves_go_away_from_zero() -> None:
    assert percent(Fraction(16_605, 100_000)) == "16.61"
    assert percent(Fraction(0)) == "0.00"
    assert percent(Fraction(1)) == "100.00"
