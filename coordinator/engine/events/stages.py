"""A stage opens, raises its base score, ends its bouts, drains and ends."""

from coordinator.engine.frozen import frozen


@frozen
class StageOpened:
    """A stage begins; ``scores`` are the starting scores, initial plus carried, in the order of ``players``.

    ``run`` counts how often a stage that loops has begun (R-IS-01).
    """

    t: int
    stage_no: int
    players: tuple[str, ...]
    scores: tuple[int, ...]
    run: int = 1


@frozen
class BaseRaised:
    """The base score of the stage rose to the value of this tick (R-ME-03)."""

    t: int
    tick: int
    base_score: int


@frozen
class BoutTimeUp:
    """The bout has lasted its time: no hand of it starts any more (R-CS-01)."""

    t: int
    bout_no: int


@frozen
class BoutEnded:
    """A synchronous bout is over: the survivors in rank order; the others are out with their places."""

    t: int
    bout_no: int
    ranking: tuple[str, ...]
    out: tuple[str, ...]
    out_places: tuple[int, ...]


@frozen
class DrainStarted:
    """An end condition is met: no new table is formed, running hands finish and count (R-ME-05)."""

    t: int
    reason: str


@frozen
class StageEnded:
    """The ranking of all who ever entered the stage; the first ``advancing`` of it go on."""

    t: int
    ranking: tuple[str, ...]
    advancing: int
