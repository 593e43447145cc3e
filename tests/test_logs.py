"""Log lines: JSON for programs, console for people, filtered by importance."""

import io
import json
from collections.abc import Iterator

import pytest
import structlog

from coordinator import logs


@pytest.fixture(autouse=True)
def _unchanged() -> Iterator[None]:
    yield
    structlog.reset_defaults()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def lines(line_format: logs.LineFormat, stream: io.StringIO, level: logs.Level = "info") -> list[str]:
    logs.configure(level, line_format, stream)
    log = structlog.get_logger()
    log.debug("quiet", match="m")
    log.info("said", match="m", hand=3)
    return stream.getvalue().splitlines()


def test_json_where_no_terminal_is() -> None:
    (line,) = lines("auto", io.StringIO())
    said = json.loads(line)
    assert (said["event"], said["match"], said["hand"], said["level"]) == ("said", "m", 3, "info")
    assert said["timestamp"].endswith("Z")


def test_debug_says_more() -> None:
    assert len(lines("json", io.StringIO(), "debug")) == 2


def test_console_on_a_terminal_without_colour_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    (coloured,) = lines("auto", Terminal())
    assert "\x1b[" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    (plain,) = lines("auto", Terminal())
    assert "\x1b[" not in plain
    assert "said" in plain
    assert "hand=3" in plain


def test_console_into_a_pipe_has_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    (line,) = lines("console", io.StringIO())
    assert "\x1b[" not in line


def test_an_exception_is_part_of_its_line() -> None:
    stream = io.StringIO()
    logs.configure("info", "json", stream)
    try:
        raise ValueError("broken")
    except ValueError:
        structlog.get_logger().exception("failed")
    assert "ValueError: broken" in json.loads(stream.getvalue())["exception"]
