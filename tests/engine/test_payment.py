"""Minimum payment: no point is made or lost, no stack overdrawn, no debt exceeded.

Proves R-MP-01.
"""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coordinator.engine.payment import WinnerCap, settle, two_party

stacks_of = st.integers(-200, 1000)
fees = st.one_of(st.integers(0, 50), st.fractions(0, 1, max_denominator=20))
caps = st.sampled_from(["per_payer", "total"])


@st.composite
def hands(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Stacks at hand start and zero-sum deltas."""
    deltas = draw(st.lists(st.integers(-500, 500), min_size=1, max_size=5))
    deltas.append(-sum(deltas))
    stacks = draw(st.lists(stacks_of, min_size=len(deltas), max_size=len(deltas)))
    return stacks, deltas


def test_worked_examples_of_two_parties() -> None:
    """R-MP-01: a winner with 30, a loser with 120, and the same loser with a fee of 5."""
    assert two_party(winner_stack=30, loser_stack=1000, due=200) == (-30, 30, 0)
    assert two_party(winner_stack=1000, loser_stack=120, due=140) == (-120, 120, 0)
    assert two_party(winner_stack=1000, loser_stack=120, due=140, fee=5) == (-120, 115, 5)


def test_an_uncapped_debt_is_paid_in_full() -> None:
    """R-MP-01."""
    assert two_party(1000, 1000, 200) == (-200, 200, 0)
    assert two_party(1000, 1000, 0) == (0, 0, 0)


@pytest.mark.parametrize(("winner", "loser"), [(0, 100), (100, 0), (-5, 100), (100, -5)])
def test_an_empty_stack_pays_and_wins_nothing(winner: int, loser: int) -> None:
    """R-MP-01."""
    assert two_party(winner, loser, 50, fee=5) == (0, 0, 0)


def test_a_rate_is_rounded_down_and_a_fee_never_exceeds_the_payment() -> None:
    """R-MP-01: 5 % of 119 is 5.95."""
    assert two_party(1000, 1000, 119, fee=Fraction(1, 20)) == (-119, 114, 5)
    assert two_party(1000, 3, 100, fee=5) == (-3, 0, 3)


def test_worked_examples_of_several_parties() -> None:
    """R-MP-01: the landlord owes more than it has; the landlord wins with a small stack."""
    assert settle([100, 500, 500], [-160, 80, 80]) == ([-100, 50, 50], 0)
    assert settle([30, 1000, 1000], [400, -200, -200]) == ([60, -30, -30], 0)


def test_a_winner_can_be_capped_in_total() -> None:
    """R-MP-01: 30 in all instead of 30 from each."""
    assert settle([30, 1000, 1000], [400, -200, -200], winner_cap="total") == ([30, -15, -15], 0)


def test_points_that_cannot_be_split_go_to_the_lower_seat() -> None:
    """R-MP-01: 100 to pay three equal debts of 70."""
    assert settle([100, 500, 500, 500], [-210, 70, 70, 70]) == ([-100, 34, 33, 33], 0)


def test_the_largest_remainder_comes_before_the_lower_seat() -> None:
    """R-MP-01: 25 for debts of 20 and 15 is 14 2/7 and 10 5/7."""
    assert settle([100, 100, 25], [20, 15, -35]) == ([14, 11, -25], 0)


def test_a_payers_debts_are_capped_by_each_winner_first() -> None:
    """R-MP-01: 10 of the 80 owed to the small winner, then the rest in proportion."""
    assert settle([100, 10, 500], [-160, 80, 80]) == ([-90, 10, 80], 0)
    assert settle([45, 10, 500], [-160, 80, 80]) == ([-45, 8, 37], 0)


def test_several_losers_cover_several_winners_exactly() -> None:
    """R-MP-01: nobody is capped, so nothing may change, however odd the shares."""
    assert settle([100] * 4, [1, 1, -1, -1]) == ([1, 1, -1, -1], 0)


def test_a_fixed_fee_is_taken_from_each_payment() -> None:
    """R-MP-01."""
    assert settle([1000] * 3, [200, -100, -100], fee=5) == ([190, -100, -100], 10)


@given(hands(), fees, caps)
def test_points_are_conserved(hand: tuple[list[int], list[int]], fee: int, cap: WinnerCap) -> None:
    """R-MP-01: what the payers lose, the winners and the house get."""
    real, taken = settle(*hand, fee, cap)
    assert sum(real) + taken == 0
    assert taken >= 0


@given(hands(), fees, caps)
def test_nobody_is_overdrawn_or_pays_more_than_owed(
    hand: tuple[list[int], list[int]], fee: int, cap: WinnerCap
) -> None:
    """R-MP-01."""
    stacks, deltas = hand
    real, _ = settle(stacks, deltas, fee, cap)
    payers = sum(delta < 0 for delta in deltas)
    for stack, due, got in zip(stacks, deltas, real, strict=True):
        if due < 0:
            assert max(due, min(0, -stack)) <= got <= 0
        else:
            most = stack if cap == "total" else stack * payers
            assert 0 <= got <= max(0, min(due, most))


@given(hands(), caps)
def test_ample_stacks_change_nothing(hand: tuple[list[int], list[int]], cap: WinnerCap) -> None:
    """R-MP-01."""
    _, deltas = hand
    assert settle([10**6] * len(deltas), deltas, 0, cap) == (deltas, 0)


@given(stacks_of, stacks_of, st.integers(0, 1000), fees, caps)
def test_two_seats_are_the_two_party_rule(winner: int, loser: int, due: int, fee: int, cap: WinnerCap) -> None:
    """R-MP-01."""
    assume(due > 0)
    lost, won, taken = two_party(winner, loser, due, fee)
    assert settle([winner, loser], [due, -due], fee, cap) == ([won, lost], taken)


@given(hands(), caps)
def test_a_payer_in_need_pays_its_whole_stack(hand: tuple[list[int], list[int]], cap: WinnerCap) -> None:
    """R-MP-01: scaling never leaves a point unpaid that was owed to winners able to take it."""
    stacks, deltas = hand
    rich = [10**6 if delta > 0 else stack for stack, delta in zip(stacks, deltas, strict=True)]
    real, _ = settle(rich, deltas, 0, cap)
    for stack, due, got in zip(rich, deltas, real, strict=True):
        if due < 0:
            assert got == max(due, min(0, -stack))


@pytest.mark.parametrize("fee", [-1, Fraction(-1, 2), Fraction(3, 2)])
def test_an_impossible_fee_is_refused(fee: int | Fraction) -> None:
    with pytest.raises(ValueError, match="fee: expected"):
        two_party(100, 100, 10, fee)
    with pytest.raises(ValueError, match="fee: expected"):
        settle([100, 100], [10, -10], fee)


def test_hands_that_do_not_balance_are_refused() -> None:
    with pytest.raises(ValueError, match="sum of 0, got 5"):
        settle([100, 100], [10, -5])
    with pytest.raises(ValueError, match="deltas: expected 3, got 2"):
        settle([100, 100, 100], [10, -10])
    with pytest.raises(ValueError, match="due: expected at least 0"):
        two_party(100, 100, -1)
    with pytest.raises(ValueError, match="winner_cap: expected"):
        settle([100, 100], [10, -10], 0, "none")  # type: ignore[arg-type]
