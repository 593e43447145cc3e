"""``coordinator advise``: what the rules recommend, worked out for one's own numbers."""

from typing import TYPE_CHECKING, Any, Literal

import click

from coordinator.verbs import options

if TYPE_CHECKING:
    from coordinator.engine.target_advisor import Advice

MOST_SCORE = 1_000_000


@click.group()
def advise() -> None:
    """Work out what the rules recommend."""


@advise.command("target")
@click.option("--target", type=click.IntRange(1, 10_000), required=True, metavar="A", help="The score that wins.")
@click.option(
    "--max-hands",
    type=click.IntRange(1, 500),
    required=True,
    metavar="B",
    help="After so many hands the higher score wins.",
)
@click.option(
    "--low", type=click.IntRange(0, MOST_SCORE), default=1, show_default=True, help="The least a hand is worth."
)
@click.option(
    "--high", type=click.IntRange(1, MOST_SCORE), default=100, show_default=True, help="The most a hand is worth."
)
@click.option(
    "--model",
    type=click.Choice(["W", "Z"], case_sensitive=False),
    default="W",
    show_default=True,
    help="W: the winner of a hand adds what it is worth. Z: and the loser loses as much.",
)
@options.as_json
def target(target: int, max_hands: int, low: int, high: int, model: Literal["W", "Z"], as_json: bool) -> None:
    """Say how soon a target round ends, and whether it is well chosen.

    Two sides play until one has A, or for B hands. A hand is worth LOW to HIGH, each equally likely, to either side
    with the same chance. The chances are exact; what is shown is rounded.
    """
    from coordinator.engine.target_advisor import advise_target
    from coordinator.verbs import show

    if low > high:
        raise click.BadParameter(f"{low} is more than the {high} of --high.", param_hint="'--low'")
    advice = advise_target(target, max_hands, low, high, model)
    if as_json:
        show.as_json(_data(advice))
    else:
        _print(advice)


def _data(advice: "Advice") -> dict[str, Any]:
    return {
        "p": [float(chance) for chance in advice.chances],
        "b_min": advice.b_min,
        "ok": advice.ok,
        "warnings": list(advice.warnings),
    }


def _print(advice: "Advice") -> None:
    from coordinator.engine.target_advisor import MOST_HANDS, percent
    from coordinator.verbs import show

    rows = [[hands, percent(chance)] for hands, chance in enumerate(advice.chances, start=1)]
    show.as_table(["hands", "reached by then, %"], rows)
    for each in advice.recommendations:
        click.echo(f"R-RT-02 number {each.no} {'holds' if each.holds else 'is broken'}: {each.says}")
    least = f"no number of hands up to {MOST_HANDS}" if advice.b_min is None else f"{advice.b_min} hands"
    click.echo(f"enough for the target: {least}")
