"""Keeps what this Python journals for the others to compare: ``python -m tests.journal.pythons [FOLDER]``.

Every supported Python but the oldest has written ``kept/pythons/python-3.N.db``, always of the same matches. They hold
the commands, so that a later version decides them again without playing.
"""

import sys
from hashlib import blake2b
from pathlib import Path

import attrs

from coordinator.engine import RULES_VERSION
from coordinator.engine.definition import (
    CarryOut,
    Island,
    MatchDefinition,
    Round,
)
from coordinator.journal.kinds import COMMANDS, EVENTS, MATCH
from coordinator.journal.records import EFFECTS_LAYOUT, FORMAT
from coordinator.journal.store import open_store
from tests.engine.stages import CLOCKED, DOMINION, ISLAND, match_of
from tests.journal import keep

KEPT = keep.KEPT / "pythons"
LAYOUT = KEPT / "layout.txt"
HERE = f"python-{sys.version_info[0]}.{sys.version_info[1]}"

SHORT = attrs.evolve(ISLAND, carry_out=CarryOut("divide", divisor=10), island=Island(1_200_000, entry_score=1000))

MATCHES: dict[str, tuple[MatchDefinition, int]] = {
    **keep.MATCHES,
    "clocked": (match_of(CLOCKED, players=8), 8),
    "dominion": (match_of(attrs.evolve(DOMINION, round=Round(hands=1)), players=6), 6),
    "island": (match_of(SHORT, players=9), 9),
}


def layout() -> str:
    """Which fields everything in a journal has. With others the same match is written in other bytes."""
    texts = [shape.text for shapes in (COMMANDS, EVENTS) for _, shape in sorted(shapes.items())]
    said = "\n".join([str(FORMAT), str(RULES_VERSION), EFFECTS_LAYOUT, MATCH.layout, *texts])
    return blake2b(said.encode(), digest_size=8).hexdigest()


def write(folder: Path) -> Path:
    """Play the matches and journal them."""
    path = folder / f"{HERE}.db"
    with open_store(f"sqlite:///{path}") as store:
        for match_id, what in MATCHES.items():
            keep.play(store, match_id, *what)
    path.with_name(f"{path.name}.lock").unlink()
    return path


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
    else:
        write(KEPT)
        LAYOUT.write_text(layout() + "\n")
