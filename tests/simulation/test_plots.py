"""The pictures are drawn, and say what they show."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from coordinator.definition_file import load, shipped
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Plan, run_all
from coordinator.simulation.plots import draw_all
from coordinator.simulation.report import report


@pytest.mark.parametrize(("skill", "panels"), [("normal", 4), ("none", 3)])
def test_every_picture_is_drawn(skill: str, panels: int, tmp_path: Path) -> None:
    plan = Plan(load(shipped()["half_knockout"]), 48, 2, "seed", Habits("none" if skill == "none" else "normal"))
    written = draw_all(report(plan, list(run_all(plan))), tmp_path / "new" / "folder")
    assert [path.suffix for path in written] == [".svg"] * panels + [".png"]
    for path in written[:-1]:
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert written[-1].read_bytes().startswith(b"\x89PNG")
    assert {path.stem for path in written} >= {"players_left", "tables", "duration", "sheet"}


@pytest.mark.parametrize(("skill", "last"), [("normal", {"order", "strength"}), ("none", set())])
def test_a_ladder_has_pictures_of_its_own(skill: str, last: set[str], tmp_path: Path) -> None:
    plan = Plan(load(shipped()["ladder"]), 8, 2, "seed", Habits("none" if skill == "none" else "normal"))
    written = draw_all(report(plan, list(run_all(plan))), tmp_path)
    assert {path.stem for path in written} == {"players_left", "challenges", "sheet"} | last
