"""The history of a Swiss as a file: a tournament report in, its bouts out, or every contradiction with its line.

The file is the report that chess programs exchange (TRF16): fixed columns, a line ``001`` for each player with starting
number, name, points, and for each round opponent, colour and result; ``XXR`` says how many rounds there are. What one
line says of a game the line of the opponent says too, and the points follow from the results: a file that contradicts
itself is refused as a whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final

import attrs

from coordinator.engine.dominion import GameRecord, Status
from coordinator.errors import CoordinatorError
from coordinator.files.problem import Problem
from coordinator.files.source import read_text

FIRST_ROUND: Final = 91
"""Where in a line the first round begins, and how many columns a round has."""
ROUND_WIDTH: Final = 10
MOST_BYTES: Final = 16_000_000
"""More than the 9999 players that the columns can number play in a hundred rounds."""

_AGAINST: Final[Mapping[str, str]] = MappingProxyType(
    {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+-"}
)
"""What the opponent's line may say of a game."""
_TWICE: Final[Mapping[str, int]] = MappingProxyType(
    {"1": 2, "W": 2, "+": 2, "U": 2, "F": 2, "=": 1, "D": 1, "0": 0, "L": 0, "-": 0, "Z": 0}
)
"""Points of a result, times two."""
_ALONE: Final = ("U", "F", "Z")
"""A bye, the same given by hand, and a round that was missed."""

_ABANDONED: Final[Mapping[tuple[str, str], Status]] = MappingProxyType(
    {("+", "-"): "drop_b", ("-", "+"): "drop_a", ("-", "-"): "drop_both"}
)
"""Forfeits by what both lines say, as games that were left (R-DM-03)."""


class HistoryRefused(CoordinatorError):
    """A report that contradicts itself or is none; ``problems`` are all that was found."""

    code = "history_refused"
    exit_code = 3

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@attrs.frozen
class History:
    """What was played. Players are named by their starting numbers, the order of entry.

    ``planned`` is the number of rounds the report promises, ``joined`` the first bout of those who came late (R-DM-11).
    A report knows no victory points: a game won is 1 to 0, a game drawn 0 to 0.
    """

    names: dict[str, str]
    bouts: int
    planned: int | None
    games: tuple[GameRecord, ...]
    joined: dict[str, int]


@attrs.frozen
class _Cell:
    """One round of one line: the opponent's number or None, its colour, its result."""

    opponent: int | None
    colour: str
    result: str


@attrs.frozen
class _Line:
    """One player's line; ``at`` is its number in the file, from 1."""

    at: int
    number: int
    name: str
    twice: int
    cells: tuple[_Cell, ...]


def load_history(file: Path) -> History:
    """The history in a file. Raises HistoryRefused with every contradiction; nothing is taken over then."""
    text = read_text(file, MOST_BYTES)
    if isinstance(text, Problem):
        raise HistoryRefused((text,))
    return parse_history(text, str(file))


def parse_history(text: str, file: str = "") -> History:
    """The history in a text. Raises HistoryRefused."""
    problems: list[Problem] = []
    lines: list[_Line] = []
    planned: int | None = None
    for at, line in enumerate(text.splitlines(), start=1):
        kind = line[:3]
        try:
            if kind == "001":
                lines.append(_player(at, line))
            elif kind == "XXR":
                planned = _count(line[3:])
            elif line.strip() and not (kind.isdigit() or kind.startswith(("XX", "#"))):
                raise _Wrong("", "no line of a tournament report", "a line that begins with a code like 001 or XXR")
        except _Wrong as wrong:
            problems.append(wrong.problem(at))
    if not problems:
        problems = list(_contradictions(lines, planned))
    if problems:
        raise HistoryRefused(tuple(attrs.evolve(problem, file=file) for problem in problems))
    return _history(lines, planned)


class _Wrong(Exception):
    """A field of a line that cannot be read."""

    def __init__(self, path: str, message: str, expected: str) -> None:
        super().__init__(message)
        self.path, self.message, self.expected = path, message, expected

    def problem(self, at: int) -> Problem:
        return Problem(self.path, self.message, self.expected, line=at)


def _count(text: str) -> int:
    try:
        rounds = int(text)
    except ValueError:
        rounds = 0
    if not 1 <= rounds <= 1000:
        raise _Wrong("XXR", f"{text.strip()!r} is no number of rounds", "a number from 1 to 1000")
    return rounds


def _player(at: int, line: str) -> _Line:
    number = line[4:8].strip()
    if not (number.isascii() and number.isdigit() and int(number)):
        raise _Wrong("starting number", f"{number!r} is none", "a number from 1 in the columns 5 to 8")
    try:
        twice = 2 * Fraction(line[80:84].strip())
    except (ValueError, ZeroDivisionError):
        twice = Fraction(1, 2)
    if twice.denominator != 1 or twice < 0:
        raise _Wrong("points", f"{line[80:84].strip()!r} are none", "whole or half points in the columns 81 to 84")
    name = line[14:47].strip() or number
    if not name.isprintable():
        raise _Wrong("name", f"{name!r} cannot be shown", "letters, digits, signs and spaces")
    rounds = line[FIRST_ROUND:].rstrip()
    cells = [
        _cell(rounds[start : start + ROUND_WIDTH], f"round {start // ROUND_WIDTH + 1}")
        for start in range(0, len(rounds), ROUND_WIDTH)
    ]
    return _Line(at, int(number), name, int(twice), tuple(cells))


