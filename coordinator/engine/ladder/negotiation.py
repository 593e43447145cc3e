"""R-BL-06: the course of a challenge, as a table of what may happen in which state.

``issued -> fixed | countered | cancelled | forfeit_defender``; ``countered -> fixed | forfeit_challenger``;
``fixed -> playing -> played -> reported -> final | disputed``. A match that is void, or that both teams came too late
for, is agreed on anew. What has ended never moves again.

Implements R-BL-06.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

State = Literal[
    "issued",
    "countered",
    "fixed",
    "playing",
    "void",
    "played",
    "reported",
    "disputed",
    "cancelled",
    "forfeit_challenger",
    "forfeit_defender",
    "final",
]
Step = Literal[
    "accept",
    "counter",
    "challenger_cancel",
    "reply_deadline_passed",
    "pick_deadline_passed",
    "complete_deadline_passed",
    "propose",
    "start",
    "late_challenger",
    "late_defender",
    "reschedule",
    "all_boards_played",
    "report",
    "appeal",
    "settle",
]

_NEXT: Final[Mapping[tuple[State, Step], State]] = MappingProxyType(
    {
        ("issued", "accept"): "fixed",
        ("issued", "counter"): "countered",
        ("issued", "challenger_cancel"): "cancelled",
        ("issued", "reply_deadline_passed"): "forfeit_defender",
        ("countered", "accept"): "fixed",
        ("countered", "pick_deadline_passed"): "forfeit_challenger",
        ("fixed", "propose"): "fixed",
        ("fixed", "accept"): "fixed",
        ("fixed", "start"): "playing",
        ("fixed", "report"): "reported",
        ("fixed", "late_challenger"): "forfeit_challenger",
        ("fixed", "late_defender"): "forfeit_defender",
        ("fixed", "reschedule"): "void",
        ("playing", "reschedule"): "void",
        ("void", "propose"): "void",
        ("void", "accept"): "fixed",
        ("playing", "all_boards_played"): "played",
        ("played", "report"): "reported",
        ("reported", "report"): "reported",
        ("reported", "appeal"): "disputed",
        ("reported", "settle"): "final",
        ("disputed", "report"): "disputed",
        ("disputed", "settle"): "final",
    }
)
_NOT_DONE: Final = ("issued", "countered", "fixed", "playing", "void", "played")
"""R-BL-08: not played, or played and not reported."""


def next_state(state: State, step: Step) -> State | None:
    """Where a step leads; None where it is not allowed."""
    if step == "complete_deadline_passed":
        return "forfeit_challenger" if state in _NOT_DONE else None
    return _NEXT.get((state, step))
