"""The published order of a match at one moment: who is still in, by rank, then those who may come back, then
the eliminated by their places, then those who have left."""

from collections.abc import Sequence

from coordinator.engine.stage_rules import rank_players
from coordinator.engine.state import Entrant, MatchState


def ranked(state: MatchState) -> list[str]:
    """All players of a match in the order of the standings. Grows with the field: ask once per publication."""
    if state.status == "over":
        placed = dict.fromkeys(state.ranking)
        # Of an island only those who were present at its end have places (R-IS-01).
        return [*state.ranking, *(player_id for player_id in state.entrants if player_id not in placed)]
    if state.stage is None:
        return list(state.entrants)
    if state.stage.finished:
        still_in: Sequence[str] = list(state.stage.active)
    else:
        still_in = rank_players(state.rules, state.stage_rules, [state.entrants[p] for p in state.stage.active])
    out = [entrant for entrant in state.entrants.values() if entrant.state == "out"]
    # A knocked out player has no place before the bout ends; until then it stands right below the survivors.
    out.sort(key=lambda entrant: (entrant.place or 0, entrant.reg_seq))
    below = [entrant for entrant in state.entrants.values() if entrant.state in ("joining", "left")]
    return [*still_in, *state.stage.offers, *(entrant.player_id for entrant in (*out, *below))]


def points_text(entrant: Entrant, placement: bool) -> str | None:
    """Placement points as exact text; None where a stage has none."""
    return str(entrant.points) if placement else None
