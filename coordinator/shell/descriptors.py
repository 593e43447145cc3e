"""How many files and sockets the process may have open."""

import resource


def open_files() -> int:
    """Raise the soft limit to the hard one, and return it: many systems start a process with no more than 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return hard
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        return soft
    return hard
