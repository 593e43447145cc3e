"""R-BL-12: reports of a match. Either side reports and the other may appeal; a report names both teams.

What counts are the boards that were played. A report that differs from them is shown to the referees, whose ruling,
and nothing automatic, makes it a false one; a team that corrects itself before has only erred.

Implements R-BL-12.
"""

from typing import Literal

import attrs


@attrs.frozen
class Report:
    """What one side said: the IMPs of challenger and defender, or the team that failed to play."""

    t: int
    challenger_imps: int
    defender_imps: int
    failed: str | None = None


def verdict(report: Report, challenger_imps: int, defender_imps: int) -> Literal["true", "swapped", "differs"]:
    """How a report compares with the boards; ``swapped`` is refused on entry, so that it can be mended at once."""
    told, played = (report.challenger_imps, report.defender_imps), (challenger_imps, defender_imps)
    if told == played:
        return "true"
    return "swapped" if told == (defender_imps, challenger_imps) else "differs"


def agree(one: Report | None, other: Report | None) -> bool:
    """Whether both sides have reported the same, which is final at once."""
    if one is None or other is None:
        return False
    return (one.challenger_imps, one.defender_imps, one.failed) == (
        other.challenger_imps,
        other.defender_imps,
        other.failed,
    )
