"""Coming, going and coming back over the wire: what a lobby asks and what it hears (R-IS, R-RV)."""

import attrs

from protocol import messages as m
from tests.shell.island_premises import ISLES, begun
from tests.shell.premises import premises
from tests.shell.programs import report


async def test_players_come_and_go(mock_clock):
    async with premises(ISLES) as house:
        ts, lobby, seat, start = await begun(house)
        entered = await lobby.ask(m.Join("isle-1", "p9", "Nina", ref=1))
        assert (entered.type, entered.reg_seq) == ("entered", 4)
        assert await lobby.ask(m.Join("isle-1", "p9", "Nina", ref=1)) == attrs.evolve(entered, ref=lobby._ref - 1)
        leaver = seat.seats[0].player_id
        assert (await lobby.ask(m.Leave("isle-1", leaver, ref=1))).type == "ok"
        assert not [heard for heard in lobby.heard if isinstance(heard, m.CashedOut)], "the hand is still played"
        await ts.say(report(seat, start, 34, -10, -24))
        told = await lobby.next(m.CashedOut)
        assert (told.player_id, told.score, told.units, told.reason, told.payout_no) == (leaver, 134, 13, "asked", 1)


async def test_a_fallen_player_is_offered_to_come_back_and_pays_once(mock_clock):
    async with premises(ISLES) as house:
        ts, lobby, seat, start = await begun(house)
        await ts.say(report(seat, start, 150, 0, -150))
        offer = await lobby.next(m.RevivalOffer)
        fallen = seat.seats[2].player_id
        assert (offer.player_id, offer.offer_no, offer.fee_kind, offer.item_id) == (fallen, 1, "item", "ticket")
        assert (offer.fee, offer.packs, offer.remaining, offer.score, offer.timeout_ms) == (50, [], 2, 100, 2_000)
        paid = m.Revive("isle-1", fallen, 1, "pay-1", ref=1)
        assert (await lobby.ask(paid)).type == "ok"
        assert (await lobby.ask(paid)).type == "ok"
        assert (await lobby.ask(attrs.evolve(paid, offer_no=2))).code == "payment_used"
        assert (await lobby.ask(m.DeclineRevival("isle-1", fallen, 1, ref=1))).code == "no_offer"
        assert fallen in [seated.player_id for seated in (await ts.next(m.Seat)).seats]


async def test_an_offer_without_an_answer_times_out(mock_clock):
    async with premises(ISLES) as house:
        ts, lobby, seat, start = await begun(house)
        await ts.say(report(seat, start, 150, 0, -150))
        await lobby.next(m.RevivalOffer)
        await house.pass_time(mock_clock, 2)
        out = await lobby.next(m.Eliminated)
        assert (out.player_id, out.place) == (seat.seats[2].player_id, None)


async def test_a_lobby_that_missed_everything_hears_of_offers_and_payments_again(mock_clock):
    async with premises(ISLES) as house:
        ts, lobby, seat, start = await begun(house)
        await lobby.ask(m.Leave("isle-1", seat.seats[0].player_id, ref=1))
        await ts.say(report(seat, start, 34, 116, -150))
        offer, left = await lobby.next(m.RevivalOffer), await lobby.next(m.CashedOut)
        await house.pass_time(mock_clock, 1)
        other = house.program("other", "lobby")
        assert (await other.hello(session="another")).resumed == "snapshot"
        told = await other.next(m.CashedOut)
        again = await other.next(m.RevivalOffer)
        assert told == attrs.evolve(left, units=0, payout_no=None, key=None), "the lobby that entered the player pays"
        await lobby.restart("life-2")
        assert await lobby.next(m.CashedOut) == left, "which is told again, until it confirms"
        assert (again.remaining, offer.remaining) == (1, 2), "one has left meanwhile"
        assert attrs.evolve(again, timeout_ms=2_000, remaining=2) == offer
        assert 0 < again.timeout_ms <= 1_000


async def test_the_end_of_an_island_rewards_its_places(mock_clock):
    async with premises(ISLES) as house:
        ts, lobby, seat, start = await begun(house)
        await house.pass_time(mock_clock, 4)
        await ts.say(report(seat, start, 10, 0, -10))
        won = await lobby.next(m.StageReward)
        assert (won.player_id, won.place, won.items, won.payout_no) == (seat.seats[0].player_id, 1, {"coins": 7}, 1)
        over = await lobby.next(m.MatchOver)
        assert [row.place for row in over.places] == [1, 2, 3]
        page = house.picture.match("isle-1")
        assert page is not None
        assert page["events"], "the page tells the story"
