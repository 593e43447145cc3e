"""A request that is asked again when the match has moved on: its key is known, and what came since stands (R-BL, R-IS).

Without the key the same words would be new ones, and be carried out a second time.
"""

from typing import Any

import attrs
import pytest
from trio.testing import MockClock

from coordinator.engine.definition import Grouping, Island
from coordinator.engine.ladder.ladder_commands import ExtendDeadline
from coordinator.engine.ladder.ladder_events import DeadlineExtended
from coordinator.engine.ladder.records import LadderState
from coordinator.engine.match import Outcome, step
from coordinator.journal.replay import recover, replay
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.engine.stages import SWISS, match_of
from tests.shell.island_premises import ISLES, SHORE, begun
from tests.shell.ladder_premises import ladder, times
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, open_match, report

OTHER_TIMES = times(times()[0].at_ms + 60_000)


def state_of(house: Premises) -> LadderState:
    found = house.desk("lad").state.ladder
    assert found is not None
    return found


async def done(program: Program, *messages: Any) -> None:
    for message in messages:
        answer = await program.ask(message)
        assert answer.type != "error", answer


async def test_an_extension_counts_once_through_any_restart(mock_clock: MockClock) -> None:
    store = MemoryStore()
    async with ladder(mock_clock, store=store) as (house, lobby, _):
        await done(lobby, m.IssueChallenge("lad", "t2", "t1", times(), 1, key="c"))
        due = state_of(house).challenges[1].due
        longer = m.Ruling("lad", "extend", 1, challenge_no=1, by_ms=1_000, key="longer", reason="ill")
        await done(lobby, longer, longer, attrs.evolve(longer, reason="a player is ill"))
        assert state_of(house).challenges[1].due == due + 1_000
        other = await lobby.ask(attrs.evolve(longer, by_ms=2_000))
        assert (other.code, other.field) == ("key_used", "key")
        await done(lobby, attrs.evolve(longer, key="once more"))
        assert state_of(house).challenges[1].due == due + 2_000
        keyless = await lobby.ask(attrs.evolve(longer, key=None))
        assert (keyless.code, keyless.field) == ("malformed", "key")
    recovered = recover(store, "lad")
    outcome = step(recovered.state, ExtendDeadline(recovered.t, 1, 1_000, "", "longer"))
    assert outcome == Outcome((), ())
    older = step(recovered.state, ExtendDeadline(recovered.t, 1, 1_000, ""))
    assert isinstance(older, Outcome)
    assert [type(event) for event in older.events] == [DeadlineExtended], "as journals of before have it"
    report_ = replay(store, "lad", check=True)
    assert (report_.first_difference, report_.same_decisions) == (None, True)


async def test_a_challenge_that_was_cancelled_since_is_not_issued_anew(mock_clock: MockClock) -> None:
    async with ladder(mock_clock) as (house, lobby, _):
        challenge = m.IssueChallenge("lad", "t2", "t1", times(), 1, key="c")
        await done(lobby, challenge, m.CancelChallenge("lad", 1, "t2", 1))
        again = await lobby.ask(challenge)
        assert (again.type, again.challenge_no) == ("challenged", 1)
        assert state_of(house).challenges == {}
        anew = await lobby.ask(attrs.evolve(challenge, key="c2"))
        assert anew.challenge_no == 2, "with a key of its own it is another one"


async def test_an_acceptance_takes_no_time_of_a_later_offer(mock_clock: MockClock) -> None:
    async with ladder(mock_clock) as (house, lobby, _):
        accept = m.AcceptTime("lad", 1, "t1", 1, 1, key="a")
        await done(lobby, m.IssueChallenge("lad", "t2", "t1", times(), 1, key="c"), accept)
        await done(lobby, m.ProposeTimes("lad", 1, "t2", OTHER_TIMES, 1, key="p"), accept)
        challenge = state_of(house).challenges[1]
        assert (challenge.at, challenge.offered_by) == (times()[0].at_ms, "t2"), "the new offer waits for its answer"


async def test_an_offer_that_was_taken_is_not_made_again(mock_clock: MockClock) -> None:
    async with ladder(mock_clock) as (house, lobby, _):
        offer = m.ProposeTimes("lad", 1, "t1", OTHER_TIMES, 1, key="p")
        await done(lobby, m.IssueChallenge("lad", "t2", "t1", times(), 1, key="c"), offer)
        await done(lobby, m.AcceptTime("lad", 1, "t2", 1, 1, key="a"), offer)
        assert state_of(house).challenges[1].offered_by is None


