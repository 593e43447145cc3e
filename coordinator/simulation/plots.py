"""The report of a simulation as pictures. Only who asks for them needs matplotlib."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Draw = Callable[[Mapping[str, Any], "Axes"], None]

_INK, _BAND, _MARK = "#1f4e79", "#a9c4de", "#c0504d"


def draw_all(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write every picture as SVG, and all of them on one sheet as PNG; the files written.

    Raises ModuleNotFoundError where matplotlib is not installed, OSError where the folder cannot be written.
    """
    # Its non-interactive parts alone: no window, no state of the whole process.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    panels = _panels(report)
    written = []
    for name, draw in panels.items():
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        draw(report, figure.add_subplot())
        FigureCanvasSVG(figure)
        written.append(folder / f"{name}.svg")
        figure.savefig(written[-1])
    sheet = Figure(figsize=(9.6, 5.8), layout="constrained")
    who = "players" if report["ladder"] is None else "teams"
    sheet.suptitle(f"{report['match']}: {report['players']} {who}, {report['runs']} matches", fontsize=10)
    for number, draw in enumerate(panels.values(), start=1):
        draw(report, sheet.add_subplot(2, 2, number))
    FigureCanvasAgg(sheet)
    written.append(folder / "sheet.png")
    sheet.savefig(written[-1], dpi=75)
    return written


def _players_left(report: Mapping[str, Any], axes: "Axes") -> None:
    _curve(report["curves"]["players_left"], axes)
    axes.set_title("Players left" if report["ladder"] is None else "Teams that answer", fontsize=9)


def _tables(report: Mapping[str, Any], axes: "Axes") -> None:
    _curve(report["curves"]["tables"], axes)
    axes.set_title("Tables in use", fontsize=9)


def _durations(report: Mapping[str, Any], axes: "Axes") -> None:
    unit, name = _time_unit(report["duration_s"]["max"])
    axes.hist(
        [seconds / unit for seconds in report["durations_s"]], bins=20, color=_BAND, edgecolor=_INK, linewidth=0.5
    )
    for key in ("median", "p95"):
        axes.axvline(
            report["duration_s"][key] / unit, color=_MARK, linewidth=1, linestyle=_STYLE[key], label=_SAYS[key]
        )
    _whole(axes.yaxis)
    _finish(axes, f"duration, {name}", "matches")
    axes.legend(fontsize=7, frameon=False)
    axes.set_title("How long it lasts", fontsize=9)


def _strength(report: Mapping[str, Any], axes: "Axes") -> None:
    ranks, places = zip(*report["strength"]["mean_place_by_skill"], strict=True)
    axes.plot(ranks, ranks, color=_MARK, linewidth=1, linestyle="--", label="skill alone")
    axes.plot(ranks, places, color=_INK, marker=".", markersize=3, linestyle="none", label="mean place")
    axes.invert_yaxis()
    _whole(axes.xaxis, axes.yaxis)
    _finish(axes, "rank by skill", "place")
    axes.legend(fontsize=7, frameon=False)
    axes.set_title(_tau(report), fontsize=9)


def _open(report: Mapping[str, Any], axes: "Axes") -> None:
    _curve(report["ladder"]["open"], axes)
    axes.set_title("Open challenges", fontsize=9)


def _order(report: Mapping[str, Any], axes: "Axes") -> None:
    _curve(report["ladder"]["order"], axes, whole=False)
    axes.set_title("Ranks and skill (Kendall's tau)", fontsize=9)


def _panels(report: Mapping[str, Any]) -> dict[str, "Draw"]:
    """What there is to draw. Nobody's strength shows where all are alike; the tables of a ladder are in use for an hour
    now and then, and how long it lasts is known."""
    panels: dict[str, Draw] = {"players_left": _players_left}
    ladder = report["ladder"]
    if ladder is None:
        panels |= {"tables": _tables, "duration": _durations}
    else:
        panels |= {"challenges": _open} | ({} if ladder["order"] is None else {"order": _order})
    if report["strength"] is not None:
        panels["strength"] = _strength
    return panels


_STYLE: Mapping[str, Any] = {"median": "-", "p95": "--"}
_SAYS = {"median": "median", "p95": "95 %"}


def _tau(report: Mapping[str, Any]) -> str:
    tau = report["strength"]["kendall_tau"]
    return "Places and skill" if tau is None else f"Places and skill (Kendall's tau {tau['mean']:.2f})"


def _curve(curve: Mapping[str, Any], axes: "Axes", *, whole: bool = True) -> None:
    unit, name = _time_unit(curve["t_s"][-1])
    times = [seconds / unit for seconds in curve["t_s"]]
    axes.fill_between(times, curve["p5"], curve["p95"], step="post", color=_BAND, linewidth=0, label="5 % to 95 %")
    axes.step(times, curve["median"], where="post", color=_INK, linewidth=1.2, label="median")
    if whole:
        axes.set_ylim(bottom=0)
        _whole(axes.yaxis)
    _finish(axes, f"time, {name}", "")
    axes.legend(fontsize=7, frameon=False)


def _whole(*axes: "Axis") -> None:
    """Players and tables are not divided."""
    from matplotlib.ticker import MaxNLocator

    for axis in axes:
        axis.set_major_locator(MaxNLocator(integer=True))


def _finish(axes: "Axes", across: str, up: str) -> None:
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _time_unit(seconds: float) -> tuple[float, str]:
    if seconds < 180:
        return 1.0, "s"
    if seconds < 2 * 86_400:
        return (60.0, "min") if seconds < 3 * 3600 else (3600.0, "h")
    return 86_400.0, "days"
