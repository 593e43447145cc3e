"""Tournament reports: what their columns say, and what is said about those that are none."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from coordinator.cli import cli
from coordinator.engine.dominion import GameRecord
from coordinator.history_file import MOST_BYTES, History, HistoryRefused, parse_history


def line(number: object, points: object, *rounds: str, name: str = "") -> str:
    """A player's line; a round is written "opponent colour result"."""
    cells = "".join(f"{cell.split()[0]:>4} {' '.join(cell.split()[1:])}  " for cell in rounds)
    return f"001 {number:>4}      {name or f'Player {number}':<33}{'':33}{points:>4}       {cells}"


def report(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def parsed(*lines: str) -> History:
    return parse_history(report(*lines))


def complaints(*lines: str) -> list[str]:
    """What is wrong with a report, each with its line."""
    with pytest.raises(HistoryRefused) as refused:
        parsed(*lines)
    return [f"{problem.line}: {problem.path}: {problem.message}" for problem in refused.value.problems]


def test_what_was_played() -> None:
    told = parsed(
        "012 A club",
        line(1, "2.0", "2 w 1", "3 w +", name="Ann"),
        line(2, "1.0", "1 b 0", "0000 - U"),
        line(3, "0.0", "0000 - Z", "1 b -"),
        "XXR 3",
    )
    assert told.names == {"1": "Ann", "2": "Player 2", "3": "Player 3"}
    assert (told.bouts, told.planned, told.joined) == (2, 3, {"3": 2})
    assert told.games == (
        GameRecord(1, "1", "2", "played", 1, 0),
        GameRecord(2, "1", "3", "drop_b"),
        GameRecord(2, "2", None, "bye"),
    )


@pytest.mark.parametrize(
    ("first", "second", "points", "record"),
    [
        ("=", "=", ("0.5", "0.5"), ("played", 0, 0)),
        ("0", "1", ("0.0", "1.0"), ("played", 0, 1)),
        ("-", "+", ("0.0", "1.0"), ("drop_a", 0, 0)),
        ("-", "-", ("0.0", "0.0"), ("drop_both", 0, 0)),
        ("W", "L", ("1.0", "0.0"), ("played", 1, 0)),
        ("D", "D", ("0.5", "0.5"), ("played", 0, 0)),
    ],
)
def test_every_kind_of_result(first: str, second: str, points: tuple[str, str], record: tuple[str, int, int]) -> None:
    told = parsed(line(1, points[0], f"2 w {first}"), line(2, points[1], f"1 b {second}"))
    assert told.games == (GameRecord(1, "1", "2", *record),)  # type: ignore[arg-type]


def test_lines_may_come_in_any_order() -> None:
    told = parsed(line(2, "0.0", "1 b 0"), line(1, "1.0", "2 w 1"))
    assert list(told.names) == ["1", "2"]
    assert told.games == (GameRecord(1, "1", "2", "played", 1, 0),)


def test_nobody_has_played_yet() -> None:
    told = parsed(line(1, "0.0"), line(2, "0.0"))
    assert (told.bouts, told.games, told.joined) == (0, (), {})


PAIR = (line(1, "1.0", "2 w 1"), line(2, "0.0", "1 b 0"))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((), ["None: : no players"]),
        (("hello", *PAIR), ["1: : no line of a tournament report"]),
        ((*PAIR, "XXR many"), ["3: XXR: 'many' is no number of rounds"]),
        ((*PAIR, "XXR 0"), ["3: XXR: '0' is no number of rounds"]),
        ((line("x", "0.0"),), ["1: starting number: 'x' is none"]),
        ((line("0", "0.0"),), ["1: starting number: '0' is none"]),
        ((line(1, "0.0", name="\x1b[31mred"),), ["1: name: '\\x1b[31mred' cannot be shown"]),
        ((line(1, "1.25"),), ["1: points: '1.25' are none"]),
        ((line(1, ""),), ["1: points: '' are none"]),
        ((line(1, "1/0"),), ["1: points: '1/0' are none"]),
        ((line(1, "-1.0"),), ["1: points: '-1.0' are none"]),
        ((line(1, "0.5", "0000 - H"),), ["1: round 1: a bye of half a point is not offered (R-DM-03)"]),
        ((line(1, "1.0", "2 w X"),), ["1: round 1: 'X' is no result of a game"]),
        ((line(1, "1.0", "0000 - 1"),), ["1: round 1: '1' is no result without an opponent"]),
        ((line(1, "1.0", "a w 1"),), ["1: round 1: 'a' is no opponent"]),
        ((line(1, "1.0", "1 w 1"),), ["1: player 1: round 1: plays against itself"]),
        ((line(1, "1.0", "9 w 1"),), ["1: player 1: round 1: there is no player 9"]),
        (
            (*PAIR, line(2, "0.0", "1 b 0")),
            ["3: player 2: starting number: 2 is that of line 2 too"],
        ),
        (
            (line(1, "1.0", "2 w 1"), line(2, "0.0", "3 b 0"), line(3, "1.0", "2 w 1")),
            ["1: player 1: round 1: names player 2, whose line 2 names player 3"],
        ),
    ],
)
def test_what_is_no_report_is_refused_with_its_line(lines: tuple[str, ...], found: list[str]) -> None:
    assert complaints(*lines) == found


def test_a_gap_of_millions_is_told_in_a_few_lines() -> None:
    assert len(complaints(line(1, "0.0"), line(9999, "0.0"))) == 10


def test_a_report_that_is_no_text_is_refused(tmp_path: Path) -> None:
    for content in (b"\xff\xfe", b"x" * (MOST_BYTES + 1)):
        file = tmp_path / "report.trf"
        file.write_bytes(content)
        result = CliRunner().invoke(cli, ["history", str(file)])
        assert result.exit_code == 3
        assert result.stderr.endswith("[history_refused]\n")


ANYTHING = st.text(st.characters(codec="utf-8"), max_size=200)
NEARLY = st.lists(st.sampled_from(list("01 2wb=+-UZ.\n"))).map("".join)


@given(ANYTHING | NEARLY)
def test_any_text_is_read_or_refused(text: str) -> None:
    found: tuple[object, ...] = ()
    try:
        found = tuple(parse_history("001    1      A" + text).names)
    except HistoryRefused as refused:
        found = refused.problems
    assert found


def test_the_last_bout_is_said_to_be_played(tmp_path: Path) -> None:
    file = tmp_path / "report.trf"
    file.write_text(report(*PAIR, "XXR 1"), encoding="utf-8")
    result = CliRunner().invoke(cli, ["history", str(file)])
    assert result.stdout.splitlines()[-1] == "the last bout is played"
    more = CliRunner().invoke(cli, ["history", str(file), "--bouts", "2"])
    assert "bout 2 of 2, with rematches:" in more.stdout
