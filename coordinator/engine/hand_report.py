"""What is asked of the scores of a hand, whoever says them: a table server, or a director who corrects them."""

from collections.abc import Sequence

from coordinator.engine import duplicate
from coordinator.engine.refusal import Refused


def in_seat_order(seats: tuple[str, ...], scores: dict[str, int]) -> tuple[int, ...] | Refused:
    """The scores of all who sit at a table and of nobody else, or why they are not that."""
    if len(scores) == len(seats):
        try:
            return tuple(map(scores.__getitem__, seats))
        except KeyError:
            pass
    return Refused(
        "wrong_players",
        "the scores do not name the players of this table",
        "scores",
        f"exactly {', '.join(seats)}",
    )


def partners_differ(directions: Sequence[str], reported: tuple[int, ...]) -> Refused | None:
    """R-DU-01: partners share the result of their direction."""
    results: dict[int, int] = {}
    for lane, score in zip(duplicate.lanes(directions, len(reported)), reported, strict=True):
        if results.setdefault(lane, score) != score:
            return Refused("invalid", "partners have different scores", "scores", "one result for each direction")
    return None
