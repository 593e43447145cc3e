"""Every request can be asked again in a new session, and nothing happens twice: how each repetition is recognised."""

from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

import attrs
from trio.testing import MockClock

import coordinator
from coordinator.engine.definition import Grouping, Round, Start
from coordinator.engine.tourney.definition import Entry
from coordinator.shell.calendar import Calendar
from protocol import messages as m
from protocol.session import Session, Side
from tests.engine.ladder_play import roster
from tests.engine.stages import DEFAULT, SWISS, match_of
from tests.engine.tourney_play import NOON, cup
from tests.shell.island_premises import ISLES, begun
from tests.shell.ladder_premises import ladder, times
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, enter, report

KNOWN_BY = MappingProxyType(
    {
        m.HandEnded: ("the hand and its attempt", "duplicate"),
        m.Actions: ("their place in the log", ""),
        m.HandStarted: ("it changes nothing", ""),
        m.SeatPresence: ("it says how things are", ""),
        m.RoundAborted: ("the epoch", "not_your_table"),
        m.Incident: ("incident_no", ""),
        m.Capacity: ("it says how things are", ""),
        m.OpenMatch: ("match_id", ""),
        m.Register: ("the player", ""),
        m.Withdraw: ("the player", "unknown_player"),
        m.StartMatch: ("the match", "already_started"),
        m.Join: ("key", ""),
        m.Leave: ("key", ""),
        m.Revive: ("payment_ref", ""),
        m.DeclineRevival: ("offer_no", "no_offer"),
        m.Enter: ("the player", ""),
        m.WithdrawEntry: ("the player", "unknown_player"),
        m.ListInstances: ("it changes nothing", ""),
        m.Received: ("key", ""),
        m.IssueChallenge: ("key", ""),
        m.AcceptTime: ("key", ""),
        m.ProposeTimes: ("key", ""),
        m.CancelChallenge: ("challenge_no", "challenge_over"),
        m.CheckIn: ("the team", ""),
        m.LineUp: ("the players", ""),
        m.Ready: ("the team", ""),
        m.ChooseRight: ("right_no", ""),
        m.ReportResult: ("the result", ""),
        m.Appeal: ("the dispute there is", ""),
        m.RaiseDispute: ("the boards and the text", ""),
        m.ConfirmDispute: ("dispute_no", ""),
        m.ListTargets: ("it changes nothing", ""),
        m.Ruling: ("key", ""),
        m.Subscribe: ("it says how things are", ""),
    }
)
"""By what each request is known when it comes again, and the code or verdict it is answered with then; none: the same
as the first time."""


def test_every_request_has_its_row_here_and_in_the_manual() -> None:
    requests = {*get_args(m.FromTable), *get_args(m.FromLobby), m.FromDirector, m.FromSpectator}
    assert set(KNOWN_BY) == requests
    manual = (Path(coordinator.__file__).parent / "manual" / "wire.md").read_text(encoding="utf-8")
    _, _, section = manual.partition("\n### Asked again\n")
    section, _, _ = section.partition("\n### ")
    rows = [line.split("|")[1:4] for line in section.splitlines() if line.startswith("| [")]
    told = {
        name.strip(" []").split("]")[0]: (by.strip().strip("`"), then.strip().strip("`"))
        for names, by, then in rows
        for name in names.split(",")
    }
    assert told == {attrs.fields(kind).type.default: row for kind, row in KNOWN_BY.items()}


class Asking:
    """Asks everything twice, the second time in a new session, and keeps what it has asked."""

    def __init__(self, house: Premises) -> None:
        self.house = house
        self.asked: dict[type, None] = {}

    async def twice(self, program: Program, message: Any) -> Any:
        """Ask; lose the session; ask again in the same words: no journal has become longer."""
        kind = type(message)
        first = await program.ask(message)
        assert first.type != "error", first
        before = await self._journaled()
        await in_a_new_session(program)
        again = await program.ask(message)
        assert await self._journaled() == before
        expected = KNOWN_BY[kind][1]
        told = getattr(again, "code", None) or getattr(again, "verdict", "")
        if expected:
            assert told == expected
        else:
            assert attrs.evolve(again, ref=first.ref) == first
        self.asked[kind] = None
        return first

    async def _journaled(self) -> dict[str, int]:
        await self.house.office.writer.drain()
        office = self.house.office
        desks: dict[str, Any] = {**office.desks, **office.tourneys.desks}
        return {name: desk.chain.seq for name, desk in desks.items()}


async def in_a_new_session(program: Program) -> None:
    """Lose the socket and the session, as the same process."""
    await program.cut()
    program.session = Session(Side.PEER)
    await program.hello()


LATER = times()[0].at_ms + 7_000
MANUAL = match_of(attrs.evolve(SWISS, table_size=2, bouts=2, grouping=Grouping(kind="swiss")), players=4)
BY_HAND = attrs.evolve(MANUAL, start=Start("manual"))
LONG = match_of(attrs.evolve(DEFAULT, round=Round(hands=3)), players=3)


