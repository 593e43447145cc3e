"""R-SW-01: all players are ranked over the whole field after each bout, the last are cut (R-SW-02), the rest are
reseated by rank (R-SW-03).

Implements R-SW-01.
"""

from coordinator.engine.formats.format import Format

SWISS_SHIFT = Format(
    name="swiss_shift",
    timeline="bouts",
    groupings=("swiss", "swiss", "snake", "ui", "random"),
    elimination="field",
    reranks=True,
)
