"""The manual and the README as data: pages, fenced blocks, tables."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import attrs

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "coordinator/manual"
README = ROOT / "README.md"

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(?P<level>#+) (?P<text>.+)$", re.MULTILINE)
_FILE_NAME = re.compile(r"# (?P<name>[\w.]+\.(?:py|toml|trf))\n")


@attrs.frozen
class Block:
    """A fenced block: what stands behind its fence, what it holds, and where it is for a failure's message."""

    info: str
    body: str
    place: str

    @property
    def kind(self) -> str:
        """The language."""
        return self.info.partition(" ")[0]

    @property
    def file(self) -> tuple[str, str] | None:
        """Name and content of the file that the block shows, if its first line names one."""
        named = _FILE_NAME.match(self.body)
        return None if named is None else (named["name"], self.body[named.end() :])


@cache
def pages() -> dict[str, Path]:
    """The pages of the manual by name."""
    return {path.stem: path for path in sorted(MANUAL.glob("*.md"))}


@cache
def text_of(page: str) -> str:
    """The text of a page of the manual, or of ``README``."""
    path = README if page == "README" else pages()[page]
    return path.read_text(encoding="utf-8")


def blocks(page: str, kind: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = text_of(page)
    found = [
        Block(fence["info"], fence["body"], f"{page}.md:{text.count(chr(10), 0, fence.start()) + 1}")
        for fence in _FENCE.finditer(text)
    ]
    return [block for block in found if kind in (None, block.kind)]


def files_of(page: str) -> dict[str, str]:
    """The files that a page shows, by name."""
    return dict(block.file for block in blocks(page) if block.file is not None)


def plain(page: str) -> str:
    """A page without its fenced blocks; their lines are empty, so that line numbers hold."""
    return _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text_of(page))


def section(page: str, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    text = text_of(page)
    found = re.search(rf"^#+ {re.escape(heading)}\n(?P<body>.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{page}.md has no heading {heading!r}"
    return found["body"]


def headings(page: str, level: int) -> list[str]:
    """The headings of one level, in order."""
    return [found["text"] for found in _HEADING.finditer(plain(page)) if len(found["level"]) == level]


def table(text: str, number: int = 0) -> list[dict[str, str]]:
    """The rows of a text's table by column; ``number`` chooses among several."""
    return list(_tables(text))[number]


def _tables(text: str) -> Iterator[list[dict[str, str]]]:
    for found in re.finditer(r"(?:^\|.*\|\n?)+", text, re.MULTILINE):
        rows = [_cells(line) for line in found[0].splitlines()]
        head, _, *body = rows
        assert all(len(row) == len(head) for row in body), f"a row of the table {head} has a cell too few or too many"
        yield [dict(zip(head, row, strict=True)) for row in body]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def code(cell: str) -> str:
    """What a cell holds between backticks."""
    assert cell.startswith("`"), cell
    assert cell.endswith("`"), cell
    return cell.strip("`")


def shown_default(field: "attrs.Attribute[object]") -> str | None:
    """How a page writes a default; None where it depends on something and the page says so in words."""
    value = field.default
    if value is attrs.NOTHING:
        return "required"
    if isinstance(value, attrs.Factory) or attrs.has(type(value)):  # type: ignore[arg-type]
        return "`{}`"
    if value is None:
        return None
    if isinstance(value, tuple):
        return None if value else "`[]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int | Fraction):
        return f"`{value // 1000 if field.name.endswith('_ms') else value}`"
    return f'`"{value}"`'
