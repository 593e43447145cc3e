"""What the bots' command lines take."""

from math import isfinite
from typing import Any, Final

import click


class _Finite(click.FloatRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


NOT_NEGATIVE: Final = _Finite(min=0)
"""Seconds, or what divides them: 0 or more, and some number."""
