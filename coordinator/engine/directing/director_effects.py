"""What the outside hears of a director's words."""

from typing import Literal

from coordinator.engine.frozen import frozen

Word = Literal["penalty", "disqualify", "reinstate", "correct", "reseat"]


@frozen
class TellRuled:
    """Tell lobbies what a director has decided; ``scores`` by player are what a hand counts for."""

    kind: Word
    reason: str
    player_id: str | None = None
    points: int | None = None
    table_id: int | None = None
    hand_no: int | None = None
    scores: tuple[tuple[str, int], ...] = ()
