"""The named moments between a command and its answers, and around them, at which a process may die.

Whoever comes to one passes it through ``Store.reach``, which does nothing. A test that wants the process to die there
puts something else in its place; the page about proofs says what holds after a death at each.
"""

from collections.abc import Callable
from typing import Literal

Moment = Literal[
    # A journal is opened.
    "journal made, not in place",
    "journal in place",
    "journal opened",
    # It is read.
    "record read",
    # A group of records is written, then everybody is told.
    "before the write",
    "half written",
    "written, not committed",
    "committed, not told",
    "between two releases",
    "all released",
    "one peer told",
    # A snapshot is kept.
    "before a snapshot",
    "snapshot half written",
    "snapshot written, not committed",
    "snapshot committed",
    # The daemon stops in good order.
    "stopping, all written",
    "stopping, states kept",
    "stopping, all told",
]

Reach = Callable[[Moment], None]


def pass_by(moment: Moment) -> None:
    """What every moment is outside of tests: nothing."""
