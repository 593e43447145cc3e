"""``coordinator demo``: a whole tournament on this machine, from an empty journal to the final standings.

It runs the daemon and the table servers as processes of their own, is the lobby itself, and ends by replaying
the journal it has made.
"""

import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import trio
from rich.console import Console

from bots.demo_plan import REFUSED, SHIPPED, DemoPlan, journal_url
from bots.demo_run import DemoRun
from bots.errors import BotError, DemoFailed, Interrupted, leaves
from bots.report import DemoReport
from bots.screen import Screen
from protocol.client import LinkEnded, RequestRefused

MATCH_REFUSALS = ("definition_refused", "unknown_definition", "field_too_small", "match_full", "config_error")
"""What the coordinator answers when this match cannot be played like this."""


@click.command()
@click.option(
    "--players", type=click.IntRange(min=2), default=90, show_default=True, help="Size of the field."
)
@click.option(
    "--servers", type=click.IntRange(1, 64), default=4, show_default=True, help="Table servers to run."
)
@click.option("--seed", help="Repeats a draw. Without it one is drawn; it is printed first.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Divides think time; 0 is none.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the result here."
)
@click.option("--keep", is_flag=True, help="Leave the journal behind and say where it is.")
@click.option("--no-page", is_flag=True, help="Do not point to the live page.")
@click.option(
    "--definition", default=SHIPPED, show_default=True, metavar="FILE", help="The match to play, in TOML."
)
@click.option(
    "--think",
    type=click.FloatRange(min=0),
    default=0.01,
    show_default=True,
    help="Seconds before every action.",
)
def demo(
    players: int,
    servers: int,
    seed: str | None,
    speed: float,
    json_file: Path | None,
    keep: bool,
    no_page: bool,
    definition: str,
    think: float,
) -> None:
    """Play a whole tournament with bots, on a live page, and replay it."""
    plan = DemoPlan(
        players=players,
        servers=servers,
        seed=secrets.token_hex(4) if seed is None else seed,
        definition=definition,
        think=think,
        speed=speed,
        json=json_file,
        keep=keep,
        page=not no_page,
    )
    try:
        report = run_demo(plan, Console())
    except BotError as error:
        click.echo(f"coordinator demo: {error} [{error.code}]", err=True)
        sys.exit(error.exit_code)
    sys.exit(0 if report.replay.same else 1)


def run_demo(plan: DemoPlan, console: Console) -> DemoReport:
    """Play the match and report. Raises :class:`~bots.errors.BotError`; no child outlives the call."""
    screen = Screen(console)
    screen.say(f"seed {plan.seed}")
    with _directory(plan, screen) as directory:
        try:
            report = trio.run(DemoRun(plan, screen, directory).run)
        except KeyboardInterrupt:  # before the demo's own handler was in place
            raise Interrupted("interrupted", 130) from None
        except BaseExceptionGroup as group:
            known = group.subgroup((BotError, RequestRefused, LinkEnded))
            if known is None:
                raise
            raise _to_tell(known) from None
    report.show(console)
    if plan.json is not None:
        report.write_json(plan.json)
    return report


@contextmanager
def _directory(plan: DemoPlan, screen: Screen) -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="coordinator-demo-"))
    try:
        yield directory
    finally:
        if plan.keep:
            screen.say(f"journal {journal_url(directory)}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


def _to_tell(error: BaseExceptionGroup) -> BaseException:
    """The one failure to tell when several tasks failed at once: the interruption if there was one."""
    causes = list(leaves(error))
    cause = next((cause for cause in causes if isinstance(cause, Interrupted)), causes[0])
    match cause:
        case RequestRefused():
            return DemoFailed(_sentence(cause), REFUSED if cause.code in MATCH_REFUSALS else 1)
        case LinkEnded():
            return DemoFailed(f"the lobby's link to the coordinator ended: {cause}")
        case _:
            return cause


def _sentence(refused: RequestRefused) -> str:
    """A refusal as one sentence: the field and what was expected."""
    details = [f"{refused.field}: " if refused.field else "", refused.message]
    details.append(f" (expected {refused.expected})" if refused.expected else "")
    return f"the coordinator refused: {''.join(details)} [{refused.code}]"
