"""R-BL-01: the bridge challenge ladder. Teams hold a strict ranking; a lower one challenges a higher one inside its
window, they agree on a time and play the same boards in two rooms.

The initial score of the stage is the initial rating of a team (R-RA-01). A new team enters at the bottom.

Implements R-BL-01.
"""

from coordinator.engine.definition import MatchDefinition
from coordinator.engine.formats.format import Format

LADDER = Format(
    name="ladder",
    timeline="challenge",
    groupings=("direct",),
    elimination="none",
    reranks=True,
    joins=True,
    leaves=True,
)


def by_wall_clock(definition: MatchDefinition) -> bool:
    """Whether the clock of a match is the wall clock: deadlines of days pass whether a coordinator runs or not."""
    return bool(definition.phases) and any(stage.format == "ladder" for stage in definition.stages)
