"""R-RC-03: disconnects that need a re-entry are counted by match, room and side; a seamless return does not count.

Implements R-RC-03.
"""

from coordinator.engine.ladder.rights import Option

OPTIONS: tuple[Option, ...] = ("reschedule", "claim_win", "continue")


def opens_right(count: int, limit: int) -> bool:
    """Whether the other side has a choice after so many disconnects: from the ``limit``-th on, each time again."""
    return count >= limit
