"""Reads the tournament reports among the data: who met whom in which round, and how it ended."""

from pathlib import Path

import attrs

DATA = Path(__file__).with_name("data")
FIRST_ROUND, ROUND_WIDTH = 91, 10


@attrs.frozen
class Line:
    """A player of a report: number, points times two, and for each round (opponent or None, result)."""

    number: int
    twice_points: int
    rounds: tuple[tuple[int | None, str], ...]


def read(name: str) -> list[Line]:
    """The players of a report, in its order."""
    lines = (DATA / "swiss_trf" / name).read_text(encoding="utf-8").splitlines()
    return [_line(line) for line in lines if line.startswith("001")]


def _line(line: str) -> Line:
    rounds = []
    for at in range(FIRST_ROUND, len(line), ROUND_WIDTH):
        cell = line[at : at + ROUND_WIDTH]
        opponent = int(cell[:4].strip() or 0)
        rounds.append((opponent or None, cell.strip()[-1]))
    return Line(int(line[4:8]), round(2 * float(line[80:84])), tuple(rounds))
