"""The names of the timers a match sets. A fired timer is a command like any other, so timers replay too."""

from typing import Literal

ChallengeKind = Literal["reply", "pick", "complete", "start", "late", "appeal"]

CHALLENGE_KINDS: tuple[ChallengeKind, ...] = ("reply", "pick", "complete", "start", "late", "appeal")
"""The timers a challenge of a ladder may have; their number is its own."""


def base_timer(stage_no: int) -> str:
    """The next rise of the base score (R-ME-03)."""
    return f"base/{stage_no}"


def shuttle_timer(stage_no: int) -> str:
    """The longest waiting player has waited long enough (R-ME-04)."""
    return f"shuttle/{stage_no}"


def end_timer(stage_no: int) -> str:
    """The stage has lasted as long as it may (R-ME-05)."""
    return f"end/{stage_no}"


def table_timer(table_id: int) -> str:
    """A table may have fallen silent (R-HI-06)."""
    return f"table/{table_id}"


def drain_timer(stage_no: int) -> str:
    """The running hands of an island have had as long as they may take to finish (R-IS-04)."""
    return f"drain/{stage_no}"


def offer_timer(offer_no: int) -> str:
    """An offer of revival was not taken in time (R-RV-01)."""
    return f"offer/{offer_no}"


def rest_timer(reg_seq: int) -> str:
    """The player with this registration number has rested as long as one may (R-IS-05)."""
    return f"rest/{reg_seq}"


def bout_timer(stage_no: int) -> str:
    """The bout has lasted its time (R-CS-01)."""
    return f"bout/{stage_no}"


def grace_timer(stage_no: int) -> str:
    """Boards that are still in play after the bout's time are void (R-CS-01)."""
    return f"grace/{stage_no}"


def challenge_timer(kind: ChallengeKind, challenge_no: int) -> str:
    """A deadline of a challenge: to answer, to pick, to be done, to start, to be ready, to appeal (R-BL-06 to 12)."""
    return f"{kind}/{challenge_no}"


def kind_of(timer_id: str) -> tuple[str, int]:
    """The kind and the number of a timer."""
    kind, _, number = timer_id.partition("/")
    return kind, int(number)
