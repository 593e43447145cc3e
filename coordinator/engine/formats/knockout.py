"""R-KO-01: every bout costs part of the field by place at the table, until one table has played the final.

Take k of N, or half (R-KO-02 to R-KO-04); places of the eliminated by R-KO-05. A bout with a cut of its own is cut
over the whole field instead.

Implements R-KO-01.
"""

from coordinator.engine.formats.format import Format

KNOCKOUT = Format(
    name="knockout",
    timeline="bouts",
    groupings=("random", "swiss", "snake", "ui"),
    elimination="table",
    reranks=True,
    bouts="until_done",
)
