"""A mistake in carrying an effect out sets one match aside: the others go on, and nothing acknowledged is lost."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from trio.testing import MockClock

from coordinator.engine import effects as fx
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell import dues, picture
from coordinator.shell.desk import STANDS_STILL
from protocol import messages as m
from tests.shell.paying import DUEL
from tests.shell.premises import DEFINITIONS, Premises, premises, seated
from tests.shell.programs import Program, open_match, report


def spoil(house: Premises, effect: type, match_id: str = "cup") -> None:
    """Plant a mistake where an effect of one match is carried out."""
    carry = house.office.dispatch._carry
    rule = carry[effect]

    def mistaken(state: Any, leaving: Any) -> None:
        if state.match_id == match_id:
            raise RuntimeError("planted")
        rule(state, leaving)

    carry[effect] = mistaken


async def goes_on(house: Premises, server: Program, lobby: Program) -> None:
    """Another match is opened, seated and played to its end."""
    await open_match(lobby, "other", "one", 3)
    while (seat := await server.next(m.Seat)).match_id != "other":
        continue
    start = await server.next(m.StartHand)
    assert (await server.ask(report(seat, start))).verdict == "scored"
    assert house.desk("other").state.status == "over"


async def stands_still(house: Premises, *programs: Program) -> None:
    """What everybody sees of a match that failed."""
    assert house.desk("cup").failure == "RuntimeError: planted"
    [alarm] = house.picture.alarms()
    assert (alarm["match_id"], alarm["code"]) == ("cup", "match_failed")
    figures, status = house.picture.metrics(), house.picture.status()
    assert (figures["matches_failed"], figures["bugs"]) == (1, 1)
    assert status["ready"] is True, "the others are served"
    assert [check["detail"] for check in status["checks"] if not check["ok"]] == ["stand still: cup"]
    page = house.picture.match("cup")
    assert page is not None
    assert (page["status"], page["halted"]) == ("halted", "RuntimeError: planted")
    for program in programs:
        await program.quiet()
        told = [heard for heard in program.heard if isinstance(heard, m.MatchPaused)]
        assert told == [m.MatchPaused("cup", STANDS_STILL)]


async def test_its_tables_are_told_the_others_go_on_and_a_restart_tries_again(mock_clock: MockClock) -> None:
    store = MemoryStore()
    async with premises(store=store) as house:
        server, lobby, seat, start = await seated(house)
        spoil(house, fx.StartHand)
        verdict = await server.ask(report(seat, start))
        assert verdict.verdict == "scored", "it is on disk, and said so"
        await stands_still(house, server, lobby)
        second = attrs.evolve(start, hand_no=2)
        assert (await server.ask(report(seat, second))).code == "internal"
        await goes_on(house, server, lobby)
        house.office.take_snapshots()
    async with premises(store=store) as house:
        assert house.office.alarms == []
        assert house.desk("cup").state.hands == 1
        server = await house.table_server()
        started = await server.next(m.StartHand)
        assert (started.match_id, started.hand_no) == ("cup", 2)
        assert (await server.ask(report(seat, start))).verdict == "duplicate"
        assert (await server.ask(report(seat, started))).verdict == "scored"


async def test_a_mistake_that_comes_again_is_no_crash_loop(mock_clock: MockClock) -> None:
    store = MemoryStore()
    for _ in range(2):
        async with premises(store=store) as house:
            spoil(house, fx.TellSeated)
            server, lobby = await house.table_server(), await house.lobby()
            if "cup" not in house.office.desks:
                await open_match(lobby, "cup", "one", 3)
                await stands_still(house, server, lobby)
                continue
            seat, start = await server.next(m.Seat), await server.next(m.StartHand)
            assert (await server.ask(report(seat, start))).verdict == "scored", "what failed is told by the snapshot"


def _of_match(house: Premises) -> None:
    house.office.dispatch.match_messages = _mistaken  # type: ignore[method-assign,assignment]


def _of_table(house: Premises) -> None:
    house.office.dispatch.table_messages = _mistaken  # type: ignore[method-assign,assignment]


def _mistaken(*_: Any) -> Any:
    raise RuntimeError("planted")


@pytest.mark.parametrize("plant", [_of_match, _of_table])
async def test_who_comes_back_is_let_in(mock_clock: MockClock, plant: Callable[[Premises], None]) -> None:
    async with premises() as house:
        server, lobby, _, _ = await seated(house)
        plant(house)
        for program in (server, lobby):
            await program.cut()
            await program.hello(session="another")
        await lobby.next(m.HistoryEnd)
        await stands_still(house)
        assert m.MatchPaused("cup", STANDS_STILL) in lobby.heard


async def test_a_page_that_trips_takes_no_other_match_with_it(mock_clock: MockClock) -> None:
    async with premises() as house:
        server, lobby, seat, start = await seated(house)

        def tripping(desk: Any, outcome: Any) -> None:
            if desk.match_id == "cup":
                raise RuntimeError("planted")

        house.office.watchers.append(tripping)
        assert (await server.ask(report(seat, start))).verdict == "scored"
        await stands_still(house, server, lobby)
        await goes_on(house, server, lobby)


async def test_a_due_that_cannot_be_told_keeps_no_lobby_from_the_others(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with premises({"duel": DUEL, **DEFINITIONS}) as house:
        server, lobby = await house.table_server(), await house.lobby()
        for match_id in ("cup", "paid"):
            await open_match(lobby, match_id, "duel", 3)
            seat = await server.next(m.Seat)
            for _ in range(2):
                await server.ask(report(seat, await server.next(m.StartHand)))
        really = dues.due_message

        def told(due: Any) -> Any:
            if due.source == "cup":
                raise RuntimeError("planted")
            return really(due)

        monkeypatch.setattr(dues, "due_message", told)
        before = len(lobby.heard)
        await lobby.restart("life-2")
        await house.pass_time(mock_clock, 0)
        await lobby.next(m.HistoryEnd)
        await lobby.quiet()
        assert {award.match_id for award in lobby.heard[before:] if isinstance(award, m.Award)} == {"paid"}
        await stands_still(house)


async def test_a_snapshot_that_cannot_be_taken_keeps_no_other_from_being_taken(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    async with premises(store=store) as house:
        _, lobby, _, _ = await seated(house)
        await open_match(lobby, "other", "one", 3)
        house.desk("cup").state.seed = object()  # type: ignore[assignment]
        house.office.take_snapshots()
        await house.office.writer.drain()
        assert house.desk("cup").failure is not None
        assert [snapshot.seq for snapshot in store.snapshots("other")] == [house.desk("other").chain.seq]
        assert not list(store.snapshots("cup"))


async def test_a_mistake_that_belongs_to_no_match_is_contained_and_told(
    mock_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a timer, behind a commit, at the end of a batch, and for a spectator: the daemon lives, and says so."""
    async with premises() as house:
        server, lobby, _, _ = await seated(house)
        house.office.timers.set("planted", 0.0, _mistaken)
        house.office.writer._waiting.append((lambda: None, ()))  # something is on its way to the disk
        house.office.writer.append(None, _mistaken)
        house.office.writer._queue.appendleft(None)
        await house.pass_time(mock_clock, 1)
        watcher = house.program("watcher", "spectator")
        await watcher.hello()
        monkeypatch.setattr(picture.Picture, "match", _mistaken)
        await watcher.ask(m.Subscribe("cup", 1))
        await house.pass_time(mock_clock, 1)
        await house.pass_time(mock_clock, 1)
        monkeypatch.undo()
        house.planted = 3
        assert [alarm["code"] for alarm in house.picture.alarms()] == ["mistake"] * 3
        assert house.picture.metrics()["bugs"] == 3
        await goes_on(house, server, lobby)
