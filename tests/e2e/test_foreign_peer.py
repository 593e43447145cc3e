"""The manual is enough: a table server without a line of ours plays a match against the real daemon."""

import json
from pathlib import Path

import pytest
import trio

from protocol.client import Lobby
from tests.e2e.players import Cup, lead
from tests.e2e.processes import GUARD_S, ONE_TABLE, Daemon, Process, ending, running

pytestmark = pytest.mark.process

FOREIGN = Path(__file__).with_name("foreign_table_server.py")


def test_it_is_foreign():
    imports = [line for line in FOREIGN.read_text().splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in imports if any(ours in line for ours in ("protocol", "bots", "coordinator"))]


async def test_a_table_server_of_another_kind_plays(tmp_path):
    (tmp_path / "table.toml").write_text(ONE_TABLE)
    daemon = Daemon(tmp_path, "--definition", str(tmp_path / "table.toml"))
    cup = Cup("cup", 3, "table")
    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            foreign = Process("foreign", [str(FOREIGN)], [daemon.url], tmp_path)
            with ending(foreign):
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                nursery.start_soon(lead, lobby, cup)
                assert await foreign.ended() == 0, foreign.said
                await cup.over.wait()
            nursery.cancel_scope.cancel()
    told = [json.loads(line) for line in foreign.out.read_text().splitlines()]
    assert [next(iter(line)) for line in told] == [
        "resumed", "seat", "hand", "resumed", "verdict", "hand", "verdict", "left",
    ]  # fmt: skip
    assert [line["resumed"] for line in told if "resumed" in line] == ["new", "nothing_missed"]
    assert [line["verdict"]["verdict"] for line in told if "verdict" in line] == ["scored", "scored"]
    winner = next(line["seat"] for line in told if "seat" in line)["seats"][0]["player_id"]
    assert (cup.places[0].player_id, cup.places[0].score) == (winner, 800)
    assert [row.score for row in cup.places[1:]] == [-400, -400]
