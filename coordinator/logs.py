"""Log lines: one event each, for people on a terminal, as JSON for everything else. They go to standard error."""

import logging
import os
import sys
from typing import Literal, TextIO

import structlog

Level = Literal["debug", "info", "warning", "error"]
LineFormat = Literal["auto", "console", "json"]


def configure(level: Level, line_format: LineFormat, stream: TextIO | None = None) -> None:
    """Set the process's logging up. ``auto`` is console on a terminal; ``NO_COLOR`` is honoured."""
    stream = sys.stderr if stream is None else stream
    terminal = stream.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_ending(line_format, terminal),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )


def _ending(line_format: LineFormat, terminal: bool) -> list[structlog.typing.Processor]:
    if line_format == "console" or (line_format == "auto" and terminal):
        return [structlog.dev.ConsoleRenderer(colors=terminal and not os.environ.get("NO_COLOR"))]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
