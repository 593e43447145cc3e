"""The published order of a match at one moment: who is still in, by rank, then the eliminated by their places."""

from collections.abc import Sequence

from coordinator.engine.stage_rules import ranked_in_stage
from coordinator.engine.state import Entrant, MatchState


def ranked(state: MatchState) -> list[str]:
    """All players of a match in the order of the standings. Grows with the field: ask once per publication."""
    if state.status == "over":
        return list(state.ranking)
    if state.stage is None:
        return list(state.entrants)
    if state.stage.finished:
        still_in: Sequence[str] = list(state.stage.active)
    elif state.stage_rules.format == "swiss_1v1":
        # Whoever left it for good stays ranked among those who play on (R-DM-05).
        stage_id = state.stage_rules.id
        here = [e for e in state.entrants.values() if e.state != "out" or e.out_in == stage_id]
        still_in = ranked_in_stage(state, here)
    else:
        still_in = ranked_in_stage(state, [state.entrants[p] for p in state.stage.active])
    named = dict.fromkeys(still_in)
    out = [e for e in state.entrants.values() if e.state == "out" and e.player_id not in named]
    # A knocked out player has no place before the bout ends; until then it stands right below the survivors.
    out.sort(key=lambda entrant: (entrant.place or 0, entrant.reg_seq))
    return [*still_in, *(entrant.player_id for entrant in out)]


def points_text(entrant: Entrant, placement: bool) -> str | None:
    """Placement points as exact text; None where a stage has none."""
    return str(entrant.points) if placement else None
