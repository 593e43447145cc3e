"""R-BL-09: who was there in time.

Implements R-BL-09.
"""

from typing import Literal

from coordinator.engine.ladder.outcome import Side

Judgement = Literal["both_ready", "late_challenger", "late_defender", "both_late"]


def is_late(at: int, ready_at: int | None, late_ms: int) -> bool:
    """Whether a team was not complete and ready by ``late_ms`` after the agreed time."""
    return ready_at is None or ready_at > at + late_ms


def checkin_counts(at: int, t: int, before_ms: int, after_ms: int) -> bool:
    """Whether a check-in at ``t`` proves presence: from so long before to so long after the agreed time."""
    return at - before_ms <= t <= at + after_ms


def judge(at: int, challenger_ready: int | None, defender_ready: int | None, late_ms: int) -> Judgement:
    """The punctual side wins; when both are late the match is not played and they agree anew."""
    challenger_late = is_late(at, challenger_ready, late_ms)
    defender_late = is_late(at, defender_ready, late_ms)
    if challenger_late and defender_late:
        return "both_late"
    if challenger_late:
        return "late_challenger"
    return "late_defender" if defender_late else "both_ready"


def favoured(challenger_in: int | None, defender_in: int | None) -> Side | None:
    """Whom a dispute about lateness favours: the side that checked in when the other did not."""
    if (challenger_in is None) == (defender_in is None):
        return None
    return "defender" if challenger_in is None else "challenger"
