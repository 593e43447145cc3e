"""Standings as a spreadsheet opens them."""

import csv
import io
import re
from collections.abc import Iterable

from coordinator.shell.view import StandingView

_COLUMNS = ("rank", "player_id", "name", "score", "points", "state", "table_id")
_LOOKS_LIKE_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_PLAIN_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def tame(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading apostrophe where it would; numbers stay numbers."""
    if text.startswith(_LOOKS_LIKE_FORMULA) and not _PLAIN_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def standings_csv(lines: Iterable[StandingView]) -> str:
    """One header line and one line for each player, in the order given; CRLF line ends as RFC 4180 asks for."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for line in lines:
        writer.writerow(
            (
                line["rank"],
                tame(line["player_id"]),
                tame(line["name"]),
                line["score"],
                tame(line["points"] or ""),
                tame(line["state"]),
                "" if line["table_id"] is None else line["table_id"],
            )
        )
    return out.getvalue()
