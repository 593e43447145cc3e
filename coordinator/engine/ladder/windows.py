"""R-BL-02: whom a rank may challenge.

Implements R-BL-02.
"""

from collections.abc import Sequence


def reach(rank: int) -> int:
    """R-BL-02: how many places up this rank may challenge: the lower the rank, the larger the step."""
    return rank // 3 + 1


def targets(rank: int, table: Sequence[Sequence[int]] = ()) -> tuple[int, ...]:
    """The ranks that this rank may challenge, the highest first; the first rank nobody.

    table: the targets of rank 2, 3, … as far as an organiser names them; below its last line the reach decides.
    """
    if rank < 2:
        return ()
    if rank - 2 < len(table):
        return tuple(sorted(table[rank - 2]))
    return tuple(range(max(1, rank - reach(rank)), rank))
