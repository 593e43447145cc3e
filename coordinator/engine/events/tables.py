"""Tables are formed, find an owner, lose it, and part."""

from fractions import Fraction

from coordinator.engine.frozen import frozen


@frozen
class TablesSeated:
    """Tables were formed: a whole bout, or the departure of a shuttle. Table ids count up from ``first_table_id``.

    ``draw_counter`` is where the match's generator stands afterwards. ``byes`` sit this bout out (R-BY-01). ``rematch``
    marks a bout of pairs that could not all be fresh (R-DM-10).
    """

    t: int
    bout_no: int
    first_table_id: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    draw_counter: int
    rematch: bool = False


@frozen
class TablesPlaced:
    """Tables have an owner; their epoch rises. The three sequences run side by side."""

    t: int
    table_ids: tuple[int, ...]
    server_ids: tuple[str, ...]
    lives: tuple[str, ...]


@frozen
class TablesOrphaned:
    """These tables lost their owner; hands that ran are interrupted and will be repeated."""

    t: int
    table_ids: tuple[int, ...]
    server_id: str
    reason: str


@frozen
class TablesReleased:
    """Their server drains: these tables move when their hand in play has ended."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class RoundEnded:
    """The players of a table part. ``places`` and ``points`` are in seat order; ``settled`` marks a silent table,
    ``dropped`` those who left the game (R-DM-03)."""

    t: int
    table_id: int
    places: tuple[int, ...]
    points: tuple[int | Fraction, ...]
    settled: bool = False
    dropped: tuple[str, ...] = ()
