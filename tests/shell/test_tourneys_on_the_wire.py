"""A lobby with a real socket: what it is owed follows it through its lives (R-HI-02, R-HI-03)."""

from coordinator.engine.tourney.definition import Entry
from coordinator.shell.calendar import Calendar
from protocol import messages as m
from tests.engine.tourney_play import NOON, cup
from tests.shell.evening import FragileStore
from tests.shell.premises import premises

FEE = {"cup": cup(entry=Entry(fee=5))}
DAY_ONE = "cup.2026-01-01"


def noon() -> Calendar:
    return Calendar(lambda: NOON / 1000)


async def test_a_refund_follows_the_lobby_until_it_is_confirmed() -> None:
    store = FragileStore()
    async with premises(store=store, tourneys=FEE, calendar=noon()) as house:
        lobby = await house.lobby()
        taken = await lobby.ask(m.Enter("cup", "a", "Ann", lobby.ref(), payment_ref="pay-1"))
        assert (taken.instance_id, taken.reg_seq, taken.match) == (DAY_ONE, 1, "heat1")
        assert isinstance(await lobby.ask(m.WithdrawEntry(DAY_ONE, "a", lobby.ref())), m.Ok)
        first = await lobby.next(m.Refund)
        assert (first.player_id, first.amount, first.payment_ref, first.reason) == ("a", 5, "pay-1", "asked")
        await lobby.restart("life-2")
        assert await lobby.next(m.Refund) == first
    async with premises(store=store, tourneys=FEE, calendar=noon()) as house:
        lobby = await house.lobby(life="life-3")
        assert await lobby.next(m.Refund) == first
        assert isinstance(await lobby.ask(m.Received(first.key, lobby.ref())), m.Ok)
        await lobby.restart("life-4")
        rows = await lobby.ask(m.ListInstances(lobby.ref()))
        assert [row.entered for row in rows.rows] == [0, 0]
        assert not any(isinstance(heard, m.Refund) for heard in lobby.heard[-1:]), "it is settled"


async def test_another_lobby_is_not_told_of_it() -> None:
    async with premises(tourneys=FEE, calendar=noon()) as house:
        ours, other = await house.lobby("ours"), await house.lobby("other")
        await ours.ask(m.Enter("cup", "a", "Ann", ours.ref(), payment_ref="pay-1"))
        await ours.ask(m.WithdrawEntry(DAY_ONE, "a", ours.ref()))
        await ours.next(m.Refund)
        await other.ask(m.ListInstances(other.ref()))
        assert not any(isinstance(heard, m.Refund) for heard in other.heard)


async def test_only_a_lobby_may_enter_players() -> None:
    async with premises(tourneys=FEE, calendar=noon()) as house:
        server = await house.table_server()
        told = await server.ask(m.Enter("cup", "a", "Ann", server.ref()))
        assert isinstance(told, m.Error)
        assert told.code == "not_allowed"


async def test_the_picture_of_a_tourney() -> None:
    async with premises(tourneys=FEE, calendar=noon()) as house:
        lobby = await house.lobby()
        before = house.picture.version(None)
        await lobby.ask(m.Enter("cup", "a", "Ann", lobby.ref(), payment_ref="pay-1"))
        assert house.picture.version(None) > before
        [told] = house.picture.tourneys()
        assert [(each["instance_id"], each["entered"]) for each in told["instances"]] == [
            (DAY_ONE, 1),
            ("cup.2026-01-02", 0),
        ]
        off = await house.picture.cancel_instance(DAY_ONE)
        assert off == {"code": None, "message": f"{DAY_ONE} is called off"}
        seen = house.picture.tourney("cup")
        assert seen is not None
        assert [(each["instance_id"], each["reason"]) for each in seen["over"]] == [(DAY_ONE, "by_operator")]
        assert [(due["kind"], due["items"]) for due in seen["owed"]] == [("refund", {"coins": 5})]
        again = await house.picture.cancel_instance(DAY_ONE)
        assert again["code"] == "match_closed"
        nowhere = await house.picture.cancel_instance("nowhere.at-all")
        assert nowhere["code"] == "unknown_instance"
        assert house.picture.tourney("nowhere") is None