async def test_a_team_that_has_risen_since_is_not_put_back(mock_clock: MockClock) -> None:
    async with ladder(mock_clock) as (house, lobby, _):
        false_report = m.Ruling("lad", "false_report", 1, team="t1", key="f")
        down = m.Ruling("lad", "place", 1, team="t2", rank=2, key="d")
        await done(lobby, false_report, down)
        assert state_of(house).ranks == ("t3", "t2", "t1")
        await done(lobby, m.Ruling("lad", "place", 1, team="t1", rank=1, key="u"), false_report, down)
        assert state_of(house).ranks == ("t1", "t3", "t2")


async def test_what_was_nothing_to_do_is_not_done_later(mock_clock: MockClock) -> None:
    async with ladder(mock_clock) as (house, lobby, _):
        first = m.Ruling("lad", "place", 1, team="t1", rank=1, key="first")
        await done(lobby, first, m.Ruling("lad", "place", 1, team="t2", rank=1, key="second"), first)
        assert state_of(house).ranks == ("t2", "t1", "t3")


async def test_a_player_who_was_reinstated_since_stays_in(mock_clock: MockClock) -> None:
    pairs = match_of(attrs.evolve(SWISS, table_size=2, bouts=2, grouping=Grouping(kind="swiss")), players=4)
    async with premises({"pairs": pairs}) as house:
        await house.table_server()
        lobby, director = await house.lobby(), await house.director()
        await open_match(lobby, "m", "pairs", 4)
        out = m.Ruling("m", "disqualify", 1, player_id="p1", key="out")
        await done(director, out, m.Ruling("m", "reinstate", 1, player_id="p1", key="in"), out)
        assert house.desk("m").state.disqualified == {}


async def test_a_player_who_came_back_since_does_not_leave_and_is_not_paid_again(mock_clock: MockClock) -> None:
    async with premises(ISLES) as house:
        _, lobby, _, _ = await begun(house)
        leave, join = m.Leave("isle-1", "p9", 1, key="l"), m.Join("isle-1", "p9", "Nina", 1, key="j2")
        await done(lobby, m.Join("isle-1", "p9", "Nina", 1, key="j1"), leave, join)
        paid = len(house.desk("isle-1").state.payouts)
        await done(lobby, leave, join)
        assert len(house.desk("isle-1").state.payouts) == paid == 1
        assert house.desk("isle-1").state.entrants["p9"].state == "waiting"


async def test_a_join_sends_nobody_on_who_rests_once_more(mock_clock: MockClock) -> None:
    """R-IS-05: the join was for the rest before."""
    resting = attrs.evolve(SHORE, island=Island(60_000, exchange_rate=10, rest_ms=20_000))
    async with premises({"isle": match_of(resting, players=3)}) as house:
        server, lobby, seat, start = await begun(house)
        joins = [m.Join("isle-1", f"p{number}", "again", 1, key=f"j{number}") for number in (1, 2, 3)]
        await server.say(report(seat, start, 0, 0, 0))
        await done(lobby, *joins)
        seat, start = await server.next(m.Seat), await server.next(m.StartHand)
        await server.say(report(seat, start, 0, 0, 0))
        await server.quiet()
        await done(lobby, *joins)
        entrants = house.desk("isle-1").state.entrants
        assert [entrants[f"p{number}"].state for number in (1, 2, 3)] == ["resting"] * 3


@pytest.mark.parametrize("key", ["j", None])
async def test_a_join_again_after_a_withdrawal_before_the_start(mock_clock: MockClock, key: str | None) -> None:
    """With its key it was carried out before; without one it is a new wish."""
    async with premises(ISLES) as house:
        lobby = await house.lobby()
        await done(lobby, m.OpenMatch("isle-1", "isle", 1))
        join = m.Join("isle-1", "p1", "Ann", 1, key=key)
        await done(lobby, join, m.Withdraw("isle-1", "p1", 1))
        again = await lobby.ask(join)
        assert (again.type if key is None else again.code) == ("entered" if key is None else "unknown_player")