def _cell(text: str, path: str) -> _Cell:
    opponent, colour, result = text[:4].strip(), text[5:6].strip() or "-", text[7:8].strip().upper() or "Z"
    if opponent and not (opponent.isascii() and opponent.isdigit()):
        raise _Wrong(path, f"{opponent!r} is no opponent", "a starting number, or 0000 for nobody")
    if result == "H":
        raise _Wrong(path, "a bye of half a point is not offered (R-DM-03)", "U, F or Z")
    if int(opponent or 0):
        if result not in _AGAINST:
            raise _Wrong(path, f"{result!r} is no result of a game", f"one of {' '.join(_AGAINST)}")
        return _Cell(int(opponent), colour, result)
    if result not in _ALONE:
        raise _Wrong(path, f"{result!r} is no result without an opponent", f"one of {' '.join(_ALONE)}")
    return _Cell(None, colour, result)


# ------------------------------------------------------------------------------------------- contradictions


def _contradictions(lines: list[_Line], planned: int | None) -> Iterator[Problem]:
    if not lines:
        yield Problem("", "no players", "a line 001 for each", line=None)
        return
    by_number: dict[int, _Line] = {}
    for line in lines:
        first = by_number.setdefault(line.number, line)
        if first is not line:
            yield _about(
                line, "starting number", f"{line.number} is that of line {first.at} too", "one for each player"
            )
    yield from _gaps(sorted(by_number.values(), key=lambda line: line.number))
    yield from _lengths(lines, planned)
    for line in lines:
        twice = sum(_TWICE[cell.result] for cell in line.cells)
        if twice != line.twice:
            yield _about(line, "points", f"the results are worth {_points(twice)} and not {_points(line.twice)}",
                         _points(twice))  # fmt: skip
        for round_no, cell in enumerate(line.cells, start=1):
            yield from _about_game(line, round_no, cell, by_number)


def _about(line: _Line, what: str, message: str, expected: str = "") -> Problem:
    return Problem(f"player {line.number}: {what}", message, expected, line=line.at)


def _gaps(lines: Iterable[_Line]) -> Iterator[Problem]:
    wanted = 1
    for line in lines:
        for missing in range(wanted, min(line.number, wanted + 10)):
            yield _about(line, "starting number", f"there is no player {missing}", "numbers from 1 on without a gap")
        wanted = line.number + 1


def _lengths(lines: Iterable[_Line], planned: int | None) -> Iterator[Problem]:
    most = max(len(line.cells) for line in lines)
    if planned is not None and most > planned:
        for line in lines:
            if len(line.cells) > planned:
                yield _about(
                    line, "rounds", f"{len(line.cells)} results in {planned} rounds (XXR)", f"{planned} or less"
                )
        most = planned
    for line in lines:
        if len(line.cells) < most:
            yield _about(line, "rounds", f"{len(line.cells)} results where others have {most}", f"{most} results")


def _about_game(line: _Line, round_no: int, cell: _Cell, by_number: Mapping[int, _Line]) -> Iterator[Problem]:
    """What the two lines of a game say against each other, told once: of the later line."""
    if cell.opponent is None:
        return
    where = f"round {round_no}"
    other = by_number.get(cell.opponent)
    if other is None or other is line:
        nobody = "plays against itself" if other is line else f"there is no player {cell.opponent}"
        yield _about(line, where, nobody, "another player of the report")
        return
    theirs = other.cells[round_no - 1] if round_no <= len(other.cells) else None
    if theirs is None or theirs.opponent != line.number:
        says = "nobody" if theirs is None or theirs.opponent is None else f"player {theirs.opponent}"
        yield _about(line, where, f"names player {other.number}, whose line {other.at} names {says}", "one pair")
        return
    if other.at > line.at:
        return
    if theirs.result not in _AGAINST[cell.result]:
        said = f"{cell.result!r}, and line {other.at} of player {other.number} says {theirs.result!r}"
        yield _about(line, where, f"says {said}", f"{' or '.join(map(repr, _AGAINST[theirs.result]))}")
    if cell.colour == theirs.colour != "-":
        both = {"w": "white", "b": "black"}.get(cell.colour, repr(cell.colour))
        yield _about(line, where, f"player {other.number} in line {other.at} has {both} too", "one white, one black")


def _points(twice: int) -> str:
    return f"{twice / 2:.1f}"


# ------------------------------------------------------------------------------------------- what was played


def _history(lines: list[_Line], planned: int | None) -> History:
    lines = sorted(lines, key=lambda line: line.number)
    bouts = len(lines[0].cells)
    games = [
        record for number in range(bouts) for line in lines if (record := _record(line, number, lines)) is not None
    ]
    joined = {str(line.number): first for line in lines if (first := _first_bout(line)) > 1}
    return History({str(line.number): line.name for line in lines}, bouts, planned, tuple(games), joined)


def _record(line: _Line, number: int, lines: list[_Line]) -> GameRecord | None:
    """The game or bye this line is the first to tell of; ``lines`` are in the order of their numbers."""
    cell, me, bout_no = line.cells[number], str(line.number), number + 1
    if cell.opponent is None:
        return None if cell.result == "Z" else GameRecord(bout_no, me, None, "bye")
    if cell.opponent < line.number:
        return None
    vp_a, vp_b = {"1": (1, 0), "W": (1, 0), "0": (0, 1), "L": (0, 1)}.get(cell.result, (0, 0))
    results = cell.result, lines[cell.opponent - 1].cells[number].result
    status = _ABANDONED.get(results, "played")
    return GameRecord(bout_no, me, str(cell.opponent), status, vp_a, vp_b)


def _first_bout(line: _Line) -> int:
    """R-DM-11: the first bout a player was there for; the one to come for somebody who has missed all of them."""
    missed = 0
    for cell in line.cells:
        if cell.opponent is not None or cell.result != "Z":
            break
        missed += 1
    return missed + 1
