"""R-DF-01: almost no mechanisms. All entrants sit at one table; the ranking of its round is that of the stage.

Implements R-DF-01.
"""

from coordinator.engine.formats.format import Format

DEFAULT = Format(name="default", timeline="bouts", groupings=("direct",), elimination="none", bouts=1, one_table=True)
