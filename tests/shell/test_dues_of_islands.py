"""What an island pays is owed as awards are: to who entered the player, until that lobby confirms it (R-HI-03)."""

import attrs
import pytest
from trio.testing import MockClock

from coordinator.engine.commands import OpenMatch
from coordinator.engine.match import Outcome, new_state, step
from coordinator.journal.records import Chain
from coordinator.journal.replay import recover, replay
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.shell.island_premises import ISLES, begun
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, report


def owed(program: Program) -> list[tuple[str, str | None]]:
    """The player and the key of all that a lobby was told of payments."""
    told = [heard for heard in program.heard if isinstance(heard, m.CashedOut | m.StageReward)]
    return [(each.player_id, each.key) for each in told]


async def guest_leaves(house: Premises, lobby: Program, other: Program) -> None:
    """Another lobby than the one that opened the match enters a player, who leaves before a hand."""
    assert (await other.ask(m.Join("isle-1", "guest", "Gus", 1, key="j"))).type == "entered"
    assert (await other.ask(m.Leave("isle-1", "guest", 1, key="l"))).type == "ok"
    await lobby.quiet()


async def test_who_entered_the_player_pays_and_the_others_hear_that_the_player_left(mock_clock: MockClock) -> None:
    async with premises(ISLES) as house:
        _, lobby, _, _ = await begun(house)
        other = await house.lobby("other")
        await guest_leaves(house, lobby, other)
        assert owed(other) == [("guest", "isle-1/payout/1")]
        [due] = [heard for heard in other.heard if isinstance(heard, m.CashedOut)]
        assert (due.score, due.units, due.payout_no, due.reason) == (100, 10, 1, "asked")
        [news] = [heard for heard in lobby.heard if isinstance(heard, m.CashedOut)]
        assert news == attrs.evolve(due, units=0, payout_no=None, key=None), "nothing for this lobby to pay"


async def test_it_is_told_again_until_it_is_confirmed_and_survives_a_restart(mock_clock: MockClock) -> None:
    store = MemoryStore()
    async with premises(ISLES, store=store) as house:
        _, lobby, _, _ = await begun(house)
        other = await house.lobby("other")
        await guest_leaves(house, lobby, other)
    async with premises(ISLES, store=store) as house:
        other = await house.lobby("other", life="life-2")
        await other.quiet()
        assert owed(other)[0] == ("guest", "isle-1/payout/1")
        refused = await other.ask(m.Received("isle-1/payout/9", 1))
        assert refused.code == "unknown_due"
        for _ in range(2):
            assert (await other.ask(m.Received("isle-1/payout/1", 1))).type == "ok"
        told = len(owed(other))
        await other.restart("life-3")
        await other.quiet()
        assert [key for _, key in owed(other)[told:] if key is not None] == []
        assert house.desk("isle-1").state.dues == {}
    report_ = replay(store, "isle-1", check=True)
    assert (report_.first_difference, report_.same_decisions) == (None, True)


async def test_an_island_is_finished_when_its_places_are_paid(mock_clock: MockClock) -> None:
    async with premises(ISLES) as house:
        server, lobby, seat, start = await begun(house)
        await house.pass_time(mock_clock, 4)
        await server.say(report(seat, start, 10, 0, -10))
        won = await lobby.next(m.StageReward)
        assert (won.player_id, won.items, won.key) == (seat.seats[0].player_id, {"coins": 7}, "isle-1/payout/1")
        await lobby.next(m.MatchOver)
        assert (house.desk("isle-1").state.status, len(house.office.archive)) == ("over", 0)
        assert won.key is not None
        assert (await lobby.ask(m.Received(won.key, 1))).type == "ok"
        assert len(house.office.archive) == 1


@pytest.mark.parametrize("owes", [False, True])
def test_a_journal_of_before_owes_nothing_under_a_key(owes: bool) -> None:
    """Its first record does not say so, and what it holds is folded and decided as it was."""
    opened = OpenMatch(0, "isle-1", ISLES["isle"], "7", "secret", lobby="lobby", owes_payouts=owes)
    state = new_state()
    outcome = step(state, opened)
    assert isinstance(outcome, Outcome)
    assert state.owes_payouts is owes
    assert OpenMatch(0, "isle-1", ISLES["isle"], "7", "secret").owes_payouts is False


async def test_a_match_of_before_tells_its_payouts_by_number_to_everybody(mock_clock: MockClock) -> None:
    store = MemoryStore()
    state, chain = new_state(), Chain.start("isle-1")
    opened = OpenMatch(0, "isle-1", ISLES["isle"], "7", "secret", lobby="lobby")
    outcome = step(state, opened)
    assert isinstance(outcome, Outcome)
    store.append([chain.seal(opened, outcome.events, outcome.effects, 0)])
    async with premises(ISLES, store=store) as house:
        await house.table_server()
        lobby, other = await house.lobby(), await house.lobby("other")
        for player in ("p1", "p2", "p3"):
            await lobby.ask(m.Register("isle-1", player, player, 1))
        await guest_leaves(house, lobby, other)
        for program in (lobby, other):
            [told] = [heard for heard in program.heard if isinstance(heard, m.CashedOut)]
            assert (told.player_id, told.units, told.payout_no, told.key) == ("guest", 10, 1, None)
        assert house.desk("isle-1").state.dues == {}
    assert [payout.payout_no for payout in recover(store, "isle-1").state.payouts] == [1]
