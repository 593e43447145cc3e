"""R-IS-01: an island. Players come and go as they like, tables run on their own, and when its time is over those who
are present are ranked, paid and taken over into the next island, which may be the same one again.

Time alone ends it: an empty island waits for players.
"""

from collections.abc import Iterator, Sequence

from coordinator.engine.definition import Island, MatchDefinition, Reward, Stage
from coordinator.engine.formats.format import Format

ISLAND = Format(name="island", timeline="pool", groupings=("random",), elimination="score")


def entry_score(stage: Stage) -> int:
    """R-IS-02: what a newcomer starts with; in every other format what everybody starts with."""
    island = stage.island
    if island is None or island.entry_score is None:
        return stage.initial_player_state.score
    return island.entry_score


def returning_score(stage: Stage, kept: int | None) -> int:
    """R-IS-02: what a player starts with who left this stage with the score ``kept``; None: who is new to it."""
    island = stage.island
    if kept is None or island is None or island.rejoin == "fresh":
        return entry_score(stage)
    return kept


def cashed_out(island: Island, score: int) -> int:
    """R-IS-03: the whole units of currency a score is worth to a player who leaves, never less than 0."""
    if island.leave_processing != "cash_out":
        return 0
    return max(0, score) // island.exchange_rate


def next_stage(definition: MatchDefinition, stage_no: int, run: int) -> tuple[int, int] | None:
    """R-IS-01: the stage that follows, as its number and which run of it; None after the last.

    Runs count from 1. An island that loops follows itself until its count is reached.
    """
    island = definition.stages[stage_no].island
    if island is not None and island.loop and (island.loop_count is None or run < island.loop_count):
        return stage_no, run + 1
    return (stage_no + 1, 1) if stage_no + 1 < len(definition.stages) else None


def rewarded(rewards: Sequence[Reward], ranking: Sequence[str]) -> Iterator[tuple[int, str, dict[str, int]]]:
    """R-IS-01, R-HI-03: who of a ranking receives what, as place, player and items; a band beyond it is ignored.

    A shared band is divided in whole units among those of its places that somebody has: what is left over after equal
    parts goes one by one to the better places, so that the sum is always paid. A place whose part is nothing is left
    out.
    """
    for reward in rewards:
        last = min(reward.last, len(ranking))
        places = last - reward.first + 1
        for place in range(reward.first, last + 1):
            items = reward.items
            if reward.shared:
                nth = place - reward.first
                parts = {item: amount // places + (nth < amount % places) for item, amount in items.items()}
                items = {item: part for item, part in parts.items() if part}
            if items:
                yield place, ranking[place - 1], items