async def a_match_and_its_table_server(clock: MockClock) -> Asking:
    async with premises({"long": LONG, "by hand": BY_HAND}) as house:
        asking = Asking(house)
        server, lobby = await house.table_server(), await house.lobby()
        await asking.twice(lobby, m.OpenMatch("m", "long", 1, seed="7"))
        for player in ("p1", "p2", "p3"):
            await asking.twice(lobby, m.Register("m", player, player, 1))
        seat, start = await server.next(m.Seat), await server.next(m.StartHand)
        hand = (start.table_id, start.epoch, start.hand_no, start.attempt_no)
        await asking.twice(server, m.Capacity(8, ref=1))
        await asking.twice(server, m.HandStarted("m", *hand, ref=1))
        await asking.twice(server, m.Actions("m", *hand, 0, [1, 2], ref=1))
        await asking.twice(server, m.SeatPresence("m", 1, "p1", present=False, ref=1))
        await asking.twice(server, report(seat, start))
        await asking.twice(server, m.RoundAborted("m", start.table_id, start.epoch, "no memory", 1))
        watcher = house.program("watcher", "spectator")
        await watcher.hello()
        await asking.twice(watcher, m.Subscribe("m", 1))
        await lobby.ask(m.OpenMatch("later", "by hand", 1))
        await enter(lobby, "later", [f"p{number}" for number in range(1, 6)])
        await asking.twice(lobby, m.Withdraw("later", "p5", 1))
        await asking.twice(lobby, m.StartMatch("later", 1))
        return asking


async def an_island(clock: MockClock) -> Asking:
    async with premises(ISLES) as house:
        asking = Asking(house)
        server, lobby, seat, start = await begun(house)
        await asking.twice(lobby, m.Join("isle-1", "p9", "Nina", 1, key="j1"))
        await asking.twice(lobby, m.Leave("isle-1", "p9", 1, key="l1"))
        await server.say(report(seat, start, 250, -110, -140))
        offers = [await lobby.next(m.RevivalOffer) for _ in range(2)]
        await asking.twice(lobby, m.Revive("isle-1", offers[0].player_id, offers[0].offer_no, "pay-1", 1))
        await asking.twice(lobby, m.DeclineRevival("isle-1", offers[1].player_id, offers[1].offer_no, 1))
        return asking


async def a_tourney(clock: MockClock) -> Asking:
    fee = {"cup": cup(entry=Entry(fee=5))}
    async with premises(tourneys=fee, calendar=Calendar(lambda: NOON / 1000)) as house:
        asking, lobby = Asking(house), await house.lobby()
        await asking.twice(lobby, m.ListInstances(1))
        taken = await asking.twice(lobby, m.Enter("cup", "a", "Ann", 1, payment_ref="pay-1"))
        await asking.twice(lobby, m.WithdrawEntry(taken.instance_id, "a", 1))
        refund = await lobby.next(m.Refund)
        await asking.twice(lobby, m.Received(refund.key, 1))
        return asking


async def a_ladder(clock: MockClock) -> Asking:
    async with ladder(clock) as (house, lobby, server):
        asking = Asking(house)
        await asking.twice(lobby, m.ListTargets("lad", "t2", 1))
        await asking.twice(lobby, m.IssueChallenge("lad", "t3", "t2", times(), 1, key="c1"))
        await asking.twice(lobby, m.CancelChallenge("lad", 1, "t3", 1))
        await asking.twice(lobby, m.IssueChallenge("lad", "t2", "t1", times(), 1, key="c2"))
        other = times(times()[0].at_ms + 1_000)
        await asking.twice(lobby, m.ProposeTimes("lad", 2, "t1", other, 1, key="p1"))
        await asking.twice(lobby, m.AcceptTime("lad", 2, "t2", 1, 1, key="a1"))
        await asking.twice(lobby, m.CheckIn("lad", 2, "t1", 1))
        for team in ("t1", "t2"):
            await asking.twice(lobby, m.LineUp("lad", 2, team, list(roster(team)[:4]), 1))
            await asking.twice(lobby, m.Ready("lad", 2, team, 1))
        await house.pass_time(clock, 7)
        seat = await server.next(m.Seat)
        for number in range(1, 4):
            await asking.twice(server, m.Incident("lad", seat.table_id, seat.epoch, number, "drop", "t21", 1))
        right = await lobby.next(m.RightOpened)
        await asking.twice(lobby, m.RaiseDispute("lad", 2, "t1", [1, 1], "the lead was out of turn", 1))
        await asking.twice(lobby, m.ConfirmDispute("lad", 2, "t2", 1, 1))
        await asking.twice(lobby, m.ChooseRight("lad", 2, "t1", right.right_no, "reschedule", 1))
        await asking.twice(lobby, m.Ruling("lad", "extend", 1, challenge_no=2, by_ms=1_000, key="x1"))
        await asking.twice(lobby, m.ProposeTimes("lad", 2, "t1", times(LATER), 1, key="p2"))
        await asking.twice(lobby, m.AcceptTime("lad", 2, "t2", 1, 1, key="a2"))
        await house.pass_time(clock, 6)
        await asking.twice(lobby, m.ReportResult("lad", 2, "t1", {}, 1, failed="t2"))
        await asking.twice(lobby, m.Appeal("lad", 2, "t2", "we were there", 1))
        return asking


async def test_asked_again_in_a_new_session_nothing_happens_twice(mock_clock: MockClock) -> None:
    asked: dict[type, None] = {}
    for scene in (a_match_and_its_table_server, an_island, a_tourney, a_ladder):
        asked.update((await scene(mock_clock)).asked)
    assert set(asked) == set(KNOWN_BY)
