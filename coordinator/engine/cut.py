"""Who goes on after a bout: cuts over the whole field (Swiss shift) and at each table (knockout).

Implements R-KO-02, R-KO-03, R-KO-04, R-SW-02.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from coordinator.engine.numbers import Number

T = TypeVar("T")

CutMode: TypeAlias = Literal["fixed", "percent", "keep"]
PercentRound: TypeAlias = Literal["out_floor", "keep_floor"]
HalfRounding: TypeAlias = Literal["floor", "ceil"]


def cut_count(players: int, mode: CutMode, value: Number, percent_round: PercentRound = "out_floor") -> int:
    """R-SW-02: how many of the field are eliminated; at least one player always stays.

    mode: `"fixed"` eliminates `value` players, `"percent"` that share of them, `"keep"` all but `value`.
    value: a whole number, for `"percent"` any exact number from 0 to 100.
    percent_round: which side of a percentage is rounded down, those out or those who stay.

    Raises ValueError for an unknown mode or rounding, or a value outside these limits.
    """
    if players < 0 or value < 0:
        raise ValueError(f"players, value: expected at least 0, got {players}, {value}")
    if mode == "percent":
        out = _percent_out(players, value, percent_round)
    elif not isinstance(value, int):
        raise ValueError(f"value: expected a whole number of players for {mode!r}, got {value}")
    elif mode == "fixed":
        out = value
    elif mode == "keep":
        out = players - value
    else:
        raise ValueError(f"mode: expected 'fixed', 'percent' or 'keep', got {mode!r}")
    return max(0, min(out, players - 1))


def take_k(places: Sequence[int], k: int) -> list[int]:
    """R-KO-02: the seats that advance, best place first: those with places 1 to `k`.

    places: the place of each seat, 1..s. Raises ValueError unless 1 <= k < s.
    """
    _check_take(len(places), k)
    return _seats_by_place(places)[:k]


def half_even(places: Sequence[int]) -> list[int]:
    """R-KO-03: the better half of an even table, best place first. Raises ValueError for an odd one."""
    if len(places) % 2:
        raise ValueError(f"places: expected an even table, got {len(places)} seats")
    return take_k(places, len(places) // 2)


def half_odd(places: Sequence[int]) -> tuple[list[int], int]:
    """R-KO-04: the seats above the middle, which advance, and the middle seat, decided over all tables.

    Raises ValueError unless the table is odd with three seats or more.
    """
    if len(places) % 2 == 0 or len(places) == 1:
        raise ValueError(f"places: expected an odd table of 3 seats or more, got {len(places)}")
    seats = _seats_by_place(places)
    middle = len(seats) // 2
    return seats[:middle], seats[middle]


def middle_advances(middle_order: Sequence[T], rounding: HalfRounding = "floor") -> list[T]:
    """R-KO-04: the better half of all tables' middle players.

    middle_order: one player of each table, ranked against each other, best first.
    """
    return list(middle_order[: _half(len(middle_order), rounding)])


def advance_count(
    table_size: int, tables: int, take: int | Literal["half"], half_rounding: HalfRounding = "floor"
) -> int:
    """R-KO-02, R-KO-03, R-KO-04: how many players `tables` full tables send on; byes are not counted here.

    Raises ValueError unless `take` is "half" or from 1 to `table_size - 1`.
    """
    if take != "half":
        _check_take(table_size, take)
        return tables * take
    _check_take(table_size, table_size // 2)
    advancing = tables * (table_size // 2)
    if table_size % 2:
        advancing += _half(tables, half_rounding)
    return advancing


def align_to_table(advancing: int, table_size: int) -> int:
    """R-KO-04, optional: trim a count to full tables, but never below one; a smaller count stays."""
    if advancing < table_size:
        return advancing
    return advancing - advancing % table_size


def _percent_out(players: int, value: Number, percent_round: PercentRound) -> int:
    if value > 100:
        raise ValueError(f"value: expected a percentage up to 100, got {value}")
    share = Fraction(value) / 100
    if percent_round == "out_floor":
        return int(players * share)
    if percent_round == "keep_floor":
        return players - int(players * (1 - share))
    raise ValueError(f"percent_round: expected 'out_floor' or 'keep_floor', got {percent_round!r}")


def _check_take(table_size: int, k: int) -> None:
    if not 1 <= k < table_size:
        raise ValueError(f"take: expected 1 to {table_size - 1} of a table of {table_size}, got {k}")


def _seats_by_place(places: Sequence[int]) -> list[int]:
    return sorted(range(len(places)), key=places.__getitem__)


def _half(count: int, rounding: HalfRounding) -> int:
    if rounding == "floor":
        return count // 2
    if rounding == "ceil":
        return (count + 1) // 2
    raise ValueError(f"half_rounding: expected 'floor' or 'ceil', got {rounding!r}")
