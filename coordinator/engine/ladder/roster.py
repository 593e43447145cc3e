"""R-BL-11: changes of a team's roster go through the referees, each of one player, and there are only a few of them.

Implements R-BL-11.
"""

from collections.abc import Sequence


def refused(changes_made: int, leaving: Sequence[str], coming: Sequence[str], most: int) -> str | None:
    """Why a change is refused, as what would be right; None: it is allowed."""
    if len(leaving) != 1 or len(coming) != 1:
        return "one player for one player"
    return f"at most {most} changes in the whole event" if changes_made >= most else None


def changed(roster: Sequence[str], leaving: str, coming: str) -> tuple[str, ...]:
    """The roster with one player in another's place."""
    return tuple(coming if player == leaving else player for player in roster)
