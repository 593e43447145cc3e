"""``coordinator check``: match definitions, before anybody plays."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from coordinator.verbs import options, show

if TYPE_CHECKING:
    from coordinator.definition_file import Checked
    from coordinator.engine.field_flow import StageField
    from coordinator.files.problem import Problem
    from coordinator.files.source import Source
    from coordinator.tourney_file import CheckedTourney

REFUSED = 3


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--players",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Follow a field of N players from stage to stage; by default the definition's full_count.",
)
@options.as_json
def check(files: tuple[str, ...], players: int | None, as_json: bool) -> int:
    """Check match definitions and tourneys.

    Every mistake is reported, each with its line and how to mend it. FILE is a match or a tourney in TOML or the name
    of a shipped example, such as cup.
    """

    reports = [_report(name, players) for name in files]
    if as_json:
        show.as_json({"files": [report.data() for report in reports]})
    else:
        for report in reports:
            report.print()
    refused = [report.name for report in reports if report.problems]
    if refused:
        show.say(f"error: refused: {', '.join(refused)} [definition_refused]", err=True)
        return REFUSED
    return 0


@attrs.frozen
class _TourneyReport:
    """What was found in the file of a tourney."""

    name: str
    problems: tuple["Problem", ...]
    checked: "CheckedTourney | None" = None

    def data(self) -> dict[str, Any]:
        """The report for programs."""
        definition = None if self.checked is None else self.checked.definition
        return {
            "file": self.name,
            "id": None if definition is None else definition.id,
            "ok": not self.problems,
            "problems": [attrs.asdict(problem) for problem in self.problems],
            "warnings": [] if self.checked is None else [attrs.asdict(warning) for warning in self.checked.warnings],
            "matches": [] if definition is None else [match.id for match in definition.matches],
            "start_points": [] if definition is None else [point.id for point in definition.start_points],
        }

    def print(self) -> None:
        """The report for people."""
        for problem in self.problems:
            show.say(str(problem))
        if self.checked is None:
            return
        for warning in self.checked.warnings:
            show.say(f"warning: {warning}")
        definition = self.checked.definition
        matches, points = len(definition.matches), len(definition.start_points)
        counted = f"{matches} {'match' if matches == 1 else 'matches'}"
        counted += f", {points} start {'point' if points == 1 else 'points'}"
        show.say(f"{self.name}: tourney {definition.id!r} is in order, {counted}")


@attrs.frozen
class _Report:
    """What was found in one file; ``players`` start in ``flow``."""

    name: str
    problems: tuple["Problem", ...]
    checked: "Checked | None" = None
    players: int | None = None
    flow: tuple["StageField", ...] = ()
    advice: tuple["Problem", ...] = ()

    @property
    def warnings(self) -> tuple["Problem", ...]:
        return self.advice if self.checked is None else (*self.checked.warnings, *self.advice)

    def data(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "file": self.name,
            "id": None if self.checked is None else self.checked.definition.id,
            "ok": not self.problems,
            "problems": [attrs.asdict(problem) for problem in self.problems],
            "warnings": [attrs.asdict(warning) for warning in self.warnings],
            "players": self.players,
            "flow": [attrs.asdict(step) for step in self.flow],
        }

    def print(self) -> None:
        """The report for people."""

        for problem in self.problems:
            show.say(str(problem))
        for warning in self.warnings:
            show.say(f"warning: {warning}")
        if self.checked is not None and not self.problems:
            definition = self.checked.definition
            stages = "one stage" if len(definition.stages) == 1 else f"{len(definition.stages)} stages"
            show.say(f"{self.name}: {definition.id!r} is in order, {stages}")
        if self.flow:
            click.echo(f"{self.players} players:")
            show.as_table(
                ["stage", "enter", "go on"],
                [[step.stage_id, _counts(step.entrants), _counts(step.leaves)] for step in self.flow],
            )


def _report(name: str, players: int | None) -> _Report | _TourneyReport:
    from coordinator.definition_file import DefinitionRefused
    from coordinator.definition_file import check as checked_definition
    from coordinator.engine.checks.advice import field_advice
    from coordinator.engine.field_flow import flow, why_not
    from coordinator.files.source import Source, read
    from coordinator.tourney_file import is_tourney

    path = options.definition_path(name)
    source = read(path)
    if isinstance(source, Source) and is_tourney(source):
        return _tourney_report(name, source, path)
    try:
        checked = checked_definition(source)  # read once: a pipe has nothing to say a second time
    except DefinitionRefused as error:
        return _Report(name, error.problems)
    definition = checked.definition
    if players is None:
        players = definition.start.full_count
    if players is None:
        return _Report(name, (), checked)
    stuck = why_not(definition, players)
    problems = () if stuck is None else (checked.problem(stuck),)
    advice = tuple(map(checked.problem, field_advice(definition, players)))
    return _Report(name, problems, checked, players, tuple(flow(definition, players)), advice)


def _tourney_report(name: str, source: "Source", path: Path) -> _TourneyReport:
    from coordinator.definition_file import DefinitionRefused
    from coordinator.tourney_file import check_tourney, known_beside

    try:
        return _TourneyReport(name, (), check_tourney(source, path, known_beside(path)))
    except DefinitionRefused as error:
        return _TourneyReport(name, error.problems)


def _counts(counts: tuple[int, int]) -> str:
    lo, hi = counts
    return str(lo) if lo == hi else f"{lo} to {hi}"
