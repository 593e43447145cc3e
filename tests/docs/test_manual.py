"""The manual as a whole: links, files, commands with their output, and the tables that must not drift from the code."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from starlette.routing import Route

import coordinator
from coordinator import errors
from coordinator.config.loading import ConfigRefused
from coordinator.config.table import table as settings
from coordinator.definition_file import DefinitionRefused
from coordinator.errors import CoordinatorError
from coordinator.web import app
from coordinator.web.feed import Feed
from coordinator.web.manual_pages import render_markdown
from coordinator.web.metrics import TABLE
from tests.docs.console import run
from tests.docs.pages import (
    MANUAL,
    ROOT,
    Block,
    blocks,
    code,
    files_of,
    headings,
    pages,
    plain,
    section,
    table,
    text_of,
)

NAMES = (
    "architecture",
    "bots",
    "concepts",
    "definition",
    "directing",
    "index",
    "journal",
    "ladder",
    "operating",
    "organising",
    "planning",
    "proof",
    "rules",
    "sdk",
    "security",
    "start",
    "tourneys",
    "wire",
)
ENGINE = ROOT / "coordinator/engine"


def test_the_pages_there_are() -> None:
    assert tuple(pages()) == NAMES
    for name in NAMES:
        assert text_of(name).startswith("# "), f"{name}.md: the title comes first"
        assert len(headings(name, 1)) == 1, f"{name}.md: one title"


def test_the_contents_lead_to_every_page() -> None:
    linked = re.findall(r"\]\((\w+)\.md\)", text_of("index"))
    assert sorted(linked) == sorted(set(NAMES) - {"index"})


def anchors(page: str) -> set[str]:
    html, _, _ = render_markdown(text_of(page))
    return set(re.findall(r'<h\d id="([^"]+)"', html))


@pytest.mark.parametrize("page", NAMES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", plain(page)):
        if target.startswith("https://"):
            continue
        if target.startswith("images/"):
            assert (MANUAL / target).is_file(), f"{page}.md: {target} is not there"
            continue
        other, _, fragment = target.partition("#")
        other = other.removesuffix(".md") or page
        assert other in NAMES, f"{page}.md: {target} leads to no page"
        assert not fragment or fragment in anchors(other), f"{page}.md: {target} leads to no heading"


@pytest.mark.parametrize("page", [*NAMES, "README"])
def test_every_file_that_is_named_exists(page: str) -> None:
    for name in re.findall(r"`((?:coordinator|protocol|bots|tests|scripts)/[\w/.]*)`", text_of(page)):
        assert (ROOT / name).exists(), f"{page}.md: {name} does not exist"


# --------------------------------------------------------------------------------------------- commands


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block and what is shown as its output."""
    line, shown = "", ""
    for each in block.body.splitlines(keepends=True):
        if each.startswith("$ "):
            if line:
                yield line, shown
            line, shown = each[2:].strip(), ""
        else:
            shown += each
    yield line, shown


@pytest.mark.process
@pytest.mark.parametrize("page", [name for name in NAMES if "```console" in text_of(name)])
def test_commands_say_what_is_shown(page: str, tmp_path: Path) -> None:
    for name, body in files_of(page).items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    for block in blocks(page, "console"):
        for line, shown in commands(block):
            _, said = run(line, tmp_path)
            assert said == shown, f"{block.place}: $ {line}"


def test_verbs_of_the_command_line_are_all_there() -> None:
    """A command in any page begins with a verb that exists; the help in `index` is compared by the test above."""
    from coordinator.cli import VERBS

    verbs = {*VERBS, "demo"}
    for page in [*NAMES, "README"]:
        for verb in re.findall(r"\bcoordinator ([a-z]+)\b(?= )", "\n".join(code_of(page))):
            assert verb in verbs, f"{page}.md: coordinator {verb}"


def code_of(page: str) -> list[str]:
    """Commands in fenced blocks and between backticks."""
    fenced = [block.body for block in blocks(page) if block.kind in ("sh", "console", "ini")]
    lines = [line for body in fenced for line in body.splitlines() if re.search(r"^(\$ )?coordinator |ExecStart", line)]
    return [f"{line} " for line in lines + re.findall(r"`(coordinator [^`]+)`", plain(page))]


# ---------------------------------------------------------------------------------------- concepts.md


