"""R-BL-05: what the end of a challenge does to the ranks.

Implements R-BL-05.
"""

from collections.abc import Sequence
from typing import Literal

Side = Literal["challenger", "defender"]


def winner_by_imps(challenger: int, defender: int) -> Side:
    """More IMPs win; with equal IMPs the challenge has failed."""
    return "challenger" if challenger > defender else "defender"


def after_win(ranks: Sequence[str], winner: str, loser: str) -> tuple[str, ...]:
    """R-BL-04: the winner of a challenge it had issued and the loser exchange the ranks they have now.

    Only if that lifts the winner; those between keep their ranks.
    """
    rows = list(ranks)
    up, down = rows.index(winner), rows.index(loser)
    if up > down:
        rows[up], rows[down] = loser, winner
    return tuple(rows)


def to_rank(ranks: Sequence[str], team: str, rank: int) -> tuple[str, ...]:
    """R-BL-08, R-BL-12: a referee puts a team on a rank of its own; the others keep their order."""
    rows = [each for each in ranks if each != team]
    rows.insert(rank - 1, team)
    return tuple(rows)
