"""``coordinator simulate``: a match played many times before anybody sits down."""

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from coordinator.errors import ReportUnwritable
from coordinator.verbs import options, values

if TYPE_CHECKING:
    from coordinator.engine.checks.mistake import Mistake
    from coordinator.engine.definition import MatchDefinition
    from coordinator.engine.tourney.definition import TourneyDefinition
    from coordinator.files.problem import Problem
    from coordinator.simulation.evening import TourneyPlan
    from coordinator.simulation.habits import Habits, SkillKind
    from coordinator.simulation.many import Plan

_Course = TypeVar("_Course")
_Function = TypeVar("_Function", bound=Callable[..., Any])
SKILLS = ("none", "normal", "even")


class _Skill(click.ParamType[Any]):
    """KIND or KIND:SPREAD."""

    name = "skill"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        kind, _, spread = value.partition(":")
        if kind not in SKILLS:
            self.fail(f"{kind!r} is not one of {', '.join(SKILLS)}; a spread follows a colon: normal:0.5", param, ctx)
        try:
            width = float(spread) if spread else 0.5
        except ValueError:
            width = -1.0
        if not 0 <= width <= 100:
            self.fail(f"the spread {spread!r} is not a number from 0 to 100", param, ctx)
        return kind, width


def _share(flag: str, default: float, about: str) -> Callable[[_Function], _Function]:
    share = values.Number(0, 1)
    return click.option(flag, type=share, default=default, show_default=True, metavar="SHARE", help=about)


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--match", metavar="ID", help="Which match of a tourney; all of it by default.")
@click.option("--players", type=click.IntRange(1, 100_000), metavar="N", help="By default the definition's full_count.")
@click.option("--runs", type=click.IntRange(1, 100_000), default=100, show_default=True, metavar="K")
@click.option(
    "--skill",
    type=_Skill(),
    default="normal:0.5",
    show_default=True,
    metavar="KIND[:SPREAD]",
    help="Who is how strong: none, normal or even. The spread is measured in the luck of one hand.",
)
@click.option(
    "--hands",
    type=click.Choice(["auto", "solo", "winner", "spread", "points"]),
    default="auto",
    show_default=True,
    help="How hands are scored: one against all, the winner takes from all, by distance, or points of one's own.",
)
@click.option(
    "--hand-s",
    type=values.Number(0.001, 86_400),
    metavar="SECONDS",
    help="The median length of a hand; by default 60, or less where the stage's own clock leaves less.",
)
@_share("--dropout", 0.0, "The chance that a player walks away after a hand, or a team after a challenge.")
@_share("--late", 0.0, "How many come late, where the match lets them.")
@_share("--revive", 0.5, "How many offers of revival are taken.")
@click.option("--tables", type=click.IntRange(1), metavar="N", help="How many tables can be played at the same time.")
@click.option(
    "--days",
    type=values.Number(0.001, 3650),
    metavar="DAYS",
    help="When a director closes a ladder; by default at its own end, or after 28 days.",
)
@click.option(
    "--challenges",
    type=values.Number(0, 1000),
    default=1.0,
    show_default=True,
    metavar="N",
    help="How often a week a team of a ladder looks for somebody to challenge.",
)
@click.option("--seed", metavar="TEXT", help="The same seed simulates the same again; drawn where there is none.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the whole report as JSON; - is standard output.",
)
@click.option(
    "--plots", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Draw pictures into DIR."
)
def simulate(
    file: str,
    match: str | None,
    players: int | None,
    runs: int,
    skill: tuple["SkillKind", float],
    hands: Any,
    hand_s: float | None,
    dropout: float,
    late: float,
    revive: float,
    tables: int | None,
    days: float | None,
    challenges: float,
    seed: str | None,
    json_file: Path | None,
    plots: Path | None,
) -> None:
    """Play a match many times and say what to expect.

    The rules are the real ones and the clock jumps; the players, their hands and how long these take are invented. FILE
    is a definition in TOML or the name of a shipped example, such as cup. A tourney is played from its start to its
    last match.
    """
    from coordinator.simulation.evening import run_evenings
    from coordinator.simulation.habits import Habits
    from coordinator.simulation.many import Plan, run_all
    from coordinator.simulation.report import evening_report, report
    from coordinator.simulation.telling import rows
    from coordinator.verbs import show

    hand_ms = None if hand_s is None else max(1, round(hand_s * 1000))
    habits = Habits(
        skill[0], skill[1], hands, hand_ms, dropout=dropout, late=late, revive=revive, challenges=challenges
    )
    seed = secrets.token_hex(4) if seed is None else seed
    plan = _plan(file, match, _Asked(players, runs, seed, habits, tables, days))
    if plots is not None:
        _need_matplotlib()
    click.echo(f"seed {seed}", err=True)
    if isinstance(plan, Plan):
        found = report(plan, _all_of(run_all(plan), plan.definition.id, runs))
    else:
        found = evening_report(plan, _all_of(run_evenings(plan), plan.tourney.id, runs))
    to_stdout = json_file is not None and str(json_file) == "-"
    if not to_stdout:
        show.as_table(["measure", "found"], list(rows(found)))
    with _written():
        if to_stdout:
            show.as_json(found)
        elif json_file is not None:
            json_file.write_text(show.in_json(found) + "\n", encoding="utf-8")
        if plots is not None:
            from coordinator.simulation.plots import draw_all

            for path in draw_all(found, plots):
                click.echo(f"drawn: {path}", err=True)


