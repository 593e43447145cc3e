"""``coordinator history``: a Swiss that was played elsewhere, checked, ranked, and paired for its next bout."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from coordinator.verbs import options

if TYPE_CHECKING:
    from coordinator.engine.dominion import Means
    from coordinator.history_file import History


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--bouts",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How many bouts there are in all; by default as many as the report says, or as R-DM-02 advises.",
)
@options.as_json
def history(file: Path, bouts: int | None, as_json: bool) -> None:
    """Check a tournament report and pair the next bout.

    FILE is the report of a Swiss as chess programs write it (TRF16). One that contradicts itself is refused with the
    line of every contradiction. Its players are ranked by R-DM-05 and the next bout is paired by R-DM-10.
    """
    from coordinator.engine.dominion import bouts_for
    from coordinator.history_file import load_history
    from coordinator.verbs import show

    told = load_history(file)
    planned = bouts or told.planned or bouts_for(len(told.names))
    order, means = _ranked(told)
    pairs, byes, again = _next_bout(told, order, planned)
    if as_json:
        show.as_json(
            {
                "players": len(told.names),
                "bouts_played": told.bouts,
                "bouts": planned,
                "ranking": [_line(told, rank, player, means) for rank, player in enumerate(order, start=1)],
                "next_bout": {"bout_no": told.bouts + 1, "pairs": pairs, "byes": byes, "rematch": again}
                if pairs
                else None,
            }
        )
        return
    lines = [_line(told, rank, player, means) for rank, player in enumerate(order, start=1)]
    show.as_table(list(lines[0]), [list(line.values()) for line in lines])
    if not pairs:
        click.echo("the last bout is played")
        return
    click.echo(f"bout {told.bouts + 1} of {planned}{', with rematches' if again else ''}:")
    rows = [(table, *(f"{p} {told.names[p]}" for p in pair)) for table, pair in enumerate(pairs, start=1)]
    show.as_table(["table", "player", "player"], rows)
    for player in byes:
        click.echo(f"bye: {player} {told.names[player]}")


def _ranked(told: "History") -> tuple[list[str], dict[str, "Means"]]:
    """R-DM-05: everybody in rank order, and the numbers that make it."""
    from coordinator.engine import dominion, ranking
    from coordinator.engine.definition import MainPoints

    missed = {player: first - 1 for player, first in told.joined.items()}
    table = dominion.table(list(told.names), told.games, MainPoints(), missed)
    rows = ranking.order(table.chosen(dominion.CHAIN), [int(player) for player in table.players])
    return [table.players[row] for row in rows], table.means()


def _next_bout(told: "History", order: Sequence[str], planned: int) -> tuple[list[tuple[str, str]], list[str], bool]:
    """R-DM-10: the pairs and byes of the bout to come, and whether some meet again; no pairs after the last bout."""
    from coordinator.engine import dominion
    from coordinator.engine.timelines.pairs import pair_by_rank

    if told.bouts >= planned or len(order) < 2:
        return [], [], False
    had: dict[str, int] = {}
    for game in told.games:
        if game.b is None:
            had[game.a] = had.get(game.a, 0) + 1
    met = dominion.opponents_met(told.games)
    missed = {player: first - 1 for player, first in told.joined.items()}
    pairs, byes = pair_by_rank(list(order), met, had, missed, another=told.bouts + 1 < planned)
    return pairs, byes, any(other in met.get(one, ()) for one, other in pairs)


def _line(told: "History", rank: int, player: str, means: dict[str, "Means"]) -> dict[str, Any]:
    numbers = attrs.asdict(means[player])
    del numbers["main_mean"]  # which ranks nobody by itself
    return {"rank": rank, "no": player, "name": told.names[player]} | {key: str(n) for key, n in numbers.items()}
