"""A table server is killed in the middle of a cup: its hands are repeated elsewhere and the cup ends."""

from typing import cast

import attrs
import pytest
import trio

from coordinator.engine import events
from coordinator.engine.announcements.orders import start_hand
from coordinator.engine.match import evolve, new_state
from coordinator.journal.records import Chain
from coordinator.journal.store import open_store
from protocol.client import Lobby
from tests.e2e.players import Cup, lead
from tests.e2e.processes import GUARD_S, Daemon, ending, running, table_server

pytestmark = pytest.mark.process


async def test_its_hands_are_repeated_with_the_same_cards_and_count_once(tmp_path):
    cup = Cup("cup", 90)
    daemon = Daemon(tmp_path, COORDINATOR_SERVER_GRACE_S="0.2")
    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            # The first one acts after three seconds and ends its hands after six: time enough to die in between.
            servers = [table_server(daemon, "ts-1", think_s=3.0), table_server(daemon, "ts-2", think_s=0.02)]
            with ending(*servers):
                await daemon.until_servers("ts-1", "ts-2")
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                nursery.start_soon(lead, lobby, cup)
                await cup.opened.wait()
                # Somebody at its tables has acted, so that there is a log to repeat.
                await daemon.until_match("cup", lambda match: _acting(match, "ts-1"))
                await servers[0].kill()
                await cup.over.wait()
                picture = await daemon.until_match("cup", lambda match: match["status"] == "over")
                nursery.cancel_scope.cancel()
                await daemon.stop()
    assert cup.complete
    assert "match" in _kinds(picture)
    repeated = _check_repeats(daemon.journal)
    assert repeated > 0
    replayed = daemon.replay()
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


async def test_the_page_tells_it(tmp_path):
    cup = Cup("cup", 27)
    daemon = Daemon(tmp_path, COORDINATOR_SERVER_GRACE_S="0.2")
    with trio.fail_after(GUARD_S):
        async with running(daemon), trio.open_nursery() as nursery:
            servers = [table_server(daemon, f"ts-{number}", think_s=60.0) for number in (1, 2)]
            with ending(*servers):
                await daemon.until_servers("ts-1", "ts-2")
                lobby = Lobby(daemon.url, "lobby")
                nursery.start_soon(lobby.run)
                nursery.start_soon(lead, lobby, cup)
                await cup.opened.wait()
                await daemon.until_match("cup", lambda match: _servers(match) == {"ts-1", "ts-2"})
                await servers[0].kill()
                match = await daemon.until_match("cup", lambda match: "repeat" in _kinds(match))
                told = {line["kind"]: line["text"] for line in match["events"]}
                assert told["server"].startswith("table server ts-1 lost; ")
                assert " on ts-2: hand 1 is repeated, same deal, " in told["repeat"]
                assert _servers(match) == {"ts-2"}
                assert {table["attempt_no"] for table in match["tables"]} == {1, 2}
                nursery.cancel_scope.cancel()


def _servers(match) -> set[str]:
    return {table["server_id"] for table in match["tables"]}


def _kinds(match) -> set[str]:
    return {line["kind"] for line in match["events"]}


def _acting(match, server_id: str) -> bool:
    tables = [table for table in match["tables"] if table["server_id"] == server_id]
    return match["hands"] > 20 and any(table["in_hand"] and table["actions"] for table in tables)


def _check_repeats(journal: str) -> int:
    """Fold the journal: every repeat has the deal, log and base score of the attempt before; its hand counts once."""
    repeated = logs = 0
    counted: dict[tuple[int, int], int] = {}
    with open_store(journal, read_only=True) as store:
        state = new_state()
        orders: dict[int, object] = {}
        for record in store.follow(Chain.start("cup")):
            for event in record.events:
                if isinstance(event, events.TablesOrphaned):
                    for table_id in event.table_ids:
                        if state.tables[table_id].in_hand:
                            orders[table_id] = start_hand(state, state.tables[table_id])
                elif isinstance(event, events.HandScored):
                    hand = (event.table_id, event.hand_no)
                    assert hand not in counted
                    counted[hand] = event.attempt_no
                evolve(state, cast("events.Event", event))
                if isinstance(event, events.HandsRepeated):
                    for table_id in event.table_ids:
                        before, after = orders.pop(table_id), start_hand(state, state.tables[table_id])
                        assert after.attempt_no == 2
                        assert after.server_id == "ts-2"
                        logs += bool(after.log)
                        same = attrs.evolve(after, attempt_no=1, epoch=after.epoch - 1, server_id="ts-1")
                        assert same == before
                        repeated += 1
    assert logs > 0
    assert orders == {}
    assert list(counted.values()).count(2) == repeated
    return repeated