@attrs.frozen
class _Asked:
    """What the command line says of a simulation, whatever is simulated."""

    players: int | None
    runs: int
    seed: str
    habits: "Habits"
    tables: int | None
    days: float | None


def _plan(file: str, match: str | None, asked: _Asked) -> "Plan | TourneyPlan":
    """What is simulated: a match, one of a tourney, or a whole tourney."""
    from coordinator.definition_file import DefinitionRefused, check
    from coordinator.engine.field_flow import why_not
    from coordinator.files.source import Source, read
    from coordinator.simulation.many import Plan
    from coordinator.simulation.teams import ladder_of
    from coordinator.tourney_file import check_tourney, is_tourney, known_beside

    path = options.definition_path(file)
    source = read(path)
    problem: Callable[[Mistake], Problem]
    if isinstance(source, Source) and is_tourney(source):
        tourney = check_tourney(source, path, known_beside(path)).definition
        if match is None:
            return _tourney_plan(file, tourney, asked)
        definition, problem = _match_of(file, tourney, match), partial(_problem, path)
    else:
        checked = check(source)
        if match is not None:
            raise click.UsageError(f"{file} is one match and no tourney, so --match says nothing.")
        definition, problem = checked.definition, checked.problem
    if asked.days is not None and ladder_of(definition) is None:
        raise click.UsageError(f"{definition.id!r} is no ladder, so --days says nothing: it ends by its own rules.")
    count = definition.start.full_count if asked.players is None else asked.players
    if count is None:
        raise click.UsageError(f"{file} does not say how many play. Say it with --players.")
    _check_hands(definition, asked.habits)
    stuck = why_not(definition, count)
    if stuck is not None:
        raise DefinitionRefused([problem(stuck)])
    return Plan(definition, count, asked.runs, asked.seed, asked.habits, asked.tables, asked.days)


def _tourney_plan(file: str, tourney: "TourneyDefinition", asked: _Asked) -> "TourneyPlan":
    from coordinator.engine.tourney.field import fed
    from coordinator.simulation.evening import TourneyPlan

    if asked.days is not None:
        raise click.UsageError(f"{file} is a tourney, so --days says nothing: its matches end by their own rules.")
    for match in tourney.matches:
        _check_hands(match.definition, asked.habits)
    point = next(point for point in tourney.start_points if not fed(tourney, point))
    count = (point.full_count or point.min_players) if asked.players is None else asked.players
    if count < point.min_players:
        message = f"{count} players are too few: with fewer than {point.min_players} {file} is called off."
        raise click.BadParameter(message, param_hint="'--players'")
    return TourneyPlan(tourney, count, asked.runs, asked.seed, asked.habits, asked.tables)


def _match_of(file: str, tourney: "TourneyDefinition", name: str) -> "MatchDefinition":
    matches = {match.id: match.definition for match in tourney.matches}
    if name not in matches:
        known = ", ".join(matches)
        raise click.UsageError(f"{file} has no match {name!r}. Say which with --match, or none for all: {known}.")
    return matches[name]


def _problem(path: Path, mistake: "Mistake") -> "Problem":
    from coordinator.files.problem import Problem

    return Problem(mistake.path, mistake.message, mistake.expected, "", mistake.rule, str(path), None, "rule_broken")


def _check_hands(definition: "MatchDefinition", habits: "Habits") -> None:
    from coordinator.simulation.hands import fits

    if not fits(definition, habits.hands):
        raise click.BadParameter(
            f"the scores of a hand add up to nothing in {definition.id!r}, and points do not.", param_hint="'--hands'"
        )


def _all_of(courses: Iterator[_Course], name: str, runs: int) -> list[_Course]:
    """Every course, with a bar that grows where somebody looks on."""
    if not sys.stderr.isatty():
        return list(courses)
    from rich.console import Console
    from rich.progress import track

    return list(track(courses, name, total=runs, console=Console(stderr=True), transient=True))


def _need_matplotlib() -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ReportUnwritable("pictures need matplotlib: pip install 'match-coordinator[plots]'")


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ReportUnwritable(f"{error.filename}: {error.strerror}") from error
