"""One mistake in a file, with everything a person needs to mend it."""

from collections.abc import Sequence
from difflib import get_close_matches

import attrs


@attrs.frozen
class Problem:
    """What is wrong at one place of a file, an environment or a command line.

    ``path`` is the place in the file's own words, for instance ``phases[0].stages[1].cut.mode``. ``expected``
    and ``suggestion`` are empty where there is nothing to add, ``rule`` and ``line`` (from 1) None where
    there is none. ``code`` is stable: ``syntax``, ``unknown_key``, ``missing``,
    ``required_mechanism_missing``, ``wrong_value``, ``rule_broken``, ``removed`` or ``unreadable``.
    """

    path: str
    message: str
    expected: str = ""
    suggestion: str = ""
    rule: str | None = None
    file: str = ""
    line: int | None = None
    code: str = "wrong_value"

    def __str__(self) -> str:
        """One line: where, what, what was expected, how to mend it, which rule."""
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        text = ": ".join(part for part in (where, self.path, self.message) if part)
        if self.expected:
            text += f"; expected {self.expected}"
        if self.suggestion:
            text += f"; {self.suggestion}"
        return f"{text} [{self.rule}]" if self.rule and self.rule not in text else text


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A suggestion for a misspelt word, empty if nothing resembles it."""
    near = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""
