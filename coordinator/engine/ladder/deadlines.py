"""R-BL-06, R-BL-08: by when a challenge must be answered, picked and done, in exact hours from its issue.

Implements R-BL-08.
"""

from collections.abc import Sequence

from coordinator.engine.ladder.slots import Slot


def fires_at(due: int) -> int:
    """When the timer of a deadline rings: what comes at the very instant is still in time."""
    return due + 1


def pick_by(counters: Sequence[Slot], due: int) -> int:
    """Until when the challenger must pick one of the defender's times: the earliest of them, at most the limit."""
    return min(min(slot.at for slot in counters), due)
