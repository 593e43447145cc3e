"""R-ME-01: tables run on their own; whoever falls below the line is out at once, and the base score rises until few
enough are left. With ``hands_per_seating`` above one it is auto shift selection, ASS (R-AS-01).

Implements R-ME-01.
"""

from coordinator.engine.formats.format import Format

MELEE = Format(name="melee", timeline="pool", groupings=("random",), elimination="score")
