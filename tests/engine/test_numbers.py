"""One value, one form."""

from fractions import Fraction

from coordinator.engine.numbers import exact


def test_a_whole_fraction_becomes_an_int() -> None:
    number = exact(Fraction(12, 4))
    assert (type(number), number) == (int, 3)


def test_other_numbers_stay_as_they_are() -> None:
    number = exact(Fraction(9, 2))
    assert (type(number), number) == (Fraction, Fraction(9, 2))
    assert exact(-7) == -7
