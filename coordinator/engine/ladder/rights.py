"""R-RC-04: the rights of a side that was wronged: open until it chooses, or goes on as if nothing had been.

A choice is final until the next trigger opens a new right, which takes the place of one that is open.

Implements R-RC-04, R-RC-05.
"""

from typing import Literal

import attrs

Option = Literal["redo", "reschedule", "claim_win", "continue"]
Trigger = Literal["deviation", "disconnect", "lineup"]
LINEUP_OPTIONS: tuple[Option, ...] = ("reschedule", "claim_win", "continue")
"""R-RC-05."""


@attrs.frozen
class Right:
    """One right of one team: open, chosen, let go, or closed because its reason is gone; ``choice`` is what was chosen.

    ``room`` is the room it arose in, None for one that arose before play.
    """

    right_no: int
    team: str
    trigger: Trigger
    options: tuple[Option, ...]
    state: Literal["OPEN", "CHOSEN", "WAIVED", "CLOSED"] = "OPEN"
    choice: Option | None = None
    room: int | None = None


def why_not(right: Right | None, team: str, choice: Option) -> str | None:
    """The code of the refusal of a choice, None if it is allowed."""
    if right is None or right.state != "OPEN":
        return "no_open_right"
    if right.team != team:
        return "not_allowed"
    return None if choice in right.options else "no_such_option"
