"""R-CS-01: bouts by the clock, near averages together, the same boards everywhere, scored against the datum (R-DU).

Players come from the waiting room at any time and play from the next bout on; they may leave between bouts.
"""

from coordinator.engine.formats.format import Format

CONTINUOUS_SWISS = Format(
    name="continuous_swiss",
    timeline="clock",
    groupings=("swiss",),
    elimination="none",
    reranks=True,
    bouts=12,
)
