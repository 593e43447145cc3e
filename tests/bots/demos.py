"""A demo played to its end by bots over real sockets."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.processes import coordinator

WITHIN_S = 170
"""Far beyond what any of them needs."""


def played(directory: Path, *words: str, servers: int = 2) -> tuple[dict[str, Any], str]:
    """Run ``coordinator demo`` with these words; its report, and what it said."""
    report = directory / "report.json"
    always = ["--servers", str(servers), "--no-page", "--json", str(report)]
    done = coordinator("demo", *words, *always, cwd=directory, within_s=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["replay"]["same_state"], found["replay"]["same_effects"]) == (True, True)
    return found, done.stdout
