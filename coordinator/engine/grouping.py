"""Who sits with whom: swiss, snake, ui, random and direct grouping, byes, and the shuttle of a melee.

Every synchronous grouping needs a field that fills its tables; `split_byes` or `draw_byes` takes the rest out
first. A table is a list of its players in seat order.

Implements R-SW-03, R-ME-04, R-BY-01, R-GR-01, R-GR-02, R-GR-03, R-GR-04, R-GR-05.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Sized
from itertools import combinations
from typing import Literal, TypeAlias, TypeVar

from coordinator.engine.draw import Draw

T = TypeVar("T")

Direction: TypeAlias = Literal["serpentine", "straight"]

UI_TABLE_SIZE = 3

_EXCHANGES = 4
"""Rounds of exchanges between tables at a departure."""
_FEW_SEATS, _SEATS_DRAWN = 36, 16
"""Up to so many seats are all looked at for an exchange; of more, so many are drawn."""


def swiss(ranked: Sequence[T], size: int) -> list[list[T]]:
    """R-GR-01, R-SW-03: blocks of `size` neighbours in rank order, the strongest at the first table.

    Raises ValueError if the players do not fill their tables.
    """
    _count_tables(len(ranked), size)
    players = list(ranked)
    return [players[first : first + size] for first in range(0, len(players), size)]


def snake(ranked: Sequence[T], size: int, direction: Direction = "serpentine") -> list[list[T]]:
    """R-GR-02: tables of equal strength, each with one player from every row of `tables` ranks.

    With `"serpentine"` every second row is dealt backwards; with `"straight"` all run the same way.
    Raises ValueError if the players do not fill their tables or the direction is unknown.
    """
    if direction not in ("serpentine", "straight"):
        raise ValueError(f"direction: expected 'serpentine' or 'straight', got {direction!r}")
    tables = _count_tables(len(ranked), size)
    players = list(ranked)
    rows = [players[row * tables : (row + 1) * tables] for row in range(size)]
    if direction == "serpentine":
        for row in rows[1::2]:
            row.reverse()
    return list(map(list, zip(*rows, strict=True)))


def ui(ranked: Sequence[T], size: int) -> list[list[T]]:
    """R-GR-03: the serpentine snake under its other name, for tables of three only.

    Raises ValueError for another table size or if the players do not fill their tables.
    """
    if size != UI_TABLE_SIZE:
        raise ValueError(f"size: ui grouping needs tables of {UI_TABLE_SIZE}, got {size}")
    return snake(ranked, size)


def random(players: Sequence[T], size: int, draw: Draw) -> list[list[T]]:
    """R-GR-04: a fair shuffle cut into tables.

    Raises ValueError if the players do not fill their tables.
    """
    _count_tables(len(players), size)
    return swiss(draw.shuffle(players), size)


def direct(players: Sequence[T], size: int) -> list[list[T]]:
    """R-GR-05: everybody at one table, seated in the order of entry.

    Raises ValueError unless there are exactly `size` players.
    """
    if len(players) != size:
        raise ValueError(f"players: direct grouping needs exactly {size}, got {len(players)}")
    return [list(players)]


def split_byes(
    ranked: Sequence[str], size: int, bye_counts: Mapping[str, int], missed: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """R-BY-01 for ranked grouping: the lowest ranked among those with the fewest byes sit out.

    bye_counts, missed: byes had and bouts missed in this stage, 0 for a player not named. A missed bout
    counts as a bye here and nowhere else.

    Returns the players who stay, in rank order, and those who sit out, the last ranked first. With fewer
    players than one table everybody sits out.
    """
    certain, contenders, places = _fewest_byes(ranked, size, bye_counts, missed)
    chosen = contenders[len(contenders) - places :]
    stay, byes = _part(ranked, certain + chosen)
    byes.reverse()
    return stay, byes


def draw_byes(
    players: Sequence[str], size: int, bye_counts: Mapping[str, int], missed: Mapping[str, int], draw: Draw
) -> tuple[list[str], list[str]]:
    """R-BY-01 for random grouping: like `split_byes`, but lot decides among those with the fewest byes.

    Both lists keep the order of `players`.
    """
    certain, contenders, places = _fewest_byes(players, size, bye_counts, missed)
    return _part(players, certain + draw.choose(contenders, places))


def shuttle_departure(
    pool: Sized,
    size: int,
    shuttle_size: int,
    running_tables: int,
    oldest_wait_ms: int,
    max_wait_ms: int,
) -> bool:
    """R-ME-04: whether tables are formed from the waiting pool now.

    They are when the shuttle is full, when somebody has waited long enough, or when no table runs; in the
    last two cases only if the pool fills a table.

    Raises ValueError if the shuttle is smaller than a table.
    """
    if shuttle_size < size:
        raise ValueError(f"shuttle_size: expected at least the table size {size}, got {shuttle_size}")
    if len(pool) < size:
        return False
    return len(pool) >= shuttle_size or oldest_wait_ms >= max_wait_ms or running_tables == 0


def depart(
    pool: Sequence[str],
    size: int,
    draw: Draw,
    met: Callable[[str, str], bool] | None = None,
    tries: int = 20,
) -> tuple[list[list[str]], list[str]]:
    """R-ME-04: seat as many full tables as the pool holds; the remainder waits on.

    pool: the waiting players, longest waiting first; that first one is never left behind while a table is
    formed.
    met: whether two players have shared a table before. Up to `tries` draws are made for one in which nobody
    meets a table-mate again; failing that, the draw with the fewest such pairs counts, the earliest of
    equals.

    Returns the tables and the players left, these still in order of waiting. Time is linear in the pool for
    each try.
    Raises ValueError if `size` or `tries` is below 1.
    """
    if size < 1 or tries < 1:
        raise ValueError(f"size, tries: expected at least 1, got {size}, {tries}")
    if len(pool) < size:
        return [], list(pool)
    tables, left = _draw_departure(pool, size, draw)
    if met is None:
        return tables, left
    repeats = _count_repeats(tables, met, None)
    for _ in range(tries - 1):
        if repeats == 0:
            break
        again, again_left = _draw_departure(pool, size, draw)
        again_repeats = _count_repeats(again, met, repeats)
        if again_repeats < repeats:
            tables, left, repeats = again, again_left, again_repeats
    return tables, left


def keep_apart(tables: Sequence[Sequence[T]], weight: Callable[[T, T], int], draw: Draw) -> list[list[T]]:
    """R-ME-04: tables in which fewer old table-mates meet: whoever meets one changes places with somebody elsewhere.

    weight: how much two players at one table should be avoided, 0 for strangers; the same both ways.
    A few rounds of exchanges, each of which makes the sum of weights smaller; a small pool is looked through for the
    best one, of a large one some seats are drawn. Tables without old mates are left as they are unless one of their
    players is needed elsewhere. The time is linear in the pool, and beyond that in those who meet again.
    """
    mended = [list(table) for table in tables]
    costs = [_weigh(table, weight) for table in mended]
    troubled = dict.fromkeys(number for number, cost in enumerate(costs) if cost)
    for _ in range(_EXCHANGES):
        touched: dict[int, None] = {}
        for number in troubled:
            for seat in range(len(mended[number])):
                if not costs[number]:
                    break
                if _contribution(mended[number], seat, mended[number][seat], weight):
                    touched.update(dict.fromkeys(_exchange(mended, costs, number, seat, weight, draw)))
        troubled = dict.fromkeys(number for number in (*troubled, *touched) if costs[number])
        if not troubled or not touched:
            break
    return mended


def _exchange(
    tables: list[list[T]], costs: list[int], number: int, seat: int, weight: Callable[[T, T], int], draw: Draw
) -> tuple[int, ...]:
    """Change the player of a seat with the one elsewhere that helps most; the tables changed, if any."""
    own = tables[number][seat]
    best, found = 0, (-1, -1)
    for other, place in _elsewhere(tables, number, draw):
        theirs = tables[other][place]
        change = _contribution(tables[number], seat, theirs, weight) - _contribution(tables[number], seat, own, weight)
        change += _contribution(tables[other], place, own, weight) - _contribution(tables[other], place, theirs, weight)
        if change < best:
            best, found = change, (other, place)
    if best == 0:
        return ()
    other, place = found
    tables[number][seat], tables[other][place] = tables[other][place], own
    for changed in (number, other):
        costs[changed] = _weigh(tables[changed], weight)
    return number, other


def _elsewhere(tables: Sequence[Sequence[T]], number: int, draw: Draw) -> list[tuple[int, int]]:
    """Seats at other tables to change places with: all of a few, some of many."""
    size = len(tables[number])
    if len(tables) * size <= _FEW_SEATS:
        return [(other, place) for other in range(len(tables)) if other != number for place in range(size)]
    drawn = [draw.below(len(tables) * size) for _ in range(_SEATS_DRAWN)]
    return [(seat // size, seat % size) for seat in drawn if seat // size != number]


def _contribution(table: Sequence[T], seat: int, player: T, weight: Callable[[T, T], int]) -> int:
    """What a player at this seat weighs against the others of the table."""
    return sum(weight(player, other) for place, other in enumerate(table) if place != seat)


def _weigh(table: Sequence[T], weight: Callable[[T, T], int]) -> int:
    return sum(weight(one, other) for one, other in combinations(table, 2))


def _count_tables(players: int, size: int) -> int:
    if size < 1:
        raise ValueError(f"size: expected at least 1, got {size}")
    if players % size:
        raise ValueError(f"players: expected a multiple of the table size {size}, got {players}")
    return players // size


def _fewest_byes(
    players: Sequence[str], size: int, bye_counts: Mapping[str, int], missed: Mapping[str, int]
) -> tuple[list[int], list[int], int]:
    """Return positions sure to sit out, positions that contend for the rest, and how many of these do."""
    if size < 1:
        raise ValueError(f"size: expected at least 1, got {size}")
    places = len(players) % size
    if places == 0:
        return [], [], 0
    loads = [bye_counts.get(player, 0) + missed.get(player, 0) for player in players]
    certain: list[int] = []
    for load, holders in sorted(Counter(loads).items()):
        same = [position for position, own in enumerate(loads) if own == load]
        if holders >= places:
            return certain, same, places
        certain += same
        places -= holders
    raise AssertionError("a remainder is smaller than the field")


def _part(players: Sequence[str], positions: Sequence[int]) -> tuple[list[str], list[str]]:
    """Split players into those who stay and those at `positions`, both in the order of `players`."""
    out = sorted(positions)
    stay: list[str] = []
    start = 0
    for position in out:
        stay += players[start:position]
        start = position + 1
    stay += players[start:]
    return stay, [players[position] for position in out]


def _draw_departure(pool: Sequence[str], size: int, draw: Draw) -> tuple[list[list[str]], list[str]]:
    left_positions = draw.choose(range(1, len(pool)), len(pool) % size)
    seated, left = _part(pool, left_positions)
    return swiss(draw.shuffle(seated), size), left


def _count_repeats(tables: Sequence[Sequence[str]], met: Callable[[str, str], bool], limit: int | None) -> int:
    """Count pairs who have met before, giving up once `limit` is reached."""
    repeats = 0
    for table in tables:
        for one, other in combinations(table, 2):
            if met(one, other):
                repeats += 1
                if repeats == limit:
                    return repeats
    return repeats
