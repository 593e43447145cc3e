"""The published order of a match at one moment: who is still in, by rank, then those who may come back, then
the eliminated by their places, then those who have left."""

from collections.abc import Sequence

from coordinator.engine import duplicate
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.ladder.looking import ladder_rules
from coordinator.engine.ladder.rating import status
from coordinator.engine.stage_rules import ranked_in_stage
from coordinator.engine.state import Entrant, MatchState
from coordinator.shell.view import PlayerProgress


def ranked(state: MatchState) -> list[str]:
    """All players of a match in the order of the standings. Grows with the field: ask once per publication."""
    if state.status == "over":
        placed = dict.fromkeys(state.ranking)
        # Of an island only those who were present at its end have places (R-IS-01).
        return [*state.ranking, *(player_id for player_id in state.entrants if player_id not in placed)]
    if state.stage is None:
        return list(state.entrants)
    if state.ladder is not None:
        return [*state.ladder.ranks, *reversed(state.ladder.left)]  # R-BL-01
    # Who left a stage by the clock keeps the place earned (R-CS-01), who left an island has none (R-IS-01).
    keep_places = not state.stage.finished and timeline_of(state.stage_rules) == "clock"
    if state.stage.finished:
        still_in: Sequence[str] = list(state.stage.active)
    elif format_of(state.stage_rules).duels:
        # Whoever left it for good stays ranked among those who play on (R-DM-05).
        stage_id = state.stage_rules.id
        here = [e for e in state.entrants.values() if e.state != "out" or e.out_in == stage_id]
        still_in = ranked_in_stage(state, here)
    else:
        here = [state.entrants[p] for p in state.stage.active]
        if keep_places:
            here += [entrant for entrant in state.entrants.values() if entrant.state == "left"]
        still_in = ranked_in_stage(state, here)
    named = dict.fromkeys(still_in)
    out = [e for e in state.entrants.values() if e.state == "out" and e.player_id not in named]
    # A knocked out player has no place before the bout ends; until then it stands right below the survivors.
    out.sort(key=lambda entrant: (entrant.place or 0, entrant.player_id in state.disqualified, entrant.reg_seq))
    gone = ("joining",) if keep_places else ("joining", "left")
    below = [entrant for entrant in state.entrants.values() if entrant.state in gone]
    return [*still_in, *state.stage.offers, *(entrant.player_id for entrant in (*out, *below))]


def state_text(state: MatchState, entrant: Entrant) -> PlayerProgress:
    """How a player stands; who is disqualified, as the state has it now, is shown as nothing else."""
    return "disqualified" if entrant.player_id in state.disqualified else entrant.state


def points_text(entrant: Entrant, placement: bool) -> str | None:
    """Placement points as exact text; None where a stage has none."""
    return str(entrant.points) if placement else None


def duplicate_text(state: MatchState, entrant: Entrant) -> str | None:
    """R-DU-04, R-DU-05: the average of a duplicate stage with two decimals; None where boards are not compared.

    ``provisional`` while a board of the player may still change; ``no result`` once the stage has ended for somebody
    who played too few boards.
    """
    if state.stage is None or state.stage_rules.scoring != "duplicate" or entrant.out_in not in (None, _stage(state)):
        return None
    if entrant.state in ("done", "out") and entrant.boards < (state.stage_rules.duplicate.required_boards or 0):
        return "no result"
    average = duplicate.shown(duplicate.mean(entrant.points, entrant.boards))
    return f"{average} provisional" if entrant.open_boards else average


def rating_text(state: MatchState, player_id: str) -> str | None:
    """R-RA-01: how many matches a team's rating rests on, and whether that is enough; None but on a ladder."""
    if state.ladder is None or player_id not in state.ladder.teams:
        return None
    matches = state.ladder.teams[player_id].matches
    played = "1 match" if matches == 1 else f"{matches} matches"
    provisional = status(matches, ladder_rules(state).rating) == "provisional"
    return f"{played}, provisional" if provisional else played


def _stage(state: MatchState) -> str:
    return state.stage_rules.id
