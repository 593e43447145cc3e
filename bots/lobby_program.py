"""``python -m bots.lobby_program``: the demo's lobby as a process of its own, so that it too can be ended and frozen.

It writes one line of JSON: the places, or what was refused. Started again it takes up the match where it stands, since
every request of a lobby may be repeated.
"""

import json
import sys

import attrs
import click
import trio

from bots.children import Child
from bots.errors import BotError, DemoFailed
from bots.lobby import Field, LobbyBot
from bots.refusals import to_tell
from protocol.client import LinkEnded, Lobby, RequestRefused
from protocol.messages import PlaceRow


@click.command()
@click.option("--url", required=True, help="The coordinator, as a ws:// URL.")
@click.option("--field", "field_json", required=True, help="What to open and who plays, as JSON.")
def main(url: str, field_json: str) -> None:
    """Play one match to its places."""
    field = Field(**json.loads(field_json))
    try:
        places = trio.run(LobbyBot(Lobby(url, "demo-lobby", director=True), field).run)
    except (BotError, RequestRefused, LinkEnded) as error:
        _fail(to_tell(BaseExceptionGroup("the lobby failed", [error])))
    except BaseExceptionGroup as group:
        known = group.subgroup((BotError, RequestRefused, LinkEnded))
        if known is None:
            raise
        _fail(to_tell(known))
    else:
        rows = [{key: value for key, value in attrs.asdict(row).items() if key != "type"} for row in places]
        click.echo(json.dumps({"places": rows}))


def read_places(lobby: Child) -> list[PlaceRow]:
    """The places a lobby program wrote. Raises DemoFailed with what it says instead."""
    try:
        told = json.loads(lobby.output)
        if "failed" in told:
            raise DemoFailed(told["failed"], told["exit_code"], code=told["code"])
        return [PlaceRow(**row) for row in told["places"]]
    except (ValueError, KeyError, TypeError):
        raise DemoFailed(f"the lobby {lobby.ending}: {lobby.complaint}") from None


def _fail(cause: BaseException) -> None:
    failed = cause if isinstance(cause, BotError) else DemoFailed(str(cause))
    click.echo(json.dumps({"failed": str(failed), "code": failed.code, "exit_code": failed.exit_code}))
    sys.exit(failed.exit_code)


if __name__ == "__main__":
    main()
