"""R-BL-10: who may be fielded. Too few of a team's own players open a right for the other side (R-RC-05).

Implements R-BL-10.
"""

from collections.abc import Sequence

FIELDED = 4
"""Players of one team in a match: a pair in each of the two rooms."""


def outsiders(fielded: Sequence[str], roster: Sequence[str]) -> tuple[str, ...]:
    """The fielded players who are not registered for the team."""
    return tuple(player for player in fielded if player not in roster)


def right_opens(fielded: int, registered: int, min_registered: int, max_unregistered: int) -> bool:
    """Whether the other side may refuse to start: fewer registered players than needed, or too many outsiders."""
    return registered < min_registered or fielded - registered > max_unregistered


def wrong_lineup(fielded: Sequence[str], opponents: Sequence[str]) -> str | None:
    """What is wrong with a line-up whoever the players are registered for; None: nothing."""
    if len(fielded) != FIELDED:
        return f"exactly {FIELDED} players, a pair for each room"
    if len(dict.fromkeys(fielded)) != FIELDED:
        return "each player once"
    return "nobody whom the other team fields" if any(player in opponents for player in fielded) else None
