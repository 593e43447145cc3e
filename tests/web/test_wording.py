"""Numbers and times as people read them."""

import pytest

from coordinator.web.standings_csv import tame
from coordinator.web.wording import count, duration, match_time, points, whole


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999, "999"), (1000, "1,000"), (-1234567, "\N{MINUS SIGN}1,234,567")]
)
def test_whole(number: int, text: str) -> None:
    assert whole(number) == text


def test_points() -> None:
    assert points(None) == ""
    assert points("-1/2") == "\N{MINUS SIGN}1/2"


def test_count() -> None:
    assert count(1, "hand") == "1 hand"
    assert count(1200, "hand") == "1,200 hands"
    assert count(2, "lobby", "lobbies") == "2 lobbies"


@pytest.mark.parametrize(
    ("ms", "text"),
    [(-5, "0:00"), (0, "0:00"), (1, "0:01"), (59_001, "1:00"), (247_000, "4:07"), (3_847_000, "1:04:07")],
)
def test_match_time(ms: int, text: str) -> None:
    assert match_time(ms) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (8.9, "8 s"), (320, "5 min 20 s"), (3600, "1 h"), (3605, "1 h"), (90_000, "1 d 1 h"), (-3, "0 s")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "-2+3|cmd"])
def test_formulas_are_tamed(text: str) -> None:
    assert tame(text) == f"'{text}"


@pytest.mark.parametrize("text", ["Ada", "", "-12", "-12.5", "3/2", "O'Neil", "a=b"])
def test_other_text_stays(text: str) -> None:
    assert tame(text) == text
