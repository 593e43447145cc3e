"""What every word of a director is asked first."""

from coordinator.engine.ladder.looking import is_ladder
from coordinator.engine.refusal import Decision, Refused
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


def said_before(state: MatchState, key: str, words: str) -> Decision | None:
    """The answer to a word that was said before under its key: nothing more, or that those were others."""
    known = state.said.get(key)
    if known is None:
        return None
    return () if known == words else Refused("key_used", f"this key was for {known}", "key", "a key of its own")
