"""What the sentences about a match are made of: the names people know, and the scores of a table."""

from collections.abc import Sequence

from coordinator.engine.state import MatchState
from coordinator.shell.view import EventKind

Line = tuple[EventKind, str]


def signed(score: int) -> str:
    """What is won or lost, in groups of three digits and with a real sign, as scores stand everywhere on the page."""
    return f"{score:+,}".replace("-", "\N{MINUS SIGN}")


def name_of(state: MatchState, entrant_id: str) -> str:
    """A player or a team as people call them."""
    entrant = state.entrants.get(entrant_id)
    return entrant_id if entrant is None else entrant.name


def names_of(state: MatchState, players: Sequence[str], most: int | None = None) -> str:
    """Several of them; of more than ``most`` the first are named, and the others counted."""
    named = ", ".join(name_of(state, player_id) for player_id in players[:most])
    return named if most is None or len(players) <= most else f"{named} and {len(players) - most} more"


def scores_of(state: MatchState, table_id: int, scores: Sequence[int]) -> str:
    """Scores in seat order with the names of those who sit, or sat, there; nothing once the table is forgotten."""
    table = state.tables.get(table_id) or state.closed_tables.get(table_id)
    seats = () if table is None else table.seats
    return ", ".join(f"{name_of(state, p)} {signed(score)}" for p, score in zip(seats, scores, strict=False))
