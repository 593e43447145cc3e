"""R-RC-02: an interrupted board is repeated: the same calls and plays up to the break, then play is free."""

from collections.abc import Sequence

from coordinator.engine.ladder.rights import Option


def first_deviation(log: Sequence[int | str], replay: Sequence[int | str]) -> int | None:
    """Where a repeated course first differs from the log, counted from 0; None: it does not."""
    for index, (before, now) in enumerate(zip(log, replay, strict=False)):
        if before != now:
            return index
    return None


def options(count: int) -> tuple[Option, ...]:
    """What the other side may choose after so many deviations of one side in a match."""
    return ("redo", "continue") if count < 2 else ("redo", "claim_win", "continue")
