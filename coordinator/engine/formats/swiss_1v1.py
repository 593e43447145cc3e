"""R-DM-01: Dominion Swiss. Everybody plays every bout, one game for two at a table; the top few go to a final.

The first bout is drawn (R-DM-09), later ones pair neighbours in rank that have not met (R-DM-10). Nobody is put out;
players may come late and leave for good where the organiser lets them (R-DM-11).

Implements R-DM-01.
"""

from coordinator.engine.formats.format import Format

SWISS_1V1 = Format(
    name="swiss_1v1",
    timeline="bouts",
    groupings=("random", "swiss"),
    elimination="none",
    reranks=True,
    joins=True,
    leaves=True,
    duels=True,
)
