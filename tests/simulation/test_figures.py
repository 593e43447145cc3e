"""The numbers that sum up many courses."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.simulation.figures import curve, kendall_tau, quantile, share, spread


@pytest.mark.parametrize(
    ("strength", "tau"),
    [
        ([4, 3, 2, 1], 1.0),
        ([1, 2, 3, 4], -1.0),
        ([3, 4, 2, 1], 1 - 2 / 6),
        ([2, 2, 1], 1.0),
        ([1, 2, 2], -1.0),
        ([5, 5, 5], None),
        ([7], None),
        ([], None),
    ],
)
def test_kendalls_tau(strength: list[float], tau: float | None) -> None:
    assert kendall_tau(strength) == (tau if tau is None else pytest.approx(tau))


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), max_size=20))
def test_kendalls_tau_is_that_of_counting_pairs(strength: list[int]) -> None:
    told = [(one > other) - (one < other) for one, other in combinations(strength, 2) if one != other]
    assert kendall_tau(strength) == (sum(told) / len(told) if told else None)


def test_quantiles_are_values_that_occurred() -> None:
    values = list(range(1, 21))
    assert [quantile(values, part) for part in (0.05, 0.5, 0.95, 1.0)] == [1, 10, 19, 20]
    assert quantile([3], 0.5) == 3
    assert spread([]) is None
    assert spread([1, 2, 6], 1) == {"mean": 3.0, "median": 2, "p5": 1, "p95": 6, "min": 1, "max": 6}


def test_a_share_of_nothing_is_none() -> None:
    assert share(0, 0) is None
    assert share(1, 3) == 0.3333


def test_a_curve_holds_a_number_until_the_next() -> None:
    one, other = [(0, 10), (500, 4)], [(0, 8), (250, 0)]
    found = curve([one, other, other], 1000)
    at = dict(zip(found["t_s"], found["median"], strict=True))
    assert (at[0], at[0.24], at[0.25], at[0.5], at[1.0]) == (8, 8, 0, 0, 0)
    assert max(found["p95"]) == 10
    assert found["p95"][-1] == 4


def test_before_its_first_step_a_curve_is_nothing() -> None:
    assert curve([[(500, 3)]], 1000)["median"][:2] == [0, 0]