def functions(path: Path) -> set[str]:
    """Functions and methods of a module by qualified name."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            inner = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
            found |= {f"{node.name}.{part.name}" for part in inner}
    return found


def test_the_way_of_one_hand_is_the_way_of_the_code() -> None:
    rows = table(section("concepts", "The way of one hand"))
    assert [row["#"] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    for row in rows:
        path, name = ROOT / code(row["file"]), code(row["function"])
        assert path.exists(), f"step {row['#']}: {path} does not exist"
        assert name in functions(path), f"step {row['#']}: {row['file']} has no function {name}"


def test_the_four_functions_are_what_the_engine_exports() -> None:
    from coordinator.engine import match

    named = [code(row["function"]) for row in table(section("concepts", "Decide, evolve, effects, follow"))]
    assert named == ["decide", "evolve", "effects", "follow"]
    assert {*named, "step"} <= set(match.__all__)


# --------------------------------------------------------------------------------------- operating.md


def test_every_setting_is_described() -> None:
    rows = [
        {key: row[key] for key in ("setting", "default", "environment", "flag")}
        for row in table(section("operating", "Settings"))
    ]
    wanted = [
        {
            "setting": f"`{setting.path}`",
            "default": f"`{setting.shown(setting.default)}`",
            "environment": f"`{setting.environment}`",
            "flag": f"`{setting.flag}`" if setting.flag else "",
        }
        for setting in settings()
    ]
    assert rows == wanted


def test_every_choice_of_a_setting_is_described() -> None:
    described = {code(row["setting"]): row["what it is"] for row in table(section("operating", "Settings"))}
    for setting in settings():
        for word in setting.choices:
            assert word in described[setting.path], f"{setting.path}: {word}"


def family(cls: type[CoordinatorError]) -> Iterator[type[CoordinatorError]]:
    yield cls
    for child in cls.__subclasses__():
        yield from family(child)


def test_every_error_of_the_command_line_is_described() -> None:
    for module in walk_packages(coordinator.__path__, "coordinator."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    assert {ConfigRefused, DefinitionRefused} < set(family(CoordinatorError))
    ours = [each for each in family(CoordinatorError) if each.__module__.startswith("coordinator.")]
    rows = table(section("operating", "When something is wrong"))
    assert {code(row["code"]): int(row["exit code"]) for row in rows} == {each.code: each.exit_code for each in ours}


def test_exit_codes_are_those_of_the_code() -> None:
    listed = re.findall(r"^(\d+) +(\S.*)$", errors.__doc__ or "", re.MULTILINE)
    rows = table(section("operating", "Health"))
    assert [(row["code"], row["means"]) for row in rows] == listed


def test_every_address_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []

    def note(path: str, endpoint: object, **words: object) -> Route:
        found.append(path)
        return Route(path, endpoint)  # type: ignore[arg-type]

    monkeypatch.setattr(app, "Route", note)
    app.make_app(_NoView(), Feed(_NoView()))  # type: ignore[arg-type]
    assert sorted(code(row["address"]) for row in table(section("operating", "HTTP"))) == sorted(found)


class _NoView:
    """Nobody asks it anything while the site is only put together."""


def test_every_metric_is_described() -> None:
    rows = table(section("operating", "Metrics"))
    told = [(code(row["metric"]), row["kind"], row["label"].strip("`")) for row in rows]
    assert told == [(f"coordinator_{row.name}", row.kind, row.label or "") for row in TABLE]


def test_every_alarm_is_described() -> None:
    raised = set()
    for path in [*(ROOT / "coordinator/shell").glob("*.py"), *ENGINE.rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        raised |= set(re.findall(r'RaiseAlarm\("(\w+)"', text))
        raised |= set(re.findall(r'raise_alarm\([\w.]+, "(\w+)"', text))
    assert {code(row["code"]) for row in table(section("operating", "Alarms"))} == raised


def test_the_unit_starts_what_exists() -> None:
    [unit] = blocks("operating", "ini")
    [command] = re.findall(r"^ExecStart=\S+/bin/coordinator (.+)$", unit.body, re.MULTILINE)
    assert command.split()[0] == "serve"
    [never] = re.findall(r"^RestartPreventExitStatus=(.+)$", unit.body, re.MULTILINE)
    assert set(never.split()) <= {row["code"] for row in table(section("operating", "Health"))}
