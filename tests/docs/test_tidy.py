"""House rules that no linter knows. Each failure names the place and how to mend it."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("coordinator", "protocol", "bots", "scripts", "tests")
READABLE = {".css", ".html", ".js", ".json", ".md", ".mjs", ".py", ".sh", ".toml", ".ts", ".yaml", ".yml", ""}

#: Files that collect what has no room of its own.
HOMELESS = {"common", "helper", "helpers", "manager", "misc", "util", "utils"}

#: The standard library's pure part, and the two outside libraries the rules may lean on.
ENGINE_MAY_IMPORT = {
    "__future__", "abc", "attrs", "bisect", "collections", "copy", "decimal", "enum", "fractions",
    "functools", "hashlib", "heapq", "itertools", "math", "numbers", "numpy", "operator", "re",
    "statistics", "struct", "types", "typing",
}  # fmt: skip


@cache
def files() -> tuple[Path, ...]:
    """Every file of the project that a person reads, as paths from the top of the checkout."""
    found = [path for path in ROOT.iterdir() if path.is_file()] + list(ROOT.glob(".ci/*"))
    for folder in CODE:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return tuple(
        path.relative_to(ROOT)
        for path in sorted(found)
        if path.suffix in READABLE and not {".git", "__pycache__", "node_modules"} & set(path.parts)
    )


def modules(*folders: str) -> list[Path]:
    return [path for path in files() if path.suffix == ".py" and path.parts[0] in folders]


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Each line of a file beside its place, written so that an editor can jump there."""
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return  # a picture, a journal: not written by hand
    for number, line in enumerate(text.splitlines(), start=1):
        yield f"{path}:{number}", line


def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Each absolute import of a module, also those inside functions, beside its place."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield f"{path}:{node.lineno}", alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                yield f"{path}:{node.lineno}", f"{node.module}.{alias.name}"


def complain(faults: list[str], mend: str) -> None:
    if faults:
        pytest.fail("\n".join([*faults, f"Mend: {mend}"]), pytrace=False)


def test_every_file_has_a_room_of_its_own() -> None:
    faults = [str(path) for path in files() if HOMELESS & set(path.stem.lstrip("_").split("_"))]
    complain(faults, "name the file after the one thing it does, or move its parts to where they are used.")


def test_engine_imports_only_what_is_pure() -> None:
    faults = []
    for path in modules("coordinator"):
        if path.parts[1] != "engine":
            continue
        for place, name in imports(path):
            if name.startswith(("coordinator.engine", "coordinator.errors")):
                continue
            if name.split(".")[0] not in ENGINE_MAY_IMPORT:
                faults.append(f"{place}: {name}")
    complain(faults, "take time from the command, chance from engine/draw.py, all else from the shell.")


def test_no_work_is_left_for_later() -> None:
    later = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
    faults = [
        f"{place}: {line.strip()}"
        for path in files()
        if path != Path("tests/docs/test_tidy.py")
        for place, line in lines(path)
        if later.search(line)
    ]
    complain(faults, "do it, or take it out; an abstract method is declared with abc or typing.Protocol.")


def test_no_path_of_one_machine() -> None:
    machine = re.compile(r"(?<![\w.~/-])/(home|Users|root|work|mnt)/\w")
    faults = [
        f"{place}: {line.strip()}"
        for path in files()
        if path != Path("tests/docs/test_tidy.py")
        for place, line in lines(path)
        if machine.search(line)
    ]
    complain(faults, "start from Path(__file__), a setting, or pytest's tmp_path.")


def test_tests_do_not_sleep() -> None:
    sleeps = {"sleep", "sleep_ms", "sleep_until"}
    faults = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path in modules("tests")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in sleeps
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in {"time", "trio"}
    ]
    complain(faults, "wait for the thing itself: an event, a stream, or a MockClock that jumps.")


@pytest.mark.parametrize(("tests", "source"), [("tests/engine", "coordinator/engine"), ("tests/protocol", "protocol")])
def test_each_test_mirrors_a_module(tests: str, source: str) -> None:
    """A newcomer finds the test of a module by its path."""
    faults = []
    for path in modules("tests"):
        if not path.is_relative_to(tests) or not path.name.startswith("test_"):
            continue
        room = ROOT / source / path.relative_to(tests).parent
        about = path.stem.removeprefix("test_")
        # `test_session_resume.py` is one of several about `session.py`.
        if not any(f"{about}_".startswith(f"{module.stem}_") for module in room.glob("*")):
            faults.append(f"{path}: nothing in {room.relative_to(ROOT)} has a name that `{about}` begins with")
    complain(faults, "name it test_<module>.py or test_<module>_<aspect>.py; other tests go to tests/cases.")


def test_what_several_tests_need_stands_in_no_test() -> None:
    faults = [
        f"{place}: {name}"
        for path in modules("tests", "scripts")
        for place, name in imports(path)
        if name.startswith("tests.") and any(part.startswith("test_") for part in name.split("."))
    ]
    complain(faults, "move it to a module without `test_` in its name, beside them.")


def test_the_lock_is_of_these_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    [ours] = [package for package in lock["package"] if package["name"] == project["project"]["name"]]

    def wanted(requirements: list[str]) -> set[tuple[str, str]]:
        parts = [re.match(r"([\w.-]+)(?:\[.*\])?([^; ]*)", text) for text in requirements]
        return {(part[1].lower().replace("_", "-"), part[2]) for part in parts if part}

    def locked(requirements: list[dict[str, str]]) -> set[tuple[str, str]]:
        return {(entry["name"], entry.get("specifier", "")) for entry in requirements}

    extras = project["project"]["optional-dependencies"].values()
    declared = wanted(project["project"]["dependencies"] + [text for extra in extras for text in extra])
    assert declared == locked(ours["metadata"]["requires-dist"]), "Mend: run `uv lock` and commit uv.lock."
    for group, requirements in project["dependency-groups"].items():
        assert wanted(requirements) == locked(ours["metadata"]["requires-dev"][group]), (
            "Mend: run `uv lock` and commit uv.lock."
        )


def test_the_lock_is_of_use_to_everybody() -> None:
    public = ("https://pypi.org/simple", "https://files.pythonhosted.org/packages/")
    addresses = re.findall(r'(?:url|registry) = "([^"]+)"', (ROOT / "uv.lock").read_text(encoding="utf-8"))
    assert addresses
    faults = [address for address in addresses if not address.startswith(public)]
    complain(faults, "run `uv lock --default-index https://pypi.org/simple`, without an index of your own.")


def test_scripts_say_what_they_do() -> None:
    faults = []
    for path in files():
        if path.suffix or path.parts[0] not in {"scripts", ".ci"}:
            continue
        shebang, purpose, *rest = (ROOT / path).read_text(encoding="utf-8").splitlines()
        if shebang != "#!/usr/bin/env bash" or purpose[:2] != "# " or "set -euo pipefail" not in rest:
            faults.append(str(path))
    complain(faults, "begin with `#!/usr/bin/env bash`, a comment of purpose and `set -euo pipefail`.")


def test_the_oldest_python_is_the_one_we_check_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert project["tool"]["mypy"]["python_version"] == oldest
    assert project["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert sys.version_info >= tuple(int(part) for part in oldest.split("."))
