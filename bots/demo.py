"""``coordinator demo``: a whole tournament on this machine, from an empty journal to the final standings.

It runs the daemon and the table servers as processes of their own, is the lobby itself, and ends by replaying
the journal it has made.
"""

import secrets
import sys
from pathlib import Path

import click

from bots.arguments import NOT_NEGATIVE
from bots.demo_plan import SHIPPED, DemoPlan
from bots.demo_plan import example as shipped_example
from bots.errors import BotError


@click.command()
@click.option(
    "--players",
    type=click.IntRange(min=2),
    show_default="as many as the match is for, or 90",
    help="Size of the field.",
)
@click.option("--servers", type=click.IntRange(1, 64), default=4, show_default=True, help="Table servers to run.")
@click.option("--seed", help="Repeats a draw. Without it one is drawn; it is printed first.")
@click.option(
    "--speed",
    type=NOT_NEGATIVE,
    default=1.0,
    show_default=True,
    help="Divides think time; 0 is none.",
)
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the result here.")
@click.option("--keep", is_flag=True, help="Leave the journal behind and say where it is.")
@click.option("--no-page", is_flag=True, help="Do not point to the live page.")
@click.option("--chaos", is_flag=True, help="Kill and freeze the programs at random; the seed says whom.")
@click.option("--definition", default=SHIPPED, show_default=True, metavar="FILE", help="The match to play, in TOML.")
@click.option("--example", metavar="NAME", help="The shipped match to play, by its name; see `coordinator check`.")
@click.option(
    "--think",
    type=NOT_NEGATIVE,
    default=0.01,
    show_default=True,
    help="Seconds before every action.",
)
def demo(
    players: int | None,
    servers: int,
    seed: str | None,
    speed: float,
    json_file: Path | None,
    keep: bool,
    no_page: bool,
    chaos: bool,
    definition: str,
    example: str | None,
    think: float,
) -> None:
    """Play a tournament with bots, on a live page, and replay it."""
    if example is not None and definition != SHIPPED:
        raise click.UsageError("--example and --definition are two ways to name one match")
    try:
        if example is not None:
            definition = str(shipped_example(example))
    except BotError as error:
        click.echo(f"coordinator demo: {error} [{error.code}]", err=True)
        sys.exit(error.exit_code)
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
        chaos=chaos,
        shipped=example is not None,
    )
    # Here, so that the other verbs do not wait for all that a demo needs.
    from rich.console import Console

    from bots.demo_run import run_demo

    try:
        report = run_demo(plan, Console())
    except BotError as error:
        click.echo(f"coordinator demo: {error} [{error.code}]", err=True)
        sys.exit(error.exit_code)
    sys.exit(0 if report.replay.same else 1)
