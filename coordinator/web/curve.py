"""The base-score curve as a step line. `static/curve.js` draws the same in the browser.

The drawing area is 1000 wide and 100 high and is stretched to the space it gets; words stand outside of it, at
positions in percent, so that they keep their size.
"""

from collections.abc import Sequence

import attrs

from coordinator.web.wording import match_time, whole

WIDTH = 1000
HEIGHT = 100
_HEADROOM = 1.15
"""The highest step stays this factor below the top."""
_APART = 16
"""Words at the heights of the curve stand at least so far apart: that of now, then the highest, then the first."""


@attrs.frozen(slots=True)
class Mark:
    """A word beside the curve, `at` percent from the left or from the top."""

    at: float
    text: str


@attrs.frozen(slots=True)
class Curve:
    """SVG path data of the line and of the area under it, and the words of both axes."""

    line: str
    area: str
    heights: tuple[Mark, ...]
    times: tuple[Mark, ...]


def draw_curve(steps: Sequence[Sequence[int]], t_ms: int) -> Curve | None:
    """The curve of ``(t_ms, base)`` steps up to the match clock `t_ms`; None while there is no step."""
    if not steps:
        return None
    begin = steps[0][0]
    end = max(t_ms, steps[-1][0], begin + 1)
    top = max(max(base for _, base in steps) * _HEADROOM, 1)

    def x(t: int) -> float:
        return round((t - begin) / (end - begin) * WIDTH, 1)

    def y(base: int) -> float:
        return round(HEIGHT - base / top * HEIGHT, 1)

    line = f"M0 {y(steps[0][1])}"
    for t, base in steps[1:]:
        line += f"H{x(t)}V{y(base)}"
    line += f"H{WIDTH}"
    heights: list[Mark] = []
    for base in (steps[-1][1], max(base for _, base in steps), steps[0][1]):
        if all(abs(mark.at - y(base)) >= _APART for mark in heights):
            heights.append(Mark(y(base), whole(base)))
    return Curve(
        line=line,
        area=f"{line}V{HEIGHT}H0Z",
        heights=tuple(heights),
        times=tuple(Mark(part * 50.0, match_time(begin + (end - begin) * part // 2)) for part in range(3)),
    )
