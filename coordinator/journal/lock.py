"""One process writes a journal: a lock file beside it, held as long as the journal is open for writing.

The kernel lets go of the lock when its holder ends, however it ends. The file itself stays: removing it would let two
processes hold locks on two files of the same name.
"""

import fcntl
import os
from pathlib import Path

from coordinator.errors import JournalLocked


class FileLock:
    """The lock of one journal, held from the start."""

    def __init__(self, journal: Path) -> None:
        """Take the lock. Raises JournalLocked where another holds it, OSError where there can be no lock file."""
        self._file: int | None = os.open(journal.with_name(journal.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            holder = os.pread(self._file, 20, 0).strip()
            self.release()
            who = f"process {int(holder)}" if holder.isdigit() else "another process"
            raise JournalLocked(str(journal), who) from None
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Let another process have the journal. Twice is harmless."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
