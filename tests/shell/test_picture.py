"""What the page, the API and spectators see: complete, typed, in order, and never dearer than it may be."""

import types
from itertools import pairwise
from math import inf
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import attrs
import pytest
import trio

from coordinator.journal.sqlite import MemoryStore
from coordinator.shell import view
from coordinator.shell.limits import Counters
from coordinator.shell.office import Office
from coordinator.shell.peers import Peers
from coordinator.shell.picture import STANDINGS_SHARE, Picture
from coordinator.shell.standings import ranked
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from coordinator.web.metrics import missing, unlisted
from protocol import messages as m
from tests.engine.stages import DEFAULT, MELEE, SWISS, match_of, started
from tests.shell.premises import Premises, premises, seated
from tests.shell.programs import Program, enter, open_match, report

TWO_STAGES = match_of(
    attrs.evolve(SWISS, bouts=2, cut=None, scoring="placement", end=attrs.evolve(SWISS.end, advance_count=None)),
    players=9,
)


def fits(value: Any, kind: Any) -> bool:
    """Whether a picture is exactly of its declared type, down to the last key."""
    origin = get_origin(kind)
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return set(value) == set(hints) and all(fits(value[key], hint) for key, hint in hints.items())
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(kind))
    if origin is Literal:
        return value in get_args(kind)
    if origin is list:
        return type(value) is list and all(fits(each, get_args(kind)[0]) for each in value)
    if origin is tuple:
        return type(value) is tuple and all(map(fits, value, get_args(kind)))
    if kind is None or kind is type(None):
        return value is None
    if kind is float:
        return type(value) in (float, int)
    return type(value) is kind


def check_all(house: Premises) -> None:
    picture = house.picture
    assert fits(picture.status(), view.StatusView)
    assert fits(picture.servers(), list[view.ServerView])
    assert fits(picture.alarms(), list[view.AlarmView])
    assert fits(picture.matches(), list[view.MatchSummary])
    figures = picture.metrics()
    assert missing(figures) == []
    assert unlisted(figures) == []
    for match_id, desk in house.office.desks.items():
        match = picture.match(match_id)
        assert fits(match, view.MatchView)
        assert match is not None
        assert match["standings_total"] == len(desk.state.entrants)
        assert [line["rank"] for line in match["standings"]] == list(range(1, len(match["standings"]) + 1))
        for player_id in desk.state.entrants:
            player = picture.player(match_id, player_id)
            assert fits(player, view.PlayerView)


def test_the_checker_knows_a_wrong_picture():
    good = {"at_ms": 1, "match_id": None, "code": "c", "message": "m"}
    assert fits(good, view.AlarmView)
    assert not fits(good | {"at_ms": True}, view.AlarmView)
    assert not fits(good | {"more": 1}, view.AlarmView)
    assert not fits(good | {"match_id": 7}, view.AlarmView)


async def play(ts: Program, seats: dict[tuple[str, int], m.Seat]) -> None:
    """Report every hand that has been started and not reported."""
    await ts.quiet()
    starts = [said for said in ts.heard if isinstance(said, m.StartHand)][ts.reported :]
    seats.update({(said.match_id, said.table_id): said for said in ts.heard if isinstance(said, m.Seat)})
    for start in starts:
        await ts.ask(report(seats[start.match_id, start.table_id], start))
    ts.reported += len(starts)


async def test_every_picture_is_of_its_type_at_every_moment(mock_clock):
    async with premises({"nine": TWO_STAGES, "pool": match_of(MELEE, players=9)}) as house:
        check_all(house)
        ts = await house.table_server(capacity=20)
        lobby = await house.lobby()
        for match_id, definition in (("cup", "nine"), ("melee", "pool")):
            await lobby.ask(m.OpenMatch(match_id, definition, ref=1, seed="7"))
            check_all(house)
            await enter(lobby, match_id, [f"p{number}" for number in range(1, 10)])
            check_all(house)
        seats: dict[tuple[str, int], m.Seat] = {}
        for _ in range(12):
            await play(ts, seats)
            check_all(house)
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 5.1)
        check_all(house)
        assert house.desk("cup").state.status == "over"
        over = house.picture.match("cup")
        assert over is not None
        assert [line["place"] for line in over["places"]] == list(range(1, 10))
        assert over["secret"] == "seeded 7"
        melee = house.picture.match("melee")
        assert melee is not None
        assert melee["secret"] is None
        assert house.picture.match("no such") is None
        assert house.picture.player("cup", "no such") is None


