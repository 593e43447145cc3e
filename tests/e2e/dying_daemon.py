"""The daemon, dying at a named moment: ``python -m tests.e2e.dying_daemon``, with ``coordinator``'s own arguments.

``DIES_AT`` names the moment and ``DIES_NTH`` says at which time it comes to it. The daemon itself has no such switch.
"""

import os
from typing import Final, cast

from coordinator.__main__ import main
from coordinator.journal.moments import Moment
from tests.shell.mortals import die_at

TELLING: Final[tuple[Moment, ...]] = ("one peer told",)
STOPPING: Final[tuple[Moment, ...]] = ("stopping, all written", "stopping, states kept", "stopping, all told")
"""The moments that only a whole daemon comes to."""

if __name__ == "__main__":
    die_at(cast(Moment, os.environ["DIES_AT"]), int(os.environ["DIES_NTH"]))
    main()
