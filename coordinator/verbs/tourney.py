"""``coordinator tourney``: what stands above the matches of a running daemon, and when a file's tourney takes place."""

from typing import TYPE_CHECKING

import attrs
import click

from coordinator.verbs import options

if TYPE_CHECKING:
    from coordinator.engine.tourney.definition import TourneyDefinition


@click.group()
def tourney() -> None:
    """Look at tourneys, running ones and files."""


@tourney.command("list")
@options.url
@options.as_json
def list_tourneys(url: str, as_json: bool) -> None:
    """List all tourneys and what comes next."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask, understood

    answer = ask(url, "tourneys")
    if as_json:
        show.as_json(answer)
        return
    if not answer:
        click.echo("no tourneys", err=True)
        return
    with understood(url):
        rows = [
            [found["tourney_id"], each["instance_id"], each["status"], each["start"] or "when full", each["entered"]]
            for found in answer
            for each in found["instances"]
        ]
    show.as_table(["tourney", "instance", "status", "starts", "registered"], rows)


@tourney.command("show")
@click.argument("tourney_id", metavar="TOURNEY")
@options.url
@options.as_json
def show_tourney(tourney_id: str, url: str, as_json: bool) -> None:
    """Show one tourney: its starts, its matches, and what its players are owed."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask, understood

    answer = ask(url, "tourneys", tourney_id)
    with understood(url):
        if not as_json:
            for part in ("instances", "over"):
                plain = ("instance_id", "status", "start", "entered", "reason")
                answer[part] = [{key: each[key] for key in plain} for each in answer[part]]
        show.answer(answer, ("instances", "over", "matches", "owed"), as_json=as_json)


@tourney.command()
@click.argument("instance_id", metavar="INSTANCE")
@options.url
@click.option("--yes", is_flag=True, help="Do not ask; what is called off cannot be taken back.")
@options.as_json
def cancel(instance_id: str, url: str, yes: bool, as_json: bool) -> None:
    """Call off a start that has not begun, or cannot go on. Every fee is given back.

    The coordinator must run on this machine.
    """
    from coordinator.verbs import show
    from coordinator.verbs.api import order, understood

    if not yes:
        click.confirm(f"Call off {instance_id} and give every fee back?", abort=True, err=True)
    answer = order(url, "tourneys", instance_id.partition(".")[0], "instances", instance_id, "cancel")
    if as_json:
        show.as_json(answer)
        return
    with understood(url):
        show.say(str(answer["message"]))


@tourney.command()
@click.argument("file", metavar="FILE")
@click.option("--from", "from_", metavar="INSTANT", help="The moment to look from, such as 2026-03-27T12:00:00Z; now.")
@click.option("--count", type=click.IntRange(1, 1000), default=7, show_default=True, help="Starts to show.")
@options.as_json
def preview(file: str, from_: str | None, count: int, as_json: bool) -> int:
    """Say when the tourney of FILE, or of a shipped example, takes place next.

    No coordinator needs to run. Across a change of the clocks a daily start keeps its time on the wall.
    """
    from coordinator.definition_file import DefinitionRefused
    from coordinator.files.problem import Problem
    from coordinator.files.source import read
    from coordinator.shell.calendar import instant, shown
    from coordinator.tourney_file import check_tourney, is_tourney, known_beside
    from coordinator.verbs import show

    path = options.definition_path(file)
    source = read(path)
    if isinstance(source, Problem):
        raise DefinitionRefused([source])
    if not is_tourney(source):
        raise click.UsageError(f"{file} is no tourney: it has no [[start_points]]")
    definition = check_tourney(source, path, known_beside(path)).definition
    try:
        after = _now_ms() if from_ is None else instant(from_)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--from") from None
    starts = _coming(definition, after, count)
    zone = definition.time_zone
    if as_json:
        told = [
            {
                "instance_id": start.instance_id,
                "start_point": start.start_point,
                "opens_at_ms": start.opens_at_ms,
                "start_at_ms": start.at_ms,
                "start": shown(start.at_ms, zone),
            }
            for start in starts
        ]
        show.as_json({"tourney_id": definition.id, "time_zone": zone, "starts": told})
    elif starts:
        rows = [[s.instance_id, s.start_point, shown(s.at_ms, zone), shown(s.at_ms, "UTC")] for s in starts]
        show.as_table(["instance", "start point", zone, "UTC"], rows)
    else:
        click.echo("nothing is to come by the calendar", err=True)
    return 0


@attrs.frozen(order=True)
class _Start:
    """A start to come; times are Unix time in milliseconds."""

    at_ms: int
    opens_at_ms: int
    start_point: str
    instance_id: str


def _coming(definition: "TourneyDefinition", after: int, count: int) -> list[_Start]:
    """The next ``count`` starts of all start points that go by the calendar, the earliest first."""
    from coordinator.engine.tourney.naming import instance_id
    from coordinator.shell.calendar import next_start

    found: list[_Start] = []
    for point in definition.start_points:
        at = after
        for _ in range(count):
            moment = next_start(point, definition.time_zone, at)
            if moment is None:
                break
            at = moment.at_ms
            name = instance_id(definition, point, moment.label)
            found.append(_Start(at, at - point.window_ms, point.id, name))
    return sorted(found)[:count]


def _now_ms() -> int:
    from time import time

    return int(time() * 1000)
