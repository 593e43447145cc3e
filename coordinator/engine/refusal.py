"""Why a command was not accepted. A refusal changes nothing."""

import attrs

from coordinator.engine.events import Events


@attrs.frozen
class Refused:
    """A stable ``code`` (one of the wire's error codes or hand verdicts), the offending field and what was expected."""

    code: str
    message: str
    field: str | None = None
    expected: str | None = None


Decision = Events | Refused
"""What becomes of a command."""


def unknown_player(player_id: str) -> Refused:
    """For a name that nobody in the match has."""
    return Refused("unknown_player", f"{player_id!r} is not registered", field="player_id")
