"""``python -m bots.leash PARENT PROGRAM …``: run the program so that it cannot outlive the process PARENT.

A process that is killed has no chance to end its children. On Linux the kernel can: it is asked here, in the
child, before the program takes its place. A parent that died before the request took hold is noticed by its
number. On other systems the program just runs; there a parent that ends in its right mind still ends its
children.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent and become the program."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)
    os.execv(program[0], program)


if __name__ == "__main__":
    main()
