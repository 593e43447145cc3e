"""Exact numbers: a score is an int, an average a Fraction, never a float."""

from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = int | Fraction

MOST_EXACT = 2**53 - 1
"""The greatest whole number that every peer keeps exactly, whatever language it is written in."""


def exact(n: Number) -> Number:
    """Return `n` as an int when it is whole, otherwise unchanged.

    One value then has one form, so that a stored state and its hash do not depend on how it was computed.
    """
    if isinstance(n, Fraction) and n.denominator == 1:
        return n.numerator
    return n
