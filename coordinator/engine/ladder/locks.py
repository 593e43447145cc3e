"""R-BL-04: a team has at most one challenge going out and one coming in, and may have both.

Implements R-BL-04.
"""

from typing import Literal

Locked = Literal["challenger", "defender"]


def locked(challenger_out: int | None, defender_in: int | None) -> Locked | None:
    """Whose lock stands in the way of a new challenge, each lock being the number of an open challenge or None."""
    if challenger_out is not None:
        return "challenger"
    return "defender" if defender_in is not None else None
