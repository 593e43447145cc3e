"""House rules for our scripts and the style sheet."""

import re
from pathlib import Path

import pytest

import coordinator.web

ROOM = Path(coordinator.web.__file__).parent
SCRIPTS = sorted(ROOM.glob("static/*.js"))
SHOWN = [*SCRIPTS, *sorted(ROOM.glob("static/*.css")), *sorted(ROOM.glob("templates/*.html"))]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_write_text_never_markup(path: Path) -> None:
    found = re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment"
        r"|DOMParser|setHTML|srcdoc",
        path.read_text(encoding="utf-8"),
    )
    assert found == []


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.name)
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"https?://|//[a-z]+\.[a-z]", text) == []


@pytest.mark.parametrize("path", sorted(ROOM.glob("templates/*.html")), ids=lambda path: path.name)
def test_only_the_manual_is_markup_already(path: Path) -> None:
    unescaped = re.findall(r"\|\s*safe|autoescape|Markup", path.read_text(encoding="utf-8"))
    assert unescaped == (["| safe"] if path.name == "manual.html" else [])