async def test_standings_never_show_an_inversion(mock_clock):
    """R-RK: who is still in stands by rank, above everybody who is out; the eliminated stand by their places."""
    pool = attrs.evolve(MELEE, grouping=attrs.evolve(MELEE.grouping, max_wait_ms=1000))
    async with premises({"pool": match_of(pool, players=9)}) as house:
        ts = await house.table_server(capacity=20)
        lobby = await house.lobby()
        await open_match(lobby, "cup", "pool", 9)
        eliminated: set[str] = set()
        starts: dict[int, m.StartHand] = {}
        seats: dict[int, m.Seat] = {}
        for _ in range(300):
            await ts.quiet()
            for said in ts.heard:
                if isinstance(said, m.Seat):
                    seats[said.table_id] = said
                elif isinstance(said, m.StartHand):
                    starts[said.table_id] = said
                elif isinstance(said, m.CloseTable):
                    starts.pop(said.table_id, None)
            ts.heard.clear()
            if not starts:
                if house.desk("cup").state.status == "over":
                    break
                await house.pass_time(mock_clock, 1.05)  # the shuttle leaves
                continue
            start = starts.pop(next(iter(starts)))
            await ts.ask(report(seats[start.table_id], start, 600, 0, -600))
            match = house.picture.match("cup")
            assert match is not None
            shown = match["standings"]
            out = [line["state"] == "out" for line in shown]
            assert out == sorted(out), "somebody who is out stands above somebody who is in"
            scores = [line["score"] for line in shown if line["state"] != "out"]
            if match["status"] == "running":
                assert scores == sorted(scores, reverse=True)
            entrants = house.desk("cup").state.entrants
            places = [entrants[line["player_id"]].place or 0 for line in shown if line["state"] == "out"]
            assert places == sorted(places)
            eliminated |= {line["player_id"] for line in shown if line["state"] == "out"}
        assert eliminated
        assert house.desk("cup").state.status == "over"


async def test_players_who_come_and_go_are_never_looked_up_in_an_old_order(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        await enter(lobby, "cup", ["p1", "p2"])
        check_all(house)
        for kept in house.picture._orders.values():
            kept.fresh_until = inf  # as if ranking these few had been so dear
        await lobby.ask(m.Withdraw("cup", "p1", ref=1))
        check_all(house)
        await enter(lobby, "cup", ["p4"])
        check_all(house)


class DearClock(trio.abc.Clock):
    """A clock on which every look at it costs a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def start_clock(self) -> None:
        pass

    def current_time(self) -> float:
        self.now += 1.0
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        return 0.0 if deadline <= self.now else 0.01


def test_a_huge_field_is_not_ranked_more_often_than_its_cost_allows():
    rankings: list[float] = []

    async def main() -> None:
        store = MemoryStore()
        office = Office(store, Writer(store), Peers(), Timers(), {})
        picture = Picture(office, Counters(), journal_url="")
        state = started(DEFAULT, players=3).state
        order: list[str] = []
        last = order
        for version in range(400):
            order = picture._order("m", version, state)
            if order is not last:
                rankings.append(clock.now)
                last = order
        assert order == ranked(state)

    clock = DearClock()
    trio.run(main, clock=clock)
    assert len(rankings) > 3
    between = [later - earlier for earlier, later in pairwise(rankings)]
    # Ranking costs one look at the clock, a second: it may have no more than its share of the time.
    assert min(between) >= 1.0 / STANDINGS_SHARE


@pytest.mark.parametrize("what", ["server comes", "server goes", "alarm", "match fails", "hand"])
async def test_the_version_moves_with_everything_a_page_shows(mock_clock, what):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        whole, cup = house.picture.version(None), house.picture.version("cup")
        if what == "server comes":
            await house.table_server("ts-2")
        elif what == "server goes":
            await ts.cut()
            await house.gone("ts-1")
        elif what == "alarm":
            house.office.raise_alarm(None, "memory_lost", "look")
        elif what == "match fails":
            house.desk("cup").state.entrants = None  # type: ignore[assignment]
            await ts.ask(report(seat, start))
        else:
            await ts.ask(report(seat, start))
        assert house.picture.version(None) > whole
        if what in ("match fails", "hand"):
            assert house.picture.version("cup") > cup


async def test_the_curve_of_a_match_ends_with_it(mock_clock):
    """Who looks minutes later sees how long it took, and not how long ago it was."""
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        await house.pass_time(mock_clock, 5)
        for hand_no in (1, 2, 3):
            await ts.ask(report(seat, start, hand_no=hand_no))
        assert house.desk("cup").state.status == "over"
        await house.pass_time(mock_clock, 200)
        match = house.picture.match("cup")
        assert match is not None
        assert 5_000 <= match["t_ms"] < 6_000
        assert "the stage is over, 3 go on, " in house.lines("cup")[1]


async def test_readiness_names_what_is_wrong(mock_clock):
    async with premises() as house:
        assert house.picture.status()["ready"]
        house.picture.stopping = True
        status = house.picture.status()
        assert not status["ready"]
        assert [check["name"] for check in status["checks"] if not check["ok"]] == ["draining"]


async def test_the_page_tells_what_happened_in_sentences(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        other = await house.table_server("ts-2")
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 5.1)
        again = await other.next(m.StartHand)
        await other.ask(report(attrs.evolve(seat, epoch=2), again))
        names = [who.name for who in seat.seats]
        assert list(reversed(house.lines("cup"))) == [
            "registration is open",
            "registration is closed, the match begins",
            "final: 3 players begin",
            "seating 1: 1 table",
            "table server ts-1 lost; table 1 moves",
            "table 1 on ts-2: hand 1 is repeated, same deal, 0 actions again",
            f"table 1, hand 1 (attempt 2): {names[0]} +2, {names[1]} +0, {names[2]} −2",
        ]
        assert start.deal == again.deal
