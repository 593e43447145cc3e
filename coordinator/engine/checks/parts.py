"""The small checks that mistakes of a definition are made of."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from coordinator.engine.checks.limits import MOST_ATTRIBUTE, MOST_ATTRIBUTES, MOST_ID, MOST_MS, MOST_TEXT
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.definition import Stage
from coordinator.engine.formats import format_of

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def bad_id(path: str, name: str) -> Iterator[Mistake]:
    """R-HI-03: a name that can stand in a file, an address and a journal."""
    if len(name) > MOST_ID or not _ID.fullmatch(name):
        shown = name if len(name) <= MOST_ID else f"{name[:MOST_ID]}…"
        expected = f"letters, digits, '.', '_' and '-', starting with a letter or digit, at most {MOST_ID}"
        yield Mistake(path, f"{shown!r} is no name", expected, _as_id(name), "R-HI-03")


def _as_id(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name[:MOST_ID]).strip("._-")
    return f'"{plain}"' if plain else ""


def repeated(path: str, name: str, seen: dict[str, str]) -> Iterator[Mistake]:
    """A name that stands at another path already; ``seen`` remembers the first path of each."""
    if name in seen:
        yield Mistake(path, f"{name!r} is also the id at {seen[name]}", "a name of its own", rule="R-HI-03")
    else:
        seen[name] = path


def bad_text(path: str, text: str, most: int = MOST_TEXT) -> Iterator[Mistake]:
    """A text too long to be shown or sent."""
    if len(text) > most:
        yield Mistake(path, f"a text of {len(text)} characters", f"at most {most}", rule="R-HI-03")


def bad_attributes(path: str, attributes: dict[str, str]) -> Iterator[Mistake]:
    """R-HI-04: game attributes with unusable names or endless values, or more of them than a table can be told."""
    if len(attributes) > MOST_ATTRIBUTES:
        yield Mistake(path, f"{len(attributes)} attributes", f"at most {MOST_ATTRIBUTES}", rule="R-HI-04")
    for key, value in attributes.items():
        yield from bad_id(f"{path}.{key}", key)
        yield from bad_text(f"{path}.{key}", value, MOST_ATTRIBUTE)


def outside(path: str, value: int, least: int, most: int, rule: str) -> Iterator[Mistake]:
    """A whole number outside its limits."""
    if not least <= value <= most:
        relation = "small" if value < least else "large"
        expected = f"a whole number from {least} to {most}"
        yield Mistake(path, f"{plainly(Fraction(value))} is too {relation}", expected, rule=rule)


def outside_wait(path: str, ms: int, rule: str) -> Iterator[Mistake]:
    """A time to wait, which may be none at all, longer than any match."""
    if ms != 0:
        yield from outside_time(path, ms, rule)


def outside_time(path: str, ms: int, rule: str) -> Iterator[Mistake]:
    """A duration that is not above zero, or longer than any match."""
    if not 1 <= ms <= MOST_MS:
        relation = "short" if ms < 1 else "long"
        expected = f"more than 0 seconds, at most {MOST_MS // 1000}"
        yield Mistake(path, f"{plainly(Fraction(ms, 1000))} seconds is too {relation}", expected, rule=rule)


def not_here(path: str, message: str, rule: str) -> Mistake:
    """A word that means nothing in this stage."""
    return Mistake(path, message, "nothing here", "leave it out", rule)


def named(stage: Stage) -> str:
    """The format of a stage in a sentence."""
    if stage.format == "island":
        return "an island"
    if format_of(stage).duels:
        return "a Dominion Swiss"
    return "a melee" if stage.format == "melee" else f"a {stage.format.replace('_', ' ')} stage"


def either(words: Iterable[str]) -> str:
    """Words to choose from, as they stand in a file."""
    return " or ".join(f'"{word}"' for word in words)


def plainly(value: Fraction) -> str:
    """A number as the organiser wrote it."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"
