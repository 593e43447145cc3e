"""``python -m bots.table_server``: a table server with bots in all seats."""

import signal
import sys
from collections.abc import AsyncIterator, Mapping

import click
import trio

from bots.arguments import NOT_NEGATIVE
from bots.errors import BotError, leaves
from bots.games import Game, ScoreModel, load_game
from bots.play import Interleaved, Tell, label, play_in_order
from protocol.client import Hand, LinkEnded, RequestRefused, Table, TableServer


async def hand_back(server: TableServer, table: Table, reason: str) -> None:
    """Let the coordinator place the table elsewhere."""
    try:
        await server.abort_round(table, reason)
    except (RequestRefused, LinkEnded) as error:
        complain(f"{table.match_id} table {table.table_id}: {error}")


def complain(line: str) -> None:
    """A line that is said whether it was asked for or not."""
    click.echo(line, err=True)


async def serve(server: TableServer, games: Mapping[str, Game], think_s: float, tell: Tell) -> None:
    """Play all hands of the server until it has drained, which the first SIGTERM or SIGINT asks for.

    A second signal ends it at once; what it leaves open is repeated elsewhere.
    """
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with trio.open_nursery() as nursery:

            def give_up(hand: Hand, error: BotError) -> None:
                complain(f"{label(hand)}: {error} [{error.code}]")
                nursery.start_soon(hand_back, server, hand.table, str(error)[:500])

            nursery.start_soon(_heed, signals, server, nursery.cancel_scope, tell)
            if think_s > 0:
                nursery.start_soon(Interleaved(games, think_s, tell, give_up).run, server.hands())
            else:
                nursery.start_soon(play_in_order, server.hands(), games, tell, give_up)
            await server.run()
            nursery.cancel_scope.cancel()


async def _heed(signals: AsyncIterator[int], server: TableServer, all_of_it: trio.CancelScope, tell: Tell) -> None:
    async with trio.open_nursery() as nursery:
        async for number in signals:
            if nursery.child_tasks:
                tell(f"{signal.Signals(number).name} again: stops at once")
                all_of_it.cancel()
            else:
                tell(f"{signal.Signals(number).name}: drains")
                nursery.start_soon(server.drain)


@click.command(name="table-server")
@click.option("--url", required=True, help="Where the coordinator listens: ws://host:port")
@click.option("--id", "server_id", required=True, help="This table server's identity; no other may use it.")
@click.option("--games", default="dou_dizhu", show_default=True, help="Games to play, separated by commas.")
@click.option("--capacity", type=click.IntRange(min=1), default=64, show_default=True, help="Tables held at most.")
@click.option(
    "--think",
    type=NOT_NEGATIVE,
    default=0.01,
    show_default=True,
    help="Seconds before every action.",
)
@click.option("--game-model", type=click.Choice(["real", "score"]), default="real", help="score: results, no cards.")
@click.option(
    "--token", envvar="COORDINATOR_TOKEN", show_envvar=True, help="What the coordinator knows this identity by."
)
@click.option("--verbose", is_flag=True, help="One line for each thing worth knowing, on standard error.")
def main(
    url: str,
    server_id: str,
    games: str,
    capacity: int,
    think: float,
    game_model: str,
    token: str | None,
    verbose: bool,
) -> None:
    """Play tables for a coordinator, with bots in all seats."""
    names = [name.strip() for name in games.split(",")]
    try:
        playable = {name: ScoreModel() if game_model == "score" else load_game(name) for name in names}
    except BotError as error:
        complain(f"{server_id}: {error} [{error.code}]")
        sys.exit(error.exit_code)

    def tell(line: str) -> None:
        if verbose:
            complain(f"{server_id}: {line}")

    tell(f"plays {', '.join(names)} for {url}, {capacity} tables, {think:g} seconds an action")
    server = TableServer(url, server_id, games=names, capacity=capacity, token=token, software="coordinator bots")
    try:
        trio.run(serve, server, playable, think, tell)
    except* LinkEnded as ended:
        for reason in leaves(ended):
            complain(f"{server_id}: {reason}")
        failed = True
    else:
        failed = False
    tell("done")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
