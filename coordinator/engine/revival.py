"""Revival: whether an eliminated player may come back, and what it costs (R-RV-01 to R-RV-06).

Pure arithmetic, exact throughout. The one root that is not a fraction is decided by sixty digits, and by whole numbers
where it could be one.

Implements R-RV-02, R-RV-03, R-RV-04, R-RV-06.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import ceil

from coordinator.engine.definition import Revival
from coordinator.engine.numbers import Number

_DIGITS = 60


def list_fee(fees: Sequence[int], revival_no: int) -> int | None:
    """R-RV-02: the fee of a player's so manieth revival, counted from 1; None once the list is used up.

    Raises ValueError for a number below 1.
    """
    if revival_no < 1:
        raise ValueError(f"revival_no: expected at least 1, got {revival_no}")
    return fees[revival_no - 1] if revival_no <= len(fees) else None


def linear_fee(base_fee: int, slope: Number, entrants: int, left: int) -> int:
    """R-RV-03: ``base_fee`` x (1 + slope x p), rounded up, where p is the share of the entrants who are gone.

    entrants: all who entered the stage. left: those left after the elimination.
    """
    return ceil(base_fee * (1 + slope * _gone(entrants, left)))


def exponential_fee(base_fee: int, slope: Number, entrants: int, left: int) -> int:
    """R-RV-04: ``base_fee`` x (1 + slope)^p, rounded up; p as in :func:`linear_fee`."""
    growth, gone = 1 + Fraction(slope), _gone(entrants, left)
    near = _power(growth, gone, base_fee)
    whole = int(near.to_integral_value(ROUND_HALF_EVEN))
    # A root of a reduced fraction is rational only if its degree is no more than the bits of the fraction.
    root = gone.denominator
    if root <= growth.numerator.bit_length() and Fraction(whole, base_fee) ** root == growth**gone.numerator:
        return whole
    return int(near.to_integral_value(ROUND_CEILING))


def window_open(rule: Revival, remaining: int, elapsed_ms: int) -> bool:
    """R-RV-06: whether a new offer may be made; one that is open stays valid until its own timeout."""
    if rule.until_players is not None and remaining < rule.until_players:
        return False
    return rule.until_ms is None or elapsed_ms <= rule.until_ms


def fee_of(rule: Revival, revivals: int, entrants: int, left: int) -> int | None:
    """R-RV-01: the fee of the next revival of a player who had ``revivals`` already; None: there is none to offer.

    Under direct revival each pack has its own cost and the fee is 0.
    """
    if rule.max_times is not None and revivals >= rule.max_times:
        return None
    if rule.mode == "list":
        return list_fee(rule.fees, revivals + 1)
    if rule.mode == "direct":
        return 0
    assert rule.base_fee is not None, "a checked revival by player count has a base fee"
    by_count = linear_fee if rule.mode == "linear" else exponential_fee
    return by_count(rule.base_fee, rule.slope, entrants, left)


def _gone(entrants: int, left: int) -> Fraction:
    if entrants < 1 or left < 0:
        raise ValueError(f"entrants, left: expected at least 1 and 0, got {entrants}, {left}")
    return Fraction(max(0, entrants - left), entrants)


def _power(growth: Fraction, exponent: Fraction, times: int) -> Decimal:
    exactly = Context(prec=_DIGITS)
    root = exactly.ln(exactly.divide(Decimal(growth.numerator), Decimal(growth.denominator)))
    share = exactly.divide(exactly.multiply(root, Decimal(exponent.numerator)), Decimal(exponent.denominator))
    return exactly.multiply(exactly.exp(share), Decimal(times))
