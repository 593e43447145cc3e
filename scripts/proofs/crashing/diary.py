"""What a program of the crash proof saw, written down so that ``kill -9`` takes none of it: one JSON line at a time."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Diary:
    """A file of lines. A line is with the kernel before :meth:`write` returns."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, what: str, **words: Any) -> None:
        """One line."""
        os.write(self._file, json.dumps({"what": what, **words}).encode() + b"\n")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a diary, old ones first; none where nothing was written yet."""
    if path.exists():
        for line in path.read_bytes().splitlines():
            yield json.loads(line)
