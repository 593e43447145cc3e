"""R-MP-01 Minimum payment: nobody pays more than it has or wins more from a payer than it has itself.

A platform fee is part of the payment it is taken from: the payer pays no more because of it, the winner
receives what is left. An int is a fixed amount for each payment, a Fraction a rate of it, rounded down to
whole points.

Implements R-MP-01.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from coordinator.engine.numbers import Number

WinnerCap: TypeAlias = Literal["per_payer", "total"]


def two_party(winner_stack: int, loser_stack: int, due: int, fee: Number = 0) -> tuple[int, int, int]:
    """R-MP-01: settle one debt; returns the changes of loser and winner, and the fee.

    The payment is the smallest of both stacks and `due`, and 0 if a stack is empty or below.
    Raises ValueError if `due` or the fee is negative, or a rate is above 1.
    """
    if due < 0:
        raise ValueError(f"due: expected at least 0, got {due}")
    _check_fee(fee)
    paid = _capped(winner_stack, loser_stack, due)
    taken = _fee_of(paid, fee)
    return -paid, paid - taken, taken


def settle(
    stacks: Sequence[int], deltas: Sequence[int], fee: Number = 0, winner_cap: WinnerCap = "per_payer"
) -> tuple[list[int], int]:
    """R-MP-01: settle a hand of any number of winners and losers; returns the real deltas and the whole fee.

    stacks: each seat's points when the hand started. deltas: what the hand's result says each seat wins or
    loses.

    Each loser's debt is spread over the winners in proportion to winnings not yet covered, lower seats first,
    so that the debts add up to exactly the deltas. Every single debt is then capped by both stacks; a payer
    whose payments exceed its stack has them scaled down to it. With `winner_cap="total"` a winner's income is
    scaled down to its stack in the same way. Shares are whole by largest remainder, ties to the lower seat.

    Real deltas and fee sum to 0. Raises ValueError if lengths differ, the deltas do not sum to 0, or the fee
    or cap is not a legal one.
    """
    if len(stacks) != len(deltas):
        raise ValueError(f"deltas: expected {len(stacks)}, got {len(deltas)}")
    if sum(deltas) != 0:
        raise ValueError(f"deltas: expected a sum of 0, got {sum(deltas)}")
    if winner_cap not in ("per_payer", "total"):
        raise ValueError(f"winner_cap: expected 'per_payer' or 'total', got {winner_cap!r}")
    _check_fee(fee)
    winners = [seat for seat, delta in enumerate(deltas) if delta > 0]
    losers = [seat for seat, delta in enumerate(deltas) if delta < 0]

    payments: list[list[int]] = []
    uncovered = [deltas[seat] for seat in winners]
    for payer in losers:
        debts = _apportion(-deltas[payer], uncovered)
        uncovered = [rest - debt for rest, debt in zip(uncovered, debts, strict=True)]
        capped = [_capped(stacks[winner], stacks[payer], debt) for winner, debt in zip(winners, debts, strict=True)]
        payments.append(_scaled_to(stacks[payer], capped))

    real = [0] * len(stacks)
    fee_total = 0
    for column, winner in enumerate(winners):
        income = [row[column] for row in payments]
        if winner_cap == "total":
            income = _scaled_to(stacks[winner], income)
        for payer, paid in zip(losers, income, strict=True):
            taken = _fee_of(paid, fee)
            real[payer] -= paid
            real[winner] += paid - taken
            fee_total += taken
    return real, fee_total


def _capped(winner_stack: int, loser_stack: int, due: int) -> int:
    return max(0, min(winner_stack, loser_stack, due))


def _check_fee(fee: Number) -> None:
    if fee < 0 or (isinstance(fee, Fraction) and fee > 1):
        raise ValueError(f"fee: expected an amount of at least 0 or a rate from 0 to 1, got {fee}")


def _fee_of(paid: int, fee: Number) -> int:
    if isinstance(fee, Fraction):
        return int(paid * fee)
    return min(fee, paid)


def _scaled_to(limit: int, payments: Sequence[int]) -> list[int]:
    if sum(payments) <= limit:
        return list(payments)
    return _apportion(limit, payments)


def _apportion(amount: int, weights: Sequence[int]) -> list[int]:
    """Split `amount` in proportion to `weights`, whole by largest remainder, ties to the lower position.

    No share exceeds its weight, as long as `amount` does not exceed their sum.
    """
    whole = sum(weights)
    if whole == 0:
        return [0] * len(weights)
    shares = [amount * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: -(amount * weights[place] % whole))
    for place in by_remainder[: amount - sum(shares)]:
        shares[place] += 1
    return shares
