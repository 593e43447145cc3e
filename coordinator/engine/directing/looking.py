"""What every word of a director is asked first."""

from coordinator.engine.ladder.looking import is_ladder
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState


def refused_by_match(state: MatchState, *, registering: bool = False) -> Refused | None:
    """Why nothing can be decided of this match; ``registering``: what is asked may be said before the start."""
    if is_ladder(state):
        return Refused("is_a_ladder", "a ladder has rulings of its own", "kind", "a ruling of a ladder")
    if state.status in ("over", "halted"):
        return Refused("match_over", "the match is over, and what it came to is final", "match_id", "a match that runs")
    if state.status == "registering" and not registering:
        return Refused("not_started", "the match has not started", "match_id", "a match that runs")
    return None
