"""How a demo ended: for people as a table, for programs as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bots.errors import DemoFailed
from protocol.messages import PlaceRow

TOP = 20
"""How many places the table on the terminal shows."""


@attrs.frozen
class Place:
    """One line of the final standings; ``out_in`` is the stage the player went out in, None for the last, and
    ``points`` an average where the match has them, and on a ladder what the rating rests on."""

    place: int
    player: str
    name: str
    score: int
    out_in: str | None
    points: str | None = None


def named(rows: Iterable[PlaceRow], names: Mapping[str, str]) -> list[Place]:
    """The final places of a match with the names of its players, the first place first."""
    return [
        Place(row.place, row.player_id, names[row.player_id], row.score, row.out_in, row.points)
        for row in sorted(rows, key=lambda row: row.place)
    ]


@attrs.frozen
class Prize:
    """An award that the lobby paid out, once."""

    match: str
    place: int
    player: str
    items: Mapping[str, int]


@attrs.frozen
class ReplayFinding:
    """What ``coordinator replay --check`` found."""

    events: int
    same_state: bool
    same_effects: bool

    @property
    def same(self) -> bool:
        """Whether the journal led to the same match again."""
        return self.same_state and self.same_effects

    @property
    def sentence(self) -> str:
        """The finding for people."""
        state = "same state" if self.same_state else "ANOTHER STATE"
        effects = "same effects" if self.same_effects else "OTHER EFFECTS"
        return f"replay: {self.events:,} events, {state}, {effects}"


@attrs.frozen
class DemoReport:
    """Everything a demo leaves behind; the seconds are those from the match's opening to its places.

    A tourney also has the ``starts`` that were played and the ``awards`` that were paid.
    """

    match: str
    seed: str
    players: int
    hands: int
    base_scores: Sequence[int]
    standings: Sequence[Place]
    replay: ReplayFinding
    seconds: float
    starts: Sequence[str] = ()
    awards: Sequence[Prize] = ()

    def write_json(self, path: Path) -> None:
        """The report as one JSON object. Raises :class:`~bots.errors.DemoFailed` if it cannot be written."""
        try:
            path.write_text(json.dumps(attrs.asdict(self), indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise DemoFailed(f"--json {path}: {error.strerror}") from error

    def show(self, console: Console) -> None:
        """The first places, the numbers, and whether the journal agrees."""
        table = Table(title=f"Final standings of {self.match}")
        table.add_column("place", justify="right")
        table.add_column("player")
        averages = any(row.points is not None for row in self.standings)
        rated = any("match" in (row.points or "") for row in self.standings)
        table.add_column("rating" if rated else "score", justify="right")
        table.add_column("out in")
        if averages:
            table.add_column("rests on" if rated else "average", justify="right")
        for row in self.standings[:TOP]:
            points = [Text(row.points or "")] if averages else []
            table.add_row(str(row.place), Text(row.name), f"{row.score:,}", Text(row.out_in or ""), *points)
        console.print(table)
        more = len(self.standings) - TOP
        lines = [f"… {more} more"] if more > 0 else []
        for prize in self.awards:
            won = ", ".join(f"{amount} {item}" for item, amount in prize.items.items())
            lines.append(f"{prize.match}, place {prize.place}: {won} for {prize.player}")
        lines.append(f"{self.players} players, {self.hands:,} hands in {self.seconds:.1f} seconds")
        lines.append(self.replay.sentence)
        console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
